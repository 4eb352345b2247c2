//! Loops over the components, unrolled for few of them.

use super::tables::{Change, GAMMA, MAX_ORDER, alpha};
use crate::implicit::norm::{count, weigh};

/// Writes `y⁰` and `ψ` from the differences.
pub(super) fn predict<const N: usize>(
    n: usize,
    differences: &[f64],
    q: usize,
    predicted: &mut [f64],
    psi: &mut [f64],
) {
    let n = count::<N>(n);
    let (predicted, psi) = (&mut predicted[..n], &mut psi[..n]);
    predicted.copy_from_slice(&differences[..n]);
    psi.fill(0.0);
    let scale = 1.0 / alpha(q);
    for (k, row) in differences.chunks_exact(n).enumerate().take(q + 1).skip(1) {
        let factor = GAMMA[k] * scale;
        for i in 0..n {
            predicted[i] += row[i];
            psi[i] += factor * row[i];
        }
    }
}

/// Writes `c f − ψ − d`.
pub(super) fn residual<const N: usize>(
    n: usize,
    c: f64,
    f: &[f64],
    psi: &[f64],
    d: &[f64],
    out: &mut [f64],
) {
    let n = count::<N>(n);
    let (f, psi, d, out) = (&f[..n], &psi[..n], &d[..n], &mut out[..n]);
    for i in 0..n {
        out[i] = c * f[i] - psi[i] - d[i];
    }
}

/// What a Newton correction changes.
pub(super) struct Correct<'a> {
    pub(super) delta: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) predicted: &'a [f64],
    pub(super) d: &'a mut [f64],
    pub(super) y: &'a mut [f64],
}

/// Adds `scale δ` to `d`, writes `y = y⁰ + d`, returns the mean square of the weighted `scale δ`.
pub(super) fn correct<const N: usize>(n: usize, scale: f64, arrays: Correct<'_>) -> f64 {
    let n = count::<N>(n);
    let (delta, weights) = (&arrays.delta[..n], &arrays.weights[..n]);
    let (predicted, d, y) = (
        &arrays.predicted[..n],
        &mut arrays.d[..n],
        &mut arrays.y[..n],
    );
    let mut sum = 0.0;
    for i in 0..n {
        let step = scale * delta[i];
        let r = weigh(step, weights[i]);
        sum += r * r;
        d[i] += step;
        y[i] = predicted[i] + d[i];
    }
    sum / n as f64
}

/// Two states and the tolerances that weigh a difference between them.
pub(super) struct Between<'a> {
    pub(super) old: &'a [f64],
    pub(super) new: &'a [f64],
    pub(super) relative: f64,
    pub(super) absolute: &'a [f64],
}

/// Writes the weights `1 / (atol + rtol max(|y_old|, |y_new|))`, returns the mean square of the
/// weighted `v`.
pub(super) fn error<const N: usize>(
    n: usize,
    v: &[f64],
    between: &Between<'_>,
    weights: &mut [f64],
) -> f64 {
    let n = count::<N>(n);
    let (v, old, new) = (&v[..n], &between.old[..n], &between.new[..n]);
    let (absolute, weights) = (&between.absolute[..n], &mut weights[..n]);
    let mut sum = 0.0;
    for i in 0..n {
        let size = old[i].abs().max(new[i].abs());
        weights[i] = 1.0 / (absolute[i] + between.relative * size);
        let r = weigh(v[i], weights[i]);
        sum += r * r;
    }
    sum / n as f64
}

/// Differences after an accepted step of order `q` with correction `d`.
pub(super) fn advance<const N: usize>(n: usize, differences: &mut [f64], q: usize, d: &[f64]) {
    let n = count::<N>(n);
    let d = &d[..n];
    for i in 0..n {
        let high = d[i] - differences[(q + 1) * n + i];
        differences[(q + 2) * n + i] = high;
        let mut sum = d[i];
        differences[(q + 1) * n + i] = sum;
        for k in (0..=q).rev() {
            sum += differences[k * n + i];
            differences[k * n + i] = sum;
        }
    }
}

/// Differences of order `0 ..= q` for another step.
pub(super) fn rescale<const N: usize>(
    n: usize,
    differences: &mut [f64],
    q: usize,
    change: &Change,
) {
    let n = count::<N>(n);
    for i in 0..n {
        let mut old = [0.0; MAX_ORDER + 1];
        for k in 1..=q {
            old[k] = differences[k * n + i];
        }
        for k in 1..=q {
            let mut sum = 0.0;
            for j in 1..=q {
                sum += change[j][k] * old[j];
            }
            differences[k * n + i] = sum;
        }
    }
}
