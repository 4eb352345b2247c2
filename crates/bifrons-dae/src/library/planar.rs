//! Planar components: position `x`, `y` in m, force `fx`, `fy` in N on the component; `y` upwards.

use super::{s, two_ports};
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

component! {
    /// Point mass under gravity.
    ///
    /// ```text
    /// vx = dx/dt,   m dvx/dt = a.fx
    /// vy = dy/dt,   m dvy/dt = a.fy - m g
    /// ```
    ///
    /// `m > 0` in kg, `g` in m/s².
    PointMass(m: Range::POSITIVE, g: Range::ANY)
        [x: "x", 0.0; y: "y", 0.0; vx: "vx", 0.0; vy: "vy", 0.0]
        {"m": "kg", "g": "m/s^2", "x": "m", "y": "m", "vx": "m/s", "vy": "m/s"}
        => |spec| spec
            .pin("a", Domain::Planar)
            .variable("x")
            .variable("y")
            .variable("vx")
            .variable("vy")
            .equation(s("x"), s("a.x"))
            .equation(s("y"), s("a.y"))
            .equation(s("vx"), der("x"))
            .equation(s("vy"), der("y"))
            .equation(s("m") * der("vx"), s("a.fx"))
            .equation(s("m") * der("vy"), s("a.fy") - s("m") * s("g"))
}

component! {
    /// Massless rigid rod of `length > 0` in m with pivots at both ends.
    ///
    /// ```text
    /// (b.x - a.x)² + (b.y - a.y)² = length²
    /// b.fx = lambda (b.x - a.x),   b.fy = lambda (b.y - a.y)
    /// ```
    ///
    /// `lambda length` is the force that pulls the ends together. Systems with rods have index 3.
    RigidRod(length: Range::POSITIVE)
        {"length": "m", "lambda": "N/m"}
        => |spec| {
        let dx = || s("b.x") - s("a.x");
        let dy = || s("b.y") - s("a.y");
        two_ports(spec, Domain::Planar, ["a", "b"])
            .variable("lambda")
            .equation(dx().powi(2) + dy().powi(2), s("length").powi(2))
            .equation(s("b.fx"), s("lambda") * dx())
            .equation(s("b.fy"), s("lambda") * dy())
    }
}

component! {
    /// A pivot at `x0`, `y0` in m.
    Pivot(x0: Range::ANY, y0: Range::ANY)
        {"x0": "m", "y0": "m"}
        => |spec| spec
        .pin("a", Domain::Planar)
        .equation(s("a.x"), s("x0"))
        .equation(s("a.y"), s("y0"))
}

component! {
    /// A point that slides along the line `y = y0` without friction.
    Slider(y0: Range::ANY)
        {"y0": "m"}
        => |spec| spec
        .pin("a", Domain::Planar)
        .equation(s("a.y"), s("y0"))
        .equation(s("a.fx"), 0.0)
}

component! {
    /// A crank about the origin: point `b` at distance `radius`, turned by the flange `a`.
    ///
    /// ```text
    /// b.x = radius cos(a.phi),   b.y = radius sin(a.phi)
    /// a.tau = radius (b.fx sin(a.phi) - b.fy cos(a.phi))
    /// ```
    Crank(radius: Range::POSITIVE)
        {"radius": "m"}
        => |spec| {
        let (sin, cos) = (|| s("a.phi").sin(), || s("a.phi").cos());
        spec.pin("a", Domain::Rotational)
            .pin("b", Domain::Planar)
            .equation(s("b.x"), s("radius") * cos())
            .equation(s("b.y"), s("radius") * sin())
            .equation(
                s("a.tau"),
                s("radius") * (s("b.fx") * sin() - s("b.fy") * cos()),
            )
    }
}
