//! What can be wrong with probabilities.

use thiserror::Error;

/// Why a list of probabilities is refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CategoricalError {
    /// There is no category.
    #[error("a categorical law needs at least one probability")]
    Empty,
    /// A probability is negative, NaN or infinite.
    #[error("probability must be finite and not negative, got {value} for category {category}")]
    Probability {
        /// Category, counted from 0.
        category: usize,
        /// Value found.
        value: f64,
    },
    /// The probabilities do not sum to one within the tolerance.
    #[error("probabilities must sum to 1 within {tolerance}, got {sum}; divide them by their sum")]
    Sum {
        /// Sum found, added in order.
        sum: f64,
        /// Tolerance that was applied.
        tolerance: f64,
    },
}
