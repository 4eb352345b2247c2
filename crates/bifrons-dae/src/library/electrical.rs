//! Electrical components: potential `v` in V, current `i` in A, positive into a pin.
//!
//! One-ports have pins `p` and `n`, the voltage `v = p.v - n.v` and the current `i = p.i`.

mod battery;
mod controlled;
mod machine;
mod switching;

pub use battery::Battery;
pub use controlled::{
    CurrentControlledCurrent, CurrentControlledVoltage, IdealOpAmp, OpAmp,
    VoltageControlledCurrent, VoltageControlledVoltage,
};
pub use machine::{DcMotor, Emf};
pub use switching::{Diode, IdealDiode, IdealSwitch};

use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Two pins `p`, `n` with `v = p.v - n.v`, `i = p.i`, `p.i + n.i = 0`.
pub(super) fn one_port(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Electrical, ["p", "n"])
        .variable("v")
        .variable("i")
        .unit("v", "V")
        .unit("i", "A")
        .equation(s("v"), s("p.v") - s("n.v"))
        .equation(s("i"), s("p.i"))
}

/// Two pairs of pins with `vk = pk.v - nk.v`, `ik = pk.i`.
pub(super) fn two_port(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    let mut spec = spec;
    for (p, n, v, i) in [("p1", "n1", "v1", "i1"), ("p2", "n2", "v2", "i2")] {
        let part = |pin: &str, name: &str| s(&format!("{pin}.{name}"));
        spec = two_ports(spec, Domain::Electrical, [p, n])
            .variable(v)
            .variable(i)
            .unit(v, "V")
            .unit(i, "A")
            .equation(s(v), part(p, "v") - part(n, "v"))
            .equation(s(i), part(p, "i"));
    }
    spec
}

component! {
    /// Potential zero: `p.v = 0`.
    Ground() => |spec| spec.pin("p", Domain::Electrical).equation(s("p.v"), 0.0)
}

component! {
    /// `v = r i`, `r > 0` in Ω.
    Resistor(r: Range::POSITIVE)
        {"r": "Ohm"}
        => |spec| one_port(spec).equation(s("v"), s("r") * s("i"))
}

component! {
    /// `v = r i` with the heat `heat.q = -v i` at the thermal port `heat`.
    HeatingResistor(r: Range::POSITIVE)
        {"r": "Ohm"}
        => |spec| one_port(spec)
        .pin("heat", Domain::Thermal)
        .equation(s("v"), s("r") * s("i"))
        .equation(s("heat.q"), -(s("v") * s("i")))
}

component! {
    /// `i = c dv/dt`, `c > 0` in F.
    Capacitor(c: Range::POSITIVE) [voltage: "v", 0.0]
        {"c": "F"}
        => |spec| one_port(spec).equation(s("i"), s("c") * der("v"))
}

component! {
    /// `v = l di/dt`, `l > 0` in H.
    Inductor(l: Range::POSITIVE) [current: "i", 0.0]
        {"l": "H"}
        => |spec| one_port(spec).equation(s("v"), s("l") * der("i"))
}

component! {
    /// Two inductors with mutual inductance `m`, in H; `m² < l1 l2`.
    ///
    /// ```text
    /// v1 = l1 di1/dt + m di2/dt
    /// v2 = m di1/dt + l2 di2/dt
    /// ```
    CoupledInductors(l1: Range::POSITIVE, l2: Range::POSITIVE, m: Range::ANY)
        [current1: "i1", 0.0; current2: "i2", 0.0]
        {"l1": "H", "l2": "H", "m": "H"}
        => |spec| two_port(spec)
            .equation(s("v1"), s("l1") * der("i1") + s("m") * der("i2"))
            .equation(s("v2"), s("m") * der("i1") + s("l2") * der("i2"))
}

component! {
    /// Ideal transformer: `v2 = n v1`, `i1 = -n i2`, `n ≠ 0` dimensionless.
    IdealTransformer(n: Range::NONZERO) => |spec| two_port(spec)
        .equation(s("v2"), s("n") * s("v1"))
        .equation(s("i1"), -(s("n") * s("i2")))
}

component! {
    /// `v = v0`, a constant voltage in V from `n` to `p`.
    VoltageSource(v0: Range::ANY)
        {"v0": "V"}
        => |spec| one_port(spec).equation(s("v"), s("v0"))
}

component! {
    /// `v = offset + amplitude sin(2π frequency t + phase)` in V, Hz and rad.
    SineVoltage(amplitude: Range::ANY, frequency: Range::NON_NEGATIVE, phase: Range::ANY,
        offset: Range::ANY)
        {"amplitude": "V", "frequency": "Hz", "phase": "rad", "offset": "V"}
        => |spec| one_port(spec).equation(
            s("v"),
            s("offset") + s("amplitude")
                * (std::f64::consts::TAU * s("frequency") * s("time") + s("phase")).sin(),
        )
}

component! {
    /// `v = u` with the input signal `u` in V.
    SignalVoltage()
        {"u": "V"}
        => |spec| one_port(spec).input("u").equation(s("v"), s("u"))
}

component! {
    /// `i = i0`, a constant current in A through the component from `p` to `n`.
    CurrentSource(i0: Range::ANY)
        {"i0": "A"}
        => |spec| one_port(spec).equation(s("i"), s("i0"))
}

component! {
    /// `i = u` with the input signal `u` in A.
    SignalCurrent()
        {"u": "A"}
        => |spec| one_port(spec).input("u").equation(s("i"), s("u"))
}

component! {
    /// Voltage `v` between its pins, without current.
    VoltageSensor() => |spec| one_port(spec).equation(s("i"), 0.0)
}

component! {
    /// Current `i` through it, without voltage.
    CurrentSensor() => |spec| one_port(spec).equation(s("v"), 0.0)
}
