//! A maximum between the points of a mesh, refined by golden section.

use super::interpolant;

/// Where the interpolant through some points is largest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OuterPeak {
    /// The choice.
    pub choice: f64,
    /// Value of the interpolant there.
    pub value: f64,
    /// The bracket of the choice: between points `bracket` and `bracket + 1`.
    bracket: usize,
}

impl OuterPeak {
    /// Another quantity of the same points at the choice, by the same kind of cubic.
    ///
    /// NaN if a point beside the choice is not finite.
    ///
    /// # Panics
    ///
    /// If there are other points than those that were refined.
    #[must_use]
    pub fn read(&self, points: &[f64], values: &[f64]) -> f64 {
        if let [value] = *values {
            return value;
        }
        let read = interpolant::read(points, |k| values[k], self.bracket, self.choice);
        if read == f64::NEG_INFINITY {
            f64::NAN
        } else {
            read
        }
    }
}

/// Refines the maximum around point `top` by golden section on the cubic through the points.
///
/// `points` ascend, at least one; slopes are those of the polynomial through up to four finite
/// neighbours. The bracket is what lies between the neighbours of `top`; it shrinks by 0.618 a
/// step (Kiefer, 1953, Sequential minimax search for a maximum). Where the interpolant is not
/// larger than the value of `top`, `top` is the answer.
///
/// This is the last part of [`search_adaptive`](crate::search_adaptive), for values at any query.
///
/// ```
/// let z = [0.0, 1.0, 2.0, 3.0];
/// let y = z.map(|z: f64| -(z - 1.3) * (z - 1.3));
/// let peak = bifrons_egm::refine_peak(&z, &y, 1, 32);
/// assert!((peak.choice - 1.3).abs() < 1e-6 && peak.value.abs() < 1e-12);
/// assert!((peak.read(&z, &z) - 1.3).abs() < 1e-6);
/// ```
///
/// # Panics
///
/// If there is no point `top`.
#[must_use]
pub fn refine_peak(points: &[f64], values: &[f64], top: usize, iterations: usize) -> OuterPeak {
    let last = points.len().saturating_sub(2);
    let own = OuterPeak {
        choice: points[top],
        value: values[top],
        bracket: top.min(last),
    };
    if points.len() < 2 {
        return own;
    }
    let (choice, value) = golden(points, |k| values[k], top, iterations);
    if value > own.value {
        let above = points.partition_point(|&other| other <= choice);
        let bracket = above.clamp(1, points.len() - 1) - 1;
        OuterPeak {
            choice,
            value,
            bracket,
        }
    } else {
        own
    }
}

/// Golden section on the interpolant around a point.
pub(super) fn golden(
    z: &[f64],
    y: impl Fn(usize) -> f64 + Copy,
    peak: usize,
    iterations: usize,
) -> (f64, f64) {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let value = |x: f64| {
        let i = z.partition_point(|&other| other <= x).clamp(1, z.len() - 1) - 1;
        interpolant::read(z, y, i, x)
    };
    let (mut low, mut high) = (z[peak.saturating_sub(1)], z[(peak + 1).min(z.len() - 1)]);
    let (mut a, mut b) = (high - RATIO * (high - low), low + RATIO * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..iterations {
        if at_a >= at_b {
            high = b;
            (b, at_b) = (a, at_a);
            a = high - RATIO * (high - low);
            at_a = value(a);
        } else {
            low = a;
            (a, at_a) = (b, at_b);
            b = low + RATIO * (high - low);
            at_b = value(b);
        }
    }
    if at_a >= at_b { (a, at_a) } else { (b, at_b) }
}
