//! What can go wrong in a search.

use thiserror::Error;

/// Why a search could not start or could not end.
///
/// Points and values are carried as they were met, so that a caller can report them, repair the
/// function or widen the interval.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RootError {
    /// An end of the interval is NaN or infinite, or both ends coincide where they may not.
    #[error(
        "interval ends must be finite and different with a finite distance, got {left} and {right}"
    )]
    Interval {
        /// First end as given.
        left: f64,
        /// Second end as given.
        right: f64,
    },
    /// The function has the same sign at both ends (or at both ends of the widest interval tried).
    #[error(
        "no change of sign between {left} (value {left_value}) and {right} (value {right_value}); \
         widen the interval or choose another guess"
    )]
    NoSignChange {
        /// First end.
        left: f64,
        /// Value at the first end.
        left_value: f64,
        /// Second end.
        right: f64,
        /// Value at the second end.
        right_value: f64,
    },
    /// The function returned NaN. The search keeps its state and still asks for the same point.
    #[error("the function is not a number at {at}; restrict the interval to its domain")]
    NotANumber {
        /// Point at which the function is NaN.
        at: f64,
    },
    /// The evaluation limit was reached. The search keeps its state and can be resumed.
    #[error(
        "no convergence within {limit} evaluations, interval is still {left} to {right}; \
         raise the limit or the tolerance"
    )]
    EvaluationLimit {
        /// Limit that was reached.
        limit: u32,
        /// First end of the interval reached.
        left: f64,
        /// Second end of the interval reached.
        right: f64,
    },
    /// A tolerance is negative, infinite or NaN.
    #[error("{kind} tolerance must be finite and not negative, got {value}")]
    Tolerance {
        /// Which tolerance: `absolute` or `relative`.
        kind: &'static str,
        /// Value found.
        value: f64,
    },
    /// The first step of an expanding search is not positive and finite.
    #[error("first step must be positive and finite, got {step}")]
    Step {
        /// Value found.
        step: f64,
    },
    /// The guess lies outside the bounds, or the bounds are NaN or out of order.
    #[error("guess must be finite and inside the bounds, got {guess} for [{lower}, {upper}]")]
    Bounds {
        /// Guess as given.
        guess: f64,
        /// Lower bound as given.
        lower: f64,
        /// Upper bound as given.
        upper: f64,
    },
    /// A value was handed to a search that had not asked for one.
    #[error("the search has ended and asks for no further value")]
    Ended,
}
