//! Rotational components: angle `phi` in rad, torque `tau` in N m on the component.

use bifrons_expr::Expr;

use super::translational::stribeck;
use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Flanges `a`, `b` with the torque `tau = b.tau = -a.tau`.
fn between(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Rotational, ["a", "b"])
        .variable("tau")
        .unit("tau", "N.m")
        .equation(s("tau"), s("b.tau"))
}

fn speed() -> Expr {
    der("b.phi") - der("a.phi")
}

component! {
    /// `j dw/dt = a.tau`, `w = dphi/dt`, `phi = a.phi`; `j > 0` in kg m².
    Inertia(j: Range::POSITIVE) [angle: "phi", 0.0; speed: "w", 0.0]
        {"j": "kg.m^2", "phi": "rad", "w": "rad/s"}
        => |spec| spec
            .pin("a", Domain::Rotational)
            .variable("phi")
            .variable("w")
            .equation(s("phi"), s("a.phi"))
            .equation(s("w"), der("phi"))
            .equation(s("j") * der("w"), s("a.tau"))
}

component! {
    /// `tau = c (b.phi - a.phi)`; `c > 0` in N m/rad.
    Spring(c: Range::POSITIVE)
        {"c": "N.m/rad"}
        => |spec| between(spec).equation(s("tau"), s("c") * (s("b.phi") - s("a.phi")))
}

component! {
    /// `tau = d (db.phi/dt - da.phi/dt)`; `d > 0` in N m s/rad.
    Damper(d: Range::POSITIVE)
        {"d": "N.m.s/rad"}
        => |spec| between(spec).equation(s("tau"), s("d") * speed())
}

component! {
    /// Spring and damper side by side, without torque while the angle between the flanges is less
    /// than half of `gap` in rad. Both contacts are switches.
    SpringDamperGap(c: Range::POSITIVE, d: Range::NON_NEGATIVE, gap: Range::NON_NEGATIVE)
        {"c": "N.m/rad", "d": "N.m.s/rad", "gap": "rad"}
        => |spec| {
            let angle = || s("b.phi") - s("a.phi");
            let side = |sign: f64| s("c") * (angle() - sign * 0.5 * s("gap")) + s("d") * speed();
            let low = Expr::select(s("below").gt(0.5), side(-1.0), 0.0);
            between(spec)
                .switch("above", angle() - 0.5 * s("gap"))
                .switch("below", -angle() - 0.5 * s("gap"))
                .equation(s("tau"), Expr::select(s("above").gt(0.5), side(1.0), low))
        }
}

component! {
    /// Angle `phi0` in rad: `a.phi = phi0`.
    Fixed(phi0: Range::ANY)
        {"phi0": "rad"}
        => |spec| spec.pin("a", Domain::Rotational).equation(s("a.phi"), s("phi0"))
}

component! {
    /// Ideal gear: `a.phi = ratio b.phi`, `ratio a.tau + b.tau = 0`.
    Gear(ratio: Range::NONZERO) => |spec| spec
        .pin("a", Domain::Rotational)
        .pin("b", Domain::Rotational)
        .equation(s("a.phi"), s("ratio") * s("b.phi"))
        .equation(s("ratio") * s("a.tau") + s("b.tau"), 0.0)
}

component! {
    /// Ideal planetary gear: `(1 + ratio) carrier.phi = sun.phi + ratio ring.phi`,
    /// `ring.tau = ratio sun.tau`, `carrier.tau = -(1 + ratio) sun.tau`.
    PlanetaryGear(ratio: Range::POSITIVE) => |spec| spec
        .pin("sun", Domain::Rotational)
        .pin("ring", Domain::Rotational)
        .pin("carrier", Domain::Rotational)
        .equation(
            (1.0 + s("ratio")) * s("carrier.phi"),
            s("sun.phi") + s("ratio") * s("ring.phi"),
        )
        .equation(s("ring.tau"), s("ratio") * s("sun.tau"))
        .equation(s("carrier.tau"), -((1.0 + s("ratio")) * s("sun.tau")))
}

component! {
    /// Rack and pinion of `radius` in m: `b.s = radius a.phi`, `a.tau = -radius b.f`.
    RackAndPinion(radius: Range::NONZERO)
        {"radius": "m"}
        => |spec| spec
        .pin("a", Domain::Rotational)
        .pin("b", Domain::Translational)
        .equation(s("b.s"), s("radius") * s("a.phi"))
        .equation(s("a.tau"), -(s("radius") * s("b.f")))
}

component! {
    /// Lead screw of `pitch` in m per turn: `b.s = pitch/(2π) a.phi`, `a.tau = -pitch/(2π) b.f`.
    LeadScrew(pitch: Range::NONZERO)
        {"pitch": "m"}
        => |spec| {
        let per_radian = || s("pitch") / std::f64::consts::TAU;
        spec.pin("a", Domain::Rotational)
            .pin("b", Domain::Translational)
            .equation(s("b.s"), per_radian() * s("a.phi"))
            .equation(s("a.tau"), -(per_radian() * s("b.f")))
    }
}

component! {
    /// Slipping clutch: `tau = d max(u, 0) (db.phi/dt - da.phi/dt)` with the input signal `u`.
    Clutch(d: Range::POSITIVE)
        {"d": "N.m.s/rad"}
        => |spec| between(spec)
        .input("u")
        .equation(s("tau"), s("d") * s("u").max(0.0).no_event() * speed())
}

component! {
    /// Friction between the flanges, as [`translational::Friction`](super::translational::Friction)
    /// with torques.
    Friction(coulomb: Range::NON_NEGATIVE, static_torque: Range::NON_NEGATIVE,
        speed: Range::POSITIVE, viscous: Range::NON_NEGATIVE)
        {"coulomb": "N.m", "static_torque": "N.m", "speed": "rad/s", "viscous": "N.m.s/rad", "w": "rad/s"}
        => |spec| between(spec)
            .variable("w")
            .equation(s("w"), speed())
            .equation(
                s("tau"),
                stribeck(&s("w"), &s("coulomb"), &s("static_torque"), &s("speed"))
                    + s("viscous") * s("w"),
            )
}

component! {
    /// Dry friction that sticks and slips, by events; `w = db.phi/dt - da.phi/dt`.
    ///
    /// ```text
    /// stuck:     dw/dt = 0  until |tau| exceeds static_torque
    /// forward:   tau = coulomb   until w falls to zero
    /// backward:  tau = -coulomb  until w rises to zero
    /// ```
    ///
    /// `tau` in N m acts against the motion of `b`. It starts stuck where `w` is zero. Between a fixed
    /// wall and a body without inertia the force is not determined.
    StickSlip(coulomb: Range::NON_NEGATIVE, static_torque: Range::NON_NEGATIVE)
        {"coulomb": "N.m", "static_torque": "N.m"}
        => |spec| {
            let peak = "static_torque";
            let forward = || s("forward").gt(0.5);
            let backward = || s("backward").gt(0.5);
            let slips = forward().or(&backward());
            // Slipping lasts while the speed keeps its sign or moves on; from rest it starts by
            // the force. What an interpolant leaves of the speed at rest must not end it at once.
            let moves = |sign: f64| (sign * s("w")).max(sign * der("w")).no_event();
            let ahead = Expr::select(backward(), -s(peak), s("tau") - s(peak));
            let back = Expr::select(forward(), -s(peak), -s("tau") - s(peak));
            let drag = Expr::select(forward(), s("coulomb"), -s("coulomb"));
            between(spec)
                .variable("w")
                .equation(s("w"), speed())
                .switch("forward", Expr::select(forward(), moves(1.0), ahead))
                .switch("backward", Expr::select(backward(), moves(-1.0), back))
                .equation(Expr::select(slips, s("tau") - drag, der("w")), 0.0)
        }
}

component! {
    /// Torque `tau0` in N m on whatever is connected: `a.tau = -tau0`.
    TorqueSource(tau0: Range::ANY)
        {"tau0": "N.m"}
        => |spec| spec.pin("a", Domain::Rotational).equation(s("a.tau"), -s("tau0"))
}

component! {
    /// Torque `u` in N m on whatever is connected, an input signal.
    SignalTorque()
        {"u": "N.m"}
        => |spec| spec.pin("a", Domain::Rotational).input("u").equation(s("a.tau"), -s("u"))
}

component! {
    /// Speed `w0` in rad/s: `da.phi/dt = w0`.
    SpeedSource(w0: Range::ANY) [angle: "a.phi", 0.0]
        {"w0": "rad/s"}
        => |spec| spec.pin("a", Domain::Rotational).equation(der("a.phi"), s("w0"))
}

component! {
    /// Angle `phi` and speed `w` of a flange, without torque.
    MotionSensor()
        {"phi": "rad", "w": "rad/s"}
        => |spec| spec
        .pin("a", Domain::Rotational)
        .variable("phi")
        .variable("w")
        .equation(s("phi"), s("a.phi"))
        .equation(s("w"), der("a.phi"))
        .equation(s("a.tau"), 0.0)
}

component! {
    /// Torque `tau` through it, without motion between its flanges.
    TorqueSensor() => |spec| between(spec).equation(s("a.phi"), s("b.phi"))
}
