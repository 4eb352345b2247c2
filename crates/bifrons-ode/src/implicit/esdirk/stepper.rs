//! The methods as a stepper.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps and absent steps are copied values"
)]

use super::kernel::{Between, combine, error};
use super::solve::Solved;
use super::{Esdirk, interpolant};
use crate::error::Failure;
use crate::implicit::norm::{fixed, weigh, weights, worst};
use crate::implicit::standing::standing;
use crate::implicit::start::{Ground, start};
use crate::problem::Problem;
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Stepper};

/// Estimates of algebraic components below this multiple of the round-off of their equations are
/// round-off: stages divide it by the diagonal coefficient, and the estimate adds them up.
const NOISE: f64 = 16.0;

impl Esdirk {
    fn weigh_state(&mut self) {
        let (y, floors) = (&self.y, &self.floors);
        let largest = fixed!(
            self.n,
            weights,
            (y, self.relative, floors, &mut self.weights)
        );
        self.newton.floor = 4.0 * f64::EPSILON * largest;
        if !self.matrices.is_identity() {
            // Round-off of algebraic equations may be larger than that of the state.
            let noise = |i: usize| weigh(self.floors[i] - self.absolute[i], self.weights[i]);
            let sum: f64 = (0..self.n).map(|i| noise(i) * noise(i)).sum();
            self.newton.floor = self.newton.floor.max((sum / self.n as f64).sqrt());
        }
    }

    /// Starts at `(t, y)`; the first step is `first.0`, or estimated and at least `first.1`.
    fn begin<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        first: (Option<f64>, f64),
    ) -> Result<(), Failure> {
        self.y.copy_from_slice(y);
        self.y_old.copy_from_slice(y);
        self.floors.copy_from_slice(&self.absolute);
        self.weigh_state();
        let most = (limit - t).abs().min(self.max_step);
        let mut ground = Ground {
            t,
            y: &self.y,
            weights: &self.weights,
            direction: self.direction,
            most,
            order: self.tableau.error_order as f64 - 1.0,
            slope: &mut self.end,
            scratch: &mut self.f,
            other: &mut self.delta,
        };
        let statistics = &mut self.statistics;
        let h = start(
            problem,
            &mut self.matrices,
            &mut ground,
            first.0,
            statistics,
        )?;
        self.h = self.direction * h.max(first.1.min(most));
        (self.t_old, self.t) = (t, t);
        // The slope is kept as an increment of a step of length one, which is not a step taken.
        self.done = 0.0;
        self.rejected = false;
        self.last_error = 1.0;
        self.newton.forget();
        Ok(())
    }

    /// Fits the step to the limit.
    fn fit(&mut self, limit: f64) -> f64 {
        let rest = (limit - self.t) * self.direction;
        let size = self.h.abs().min(self.max_step);
        let last = rest <= 1.0001 * size;
        let size = if last {
            rest
        } else if rest < 2.0 * size {
            0.5 * rest
        } else {
            size
        };
        self.h = self.direction * size;
        if last { limit } else { self.t + self.h }
    }

    /// `K_1` from the slope at the start of the step.
    fn first_stage(&mut self) {
        let ratio = if self.done == 0.0 {
            self.h
        } else {
            self.h / self.done
        };
        self.first_ratio = ratio;
        for (k, end) in self.k[..self.n].iter_mut().zip(&self.end) {
            *k = ratio * end;
        }
    }

    /// Writes the error estimate into `d`: `(M − h γ J)⁻¹ M Σ e_i K_i`. The matrix damps what the
    /// embedded formula makes of stiff components, which is not the error of the result (Hosea and
    /// Shampine 1996, section 3). Components without a derivative keep the plain estimate: they may
    /// depend on time alone, which the matrix does not know.
    fn estimate(&mut self) {
        let (n, tableau) = (self.n, self.tableau);
        self.delta.fill(0.0);
        let (weights, stages) = (&tableau.error, tableau.stages);
        fixed!(
            n,
            combine,
            (&self.delta, &self.k, weights, stages, &mut self.d)
        );
        self.matrices.add_mass_times(1.0, &self.d, &mut self.delta);
        self.statistics.linear_solves += 1;
        self.matrices.solve(&mut self.delta);
        for &i in &self.algebraic {
            // Unless it is round-off of the equations, which no smaller step takes away.
            if self.d[i].abs() > NOISE * (self.floors[i] - self.absolute[i]) {
                self.delta[i] = self.d[i];
            }
        }
        core::mem::swap(&mut self.d, &mut self.delta);
    }

    fn reject(&mut self, norm: f64) -> Result<Attempt, Failure> {
        self.statistics.rejected += 1;
        self.rejected = true;
        let ulp = f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE);
        if self.h.abs() <= 4.0 * ulp {
            return Err(Failure::StepUnderflow {
                t: self.t,
                step: self.h,
                component: worst(&self.d, &self.weights),
                norm,
            });
        }
        Ok(Attempt::Rejected)
    }

    fn accept(&mut self, t_new: f64, square: f64) {
        let n = self.n;
        core::mem::swap(&mut self.y_old, &mut self.y);
        self.y.copy_from_slice(&self.stage);
        self.begin.copy_from_slice(&self.k[..n]);
        self.end.copy_from_slice(&self.k[self.k.len() - n..]);
        (self.t_old, self.t) = (self.t, t_new);
        self.done = self.h;
        self.statistics.accepted += 1;
        self.newton.accepted();
        self.grow(square);
        self.rejected = false;
    }
}

impl Esdirk {
    /// Whether some component has an index above one.
    const fn is_high(&self) -> bool {
        false
    }
}

impl<P: Problem> Stepper<P> for Esdirk {
    standing!();

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        let t_new = self.fit(limit);
        self.weigh_state();
        self.first_stage();
        let solved = self.solve_step(problem, t_new);
        let solved = solved.map_err(|message| Failure::Fatal { t: self.t, message })?;
        if solved != Solved::Yes {
            self.statistics.newton_failures += u64::from(solved == Solved::No);
            self.statistics.not_finite += u64::from(solved == Solved::NotFinite);
            self.h *= if solved == Solved::No { 0.3 } else { 0.25 };
            return self.reject(f64::INFINITY);
        }
        self.estimate();
        let between = Between {
            old: &self.y,
            new: &self.stage,
            relative: self.relative,
            absolute: &self.floors,
        };
        let square = fixed!(self.n, error, (&self.d, &between, &mut self.weights));
        if !(square <= 1.0) {
            self.statistics.not_finite += u64::from(!square.is_finite());
            let square = if square.is_finite() { square } else { 1e60 };
            self.shrink(square);
            return self.reject(square.sqrt());
        }
        self.accept(t_new, square);
        Ok(Attempt::Accepted)
    }

    fn prepare_dense(&mut self, _problem: &mut P) -> Result<(), Failure> {
        self.fill_quartic();
        Ok(())
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        if t == self.t {
            state.copy_from_slice(&self.y);
        } else if t == self.t_old {
            state.copy_from_slice(&self.y_old);
        } else {
            let theta = (t - self.t_old) / self.done;
            for (i, value) in state.iter_mut().enumerate() {
                *value = interpolant::value(self.basis(i), theta);
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        if self.tableau.error_order > 3 { 5 } else { 4 }
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        let r = self.basis(i);
        for (k, out) in out.iter_mut().enumerate() {
            *out = r.get(k).copied().unwrap_or(0.0);
        }
    }

    fn restart(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        let least = match restart {
            Restart::Kink => 1e-3 * self.h.abs(),
            Restart::Reset => 0.0,
        };
        self.begin(problem, t, y, limit, (None, least))
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
