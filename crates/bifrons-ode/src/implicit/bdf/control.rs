//! Choice of step and order.
#![expect(clippy::float_cmp, reason = "a factor of one is a sentinel")]

use bifrons_lanes::math::{exp2_fast, log2_fast};

use super::Bdf;
use super::kernel::rescale;
use super::tables::{change, compose, error_constant};
use crate::implicit::norm::{fixed, mean_square};

/// Factors within this band leave the step as it is: the factorisation stays valid.
const KEEP_STEP: core::ops::Range<f64> = 0.9..1.1;
/// Share of the step that the error estimate allows. Against 0.8 this takes 7 % more steps and as
/// many evaluations, because fewer steps are rejected and fewer iterations needed, and has two
/// thirds of the error, on a relaxation oscillation a third.
const SAFETY: f64 = 0.72;
/// Largest growth of a step.
const MAX_GROWTH: f64 = 10.0;

/// `(mean square)^(−1/(2 (q + 1)))`: by how much a step of order `q` may grow.
#[inline(always)]
fn growth(mean_square: f64, q: usize) -> f64 {
    let bounded = mean_square.clamp(1e-60, 1e60);
    exp2_fast(log2_fast(bounded) * (-0.5 / (q as f64 + 1.0)))
}

impl Bdf {
    /// Safety factor: fewer iterations, more trust.
    fn safety(&self) -> f64 {
        let iterations = f64::from(self.newton.iterations());
        SAFETY * 9.0 / (8.0 + iterations)
    }

    /// Makes the differences those of step `factor h`.
    pub(super) fn scale_step(&mut self, factor: f64) {
        let matrix = change(factor, self.order);
        compose(&mut self.changed, &matrix, self.order);
        fixed!(
            self.n,
            rescale,
            (&mut self.differences, self.order, &matrix)
        );
        self.h *= factor;
        self.equal_steps = 0;
    }

    /// After `order + 1` equal steps: order and factor for the next one, from the differences of
    /// order `q`, `q + 1` and `q + 2`. `error` is the mean square of the weighted error.
    pub(super) fn choose(&mut self, error: f64) {
        let (n, q) = (self.n, self.order);
        if self.equal_steps < q + 1 {
            return;
        }
        let row = |k: usize| &self.differences[k * n..(k + 1) * n];
        let size = |k: usize, constant: f64| {
            fixed!(n, mean_square, (row(k), &self.weights)) * constant * constant
        };
        let (mut best, mut order) = (growth(error, q), q);
        if q > 1 {
            let lower = growth(size(q, error_constant(q - 1)), q - 1);
            if lower > best {
                (best, order) = (lower, q - 1);
            }
        }
        if q < self.max_order {
            let higher = growth(size(q + 2, error_constant(q + 1)), q + 1);
            if higher > best {
                (best, order) = (higher, q + 1);
            }
        }
        let factor = (self.safety() * best).min(MAX_GROWTH);
        let factor = if KEEP_STEP.contains(&factor) {
            1.0
        } else {
            factor
        };
        if factor != 1.0 || order != q {
            self.pending = Some((order, factor));
        }
    }

    /// Makes the step smaller after a rejection with this mean square error.
    pub(super) fn shrink(&mut self, error: f64) {
        self.rejections += 1;
        self.last_error = error;
        let by_error = (self.safety() * growth(error, self.order)).clamp(0.2, 0.9);
        match self.rejections {
            1 => self.scale_step(by_error),
            2 => self.scale_step(by_error.min(0.5)),
            _ => {
                self.scale_step(by_error.min(0.2));
                // The differences of higher order describe another solution.
                self.order = 1;
            }
        }
    }

    /// Whether the error does not shrink with the step although the system is algebraic in part.
    ///
    /// That is the error of an algebraic component which the last iteration has left outside of
    /// its equation, or which jumps. No step, however small, could mend it, but any step does.
    pub(super) fn is_stagnant(&self, error: f64) -> bool {
        !self.matrices.is_identity() && self.rejections > 2 && error > 0.25 * self.last_error
    }
}
