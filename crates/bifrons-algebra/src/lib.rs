//! Linear algebra of implicit methods: factorisations that are analysed once, refactored often
//! and solved most often, Newton's method in weighted norms, Jacobians by coloured differences.
//!
//! ```
//! use bifrons_algebra::{Lu, Structure};
//!
//! // [4 1; 2 3] x = (1, 2), columns first.
//! let mut lu = Lu::<f64>::analyse(&Structure::dense(2));
//! lu.refactor(&[4.0, 2.0, 1.0, 3.0])?;
//! let mut x = [1.0, 2.0];
//! lu.solve(&mut x);
//! assert!((x[0] - 0.1).abs() < 1e-15 && (x[1] - 0.6).abs() < 1e-15);
//! # Ok::<(), bifrons_algebra::FactorError>(())
//! ```
//!
//! * [`Structure`] says where the entries of a matrix are (dense, banded, compressed columns) and
//!   in which order their values stand; values are plain slices, so `M − c J` is one loop.
//! * [`Lu`] factors real and [`Complex`] matrices; refactoring and solving allocate nothing;
//!   [`Lu::forget_pivots`] makes one analysis serve many runs with the bits of each run alone.
//! * [`Union`] puts matrices of different structure into one.
//! * [`Colouring`] groups columns, and [`differences`] fills a Jacobian with few evaluations.
//! * [`Newton`] solves small nonlinear systems with damping; [`Contraction`] judges a simplified
//!   Newton iteration and is robust where corrections are round-off.
#![forbid(unsafe_code)]

mod banded;
mod colouring;
mod complex;
mod condition;
mod dense;
pub mod differences;
mod error;
mod lu;
mod newton;
mod scalar;
mod sparse;
mod structure;
mod union;

pub use colouring::Colouring;
pub use complex::Complex;
pub use error::{FactorError, NewtonError, Pivots, StructureError};
pub use lu::Lu;
pub use newton::{Contraction, Newton, NewtonOptions, NewtonReport, Verdict};
pub use scalar::Scalar;
pub use structure::{Sparsity, Structure};
pub use union::Union;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
