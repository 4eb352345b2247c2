//! Blocks without inputs.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Template};

use crate::check::{finite, numbers, symbol, time};

/// A constant.
///
/// ```text
/// y = value
/// ```
///
/// Output `y`; parameter `value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constant {
    value: f64,
}

impl Constant {
    /// The constant `value`, which must be finite.
    #[must_use]
    pub fn new(value: f64) -> Self {
        Self { value }
    }
}

impl Block for Constant {
    fn into_component(self) -> Result<Component, BlockError> {
        let value = finite("Constant", "value", self.value)?;
        let block = BlockSpec::builder("Constant").parameter("value", value);
        Ok(block.output("y", symbol("value")).build()?.into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.value])
    }
}

/// A jump at one time.
///
/// ```text
/// y = before   if time < step_time
///     after    if time >= step_time
/// ```
///
/// Output `y`; parameters `step_time`, `before` (0 unless set) and `after` (1 unless set).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    step_time: f64,
    before: f64,
    after: f64,
}

impl Step {
    /// A step from 0 to 1 at `step_time`.
    #[must_use]
    pub fn new(step_time: f64) -> Self {
        Self {
            step_time,
            before: 0.0,
            after: 1.0,
        }
    }

    /// Sets the value before the step.
    #[must_use]
    pub fn before(mut self, value: f64) -> Self {
        self.before = value;
        self
    }

    /// Sets the value from the step on.
    #[must_use]
    pub fn after(mut self, value: f64) -> Self {
        self.after = value;
        self
    }
}

impl Block for Step {
    fn into_component(self) -> Result<Component, BlockError> {
        let y = Expr::select(
            time().ge(symbol("step_time")),
            symbol("after"),
            symbol("before"),
        );
        let block = BlockSpec::builder("Step")
            .parameter("step_time", finite("Step", "step_time", self.step_time)?)
            .parameter("before", finite("Step", "before", self.before)?)
            .parameter("after", finite("Step", "after", self.after)?);
        Ok(block.output("y", y).build()?.into())
    }

    fn template(&self) -> Option<Template<'_>> {
        numbers::<Self>(&[self.step_time, self.before, self.after])
    }
}

/// A line that starts at one time.
///
/// ```text
/// y = start_value + slope · max(time - start_time, 0)
/// ```
///
/// Output `y`; parameters `slope`, `start_time` and `start_value` (both 0 unless set).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ramp {
    slope: f64,
    start_time: f64,
    start_value: f64,
}

impl Ramp {
    /// A ramp of this slope that starts at time 0 from 0.
    #[must_use]
    pub fn new(slope: f64) -> Self {
        Self {
            slope,
            start_time: 0.0,
            start_value: 0.0,
        }
    }

    /// Sets the time at which the ramp starts.
    #[must_use]
    pub fn start_time(mut self, time: f64) -> Self {
        self.start_time = time;
        self
    }

    /// Sets the value before and at the start.
    #[must_use]
    pub fn start_value(mut self, value: f64) -> Self {
        self.start_value = value;
        self
    }
}

impl Block for Ramp {
    fn into_component(self) -> Result<Component, BlockError> {
        let elapsed = (time() - symbol("start_time")).max(0.0);
        let block = BlockSpec::builder("Ramp")
            .parameter("slope", finite("Ramp", "slope", self.slope)?)
            .parameter("start_time", finite("Ramp", "start_time", self.start_time)?)
            .parameter(
                "start_value",
                finite("Ramp", "start_value", self.start_value)?,
            );
        let y = symbol("start_value") + symbol("slope") * elapsed;
        Ok(block.output("y", y).build()?.into())
    }
}

/// A sine wave.
///
/// ```text
/// y = bias + amplitude · sin(frequency · time + phase)
/// ```
///
/// Output `y`; parameters `amplitude`, `frequency` (radians per unit of time), `phase` (radians)
/// and `bias` (both 0 unless set).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sine {
    amplitude: f64,
    frequency: f64,
    phase: f64,
    bias: f64,
}

impl Sine {
    /// A sine of this amplitude and angular frequency.
    #[must_use]
    pub fn new(amplitude: f64, frequency: f64) -> Self {
        Self {
            amplitude,
            frequency,
            phase: 0.0,
            bias: 0.0,
        }
    }

    /// Sets the phase in radians.
    #[must_use]
    pub fn phase(mut self, radians: f64) -> Self {
        self.phase = radians;
        self
    }

    /// Sets the mean value.
    #[must_use]
    pub fn bias(mut self, value: f64) -> Self {
        self.bias = value;
        self
    }
}

impl Block for Sine {
    fn into_component(self) -> Result<Component, BlockError> {
        let angle = symbol("frequency") * time() + symbol("phase");
        let block = BlockSpec::builder("Sine")
            .parameter("amplitude", finite("Sine", "amplitude", self.amplitude)?)
            .parameter("frequency", finite("Sine", "frequency", self.frequency)?)
            .parameter("phase", finite("Sine", "phase", self.phase)?)
            .parameter("bias", finite("Sine", "bias", self.bias)?);
        let y = symbol("bias") + symbol("amplitude") * angle.sin();
        Ok(block.output("y", y).build()?.into())
    }
}
