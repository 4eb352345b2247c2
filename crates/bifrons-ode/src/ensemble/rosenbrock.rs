//! Rosenbrock methods on lanes: one dense factorisation of all lanes together per attempt.
//!
//! Operations and their order are those of the single runs by
//! [`Method::Rodas4`](crate::Method::Rodas4) and [`Method::Rodas5P`](crate::Method::Rodas5P) with a
//! dense Jacobian, so a member has the bits of its single run: a row of a lane is exchanged where
//! its own pivot asks for it, and lanes choose their pivots independently.
//!
//! # References
//!
//! Hairer and Wanner (1996), Solving Ordinary Differential Equations II, section IV.7; Steinebach
//! (2023), Construction of Rosenbrock-Wanner method `Rodas5P`.
#![expect(
    clippy::float_cmp,
    reason = "stages at the end of a step have the node one"
)]

mod linearise;
mod lu;

use core::marker::PhantomData;

use super::{Rodas4, Rodas5P};
use crate::explicit::control::{Control, Law};
use crate::explicit::stages::{Stages, keep};
use crate::implicit::{RODAS4, RODAS5P, RosenbrockTableau};
use crate::problem::LaneProblem;
use crate::statistics::Statistics;

/// Components up to which single runs have their factors from the same loops.
pub(crate) const MOST_COMPONENTS: usize = 64;

/// A method by its coefficients.
pub(crate) trait Coefficients {
    const TABLEAU: &'static RosenbrockTableau;
}

impl Coefficients for Rodas4 {
    const TABLEAU: &'static RosenbrockTableau = &RODAS4;
}

impl Coefficients for Rodas5P {
    const TABLEAU: &'static RosenbrockTableau = &RODAS5P;
}

/// Arrays of a method, `n` components of `W` lanes each where nothing else is said.
#[derive(Debug)]
pub(crate) struct Arrays<'w, M, const W: usize> {
    y: &'w mut [[f64; W]],
    y_new: &'w mut [[f64; W]],
    /// `f` at both ends.
    slope: &'w mut [[f64; W]],
    slope_new: &'w mut [[f64; W]],
    /// `∂f/∂t` at the start.
    by_time: &'w mut [[f64; W]],
    stage: &'w mut [[f64; W]],
    /// Values of differences.
    there: &'w mut [[f64; W]],
    back: &'w mut [[f64; W]],
    /// `atol / rtol`, the same on all lanes: magnitudes below it do not matter.
    least: &'w mut [[f64; W]],
    /// Rows that were exchanged with the pivots.
    rows: &'w mut [[f64; W]],
    /// Increments of the stages, rows of `n`.
    u: &'w mut [[f64; W]],
    /// By columns, `n × n`.
    jacobian: &'w mut [[f64; W]],
    factors: &'w mut [[f64; W]],
    direction: f64,
    /// Bit `k`: some lane exchanged row `k`.
    exchanged: u64,
    /// Whether Jacobian and time derivative belong to the state.
    current: [bool; W],
    /// Whether no step has been accepted since the member was loaded or restarted.
    fresh: [bool; W],
    /// Restarted since the last attempt began.
    renewed: [bool; W],
    /// Whether the matrix of the last attempt is singular.
    failed: [bool; W],
    rhs: [u64; W],
    jacobians: [u64; W],
    method: PhantomData<M>,
}

/// `1/h` of every lane.
#[inline(always)]
fn inverse<const W: usize>(h: &[f64; W]) -> [f64; W] {
    let mut out = [0.0; W];
    for l in 0..W {
        out[l] = 1.0 / h[l];
    }
    out
}

impl<M: Coefficients, const W: usize> Arrays<'_, M, W> {
    const STAGES: usize = M::TABLEAU.stages;

    /// Argument of stage `i`: `y + Σ_j a_ij u_j`.
    #[inline(always)]
    fn argument(&mut self, n: usize, i: usize) {
        let a = &M::TABLEAU.a[i];
        let (y, u, stage) = (&self.y[..n], &*self.u, &mut self.stage[..n]);
        for r in 0..n {
            let mut sum = y[r];
            for j in 0..i {
                let row = &u[j * n + r];
                for l in 0..W {
                    sum[l] += a[j] * row[l];
                }
            }
            stage[r] = sum;
        }
    }

    /// Adds `Σ_j c_ij u_j / h` and `h d_i ∂f/∂t` to the right-hand side of stage `i`.
    #[inline(always)]
    fn right_hand_side(&mut self, n: usize, i: usize, h: &[f64; W], over: &[f64; W]) {
        let (c, d) = (&M::TABLEAU.c[i], M::TABLEAU.d[i]);
        let (before, rest) = self.u.split_at_mut(i * n);
        let by_time = &self.by_time[..n];
        for r in 0..n {
            let mut sum = rest[r];
            for j in 0..i {
                let row = &before[j * n + r];
                for l in 0..W {
                    sum[l] += c[j] * over[l] * row[l];
                }
            }
            if d != 0.0 {
                for l in 0..W {
                    sum[l] += h[l] * d * by_time[r][l];
                }
            }
            rest[r] = sum;
        }
    }

    /// Solves for the increment of stage `i`.
    #[inline(always)]
    fn increment(&mut self, n: usize, i: usize, h: &[f64; W]) {
        let row = &mut self.u[i * n..(i + 1) * n];
        lu::solve(n, self.factors, self.rows, self.exchanged, row);
        let gamma = M::TABLEAU.gamma;
        for r in row {
            for l in 0..W {
                r[l] *= gamma * h[l];
            }
        }
    }

    /// Error estimate: the increment of the last stage.
    #[inline(always)]
    fn estimate(&self, n: usize) -> &[[f64; W]] {
        let last = (Self::STAGES - 1) * n;
        &self.u[last..last + n]
    }
}

impl<'w, M: Coefficients, const W: usize> Stages<'w, W> for Arrays<'w, M, W> {
    const ARRAYS: usize = 10 + M::TABLEAU.stages;
    const MATRICES: usize = 2;
    const IMPLICIT: bool = true;
    /// Without those of the Jacobian and of the slope at the end of an accepted step.
    const RHS_PER_ATTEMPT: u64 = M::TABLEAU.stages as u64 - 1;
    const LAW: Law = Law::new(M::TABLEAU.order as f64, 0.0);
    const COEFFICIENTS: usize = 5;
    const STABILITY: f64 = f64::INFINITY;

    fn build(n: usize, mut take: impl FnMut(usize) -> &'w mut [[f64; W]]) -> Self {
        Self {
            y: take(n),
            y_new: take(n),
            slope: take(n),
            slope_new: take(n),
            by_time: take(n),
            stage: take(n),
            there: take(n),
            back: take(n),
            least: take(n),
            rows: take(n),
            u: take(Self::STAGES * n),
            jacobian: take(n * n),
            factors: take(n * n),
            direction: 1.0,
            exchanged: 0,
            current: [false; W],
            fresh: [true; W],
            renewed: [false; W],
            failed: [false; W],
            rhs: [0; W],
            jacobians: [0; W],
            method: PhantomData,
        }
    }

    fn prepare_run(&mut self, relative: f64, absolute: &[f64], direction: f64) {
        self.direction = direction;
        for (least, &absolute) in self.least.iter_mut().zip(absolute) {
            let scale = if relative > 0.0 {
                absolute / relative
            } else {
                1.0
            };
            *least = [scale; W];
        }
    }

    fn renew(&mut self, lane: usize, first: bool) {
        self.current[lane] = false;
        self.fresh[lane] = true;
        self.renewed[lane] = true;
        if first {
            (self.rhs[lane], self.jacobians[lane]) = (0, 0);
        }
    }

    fn spent(&self, lane: usize, accepted: u64, attempts: u64) -> Statistics {
        Statistics {
            rhs: self.rhs[lane] + accepted,
            jacobians: self.jacobians[lane],
            factorisations: attempts,
            linear_solves: Self::STAGES as u64 * attempts,
            ..Statistics::default()
        }
    }

    fn counted(&self, lane: usize) -> (u64, u64) {
        (self.rhs[lane], self.jacobians[lane])
    }

    fn recall(&mut self, lane: usize, counted: (u64, u64)) {
        (self.rhs[lane], self.jacobians[lane]) = counted;
        self.fresh[lane] = false;
        self.renewed[lane] = false;
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
        self.renewed = [false; W];
        if !self.current.iter().all(|&current| current) {
            self.linearise(n, problem, t, h);
        }
        self.factor(n, h);
        let over = inverse(h);
        for i in 0..Self::STAGES {
            let row = i * n..(i + 1) * n;
            if i == 0 {
                self.u[row].copy_from_slice(&self.slope[..n]);
            } else {
                self.argument(n, i);
                let node = M::TABLEAU.nodes[i];
                let mut at = *t_new;
                if node != 1.0 {
                    for l in 0..W {
                        at[l] = t[l] + node * h[l];
                    }
                }
                problem.rhs(&at, &self.stage[..n], &mut self.u[row]);
            }
            self.right_hand_side(n, i, h, &over);
            self.increment(n, i, h);
        }
        // The last stage started from the new state without its own increment.
        for r in 0..n {
            let last = self.estimate(n)[r];
            for l in 0..W {
                self.y_new[r][l] = self.stage[r][l] + last[l];
            }
        }
        problem.rhs(t_new, &self.y_new[..n], &mut self.slope_new[..n]);
    }

    #[inline(always)]
    fn error_square(&self, n: usize, _h: &[f64; W], relative: f64, absolute: &[f64]) -> [f64; W] {
        let (y, y_new, error) = (&self.y[..n], &self.y_new[..n], self.estimate(n));
        let absolute = &absolute[..n];
        let mut sum = [0.0; W];
        for i in 0..n {
            for l in 0..W {
                let (old, new) = (y[i][l].abs(), y_new[i][l].abs());
                let larger = if old > new { old } else { new };
                let weight = 1.0 / (absolute[i] + relative * larger);
                let e = error[i][l];
                let ratio = if e == 0.0 { 0.0 } else { e * weight };
                sum[l] += ratio * ratio;
            }
        }
        let count = n as f64;
        for l in 0..W {
            sum[l] = if self.failed[l] {
                f64::NAN
            } else {
                sum[l] / count
            };
        }
        sum
    }

    fn local_error(&self, i: usize, lane: usize, _h: f64) -> f64 {
        self.estimate(self.y.len())[i][lane]
    }

    #[inline(always)]
    fn commit(&mut self, n: usize, control: &Control<W>) {
        for l in 0..W {
            let accepted = control.accepts(l);
            self.current[l] &= !accepted;
            self.fresh[l] = if accepted {
                self.renewed[l]
            } else {
                self.fresh[l]
            };
        }
        if (0..W).all(|l| control.accepts(l)) {
            core::mem::swap(&mut self.y, &mut self.y_new);
            core::mem::swap(&mut self.slope, &mut self.slope_new);
            return;
        }
        keep(&mut self.y[..n], &self.y_new[..n], control);
        keep(&mut self.slope[..n], &self.slope_new[..n], control);
    }

    #[inline(always)]
    fn start(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.y, &*self.slope)
    }

    #[inline(always)]
    fn start_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
        (&mut *self.y, &mut *self.slope)
    }

    #[inline(always)]
    fn end(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.y_new, &*self.slope_new)
    }

    fn end_mut(&mut self) -> (&mut [[f64; W]], &mut [[f64; W]]) {
        (&mut *self.y_new, &mut *self.slope_new)
    }

    fn last_stage(&self) -> (&[[f64; W]], &[[f64; W]]) {
        (&*self.stage, &*self.slope_new)
    }

    #[inline(always)]
    fn coefficients(&self, i: usize, l: usize, _h: f64, out: &mut [f64]) {
        let n = self.y.len();
        let mut dense = [0.0; 3];
        for (dense, factors) in dense.iter_mut().zip(&M::TABLEAU.dense) {
            for (j, factor) in factors.iter().enumerate().take(Self::STAGES) {
                *dense += factor * self.u[j * n + i][l];
            }
        }
        let [a, b, c] = dense;
        let (old, new) = (self.y[i][l], self.y_new[i][l]);
        // a + θ (b + θ c) with the last θ as 1 − (1 − θ).
        out[..5].copy_from_slice(&[old, new - old, a, b + c, -c]);
    }
}
