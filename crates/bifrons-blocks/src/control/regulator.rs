//! Linear-quadratic regulators.

use crate::control::dense::Dense;
use crate::control::{ControlError, care, dare};

/// A gain and what it costs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Regulator {
    /// `K` of `u = -K x`: `m × n`, row by row.
    pub gain: Vec<f64>,
    /// `X` of the cost `xᵀ X x` from state `x` on: `n × n`, row by row.
    pub cost: Vec<f64>,
}

/// The regulator that minimises a quadratic cost in continuous time.
///
/// ```text
/// min ∫ xᵀ Q x + uᵀ R u dt      u = -K x,   K = R⁻¹ Bᵀ X,   X from `care`
/// ```
///
/// Sizes `[n, m]`: states, inputs.
///
/// Kalman, R. E. (1960): Contributions to the theory of optimal control. Boletín de la Sociedad
/// Matemática Mexicana 5, 102–119.
///
/// # Errors
///
/// As [`care`].
///
/// # Examples
///
/// ```
/// use bifrons_blocks::control::lqr;
///
/// let design = lqr(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], &[1.0, 0.0, 0.0, 1.0], &[1.0], [2, 1])?;
/// assert!((design.gain[0] - 1.0).abs() < 1e-14);
/// assert!((design.gain[1] - 3.0_f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), bifrons_blocks::control::ControlError>(())
/// ```
pub fn lqr(
    a: &[f64],
    b: &[f64],
    q: &[f64],
    r: &[f64],
    [n, m]: [usize; 2],
) -> Result<Regulator, ControlError> {
    let cost = care(a, b, q, r, [n, m])?;
    let x = Dense::checked("X", &cost, n, n)?;
    let b = Dense::checked("B", b, n, m)?;
    let r = Dense::checked("R", r, m, m)?.symmetric();
    let gain = r.solve(&b.transposed().times(&x));
    let gain = gain.ok_or(singular())?.data;
    Ok(Regulator { gain, cost })
}

/// The regulator that minimises a quadratic cost in discrete time.
///
/// ```text
/// min Σ xᵀ Q x + uᵀ R u      u = -K x,   K = (R + Bᵀ X B)⁻¹ Bᵀ X A,   X from `dare`
/// ```
///
/// Sizes `[n, m]`: states, inputs.
///
/// # Errors
///
/// As [`dare`].
pub fn discrete_lqr(
    a: &[f64],
    b: &[f64],
    q: &[f64],
    r: &[f64],
    [n, m]: [usize; 2],
) -> Result<Regulator, ControlError> {
    let cost = dare(a, b, q, r, [n, m])?;
    let x = Dense::checked("X", &cost, n, n)?;
    let a = Dense::checked("A", a, n, n)?;
    let b = Dense::checked("B", b, n, m)?;
    let r = Dense::checked("R", r, m, m)?.symmetric();
    let bx = b.transposed().times(&x);
    let gain = r.plus(&bx.times(&b), 1.0).solve(&bx.times(&a));
    let gain = gain.ok_or(singular())?.data;
    Ok(Regulator { gain, cost })
}

const fn singular() -> ControlError {
    ControlError::Singular {
        matrix: "R + Bᵀ X B",
        fix: "every input needs a positive weight",
    }
}
