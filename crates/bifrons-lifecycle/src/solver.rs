//! Which solver a regime uses, and the margins that it works on.

use bifrons_grids::{Axis, Grid};

/// How a regime is solved.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Solver {
    /// All combinations of actions on their grids; takes every model.
    #[default]
    GridSearch,
}

impl Solver {
    /// Name for reports and errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::GridSearch => "GridSearch",
        }
    }
}

/// The liquid margin: a stock of assets, what is consumed of it, and what is left.
///
/// ```text
/// savings = resources(state, ..) - action          laws read savings, not the action
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Liquid {
    pub(crate) state: String,
    pub(crate) action: String,
    pub(crate) resources: Option<String>,
    pub(crate) savings: String,
    pub(crate) grid: Axis,
}

impl Liquid {
    /// State, action, the function that is left over, and its grid; the lowest node of the grid
    /// is the borrowing limit.
    #[must_use]
    pub fn new(
        state: impl Into<String>,
        action: impl Into<String>,
        savings: impl Into<String>,
        grid: impl Into<Axis>,
    ) -> Self {
        Self {
            state: state.into(),
            action: action.into(),
            resources: None,
            savings: savings.into(),
            grid: grid.into(),
        }
    }

    /// The function that says what can be spent; the state itself if nothing is said.
    #[must_use]
    pub fn resources(mut self, function: impl Into<String>) -> Self {
        self.resources = Some(function.into());
        self
    }

    /// The borrowing limit: the lowest node of the grid of savings.
    #[must_use]
    pub fn lower(&self) -> f64 {
        self.grid.first()
    }
}

/// The outer margin of nested solvers: a second stock that is kept or adjusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Outer {
    pub(crate) state: String,
    pub(crate) action: String,
    pub(crate) grid: Axis,
}

impl Outer {
    /// State, action that chooses its level after the choice, and the grid of these levels.
    #[must_use]
    pub fn new(state: impl Into<String>, action: impl Into<String>, grid: impl Into<Axis>) -> Self {
        Self {
            state: state.into(),
            action: action.into(),
            grid: grid.into(),
        }
    }
}
