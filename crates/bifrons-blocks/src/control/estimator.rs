//! Steady-state Kalman filters.

use crate::control::dense::Dense;
use crate::control::{ControlError, care, dare};

/// The gain of an observer and the covariance of its error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Estimator {
    /// `L`: `n × p`, row by row.
    pub gain: Vec<f64>,
    /// Covariance of the error, before a measurement in discrete time: `n × n`, row by row.
    pub covariance: Vec<f64>,
}

/// The steady-state Kalman–Bucy filter.
///
/// ```text
/// dx/dt = A x + B u + w,   y = C x + v      E w wᵀ = Q δ,   E v vᵀ = R δ
/// dz/dt = A z + B u + L (y - C z),   L = P Cᵀ R⁻¹,   A P + P Aᵀ - P Cᵀ R⁻¹ C P + Q = 0
/// ```
///
/// Sizes `[n, p]`: states, measurements. The observer is a [`StateSpace`](crate::StateSpace) with
/// `A - L C` and inputs `u`, `y`.
///
/// Kalman, R. E., Bucy, R. S. (1961): New results in linear filtering and prediction theory.
/// Journal of Basic Engineering 83, 95–108.
///
/// # Errors
///
/// As [`care`]; (A, C) must be detectable and (A, Q) stabilisable.
pub fn estimator(
    a: &[f64],
    c: &[f64],
    q: &[f64],
    r: &[f64],
    [n, p]: [usize; 2],
) -> Result<Estimator, ControlError> {
    let (at, ct) = transposed(a, c, [n, p])?;
    let covariance = care(&at.data, &ct.data, q, r, [n, p])?;
    let r = Dense::checked("R", r, p, p)?.symmetric();
    let x = Dense::checked("P", &covariance, n, n)?;
    gain(&r, &ct.transposed().times(&x), covariance)
}

/// The steady-state Kalman filter in discrete time.
///
/// ```text
/// x[k+1] = A x + B u + w,   y = C x + v      E w wᵀ = Q,   E v vᵀ = R
/// z = z⁻ + L (y - C z⁻),   z⁻[k+1] = A z + B u,   L = P Cᵀ (C P Cᵀ + R)⁻¹
/// P = A P Aᵀ - A P Cᵀ (C P Cᵀ + R)⁻¹ C P Aᵀ + Q      error before the measurement
/// ```
///
/// Sizes `[n, p]`: states, measurements.
///
/// Kalman, R. E. (1960): A new approach to linear filtering and prediction problems. Journal of
/// Basic Engineering 82, 35–45.
///
/// # Errors
///
/// As [`dare`]; (A, C) must be detectable and (A, Q) stabilisable.
pub fn discrete_estimator(
    a: &[f64],
    c: &[f64],
    q: &[f64],
    r: &[f64],
    [n, p]: [usize; 2],
) -> Result<Estimator, ControlError> {
    let (at, ct) = transposed(a, c, [n, p])?;
    let covariance = dare(&at.data, &ct.data, q, r, [n, p])?;
    let r = Dense::checked("R", r, p, p)?.symmetric();
    let x = Dense::checked("P", &covariance, n, n)?;
    let cx = ct.transposed().times(&x);
    gain(&r.plus(&cx.times(&ct), 1.0), &cx, covariance)
}

fn transposed(a: &[f64], c: &[f64], [n, p]: [usize; 2]) -> Result<(Dense, Dense), ControlError> {
    let at = Dense::checked("A", a, n, n)?.transposed();
    let ct = Dense::checked("C", c, p, n)?.transposed();
    Ok((at, ct))
}

/// `L = (S⁻¹ C P)ᵀ`.
fn gain(s: &Dense, cx: &Dense, covariance: Vec<f64>) -> Result<Estimator, ControlError> {
    let transposed = s.solve(cx).ok_or(ControlError::Singular {
        matrix: "C P Cᵀ + R",
        fix: "every measurement needs some noise",
    })?;
    let gain = transposed.transposed().data;
    Ok(Estimator { gain, covariance })
}
