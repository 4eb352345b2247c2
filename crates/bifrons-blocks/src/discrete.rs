//! Discrete blocks with one or two registers.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, BlockSpecBuilder, Component};

use crate::check::{finite, refuse, symbol};
use crate::rate::Rate;

/// A hold.
///
/// ```text
/// y = u at the last tick      y = initial before the first
/// ```
///
/// Input `u`; output `y`, which has the new value at the tick itself; parameter `initial`. Holds
/// in a row pass a value on within one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ZeroOrderHold {
    rate: Rate,
    initial: f64,
}

impl ZeroOrderHold {
    /// A hold that shows 0 before its first tick.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, initial: 0.0 }
    }

    /// Sets the value before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for ZeroOrderHold {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "ZeroOrderHold";
        let block = start(KIND, self.rate, self.initial)?;
        let block = block.sample("held", "tick", symbol("u"), symbol("initial"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// A delay by one period.
///
/// ```text
/// y[0] = initial      y[k] = u[k-1]
/// ```
///
/// Input `u`; output `y`, without feedthrough, held between ticks; parameter `initial`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitDelay {
    rate: Rate,
    initial: f64,
}

impl UnitDelay {
    /// A delay whose first output is `initial`.
    #[must_use]
    pub fn new(rate: Rate, initial: f64) -> Self {
        Self { rate, initial }
    }
}

impl Block for UnitDelay {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "UnitDelay";
        let block = start(KIND, self.rate, self.initial)?;
        let block = block
            .discrete("stored", symbol("initial"))
            .sample("held", "tick", symbol("stored"), symbol("initial"))
            .update("tick", "stored", symbol("u"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// How a discrete integral adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SumRule {
    /// `x[k+1] = x[k] + h u[k]`, `y[k] = x[k]`: no feedthrough.
    #[default]
    Forward,
    /// `y[k] = y[k-1] + h u[k]`.
    Backward,
    /// `y[k] = y[k-1] + h/2 (u[k-1] + u[k])`.
    Trapezoidal,
}

/// A discrete integral with period `h`.
///
/// ```text
/// Forward:      y[0] = initial,              y[k] = y[k-1] + h u[k-1]
/// Backward:     y[0] = initial + h u[0],     y[k] = y[k-1] + h u[k]
/// Trapezoidal:  y[0] = initial + h/2 u[0],   y[k] = y[k-1] + h/2 (u[k-1] + u[k])
/// ```
///
/// Input `u`; output `y`, held between ticks; parameter `initial`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscreteIntegrator {
    rate: Rate,
    initial: f64,
    rule: SumRule,
}

impl DiscreteIntegrator {
    /// Forward sums from `initial`.
    #[must_use]
    pub fn new(rate: Rate, initial: f64) -> Self {
        Self {
            rate,
            initial,
            rule: SumRule::Forward,
        }
    }

    /// Sets the rule.
    #[must_use]
    pub fn rule(mut self, rule: SumRule) -> Self {
        self.rule = rule;
        self
    }
}

impl Block for DiscreteIntegrator {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "DiscreteIntegrator";
        let block = start(KIND, self.rate, self.initial)?;
        let (h, x, u) = (self.rate.period(), symbol("x"), symbol("u"));
        let block = block.discrete("x", symbol("initial"));
        let (shown, next) = match self.rule {
            SumRule::Forward => (x.clone(), &x + h * &u),
            SumRule::Backward => (&x + h * &u, symbol("held")),
            // x carries the half of the last input.
            SumRule::Trapezoidal => {
                let half = 0.5 * h * &u;
                (&x + &half, symbol("held") + half)
            }
        };
        let block = block
            .sample("held", "tick", shown, symbol("initial"))
            .update("tick", "x", next);
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// A backward difference with period `h`.
///
/// ```text
/// y[k] = (u[k] - u[k-1]) / h      u[-1] = initial
/// ```
///
/// Input `u`; output `y`, held between ticks; parameter `initial`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscreteDerivative {
    rate: Rate,
    initial: f64,
}

impl DiscreteDerivative {
    /// The input before the first tick counts as `initial`.
    #[must_use]
    pub fn new(rate: Rate, initial: f64) -> Self {
        Self { rate, initial }
    }
}

impl Block for DiscreteDerivative {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = start("DiscreteDerivative", self.rate, self.initial)?;
        let slope = (symbol("u") - symbol("last")) / self.rate.period();
        let block = block
            .discrete("last", symbol("initial"))
            .sample("held", "tick", slope, 0.0)
            .update("tick", "last", symbol("u"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// Bounds on the change per period `h`.
///
/// ```text
/// y[k] = y[k-1] + min(max(u[k] - y[k-1], -fall h), rise h)      y[-1] = initial
/// ```
///
/// Input `u`; output `y`, held between ticks; parameters `rise`, `fall` (per unit of time) and
/// `initial`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiscreteRateLimiter {
    rate: Rate,
    rise: f64,
    fall: f64,
    initial: f64,
}

impl DiscreteRateLimiter {
    /// The largest rise and fall per unit of time, neither negative.
    #[must_use]
    pub fn new(rate: Rate, rise: f64, fall: f64) -> Self {
        Self {
            rate,
            rise,
            fall,
            initial: 0.0,
        }
    }

    /// Sets the output before the first tick.
    #[must_use]
    pub fn initial(mut self, initial: f64) -> Self {
        self.initial = initial;
        self
    }
}

impl Block for DiscreteRateLimiter {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "DiscreteRateLimiter";
        for (setting, value) in [("rise", self.rise), ("fall", self.fall)] {
            if value.is_nan() || value < 0.0 {
                return Err(refuse(KIND, setting, value, "must not be negative"));
            }
        }
        let h = self.rate.period();
        let last = symbol("pre(held)");
        let low = -(symbol("fall") * h);
        let change = (symbol("u") - &last).clamp(low, symbol("rise") * h);
        let block = start(KIND, self.rate, self.initial)?
            .parameter("rise", self.rise)
            .parameter("fall", self.fall)
            .sample("held", "tick", last + change, symbol("initial"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// A counter of ticks at which its input is positive.
///
/// ```text
/// y[k] = y[k-1] + (1 if u[k] > 0 else 0)      y[-1] = 0
/// ```
///
/// Input `u`; output `y`, held between ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counter(Rate);

impl Counter {
    /// A counter at this rate.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self(rate)
    }
}

impl Block for Counter {
    fn into_component(self) -> Result<Component, BlockError> {
        let last = symbol("pre(held)");
        let one = Expr::select(symbol("u").gt(0.0), 1.0, 0.0);
        let block = start("Counter", self.0, 0.0)?;
        let block = block.sample("held", "tick", last + one, symbol("initial"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// Which change an [`EdgeDetector`] reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Edge {
    /// From not positive to positive.
    #[default]
    Rising,
    /// From positive to not positive.
    Falling,
    /// Both.
    Either,
}

/// A detector of changes of a truth value between two ticks.
///
/// ```text
/// y[k] = 1 if (u[k] > 0) differs from (u[k-1] > 0) in the chosen way, else 0      u[-1] = initial
/// ```
///
/// Input `u`; output `y`, held between ticks; parameter `initial`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeDetector {
    rate: Rate,
    edge: Edge,
}

impl EdgeDetector {
    /// A detector that takes the input before the first tick as 0.
    #[must_use]
    pub fn new(rate: Rate, edge: Edge) -> Self {
        Self { rate, edge }
    }
}

impl Block for EdgeDetector {
    fn into_component(self) -> Result<Component, BlockError> {
        let (now, before) = (symbol("u").gt(0.0), symbol("last").gt(0.0));
        let rises = now.clone().and(&before.clone().not());
        let falls = before.and(&now.not());
        let edge = match self.edge {
            Edge::Rising => rises,
            Edge::Falling => falls,
            Edge::Either => rises.or(&falls),
        };
        let block = start("EdgeDetector", self.rate, 0.0)?
            .discrete("last", symbol("initial"))
            .sample("held", "tick", edge.as_number(), 0.0)
            .update("tick", "last", symbol("u"));
        Ok(block.output("y", symbol("held")).build()?.into())
    }
}

/// Clock, input `u` and parameter `initial`.
pub(crate) fn start(kind: &str, rate: Rate, initial: f64) -> Result<BlockSpecBuilder, BlockError> {
    Ok(BlockSpec::builder(kind)
        .clock(rate.clock(kind)?)
        .input("u")
        .parameter("initial", finite(kind, "initial", initial)?))
}
