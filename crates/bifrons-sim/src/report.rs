//! How each member ended.

use bifrons_hybrid::LoopFailure;
use bifrons_ode::{Failure, MemberEnd};

/// How the run of one member ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Status {
    /// Not run: the sweep was stopped before.
    #[default]
    NotRun,
    /// The end of the span was reached.
    Reached,
    /// The run ended early; see the failures of the sweep.
    Failed,
    /// A terminal guard fired, see [`MemberReport::guard`].
    Terminated,
    /// A guard fired too often within a short time, see [`MemberReport::guard`].
    Chattering,
}

/// Outcome and cost of one member, 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct MemberReport {
    /// Time of the last accepted state.
    pub last_time: f64,
    /// Valid rows of the record.
    pub rows: u32,
    /// Rows that were due and not kept (capacity), saturating.
    pub dropped: u32,
    /// Accepted steps, saturating.
    pub accepted: u32,
    /// Rejected steps, saturating.
    pub rejected: u32,
    /// Firings of guards and instants of clocks, saturating.
    pub events: u32,
    /// One more than the position of the guard that ended the run, or 0.
    guard: u16,
    /// How it ended.
    pub status: Status,
    /// Whether it turned stiff and went on with the implicit method, see
    /// [`RunMethod::Automatic`](crate::RunMethod::Automatic).
    pub turned_stiff: bool,
}

impl MemberFailure {
    /// The failure of a loop with the names of its unknowns.
    pub(crate) fn of_loop(names: &[String], failure: LoopFailure) -> Self {
        Self::AlgebraicLoop {
            variables: names.get(failure.index).cloned().unwrap_or_default(),
            residual: failure.residual,
            t: failure.t,
        }
    }
}

impl MemberReport {
    pub(crate) fn new(end: &MemberEnd<'_>, rows: usize, dropped: u64) -> Self {
        let clip = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            last_time: end.t,
            rows: clip(rows as u64),
            dropped: clip(dropped),
            accepted: clip(end.statistics.accepted),
            rejected: clip(end.statistics.rejected),
            events: 0,
            guard: 0,
            turned_stiff: false,
            status: if end.failure.is_some() {
                Status::Failed
            } else {
                Status::Reached
            },
        }
    }

    /// Position of the guard that ended the run, among those of the system.
    #[must_use]
    pub fn guard(&self) -> Option<usize> {
        usize::from(self.guard).checked_sub(1)
    }

    /// Whether the member was run and did not fail.
    pub(crate) fn is_finished(&self) -> bool {
        !matches!(self.status, Status::NotRun | Status::Failed)
    }

    /// The report in a checkpoint.
    pub(crate) fn to_words(self) -> [u64; 4] {
        let pair = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
        let status = match self.status {
            Status::NotRun => 0,
            Status::Reached => 1,
            Status::Failed => 2,
            Status::Terminated => 3,
            Status::Chattering => 4,
        };
        [
            self.last_time.to_bits(),
            pair(self.rows, self.dropped),
            pair(self.accepted, self.rejected),
            pair(
                self.events,
                u32::from(self.guard) | (status << 16) | (u32::from(self.turned_stiff) << 24),
            ),
        ]
    }

    /// What [`to_words`](Self::to_words) has written.
    pub(crate) fn of_words(words: [u64; 4]) -> Option<Self> {
        let half = |word: u64| u32::try_from(word & 0xffff_ffff).ok();
        let [time, rows, steps, rest] = words;
        let last = half(rest >> 32)?;
        Some(Self {
            last_time: f64::from_bits(time),
            rows: half(rows)?,
            dropped: half(rows >> 32)?,
            accepted: half(steps)?,
            rejected: half(steps >> 32)?,
            events: half(rest)?,
            guard: u16::try_from(last & 0xffff).ok()?,
            turned_stiff: last >> 24 == 1,
            status: match (last >> 16) & 0xff {
                0 => Status::NotRun,
                1 => Status::Reached,
                2 => Status::Failed,
                3 => Status::Terminated,
                4 => Status::Chattering,
                _ => return None,
            },
        })
    }

    pub(crate) fn end_by(&mut self, status: Status, guard: usize) {
        self.status = status;
        self.guard = u16::try_from(guard + 1).unwrap_or(0);
    }
}

/// Why a member failed. Its valid rows are kept; no other member is disturbed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MemberFailure {
    /// A parameter of the member is outside of its range; without a declared one it is finite.
    #[error("parameter `{name}` must be {range}, got {value}")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// The value found.
        value: f64,
        /// The values that the parameter may have.
        range: bifrons_hybrid::ParameterRange,
    },
    /// A start value of the member is NaN or infinite.
    #[error("start of state `{name}` must be finite, got {value}")]
    Start {
        /// Name of the state.
        name: String,
        /// The value found.
        value: f64,
    },
    /// An algebraic loop has no solution from some time on, or none that was found.
    #[error(
        "algebraic loop of `{variables}` has no solution at t = {t}, residual {residual:e}; give \
         a guess or put a state into the loop"
    )]
    AlgebraicLoop {
        /// The unknowns of the loop by their paths.
        variables: String,
        /// The largest residual at the last point of the iteration.
        residual: f64,
        /// When.
        t: f64,
    },
    /// More rows were due than the capacity holds, and the policy is to fail.
    #[error(
        "recording has room for {rows} rows and more are due at t = {t}; raise the capacity or thin"
    )]
    TooManyRows {
        /// Rows of the capacity.
        rows: usize,
        /// Time of the first row that does not fit.
        t: f64,
    },
    /// Rows must go to a sink and there is none.
    #[error("rows spill and there is no sink; run with `Simulation::run_to`")]
    NoSink,
    /// The sink refused rows.
    #[error("sink refused rows at t = {t}")]
    Sink {
        /// Time of the last accepted state.
        t: f64,
    },
    /// Updates at one instant made guards fire again and again.
    #[error(
        "guards {} still fire after {rounds} rounds of updates at t = {t}; break the cycle or \
         raise `max_iterations`",
        guards.join(", ")
    )]
    EndlessInstant {
        /// Names of the guards that fire in the last round.
        guards: Vec<String>,
        /// Rounds that were made.
        rounds: u32,
        /// The instant.
        t: f64,
    },
    /// Two updates that are not ordered write one variable at one instant.
    #[error(
        "variable `{variable}` is written by two updates at t = {t}; give them different \
         priorities"
    )]
    Rivals {
        /// The variable.
        variable: String,
        /// The instant.
        t: f64,
    },
    /// A guard is NaN.
    #[error("guard `{guard}` is NaN at t = {t}")]
    Guard {
        /// Name of the guard.
        guard: String,
        /// When.
        t: f64,
    },
    /// The integrator gave up.
    #[error(transparent)]
    Solver(#[from] Failure),
}
