//! Dormand and Prince 5(4) on lanes: one attempt, its error norm, its interpolant.

pub(crate) mod attempt;
pub(crate) mod control;
mod step;
mod tables;

pub use step::Step;
pub(crate) use step::polynomial;

/// Right-hand sides per attempted step: seven stages, the first one kept from the last step.
pub(crate) const RHS_PER_ATTEMPT: u64 = 6;

/// Order of the local error estimate plus one, the root that step control takes.
pub(crate) const CONTROL_ORDER: f64 = 5.0;
