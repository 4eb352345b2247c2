//! Explicit Runge-Kutta methods on lanes: tableaux, one attempt, step control, the stepper.

pub(crate) mod bs32;
pub(crate) mod control;
pub(crate) mod dop853;
pub(crate) mod dopri5;
pub(crate) mod rk4;
pub(crate) mod stages;
mod stepper;
pub(crate) mod stiffness;
pub(crate) mod tableau;
#[cfg(test)]
mod tests;
pub(crate) mod tsit5;

pub(crate) use stepper::{Explicit, Pace};
