//! How each member ended.

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

    pub(crate) fn end_by(&mut self, status: Status, guard: usize) {
        self.status = status;
        self.guard = u16::try_from(guard + 1).unwrap_or(0);
    }
}

/// Why a member failed. Its valid rows are kept; no other member is disturbed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MemberFailure {
    /// A parameter of the member is NaN or infinite.
    #[error("parameter `{name}` must be finite, got {value}")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// The value found.
        value: f64,
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
