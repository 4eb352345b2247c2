//! Fluid components that carry enthalpy: pressure `p` in Pa, mass flow `m` in kg/s, specific
//! enthalpies `h` and `h_in` in J/kg, see [`Domain`].
//!
//! What passes a connector carries `h_in` into the component and `h` out of it:
//!
//! ```text
//! power of a connector = max(m, 0) h_in + min(m, 0) h
//! ```
//!
//! Two [`HeatedPipe`]s whose thermal ports are joined by a
//! [`Conductor`](super::thermal::Conductor) are a heat exchanger; several in a row one with a
//! profile.

use bifrons_expr::Expr;

use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Power that a connector carries into its component.
fn power(port: &str) -> Expr {
    let part = |name: &str| s(&format!("{port}.{name}"));
    part("m").max(0.0).no_event() * part("h_in") + part("m").min(0.0).no_event() * part("h")
}

/// Ports `a`, `b` with the flow `m = a.m = -b.m` and the drop `dp = a.p - b.p`; what goes in at one
/// comes out at the other as it was.
fn passage(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Fluid, ["a", "b"])
        .variable("m")
        .variable("dp")
        .unit("m", "kg/s")
        .unit("dp", "Pa")
        .equation(s("m"), s("a.m"))
        .equation(s("dp"), s("a.p") - s("b.p"))
}

/// Enthalpies of a passage that neither stores nor gives heat.
fn through(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    passage(spec)
        .equation(s("a.h"), s("b.h_in"))
        .equation(s("b.h"), s("a.h_in"))
}

component! {
    /// Source or sink of pressure `p0` in Pa; what comes out of it has enthalpy `h0` in J/kg.
    Boundary(p0: Range::ANY, h0: Range::ANY)
        {"p0": "Pa", "h0": "J/kg"}
        => |spec| spec
            .pin("a", Domain::Fluid)
            .equation(s("a.p"), s("p0"))
            .equation(s("a.h"), s("h0"))
}

component! {
    /// Source of the mass flow `m0` in kg/s (a sink where it is negative); what comes out of it has
    /// enthalpy `h0` in J/kg.
    MassFlowBoundary(m0: Range::ANY, h0: Range::ANY)
        {"m0": "kg/s", "h0": "J/kg"}
        => |spec| spec
            .pin("a", Domain::Fluid)
            .equation(s("a.m"), -s("m0"))
            .equation(s("a.h"), s("h0"))
}

component! {
    /// Pipe with `dp = r m`, `r > 0` in Pa s/kg, without heat.
    Pipe(r: Range::POSITIVE)
        {"r": "Pa.s/kg"}
        => |spec| through(spec).equation(s("dp"), s("r") * s("m"))
}

component! {
    /// Orifice: `m = coefficient area sqrt(2 density) dp / (dp² + small²)^(1/4)`, without heat.
    ///
    /// As [`hydraulic::Orifice`](super::hydraulic::Orifice).
    Orifice(area: Range::POSITIVE, coefficient: Range::POSITIVE, density: Range::POSITIVE,
        small: Range::POSITIVE)
        {"area": "m^2", "density": "kg/m^3", "small": "Pa"}
        => |spec| through(spec).equation(
            s("m"),
            s("coefficient") * s("area") * (2.0 * s("density")).sqrt() * s("dp")
                / (s("dp").powi(2) + s("small").powi(2)).pow(0.25),
        )
}

component! {
    /// Mixed volume of a liquid of constant `mass` in kg, with a thermal port `heat`.
    ///
    /// ```text
    /// mass dh/dt = power of a + power of b + heat.q,   heat.t = h / cp
    /// ```
    ///
    /// `cp` in J/(kg K); enthalpy zero is at 0 K. There is no drop of pressure.
    Volume(mass: Range::POSITIVE, cp: Range::POSITIVE)
        [enthalpy: "h", 0.0]
        {"mass": "kg", "cp": "J/kg/K", "h": "J/kg"}
        => |spec| two_ports(spec, Domain::Fluid, ["a", "b"])
            .pin("heat", Domain::Thermal)
            .variable("h")
            .equation(s("a.p"), s("b.p"))
            .equation(s("a.h"), s("h"))
            .equation(s("b.h"), s("h"))
            .equation(s("heat.t"), s("h") / s("cp"))
            .equation(s("mass") * der("h"), power("a") + power("b") + s("heat.q"))
}

component! {
    /// Pipe that holds a liquid of constant `mass` in kg, with a thermal port `heat`: `dp = r m` and
    /// the balance of a [`Volume`].
    HeatedPipe(r: Range::POSITIVE, mass: Range::POSITIVE, cp: Range::POSITIVE)
        [enthalpy: "h", 0.0]
        {"r": "Pa.s/kg", "mass": "kg", "cp": "J/kg/K", "h": "J/kg"}
        => |spec| passage(spec)
            .pin("heat", Domain::Thermal)
            .variable("h")
            .equation(s("dp"), s("r") * s("m"))
            .equation(s("a.h"), s("h"))
            .equation(s("b.h"), s("h"))
            .equation(s("heat.t"), s("h") / s("cp"))
            .equation(s("mass") * der("h"), power("a") + power("b") + s("heat.q"))
}

component! {
    /// Open tank of a mixed liquid.
    ///
    /// ```text
    /// a.p = ambient + density gravity level
    /// density area dlevel/dt = a.m
    /// energy = density area level h,   denergy/dt = power of a
    /// ```
    ///
    /// `area` in m², `density` in kg/m³, `gravity` in m/s², `ambient` in Pa. The level must stay
    /// positive.
    Tank(area: Range::POSITIVE, density: Range::POSITIVE, gravity: Range::POSITIVE,
        ambient: Range::ANY)
        [level: "level", 1.0; enthalpy: "h", 0.0]
        {"area": "m^2", "density": "kg/m^3", "gravity": "m/s^2", "ambient": "Pa", "level": "m",
            "h": "J/kg", "energy": "J"}
        => |spec| spec
            .pin("a", Domain::Fluid)
            .variable("level")
            .variable("h")
            .variable("energy")
            .equation(s("a.p"), s("ambient") + s("density") * s("gravity") * s("level"))
            .equation(s("a.h"), s("h"))
            .equation(s("density") * s("area") * der("level"), s("a.m"))
            .equation(s("energy"), s("density") * s("area") * s("level") * s("h"))
            .equation(der("energy"), power("a"))
}

component! {
    /// Rigid volume of an ideal gas with a thermal port `heat`.
    ///
    /// ```text
    /// a.p volume = mass gas t,   energy = mass (cp - gas) t,   a.h = cp t
    /// dmass/dt = a.m,   denergy/dt = power of a + heat.q,   heat.t = t
    /// ```
    ///
    /// `volume` in m³, `gas` (the specific gas constant) and `cp > gas` in J/(kg K).
    GasVolume(volume: Range::POSITIVE, gas: Range::POSITIVE, cp: Range::POSITIVE)
        [pressure: "a.p", 101_325.0; temperature: "t", 293.15]
        {"volume": "m^3", "gas": "J/kg/K", "cp": "J/kg/K", "t": "K", "mass": "kg", "energy": "J"}
        => |spec| spec
            .pin("a", Domain::Fluid)
            .pin("heat", Domain::Thermal)
            .variable("t")
            .variable("mass")
            .variable("energy")
            .guess("mass", 1.0)
            .guess("energy", 1e5)
            .equation(s("heat.t"), s("t"))
            .equation(s("a.h"), s("cp") * s("t"))
            .equation(s("a.p") * s("volume"), s("mass") * s("gas") * s("t"))
            .equation(s("energy"), s("mass") * (s("cp") - s("gas")) * s("t"))
            .equation(der("mass"), s("a.m"))
            .equation(der("energy"), power("a") + s("heat.q"))
}
