//! Numbers that summarise the samples of a signal.

use std::borrow::Cow;

use super::custom::CustomReduction;
use crate::error::BuildError;

/// A number that summarises the recorded samples of one signal.
///
/// A member that ends early is summarised up to its end; one without samples has NaN.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reduction {
    /// Smallest sample.
    Min,
    /// Largest sample.
    Max,
    /// Arithmetic mean of the samples, summed in the order of time.
    Mean,
    /// Trapezoidal integral over the times of the samples.
    Integral,
    /// The quantile of a probability from 0 to 1, exact: the samples are kept and sorted.
    ///
    /// Linear interpolation of the order statistics `x_(0) ≤ … ≤ x_(n-1)`, definition 7 of
    /// Hyndman and Fan:
    ///
    /// ```text
    /// h = (n - 1) q,  j = ⌊h⌋,  g = h - j,  Q(q) = (1 - g) x_(j) + g x_(j+1)
    /// ```
    ///
    /// Samples at times that lie unevenly count alike. One NaN among the samples makes the
    /// quantile NaN; infinite samples are ordered like any number.
    ///
    /// Memory: the samples of every signal, `8 × times` bytes each, of each member in flight,
    /// however many quantiles are asked for; the plan counts them. Time: one sort per signal and
    /// member.
    ///
    /// # References
    ///
    /// R. J. Hyndman, Y. Fan (1996), *Sample quantiles in statistical packages*, The American
    /// Statistician 50(4), 361–365, doi:10.1080/00031305.1996.10473566.
    Quantile(f64),
    /// A fold of one's own.
    Custom(CustomReduction),
}

impl Reduction {
    /// Short name, as in `x.mean`, `x.q0.9` for a quantile, or the name of a fold of one's own.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::Min => "min",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Integral => "integral",
            Self::Quantile(q) => return Cow::Owned(format!("q{q}")),
            Self::Custom(custom) => custom.name(),
        })
    }

    pub(crate) fn check(&self) -> Result<(), BuildError> {
        match self {
            Self::Quantile(q) if !(0.0..=1.0).contains(q) => {
                Err(BuildError::Quantile { probability: *q })
            }
            _ => Ok(()),
        }
    }

    /// Numbers that a custom fold carries along.
    pub(crate) fn state_count(&self) -> usize {
        match self {
            Self::Custom(custom) => custom.initial().len(),
            _ => 0,
        }
    }
}
