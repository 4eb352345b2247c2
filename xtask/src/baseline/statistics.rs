//! Medians and their change, for samples as they come: few, equal, zero, huge.
//!
//! Whole numbers stay whole: bytes above 2^53 are compared exactly. No result is ever NaN or
//! infinite; where a percentage is undefined it is absent.

use std::fmt;

use crate::measure::metric::Limit;

/// Samples of one quantity, all of one kind.
///
/// Deliberately closed: metrics are whole numbers, accuracies are real numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// Bytes, counts, nanoseconds.
    Whole(Vec<u64>),
    /// Anything else, in double precision.
    Real(Vec<f64>),
}

/// A median or a difference of one kind.
///
/// Deliberately closed, as [`Series`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Whole, with sign since it may be a difference.
    Whole(i128),
    /// Real and finite.
    Real(f64),
}

/// Why samples cannot be compared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StatisticsError {
    /// There is no sample on this side.
    Empty {
        /// `baseline` or `new`.
        side: &'static str,
    },
    /// A sample is NaN or infinite.
    NotFinite {
        /// `baseline` or `new`.
        side: &'static str,
        /// Index of the sample.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// One side is whole, the other real.
    Kinds,
}

impl fmt::Display for StatisticsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty { side } => write!(f, "there are no {side} samples; measure at least one"),
            Self::NotFinite { side, index, value } => {
                write!(
                    f,
                    "{side} sample {index} is {value}; samples must be finite"
                )
            }
            Self::Kinds => f.write_str("whole and real samples cannot be compared"),
        }
    }
}

impl std::error::Error for StatisticsError {}

/// What a comparison of medians says.
///
/// Deliberately closed: every caller must decide about each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The medians are equal.
    None,
    /// They differ by no more than the limit.
    Within,
    /// The new one is smaller by more than the limit.
    Improvement,
    /// The new one is larger by more than the limit.
    Regression,
    /// The same with a baseline of zero, where no percentage exists.
    IncreaseFromZero,
}

impl Change {
    /// The word for it in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no change",
            Self::Within => "within limit",
            Self::Improvement => "improvement",
            Self::Regression => "regression",
            Self::IncreaseFromZero => "increase from zero",
        }
    }
}

/// The medians of two series beside each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Median of the baseline.
    pub baseline: Number,
    /// Median of the new samples.
    pub now: Number,
    /// New minus baseline.
    pub difference: Number,
    /// The same in percent of the baseline; absent when that is zero and the new one is not.
    pub percent: Option<f64>,
    /// Whether one side has a single sample, so that nothing is known about its spread.
    pub single_sample: bool,
    /// The verdict.
    pub change: Change,
}

impl Series {
    /// Number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(samples) => samples.len(),
            Self::Real(samples) => samples.len(),
        }
    }

    /// Whether there is no sample.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn checked_median(&self, side: &'static str) -> Result<Number, StatisticsError> {
        let empty = StatisticsError::Empty { side };
        match self {
            Self::Whole(samples) => median(samples)
                .map(|value| Number::Whole(i128::from(value)))
                .ok_or(empty),
            Self::Real(samples) => {
                if let Some(index) = samples.iter().position(|value| !value.is_finite()) {
                    let value = samples[index];
                    return Err(StatisticsError::NotFinite { side, index, value });
                }
                median_real(samples).map(Number::Real).ok_or(empty)
            }
        }
    }
}

/// The median: the middle sample, or the mean of the two middle ones, rounded down.
#[must_use]
pub fn median(samples: &[u64]) -> Option<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let high = *sorted.get(sorted.len() / 2)?;
    let low = sorted[(sorted.len() - 1) / 2];
    Some(low + (high - low) / 2)
}

/// The smallest sample that is not below `tenths` tenths of all samples.
#[must_use]
pub fn upper_tenths(samples: &[u64], tenths: usize) -> Option<u64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * tenths).div_ceil(10).max(1);
    sorted.get(rank - 1).copied()
}

fn median_real(samples: &[f64]) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let high = *sorted.get(sorted.len() / 2)?;
    let low = sorted[(sorted.len() - 1) / 2];
    // Halves first: the sum of two large numbers may overflow.
    Some(if low.to_bits() == high.to_bits() {
        low
    } else {
        low / 2.0 + high / 2.0
    })
}

/// Compares the medians of two series.
///
/// # Errors
///
/// When a side is empty, has a sample that is not finite, or is of another kind.
pub fn compare(
    baseline: &Series,
    now: &Series,
    limit: Limit,
) -> Result<Comparison, StatisticsError> {
    let single_sample = baseline.len() == 1 || now.len() == 1;
    let (old, new) = (
        baseline.checked_median("baseline")?,
        now.checked_median("new")?,
    );
    let (difference, percent, change) = match (old, new) {
        (Number::Whole(old), Number::Whole(new)) => whole(old, new, limit),
        (Number::Real(old), Number::Real(new)) => real(old, new, limit),
        _ => return Err(StatisticsError::Kinds),
    };
    Ok(Comparison {
        baseline: old,
        now: new,
        difference,
        percent,
        single_sample,
        change,
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a percentage for people, not a comparison"
)]
fn whole(old: i128, new: i128, limit: Limit) -> (Number, Option<f64>, Change) {
    let difference = new - old;
    let allowed = (old
        .unsigned_abs()
        .saturating_mul(u128::from(limit.relative_ppm))
        / 1_000_000)
        .max(u128::from(limit.absolute));
    let percent = match (old, difference) {
        (_, 0) => Some(0.0),
        (0, _) => None,
        _ => Some(100.0 * difference as f64 / old as f64),
    };
    let beyond = difference.unsigned_abs() > allowed;
    (
        Number::Whole(difference),
        percent,
        verdict(difference > 0, difference == 0, beyond, old == 0),
    )
}

#[expect(clippy::cast_precision_loss, reason = "limits are small numbers")]
fn real(old: f64, new: f64, limit: Limit) -> (Number, Option<f64>, Change) {
    // Two finite numbers of opposite sign may be further apart than the largest number.
    let difference = (new - old).clamp(f64::MIN, f64::MAX);
    let (zero, same) = (old.abs() <= 0.0, difference.abs() <= 0.0);
    let allowed = (old.abs() * (limit.relative_ppm as f64 / 1e6)).max(limit.absolute as f64);
    let ratio = 100.0 * (difference / old);
    let percent = if same {
        Some(0.0)
    } else {
        Some(ratio).filter(|ratio| ratio.is_finite())
    };
    let beyond = difference.abs() > allowed;
    (
        Number::Real(difference),
        percent,
        verdict(difference > 0.0, same, beyond, zero),
    )
}

fn verdict(up: bool, same: bool, beyond: bool, from_zero: bool) -> Change {
    match (same, beyond, up, from_zero) {
        (true, ..) => Change::None,
        (false, false, ..) => Change::Within,
        (false, true, true, true) => Change::IncreaseFromZero,
        (false, true, true, false) => Change::Regression,
        (false, true, false, _) => Change::Improvement,
    }
}

#[cfg(test)]
mod tests;
