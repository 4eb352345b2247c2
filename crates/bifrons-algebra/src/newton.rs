//! Newton's method in weighted norms: damped for initial values, simplified within steps.

mod contraction;
mod damped;

pub use contraction::{Contraction, Verdict};
pub use damped::{Newton, NewtonOptions, NewtonReport};
