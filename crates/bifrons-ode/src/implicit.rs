//! Implicit methods for stiff problems and for differential and algebraic equations.
//!
//! Every method is a [`Stepper`](crate::stepper::Stepper) for `M y' = f(t, y)`. What they share:
//!
//! * `matrices`: Jacobians from the problem or by coloured differences, the mass matrix, and the
//!   factorisation of `M − c J`, in one structure;
//! * `norm`: weighted norms, unrolled for few components;
//! * `start`: slopes and first steps, also where the mass matrix is singular.

mod basis;
mod bdf;
mod matrices;
mod norm;
mod setup;
mod start;

pub(crate) use bdf::Bdf;
pub(crate) use setup::Setup;

#[cfg(test)]
mod tests;
