//! Choice of the step.

use bifrons_lanes::math::{exp2_fast, log2_fast};

use super::Esdirk;

/// Factors within this band leave the step as it is: the factorisation stays valid.
const KEEP_STEP: core::ops::Range<f64> = 0.9..1.2;
/// Largest growth of a step.
const MAX_GROWTH: f64 = 8.0;
/// Smallest factor after a rejection.
const MAX_SHRINK: f64 = 0.2;
/// Smallest mean square error that the controller tells apart.
const LEAST_ERROR: f64 = 1e-8;

/// `(mean square)^(exponent / 2)`.
#[inline(always)]
fn power(mean_square: f64, exponent: f64) -> f64 {
    exp2_fast(log2_fast(mean_square.clamp(1e-60, 1e60)) * (0.5 * exponent))
}

impl Esdirk {
    /// Safety factor: fewer iterations, more trust.
    fn safety(&self) -> f64 {
        let iterations = self.newton.iterations_per_stage();
        0.9 * 9.0 / (8.0 + iterations)
    }

    /// Step after an accepted one with this mean square error: the proportional and integral
    /// controller of Gustafsson (1991) with exponents `0.7 / k` and `0.4 / k`.
    pub(super) fn grow(&mut self, error: f64) {
        let k = self.tableau.error_order as f64;
        let bounded = error.max(LEAST_ERROR);
        // Far below the tolerance the last error says nothing about the trend.
        let shape = if error > LEAST_ERROR {
            power(bounded, -0.7 / k) * power(self.last_error, 0.4 / k)
        } else {
            power(bounded, -1.0 / k)
        };
        let factor = self.safety() * shape;
        let most = if self.rejected { 1.0 } else { MAX_GROWTH };
        let factor = factor.clamp(MAX_SHRINK, most);
        self.last_error = bounded;
        if !KEEP_STEP.contains(&factor) {
            self.h *= factor;
        }
    }

    /// Step after a rejected one with this mean square error.
    pub(super) fn shrink(&mut self, error: f64) {
        let k = self.tableau.error_order as f64;
        let factor = self.safety() * power(error, -1.0 / k);
        let most = if self.rejected { 0.5 } else { 0.9 };
        self.h *= factor.clamp(MAX_SHRINK, most);
    }
}
