//! Blocks whose output switches between values, with memory.

use bifrons_expr::Expr;
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Direction, Guard};

use crate::check::{finite, refuse, symbol};

/// A relay with hysteresis.
///
/// ```text
/// on  when u rises to `upper`      y = high while on
/// off when u falls to `lower`      y = low while off
/// ```
///
/// Input `u`; output `y`, without feedthrough between crossings; parameters `lower`, `upper`, `low`
/// and `high`, and `initial`, which is 1 for on and 0 for off. The crossings are events of the run: located,
/// and no step is taken across them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relay {
    thresholds: (f64, f64),
    values: (f64, f64),
    on: bool,
}

impl Relay {
    /// Switches on at `upper` and off at `lower < upper`; values 0 and 1, off at the start.
    #[must_use]
    pub fn new(lower: f64, upper: f64) -> Self {
        Self {
            thresholds: (lower, upper),
            values: (0.0, 1.0),
            on: false,
        }
    }

    /// Sets the values while off and while on.
    #[must_use]
    pub fn values(mut self, low: f64, high: f64) -> Self {
        self.values = (low, high);
        self
    }

    /// Is on at the start.
    #[must_use]
    pub fn starting_on(mut self) -> Self {
        self.on = true;
        self
    }
}

impl Block for Relay {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Relay";
        let (lower, upper) = self.thresholds;
        if lower.is_nan() || lower >= upper {
            return Err(refuse(KIND, "lower", lower, "must be less than `upper`"));
        }
        let y = Expr::select(symbol("on").gt(0.5), symbol("high"), symbol("low"));
        let block = BlockSpec::builder(KIND)
            .input("u")
            .parameter("lower", finite(KIND, "lower", lower)?)
            .parameter("upper", finite(KIND, "upper", upper)?)
            .parameter("low", finite(KIND, "low", self.values.0)?)
            .parameter("high", finite(KIND, "high", self.values.1)?)
            .parameter("initial", f64::from(u8::from(self.on)))
            .discrete("on", symbol("initial"))
            .guard(
                Guard::new("reaches_upper", Direction::Rising),
                symbol("u") - symbol("upper"),
            )
            .guard(
                Guard::new("reaches_lower", Direction::Falling),
                symbol("u") - symbol("lower"),
            )
            .update("reaches_upper", "on", Expr::constant(1.0))
            .update("reaches_lower", "on", Expr::constant(0.0));
        Ok(block.output("y", y).build()?.into())
    }
}

/// An integral with limits and a reset.
///
/// ```text
/// dx/dtime = u, but 0 while x >= upper and u > 0, and while x <= lower and u < 0
/// x = initial when `reset` rises through 0
/// y = x
/// ```
///
/// Inputs `u` and `reset`; output `y`, without feedthrough; state `x`; parameters `initial`,
/// `lower`, `upper` (where finite). Reaching a limit is an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitedIntegrator {
    initial: f64,
    limits: (f64, f64),
}

impl LimitedIntegrator {
    /// Starts at `initial`, without limits.
    #[must_use]
    pub fn new(initial: f64) -> Self {
        Self {
            initial,
            limits: (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Sets limits with `lower < upper`; infinity stands for none.
    #[must_use]
    pub fn limits(mut self, lower: f64, upper: f64) -> Self {
        self.limits = (lower, upper);
        self
    }
}

impl Block for LimitedIntegrator {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "LimitedIntegrator";
        let (lower, upper) = self.limits;
        if lower.is_nan() || lower >= upper {
            return Err(refuse(KIND, "lower", lower, "must be less than `upper`"));
        }
        let (u, x) = (symbol("u"), symbol("x"));
        // The events alone decide, so that no step crosses a switch of the slope.
        let slope = Expr::select(symbol("at_limit").abs().gt(0.5), 0.0, u);
        let mut block = BlockSpec::builder(KIND)
            .input("u")
            .input("reset")
            .parameter("initial", finite(KIND, "initial", self.initial)?)
            .state("x", slope, symbol("initial"))
            .discrete("at_limit", 0.0)
            .guard(
                Guard::new("reset_rises", Direction::Rising),
                symbol("reset"),
            )
            .update("reset_rises", "x", symbol("initial"))
            .update_with_priority("reset_rises", "at_limit", Expr::constant(0.0), 1);
        if upper.is_finite() {
            block = block
                .parameter("upper", upper)
                .guard(
                    Guard::new("reaches_upper", Direction::Rising),
                    &x - symbol("upper"),
                )
                .update("reaches_upper", "at_limit", Expr::constant(1.0))
                .update_with_priority("reaches_upper", "x", symbol("upper"), -1);
        }
        if lower.is_finite() {
            block = block
                .parameter("lower", lower)
                .guard(
                    Guard::new("reaches_lower", Direction::Falling),
                    &x - symbol("lower"),
                )
                .update("reaches_lower", "at_limit", Expr::constant(-1.0))
                .update_with_priority("reaches_lower", "x", symbol("lower"), -2);
        }
        // Leaving a limit: the input turns.
        if upper.is_finite() || lower.is_finite() {
            block = block
                .guard(Guard::new("turns", Direction::Either), symbol("u"))
                .update_with_priority("turns", "at_limit", Expr::constant(0.0), -3);
        }
        Ok(block.output("y", x).build()?.into())
    }
}
