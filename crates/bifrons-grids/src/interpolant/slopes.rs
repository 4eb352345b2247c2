//! Slopes of cubic pieces: estimated from the values, or given and limited.

use crate::error::{FitError, LengthError};
use crate::knots::Knots;

/// How slopes are estimated, so that the cubic is monotone wherever the data are.
///
/// Both are zero at extrema of the data, exact for affine data, and use only the values on one
/// side of a seam or of a value that is not finite.
///
/// # References
///
/// F. N. Fritsch, R. E. Carlson, "Monotone piecewise cubic interpolation", SIAM J. Numer. Anal.
/// 17 (1980); F. N. Fritsch, J. Butland, "A method for constructing local monotone piecewise
/// cubic interpolants", SIAM J. Sci. Stat. Comput. 5 (1984).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SlopeRule {
    /// Weighted harmonic mean of the neighbouring secants (Fritsch and Butland); local: a value
    /// changes the slopes of its neighbours only.
    #[default]
    Harmonic,
    /// Slope of the parabola through three neighbours, then scaled down into the circle of
    /// radius three (Fritsch and Carlson). More accurate on smooth monotone data.
    Parabola,
}

/// Whether given slopes are used as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SlopeLimit {
    /// Each cell is made monotone by itself: slopes outside the circle of radius three (in units
    /// of the secant) are scaled back for this cell, slopes against the secant make it straight.
    #[default]
    Monotone,
    /// Slopes are used as given; the cubic may overshoot.
    None,
}

/// Radius of the circle of slope pairs (in units of the secant) inside which a cubic is monotone.
const RADIUS: f64 = 3.0;

/// Slopes of the secants of finite, distinct neighbours; shapes: all `n`.
///
/// Without allocation; one pass.
///
/// # Errors
///
/// [`FitError::Length`], [`FitError::Nodes`], [`FitError::Categorical`],
/// [`FitError::SecantOverflow`].
pub fn estimate_slopes_into<'a>(
    rule: SlopeRule,
    knots: impl Into<Knots<'a>>,
    values: &[f64],
    slopes: &mut [f64],
) -> Result<(), FitError> {
    let knots = knots.into();
    knots.check()?;
    LengthError::check("values", values.len(), knots.nodes.len())?;
    LengthError::check("slopes", slopes.len(), knots.nodes.len())?;
    super::fit::check_secants(&knots, values)?;
    estimate(rule, &knots, values, slopes);
    Ok(())
}

/// Fills the slopes run by run: maximal stretches of finite values without a seam.
pub(super) fn estimate(rule: SlopeRule, knots: &Knots<'_>, values: &[f64], slopes: &mut [f64]) {
    let count = values.len();
    let mut from = 0;
    while from < count {
        let mut to = from + 1;
        while to < count
            && values[to - 1].is_finite()
            && values[to].is_finite()
            && !knots.is_seam(to - 1)
        {
            to += 1;
        }
        estimate_run(
            rule,
            &knots.nodes[from..to],
            &values[from..to],
            &mut slopes[from..to],
        );
        from = to;
    }
}

fn estimate_run(rule: SlopeRule, x: &[f64], y: &[f64], slopes: &mut [f64]) {
    let count = x.len();
    let width = |i: usize| x[i + 1] - x[i];
    let secant = |i: usize| (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
    match count {
        0 => return,
        1 => {
            slopes[0] = 0.0;
            return;
        }
        2 => {
            slopes.fill(secant(0));
            return;
        }
        _ => {}
    }
    let last = count - 1;
    let (mut h0, mut s0) = (width(0), secant(0));
    slopes[0] = end_slope(h0, width(1), s0, secant(1));
    for (i, slope) in slopes.iter_mut().enumerate().take(last).skip(1) {
        let (h1, s1) = (width(i), secant(i));
        *slope = match rule {
            _ if !same_sign(s0, s1) => 0.0,
            SlopeRule::Harmonic => {
                let (w0, w1) = (h1 + h1 + h0, h1 + h0 + h0);
                (w0 + w1) / (w0 / s0 + w1 / s1)
            }
            SlopeRule::Parabola => s0 * (h1 / (h0 + h1)) + s1 * (h0 / (h0 + h1)),
        };
        (h0, s0) = (h1, s1);
    }
    slopes[last] = end_slope(width(last - 1), width(last - 2), s0, secant(last - 2));
    if rule == SlopeRule::Parabola {
        for i in 0..last {
            (slopes[i], slopes[i + 1]) = into_circle(secant(i), slopes[i], slopes[i + 1]);
        }
    }
}

/// Slope at an end from the parabola through three points, kept to the shape of the data.
fn end_slope(h0: f64, h1: f64, s0: f64, s1: f64) -> f64 {
    let slope = s0 + (s0 - s1) * (h0 / (h0 + h1));
    if !same_sign(slope, s0) {
        0.0
    } else if !same_sign(s0, s1) && slope.abs() > RADIUS * s0.abs() {
        RADIUS * s0
    } else {
        slope
    }
}

fn same_sign(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// Slopes that do not oppose the secant, scaled back if the pair is too steep.
fn into_circle(secant: f64, left: f64, right: f64) -> (f64, f64) {
    if secant == 0.0 {
        return (0.0, 0.0);
    }
    let (a, b) = (left / secant, right / secant);
    let square = a * a + b * b;
    if square > RADIUS * RADIUS {
        let scale = RADIUS / square.sqrt();
        (scale * a * secant, scale * b * secant)
    } else {
        (left, right)
    }
}

/// Given slopes of one cell after the limit. Both equal to the secant: the cell is straight.
pub(super) fn limited(limit: SlopeLimit, secant: f64, left: f64, right: f64) -> (f64, f64) {
    if !left.is_finite() || !right.is_finite() {
        return (secant, secant);
    }
    match limit {
        SlopeLimit::None => (left, right),
        SlopeLimit::Monotone if left * secant < 0.0 || right * secant < 0.0 => (secant, secant),
        SlopeLimit::Monotone => into_circle(secant, left, right),
    }
}
