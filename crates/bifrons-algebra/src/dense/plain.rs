//! Dense LU by plain loops over columns, for any dimension.

use bifrons_lanes::{Kernel, Level};

use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;

/// Row of the largest entry of `column` from row `k` on, and its size; `None` in place of the size
/// if an entry is not finite.
#[inline(always)]
pub(super) fn pivot<S: Scalar>(column: &[S], k: usize) -> (usize, Option<f64>) {
    let (mut row, mut best) = (k, -1.0);
    for (i, value) in column.iter().enumerate().skip(k) {
        let size = value.size();
        if !(size <= best) {
            if !size.is_finite() {
                return (i, None);
            }
            (row, best) = (i, size);
        }
    }
    (row, Some(best))
}

/// Judges a pivot of size `size`: its reciprocal must exist.
#[inline(always)]
pub(super) fn judge(
    size: Option<f64>,
    column: usize,
    pivots: &mut Pivots,
) -> Result<(), FactorError> {
    match size {
        None => Err(FactorError::NotFinite { column }),
        Some(size) if size > f64::MIN_POSITIVE => {
            pivots.see(size, column);
            Ok(())
        }
        Some(_) => Err(FactorError::Singular { column }),
    }
}

/// Factorisation by the widest instructions of the machine; the bits do not depend on them.
pub(super) fn factor<S: Scalar>(
    n: usize,
    a: &mut [S],
    swaps: &mut [u32],
) -> Result<Pivots, FactorError> {
    Level::detect().dispatch(Factor { n, a, swaps })
}

/// Solution by the widest instructions of the machine.
pub(super) fn solve<S: Scalar>(n: usize, a: &[S], swaps: &[u32], x: &mut [S]) {
    Level::detect().dispatch(Solve { n, a, swaps, x });
}

struct Factor<'a, S> {
    n: usize,
    a: &'a mut [S],
    swaps: &'a mut [u32],
}

impl<S: Scalar> Kernel for Factor<'_, S> {
    type Output = Result<Pivots, FactorError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        factor_loops(self.n, self.a, self.swaps)
    }
}

struct Solve<'a, S> {
    n: usize,
    a: &'a [S],
    swaps: &'a [u32],
    x: &'a mut [S],
}

impl<S: Scalar> Kernel for Solve<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        solve_loops(self.n, self.a, self.swaps, self.x);
    }
}

#[inline(always)]
fn factor_loops<S: Scalar>(
    n: usize,
    a: &mut [S],
    swaps: &mut [u32],
) -> Result<Pivots, FactorError> {
    let mut pivots = Pivots::NONE;
    for k in 0..n {
        let (row, size) = pivot(&a[k * n..(k + 1) * n], k);
        judge(size, k, &mut pivots)?;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "own code is used below 65 rows only"
        )]
        {
            swaps[k] = row as u32;
        }
        if row != k {
            for column in a.chunks_exact_mut(n) {
                column.swap(k, row);
            }
        }
        let (done, rest) = a.split_at_mut((k + 1) * n);
        let lower = &mut done[k * n + k..];
        let inverse = lower[0].reciprocal();
        lower[0] = inverse;
        for l in &mut lower[1..] {
            *l = *l * inverse;
        }
        for column in rest.chunks_exact_mut(n) {
            let factor = column[k];
            for (x, &l) in column[k + 1..].iter_mut().zip(&lower[1..]) {
                *x -= l * factor;
            }
        }
    }
    Ok(pivots)
}

#[inline(always)]
fn solve_loops<S: Scalar>(n: usize, a: &[S], swaps: &[u32], x: &mut [S]) {
    let x = &mut x[..n];
    for k in 0..n {
        x.swap(k, swaps[k] as usize);
    }
    for k in 0..n {
        let factor = x[k];
        let lower = &a[k * n + k + 1..(k + 1) * n];
        for (x, &l) in x[k + 1..].iter_mut().zip(lower) {
            *x -= l * factor;
        }
    }
    for k in (0..n).rev() {
        let factor = x[k] * a[k * n + k];
        x[k] = factor;
        for (x, &u) in x[..k].iter_mut().zip(&a[k * n..k * n + k]) {
            *x -= u * factor;
        }
    }
}

pub(super) fn solve_transposed<S: Scalar>(n: usize, a: &[S], swaps: &[u32], x: &mut [S]) {
    let x = &mut x[..n];
    for k in 0..n {
        let mut sum = x[k];
        for (&x, &u) in x[..k].iter().zip(&a[k * n..k * n + k]) {
            sum -= u * x;
        }
        x[k] = sum * a[k * n + k];
    }
    for k in (0..n).rev() {
        let mut sum = x[k];
        for (&x, &l) in x[k + 1..].iter().zip(&a[k * n + k + 1..(k + 1) * n]) {
            sum -= l * x;
        }
        x[k] = sum;
    }
    for k in (0..n).rev() {
        x.swap(k, swaps[k] as usize);
    }
}
