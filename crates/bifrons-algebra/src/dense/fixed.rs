//! Dense LU with a dimension known at compile time: the loops unroll.
//!
//! The operations and their order are those of `plain`, so the bits are the same.

use super::plain::{judge, pivot};
use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;

pub(super) fn factor<S: Scalar, const N: usize>(
    a: &mut [S],
    swaps: &mut [u32],
) -> Result<Pivots, FactorError> {
    let (columns, _) = a.as_chunks_mut::<N>();
    let Some((columns, _)) = columns.split_first_chunk_mut::<N>() else {
        return Ok(Pivots::NONE);
    };
    let mut pivots = Pivots::NONE;
    for k in 0..N {
        let (row, size) = pivot(&columns[k], k);
        judge(size, k, &mut pivots)?;
        #[expect(clippy::cast_possible_truncation, reason = "N is at most 8")]
        {
            swaps[k] = row as u32;
        }
        if row != k {
            for column in columns.iter_mut() {
                column.swap(k, row);
            }
        }
        let inverse = columns[k][k].reciprocal();
        columns[k][k] = inverse;
        for i in k + 1..N {
            columns[k][i] = columns[k][i] * inverse;
        }
        for j in k + 1..N {
            let factor = columns[j][k];
            for i in k + 1..N {
                let l = columns[k][i];
                columns[j][i] -= l * factor;
            }
        }
    }
    Ok(pivots)
}

#[inline]
pub(super) fn solve<S: Scalar, const N: usize>(a: &[S], swaps: &[u32], x: &mut [S]) {
    let (columns, _) = a.as_chunks::<N>();
    let (Some((columns, _)), Some((swaps, _)), Some((target, _))) = (
        columns.split_first_chunk::<N>(),
        swaps.split_first_chunk::<N>(),
        x.split_first_chunk_mut::<N>(),
    ) else {
        return;
    };
    let mut x = *target;
    for k in 0..N {
        x.swap(k, swaps[k] as usize);
    }
    for k in 0..N {
        for i in k + 1..N {
            let l = columns[k][i];
            x[i] -= l * x[k];
        }
    }
    for k in (0..N).rev() {
        x[k] = x[k] * columns[k][k];
        for i in 0..k {
            let u = columns[k][i];
            x[i] -= u * x[k];
        }
    }
    *target = x;
}
