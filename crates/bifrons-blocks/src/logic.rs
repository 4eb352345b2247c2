//! Truth values, switches and what waits for an edge.

use bifrons_expr::{Condition, Expr};
use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Direction, Guard};

use crate::check::{finite, shape, symbol};
use crate::maths::{numbered, with_inputs};

fn is_true(name: &str) -> Condition {
    symbol(name).gt(0.0)
}

/// A comparison.
///
/// ```text
/// y = 1 if u1 ∘ u2, else 0
/// ```
///
/// Inputs `u1`, `u2`; output `y`. Comparisons with NaN are 0, except `NotEqual`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compare {
    /// `u1 < u2`
    Less,
    /// `u1 <= u2`
    LessOrEqual,
    /// `u1 > u2`
    Greater,
    /// `u1 >= u2`
    GreaterOrEqual,
    /// `u1 == u2`
    Equal,
    /// `u1 != u2`
    NotEqual,
}

impl Block for Compare {
    fn into_component(self) -> Result<Component, BlockError> {
        let (a, b) = (symbol("u1"), symbol("u2"));
        let holds = match self {
            Self::Less => a.lt(b),
            Self::LessOrEqual => a.le(b),
            Self::Greater => a.gt(b),
            Self::GreaterOrEqual => a.ge(b),
            Self::Equal => a.eq(b),
            Self::NotEqual => a.ne(b),
        };
        let block = with_inputs(BlockSpec::builder("Compare"), 2);
        Ok(block.output("y", holds.as_number()).build()?.into())
    }
}

/// What a [`Logic`] block computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gate {
    /// All inputs.
    And,
    /// At least one input.
    Or,
    /// Not all inputs.
    Nand,
    /// No input; with one input the opposite.
    Nor,
    /// An odd number of inputs.
    Xor,
}

/// Boolean algebra; an input is true where it is positive.
///
/// ```text
/// y = 1 if the inputs satisfy the gate, else 0
/// ```
///
/// Inputs `u1` … `un`; output `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logic {
    gate: Gate,
    input_count: usize,
}

impl Logic {
    /// A gate with `input_count` inputs, at least one.
    #[must_use]
    pub fn new(gate: Gate, input_count: usize) -> Self {
        Self { gate, input_count }
    }

    /// The opposite of one input.
    #[must_use]
    pub fn not() -> Self {
        Self::new(Gate::Nor, 1)
    }
}

impl Block for Logic {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Logic";
        let inputs = (0..self.input_count).map(|index| is_true(&numbered("u", index)));
        let combine = |a: Condition, b: Condition| match self.gate {
            Gate::And | Gate::Nand => a.and(&b),
            Gate::Or | Gate::Nor => a.or(&b),
            Gate::Xor => a.and(&b.not()).or(&a.not().and(&b)),
        };
        let all = inputs
            .reduce(combine)
            .ok_or_else(|| shape(KIND, "input_count", "at least one", "none".to_owned()))?;
        let holds = match self.gate {
            Gate::Nand | Gate::Nor => all.not(),
            _ => all,
        };
        let block = with_inputs(BlockSpec::builder(KIND), self.input_count);
        Ok(block.output("y", holds.as_number()).build()?.into())
    }
}

/// A table of truth.
///
/// ```text
/// y = values[b1 b2 … bn in binary]      bi = 1 where ui > 0
/// ```
///
/// Inputs `u1` … `un`, the first one the highest digit; output `y`. The values are structure.
#[derive(Debug, Clone, PartialEq)]
pub struct TruthTable {
    values: Vec<f64>,
}

impl TruthTable {
    /// `2^n` values for `n` inputs, from all false to all true; `n` from 1 to 12.
    #[must_use]
    pub fn new(values: impl Into<Vec<f64>>) -> Self {
        Self {
            values: values.into(),
        }
    }
}

impl Block for TruthTable {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "TruthTable";
        let count = self.values.len();
        if !(2..=1 << 12).contains(&count) || !count.is_power_of_two() {
            let required = "2, 4, 8, … or 4096 entries";
            return Err(shape(KIND, "values", required, format!("{count} entries")));
        }
        let inputs = count.ilog2() as usize;
        let mut rows: Vec<Expr> = Vec::with_capacity(count);
        for value in self.values {
            rows.push(Expr::constant(finite(KIND, "values", value)?));
        }
        // The last input decides between neighbours, the one before between pairs, and so on.
        for input in (0..inputs).rev() {
            let name = numbered("u", input);
            let halves = rows.chunks_exact(2);
            let chosen =
                halves.map(|pair| Expr::select(is_true(&name), pair[1].clone(), pair[0].clone()));
            rows = chosen.collect();
        }
        let y = rows.pop().unwrap_or_else(|| Expr::constant(0.0));
        let block = with_inputs(BlockSpec::builder(KIND), inputs);
        Ok(block.output("y", y).build()?.into())
    }
}

/// A switch between two signals.
///
/// ```text
/// y = u1 if control >= threshold, else u2
/// ```
///
/// Inputs `u1`, `control`, `u2`; output `y`; parameter `threshold`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Switch {
    threshold: f64,
}

impl Switch {
    /// A switch at this threshold.
    #[must_use]
    pub fn new(threshold: f64) -> Self {
        Self { threshold }
    }
}

impl Block for Switch {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "Switch";
        let first = symbol("control").ge(symbol("threshold"));
        Ok(BlockSpec::builder(KIND)
            .input("u1")
            .input("control")
            .input("u2")
            .parameter("threshold", finite(KIND, "threshold", self.threshold)?)
            .output("y", Expr::select(first, symbol("u1"), symbol("u2")))
            .build()?
            .into())
    }
}

/// A choice among several signals.
///
/// ```text
/// y = u_k      k = select rounded to the nearest integer, kept between 1 and n
/// ```
///
/// Inputs `select` and `u1` … `un`; output `y`. Half way the upper one is taken; NaN selects the
/// last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultiportSwitch {
    input_count: usize,
}

impl MultiportSwitch {
    /// A choice among `input_count` signals, at least one.
    #[must_use]
    pub fn new(input_count: usize) -> Self {
        Self { input_count }
    }
}

impl Block for MultiportSwitch {
    fn into_component(self) -> Result<Component, BlockError> {
        const KIND: &str = "MultiportSwitch";
        let mut y: Option<Expr> = None;
        let mut edge = 0.5;
        let names: Vec<String> = (0..self.input_count).map(|i| numbered("u", i)).collect();
        edge += self.input_count as f64;
        for name in names.iter().rev() {
            // `edge` is the upper end of the range of this input.
            y = Some(match y {
                None => symbol(name),
                Some(rest) => Expr::select(symbol("select").lt(edge), symbol(name), rest),
            });
            edge -= 1.0;
        }
        let y = y.ok_or_else(|| shape(KIND, "input_count", "at least one", "none".to_owned()))?;
        let block = with_inputs(BlockSpec::builder(KIND).input("select"), self.input_count);
        Ok(block.output("y", y).build()?.into())
    }
}

/// A memory of one bit with two inputs.
///
/// ```text
/// y = 1 from the instant at which `set` rises through 0
/// y = 0 from the instant at which `reset` does; if both rise at once, reset counts
/// ```
///
/// Inputs `set`, `reset`; output `y`, without feedthrough between crossings; parameter `initial`. The
/// crossings are located.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Latch {
    on: bool,
}

impl Latch {
    /// A latch that is off at the start.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Is on at the start.
    #[must_use]
    pub fn starting_on(mut self) -> Self {
        self.on = true;
        self
    }
}

impl Block for Latch {
    fn into_component(self) -> Result<Component, BlockError> {
        let rising = |name: &str| Guard::new(name, Direction::Rising);
        Ok(BlockSpec::builder("Latch")
            .input("set")
            .input("reset")
            .parameter("initial", f64::from(u8::from(self.on)))
            .discrete("on", symbol("initial"))
            .guard(rising("set_rises"), symbol("set"))
            .guard(rising("reset_rises"), symbol("reset"))
            .update("set_rises", "on", 1.0)
            .update_with_priority("reset_rises", "on", 0.0, 1)
            .output("y", symbol("on"))
            .build()?
            .into())
    }
}

/// A hold that is triggered by a signal.
///
/// ```text
/// y = u at the last instant at which `trigger` rose through 0      y = initial before
/// ```
///
/// Inputs `u`, `trigger`; output `y`; parameter `initial`. The crossings are located.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleAndHold {
    initial: f64,
}

impl SampleAndHold {
    /// The output before the first crossing.
    #[must_use]
    pub fn new(initial: f64) -> Self {
        Self { initial }
    }
}

impl Block for SampleAndHold {
    fn into_component(self) -> Result<Component, BlockError> {
        let initial = finite("SampleAndHold", "initial", self.initial)?;
        Ok(BlockSpec::builder("SampleAndHold")
            .input("u")
            .input("trigger")
            .parameter("initial", initial)
            .guard(Guard::new("rises", Direction::Rising), symbol("trigger"))
            .sample("held", "rises", symbol("u"), symbol("initial"))
            .output("y", symbol("held"))
            .build()?
            .into())
    }
}

/// A counter of crossings.
///
/// ```text
/// y = number of instants at which u rose through 0
/// ```
///
/// Input `u`; output `y`, without feedthrough between crossings. The crossings are located.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CrossingCounter;

impl Block for CrossingCounter {
    fn into_component(self) -> Result<Component, BlockError> {
        Ok(BlockSpec::builder("CrossingCounter")
            .input("u")
            .discrete("count", 0.0)
            .guard(Guard::new("rises", Direction::Rising), symbol("u"))
            .update("rises", "count", symbol("count") + 1.0)
            .output("y", symbol("count"))
            .build()?
            .into())
    }
}

/// The end of a run.
///
/// ```text
/// the run ends at the instant at which u rises through 0
/// ```
///
/// Input `u`; output `y`, which passes `u` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stop;

impl Block for Stop {
    fn into_component(self) -> Result<Component, BlockError> {
        let guard = Guard::new("reached", Direction::Rising).terminal();
        Ok(BlockSpec::builder("Stop")
            .input("u")
            .guard(guard, symbol("u"))
            .output("y", symbol("u"))
            .build()?
            .into())
    }
}
