//! The cubic of one bracket: what reads return and what envelopes compare.

/// End slopes of the cubic on a bracket of width `w > 0`, limited so that it is monotone.
///
/// With the secant `m = (v1 - v0) / w`, both slopes are scaled by `3 / r` where
/// `r = √(g0² + g1²) / m` exceeds 3 (Fritsch and Carlson, 1980, Monotone piecewise cubic
/// interpolation). A bracket that does not rise, or with a slope that is negative or not finite,
/// is straight.
#[inline(always)]
pub(crate) fn limited_slopes(w: f64, v0: f64, v1: f64, g0: f64, g1: f64) -> [f64; 2] {
    let secant = (v1 - v0) / w;
    let rises = (secant > 0.0) & (g0 >= 0.0) & (g1 >= 0.0);
    let usable = rises & (g0 < f64::INFINITY) & (g1 < f64::INFINITY);
    let (a, b) = (g0 / secant, g1 / secant);
    let square = a * a + b * b;
    let factor = 3.0 / square.sqrt();
    // Selections instead of branches, so that a loop over brackets vectorises.
    let limited = square > 9.0;
    let l0 = if limited { g0 * factor } else { g0 };
    let l1 = if limited { g1 * factor } else { g1 };
    [
        if usable { l0 } else { secant },
        if usable { l1 } else { secant },
    ]
}

/// Coefficients `b1, b2, b3` of `v0 + d (b1 + d (b2 + d b3))` on a bracket with limited slopes.
#[inline(always)]
pub(crate) fn coefficients(w: f64, v0: f64, v1: f64, slopes: [f64; 2]) -> [f64; 3] {
    let secant = (v1 - v0) / w;
    let [l0, l1] = slopes;
    let b2 = ((3.0 * secant - 2.0 * l0) - l1) / w;
    let b3 = (((l0 + l1) - 2.0 * secant) / w) / w;
    [l0, b2, b3]
}
