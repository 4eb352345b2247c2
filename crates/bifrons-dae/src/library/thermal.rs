//! Thermal components: temperature `t` in K, heat flow `q` in W, positive into a port.

use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Stefan-Boltzmann constant in W/(m² K⁴), exact in the SI of 2019 up to rounding.
const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;

fn passage(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Thermal, ["a", "b"])
}

component! {
    /// `c da.t/dt = a.q`, `c > 0` in J/K.
    HeatCapacitor(c: Range::POSITIVE) [temperature: "a.t", 293.15]
        {"c": "J/K"}
        => |spec| spec
            .pin("a", Domain::Thermal)
            .equation(s("c") * der("a.t"), s("a.q"))
}

component! {
    /// `a.q = g (a.t - b.t)`, `g > 0` in W/K.
    Conductor(g: Range::POSITIVE)
        {"g": "W/K"}
        => |spec| passage(spec).equation(s("a.q"), s("g") * (s("a.t") - s("b.t")))
}

component! {
    /// `a.q = h area (a.t - b.t)` with the input signal `h` in W/(m² K), `area > 0` in m².
    Convection(area: Range::POSITIVE)
        {"area": "m^2", "h": "W/m^2/K"}
        => |spec| passage(spec)
        .input("h")
        .equation(s("a.q"), s("h") * s("area") * (s("a.t") - s("b.t")))
}

component! {
    /// `a.q = area σ (a.t⁴ - b.t⁴)`, `area > 0` in m² with emissivity and view factor in it.
    Radiation(area: Range::POSITIVE) => |spec| passage(spec)
        .guess("a.t", 293.15)
        .guess("b.t", 293.15)
        .equation(
            s("a.q"),
            STEFAN_BOLTZMANN * s("area") * (s("a.t").powi(4) - s("b.t").powi(4)),
        )
}

component! {
    /// `a.t = t0` in K.
    TemperatureSource(t0: Range::NON_NEGATIVE)
        {"t0": "K"}
        => |spec| spec.pin("a", Domain::Thermal).equation(s("a.t"), s("t0"))
}

component! {
    /// `a.t = u` with the input signal `u` in K.
    SignalTemperature()
        {"u": "K"}
        => |spec| spec.pin("a", Domain::Thermal).input("u").equation(s("a.t"), s("u"))
}

component! {
    /// Heat `q0` in W out of the component: `a.q = -q0`.
    HeatFlowSource(q0: Range::ANY)
        {"q0": "W"}
        => |spec| spec.pin("a", Domain::Thermal).equation(s("a.q"), -s("q0"))
}

component! {
    /// Heat `u` in W out of the component, an input signal.
    SignalHeatFlow()
        {"u": "W"}
        => |spec| spec.pin("a", Domain::Thermal).input("u").equation(s("a.q"), -s("u"))
}

component! {
    /// Temperature `t = a.t`, without heat flow.
    TemperatureSensor()
        {"t": "K"}
        => |spec| spec
        .pin("a", Domain::Thermal)
        .variable("t")
        .equation(s("t"), s("a.t"))
        .equation(s("a.q"), 0.0)
}

component! {
    /// Heat flow `q` from `a` to `b`, without difference of temperature.
    HeatFlowSensor()
        {"q": "W"}
        => |spec| passage(spec)
        .variable("q")
        .equation(s("q"), s("a.q"))
        .equation(s("a.t"), s("b.t"))
}
