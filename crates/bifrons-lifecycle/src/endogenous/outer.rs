//! The outer margin: a stock that is kept or adjusted around the liquid margin.

mod bank;
mod decide;
mod plan;
mod read;
mod search;
mod solve;

pub(crate) use bank::OuterBank;
pub(crate) use decide::Decider;
pub(crate) use plan::{ADJUSTS, bound, bound_definitions};
pub(super) use read::OuterReader;
pub(super) use solve::{restore, solve_outer};

use crate::program::Program;
use crate::solver::OuterSearch;

/// A compiled outer margin.
#[derive(Debug, Clone)]
pub(crate) struct OuterMargin {
    /// Storage index of the state, the last but one.
    pub(crate) state: usize,
    /// Index of the action, the last but one.
    pub(crate) action: usize,
    /// Inputs: states and actions. Outputs: the stock after keeping, offset and factor of the
    /// stock in the action, scale of the fixed cost.
    pub(crate) map: Program,
    /// Inputs: states, actions, stock after the choice, whether it is adjusted. Outputs: cost, 1
    /// where constraints hold.
    pub(crate) pair: Program,
    /// For each edge the laws of its plan; inputs as of the edge, then stock and whether it is
    /// adjusted.
    pub(crate) codes: Vec<Option<Program>>,
    /// Whether anything behind the outer choice reads the state itself.
    pub(crate) by_state: bool,
    /// Ends of the shock of the fixed cost.
    pub(crate) fixed: Option<[f64; 2]>,
    pub(crate) search: OuterSearch,
    pub(crate) batch: usize,
}
