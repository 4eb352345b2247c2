//! Dense LU of `W` matrices at once: each lane has pivots of its own.
//!
//! The operations and their order are those of the dense factorisation of `bifrons-algebra`, so
//! the bits are the same. Rows are exchanged by selection: where no lane asks for it, nothing is
//! moved.

/// Factors `P A = L U` of every lane in place, by columns, with partial pivoting; the diagonal of
/// `U` is stored as reciprocals. `rows[k]` is the row exchanged with row `k`; `failed` is set where
/// a pivot has no reciprocal or an entry is not finite. Returns a bit for every `k` with an
/// exchange on some lane; `n` is at most 64.
#[inline(always)]
pub(super) fn factor<const W: usize>(
    n: usize,
    a: &mut [[f64; W]],
    rows: &mut [[f64; W]],
    failed: &mut [bool; W],
) -> u64 {
    let (a, rows) = (&mut a[..n * n], &mut rows[..n]);
    let mut exchanged = 0;
    for k in 0..n {
        if pivot(n, k, a, &mut rows[k], failed) {
            exchanged |= 1 << k;
            exchange(n, k, a, &rows[k]);
        }
        let mut inverse = [0.0; W];
        for l in 0..W {
            inverse[l] = 1.0 / a[k * n + k][l];
        }
        a[k * n + k] = inverse;
        for i in k + 1..n {
            for l in 0..W {
                a[k * n + i][l] *= inverse[l];
            }
        }
        for j in k + 1..n {
            let factor = a[j * n + k];
            for i in k + 1..n {
                let lower = a[k * n + i];
                let mut value = a[j * n + i];
                for l in 0..W {
                    value[l] -= lower[l] * factor[l];
                }
                a[j * n + i] = value;
            }
        }
    }
    exchanged
}

/// Finds the largest entry of column `k` from row `k` on; true if some lane has it elsewhere.
#[inline(always)]
fn pivot<const W: usize>(
    n: usize,
    k: usize,
    a: &[[f64; W]],
    rows: &mut [f64; W],
    failed: &mut [bool; W],
) -> bool {
    let (mut best, mut row) = ([-1.0; W], [k as f64; W]);
    for i in k..n {
        let entry = a[k * n + i];
        for l in 0..W {
            let size = entry[l].abs();
            let larger = !(size <= best[l]);
            row[l] = if larger { i as f64 } else { row[l] };
            best[l] = if larger { size } else { best[l] };
        }
    }
    let mut any = false;
    for l in 0..W {
        // Not a number stays the largest: nothing is at least as small.
        let regular = (best[l] > f64::MIN_POSITIVE) & (best[l] < f64::INFINITY);
        failed[l] |= !regular;
        any |= row[l] > k as f64;
    }
    *rows = row;
    any
}

/// Exchanges row `k` with the chosen row of every lane, in all columns.
#[inline(always)]
fn exchange<const W: usize>(n: usize, k: usize, a: &mut [[f64; W]], rows: &[f64; W]) {
    for column in a.chunks_exact_mut(n) {
        select(n, k, column, rows);
    }
}

/// Exchanges entry `k` of a column with the chosen one of every lane.
#[inline(always)]
fn select<const W: usize>(n: usize, k: usize, column: &mut [[f64; W]], rows: &[f64; W]) {
    let mut top = column[k];
    for i in k + 1..n {
        let mut entry = column[i];
        for l in 0..W {
            let chosen = rows[l].to_bits() == (i as f64).to_bits();
            let (old_top, old) = (top[l], entry[l]);
            top[l] = if chosen { old } else { old_top };
            entry[l] = if chosen { old_top } else { old };
        }
        column[i] = entry;
    }
    column[k] = top;
}

/// Replaces the right-hand side of every lane by the solution.
#[inline(always)]
pub(super) fn solve<const W: usize>(
    n: usize,
    a: &[[f64; W]],
    rows: &[[f64; W]],
    exchanged: u64,
    x: &mut [[f64; W]],
) {
    let (a, x) = (&a[..n * n], &mut x[..n]);
    if exchanged != 0 {
        for k in 0..n {
            if exchanged >> k & 1 == 1 {
                select(n, k, x, &rows[k]);
            }
        }
    }
    for k in 0..n {
        let factor = x[k];
        for i in k + 1..n {
            for l in 0..W {
                x[i][l] -= a[k * n + i][l] * factor[l];
            }
        }
    }
    for k in (0..n).rev() {
        let mut factor = x[k];
        for l in 0..W {
            factor[l] *= a[k * n + k][l];
        }
        x[k] = factor;
        for i in 0..k {
            for l in 0..W {
                x[i][l] -= a[k * n + i][l] * factor[l];
            }
        }
    }
}
