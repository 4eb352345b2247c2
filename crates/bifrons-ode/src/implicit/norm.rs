//! Weighted norms, with loops that unroll for few components.
//!
//! Every function takes the number of components twice: as a constant `N`, zero if it is not known
//! at compile time, and as `n`. `fixed!` chooses the instance.

/// Calls a function `f::<N>(n, …)` with `N = n` for up to eight components, else `N = 0`.
macro_rules! fixed {
    ($n:expr, $f:ident, ($($argument:expr),* $(,)?)) => {
        match $n {
            1 => $f::<1>(1, $($argument),*),
            2 => $f::<2>(2, $($argument),*),
            3 => $f::<3>(3, $($argument),*),
            4 => $f::<4>(4, $($argument),*),
            5 => $f::<5>(5, $($argument),*),
            6 => $f::<6>(6, $($argument),*),
            7 => $f::<7>(7, $($argument),*),
            8 => $f::<8>(8, $($argument),*),
            n => $f::<0>(n, $($argument),*),
        }
    };
}
pub(super) use fixed;

/// The number of components, a constant where it is known.
#[inline(always)]
pub(super) const fn count<const N: usize>(n: usize) -> usize {
    if N > 0 { N } else { n }
}

/// `v w`, and zero where `v` is zero even if the weight is infinite.
#[inline(always)]
pub(super) fn weigh(v: f64, w: f64) -> f64 {
    if v == 0.0 { 0.0 } else { v * w }
}

/// Writes `1 / (atol_i + rtol |y_i|)`; returns the largest `|y_i| w_i`.
pub(super) fn weights<const N: usize>(
    n: usize,
    y: &[f64],
    relative: f64,
    absolute: &[f64],
    out: &mut [f64],
) -> f64 {
    let n = count::<N>(n);
    let (y, absolute, out) = (&y[..n], &absolute[..n], &mut out[..n]);
    let mut largest = 0.0_f64;
    for i in 0..n {
        let size = y[i].abs();
        out[i] = 1.0 / (absolute[i] + relative * size);
        largest = largest.max(weigh(size, out[i]));
    }
    largest
}

/// Mean square of `v_i w_i`.
pub(super) fn mean_square<const N: usize>(n: usize, v: &[f64], w: &[f64]) -> f64 {
    let n = count::<N>(n);
    let (v, w) = (&v[..n], &w[..n]);
    let mut sum = 0.0;
    for i in 0..n {
        let r = weigh(v[i], w[i]);
        sum += r * r;
    }
    sum / n as f64
}

/// Component with the largest `|v_i| w_i`, the first that is NaN if there is one.
pub(super) fn worst(v: &[f64], w: &[f64]) -> usize {
    let (mut at, mut most) = (0, -1.0);
    for (i, (&v, &w)) in v.iter().zip(w).enumerate() {
        let size = weigh(v, w).abs();
        if !(size <= most) {
            (at, most) = (i, size);
            if size.is_nan() {
                break;
            }
        }
    }
    at
}
