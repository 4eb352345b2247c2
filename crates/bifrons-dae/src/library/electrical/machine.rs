//! Machines between the electrical and the rotational domain.

use super::one_port;
use crate::domain::Domain;
use crate::library::s;
use crate::name::der;
use crate::range::Range;

component! {
    /// Electromotive force: `v = k w`, `flange.tau = -k i`, `w = d flange.phi/dt`; `k` in V s/rad.
    Emf(k: Range::NONZERO)
        {"k": "V.s/rad", "w": "rad/s"}
        => |spec| one_port(spec)
        .pin("flange", Domain::Rotational)
        .variable("w")
        .equation(s("w"), der("flange.phi"))
        .equation(s("v"), s("k") * s("w"))
        .equation(s("flange.tau"), -(s("k") * s("i")))
}

component! {
    /// Direct current motor with resistance `r` Ω, inductance `l` H, constant `k` V s/rad and
    /// inertia `j` kg m².
    ///
    /// ```text
    /// v = r i + l di/dt + k w
    /// j dw/dt = k i + flange.tau,   w = d flange.phi/dt
    /// ```
    DcMotor(r: Range::POSITIVE, l: Range::POSITIVE, k: Range::ANY, j: Range::POSITIVE)
        [current: "i", 0.0; speed: "w", 0.0; angle: "flange.phi", 0.0]
        {"r": "Ohm", "l": "H", "k": "V.s/rad", "j": "kg.m^2", "w": "rad/s"}
        => |spec| one_port(spec)
            .pin("flange", Domain::Rotational)
            .variable("w")
            .equation(s("w"), der("flange.phi"))
            .equation(s("v"), s("r") * s("i") + s("l") * der("i") + s("k") * s("w"))
            .equation(s("j") * der("w"), s("k") * s("i") + s("flange.tau"))
}
