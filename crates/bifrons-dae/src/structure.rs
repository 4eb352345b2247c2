//! Graphs of equations and unknowns: matching, decomposition, index, tearing.

pub(crate) mod dulmage;
pub(crate) mod matching;
pub(crate) mod pantelides;
pub(crate) mod tearing;
