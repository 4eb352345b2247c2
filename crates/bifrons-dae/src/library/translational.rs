//! Translational components: position `s` in m, force `f` in N on the component.

use bifrons_expr::Expr;

use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Flanges `a`, `b` with the force `f = b.f = -a.f` that pulls them together when positive.
fn between(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Translational, ["a", "b"])
        .variable("f")
        .unit("f", "N")
        .equation(s("f"), s("b.f"))
}

fn speed() -> Expr {
    der("b.s") - der("a.s")
}

component! {
    /// `m dv/dt = a.f`, `v = ds/dt`, `s = a.s`; `m > 0` in kg.
    Mass(m: Range::POSITIVE) [position: "s", 0.0; speed: "v", 0.0]
        {"m": "kg", "s": "m", "v": "m/s"}
        => |spec| spec
            .pin("a", Domain::Translational)
            .variable("s")
            .variable("v")
            .equation(s("s"), s("a.s"))
            .equation(s("v"), der("s"))
            .equation(s("m") * der("v"), s("a.f"))
}

component! {
    /// `f = c (b.s - a.s - length)`; `c > 0` in N/m, `length` in m.
    Spring(c: Range::POSITIVE, length: Range::ANY)
        {"c": "N/m", "length": "m"}
        => |spec| between(spec)
        .equation(s("f"), s("c") * (s("b.s") - s("a.s") - s("length")))
}

component! {
    /// `f = d (db.s/dt - da.s/dt)`; `d > 0` in N s/m.
    Damper(d: Range::POSITIVE)
        {"d": "N.s/m"}
        => |spec| between(spec).equation(s("f"), s("d") * speed())
}

component! {
    /// Spring and damper side by side.
    SpringDamper(c: Range::POSITIVE, d: Range::NON_NEGATIVE, length: Range::ANY)
        {"c": "N/m", "d": "N.s/m", "length": "m"}
        => |spec| between(spec).equation(
            s("f"),
            s("c") * (s("b.s") - s("a.s") - s("length")) + s("d") * speed(),
        )
}

component! {
    /// Contact that pushes while `b.s - a.s < gap`, with the stiffness `c` and damping `d` of the
    /// penetration; without force otherwise. The contact is a switch, so its instants are located.
    HardStop(c: Range::POSITIVE, d: Range::NON_NEGATIVE, gap: Range::ANY)
        {"c": "N/m", "d": "N.s/m", "gap": "m"}
        => |spec| {
        let depth = s("gap") - (s("b.s") - s("a.s"));
        let push = s("c") * (s("b.s") - s("a.s") - s("gap")) + s("d") * speed();
        between(spec)
            .switch("contact", depth)
            .equation(s("f"), Expr::select(s("contact").gt(0.5), push, 0.0))
    }
}

component! {
    /// Position `s0` in m: `a.s = s0`.
    Fixed(s0: Range::ANY)
        {"s0": "m"}
        => |spec| spec.pin("a", Domain::Translational).equation(s("a.s"), s("s0"))
}

component! {
    /// Friction between the flanges, regularised (`w = db.s/dt - da.s/dt`).
    ///
    /// ```text
    /// f = coulomb tanh(10 w/speed) + viscous w
    ///   + sqrt(2e) (static_force - coulomb) exp(-(w/(√2 speed))²) w/(√2 speed)
    /// ```
    ///
    /// Forces in N, `speed > 0` in m/s, `viscous` in N s/m. After Armstrong-Hélouvry's Stribeck
    /// curve in the smooth form that is common in network libraries.
    Friction(coulomb: Range::NON_NEGATIVE, static_force: Range::NON_NEGATIVE,
        speed: Range::POSITIVE, viscous: Range::NON_NEGATIVE)
        {"coulomb": "N", "static_force": "N", "speed": "m/s", "viscous": "N.s/m", "w": "m/s"}
        => |spec| between(spec)
            .variable("w")
            .equation(s("w"), speed())
            .equation(
                s("f"),
                stribeck(&s("w"), &s("coulomb"), &s("static_force"), &s("speed"))
                    + s("viscous") * s("w"),
            )
}

component! {
    /// Dry friction that sticks and slips, by events; `w = db.s/dt - da.s/dt`.
    ///
    /// ```text
    /// stuck:     dw/dt = 0  until |f| exceeds static_force
    /// forward:   f = coulomb   until w falls to zero
    /// backward:  f = -coulomb  until w rises to zero
    /// ```
    ///
    /// `f` in N acts against the motion of `b`. It starts stuck where `w` is zero. Between a fixed
    /// wall and a body without inertia the force is not determined.
    StickSlip(coulomb: Range::NON_NEGATIVE, static_force: Range::NON_NEGATIVE)
        {"coulomb": "N", "static_force": "N"}
        => |spec| {
            let peak = "static_force";
            let forward = || s("forward").gt(0.5);
            let backward = || s("backward").gt(0.5);
            let slips = forward().or(&backward());
            // Slipping lasts while the speed keeps its sign or moves on; from rest it starts by
            // the force. What an interpolant leaves of the speed at rest must not end it at once.
            let moves = |sign: f64| (sign * s("w")).max(sign * der("w")).no_event();
            let ahead = Expr::select(backward(), -s(peak), s("f") - s(peak));
            let back = Expr::select(forward(), -s(peak), -s("f") - s(peak));
            let drag = Expr::select(forward(), s("coulomb"), -s("coulomb"));
            between(spec)
                .variable("w")
                .equation(s("w"), speed())
                .switch("forward", Expr::select(forward(), moves(1.0), ahead))
                .switch("backward", Expr::select(backward(), moves(-1.0), back))
                .equation(Expr::select(slips, s("f") - drag, der("w")), 0.0)
        }
}

/// Coulomb and Stribeck parts of friction.
pub(super) fn stribeck(w: &Expr, coulomb: &Expr, peak: &Expr, speed: &Expr) -> Expr {
    let scaled = w / (std::f64::consts::SQRT_2 * speed);
    let factor = (2.0 * std::f64::consts::E).sqrt();
    coulomb * (10.0 * w / speed).tanh()
        + factor * (peak - coulomb) * (-(scaled.powi(2))).exp() * scaled
}

component! {
    /// Force `f0` in N on whatever is connected: `a.f = -f0`.
    ForceSource(f0: Range::ANY)
        {"f0": "N"}
        => |spec| spec.pin("a", Domain::Translational).equation(s("a.f"), -s("f0"))
}

component! {
    /// Force `u` in N on whatever is connected, an input signal.
    SignalForce()
        {"u": "N"}
        => |spec| spec.pin("a", Domain::Translational).input("u").equation(s("a.f"), -s("u"))
}

component! {
    /// Speed `v0` in m/s: `da.s/dt = v0`.
    SpeedSource(v0: Range::ANY) [position: "a.s", 0.0]
        {"v0": "m/s"}
        => |spec| spec.pin("a", Domain::Translational).equation(der("a.s"), s("v0"))
}

component! {
    /// Position `u` in m, an input signal.
    SignalPosition()
        {"u": "m"}
        => |spec| spec.pin("a", Domain::Translational).input("u").equation(s("a.s"), s("u"))
}

component! {
    /// Position `s` and speed `v` of a flange, without force.
    MotionSensor()
        {"s": "m", "v": "m/s"}
        => |spec| spec
        .pin("a", Domain::Translational)
        .variable("s")
        .variable("v")
        .equation(s("s"), s("a.s"))
        .equation(s("v"), der("a.s"))
        .equation(s("a.f"), 0.0)
}

component! {
    /// Force `f` through it, without motion between its flanges.
    ForceSensor() => |spec| between(spec).equation(s("a.s"), s("b.s"))
}
