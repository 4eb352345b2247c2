//! The first step.

use bifrons_lanes::math::{exp2_fast, log2_fast};

/// Binary logarithm of 0.01.
const LOG_HUNDREDTH: f64 = -6.643_856_189_774_724;

/// Arrays that the estimate works on, `n` components each.
#[derive(Debug)]
pub(crate) struct Probe<'a> {
    pub(crate) y: &'a [f64],
    /// `f(t0, y0)`.
    pub(crate) slope: &'a [f64],
    /// Scratch: state after an explicit Euler step.
    pub(crate) euler: &'a mut [f64],
    /// Scratch: derivative there.
    pub(crate) slope_there: &'a mut [f64],
    pub(crate) relative: f64,
    pub(crate) absolute: &'a [f64],
    /// Order of the error estimate plus one.
    pub(crate) order: f64,
    /// Whether tolerances are inverted first, as the implicit methods do: one rounding apart.
    pub(crate) inverted: bool,
}

/// `v` in units of the tolerance.
#[inline(always)]
fn weigh(v: f64, tolerance: f64, inverted: bool) -> f64 {
    match (v == 0.0, inverted) {
        (true, _) => 0.0,
        (_, true) => v * (1.0 / tolerance),
        (_, false) => v / tolerance,
    }
}

/// Hairer's estimate of the first step (Hairer, Nørsett, Wanner 1993, section II.4), positive.
///
/// Two evaluations of the right-hand side in all: `slope` and one more by `rhs(t, y, dy)` after an
/// Euler step that stays within the span. `most` is the largest step allowed.
#[inline(always)]
pub(crate) fn estimate(
    probe: Probe<'_>,
    t0: f64,
    direction: f64,
    most: f64,
    mut rhs: impl FnMut(f64, &[f64], &mut [f64]),
) -> f64 {
    let Probe {
        y,
        slope,
        euler,
        slope_there,
        relative,
        absolute,
        order,
        inverted,
    } = probe;
    let count = y.len() as f64;
    // Mean square of `v` in the weights of the tolerances; a zero needs no weight.
    let mean_square = |v: &dyn Fn(usize) -> f64| {
        let squares = (0..y.len()).map(|i| {
            let r = weigh(v(i), absolute[i] + relative * y[i].abs(), inverted);
            r * r
        });
        squares.sum::<f64>() / count
    };
    let slope_square = mean_square(&|i| slope[i]);
    let h0 = euler_length(mean_square(&|i| y[i]), slope_square, most);
    for i in 0..y.len() {
        euler[i] = y[i] + direction * h0 * slope[i];
    }
    rhs(t0 + direction * h0, euler, slope_there);
    let change_square = mean_square(&|i| slope_there[i] - slope[i]);
    from_slopes(slope_square, change_square, h0, order).min(most)
}

/// Length of the Euler step that is probed, from the mean squares of the weighted state and slope.
#[inline(always)]
pub(crate) fn euler_length(state_square: f64, slope_square: f64, most: f64) -> f64 {
    let flat = !(state_square > 1e-10 && slope_square > 1e-10);
    let h0 = if flat {
        1e-6
    } else {
        0.01 * (state_square / slope_square).sqrt()
    };
    if h0 > 0.0 {
        h0.min(most)
    } else {
        most.min(1e-6)
    }
}

/// The first step from the mean squares of the weighted slope and of its change over `h0`, for
/// which the root of order `order` of 0.01 divided by the steeper of the two is taken.
#[inline(always)]
pub(crate) fn from_slopes(slope_square: f64, change_square: f64, h0: f64, order: f64) -> f64 {
    let curvature_square = change_square / (h0 * h0);
    let steepest_square = if curvature_square > slope_square {
        curvature_square
    } else {
        slope_square
    };
    let log_square = log2_fast(steepest_square.clamp(1e-300, 1e300));
    let h1 = if steepest_square <= 1e-30 {
        (h0 * 1e-3).max(1e-6)
    } else {
        exp2_fast((LOG_HUNDREDTH - 0.5 * log_square) / order)
    };
    // A probe outside the domain gives NaN; the small step of the slope alone is safe.
    let h1 = if curvature_square.is_finite() { h1 } else { h0 };
    (100.0 * h0).min(h1)
}
