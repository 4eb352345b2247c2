//! The arrays of one attempted step of every lane, and what a method does with them.

use super::control::{Control, Law};
use crate::problem::LaneProblem;
use crate::statistics::Statistics;

/// Stages of an explicit method on `W` lanes. Arrays have `n` components of `W` lanes each.
pub(crate) trait Stages<'w, const W: usize>: Sized {
    /// Arrays of `n` components that [`Stages::build`] takes.
    const ARRAYS: usize;
    /// Matrices of `n × n` entries that it takes.
    const MATRICES: usize = 0;
    /// Whether the method is implicit: it foretells errors, and estimates its first step and those
    /// after events, as the single run does.
    const IMPLICIT: bool = false;
    /// Evaluations of the right-hand side per attempt; the first stage is kept from the last step.
    const RHS_PER_ATTEMPT: u64;
    /// How the step size follows the error.
    const LAW: Law;
    /// Coefficients of the interpolant per component.
    const COEFFICIENTS: usize;
    /// Further evaluations that the interpolant takes.
    const RHS_PER_INTERPOLANT: u64 = 0;
    /// Reach of the stability region along the negative real axis, with a margin.
    const STABILITY: f64;

    /// Takes its arrays one by one, each by its length.
    fn build(n: usize, take: impl FnMut(usize) -> &'w mut [[f64; W]]) -> Self;

    /// A run begins with these tolerances, in this direction.
    fn prepare_run(&mut self, relative: f64, absolute: &[f64], direction: f64) {
        let _ = (relative, absolute, direction);
    }

    /// A lane is loaded with another member (`first`), or goes on from another state.
    fn renew(&mut self, lane: usize, first: bool) {
        let _ = (lane, first);
    }

    /// What a lane has cost beyond [`Stages::RHS_PER_ATTEMPT`] since it was loaded, in that many
    /// accepted steps of as many attempts.
    fn spent(&self, lane: usize, accepted: u64, attempts: u64) -> Statistics {
        let _ = (lane, accepted, attempts);
        Statistics::default()
    }

    /// Evaluations and Jacobians that a lane counts itself, for [`Stages::recall`].
    fn counted(&self, lane: usize) -> (u64, u64) {
        let _ = lane;
        (0, 0)
    }

    /// A lane that was just loaded goes on after a step of this method, with these counts.
    fn recall(&mut self, lane: usize, counted: (u64, u64)) {
        let _ = (lane, counted);
    }

    /// Advances every lane from `t` by `h` into `y_new`, and leaves `f(t_new, y_new)` as last
    /// slope. The first slope holds `f(t, y)`. Stages at the end are evaluated at `t_new` itself.
    fn attempt<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
        t_new: &[f64; W],
    );

    /// Mean square of the weighted local error of every lane (the norm's square).
    fn error_square(&self, n: usize, h: &[f64; W], relative: f64, absolute: &[f64]) -> [f64; W];

    /// Local error of one component of one lane.
    fn local_error(&self, i: usize, lane: usize, h: f64) -> f64;

    /// Makes the new state of every lane that `control` accepts the current one.
    fn commit(&mut self, n: usize, control: &Control<W>);

    /// State and slope at the start of the step.
    fn start(&self) -> (&[[f64; W]], &[[f64; W]]);

    /// The same, to be set.
    fn start_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]);

    /// State and slope at the end of the step.
    fn end(&self) -> (&[[f64; W]], &[[f64; W]]);

    /// The same, to be set.
    fn end_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]);

    /// Argument and slope of the last stage before the end.
    fn last_stage(&self) -> (&[[f64; W]], &[[f64; W]]);

    /// Evaluates what the interpolant takes beyond the stages.
    fn prepare<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let _ = (n, problem, t, h);
    }

    /// Writes the coefficients of component `i` of one lane, see [`crate::dense`].
    fn coefficients(&self, i: usize, lane: usize, h: f64, out: &mut [f64]);

    /// The component of one lane with the largest weighted error, or the first that is not finite.
    fn worst_component(&self, lane: usize, h: f64, relative: f64, absolute: &[f64]) -> usize {
        let (y, y_new) = (self.start().0, self.end().0);
        let mut worst = (0, 0.0);
        for i in 0..y.len() {
            let e = self.local_error(i, lane, h);
            let scale = absolute[i] + relative * y[i][lane].abs().max(y_new[i][lane].abs());
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
}

/// `out = y + h (a₁ k₁ + a₂ k₂ + …)`, summed from the left.
///
/// Sums go through a local array, which cannot alias the stages, so loops need no run-time checks:
/// over the lanes, or over four components of a single run. Both have the same bits.
macro_rules! combine {
    ($n:expr, $out:expr, $y:expr, $h:expr, $a0:ident * $k0:ident $(+ $a:ident * $k:ident)*) => {{
        let (out, y, h) = (&mut $out[..$n], &$y[..$n], $h);
        let mut i = 0;
        if W == 1 {
            while i + 4 <= $n {
                let mut sums = [0.0; 4];
                for j in 0..4 {
                    sums[j] = y[i + j][0] + h[0] * ($a0 * $k0[i + j][0] $(+ $a * $k[i + j][0])*);
                }
                for j in 0..4 {
                    out[i + j][0] = sums[j];
                }
                i += 4;
            }
        }
        while i < $n {
            let mut sums = [0.0; W];
            for l in 0..W {
                sums[l] = y[i][l] + h[l] * ($a0 * $k0[i][l] $(+ $a * $k[i][l])*);
            }
            out[i] = sums;
            i += 1;
        }
    }};
}

/// Times of a stage: `t + c h`, or the end of the step itself.
macro_rules! stage_time {
    (END, $t:expr, $h:expr, $t_new:expr) => {
        $t_new
    };
    ($c:ident, $t:expr, $h:expr, $t_new:expr) => {
        &$crate::explicit::stages::at($t, $h, $c)
    };
}

/// Defines the stages of a method whose last slope is the first one of the next step.
///
/// `arrays` are the slopes, the first one and the last one named again; each stage states its
/// time and its row; then come the row of the end, the difference of the two sets of weights, and
/// the last coefficient of the interpolant (beyond Hermite's four).
macro_rules! explicit_stages {
    (
        $name:literal, $law:expr, $stability:literal, $rhs:literal, $arrays:literal;
        arrays $($array:ident)*;
        first $first:ident; before_last $before:ident; last $last:ident;
        $(stage $k:ident at $c:ident: $a0:ident * $k0:ident $(+ $a:ident * $ka:ident)*;)*
        end: $b0:ident * $kb0:ident $(+ $b:ident * $kb:ident)*;
        error: $e0:ident * $ke0:ident $(+ $e:ident * $ke:ident)*;
        $(dense: $d0:ident * $kd0:ident $(+ $d:ident * $kd:ident)*;)?
    ) => {
        #[doc = concat!("Arrays of ", $name, ", `n` components of `W` lanes each.")]
        #[derive(Debug)]
        pub(crate) struct Arrays<'w, const W: usize> {
            y: &'w mut [[f64; W]],
            y_new: &'w mut [[f64; W]],
            $($array: &'w mut [[f64; W]],)*
            stage: &'w mut [[f64; W]],
        }

        impl<'w, const W: usize> $crate::explicit::stages::Stages<'w, W> for Arrays<'w, W> {
            const ARRAYS: usize = $arrays;
            const RHS_PER_ATTEMPT: u64 = $rhs;
            const LAW: $crate::explicit::control::Law = $law;
            const COEFFICIENTS: usize = 4 $(+ { let _ = $d0; 1 })?;
            const STABILITY: f64 = $stability;

            fn build(n: usize, mut take: impl FnMut(usize) -> &'w mut [[f64; W]]) -> Self {
                let mut array = || take(n);
                Self {
                    y: array(),
                    y_new: array(),
                    $($array: array(),)*
                    stage: array(),
                }
            }

            #[inline(always)]
            fn attempt<P: $crate::problem::LaneProblem<W>>(
                &mut self,
                n: usize,
                problem: &mut P,
                t: &[f64; W],
                h: &[f64; W],
                t_new: &[f64; W],
            ) {
                let (y, y_new) = (&self.y[..n], &mut self.y_new[..n]);
                let stage = &mut self.stage[..n];
                $(let $array = &mut self.$array[..n];)*
                $(
                    combine!(n, stage, y, h, $a0 * $k0 $(+ $a * $ka)*);
                    problem.rhs(stage_time!($c, t, h, t_new), stage, $k);
                )*
                combine!(n, y_new, y, h, $b0 * $kb0 $(+ $b * $kb)*);
                problem.rhs(t_new, y_new, $last);
            }

            #[inline(always)]
            fn error_square(
                &self,
                n: usize,
                h: &[f64; W],
                relative: f64,
                absolute: &[f64],
            ) -> [f64; W] {
                let (y, y_new) = (&self.y[..n], &self.y_new[..n]);
                let $ke0 = &self.$ke0[..n];
                $(let $ke = &self.$ke[..n];)*
                let absolute = &absolute[..n];
                let mut sum = [0.0; W];
                for i in 0..n {
                    for l in 0..W {
                        let e = h[l] * ($e0 * $ke0[i][l] $(+ $e * $ke[i][l])*);
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

            fn local_error(&self, i: usize, l: usize, h: f64) -> f64 {
                h * ($e0 * self.$ke0[i][l] $(+ $e * self.$ke[i][l])*)
            }

            #[inline(always)]
            fn commit(&mut self, n: usize, control: &$crate::explicit::control::Control<W>) {
                if (0..W).all(|l| control.accepts(l)) {
                    core::mem::swap(&mut self.y, &mut self.y_new);
                    core::mem::swap(&mut self.$first, &mut self.$last);
                    return;
                }
                let (y, y_new) = (&mut self.y[..n], &self.y_new[..n]);
                let (first, last) = (&mut self.$first[..n], &self.$last[..n]);
                $crate::explicit::stages::keep(y, y_new, control);
                $crate::explicit::stages::keep(first, last, control);
            }

            #[inline(always)]
            fn start(&self) -> (&[[f64; W]], &[[f64; W]]) {
                (&*self.y, &*self.$first)
            }

            #[inline(always)]
            fn start_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
                (&mut *self.y, &mut *self.$first)
            }

            #[inline(always)]
            fn end(&self) -> (&[[f64; W]], &[[f64; W]]) {
                (&*self.y_new, &*self.$last)
            }

            fn end_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
                (&mut *self.y_new, &mut *self.$last)
            }

            fn last_stage(&self) -> (&[[f64; W]], &[[f64; W]]) {
                (&*self.stage, &*self.$before)
            }

            #[inline(always)]
            fn coefficients(&self, i: usize, l: usize, h: f64, out: &mut [f64]) {
                let hermite = $crate::dense::hermite(
                    self.y[i][l],
                    self.y_new[i][l],
                    h * self.$first[i][l],
                    h * self.$last[i][l],
                );
                out[..4].copy_from_slice(&hermite);
                $(out[4] = h * ($d0 * self.$kd0[i][l] $(+ $d * self.$kd[i][l])*);)?
            }
        }
    };
}

/// Copies the accepted lanes of `new` into `old`.
#[inline(always)]
pub(crate) fn keep<const W: usize>(old: &mut [[f64; W]], new: &[[f64; W]], control: &Control<W>) {
    for (old, new) in old.iter_mut().zip(new) {
        let mut kept = *old;
        for l in 0..W {
            kept[l] = if control.accepts(l) { new[l] } else { kept[l] };
        }
        *old = kept;
    }
}

/// `t + c h` of every lane.
#[inline(always)]
pub(crate) fn at<const W: usize>(t: &[f64; W], h: &[f64; W], c: f64) -> [f64; W] {
    let mut out = [0.0; W];
    for l in 0..W {
        out[l] = t[l] + c * h[l];
    }
    out
}

pub(crate) use {combine, explicit_stages, stage_time};
