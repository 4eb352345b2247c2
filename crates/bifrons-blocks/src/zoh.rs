//! Sampled linear systems: exact discretisation behind a zero-order hold.

use bifrons_hybrid::BlockError;

use crate::check::{refuse, shape};

/// Terms of the exponential series; with arguments of norm at most 1/2 the rest is below 1e-21.
const TERMS: u32 = 18;

/// Matrices `[Ad, Bd]` of the sampled system, row by row.
///
/// ```text
/// exp(h [A B; 0 0]) = [Ad Bd; 0 I]      x[k+1] = Ad x[k] + Bd u[k]
/// ```
///
/// `a` has `n × n` and `b` `n × m` entries, row by row; `n` may be zero. The matrix exponential of
/// the augmented matrix needs no inverse, so that `A` may be singular. Accuracy: a few units in
/// the last place of the largest entry (scaling and squaring of the Taylor series).
///
/// Van Loan, C. F. (1978): Computing integrals involving the matrix exponential. IEEE
/// Transactions on Automatic Control 23, 395–404.
///
/// # Errors
///
/// [`BlockError::Value`] for a period that is not positive and finite or an entry that is not
/// finite, [`BlockError::Shape`] for lengths that do not fit.
///
/// # Examples
///
/// ```
/// // Double integrator, h = 0.1.
/// let [ad, bd] = bifrons_blocks::zoh(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], 2, 1, 0.1)?;
/// assert_eq!(ad, [1.0, 0.1, 0.0, 1.0]);
/// assert!((bd[0] - 0.005).abs() < 1e-17);
/// # Ok::<(), bifrons_hybrid::BlockError>(())
/// ```
pub fn zoh(
    a: &[f64],
    b: &[f64],
    states: usize,
    inputs: usize,
    h: f64,
) -> Result<[Vec<f64>; 2], BlockError> {
    const KIND: &str = "zoh";
    if !(h > 0.0 && h.is_finite()) {
        return Err(refuse(KIND, "h", h, "must be positive and finite"));
    }
    for (setting, found, required) in [
        ("A", a.len(), states * states),
        ("B", b.len(), states * inputs),
    ] {
        if found != required {
            let required = format!("{required} entries");
            return Err(shape(KIND, setting, &required, format!("{found} entries")));
        }
    }
    if let Some(value) = a.iter().chain(b).find(|value| !value.is_finite()) {
        return Err(refuse(KIND, "entry", *value, "must be finite"));
    }
    let size = states + inputs;
    let mut generator = vec![0.0; size * size];
    for row in 0..states {
        for column in 0..states {
            generator[row * size + column] = h * a[row * states + column];
        }
        for column in 0..inputs {
            generator[row * size + states + column] = h * b[row * inputs + column];
        }
    }
    let exponential = exponential(&generator, size);
    let rows = |columns: core::ops::Range<usize>| {
        (0..states)
            .flat_map(|row| exponential[row * size..][columns.clone()].to_vec())
            .collect()
    };
    Ok([rows(0..states), rows(states..size)])
}

/// The exponential of a square matrix, row by row.
fn exponential(matrix: &[f64], size: usize) -> Vec<f64> {
    let norm = (0..size)
        .map(|row| {
            matrix[row * size..][..size]
                .iter()
                .map(|x| x.abs())
                .sum::<f64>()
        })
        .fold(0.0, f64::max);
    let mut squarings = 0;
    let mut scale = 1.0;
    while norm * scale > 0.5 && squarings < 1100 {
        scale *= 0.5;
        squarings += 1;
    }
    let scaled: Vec<f64> = matrix.iter().map(|x| x * scale).collect();
    // Horner's form: I + M (I + M/2 (I + M/3 (…))).
    let mut sum = identity(size);
    for term in (1..=TERMS).rev() {
        sum = product(&scaled, &sum, size);
        for value in &mut sum {
            *value /= f64::from(term);
        }
        for diagonal in 0..size {
            sum[diagonal * size + diagonal] += 1.0;
        }
    }
    for _ in 0..squarings {
        sum = product(&sum, &sum, size);
    }
    sum
}

fn identity(size: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; size * size];
    for diagonal in 0..size {
        matrix[diagonal * size + diagonal] = 1.0;
    }
    matrix
}

fn product(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let mut result = vec![0.0; size * size];
    for row in 0..size {
        for inner in 0..size {
            let factor = a[row * size + inner];
            for column in 0..size {
                result[row * size + column] += factor * b[inner * size + column];
            }
        }
    }
    result
}
