//! How to simulate.

use bifrons_memory::Budget;
use bifrons_parallel::Threads;

use crate::options::Validation;

/// Subjects of a chunk if nothing is said: small enough to stay in a second-level cache.
const WIDTH: usize = 1024;

/// How subjects decide.
///
/// The action is never moved to a grid that the regime was not solved on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Decisions {
    /// By the policy of the solution, off the grid: rows are read at the subject's resources, and
    /// the best combination of discrete actions is taken. Regimes that are solved by grid search
    /// try all actions in the subject's own state.
    #[default]
    Policy,
    /// By maximising anew in the subject's own state, with the values of the next age: the slow
    /// reference for policies. Regimes with rows are searched over consumption, up to the largest
    /// amount that the constraints allow, in ever finer steps; the error in consumption is about
    /// `1e-8` of that amount, the error in value of the order of rounding. Rows of the next age
    /// are read exactly, values of terminal regimes between their nodes.
    Reoptimise,
}

/// Options of a simulation. Only the seed, the columns and the way of deciding change the rows.
///
/// | option | default |
/// |---|---|
/// | seed | 0, a seed like any other |
/// | threads | one |
/// | `subject_batch_size` | 1024 |
/// | budget | unlimited |
/// | columns | states, actions, value |
/// | decisions | [`Decisions::Policy`] |
/// | validation | [`Validation::Warn`] |
#[derive(Debug)]
#[must_use]
pub struct SimulateOptions {
    pub(crate) seed: u64,
    pub(crate) threads: Threads,
    pub(crate) subject_batch_size: usize,
    pub(crate) budget: Budget,
    pub(crate) columns: Vec<String>,
    pub(crate) decisions: Decisions,
    pub(crate) validation: Validation,
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
            decisions: Decisions::default(),
            validation: Validation::default(),
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

    /// How subjects decide.
    pub fn decisions(mut self, decisions: Decisions) -> Self {
        self.decisions = decisions;
        self
    }

    /// What is looked at beyond what is needed: nothing, so that wrong probabilities are used as
    /// they are; probabilities and values, with a report; or values that are NaN as errors.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.validation = validation;
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
