//! Numbers as unevaluated sums of two `f64`, about 104 bits.

use std::cmp::Ordering;

/// `high + low` with `|low| ≤ ulp(high) / 2`.
///
/// Error-free transformations after Dekker (1971, A floating-point technique for extending the
/// available precision) and Knuth; products are split, so no fused operation is needed and the
/// bits are the same on every machine. Exact only without overflow and underflow, which callers
/// exclude by the magnitudes of their operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Twofold {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Twofold {
    /// Exact sum of two numbers.
    #[inline(always)]
    pub(crate) fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        let low = (a - (high - part)) + (b - part);
        Self { high, low }
    }

    /// Exact difference of two numbers.
    #[inline(always)]
    pub(crate) fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    /// Exact product of two numbers.
    #[inline(always)]
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let (a1, a0) = split(a);
        let (b1, b0) = split(b);
        let low = ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0;
        Self { high, low }
    }

    #[inline(always)]
    fn normalised(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self {
            high: sum,
            low: low - (sum - high),
        }
    }

    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        let s = Self::sum(self.high, other.high);
        let t = Self::sum(self.low, other.low);
        let first = Self::normalised(s.high, s.low + t.high);
        Self::normalised(first.high, first.low + t.low)
    }

    #[inline(always)]
    pub(crate) fn minus(self, other: Self) -> Self {
        self.plus(Self {
            high: -other.high,
            low: -other.low,
        })
    }

    #[inline(always)]
    pub(crate) fn times(self, other: Self) -> Self {
        let p = Self::product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        Self::normalised(p.high, p.low + cross)
    }

    #[inline(always)]
    pub(crate) fn scaled(self, factor: f64) -> Self {
        let p = Self::product(self.high, factor);
        Self::normalised(p.high, p.low + self.low * factor)
    }

    /// Quotient by one Newton correction.
    #[inline(always)]
    pub(crate) fn over(self, other: Self) -> Self {
        let q = self.high / other.high;
        let rest = self.minus(other.scaled(q));
        let second = rest.high / other.high;
        let rest = rest.minus(other.scaled(second));
        let third = rest.high / other.high;
        let sum = Self::normalised(q, second);
        Self::normalised(sum.high, sum.low + third)
    }

    #[inline(always)]
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) | None => {
                self.low.partial_cmp(&other.low).unwrap_or(Ordering::Equal)
            }
            Some(order) => order,
        }
    }
}

/// Upper and lower half of the digits.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = FACTOR * a;
    let upper = scaled - (scaled - a);
    (upper, a - upper)
}
