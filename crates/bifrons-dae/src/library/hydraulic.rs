//! Hydraulic components: pressure `p` in Pa, mass flow `m` in kg/s into a port; incompressible
//! media of constant density.

use bifrons_expr::Expr;

use super::{s, two_ports};
use crate::component::ComponentSpecBuilder;
use crate::domain::Domain;
use crate::name::der;
use crate::range::Range;

/// Ports `a`, `b` with the flow `m = a.m = -b.m` and the drop `dp = a.p - b.p`.
fn passage(spec: ComponentSpecBuilder) -> ComponentSpecBuilder {
    two_ports(spec, Domain::Hydraulic, ["a", "b"])
        .variable("m")
        .variable("dp")
        .unit("m", "kg/s")
        .unit("dp", "Pa")
        .equation(s("m"), s("a.m"))
        .equation(s("dp"), s("a.p") - s("b.p"))
}

component! {
    /// `a.p = p0` in Pa.
    PressureSource(p0: Range::ANY)
        {"p0": "Pa"}
        => |spec| spec.pin("a", Domain::Hydraulic).equation(s("a.p"), s("p0"))
}

component! {
    /// Mass flow `m0` in kg/s out of the component: `a.m = -m0`.
    MassFlowSource(m0: Range::ANY)
        {"m0": "kg/s"}
        => |spec| spec.pin("a", Domain::Hydraulic).equation(s("a.m"), -s("m0"))
}

component! {
    /// Laminar pipe: `dp = r m`, `r > 0` in Pa s/kg.
    LaminarPipe(r: Range::POSITIVE)
        {"r": "Pa.s/kg"}
        => |spec| passage(spec).equation(s("dp"), s("r") * s("m"))
}

component! {
    /// Pipe after Darcy and Weisbach with the friction factor of Churchill (1977, *Friction-factor
    /// equation spans all fluid-flow regimes*, Chemical Engineering 84(24), 91–92).
    ///
    /// ```text
    /// dp = f(Re) length/diameter m|m| / (2 density area²),   Re = |m| diameter/(area viscosity)
    /// f = 8 ((8/Re)^12 + (A + B)^-1.5)^(1/12)
    /// A = (2.457 ln(1/((7/Re)^0.9 + 0.27 roughness/diameter)))^16,   B = (37530/Re)^16
    /// ```
    ///
    /// Below `Re = 1` the laminar law `f = 64/Re` is used, to which the formula tends. Lengths in
    /// m, `density` in kg/m³, `viscosity` in Pa s.
    DarcyPipe(length: Range::POSITIVE, diameter: Range::POSITIVE, roughness: Range::NON_NEGATIVE,
        density: Range::POSITIVE, viscosity: Range::POSITIVE)
        {"length": "m", "diameter": "m", "roughness": "m", "density": "kg/m^3", "viscosity": "Pa.s"}
        => |spec| passage(spec).equation(s("dp"), darcy())
}

/// Pressure drop of a pipe over its flow.
fn darcy() -> Expr {
    let area = || std::f64::consts::FRAC_PI_4 * s("diameter").powi(2);
    let size = || s("m").abs().no_event();
    let re = || size() * s("diameter") / (area() * s("viscosity"));
    let safe = || re().max(1.0).no_event();
    let inner = (7.0 / safe()).pow(0.9) + 0.27 * s("roughness") / s("diameter");
    let a = (2.457 * (1.0 / inner).ln()).powi(16);
    let b = (37_530.0 / safe()).powi(16);
    let factor = 8.0 * ((8.0 / safe()).powi(12) + 1.0 / (a + b).pow(1.5)).pow(1.0 / 12.0);
    let shape = || s("length") / s("diameter") / (2.0 * s("density") * area().powi(2));
    let turbulent = factor * shape() * s("m") * size();
    // f |m| = 64 |m| / Re does not depend on m.
    let laminar = 64.0 * area() * s("viscosity") / s("diameter") * shape() * s("m");
    Expr::select(re().le(1.0), laminar, turbulent).no_event()
}

component! {
    /// Orifice: `m = coefficient area sqrt(2 density) dp / (dp² + small²)^(1/4)`.
    ///
    /// That is `coefficient area sqrt(2 density |dp|)` with the sign of `dp`, made smooth where
    /// `|dp|` is below `small`, in Pa. `area` in m², `density` in kg/m³.
    Orifice(area: Range::POSITIVE, coefficient: Range::POSITIVE, density: Range::POSITIVE,
        small: Range::POSITIVE)
        {"area": "m^2", "density": "kg/m^3", "small": "Pa"}
        => |spec| passage(spec).equation(
            s("m"),
            s("coefficient") * s("area") * (2.0 * s("density")).sqrt() * root(),
        )
}

component! {
    /// Valve: as [`Orifice`] with the area times the input signal `opening`.
    Valve(area: Range::POSITIVE, coefficient: Range::POSITIVE, density: Range::POSITIVE,
        small: Range::POSITIVE)
        {"area": "m^2", "density": "kg/m^3", "small": "Pa"}
        => |spec| passage(spec).input("opening").equation(
            s("m"),
            s("opening") * s("coefficient") * s("area") * (2.0 * s("density")).sqrt() * root(),
        )
}

fn root() -> Expr {
    s("dp") / (s("dp").powi(2) + s("small").powi(2)).pow(0.25)
}

component! {
    /// Open tank: `a.p = ambient + density gravity level`, `density area dlevel/dt = a.m`.
    ///
    /// `area` in m², `density` in kg/m³, `gravity` in m/s², `ambient` in Pa, `level` in m above the
    /// port.
    Tank(area: Range::POSITIVE, density: Range::POSITIVE, gravity: Range::POSITIVE,
        ambient: Range::ANY)
        [level: "level", 0.0]
        {"area": "m^2", "density": "kg/m^3", "gravity": "m/s^2", "ambient": "Pa", "level": "m"}
        => |spec| spec
            .pin("a", Domain::Hydraulic)
            .variable("level")
            .equation(s("a.p"), s("ambient") + s("density") * s("gravity") * s("level"))
            .equation(s("density") * s("area") * der("level"), s("a.m"))
}

component! {
    /// Accumulator with a spring: `a.p = stiffness volume / area²`, `density dvolume/dt = a.m`.
    ///
    /// `area` in m², `stiffness` in N/m, `density` in kg/m³.
    Accumulator(area: Range::POSITIVE, stiffness: Range::POSITIVE, density: Range::POSITIVE)
        [pressure: "a.p", 0.0]
        {"area": "m^2", "stiffness": "N/m", "density": "kg/m^3", "volume": "m^3"}
        => |spec| spec
            .pin("a", Domain::Hydraulic)
            .variable("volume")
            .equation(s("a.p"), s("stiffness") * s("volume") / s("area").powi(2))
            .equation(s("density") * der("volume"), s("a.m"))
}

component! {
    /// Pump: pressure rises from `a` to `b` by `rise - slope m`, in Pa and Pa s/kg.
    Pump(rise: Range::NON_NEGATIVE, slope: Range::NON_NEGATIVE)
        {"rise": "Pa", "slope": "Pa.s/kg"}
        => |spec| passage(spec)
        .equation(-s("dp"), s("rise") - s("slope") * s("m"))
}

component! {
    /// Cylinder: `flange.f = -area (a.p - ambient)`, `density area dflange.s/dt = a.m`.
    Cylinder(area: Range::POSITIVE, density: Range::POSITIVE, ambient: Range::ANY)
        [position: "flange.s", 0.0]
        {"area": "m^2", "density": "kg/m^3", "ambient": "Pa"}
        => |spec| spec
            .pin("a", Domain::Hydraulic)
            .pin("flange", Domain::Translational)
            .equation(s("flange.f"), -(s("area") * (s("a.p") - s("ambient"))))
            .equation(s("density") * s("area") * der("flange.s"), s("a.m"))
}

component! {
    /// Pressure `p = a.p`, without flow.
    PressureSensor()
        {"p": "Pa"}
        => |spec| spec
        .pin("a", Domain::Hydraulic)
        .variable("p")
        .equation(s("p"), s("a.p"))
        .equation(s("a.m"), 0.0)
}

component! {
    /// Mass flow `m` from `a` to `b`, without pressure drop.
    MassFlowSensor() => |spec| passage(spec).equation(s("dp"), 0.0)
}
