//! Placing poles.

use crate::control::ControlError;
use crate::control::dense::Dense;
use crate::regulator::from_roots;

/// The gain `K` of `u = -K x` that gives `A - B K` these eigenvalues, for one input.
///
/// ```text
/// K = [0 … 0 1] [B  A B  …  Aⁿ⁻¹ B]⁻¹ φ(A)      φ(s) = Π (s - pole)
/// ```
///
/// A pole that is not real stands for itself and its conjugate, which is not listed. For an
/// observer place the poles of `Aᵀ`, `Cᵀ`: the gain is `Lᵀ`. The condition of the controllability matrix grows
/// fast with `n`: up to about 8 states the eigenvalues keep several digits; beyond that prefer
/// [`lqr`](crate::control::lqr).
///
/// Ackermann, J. (1972): Der Entwurf linearer Regelungssysteme im Zustandsraum.
/// Regelungstechnik 20, 297–300.
///
/// # Errors
///
/// [`ControlError::Shape`], also for another number of poles than states, [`ControlError::Value`],
/// [`ControlError::Singular`] if the system is not controllable.
///
/// # Examples
///
/// ```
/// use bifrons_blocks::control::place;
///
/// // Double integrator with poles -1 ± 2i: s² + 2 s + 5.
/// let k = place(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], &[(-1.0, 2.0)])?;
/// assert_eq!(k, [5.0, 2.0]);
/// # Ok::<(), bifrons_blocks::control::ControlError>(())
/// ```
pub fn place(a: &[f64], b: &[f64], poles: &[(f64, f64)]) -> Result<Vec<f64>, ControlError> {
    let n = b.len();
    let a = Dense::checked("A", a, n, n)?;
    let b = Dense::checked("B", b, n, 1)?;
    for (re, im) in poles {
        Dense::checked("poles", &[*re, *im], 1, 2)?;
    }
    let polynomial = from_roots(poles);
    if polynomial.len() != n + 1 {
        return Err(ControlError::Shape {
            matrix: "poles",
            rows: n,
            columns: 1,
            found: polynomial.len() - 1,
        });
    }
    if n == 0 {
        return Ok(vec![]);
    }
    let mut controllability = Dense::zero(n, n);
    let mut column = b;
    for j in 0..n {
        for i in 0..n {
            controllability.data[i * n + j] = column.at(i, 0);
        }
        column = a.times(&column);
    }
    let mut last = Dense::zero(n, 1);
    last.data[n - 1] = 1.0;
    let row = controllability.transposed().solve(&last);
    let row = row.ok_or(ControlError::Singular {
        matrix: "[B  A B  …  Aⁿ⁻¹ B]",
        fix: "the input must reach every state",
    })?;
    let one = Dense::identity(n);
    let mut phi = Dense::zero(n, n);
    for coefficient in polynomial {
        phi = phi.times(&a).plus(&one, coefficient);
    }
    Ok(row.transposed().times(&phi).data)
}
