//! From bits to numbers.

use bifrons_lanes::math;

/// Euler's constant γ, the mean of the standard Gumbel law.
pub const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

/// Uniform number of the open interval (0, 1) from 64 random bits.
///
/// ```text
/// u = (2k + 1) / 2⁵³,   k = the top 52 bits
/// ```
///
/// Every `u` and every `1 - u` is exact; the smallest is 2⁻⁵³, the largest 1 - 2⁻⁵³, the mean of
/// all is exactly ½. NumPy's `random()` has the same 52 bits and one more below them, so it
/// differs by at most 2⁻⁵³.
///
/// ```
/// use bifrons_random::uniform;
///
/// assert_eq!(uniform(0), f64::EPSILON / 2.0);
/// assert_eq!(uniform(u64::MAX), 1.0 - f64::EPSILON / 2.0);
/// ```
#[inline]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a number below 2^53 is exact")]
pub const fn uniform(bits: u64) -> f64 {
    const SCALE: f64 = 1.0 / 9_007_199_254_740_992.0;
    ((bits >> 11) | 1) as f64 * SCALE
}

/// Quantile of the standard Gumbel law, `-ln(-ln u)`: mean γ, variance π²/6.
///
/// `u = 0` gives `-∞`, `u = 1` gives `∞`, outside and NaN give NaN.
///
/// # Accuracy
///
/// About one unit in the last place of `max(1, |result|)`; for `u` next to 1 the inner logarithm
/// keeps its relative accuracy because the argument is exact.
///
/// ```
/// use bifrons_random::{EULER_GAMMA, gumbel_quantile};
///
/// let median = gumbel_quantile(0.5);
/// assert!((median - 0.366_512_920_581_664_35).abs() < 1e-15);
/// let taste_shock = 0.1 * (median - EULER_GAMMA); // scale 0.1, mean zero
/// assert!(taste_shock < 0.0);
/// ```
#[inline]
#[must_use]
pub fn gumbel_quantile(u: f64) -> f64 {
    -math::ln(-math::ln(u))
}
