//! Straight links: exact comparisons and correctly rounded values.

use std::cmp::Ordering;

use crate::arithmetic::{Twofold, same, sign_of_products};

/// A link from `(x0, v0)` to `(x1, v1)`, `x0 < x1`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) x0: f64,
    pub(super) x1: f64,
    pub(super) v0: f64,
    pub(super) v1: f64,
}

/// Magnitudes between which products of three operands neither overflow nor lose digits.
const SMALL: f64 = 1e-90;
const LARGE: f64 = 1e90;

/// Whether all operands are zero or of moderate size.
fn moderate(operands: &[f64]) -> bool {
    operands.iter().all(|x| {
        let size = x.abs();
        size == 0.0 || (size > SMALL && size < LARGE)
    })
}

fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

impl Line {
    /// A constant, so that points are compared with lines.
    pub(super) const fn point(value: f64) -> Self {
        Self {
            x0: 0.0,
            x1: 1.0,
            v0: value,
            v1: value,
        }
    }

    fn operands(&self) -> [f64; 4] {
        [self.x0, self.x1, self.v0, self.v1]
    }

    /// Exact order of both lines at `x`.
    ///
    /// ```text
    /// D = [a0 (ax1 - x) + a1 (x - ax0)] wb - [b0 (bx1 - x) + b1 (x - bx0)] wa
    /// ```
    ///
    /// Certified in `f64` if `|D| > 8 u Π` with the permanent Π, else in two-fold arithmetic if
    /// `|D| > 2^-98 Π`, else by integers.
    pub(super) fn compare_at(&self, other: &Self, x: f64) -> Ordering {
        let (a, b) = (self, other);
        let (wa, wb) = (a.x1 - a.x0, b.x1 - b.x0);
        let (al, ar) = (a.v0 * (a.x1 - x), a.v1 * (x - a.x0));
        let (bl, br) = (b.v0 * (b.x1 - x), b.v1 * (x - b.x0));
        let d = (al + ar) * wb - (bl + br) * wa;
        let permanent = (al.abs() + ar.abs()) * wb + (bl.abs() + br.abs()) * wa;
        let usable = permanent < 1e280 && d.abs() > 1e-280;
        if usable && d.abs() > 8.0 * (0.5 * f64::EPSILON) * permanent {
            return sign(d);
        }
        if moderate(&a.operands()) && moderate(&b.operands()) && moderate(&[x]) {
            let d = a
                .numerator(x)
                .times(b.width())
                .minus(b.numerator(x).times(a.width()));
            // 2^-98
            if d.high.abs() > 3.16e-30 * permanent {
                return sign(d.high);
            }
        }
        exact_value_order(a, b, x)
    }

    /// Exact order of the slopes.
    pub(super) fn compare_slope(&self, other: &Self) -> Ordering {
        let (a, b) = (self, other);
        let left = (a.v1 - a.v0) * (b.x1 - b.x0);
        let right = (b.v1 - b.v0) * (a.x1 - a.x0);
        let (d, permanent) = (left - right, left.abs() + right.abs());
        let usable = permanent < 1e280 && d.abs() > 1e-280;
        if usable && d.abs() > 5.0 * (0.5 * f64::EPSILON) * permanent {
            return sign(d);
        }
        sign_of_products(&[
            (false, [a.v1, b.x1, 1.0]),
            (true, [a.v1, b.x0, 1.0]),
            (true, [a.v0, b.x1, 1.0]),
            (false, [a.v0, b.x0, 1.0]),
            (true, [b.v1, a.x1, 1.0]),
            (false, [b.v1, a.x0, 1.0]),
            (false, [b.v0, a.x1, 1.0]),
            (true, [b.v0, a.x0, 1.0]),
        ])
    }

    /// `v0 (x1 - x) + v1 (x - x0)`.
    fn numerator(&self, x: f64) -> Twofold {
        let left = Twofold::difference(self.x1, x).scaled(self.v0);
        let right = Twofold::difference(x, self.x0).scaled(self.v1);
        left.plus(right)
    }

    fn width(&self) -> Twofold {
        Twofold::difference(self.x1, self.x0)
    }

    /// The value at `x`, correctly rounded (to even).
    pub(super) fn value_at(&self, x: f64) -> f64 {
        if same(x, self.x0) || same(self.v0, self.v1) {
            return self.v0;
        }
        if same(x, self.x1) {
            return self.v1;
        }
        if moderate(&self.operands()) && moderate(&[x]) {
            let q = self.numerator(x).over(self.width());
            let half = 0.5 * (q.high.abs().next_up() - q.high.abs());
            let doubt = (q.low.abs() - half).abs() <= half * 1e-9 || q.low.abs() > half * 0.499_999;
            if !(doubt && q.low != 0.0) && q.high.abs() > SMALL {
                return q.high;
            }
            return self.rounded_from(q.high, x);
        }
        let share = (x - self.x0) / (self.x1 - self.x0);
        self.rounded_from(self.v0 + share * (self.v1 - self.v0), x)
    }

    /// Moves a nearly right value to the correctly rounded one.
    fn rounded_from(&self, guess: f64, x: f64) -> f64 {
        let (low, high) = (self.v0.min(self.v1), self.v0.max(self.v1));
        let mut r = if guess.is_nan() {
            self.v0
        } else {
            guess.clamp(low, high)
        };
        for _ in 0..64 {
            let up = self.order_to_middle(r, r.next_up(), x);
            let even = r.to_bits() & 1 == 0;
            if up == Ordering::Greater || (up == Ordering::Equal && !even) {
                r = r.next_up();
                continue;
            }
            let down = self.order_to_middle(r, r.next_down(), x);
            if down == Ordering::Less || (down == Ordering::Equal && !even) {
                r = r.next_down();
                continue;
            }
            break;
        }
        r
    }

    /// Order of the value at `x` and the middle of two neighbouring numbers.
    fn order_to_middle(&self, r: f64, s: f64, x: f64) -> Ordering {
        // 2 v0 (x1 - x) + 2 v1 (x - x0) - (r + s)(x1 - x0)
        let &Self { x0, x1, v0, v1 } = self;
        sign_of_products(&[
            (false, [v0, x1, 2.0]),
            (true, [v0, x, 2.0]),
            (false, [v1, x, 2.0]),
            (true, [v1, x0, 2.0]),
            (true, [r, x1, 1.0]),
            (false, [r, x0, 1.0]),
            (true, [s, x1, 1.0]),
            (false, [s, x0, 1.0]),
        ])
    }

    /// Smallest number in `(p, q]` at which `rival` is not below this line; `rival` is steeper
    /// and above at `q`, not above at `p`.
    pub(super) fn handover(&self, rival: &Self, p: f64, q: f64) -> f64 {
        let reached = |x: f64| rival.compare_at(self, x) != Ordering::Less;
        let guess = self.crossing(rival, p, q);
        let (mut low, mut high) = (p, q);
        let mut x = guess;
        for _ in 0..4 {
            if x <= low || x >= high {
                break;
            }
            if reached(x) {
                high = x;
                x = x.next_down();
            } else {
                low = x;
                x = x.next_up();
            }
        }
        while low.next_up() < high {
            let middle = middle_number(low, high);
            if reached(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// Crossing of both lines, rounded, in `[p, q]`.
    fn crossing(&self, rival: &Self, p: f64, q: f64) -> f64 {
        let at = |line: &Self, x: f64| line.numerator(x).over(line.width());
        let left = at(self, p).minus(at(rival, p)).high;
        let right = at(rival, q).minus(at(self, q)).high;
        let share = left / (left + right);
        let x = p + share * (q - p);
        // A step of Newton's method, since the share is rounded.
        let gap = at(self, x).minus(at(rival, x)).high;
        let x = x + gap * (q - p) / (left + right);
        if x >= p && x <= q {
            x
        } else {
            p + 0.5 * (q - p)
        }
    }
}

fn exact_value_order(a: &Line, b: &Line, x: f64) -> Ordering {
    let mut terms = [(false, [0.0; 3]); 16];
    for (half, (line, other, flip)) in [(a, b, false), (b, a, true)].into_iter().enumerate() {
        let parts = [
            (false, line.v0, line.x1),
            (true, line.v0, x),
            (false, line.v1, x),
            (true, line.v1, line.x0),
        ];
        for (k, &(negative, v, at)) in parts.iter().enumerate() {
            terms[8 * half + 2 * k] = (negative ^ flip, [v, at, other.x1]);
            terms[8 * half + 2 * k + 1] = (!(negative ^ flip), [v, at, other.x0]);
        }
    }
    sign_of_products(&terms)
}

/// The number in the middle of two numbers in the order of all numbers.
pub(super) fn middle_number(low: f64, high: f64) -> f64 {
    from_ordered(midpoint(ordered(low), ordered(high)))
}

const fn midpoint(a: u64, b: u64) -> u64 {
    a + (b - a) / 2
}

/// Numbers as integers in the same order.
fn ordered(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn from_ordered(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}
