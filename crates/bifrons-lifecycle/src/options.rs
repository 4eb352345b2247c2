//! How to solve and what to keep.

use bifrons_memory::Budget;
use bifrons_parallel::Threads;

/// What a solve looks at beyond what it needs.
///
/// A next state outside of a grid with `Extrapolation::Error` is an error at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Validation {
    /// Nothing: wrong probabilities are used as they are, NaN is stored and counted.
    Off,
    /// Wrong probabilities are errors; values that are NaN are counted and the first is named.
    #[default]
    Warn,
    /// Wrong probabilities and values that are NaN are errors.
    Debug,
}

/// What a [`Solution`](crate::Solution) keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum Retention {
    /// Values of the first period only: for comparing parameters.
    First,
    /// Values of all periods: enough to simulate by re-optimisation.
    Values,
    /// Values and policies of all periods.
    #[default]
    Policies,
}

/// Options of a solve. No option changes a bit of the values.
///
/// | option | default |
/// |---|---|
/// | threads | one |
/// | validation | [`Validation::Warn`] |
/// | retention | [`Retention::Policies`] |
/// | budget | unlimited |
/// | `cell_block_size` | chosen by the number of states |
/// | `hoist` | yes |
#[derive(Debug)]
#[must_use]
pub struct SolveOptions {
    pub(crate) threads: Threads,
    pub(crate) validation: Validation,
    pub(crate) retention: Retention,
    pub(crate) budget: Budget,
    pub(crate) cell_block_size: usize,
    pub(crate) hoist: bool,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl SolveOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            threads: Threads::one(),
            validation: Validation::default(),
            retention: Retention::default(),
            budget: Budget::unlimited(),
            cell_block_size: 0,
            hoist: true,
        }
    }

    /// Threads that work on the states of a regime.
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// What is looked at beyond what is needed.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
        self
    }

    /// What is kept.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Bytes of the heap that the solve may use on top of what exists.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// States of a regime that one thread works on at a time; 0 lets the solve choose.
    pub fn cell_block_size(mut self, cells: usize) -> Self {
        self.cell_block_size = cells;
        self
    }

    /// Whether grid search keeps tables of what pairs of states and actions have in common: the
    /// future where it does not read everything, and parts of utility and constraints.
    ///
    /// Without them every pair is worked on alone, which takes less memory and mostly much longer.
    pub fn hoist(mut self, hoist: bool) -> Self {
        self.hoist = hoist;
        self
    }
}
