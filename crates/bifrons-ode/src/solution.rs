//! What a single run returns.

use crate::dense::DenseSolution;
use crate::event::EventLog;
use crate::method::Method;
use crate::statistics::Statistics;

/// Why a run that succeeded ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The end of the span was reached.
    Reached,
    /// An event ended the run: a terminal root function or a handler; see [`Solution::events`].
    Terminated,
    /// The run ended early (only in the partial solution of an error).
    Incomplete,
}

/// From when on a run by [`Method::Auto`] took steps of which method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Start of the first step.
    pub t: f64,
    /// The method.
    pub method: Method,
}

/// Rows that were saved, the last state, what it cost.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Why the run ended.
    pub outcome: Outcome,
    /// Times of the saved rows.
    pub times: Vec<f64>,
    /// Saved states, `times.len() × n`, row-major.
    pub states: Vec<f64>,
    /// Time of the last accepted state.
    pub last_time: f64,
    /// The last accepted state.
    pub last_state: Vec<f64>,
    /// The continuous solution, if it was asked for.
    pub dense: Option<DenseSolution>,
    /// What happened: root functions that fired, declared stops.
    pub events: EventLog,
    /// Which method ran from when on; empty unless the method was [`Method::Auto`].
    pub phases: Vec<Phase>,
    /// Counts.
    pub statistics: Statistics,
}

impl Solution {
    /// A solution without rows that starts in `(t0, y0)`; `dense` has its coefficients per
    /// component, if there is to be one.
    pub(crate) fn at(t0: f64, y0: &[f64], dense: Option<usize>) -> Self {
        Self {
            outcome: Outcome::Reached,
            times: Vec::new(),
            states: Vec::new(),
            last_time: t0,
            last_state: y0.to_vec(),
            dense: dense.map(|count| DenseSolution::new(t0, y0, count)),
            events: EventLog::new(y0.len()),
            phases: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// The state in row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn state(&self, row: usize) -> &[f64] {
        let n = self.last_state.len();
        &self.states[row * n..(row + 1) * n]
    }
}
