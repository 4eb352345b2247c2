//! Interpolate, truncate, project.

use crate::search::least_step;
use crate::tolerance::spacing;
use crate::{Bracket, Sample, Tolerance};

/// Evaluations granted beyond bisection: `2^n₀`, with `n₀ = 2`.
const SLACK: f64 = 4.0;

/// State beside the bracket: how wide bisection would still be, and the end dropped last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Itp {
    /// Half-width that `n_½ + n₀ - j` further halvings turn into half the accepted width.
    budget: f64,
    /// End of the bracket that the latest point replaced.
    dropped: Option<Sample>,
    /// Whether the latest point is the right end.
    latest_is_right: bool,
}

impl Itp {
    pub(super) fn new(bracket: &Bracket, tolerance: Tolerance) -> Self {
        let (a, b) = (bracket.left().x, bracket.right().x);
        let nearest = if (a < 0.0) == (b < 0.0) {
            a.abs().min(b.abs())
        } else {
            0.0
        };
        let accepted = tolerance.width(nearest, nearest).max(spacing(nearest));
        let mut budget = (0.5 * accepted).max(spacing(0.0));
        // Points are rounded to the spacing of the larger end; the sum of these errors is below
        // two spacings and must not cost an evaluation at the very end.
        let rounding = 2.0 * spacing(a.abs().max(b.abs())) / budget;
        while 2.0 * budget < bracket.width() {
            budget *= 2.0;
        }
        let budget = SLACK * budget * (1.0 - rounding.min(0.25));
        Self {
            budget,
            dropped: None,
            latest_is_right: false,
        }
    }

    /// One evaluation has been made; it replaced `dropped`.
    pub(super) fn take(&mut self, dropped: Sample, is_right: bool) {
        self.budget *= 0.5;
        self.dropped = Some(dropped);
        self.latest_is_right = is_right;
    }

    /// Next point.
    pub(super) fn point(&self, bracket: &Bracket, accepted: f64) -> f64 {
        let (left, right) = (bracket.left(), bracket.right());
        let half = left.x.midpoint(right.x);
        let estimate = self.interpolate(left, right).unwrap_or(half);
        let gap = half - estimate;
        // Truncate: step over the root by what the tolerance cannot resolve, so that the next
        // values close the bracket from both sides instead of creeping along one.
        let least = least_step(accepted, estimate);
        let truncated = if least <= gap.abs() {
            estimate + least.copysign(gap)
        } else {
            half
        };
        // Project: no further from the middle than the schedule of bisection allows.
        let radius = (self.budget - 0.5 * bracket.width()).max(0.0);
        if (truncated - half).abs() <= radius {
            truncated
        } else {
            half - radius.copysign(gap)
        }
    }

    /// Inverse quadratic interpolation through both ends and the end dropped last, where these
    /// three say that the inverse function is monotone between the ends.
    fn interpolate(&self, left: Sample, right: Sample) -> Option<f64> {
        let (p, q) = if self.latest_is_right {
            (right, left)
        } else {
            (left, right)
        };
        let r = self.dropped?;
        let share = (p.x - q.x) / (r.x - q.x);
        let value_share = (p.value - q.value) / (r.value - q.value);
        let monotone = value_share * value_share < share
            && (1.0 - value_share) * (1.0 - value_share) < 1.0 - share;
        if !monotone {
            return None;
        }
        let towards_q = p.value / (q.value - p.value) * (r.value / (q.value - r.value));
        let towards_r = p.value / (r.value - p.value) * (q.value / (r.value - q.value));
        let point = p.x + towards_q * (q.x - p.x) + towards_r * (r.x - p.x);
        let (low, high) = (left.x.min(right.x), left.x.max(right.x));
        (low < point && point < high).then_some(point)
    }
}
