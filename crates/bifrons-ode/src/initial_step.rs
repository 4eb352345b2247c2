//! The first step.

use bifrons_lanes::math::{exp2_fast, log2_fast};

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
    let weighted = |v: f64, i: usize| weigh(v, absolute[i] + relative * y[i].abs(), inverted);
    let count = y.len() as f64;
    let norm = |v: &dyn Fn(usize) -> f64| {
        let square: f64 = (0..y.len()).map(|i| weighted(v(i), i)).map(|r| r * r).sum();
        (square / count).sqrt()
    };
    let state_norm = norm(&|i| y[i]);
    let slope_norm = norm(&|i| slope[i]);
    let flat = !(state_norm > 1e-5 && slope_norm > 1e-5);
    let h0 = if flat {
        1e-6
    } else {
        0.01 * (state_norm / slope_norm)
    };
    let h0 = if h0 > 0.0 {
        h0.min(most)
    } else {
        most.min(1e-6)
    };
    for i in 0..y.len() {
        euler[i] = y[i] + direction * h0 * slope[i];
    }
    rhs(t0 + direction * h0, euler, slope_there);
    let curvature = norm(&|i| slope_there[i] - slope[i]) / h0;
    let steepest = slope_norm.max(curvature);
    let ratio = (0.01 / steepest).clamp(1e-300, 1e300);
    let h1 = if steepest <= 1e-15 {
        (h0 * 1e-3).max(1e-6)
    } else {
        exp2_fast(log2_fast(ratio) / order)
    };
    // A probe outside the domain gives NaN; the small step of the slope alone is safe.
    let h1 = if curvature.is_finite() { h1 } else { h0 };
    (100.0 * h0).min(h1).min(most)
}
