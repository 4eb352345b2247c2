//! Dormand and Prince 8(5,3), with a dense output of order 7 that takes three more evaluations.

mod tables;

use super::control::{Control, Law};
use super::stages::{Stages, combine, keep, stage_time};
use crate::dense::hermite;
use crate::problem::LaneProblem;
use tables::*;

/// Arrays of Dormand and Prince 8(5,3), `n` components of `W` lanes each.
#[derive(Debug)]
pub(crate) struct Arrays<'w, const W: usize> {
    y: &'w mut [[f64; W]],
    y_new: &'w mut [[f64; W]],
    k1: &'w mut [[f64; W]],
    /// Second stage, later the first further one of the interpolant.
    k2: &'w mut [[f64; W]],
    /// Third stage, later the second further one of the interpolant.
    k3: &'w mut [[f64; W]],
    /// Fourth stage, later the third further one of the interpolant.
    k4: &'w mut [[f64; W]],
    /// Fifth stage, later the argument of the interpolant's stages.
    k5: &'w mut [[f64; W]],
    k6: &'w mut [[f64; W]],
    k7: &'w mut [[f64; W]],
    k8: &'w mut [[f64; W]],
    k9: &'w mut [[f64; W]],
    k10: &'w mut [[f64; W]],
    k11: &'w mut [[f64; W]],
    k12: &'w mut [[f64; W]],
    k13: &'w mut [[f64; W]],
    stage: &'w mut [[f64; W]],
}

/// Sums `a * k[i][l]` from the left over the arrays of `self`.
macro_rules! weighted {
    ($self:ident, $i:ident, $l:ident: $a0:ident * $k0:ident $(+ $a:ident * $k:ident)*) => {
        $a0 * $self.$k0[$i][$l] $(+ $a * $self.$k[$i][$l])*
    };
}

impl<const W: usize> Arrays<'_, W> {
    /// Errors per unit step of orders 5 and 3 of one component.
    #[inline(always)]
    fn errors(&self, i: usize, l: usize) -> (f64, f64) {
        let fifth = weighted!(self, i, l: ER1 * k1 + ER6 * k6 + ER7 * k7 + ER8 * k8 + ER9 * k9
            + ER10 * k10 + ER11 * k11 + ER12 * k12);
        let third = weighted!(self, i, l: EH1 * k1 + EH6 * k6 + EH7 * k7 + EH8 * k8 + EH9 * k9
            + EH10 * k10 + EH11 * k11 + EH12 * k12);
        (fifth, third)
    }

    /// Stages two to seven.
    #[inline(always)]
    fn first_part<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let (y, stage) = (&self.y[..n], &mut self.stage[..n]);
        let (k1, k2) = (&self.k1[..n], &mut self.k2[..n]);
        let (k3, k4) = (&mut self.k3[..n], &mut self.k4[..n]);
        let (k5, k6) = (&mut self.k5[..n], &mut self.k6[..n]);
        let k7 = &mut self.k7[..n];
        combine!(n, stage, y, h, A21 * k1);
        problem.rhs(stage_time!(C2, t, h, t), stage, k2);
        combine!(n, stage, y, h, A31 * k1 + A32 * k2);
        problem.rhs(stage_time!(C3, t, h, t), stage, k3);
        combine!(n, stage, y, h, A41 * k1 + A43 * k3);
        problem.rhs(stage_time!(C4, t, h, t), stage, k4);
        combine!(n, stage, y, h, A51 * k1 + A53 * k3 + A54 * k4);
        problem.rhs(stage_time!(C5, t, h, t), stage, k5);
        combine!(n, stage, y, h, A61 * k1 + A64 * k4 + A65 * k5);
        problem.rhs(stage_time!(C6, t, h, t), stage, k6);
        combine!(n, stage, y, h, A71 * k1 + A74 * k4 + A75 * k5 + A76 * k6);
        problem.rhs(stage_time!(C7, t, h, t), stage, k7);
    }

    /// Stages eight to ten.
    #[inline(always)]
    fn second_part<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let (y, stage) = (&self.y[..n], &mut self.stage[..n]);
        let (k1, k4, k5) = (&self.k1[..n], &self.k4[..n], &self.k5[..n]);
        let (k6, k7) = (&self.k6[..n], &self.k7[..n]);
        let (k8, k9) = (&mut self.k8[..n], &mut self.k9[..n]);
        let k10 = &mut self.k10[..n];
        combine!(
            n,
            stage,
            y,
            h,
            A81 * k1 + A84 * k4 + A85 * k5 + A86 * k6 + A87 * k7
        );
        problem.rhs(stage_time!(C8, t, h, t), stage, k8);
        combine!(
            n,
            stage,
            y,
            h,
            A91 * k1 + A94 * k4 + A95 * k5 + A96 * k6 + A97 * k7 + A98 * k8
        );
        problem.rhs(stage_time!(C9, t, h, t), stage, k9);
        combine!(
            n,
            stage,
            y,
            h,
            A10_1 * k1
                + A10_4 * k4
                + A10_5 * k5
                + A10_6 * k6
                + A10_7 * k7
                + A10_8 * k8
                + A10_9 * k9
        );
        problem.rhs(stage_time!(C10, t, h, t), stage, k10);
    }

    /// Stages eleven and twelve.
    #[inline(always)]
    fn third_part<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
        t_new: &[f64; W],
    ) {
        let (y, stage) = (&self.y[..n], &mut self.stage[..n]);
        let (k1, k4, k5) = (&self.k1[..n], &self.k4[..n], &self.k5[..n]);
        let (k6, k7, k8) = (&self.k6[..n], &self.k7[..n], &self.k8[..n]);
        let (k9, k10) = (&self.k9[..n], &self.k10[..n]);
        let (k11, k12) = (&mut self.k11[..n], &mut self.k12[..n]);
        combine!(
            n,
            stage,
            y,
            h,
            A11_1 * k1
                + A11_4 * k4
                + A11_5 * k5
                + A11_6 * k6
                + A11_7 * k7
                + A11_8 * k8
                + A11_9 * k9
                + A11_10 * k10
        );
        problem.rhs(stage_time!(C11, t, h, t), stage, k11);
        combine!(
            n,
            stage,
            y,
            h,
            A12_1 * k1
                + A12_4 * k4
                + A12_5 * k5
                + A12_6 * k6
                + A12_7 * k7
                + A12_8 * k8
                + A12_9 * k9
                + A12_10 * k10
                + A12_11 * k11
        );
        problem.rhs(t_new, stage, k12);
    }
}

impl<'w, const W: usize> Stages<'w, W> for Arrays<'w, W> {
    const ARRAYS: usize = 16;
    const RHS_PER_ATTEMPT: u64 = 12;
    const LAW: Law = Law::new(8.0, 0.0).within(1.0 / 3.0, 6.0);
    const COEFFICIENTS: usize = 8;
    const RHS_PER_INTERPOLANT: u64 = 3;
    const STABILITY: f64 = 6.1;

    fn build(n: usize, mut take: impl FnMut(usize) -> &'w mut [[f64; W]]) -> Self {
        let mut array = || take(n);
        Self {
            y: array(),
            y_new: array(),
            k1: array(),
            k2: array(),
            k3: array(),
            k4: array(),
            k5: array(),
            k6: array(),
            k7: array(),
            k8: array(),
            k9: array(),
            k10: array(),
            k11: array(),
            k12: array(),
            k13: array(),
            stage: array(),
        }
    }

    #[inline(always)]
    fn attempt<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
        t_new: &[f64; W],
    ) {
        self.first_part(n, problem, t, h);
        self.second_part(n, problem, t, h);
        self.third_part(n, problem, t, h, t_new);
        let (y, y_new) = (&self.y[..n], &mut self.y_new[..n]);
        let (k1, k6, k7) = (&self.k1[..n], &self.k6[..n], &self.k7[..n]);
        let (k8, k9, k10) = (&self.k8[..n], &self.k9[..n], &self.k10[..n]);
        let (k11, k12) = (&self.k11[..n], &self.k12[..n]);
        combine!(
            n,
            y_new,
            y,
            h,
            B1 * k1 + B6 * k6 + B7 * k7 + B8 * k8 + B9 * k9 + B10 * k10 + B11 * k11 + B12 * k12
        );
        problem.rhs(t_new, y_new, &mut self.k13[..n]);
    }

    /// The estimates `e₅` and `e₃` give the norm `e₅² / √(e₅² + 0.01 e₃²)` (Hairer and others
    /// 1993, section II.10).
    #[inline(always)]
    fn error_square(&self, n: usize, h: &[f64; W], relative: f64, absolute: &[f64]) -> [f64; W] {
        let (mut fifths, mut thirds) = ([0.0; W], [0.0; W]);
        for i in 0..n {
            for l in 0..W {
                let (fifth, third) = self.errors(i, l);
                let (old, new) = (self.y[i][l].abs(), self.y_new[i][l].abs());
                let larger = if old > new { old } else { new };
                let scale = absolute[i] + relative * larger;
                let r5 = if fifth == 0.0 { 0.0 } else { fifth / scale };
                let r3 = if third == 0.0 { 0.0 } else { third / scale };
                fifths[l] += r5 * r5;
                thirds[l] += r3 * r3;
            }
        }
        let count = n as f64;
        let mut square = [0.0; W];
        for l in 0..W {
            let both = fifths[l] + 0.01 * thirds[l];
            let ratio = h[l] * h[l] * fifths[l] * (fifths[l] / (count * both));
            // The last slope is not part of the estimates, and must be finite all the same.
            let finite = (0..n).all(|i| self.k13[i][l].is_finite());
            let ratio = if both == 0.0 { 0.0 } else { ratio };
            square[l] = if finite { ratio } else { f64::INFINITY };
        }
        square
    }

    fn local_error(&self, i: usize, lane: usize, h: f64) -> f64 {
        let slope = self.k13[i][lane];
        let error = h * self.errors(i, lane).0;
        if slope.is_finite() { error } else { slope }
    }

    #[inline(always)]
    fn commit(&mut self, n: usize, control: &Control<W>) {
        if (0..W).all(|l| control.accepts(l)) {
            core::mem::swap(&mut self.y, &mut self.y_new);
            core::mem::swap(&mut self.k1, &mut self.k13);
            return;
        }
        keep(&mut self.y[..n], &self.y_new[..n], control);
        keep(&mut self.k1[..n], &self.k13[..n], control);
    }

    #[inline(always)]
    fn start(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.y, &*self.k1)
    }

    #[inline(always)]
    fn start_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
        (&mut *self.y, &mut *self.k1)
    }

    #[inline(always)]
    fn end(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.y_new, &*self.k13)
    }

    fn end_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
        (&mut *self.y_new, &mut *self.k13)
    }

    fn last_stage(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.stage, &*self.k12)
    }

    fn prepare<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let (y, stage) = (&self.y[..n], &mut self.k5[..n]);
        let (k1, k6, k7) = (&self.k1[..n], &self.k6[..n], &self.k7[..n]);
        let (k8, k9, k10) = (&self.k8[..n], &self.k9[..n], &self.k10[..n]);
        let (k11, k12, k13) = (&self.k11[..n], &self.k12[..n], &self.k13[..n]);
        let (k14, k15) = (&mut self.k2[..n], &mut self.k3[..n]);
        let k16 = &mut self.k4[..n];
        combine!(
            n,
            stage,
            y,
            h,
            A14_1 * k1
                + A14_7 * k7
                + A14_8 * k8
                + A14_9 * k9
                + A14_10 * k10
                + A14_11 * k11
                + A14_12 * k12
                + A14_13 * k13
        );
        problem.rhs(stage_time!(C14, t, h, t), stage, k14);
        combine!(
            n,
            stage,
            y,
            h,
            A15_1 * k1
                + A15_6 * k6
                + A15_7 * k7
                + A15_8 * k8
                + A15_11 * k11
                + A15_12 * k12
                + A15_13 * k13
                + A15_14 * k14
        );
        problem.rhs(stage_time!(C15, t, h, t), stage, k15);
        combine!(
            n,
            stage,
            y,
            h,
            A16_1 * k1
                + A16_6 * k6
                + A16_7 * k7
                + A16_8 * k8
                + A16_9 * k9
                + A16_13 * k13
                + A16_14 * k14
                + A16_15 * k15
        );
        problem.rhs(stage_time!(C16, t, h, t), stage, k16);
    }

    fn coefficients(&self, i: usize, l: usize, h: f64, out: &mut [f64]) {
        let (first, last) = (h * self.k1[i][l], h * self.k13[i][l]);
        out[..4].copy_from_slice(&hermite(self.y[i][l], self.y_new[i][l], first, last));
        out[4] = h * weighted!(self, i, l: D4_1 * k1 + D4_6 * k6 + D4_7 * k7 + D4_8 * k8
            + D4_9 * k9 + D4_10 * k10 + D4_11 * k11 + D4_12 * k12 + D4_13 * k13 + D4_14 * k2
            + D4_15 * k3 + D4_16 * k4);
        out[5] = h * weighted!(self, i, l: D5_1 * k1 + D5_6 * k6 + D5_7 * k7 + D5_8 * k8
            + D5_9 * k9 + D5_10 * k10 + D5_11 * k11 + D5_12 * k12 + D5_13 * k13 + D5_14 * k2
            + D5_15 * k3 + D5_16 * k4);
        out[6] = h * weighted!(self, i, l: D6_1 * k1 + D6_6 * k6 + D6_7 * k7 + D6_8 * k8
            + D6_9 * k9 + D6_10 * k10 + D6_11 * k11 + D6_12 * k12 + D6_13 * k13 + D6_14 * k2
            + D6_15 * k3 + D6_16 * k4);
        out[7] = h * weighted!(self, i, l: D7_1 * k1 + D7_6 * k6 + D7_7 * k7 + D7_8 * k8
            + D7_9 * k9 + D7_10 * k10 + D7_11 * k11 + D7_12 * k12 + D7_13 * k13 + D7_14 * k2
            + D7_15 * k3 + D7_16 * k4);
    }
}

/// The method as a type.
#[derive(Debug)]
pub(crate) enum Kind {}

impl super::tableau::Kind for Kind {
    type Arrays<'w> = Arrays<'w, 1>;
}
