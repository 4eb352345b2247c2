//! Brent's combination of inverse quadratic interpolation, secant and bisection.

use crate::search::least_step;
use crate::{Bracket, Sample};

/// Three latest points: `best` and `contra` differ in sign, `previous` was best before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Brent {
    previous: Sample,
    best: Sample,
    contra: Sample,
    /// Last step and the one before it.
    step: f64,
    step_before: f64,
    /// Whether the left end of the bracket has positive values.
    left_is_positive: bool,
}

impl Brent {
    pub(super) fn new(bracket: &Bracket) -> Self {
        let (left, right) = (bracket.left(), bracket.right());
        let step = right.x - left.x;
        let mut brent = Self {
            previous: left,
            best: right,
            contra: left,
            step,
            step_before: step,
            left_is_positive: left.value > 0.0,
        };
        brent.order();
        brent
    }

    /// Takes the value at the point that was proposed.
    pub(super) fn take(&mut self, sample: Sample) {
        self.previous = self.best;
        self.best = sample;
        if self.is_past(sample) == self.is_past(self.contra) {
            self.contra = self.previous;
            self.step = self.best.x - self.previous.x;
            self.step_before = self.step;
        }
        self.order();
    }

    /// Next point.
    pub(super) fn point(&mut self, accepted: f64) -> f64 {
        let (a, b, c) = (self.previous, self.best, self.contra);
        let least = least_step(accepted, b.x);
        let half = 0.5 * (c.x - b.x);
        let improves = a.value.abs() > b.value.abs();
        if self.step_before.abs() < least || !improves {
            (self.step, self.step_before) = (half, half);
        } else {
            let s = b.value / a.value;
            let (mut p, mut q) = if same(a.x, c.x) {
                (2.0 * half * s, 1.0 - s)
            } else {
                let (q, r) = (a.value / c.value, b.value / c.value);
                let p = s * (2.0 * half * q * (q - r) - (b.x - a.x) * (r - 1.0));
                (p, (q - 1.0) * (r - 1.0) * (s - 1.0))
            };
            if p > 0.0 {
                q = -q;
            } else {
                p = -p;
            }
            let inside = 2.0 * p < 3.0 * half * q - (least * q).abs();
            let shrinks = p < (0.5 * self.step_before * q).abs();
            self.step_before = self.step;
            self.step = p / q;
            // Also false for NaN, as from infinite values.
            if !(inside && shrinks) {
                (self.step, self.step_before) = (half, half);
            }
        }
        b.x + if self.step.abs() > least {
            self.step
        } else {
            least.copysign(half)
        }
    }

    /// Makes `best` the end of the bracket with the smaller absolute value.
    fn order(&mut self) {
        if self.contra.value.abs() < self.best.value.abs() {
            self.previous = self.best;
            self.best = self.contra;
            self.contra = self.previous;
        }
    }

    fn is_past(&self, sample: Sample) -> bool {
        sample.is_zero() || (sample.value > 0.0) != self.left_is_positive
    }
}

/// Bitwise equality of two points, one of which may be a copy of the other.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}
