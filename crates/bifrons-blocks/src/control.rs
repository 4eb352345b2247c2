//! Design of controllers and observers for linear systems: gains, tuning rules, sampling.
//!
//! ```text
//! dx/dtime = A x + B u   or   x[k+1] = A x[k] + B u[k]      y = C x + D u
//! ```
//!
//! Matrices are slices row by row; shapes are checked. The functions here compute numbers that
//! blocks use ([`StateSpace`](crate::StateSpace), [`MatrixGain`](crate::MatrixGain),
//! [`Pid`](crate::Pid), [`KalmanFilter`]); they know no diagram.

mod dense;
mod estimator;
mod kalman;
mod placement;
mod regulator;
mod riccati;
mod sampling;
mod tuning;

pub use estimator::{Estimator, discrete_estimator, estimator};
pub use kalman::KalmanFilter;
pub use placement::place;
pub use regulator::{Regulator, discrete_lqr, lqr};
pub use riccati::{care, dare};
pub use sampling::{Sampled, sample_tustin, sample_zoh};
pub use tuning::{CriticalPoint, DeadTimeModel, PidTuning};

/// A design failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// A matrix of the wrong size.
    #[error("`{matrix}` must have {rows} × {columns} entries, got {found}")]
    Shape {
        /// The matrix.
        matrix: &'static str,
        /// Rows required.
        rows: usize,
        /// Columns required.
        columns: usize,
        /// Entries found.
        found: usize,
    },
    /// A number that makes no sense.
    #[error("`{setting}` {requirement}, got {value}")]
    Value {
        /// The setting.
        setting: &'static str,
        /// The value found.
        value: f64,
        /// What is required of it.
        requirement: &'static str,
    },
    /// A matrix that must be inverted is singular.
    #[error("`{matrix}` is singular to working precision: {fix}")]
    Singular {
        /// The matrix, in words.
        matrix: &'static str,
        /// What can be done.
        fix: &'static str,
    },
    /// The Riccati equation has no stabilising solution that the iteration finds.
    #[error(
        "the Riccati equation is not solved: relative residual {residual:e} after doubling; (A, B) must be stabilisable and (A, Q) detectable, without modes on the boundary of stability"
    )]
    NotStabilisable {
        /// Residual of the best attempt, relative to the terms of the equation.
        residual: f64,
    },
}
