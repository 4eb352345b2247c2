//! From continuous to discrete time.

use bifrons_hybrid::BlockError;

use crate::control::ControlError;
use crate::control::dense::Dense;

/// Matrices of a sampled system, row by row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sampled {
    /// `n × n`.
    pub a: Vec<f64>,
    /// `n × m`.
    pub b: Vec<f64>,
    /// `p × n`.
    pub c: Vec<f64>,
    /// `p × m`.
    pub d: Vec<f64>,
}

/// The exact sampled system behind a hold of order zero, by the matrix exponential.
///
/// Matrices `[A, B, C, D]` row by row for `[n, m, p]` states, inputs and outputs; see
/// [`zoh`](crate::zoh()) for formula and accuracy. `A` may be singular.
///
/// # Errors
///
/// [`BlockError`] as [`zoh`](crate::zoh()).
pub fn sample_zoh(
    [a, b, c, d]: [&[f64]; 4],
    [n, m, _]: [usize; 3],
    h: f64,
) -> Result<Sampled, BlockError> {
    let [a, b] = crate::zoh(a, b, n, m, h)?;
    let [c, d] = [c, d].map(<[f64]>::to_vec);
    Ok(Sampled { a, b, c, d })
}

/// The sampled system by Tustin's rule `s = (2/h) (z - 1)/(z + 1)`.
///
/// ```text
/// M = (I - h/2 A)⁻¹
/// Ad = M (I + h/2 A)   Bd = h M M B   Cd = C   Dd = D + h/2 C M B
/// ```
///
/// The half plane of stability is mapped to the unit disc; the frequency response at `ω` is that of
/// the continuous system at `(2/h) tan(ω h/2)`. Matrices `[A, B, C, D]` row by row for `[n, m, p]`.
///
/// Tustin, A. (1947): A method of analysing the behaviour of linear systems in terms of time
/// series. Journal of the Institution of Electrical Engineers 94, 130–142.
///
/// # Errors
///
/// [`ControlError::Shape`], [`ControlError::Value`], [`ControlError::Singular`] if `2/h` is an
/// eigenvalue of `A`.
pub fn sample_tustin(
    [a, b, c, d]: [&[f64]; 4],
    [n, m, p]: [usize; 3],
    h: f64,
) -> Result<Sampled, ControlError> {
    if !(h > 0.0 && h.is_finite()) {
        return Err(ControlError::Value {
            setting: "h",
            value: h,
            requirement: "must be positive and finite",
        });
    }
    let a = Dense::checked("A", a, n, n)?;
    let b = Dense::checked("B", b, n, m)?;
    let c = Dense::checked("C", c, p, n)?;
    let d = Dense::checked("D", d, p, m)?;
    let one = Dense::identity(n);
    let below = one.plus(&a, -0.5 * h);
    let above = one.plus(&a, 0.5 * h);
    let singular = ControlError::Singular {
        matrix: "I - h/2 A",
        fix: "choose another period",
    };
    let mb = below.solve(&b).ok_or(singular.clone())?;
    let mmb = below.solve(&mb).ok_or(singular.clone())?;
    let ad = below.solve(&above).ok_or(singular)?;
    let through = d.plus(&c.times(&mb), 0.5 * h);
    Ok(Sampled {
        a: ad.data,
        b: mmb.scaled(h).data,
        c: c.data,
        d: through.data,
    })
}
