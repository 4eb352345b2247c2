//! Solvers that invert an Euler equation: what they need of a model, their rows, their reads.

mod bank;
mod choice_kinks;
mod crowd;
mod intervals;
mod kinked;
mod margin;
mod outer;
mod rows;
mod store;
mod switching;
mod target;
mod utility;
mod worker;

pub use bank::OuterValues;
pub(crate) use bank::{Bank, Choice, best};
pub(crate) use crowd::Readouts;
pub(crate) use margin::{Margin, MarginPlanner, Terminal};
pub(crate) use outer::{ADJUSTS, Decider, OuterBank, bound_definitions};
pub(crate) use rows::{Cache, Solved, Trouble, footprint, solve};
pub(crate) use store::{read_bank, write_bank};
