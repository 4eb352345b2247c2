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
    /// The system slides along the surface of a guard, whose events are not followed.
    #[error(
        "system `{system}` slides along the surface of guard `{guard}`, which derivatives do not \
         follow; take derivatives of the system without the policy, or differences of runs"
    )]
    Slides {
        /// Name of the system.
        system: String,
        /// The guard.
        guard: String,
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

/// A guard along whose surface a system cannot slide.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SlideError {
    /// A name that is no guard, or no discrete state.
    #[error(transparent)]
    UnknownName(UnknownName),
    /// A guard with a direction, or one that does more than to fire.
    #[error(
        "guard `{guard}` has a direction, ends the run, is observed or begins below; sliding needs \
         a plain guard of direction `Either`"
    )]
    Kind {
        /// The guard.
        guard: String,
    },
    /// A rate of the pull that is negative or not finite.
    #[error("pull of guard `{guard}` is {value}; it must be finite and not negative")]
    Pull {
        /// The guard.
        guard: String,
        /// The value given.
        value: f64,
    },
    /// A guard whose surface jumps or has no derivative.
    #[error(
        "guard `{guard}` reads `{symbol}`; a surface to slide along depends on states, parameters \
         and time alone"
    )]
    Reads {
        /// The guard.
        guard: String,
        /// What it reads.
        symbol: String,
    },
    /// A guard that no state can stay at.
    #[error("guard `{guard}` depends on no state; only a surface of states can be slid along")]
    TimeOnly {
        /// The guard.
        guard: String,
    },
    /// A reset by the guard, or of what it watches, or another writer of the side.
    #[error(
        "`{trigger}` writes `{variable}`; guard `{guard}` slides only if it writes its side alone, \
         nobody else does, and no state that it reads is reset"
    )]
    Update {
        /// The guard.
        guard: String,
        /// What is written.
        variable: String,
        /// By which clock or guard.
        trigger: String,
    },
    /// A loop that is solved by iteration depends on the side.
    #[error(
        "loop of `{variables}` is solved by iteration and depends on `{side}`; put a state between"
    )]
    Loop {
        /// The side.
        side: String,
        /// Unknowns of the loop.
        variables: String,
    },
    /// The motion along the intersection of two surfaces is not unique.
    #[error(
        "the side of guard `{other}` changes the rate of guard `{guard}`; let only one of them slide"
    )]
    Coupled {
        /// The guard whose rate changes.
        guard: String,
        /// The other one.
        other: String,
    },
    /// A name that the system has already, or a guard that slides already.
    #[error("`{name}` is there already; let each guard slide once, or rename it")]
    Taken {
        /// The name that is taken.
        name: String,
    },
    /// The equations make no system.
    #[error(transparent)]
    Equations(Box<EquationError>),
}
