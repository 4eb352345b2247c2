//! Blocks with one or two continuous states.

use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Template};

use crate::check::{finite, numbers, symbol};

/// An integral.
///
/// ```text
/// dx/dtime = u      x(t0) = x0      y = x
/// ```
///
/// Input `u`; output `y`, without feedthrough; state `x`; parameter `x0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Integrator {
    x0: f64,
}

impl Integrator {
    /// The value `x0` at the start, which must be finite.
    #[must_use]
    pub fn new(x0: f64) -> Self {
        Self { x0 }
    }
}

impl Block for Integrator {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = BlockSpec::builder("Integrator")
            .input("u")
            .parameter("x0", finite("Integrator", "x0", self.x0)?)
            .state("x", symbol("u"), symbol("x0"));
        Ok(block.output("y", symbol("x")).build()?.into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.x0])
    }
}

/// A damped oscillator.
///
/// ```text
/// dx/dtime = v                                         x(t0) = x0
/// dv/dtime = frequency² · (gain · u - x) - 2 · damping · frequency · v      v(t0) = v0
/// y = x      dy = v
/// ```
///
/// The transfer function from `u` to `y` is `gain ω² / (s² + 2 ζ ω s + ω²)` with the frequency ω
/// and the damping ratio ζ. Input `u`; outputs `y` and its derivative `dy`, both without
/// feedthrough; states `x`, `v`; parameters `frequency` (radians per unit of time), `damping`
/// (dimensionless), `gain` (1 unless set), `x0` and `v0` (0 unless set).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SecondOrder {
    frequency: f64,
    damping: f64,
    gain: f64,
    x0: f64,
    v0: f64,
}

impl SecondOrder {
    /// Undamped angular frequency and damping ratio, both finite.
    #[must_use]
    pub fn new(frequency: f64, damping: f64) -> Self {
        Self {
            frequency,
            damping,
            gain: 1.0,
            x0: 0.0,
            v0: 0.0,
        }
    }

    /// Sets the steady gain.
    #[must_use]
    pub fn gain(mut self, gain: f64) -> Self {
        self.gain = gain;
        self
    }

    /// Sets output and its derivative at the start.
    #[must_use]
    pub fn start(mut self, x0: f64, v0: f64) -> Self {
        (self.x0, self.v0) = (x0, v0);
        self
    }
}

impl Block for SecondOrder {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "SecondOrder";
        let (omega, x, v) = (symbol("frequency"), symbol("x"), symbol("v"));
        let drive = &omega * &omega * (symbol("gain") * symbol("u") - &x);
        let drag = 2.0 * symbol("damping") * omega * &v;
        let block = BlockSpec::builder(KIND)
            .input("u")
            .parameter("frequency", finite(KIND, "frequency", self.frequency)?)
            .parameter("damping", finite(KIND, "damping", self.damping)?)
            .parameter("gain", finite(KIND, "gain", self.gain)?)
            .parameter("x0", finite(KIND, "x0", self.x0)?)
            .parameter("v0", finite(KIND, "v0", self.v0)?)
            .state("x", &v, symbol("x0"))
            .state("v", drive - drag, symbol("v0"));
        Ok(block.output("y", x).output("dy", v).build()?.into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.frequency, self.damping, self.gain, self.x0, self.v0])
    }
}
