//! Discrete blocks with a history: delays, averages, holds of first order.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, BlockSpecBuilder, Component};

use crate::check::{finite, refuse, shape, symbol};
use crate::rate::Rate;

/// Most registers of a block.
const MOST_REGISTERS: usize = 10_000;

/// A chain of registers `r1` (the last input), `r2`, …
fn history(
    kind: &str,
    rate: Rate,
    registers: usize,
    initial: f64,
) -> Result<BlockSpecBuilder, BlockError> {
    if registers > MOST_REGISTERS {
        let found = format!("{registers} registers");
        return Err(shape(kind, "history", "at most 10000 registers", found));
    }
    let mut block = BlockSpec::builder(kind)
        .clock(rate.clock(kind)?)
        .input("u")
        .parameter("initial", finite(kind, "initial", initial)?);
    for k in 1..=registers {
        let source = if k == 1 { symbol("u") } else { register(k - 1) };
        let name = format!("r{k}");
        block = block
            .discrete(&name, symbol("initial"))
            .update("tick", name, source);
    }
    Ok(block)
}

fn register(k: usize) -> Expr {
    if k == 0 {
        symbol("u")
    } else {
        symbol(&format!("r{k}"))
    }
}

/// A delay of a sampled signal.
///
/// ```text
/// y[k] = (1 - w) u[k-n] + w u[k-n-1]      n = ⌊delay / h⌋, w = delay / h - n      u[-1] = u[-2] = … = initial
/// ```
///
/// Exact for delays of whole periods `h`, else linear between samples. Input `u`; output `y`, held
/// between ticks, with feedthrough only if `delay < h`; parameter `initial`. The delay is structure.
///
/// Memory: `n + 1` discrete states (`n` if `w` is 0), 8 bytes each per member, at most 10 000; each
/// tick moves all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampledDelay {
    rate: Rate,
    delay: f64,
    initial: f64,
}

impl SampledDelay {
    /// A delay that is not negative; the input before the first tick is 0.
    #[must_use]
    pub fn new(rate: Rate, delay: f64) -> Self {
        Self {
            rate,
            delay,
            initial: 0.0,
        }
    }

    /// Discrete states of the history, each 8 bytes per member; `None` for a delay that is refused.
    #[must_use]
    pub fn register_count(self) -> Option<usize> {
        let (n, weight) = self.periods()?;
        Some(n + usize::from(weight > 0.0))
    }

    /// Whole periods of the delay and what is left.
    fn periods(self) -> Option<(usize, f64)> {
        let periods = self.delay / self.rate.period();
        if !(periods >= 0.0 && periods <= MOST_REGISTERS as f64) {
            return None;
        }
        // A ratio of decimals such as 0.3/0.1 misses its integer by round-off.
        let nearest = periods.round();
        let whole = (periods - nearest).abs() <= 4.0 * f64::EPSILON * nearest;
        let floor = if whole { nearest } else { periods.floor() };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an integer from 0 to 10000"
        )]
        let n = floor as usize;
        Some((n, if whole { 0.0 } else { periods - floor }))
    }

    /// Sets the input before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for SampledDelay {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "SampledDelay";
        let Some((n, weight)) = self.periods() else {
            let requirement = "must be from 0 to 10000 periods";
            return Err(refuse(KIND, "delay", self.delay, requirement));
        };
        let registers = n + usize::from(weight > 0.0);
        let block = history(KIND, self.rate, registers, self.initial)?;
        let delayed = if weight > 0.0 {
            (1.0 - weight) * register(n) + weight * register(n + 1)
        } else {
            register(n)
        };
        Ok(block
            .sample("held", "tick", delayed, symbol("initial"))
            .output("y", symbol("held"))
            .build()?
            .into())
    }
}

/// A mean of the last samples.
///
/// ```text
/// y[k] = (u[k] + u[k-1] + … + u[k-n+1]) / n      u[-1] = u[-2] = … = initial
/// ```
///
/// The sum runs from the newest to the oldest sample. Input `u`; output `y`, held between ticks;
/// parameter `initial`. Memory: `n - 1` discrete states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingAverage {
    rate: Rate,
    count: usize,
    initial: f64,
}

impl MovingAverage {
    /// The mean of `count` samples, at least one; the input before the first tick is 0.
    #[must_use]
    pub fn new(rate: Rate, count: usize) -> Self {
        Self {
            rate,
            count,
            initial: 0.0,
        }
    }

    /// Sets the input before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for MovingAverage {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "MovingAverage";
        let Some(registers) = self.count.checked_sub(1) else {
            return Err(shape(KIND, "count", "at least one sample", "0".to_owned()));
        };
        let block = history(KIND, self.rate, registers, self.initial)?;
        let sum: Expr = (0..self.count).map(register).sum();
        Ok(block
            .sample("held", "tick", sum / self.count as f64, symbol("initial"))
            .output("y", symbol("held"))
            .build()?
            .into())
    }
}

/// A hold of first order: the line through the last two samples.
///
/// ```text
/// y = u[k] + (u[k] - u[k-1]) (time - t[k]) / h      from the tick t[k] on; u[-1] = u[0]
/// ```
///
/// Input `u`; output `y`; parameter `initial`, the output before the first tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstOrderHold {
    rate: Rate,
    initial: f64,
}

impl FirstOrderHold {
    /// A hold that shows 0 before its first tick.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, initial: 0.0 }
    }

    /// Sets the output before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for FirstOrderHold {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "FirstOrderHold";
        let time = crate::check::time();
        let before = Expr::select(symbol("ticks").gt(0.5), symbol("last"), symbol("u"));
        let slope = (symbol("u") - before) / self.rate.period();
        let y = symbol("held") + symbol("slope") * (&time - symbol("at"));
        Ok(BlockSpec::builder(KIND)
            .clock(self.rate.clock(KIND)?)
            .input("u")
            .parameter("initial", finite(KIND, "initial", self.initial)?)
            .discrete("last", 0.0)
            .discrete("ticks", 0.0)
            .sample("held", "tick", symbol("u"), symbol("initial"))
            .sample("slope", "tick", slope, 0.0)
            .sample("at", "tick", time, 0.0)
            .update("tick", "last", symbol("u"))
            .update("tick", "ticks", 1.0)
            .output("y", y)
            .build()?
            .into())
    }
}
