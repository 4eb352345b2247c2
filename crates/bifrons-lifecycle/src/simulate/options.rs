//! How to simulate.

use bifrons_memory::Budget;
use bifrons_parallel::Threads;

/// Subjects of a chunk if nothing is said: small enough to stay in a second-level cache.
const WIDTH: usize = 1024;

/// Options of a simulation. Only the seed and the columns change the rows.
///
/// | option | default |
/// |---|---|
/// | seed | 0, a seed like any other |
/// | threads | one |
/// | `subject_batch_size` | 1024 |
/// | budget | unlimited |
/// | columns | states, actions, value |
#[derive(Debug)]
#[must_use]
pub struct SimulateOptions {
    pub(crate) seed: u64,
    pub(crate) threads: Threads,
    pub(crate) subject_batch_size: usize,
    pub(crate) budget: Budget,
    pub(crate) columns: Vec<String>,
}

impl Default for SimulateOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl SimulateOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            seed: 0,
            threads: Threads::one(),
            subject_batch_size: 0,
            budget: Budget::unlimited(),
            columns: Vec::new(),
        }
    }

    /// The seed of all draws.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Threads that work on chunks of subjects.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Subjects of a chunk; 0 lets the simulation choose.
    pub fn subject_batch_size(mut self, subjects: usize) -> Self {
        self.subject_batch_size = subjects;
        self
    }

    /// Bytes that the simulation may use on top of the solution and of rows kept in memory.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// A further column with the value of a function; NaN in regimes without it.
    pub fn column(mut self, function: impl Into<String>) -> Self {
        self.columns.push(function.into());
        self
    }

    pub(crate) fn width(&self, subjects: usize) -> usize {
        let asked = match self.subject_batch_size {
            0 => WIDTH,
            width => width,
        };
        asked.clamp(1, subjects.max(1))
    }
}
