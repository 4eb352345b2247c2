//! Loops over the components, unrolled for few of them.

use super::tables::MAX_STAGES;
use crate::implicit::norm::{count, weigh};

/// Writes `y + Σ_j a_j K_j` for the first `stages` rows of `k`.
pub(super) fn combine<const N: usize>(
    n: usize,
    y: &[f64],
    k: &[f64],
    a: &[f64; MAX_STAGES],
    stages: usize,
    out: &mut [f64],
) {
    let n = count::<N>(n);
    let (y, out) = (&y[..n], &mut out[..n]);
    out.copy_from_slice(y);
    for (row, &a) in k.chunks_exact(n).zip(a).take(stages) {
        for i in 0..n {
            out[i] += a * row[i];
        }
    }
}

/// Writes `c f − d`.
pub(super) fn residual<const N: usize>(n: usize, c: f64, f: &[f64], d: &[f64], out: &mut [f64]) {
    let n = count::<N>(n);
    let (f, d, out) = (&f[..n], &d[..n], &mut out[..n]);
    for i in 0..n {
        out[i] = c * f[i] - d[i];
    }
}

/// What a Newton correction changes.
pub(super) struct Correct<'a> {
    pub(super) delta: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) base: &'a [f64],
    pub(super) d: &'a mut [f64],
    pub(super) y: &'a mut [f64],
}

/// Adds `scale δ` to `d`, writes `y = base + d`, returns the mean square of the weighted `scale δ`.
pub(super) fn correct<const N: usize>(n: usize, scale: f64, arrays: Correct<'_>) -> f64 {
    let n = count::<N>(n);
    let (delta, weights) = (&arrays.delta[..n], &arrays.weights[..n]);
    let (base, d, y) = (&arrays.base[..n], &mut arrays.d[..n], &mut arrays.y[..n]);
    let mut sum = 0.0;
    for i in 0..n {
        let step = scale * delta[i];
        let r = weigh(step, weights[i]);
        sum += r * r;
        d[i] += step;
        y[i] = base[i] + d[i];
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

/// The last accepted step and the place of a stage in the next one.
pub(super) struct Extrapolate<'a> {
    /// Time of the stage after the end of the last step, in units of that step.
    pub(super) s: f64,
    pub(super) old: &'a [f64],
    pub(super) y: &'a [f64],
    /// `h y'` at the end of the last step.
    pub(super) end: &'a [f64],
    pub(super) base: &'a [f64],
}

/// Writes `d` such that `base + d` is the parabola through both ends of the last step with the
/// slope at the second one.
pub(super) fn extrapolate<const N: usize>(n: usize, from: &Extrapolate<'_>, d: &mut [f64]) {
    let n = count::<N>(n);
    let (old, y, end) = (&from.old[..n], &from.y[..n], &from.end[..n]);
    let (base, d, s) = (&from.base[..n], &mut d[..n], from.s);
    for i in 0..n {
        let bend = end[i] - (y[i] - old[i]);
        d[i] = y[i] + s * (end[i] + s * bend) - base[i];
    }
}
