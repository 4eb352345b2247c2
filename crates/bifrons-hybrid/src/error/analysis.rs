//! Linear models, derivatives and operating points that do not exist.

use thiserror::Error;

use super::{EquationError, UnknownName};

/// A system that has no linear model at a point.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LinearisationError {
    /// A value was given for something that the system does not have.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// An algebraic loop has no solution at the point, or no single one.
    #[error(
        "algebraic loop of `{variables}` of system `{system}` has no single solution at this \
         point; choose another one"
    )]
    Loop {
        /// Name of the system.
        system: String,
        /// Unknowns of the loop.
        variables: String,
    },
    /// A derivative is NaN or infinite.
    #[error(
        "derivative of equation {row} of system `{system}` by `{by}` is {value} at this point; \
         choose another one"
    )]
    NotFinite {
        /// Name of the system.
        system: String,
        /// Position of the state or output.
        row: usize,
        /// The state or input.
        by: String,
        /// The value found.
        value: f64,
    },
}

/// A system whose derivatives by parameters cannot be made.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SensitivityError {
    /// A name that is no parameter.
    #[error(transparent)]
    UnknownName(UnknownName),
    /// The system has a loop that is solved by iteration.
    #[error(
        "loop of `{variables}` of system `{system}` is solved by iteration and has no derivative \
         here; put a state into it"
    )]
    Loop {
        /// Name of the system.
        system: String,
        /// Unknowns of the loop.
        variables: String,
    },
    /// A derivative that the system has already.
    #[error("`{name}` is there already; name each parameter once")]
    Twice {
        /// The name that is taken.
        name: String,
    },
    /// The equations of the derivatives make no system.
    #[error(transparent)]
    Equations(Box<EquationError>),
}

/// An operating point that cannot be found.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrimError {
    /// A name that belongs to nothing.
    #[error(transparent)]
    UnknownName(UnknownName),
    /// A quantity that is fixed and free at once.
    #[error("`{name}` is fixed and free; keep one of them")]
    FixedAndFree {
        /// The quantity.
        name: String,
    },
    /// The conditions are NaN or infinite at the beginning.
    #[error("conditions of system `{system}` are not finite at the beginning; give other guesses")]
    NotFinite {
        /// Name of the system.
        system: String,
    },
    /// No point fits all conditions, or none that was found.
    #[error(
        "no operating point of system `{system}` found: {residual:e} is left of `{condition}`; \
         free more quantities or begin elsewhere"
    )]
    NoConvergence {
        /// Name of the system.
        system: String,
        /// The condition that fits worst: `der(x)`, or the name of an output.
        condition: String,
        /// What is left of it.
        residual: f64,
        /// The best point.
        best: Box<crate::trim::OperatingPoint>,
    },
}
