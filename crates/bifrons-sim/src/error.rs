//! What can be wrong with a run before it starts, and how one run can fail.

use bifrons_expr::{CompileError, ParseError};
use bifrons_hybrid::{RationalError, TimelineError, UnknownName};
use bifrons_memory::PlanError;
use bifrons_ode::InputError;
use bifrons_table::{SchemaError, SinkError};

use crate::checkpoint::CheckpointError;
use crate::report::MemberFailure;
use crate::simulation::Run;

/// A simulation or sweep that cannot be built. Nothing has been computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A parameter or signal that the system does not have.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A tolerance, step or state that the solver does not take.
    #[error(transparent)]
    Solver(#[from] InputError),
    /// An end of the span is NaN or infinite.
    #[error("{which} of the time span must be finite, got {value}")]
    SpanNotFinite {
        /// `start` or `end`.
        which: &'static str,
        /// The value found.
        value: f64,
    },
    /// The span runs backwards without having been asked to.
    #[error(
        "time span ends at {end}, before its start {start}; swap them, or use `backward_span` to \
         integrate backwards"
    )]
    SpanReversed {
        /// Start of the span.
        start: f64,
        /// End of the span.
        end: f64,
    },
    /// A parameter of a single run is outside of its range; without a declared one it is finite.
    #[error("parameter `{name}` must be {range}, got {value}")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// The value found.
        value: f64,
        /// The values that the parameter may have.
        range: bifrons_hybrid::ParameterRange,
    },
    /// A start value of a single run is NaN or infinite.
    #[error("start of state `{name}` must be finite, got {value}")]
    Start {
        /// Name of the state.
        name: String,
        /// The value found.
        value: f64,
    },
    /// A column has another length than the sweep has members.
    #[error("column `{name}` has {found} values for {required} members")]
    ColumnLength {
        /// Name of the parameter or state.
        name: String,
        /// Values found.
        found: usize,
        /// Members of the sweep.
        required: usize,
    },
    /// A parameter or state has two columns, or a column and a value.
    #[error("`{name}` is given twice; keep one of them")]
    GivenTwice {
        /// Name of the parameter or state.
        name: String,
    },
    /// A recording time outside the span, or one that runs against it.
    #[error(
        "recording time {value} at index {index} must lie in the span from {start} to {end}, in \
         the direction of integration"
    )]
    Time {
        /// Position in the list.
        index: usize,
        /// The value found.
        value: f64,
        /// Start of the span.
        start: f64,
        /// End of the span.
        end: f64,
    },
    /// A policy for a guard that the system does not have.
    #[error("there is no guard `{guard}` to hold; the guards are: {}", known.join(", "))]
    HoldGuard {
        /// The name given.
        guard: String,
        /// Names of the guards.
        known: Vec<String>,
    },
    /// A policy that writes NaN or infinity.
    #[error("the hold of guard `{guard}` must set `{name}` to a finite value, got {value}")]
    HoldValue {
        /// Name of the guard.
        guard: String,
        /// Name of the state.
        name: String,
        /// The value found.
        value: f64,
    },
    /// A capacity that cannot hold what it must.
    #[error("recording capacity must be at least {least} rows, got {rows}")]
    Capacity {
        /// Rows given.
        rows: usize,
        /// Least rows that work.
        least: usize,
    },
    /// More rows are due than the capacity holds.
    #[error(
        "recording needs {due} rows but has room for {rows}; raise the capacity or choose \
         `Overflow::Thin` or `Overflow::KeepLast`"
    )]
    TooManyRows {
        /// Rows due.
        due: usize,
        /// Rows of the capacity.
        rows: usize,
    },
    /// A reduction over nothing, or no reduction.
    #[error(
        "a reduction needs times and reductions, got {times} times and {reductions} reductions"
    )]
    NothingToReduce {
        /// Times given.
        times: usize,
        /// Reductions given.
        reductions: usize,
    },
    /// The text of a recorded expression cannot be read.
    #[error("recorded expression `{name}` cannot be read")]
    Expression {
        /// Name of the column.
        name: String,
        /// What is wrong, and where in the text.
        #[source]
        error: ParseError,
    },
    /// Recorded expressions cannot be evaluated together.
    #[error("recorded expressions from `{name}` on cannot be compiled")]
    ExpressionTape {
        /// Name of the first column.
        name: String,
        /// Why.
        #[source]
        error: CompileError,
    },
    /// The start of the span has no exact decimal form that rows of a period could begin at.
    #[error("rows of a period cannot begin at {start}; start at a number with fewer digits")]
    PeriodStart {
        /// Start of the span.
        start: f64,
        /// Why.
        #[source]
        error: RationalError,
    },
    /// Members of a sweep are not written while they run.
    #[error("a sweep cannot spill rows; use another overflow and write its result with `write_to`")]
    SpillInSweep,
    /// A probability that has no quantile.
    #[error("probability of a quantile must lie between 0 and 1, got {probability}")]
    Quantile {
        /// The value found.
        probability: f64,
    },
    /// Two recorded columns have one name.
    #[error("two recorded columns are called `{name}`; rename one of them or leave it out")]
    SameColumn {
        /// The name.
        name: String,
    },
    /// A sweep that records every step has no bound on its memory.
    #[error(
        "a sweep that records every step needs a capacity; give one with `Recording::capacity`"
    )]
    Unbounded,
    /// A system with clocks cannot run backwards.
    #[error("a run with clocks cannot go backwards, the system has the clock `{clock}`")]
    BackwardClocks {
        /// Name of the first clock.
        clock: String,
    },
    /// Clocks that cannot be used together.
    #[error(transparent)]
    Clocks(#[from] TimelineError),
    /// A limit that must be at least one.
    #[error("{what} must be at least 1, got 0")]
    ZeroLimit {
        /// Which limit.
        what: &'static str,
    },
    /// The chunk width is zero.
    #[error("chunk width must be at least 1, got 0")]
    ZeroChunk,
    /// A number of lanes that is not compiled in.
    #[error("number of lanes must be 1 or 16, got {found}")]
    Lanes {
        /// The number found.
        found: usize,
    },
}

/// A single run that did not reach its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("simulation ended early at t = {}", partial.last_time())]
pub struct RunError {
    /// Why.
    #[source]
    pub failure: MemberFailure,
    /// What was recorded until then.
    pub partial: Box<Run>,
}

/// A run whose rows did not all reach a sink.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpillError {
    /// The names of the columns do not make a schema.
    #[error("rows of the run do not make a table; rename the recorded output")]
    Schema(#[from] SchemaError),
    /// The sink refused; the run ended there.
    #[error(
        "sink refused rows of the run after {} rows, at t = {}", partial.spilled(),
        partial.last_time()
    )]
    Sink {
        /// What the sink said.
        source: SinkError,
        /// The run until then; its rows are those that the sink did not take.
        partial: Box<Run>,
    },
    /// The run did not reach its end; the sink has all rows until then.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A sweep that did not run. Failures of members are not errors of the sweep, see
/// [`SweepResult::failures`](crate::SweepResult::failures).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The budget is too small, or has no value here.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The solver refused its input.
    #[error(transparent)]
    Solver(#[from] InputError),
    /// The bytes to go on from cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}
