//! Controlled sources and operational amplifiers.

use super::two_port;
use crate::domain::Domain;
use crate::library::s;
use crate::range::Range;

component! {
    /// `v2 = gain v1`, `i1 = 0`.
    VoltageControlledVoltage(gain: Range::ANY) => |spec| two_port(spec)
        .equation(s("v2"), s("gain") * s("v1"))
        .equation(s("i1"), 0.0)
}

component! {
    /// `i2 = conductance v1`, `i1 = 0`; in S.
    VoltageControlledCurrent(conductance: Range::ANY)
        {"conductance": "S"}
        => |spec| two_port(spec)
        .equation(s("i2"), s("conductance") * s("v1"))
        .equation(s("i1"), 0.0)
}

component! {
    /// `v2 = resistance i1`, `v1 = 0`; in Ω.
    CurrentControlledVoltage(resistance: Range::ANY)
        {"resistance": "Ohm"}
        => |spec| two_port(spec)
        .equation(s("v2"), s("resistance") * s("i1"))
        .equation(s("v1"), 0.0)
}

component! {
    /// `i2 = gain i1`, `v1 = 0`.
    CurrentControlledCurrent(gain: Range::ANY) => |spec| two_port(spec)
        .equation(s("i2"), s("gain") * s("i1"))
        .equation(s("v1"), 0.0)
}

component! {
    /// Ideal operational amplifier: `plus.v = minus.v`, no current into the inputs.
    IdealOpAmp() => |spec| spec
        .pin("plus", Domain::Electrical)
        .pin("minus", Domain::Electrical)
        .pin("out", Domain::Electrical)
        .equation(s("plus.v"), s("minus.v"))
        .equation(s("plus.i"), 0.0)
        .equation(s("minus.i"), 0.0)
}

component! {
    /// Operational amplifier of finite gain: `out.v = gain (plus.v - minus.v)`, no current into
    /// the inputs.
    OpAmp(gain: Range::POSITIVE) => |spec| spec
        .pin("plus", Domain::Electrical)
        .pin("minus", Domain::Electrical)
        .pin("out", Domain::Electrical)
        .equation(s("out.v"), s("gain") * (s("plus.v") - s("minus.v")))
        .equation(s("plus.i"), 0.0)
        .equation(s("minus.i"), 0.0)
}
