//! Algebraic Riccati equations by structure-preserving doubling.

use crate::control::ControlError;
use crate::control::dense::Dense;

/// Doublings: the error is squared by each, so that what has not converged never will.
const DOUBLINGS: usize = 60;
/// Relative residual up to which a solution is accepted.
const RESIDUAL: f64 = 1e-8;
/// Shifts that are tried, relative to the size of the matrices.
const SHIFTS: [f64; 4] = [1.0, 0.25, 4.0, 16.0];

/// The stabilising solution `X` of the continuous algebraic Riccati equation, row by row.
///
/// ```text
/// Aᵀ X + X A - X B R⁻¹ Bᵀ X + Q = 0      A: n × n   B: n × m   Q: n × n   R: m × m
/// ```
///
/// `Q` symmetric and positive semidefinite, `R` symmetric and positive definite. Moved to a
/// discrete equation by a Cayley transform with shift and solved by doubling; the shift with the
/// smallest residual is kept. Accuracy: the residual relative to its terms is a few hundred
/// roundings for well-conditioned problems and at most 1e-8. Cost: about 10 doublings of `O(n³)`.
///
/// Chu, E. K.-W., Fan, H.-Y., Lin, W.-W. (2005): A structure-preserving doubling algorithm for
/// continuous-time algebraic Riccati equations. Linear Algebra and its Applications 396, 55–80.
///
/// # Errors
///
/// [`ControlError::Shape`], [`ControlError::Value`], [`ControlError::Singular`] for `R`,
/// [`ControlError::NotStabilisable`].
///
/// # Examples
///
/// ```
/// use bifrons_blocks::control::care;
///
/// // Double integrator with unit weights: X = [√3 1; 1 √3].
/// let x = care(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], &[1.0, 0.0, 0.0, 1.0], &[1.0], [2, 1])?;
/// assert!((x[0] - 3.0_f64.sqrt()).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), bifrons_blocks::control::ControlError>(())
/// ```
pub fn care(
    a: &[f64],
    b: &[f64],
    q: &[f64],
    r: &[f64],
    [n, m]: [usize; 2],
) -> Result<Vec<f64>, ControlError> {
    let (a, g, q) = parts(a, b, q, r, [n, m])?;
    if n == 0 {
        return Ok(vec![]);
    }
    let base = 1.0_f64.min(a.size().max(1e-3)) + a.size() + (g.size() * q.size()).sqrt();
    let mut best: Option<(f64, Dense)> = None;
    for shift in SHIFTS {
        let Some((ad, gd, hd)) = cayley(&a, &g, &q, shift * base) else {
            continue;
        };
        let Some(x) = double(ad, gd, hd) else {
            continue;
        };
        let residual = continuous_residual(&a, &g, &q, &x);
        if residual.is_finite() && best.as_ref().is_none_or(|(known, _)| residual < *known) {
            best = Some((residual, x));
        }
    }
    accept(best)
}

/// The stabilising solution `X` of the discrete algebraic Riccati equation, row by row.
///
/// ```text
/// X = Aᵀ X A - Aᵀ X B (R + Bᵀ X B)⁻¹ Bᵀ X A + Q      A: n × n   B: n × m   Q: n × n   R: m × m
/// ```
///
/// `Q` symmetric and positive semidefinite, `R` symmetric and positive definite. `A` may be singular.
/// Doubling, whose `k`-th step is the `2^k`-th of the recursion of the finite horizon.
///
/// Chu, E. K.-W., Fan, H.-Y., Lin, W.-W., Wang, C.-S. (2004): Structure-preserving algorithms for
/// periodic discrete-time algebraic Riccati equations. International Journal of Control 77,
/// 767–788.
///
/// # Errors
///
/// As [`care`].
pub fn dare(
    a: &[f64],
    b: &[f64],
    q: &[f64],
    r: &[f64],
    [n, m]: [usize; 2],
) -> Result<Vec<f64>, ControlError> {
    let (a, g, q) = parts(a, b, q, r, [n, m])?;
    let solution = double(a.clone(), g.clone(), q.clone());
    accept(solution.map(|x| (discrete_residual(&a, &g, &q, &x), x)))
}

fn accept(best: Option<(f64, Dense)>) -> Result<Vec<f64>, ControlError> {
    match best {
        Some((residual, x)) if residual <= RESIDUAL => Ok(x.data),
        other => Err(ControlError::NotStabilisable {
            residual: other.map_or(f64::INFINITY, |(residual, _)| residual),
        }),
    }
}

/// `A`, `B R⁻¹ Bᵀ` and `Q`.
fn parts(
    a: &[f64],
    b: &[f64],
    q: &[f64],
    r: &[f64],
    [n, m]: [usize; 2],
) -> Result<(Dense, Dense, Dense), ControlError> {
    let a = Dense::checked("A", a, n, n)?;
    let b = Dense::checked("B", b, n, m)?;
    let q = Dense::checked("Q", q, n, n)?.symmetric();
    let r = Dense::checked("R", r, m, m)?.symmetric();
    let inner = r.solve(&b.transposed()).ok_or(ControlError::Singular {
        matrix: "R",
        fix: "every input needs a positive weight",
    })?;
    Ok((a, b.times(&inner).symmetric(), q))
}

/// The discrete equation with the same solution.
fn cayley(a: &Dense, g: &Dense, h: &Dense, shift: f64) -> Option<(Dense, Dense, Dense)> {
    let one = Dense::identity(a.rows);
    let shifted = a.plus(&one, -shift);
    let inverse = shifted.solve(&one)?;
    let middle = shifted.transposed().plus(&h.times(&inverse).times(g), 1.0);
    let w = middle.solve(&one)?;
    let ad = one.plus(&w.transposed(), 2.0 * shift);
    let gd = inverse.times(g).times(&w).scaled(2.0 * shift);
    let hd = w.times(h).times(&inverse).scaled(2.0 * shift);
    Some((ad, gd.symmetric(), hd.symmetric()))
}

/// Doubles until nothing changes.
fn double(mut a: Dense, mut g: Dense, mut h: Dense) -> Option<Dense> {
    let one = Dense::identity(a.rows);
    for _ in 0..DOUBLINGS {
        // W = (I + G H)⁻¹; W A and W G by one elimination each.
        let middle = one.plus(&g.times(&h), 1.0);
        let (wa, wg) = (middle.solve(&a)?, middle.solve(&g)?);
        let rise = a.transposed().times(&h).times(&wa).symmetric();
        let next = h.plus(&rise, 1.0);
        g = g
            .plus(&a.times(&wg).times(&a.transposed()), 1.0)
            .symmetric();
        a = a.times(&wa);
        let done = rise.size() <= f64::EPSILON * next.size();
        h = next;
        if !h.size().is_finite() {
            return None;
        }
        if done {
            break;
        }
    }
    Some(h)
}

fn relative(residual: &Dense, terms: &[&Dense]) -> f64 {
    let scale = terms.iter().map(|term| term.size()).sum::<f64>();
    if scale > 0.0 {
        residual.size() / scale
    } else {
        residual.size()
    }
}

fn continuous_residual(a: &Dense, g: &Dense, q: &Dense, x: &Dense) -> f64 {
    let linear = x.times(a);
    let square = x.times(g).times(x);
    let sum = linear.plus(&linear.transposed(), 1.0).plus(q, 1.0);
    relative(&sum.plus(&square, -1.0), &[&linear, &linear, &square, q])
}

/// `X = Aᵀ X (I + G X)⁻¹ A + Q`.
fn discrete_residual(a: &Dense, g: &Dense, q: &Dense, x: &Dense) -> f64 {
    let middle = Dense::identity(a.rows).plus(&g.times(x), 1.0);
    let Some(inner) = middle.solve(a) else {
        return f64::INFINITY;
    };
    let mapped = a.transposed().times(x).times(&inner);
    relative(&mapped.plus(q, 1.0).plus(x, -1.0), &[&mapped, q, x])
}
