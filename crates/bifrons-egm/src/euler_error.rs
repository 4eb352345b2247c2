//! How well a policy satisfies the Euler equation.

use crate::utility::Utility;

/// Unit-free Euler error, base-10 logarithm.
///
/// ```text
/// log10 | (u')⁻¹(β E[V'(R(s)) dR/ds]) / c - 1 |
/// ```
///
/// Give the discounted expected marginal at the savings that `consumption` leaves, and ask only
/// where the constraint does not bind and no kink is near: at a corner the equation does not
/// hold. An error of zero is `-inf`.
///
/// ```
/// use bifrons_egm::{Crra, euler_error};
///
/// let u = Crra::new(2.0)?;
/// // Optimal consumption is 2; 0.1 % too much.
/// assert!((euler_error(&u, 2.002, 0.25) + 3.0).abs() < 1e-3);
/// # Ok::<(), bifrons_egm::UtilityError>(())
/// ```
#[must_use]
pub fn euler_error(utility: &dyn Utility, consumption: f64, discounted_marginal: f64) -> f64 {
    let implied = utility.inverse_marginal(discounted_marginal);
    (implied / consumption - 1.0).abs().log10()
}

/// Mean, largest value and share left out of many Euler errors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct EulerErrors {
    /// Mean of the base-10 logarithms.
    pub mean: f64,
    /// Largest base-10 logarithm.
    pub largest: f64,
    /// Points that count.
    pub counted: usize,
    /// Points left out: errors of zero and NaN.
    pub masked: usize,
}

impl EulerErrors {
    /// Summary of base-10 logarithms; NaN and `-inf` are masked.
    #[must_use]
    pub fn of(logarithms: &[f64]) -> Self {
        let mut summary = Self {
            largest: f64::NEG_INFINITY,
            ..Self::default()
        };
        let mut sum = 0.0;
        for &error in logarithms {
            if error.is_finite() {
                sum += error;
                summary.counted += 1;
                summary.largest = summary.largest.max(error);
            } else {
                summary.masked += 1;
            }
        }
        summary.mean = sum / summary.counted.max(1) as f64;
        summary
    }
}
