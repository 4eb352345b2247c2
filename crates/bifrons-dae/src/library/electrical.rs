//! Electrical components: potential `v` in V, current `i` in A, positive into a pin.

use bifrons_expr::Expr;

use crate::component::{Component, ComponentSpec, ComponentSpecBuilder, Part};
use crate::domain::Domain;
use crate::error::ComponentError;
use crate::name::der;
use crate::range::Range;

pub(super) fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// Two pins `p`, `n` with `v = p.v - n.v`, `i = p.i`, `p.i + n.i = 0`.
pub(super) fn one_port(kind: &'static str) -> ComponentSpecBuilder {
    ComponentSpec::builder(kind)
        .pin("p", Domain::Electrical)
        .pin("n", Domain::Electrical)
        .variable("v")
        .variable("i")
        .equation(s("v"), s("p.v") - s("n.v"))
        .equation(s("i"), s("p.i"))
        .equation(s("p.i") + s("n.i"), 0.0)
}

/// Potential zero at pin `p`.
#[derive(Debug, Clone, Copy)]
pub struct Ground;

impl Component for Ground {
    fn into_part(self) -> Result<Part, ComponentError> {
        let spec = ComponentSpec::builder("Ground")
            .pin("p", Domain::Electrical)
            .equation(s("p.v"), 0.0);
        Ok(spec.build()?.into())
    }
}

/// `v = r i`, `r > 0` in Ω.
#[derive(Debug, Clone, Copy)]
pub struct Resistor {
    r: f64,
}

impl Resistor {
    /// A resistor of `r` Ω.
    #[must_use]
    pub fn new(r: f64) -> Self {
        Self { r }
    }
}

impl Component for Resistor {
    fn into_part(self) -> Result<Part, ComponentError> {
        let spec = one_port("Resistor")
            .parameter("r", self.r, Range::POSITIVE)
            .equation(s("v"), s("r") * s("i"));
        Ok(spec.build()?.into())
    }
}

/// `i = c dv/dt`, `c > 0` in F.
#[derive(Debug, Clone, Copy)]
pub struct Capacitor {
    c: f64,
    voltage: Option<f64>,
}

impl Capacitor {
    /// A capacitor of `c` F; its voltage at the start is guessed to be zero.
    #[must_use]
    pub fn new(c: f64) -> Self {
        Self { c, voltage: None }
    }

    /// Fixes the voltage at the start.
    #[must_use]
    pub fn voltage(mut self, v: f64) -> Self {
        self.voltage = Some(v);
        self
    }
}

impl Component for Capacitor {
    fn into_part(self) -> Result<Part, ComponentError> {
        let spec = one_port("Capacitor")
            .parameter("c", self.c, Range::POSITIVE)
            .equation(s("i"), s("c") * der("v"));
        let spec = match self.voltage {
            Some(v) => spec.parameter("v0", v, Range::ANY).fixed(s("v"), s("v0")),
            None => spec.guess("v", 0.0),
        };
        Ok(spec.build()?.into())
    }
}

/// `v = v0`, a constant voltage in V.
#[derive(Debug, Clone, Copy)]
pub struct VoltageSource {
    v: f64,
}

impl VoltageSource {
    /// A source of `v` V from pin `n` to pin `p`.
    #[must_use]
    pub fn new(v: f64) -> Self {
        Self { v }
    }
}

impl Component for VoltageSource {
    fn into_part(self) -> Result<Part, ComponentError> {
        let spec = one_port("VoltageSource")
            .parameter("v0", self.v, Range::ANY)
            .equation(s("v"), s("v0"));
        Ok(spec.build()?.into())
    }
}
