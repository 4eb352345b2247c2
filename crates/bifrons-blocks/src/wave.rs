//! Periodic, swept and random sources.

use bifrons_expr::{Expr, Function};
use bifrons_hybrid::{Block, BlockError, BlockSpec, Clock, Component, Rational};
use bifrons_random::{Address, Draws, Stream};

use crate::check::{finite, refuse, symbol, time};
use crate::mechanism::positive;
use crate::rate::Rate;

/// Largest seed that a parameter holds exactly.
const LARGEST_SEED: u64 = 1 << 53;

/// The time.
///
/// ```text
/// y = time
/// ```
///
/// Output `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Time;

impl Block for Time {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(BlockSpec::builder("Time")
            .output("y", time())
            .build()?
            .into())
    }
}

/// A sine whose frequency moves linearly.
///
/// ```text
/// y = amplitude · sin(phase + w0 t + (w1 - w0) t² / (2 duration))      t = time
/// ```
///
/// The angular frequency is `w0` at time 0 and `w1` at `duration`, and moves on after it. Output
/// `y`; parameters `amplitude`, `w0`, `w1` (radians per unit of time), `duration`, `phase` (0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chirp {
    amplitude: f64,
    frequencies: (f64, f64),
    duration: f64,
    phase: f64,
}

impl Chirp {
    /// Amplitude, both angular frequencies and the time between them, which must be positive.
    #[must_use]
    pub fn new(amplitude: f64, w0: f64, w1: f64, duration: f64) -> Self {
        Self {
            amplitude,
            frequencies: (w0, w1),
            duration,
            phase: 0.0,
        }
    }

    /// Sets the phase in radians.
    #[must_use]
    pub fn phase(mut self, radians: f64) -> Self {
        self.phase = radians;
        self
    }
}

impl Block for Chirp {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Chirp";
        let (w0, w1) = (symbol("w0"), symbol("w1"));
        let sweep = (w1 - &w0) * time().powi(2) / (2.0 * symbol("duration"));
        let angle = symbol("phase") + w0 * time() + sweep;
        Ok(BlockSpec::builder(KIND)
            .parameter("amplitude", finite(KIND, "amplitude", self.amplitude)?)
            .parameter("w0", finite(KIND, "w0", self.frequencies.0)?)
            .parameter("w1", finite(KIND, "w1", self.frequencies.1)?)
            .parameter("duration", positive(KIND, "duration", self.duration)?)
            .parameter("phase", finite(KIND, "phase", self.phase)?)
            .output("y", symbol("amplitude") * angle.sin())
            .build()?
            .into())
    }
}

/// Rectangular pulses with exact edges.
///
/// ```text
/// y = high   for delay + k period <= time < delay + k period + width,   k = 0, 1, 2, …
///     low    else
/// ```
///
/// Output `y`; parameters `low` (0) and `high` (1). Period, width and delay are decimals that are kept
/// exactly, and structure: the edges are instants of two clocks, so that no step crosses one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pulse {
    period: f64,
    width: f64,
    delay: f64,
    values: (f64, f64),
}

impl Pulse {
    /// Pulses between 0 and 1 with `0 < width < period`.
    #[must_use]
    pub fn new(period: f64, width: f64) -> Self {
        Self {
            period,
            width,
            delay: 0.0,
            values: (0.0, 1.0),
        }
    }

    /// Sets the time of the first rise.
    #[must_use]
    pub fn delay(mut self, delay: f64) -> Self {
        self.delay = delay;
        self
    }

    /// Sets the values between and during pulses.
    #[must_use]
    pub fn values(mut self, low: f64, high: f64) -> Self {
        self.values = (low, high);
        self
    }
}

impl Block for Pulse {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Pulse";
        positive(KIND, "period", self.period)?;
        positive(KIND, "width", self.width)?;
        if self.width >= self.period {
            return Err(refuse(
                KIND,
                "width",
                self.width,
                "must be less than `period`",
            ));
        }
        let [period, width, delay] = decimals(
            KIND,
            [
                ("period", self.period),
                ("width", self.width),
                ("delay", self.delay),
            ],
        )?;
        let end = sum(delay, width).ok_or_else(|| {
            refuse(
                KIND,
                "width",
                self.width,
                "must be a number with few digits",
            )
        })?;
        // A run may start within a pulse.
        let phase = (time() - self.delay).modulo(self.period);
        let inside = time().ge(self.delay).and(&phase.lt(self.width));
        let y = Expr::select(symbol("on").gt(0.5), symbol("high"), symbol("low"));
        Ok(BlockSpec::builder(KIND)
            .parameter("low", finite(KIND, "low", self.values.0)?)
            .parameter("high", finite(KIND, "high", self.values.1)?)
            .clock(Clock::new("rise", period, delay))
            .clock(Clock::new("fall", period, end))
            .discrete("on", inside.as_number())
            .update("rise", "on", 1.0)
            .update("fall", "on", 0.0)
            .output("y", y)
            .build()?
            .into())
    }
}

/// A saw with exact teeth.
///
/// ```text
/// y = amplitude · (time - delay - k period) / period      for delay + k period <= time, k = ⌊…⌋
/// ```
///
/// From 0 at the start of a tooth to `amplitude` at its end. Output `y`; parameter `amplitude`. Period
/// and delay are decimals that are kept exactly, and structure: a tooth begins at an instant of a
/// clock. Before `delay` the teeth run backwards in time in the same way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sawtooth {
    amplitude: f64,
    period: f64,
    delay: f64,
}

impl Sawtooth {
    /// Teeth of this height and length.
    #[must_use]
    pub fn new(amplitude: f64, period: f64) -> Self {
        Self {
            amplitude,
            period,
            delay: 0.0,
        }
    }

    /// Sets the time at which a tooth begins.
    #[must_use]
    pub fn delay(mut self, delay: f64) -> Self {
        self.delay = delay;
        self
    }
}

impl Block for Sawtooth {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Sawtooth";
        positive(KIND, "period", self.period)?;
        let settings = [("period", self.period), ("delay", self.delay)];
        let [period, delay] = decimals(KIND, settings)?;
        let start = time() - (time() - self.delay).modulo(self.period);
        let y = symbol("amplitude") * (time() - symbol("start")) / self.period;
        Ok(BlockSpec::builder(KIND)
            .parameter("amplitude", finite(KIND, "amplitude", self.amplitude)?)
            .clock(Clock::new("tooth", period, delay))
            .discrete("start", start)
            .update("tooth", "start", time())
            .output("y", y)
            .build()?
            .into())
    }
}

/// Distribution of the values of a [`Noise`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Distribution {
    /// Normal with mean 0 and standard deviation 1.
    #[default]
    Normal,
    /// Uniform between 0 and 1.
    Uniform,
}

/// Random numbers, one per tick and held in between.
///
/// ```text
/// y[k] = mean + scale · draw(seed, k)
/// ```
///
/// Draw `k` is a pure function of `seed` and `k`, so that a run repeats to the bit, whatever runs
/// beside it; see `bifrons-random`. For white noise of power `p` behind a period `h` take
/// `scale = √(p/h)`. Output `y`; parameters `seed` (an integer below 2⁵³), `mean` (0), `scale` (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    rate: Rate,
    seed: u64,
    distribution: Distribution,
    mean: f64,
    scale: f64,
}

impl Noise {
    /// Standard normal numbers of a seed.
    #[must_use]
    pub fn new(rate: Rate, seed: u64) -> Self {
        Self {
            rate,
            seed,
            distribution: Distribution::Normal,
            mean: 0.0,
            scale: 1.0,
        }
    }

    /// Sets the distribution.
    #[must_use]
    pub fn distribution(mut self, distribution: Distribution) -> Self {
        self.distribution = distribution;
        self
    }

    /// Sets what is added and the factor before.
    #[must_use]
    pub fn scaled(mut self, mean: f64, scale: f64) -> Self {
        (self.mean, self.scale) = (mean, scale);
        self
    }
}

impl Block for Noise {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Noise";
        if self.seed > LARGEST_SEED {
            return Err(refuse(
                KIND,
                "seed",
                self.seed as f64,
                "must not exceed 2^53",
            ));
        }
        let normal = self.distribution == Distribution::Normal;
        let draw = Function::builder("draw", 2, move |at| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "seeds and counts are integers below 2^53; others are cut"
            )]
            let [seed, k] = [at[0] as u64, at[1] as u64];
            let draws = Draws::new(seed, Stream::named("bifrons-blocks/noise"));
            let at = Address::new(0, k);
            if normal {
                draws.normal(at)
            } else {
                draws.uniform(at)
            }
        });
        let draw = draw
            .flat(0)
            .flat(1)
            .cost(80)
            .build()
            .and_then(|draw| draw.call([symbol("seed"), symbol("k")]));
        let draw = draw.map_err(|error| {
            crate::check::shape(KIND, "draw", "a valid function", error.to_string())
        })?;
        let y = symbol("mean") + symbol("scale") * draw;
        Ok(BlockSpec::builder(KIND)
            .clock(self.rate.clock(KIND)?)
            .parameter("seed", self.seed as f64)
            .parameter("mean", finite(KIND, "mean", self.mean)?)
            .parameter("scale", finite(KIND, "scale", self.scale)?)
            .discrete("k", 0.0)
            .sample("held", "tick", y, symbol("mean"))
            .update("tick", "k", symbol("k") + 1.0)
            .output("y", symbol("held"))
            .build()?
            .into())
    }
}

fn decimals<const N: usize>(
    kind: &str,
    settings: [(&str, f64); N],
) -> Result<[Rational; N], BlockError> {
    let mut exact = [Rational::ZERO; N];
    for (slot, (setting, value)) in exact.iter_mut().zip(settings) {
        *slot = Rational::decimal(value)
            .map_err(|_| refuse(kind, setting, value, "must be a number with few digits"))?;
    }
    Ok(exact)
}

/// Sum of two fractions, if it has small parts.
fn sum(a: Rational, b: Rational) -> Option<Rational> {
    let cross = |x: i128, y: i128| x.checked_mul(y);
    let left = cross(a.numerator(), b.denominator())?;
    let above = left.checked_add(cross(b.numerator(), a.denominator())?)?;
    let below = cross(a.denominator(), b.denominator())?;
    let (mut x, mut y) = (above.abs(), below);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    let small = |value: i128| i64::try_from(value / x).ok();
    Rational::new(small(above)?, small(below)?).ok()
}
