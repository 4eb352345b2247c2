//! The log-normal law and its discrete forms.

use bifrons_lanes::math;
use bifrons_random::normal_quantile;

use crate::law::sealed::Sealed;
use crate::spacing::{MOST, check_count};
use crate::standard::normal_between;
use crate::{Discretisation, Law, Normal, ShockError};

/// The law of `exp(z)` with normal `z`; a standard deviation of zero is a constant.
///
/// The parameters are those of the logarithm. No correction of the mean is implied;
/// [`mean_one`](Self::mean_one) asks for one.
///
/// ```
/// use bifrons_shocks::{Law, LogNormal};
///
/// assert!((LogNormal::new(0.0, 0.5)?.mean() - 0.125_f64.exp()).abs() < 1e-15);
/// assert!((LogNormal::mean_one(0.5)?.mean() - 1.0).abs() < 1e-15);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct LogNormal {
    log: Normal,
}

impl LogNormal {
    /// Law of the exponential of `N(log_mean, log_sd²)`.
    ///
    /// # Errors
    ///
    /// As [`Normal::new`].
    pub fn new(log_mean: f64, log_sd: f64) -> Result<Self, ShockError> {
        Ok(Self {
            log: Normal::new(log_mean, log_sd)?,
        })
    }

    /// Law with mean one: `log_mean = -log_sd²/2`.
    ///
    /// # Errors
    ///
    /// [`ShockError::Spread`] for a standard deviation that is negative or not finite.
    pub fn mean_one(log_sd: f64) -> Result<Self, ShockError> {
        let checked = Normal::new(0.0, log_sd)?.standard_deviation();
        Self::new(-0.5 * checked * checked, log_sd)
    }

    /// Law of the logarithm.
    #[must_use]
    pub fn log(&self) -> Normal {
        self.log
    }

    /// Exponentials of the Gauss–Hermite nodes of the logarithm.
    ///
    /// # Errors
    ///
    /// As [`Normal::gauss_hermite`]; [`ShockError::Nodes`] also if a node overflows.
    pub fn gauss_hermite(&self, count: usize) -> Result<Discretisation, ShockError> {
        self.log.gauss_hermite(count)?.map(math::exp)
    }

    /// Exponentials of the equally spaced nodes of the logarithm, see [`Normal::cdf_midpoint`].
    ///
    /// # Errors
    ///
    /// As [`Normal::cdf_midpoint`]; [`ShockError::Nodes`] also if a node overflows.
    pub fn cdf_midpoint(&self, count: usize, width: f64) -> Result<Discretisation, ShockError> {
        self.log.cdf_midpoint(count, width)?.map(math::exp)
    }

    /// `count` cells of equal mass, each with its conditional mean as node.
    ///
    /// ```text
    /// node_i = E(x) count (Φ(q_{i+1} - σ) - Φ(q_i - σ)),   q_i = Φ⁻¹(i / count)
    /// ```
    ///
    /// The mean is exact for every number of nodes.
    ///
    /// # Errors
    ///
    /// As [`Normal::equal_probability`]; [`ShockError::Nodes`] also if the mean overflows.
    pub fn equal_probability(&self, count: usize) -> Result<Discretisation, ShockError> {
        check_count(count, MOST)?;
        let (n, sd) = (count as f64, self.log.standard_deviation());
        if sd <= 0.0 {
            return Discretisation::constant(math::exp(self.log.mean()));
        }
        let mean = self.mean();
        // Both ends of the range are exact: the quantile of 0 and 1 is infinite.
        let edge = |i: usize| normal_quantile(i as f64 / n) - sd;
        let node = |i: usize| mean * (n * normal_between(edge(i), edge(i + 1)));
        Discretisation::new((0..count).map(node).collect(), vec![1.0 / n; count])
    }
}

impl Sealed for LogNormal {}

impl Law for LogNormal {
    fn mean(&self) -> f64 {
        let sd = self.log.standard_deviation();
        math::exp(self.log.mean() + 0.5 * sd * sd)
    }

    fn standard_deviation(&self) -> f64 {
        let sd = self.log.standard_deviation();
        self.mean() * math::exp_m1(sd * sd).sqrt()
    }

    fn between(&self, a: f64, b: f64) -> f64 {
        let log = |x: f64| {
            if x > 0.0 {
                math::ln(x)
            } else {
                f64::NEG_INFINITY
            }
        };
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else {
            self.log.between(log(a), log(b))
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        math::exp(self.log.quantile(p))
    }
}
