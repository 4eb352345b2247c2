//! The standard normal law.

use core::f64::consts::FRAC_1_SQRT_2;

use bifrons_lanes::math;

/// `1/√(2π)`.
const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;

/// Density of the standard normal law: `exp(-z²/2)/√(2π)`.
#[must_use]
pub fn normal_density(z: f64) -> f64 {
    DENSITY_AT_ZERO * math::exp(-0.5 * z * z)
}

/// Mass of the standard normal law below `z`: `Φ(z) = erfc(-z/√2)/2`.
///
/// Relative accuracy in the lower tail, down to the underflow at `z = -38.5`.
///
/// ```
/// use bifrons_shocks::normal_cdf;
///
/// assert_eq!(normal_cdf(0.0), 0.5);
/// assert!((normal_cdf(-10.0) / 7.619_853_024_160_525e-24 - 1.0).abs() < 1e-13);
/// ```
#[must_use]
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * math::erfc(-z * FRAC_1_SQRT_2)
}

/// Mass of the standard normal law above `z`: `1 - Φ(z) = erfc(z/√2)/2`.
///
/// Relative accuracy in the upper tail; `normal_upper(z)` is `normal_cdf(-z)` to the bit.
#[must_use]
pub fn normal_upper(z: f64) -> f64 {
    0.5 * math::erfc(z * FRAC_1_SQRT_2)
}

/// Mass of the standard normal law between `a` and `b`, computed on the side of the nearer tail.
///
/// Infinite bounds are allowed; zero if `b <= a`; NaN gives NaN. Symmetric to the bit:
/// `normal_between(a, b) = normal_between(-b, -a)`.
///
/// # Accuracy
///
/// Absolute error below 1e-16, relative to the mass of the nearer tail below 1e-15 (1 + a²).
///
/// ```
/// use bifrons_shocks::normal_between;
///
/// let tail = normal_between(9.0, 10.0);
/// assert!((tail / 1.128_512_207_423_599_1e-19 - 1.0).abs() < 1e-13); // 1 - cdf would give 0
/// assert_eq!(normal_between(f64::NEG_INFINITY, f64::INFINITY), 1.0);
/// ```
#[must_use]
pub fn normal_between(a: f64, b: f64) -> f64 {
    if b <= a {
        0.0
    } else if a >= 0.0 {
        normal_upper(a) - normal_upper(b)
    } else if b <= 0.0 {
        normal_cdf(b) - normal_cdf(a)
    } else {
        0.5 * (math::erf(b * FRAC_1_SQRT_2) + math::erf(-a * FRAC_1_SQRT_2))
    }
}
