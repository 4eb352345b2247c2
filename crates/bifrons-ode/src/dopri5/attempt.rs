//! One attempted step of every lane.

use super::control::Control;
use super::tables::{
    A21, A31, A32, A41, A42, A43, A51, A52, A53, A54, A61, A62, A63, A64, A65, A71, A73, A74, A75,
    A76, C2, C3, C4, C5, E1, E3, E4, E5, E6, E7,
};
use crate::problem::LaneProblem;

/// The arrays of a step, `n` components of `W` lanes each.
#[derive(Debug)]
pub(crate) struct Stages<'w, const W: usize> {
    pub(crate) y: &'w mut [[f64; W]],
    pub(crate) y_new: &'w mut [[f64; W]],
    pub(crate) k1: &'w mut [[f64; W]],
    pub(crate) k2: &'w mut [[f64; W]],
    pub(crate) k3: &'w mut [[f64; W]],
    pub(crate) k4: &'w mut [[f64; W]],
    pub(crate) k5: &'w mut [[f64; W]],
    pub(crate) k6: &'w mut [[f64; W]],
    pub(crate) k7: &'w mut [[f64; W]],
    pub(crate) stage: &'w mut [[f64; W]],
}

/// `out = y + h (a₁ k₁ + a₂ k₂ + …)`, summed from the left.
macro_rules! combine {
    ($n:expr, $out:expr, $y:expr, $h:expr, $a0:ident * $k0:expr $(, $a:ident * $k:expr)*) => {{
        let (out, y, h) = (&mut $out[..$n], &$y[..$n], $h);
        for i in 0..$n {
            // A local array cannot alias the stages, so the loop needs no run-time checks.
            let mut sum = [0.0; W];
            for l in 0..W {
                sum[l] = y[i][l] + h[l] * ($a0 * $k0[i][l] $(+ $a * $k[i][l])*);
            }
            out[i] = sum;
        }
    }};
}

#[inline(always)]
fn at<const W: usize>(t: &[f64; W], h: &[f64; W], c: f64) -> [f64; W] {
    let mut out = [0.0; W];
    for l in 0..W {
        out[l] = t[l] + c * h[l];
    }
    out
}

impl<const W: usize> Stages<'_, W> {
    /// Advances every lane from `t` by `h` into `y_new`, and leaves `f(t_new, y_new)` in `k7`.
    ///
    /// `k1` holds `f(t, y)`. The sixth stage and the end are evaluated at `t_new` itself.
    #[inline(always)]
    pub(crate) fn attempt<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
        t_new: &[f64; W],
    ) {
        let y = &self.y[..n];
        let k1 = &self.k1[..n];
        let stage = &mut self.stage[..n];
        let (k2, k3) = (&mut self.k2[..n], &mut self.k3[..n]);
        let (k4, k5) = (&mut self.k4[..n], &mut self.k5[..n]);
        let (k6, k7) = (&mut self.k6[..n], &mut self.k7[..n]);
        combine!(n, stage, y, h, A21 * k1);
        problem.rhs(&at(t, h, C2), stage, k2);
        combine!(n, stage, y, h, A31 * k1, A32 * k2);
        problem.rhs(&at(t, h, C3), stage, k3);
        combine!(n, stage, y, h, A41 * k1, A42 * k2, A43 * k3);
        problem.rhs(&at(t, h, C4), stage, k4);
        combine!(n, stage, y, h, A51 * k1, A52 * k2, A53 * k3, A54 * k4);
        problem.rhs(&at(t, h, C5), stage, k5);
        combine!(
            n,
            stage,
            y,
            h,
            A61 * k1,
            A62 * k2,
            A63 * k3,
            A64 * k4,
            A65 * k5
        );
        problem.rhs(t_new, stage, k6);
        let y_new = &mut self.y_new[..n];
        combine!(
            n,
            y_new,
            y,
            h,
            A71 * k1,
            A73 * k3,
            A74 * k4,
            A75 * k5,
            A76 * k6
        );
        problem.rhs(t_new, y_new, k7);
    }

    /// Mean square of the weighted local error of every lane (the norm's square).
    #[inline(always)]
    pub(crate) fn error_square(
        &self,
        n: usize,
        h: &[f64; W],
        relative: f64,
        absolute: &[f64],
    ) -> [f64; W] {
        let (y, y_new) = (&self.y[..n], &self.y_new[..n]);
        let (k1, k3, k4) = (&self.k1[..n], &self.k3[..n], &self.k4[..n]);
        let (k5, k6, k7) = (&self.k5[..n], &self.k6[..n], &self.k7[..n]);
        let absolute = &absolute[..n];
        let mut sum = [0.0; W];
        for i in 0..n {
            for l in 0..W {
                let e = h[l]
                    * (E1 * k1[i][l]
                        + E3 * k3[i][l]
                        + E4 * k4[i][l]
                        + E5 * k5[i][l]
                        + E6 * k6[i][l]
                        + E7 * k7[i][l]);
                let (old, new) = (y[i][l].abs(), y_new[i][l].abs());
                let larger = if old > new { old } else { new };
                let ratio = e / (absolute[i] + relative * larger);
                let ratio = if e == 0.0 { 0.0 } else { ratio };
                sum[l] += ratio * ratio;
            }
        }
        // Exact for n = 1, 2, 4, …; n is at most 2^53.
        let count = n as f64;
        for s in &mut sum {
            *s /= count;
        }
        sum
    }

    /// The component of one lane with the largest weighted error, or the first that is not finite.
    pub(crate) fn worst_component(
        &self,
        lane: usize,
        h: f64,
        relative: f64,
        absolute: &[f64],
    ) -> usize {
        let mut worst = (0, 0.0);
        for i in 0..self.y.len() {
            let l = lane;
            let e = h
                * (E1 * self.k1[i][l]
                    + E3 * self.k3[i][l]
                    + E4 * self.k4[i][l]
                    + E5 * self.k5[i][l]
                    + E6 * self.k6[i][l]
                    + E7 * self.k7[i][l]);
            let scale = absolute[i] + relative * self.y[i][l].abs().max(self.y_new[i][l].abs());
            let ratio = if e == 0.0 { 0.0 } else { (e / scale).abs() };
            if !ratio.is_finite() {
                return i;
            }
            if ratio > worst.1 {
                worst = (i, ratio);
            }
        }
        worst.0
    }

    /// Makes the new state of every lane that `control` accepts the current one.
    #[inline(always)]
    pub(crate) fn commit(&mut self, n: usize, control: &Control<W>) {
        if (0..W).all(|l| control.accepts(l)) {
            core::mem::swap(&mut self.y, &mut self.y_new);
            core::mem::swap(&mut self.k1, &mut self.k7);
            return;
        }
        let (y, y_new) = (&mut self.y[..n], &self.y_new[..n]);
        let (k1, k7) = (&mut self.k1[..n], &self.k7[..n]);
        for i in 0..n {
            let (mut state, mut slope) = (y[i], k1[i]);
            for l in 0..W {
                state[l] = if control.accepts(l) {
                    y_new[i][l]
                } else {
                    state[l]
                };
                slope[l] = if control.accepts(l) {
                    k7[i][l]
                } else {
                    slope[l]
                };
            }
            y[i] = state;
            k1[i] = slope;
        }
    }
}
