//! Loops over the components, unrolled for few of them.

use bifrons_algebra::Complex;

use super::tables::{P, T, TI};
use crate::implicit::norm::{count, weigh};

/// Three rows of `n` numbers.
#[inline(always)]
fn rows(v: &[f64], n: usize) -> [&[f64]; 3] {
    [&v[..n], &v[n..2 * n], &v[2 * n..3 * n]]
}

/// Writes `T⁻¹ F`: the first component to `real`, the pair to `pair`.
pub(super) fn transform<const N: usize>(
    n: usize,
    f: &[f64],
    real: &mut [f64],
    pair: &mut [Complex],
) {
    let n = count::<N>(n);
    let ([a, b, c], real, pair) = (rows(f, n), &mut real[..n], &mut pair[..n]);
    for i in 0..n {
        let combine = |t: &[f64; 3]| t[0] * a[i] + t[1] * b[i] + t[2] * c[i];
        real[i] = combine(&TI[0]);
        pair[i] = Complex::new(combine(&TI[1]), combine(&TI[2]));
    }
}

/// Subtracts `g W₁` and `z (W₂ + i W₃)`, where the mass matrix is the identity.
pub(super) fn subtract<const N: usize>(
    n: usize,
    g: f64,
    z: Complex,
    w: &[f64],
    real: &mut [f64],
    pair: &mut [Complex],
) {
    let n = count::<N>(n);
    let ([a, b, c], real, pair) = (rows(w, n), &mut real[..n], &mut pair[..n]);
    for i in 0..n {
        real[i] -= g * a[i];
        pair[i] -= z * Complex::new(b[i], c[i]);
    }
}

/// Adds the corrections to `W`, writes `Z = T W`; returns the mean square of the weighted
/// corrections of all stages.
pub(super) fn correct<const N: usize>(
    n: usize,
    steps: (f64, &[f64], &[Complex]),
    weights: &[f64],
    w: &mut [f64],
    z: &mut [f64],
) -> f64 {
    let n = count::<N>(n);
    let (scale, real, pair) = (steps.0, &steps.1[..n], &steps.2[..n]);
    let (weights, w, z) = (&weights[..n], &mut w[..3 * n], &mut z[..3 * n]);
    let mut sum = 0.0;
    for i in 0..n {
        let d = [scale * real[i], pair[i].re, pair[i].im];
        let mut v = [0.0; 3];
        for k in 0..3 {
            let r = weigh(d[k], weights[i]);
            sum += r * r;
            v[k] = w[k * n + i] + d[k];
            w[k * n + i] = v[k];
        }
        for k in 0..3 {
            z[k * n + i] = T[k][0] * v[0] + T[k][1] * v[1] + T[k][2] * v[2];
        }
    }
    sum / (3 * n) as f64
}

/// Writes `W = T⁻¹ Z`.
pub(super) fn to_eigenvectors(n: usize, z: &[f64], w: &mut [f64]) {
    for i in 0..n {
        for k in 0..3 {
            w[k * n + i] = (0..3).map(|j| TI[k][j] * z[j * n + i]).sum();
        }
    }
}

/// Writes the powers of the collocation polynomial.
pub(super) fn collocate(n: usize, z: &[f64], powers: &mut [f64]) {
    for i in 0..n {
        for k in 0..3 {
            powers[k * n + i] = (0..3).map(|j| P[j][k] * z[j * n + i]).sum();
        }
    }
}
