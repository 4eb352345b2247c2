//! Cubic links: comparisons in two-fold arithmetic and the search for take-overs.

use std::cmp::Ordering;

use super::line::middle_number;
use crate::arithmetic::{Twofold, same};
use crate::hermite::limited_slopes;

/// A link with limited slopes at both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cubic {
    pub(super) x0: f64,
    pub(super) x1: f64,
    pub(super) v0: f64,
    pub(super) v1: f64,
    pub(super) slopes: [f64; 2],
}

/// A polynomial of a difference may change its sign; intervals are halved at most so often.
const DEPTH: u32 = 40;

impl Cubic {
    pub(super) fn new([x0, x1]: [f64; 2], [v0, v1]: [f64; 2], [g0, g1]: [f64; 2]) -> Self {
        Self {
            x0,
            x1,
            v0,
            v1,
            slopes: limited_slopes(x1 - x0, v0, v1, g0, g1),
        }
    }

    /// The value at `x`, to about 100 bits.
    pub(super) fn twofold_at(&self, x: f64) -> Twofold {
        let constant = same(self.v0, self.v1) && self.slopes == [0.0, 0.0];
        if same(x, self.x0) || constant {
            return Twofold {
                high: self.v0,
                low: 0.0,
            };
        }
        if same(x, self.x1) {
            return Twofold {
                high: self.v1,
                low: 0.0,
            };
        }
        // With d = x - x0, e = x1 - x, w = x1 - x0:
        // v0 + (v1 - v0) d² (d + 3 e) / w³ + d e (l0 e - l1 d) / w²
        let d = Twofold::difference(x, self.x0);
        let e = Twofold::difference(self.x1, x);
        let w = Twofold::difference(self.x1, self.x0);
        let (t, s) = (d.over(w), e.over(w));
        let rise = Twofold::difference(self.v1, self.v0);
        let blend = t.times(t).times(t.plus(s.scaled(3.0)));
        let bend = s.scaled(self.slopes[0]).minus(t.scaled(self.slopes[1]));
        let bow = t.times(s).times(bend).times(w);
        let start = Twofold {
            high: self.v0,
            low: 0.0,
        };
        start.plus(rise.times(blend).plus(bow))
    }

    /// The value at `x`, rounded once.
    pub(super) fn value_at(&self, x: f64) -> f64 {
        self.twofold_at(x).high
    }

    /// The derivative at `x`.
    pub(super) fn slope_at(&self, x: f64) -> f64 {
        let w = self.x1 - self.x0;
        let (t, s) = ((x - self.x0) / w, (self.x1 - x) / w);
        let secant = (self.v1 - self.v0) / w;
        let [l0, l1] = self.slopes;
        let ends = l0 * (s * (s - 2.0 * t)) + l1 * (t * (t - 2.0 * s));
        6.0 * secant * (t * s) + ends
    }

    pub(super) fn compare_at(&self, other: &Self, x: f64) -> Ordering {
        self.twofold_at(x).compare(other.twofold_at(x))
    }

    /// Value at `x` without extra precision.
    fn plain_at(&self, x: f64) -> f64 {
        let w = self.x1 - self.x0;
        let (t, s) = ((x - self.x0) / w, (self.x1 - x) / w);
        let bend = s * self.slopes[0] - t * self.slopes[1];
        self.v0 + (self.v1 - self.v0) * (t * t * (t + 3.0 * s)) + t * s * bend * w
    }

    /// First number in `(p, q]` from which `rival` is above this link; `None` if there is none.
    ///
    /// The difference is a cubic; its Bernstein coefficients on an interval bound its changes of
    /// sign. One change is one crossing, more are separated by halving.
    pub(super) fn takeover(&self, rival: &Self, p: f64, q: f64) -> Option<f64> {
        let (left, right) = (
            rival.plain_at(p) - self.plain_at(p),
            rival.plain_at(q) - self.plain_at(q),
        );
        let bow = (q - p) / 3.0;
        let first = left + (rival.slope_at(p) - self.slope_at(p)) * bow;
        let second = right - (rival.slope_at(q) - self.slope_at(q)) * bow;
        let scale = self
            .v0
            .abs()
            .max(self.v1.abs())
            .max(rival.v0.abs())
            .max(rival.v1.abs());
        let slack = 64.0 * f64::EPSILON * scale;
        if left < -slack && right < -slack && first < -slack && second < -slack {
            return None;
        }
        let difference = |x: f64| rival.twofold_at(x).minus(self.twofold_at(x)).high;
        self.search(rival, (p, difference(p)), (q, difference(q)), DEPTH)
    }

    fn search(&self, rival: &Self, a: (f64, f64), b: (f64, f64), depth: u32) -> Option<f64> {
        let ((p, left), (q, right)) = (a, b);
        let bow = (q - p) / 3.0;
        let first = left + (rival.slope_at(p) - self.slope_at(p)) * bow;
        let second = right - (rival.slope_at(q) - self.slope_at(q)) * bow;
        if right <= 0.0 && first <= 0.0 && second <= 0.0 {
            return None;
        }
        // Signs from left to right; the left end counts as below.
        let signs = [first > 0.0, second > 0.0, right > 0.0];
        let changes =
            u32::from(signs[0]) + u32::from(signs[0] != signs[1]) + u32::from(signs[1] != signs[2]);
        if changes == 1 && right > 0.0 {
            return Some(self.locate(rival, a, b));
        }
        let middle = p + 0.5 * (q - p);
        if depth == 0 || middle <= p || middle >= q {
            return (right > 0.0).then(|| self.locate(rival, a, b));
        }
        let m = (
            middle,
            rival.twofold_at(middle).minus(self.twofold_at(middle)).high,
        );
        if m.1 > 0.0 {
            return self.search(rival, a, m, depth - 1);
        }
        self.search(rival, a, m, depth - 1)
            .or_else(|| self.search(rival, m, b, depth - 1))
    }

    /// Smallest number at which the difference is not negative, between a number where it is
    /// not positive and one where it is positive.
    fn locate(&self, rival: &Self, a: (f64, f64), b: (f64, f64)) -> f64 {
        let difference = |x: f64| rival.twofold_at(x).minus(self.twofold_at(x)).high;
        let ((mut low, mut below), (mut high, mut above)) = (a, b);
        let mut side = 0;
        for round in 0..200 {
            if low.next_up() >= high {
                break;
            }
            let secant = low + (high - low) * (below / (below - above));
            // Illinois steps first; in the order of numbers when they do not converge.
            let x = if round < 60 && secant > low && secant < high {
                secant
            } else if round < 60 {
                if secant <= low {
                    low.next_up()
                } else {
                    high.next_down()
                }
            } else {
                middle_number(low, high)
            };
            let value = difference(x);
            if value >= 0.0 {
                (high, above) = (x, value);
                below *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (low, below) = (x, value);
                above *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        high
    }
}
