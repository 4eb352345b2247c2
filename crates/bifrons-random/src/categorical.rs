//! Categories from uniform numbers.

use crate::CategoricalError;

/// Category of a uniform number: the first `j` with `u < p₀ + … + p_j`.
///
/// Sums are added in order. If `u` is not below the last sum (as when the probabilities fall
/// short of one by rounding), the last category with a positive probability is returned. A
/// category of probability zero is never returned, nor an index past the end; `None` if no
/// probability is positive. The probabilities are used as given, see [`Categorical`] for a
/// validated law.
///
/// Cost: linear in the number of categories, no allocation.
///
/// ```
/// use bifrons_random::categorical;
///
/// assert_eq!(categorical(&[0.25, 0.0, 0.75], 0.25), Some(2));
/// assert_eq!(categorical(&[0.3, 0.7 - 1e-9, 0.0], 1.0 - f64::EPSILON / 2.0), Some(1));
/// assert_eq!(categorical(&[0.0, 0.0], 0.5), None);
/// ```
#[must_use]
pub fn categorical(probabilities: &[f64], u: f64) -> Option<usize> {
    let mut sum = 0.0;
    let mut last = None;
    for (category, &probability) in probabilities.iter().enumerate() {
        if probability > 0.0 {
            last = Some(category);
            sum += probability;
            if u < sum {
                return last;
            }
        }
    }
    last
}

/// A categorical law, validated once, for many draws.
///
/// ```
/// use bifrons_random::{Categorical, CategoricalError};
///
/// let law = Categorical::new(&[0.1, 0.0, 0.9])?;
/// assert_eq!((law.pick(0.05), law.pick(0.1), law.pick(1.0)), (0, 2, 2));
/// let error = Categorical::new(&[0.45, 0.9, 0.45]).unwrap_err();
/// assert!(matches!(error, CategoricalError::Sum { sum, .. } if sum > 1.79));
/// # Ok::<(), CategoricalError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Categorical {
    /// Cumulative sums in order.
    sums: Vec<f64>,
    /// Last category with a positive probability.
    last: usize,
}

impl Categorical {
    /// Accepted distance of the sum from one in [`new`](Self::new).
    pub const TOLERANCE: f64 = 1e-12;

    /// Law from probabilities that sum to one within 1e-12; they are used as given.
    ///
    /// # Errors
    ///
    /// [`CategoricalError`] for an empty list, a value that is negative or not finite, or a wrong
    /// sum.
    pub fn new(probabilities: &[f64]) -> Result<Self, CategoricalError> {
        Self::with_tolerance(probabilities, Self::TOLERANCE)
    }

    /// The same with another tolerance, as for probabilities stored with fewer digits.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); also if no probability is positive.
    pub fn with_tolerance(probabilities: &[f64], tolerance: f64) -> Result<Self, CategoricalError> {
        let mut sums = Vec::with_capacity(probabilities.len());
        let mut sum = 0.0;
        let mut last = None;
        for (category, &value) in probabilities.iter().enumerate() {
            if !(value.is_finite() && value >= 0.0) {
                return Err(CategoricalError::Probability { category, value });
            }
            if value > 0.0 {
                last = Some(category);
                sum += value;
            }
            sums.push(sum);
        }
        if sums.is_empty() {
            return Err(CategoricalError::Empty);
        }
        match last {
            Some(last) if (sum - 1.0).abs() <= tolerance => Ok(Self { sums, last }),
            _ => Err(CategoricalError::Sum { sum, tolerance }),
        }
    }

    /// Category of a uniform number, as [`categorical`] but by bisection.
    ///
    /// Any `u` is allowed: below zero gives the first, above one and NaN the last category with
    /// a positive probability.
    #[must_use]
    pub fn pick(&self, u: f64) -> usize {
        // NaN is below nothing, so it counts as beyond every sum.
        let first = self.sums.partition_point(|&sum| !(u < sum && sum > 0.0));
        first.min(self.last)
    }

    /// Number of categories, those with probability zero included.
    #[must_use]
    pub fn category_count(&self) -> usize {
        self.sums.len()
    }
}
