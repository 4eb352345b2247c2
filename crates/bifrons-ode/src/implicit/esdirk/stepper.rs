//! The methods as steppers.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps are found by their own bits"
)]

use bifrons_lanes::math::{exp2_fast, log2_fast};

use super::Esdirk;
use super::stages::Solved;
use crate::error::Failure;
use crate::implicit::consistent::Task;
use crate::implicit::norm::{fixed, weights, worst};
use crate::implicit::pace::{fit, is_lost};
use crate::implicit::start::{Ground, start};
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Start, Stepper};

/// Factors in this band leave the step, and with it the factorisation, as they are.
const KEEP_STEP: core::ops::RangeInclusive<f64> = 0.95..=1.2;
/// A contraction below this keeps the Jacobian.
const KEEP_JACOBIAN: f64 = 0.05;

impl Esdirk {
    fn weigh_state(&mut self) {
        let (y, floors, n) = (&self.y, &self.floors, self.n);
        let largest = fixed!(n, weights, (y, self.relative, floors, &mut self.weights));
        self.floor = 4.0 * f64::EPSILON * largest;
    }

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
        (self.t_old, self.t) = (t, t);
        self.weigh_state();
        let most = (limit - t).abs().min(self.max_step);
        let mut ground = Ground {
            t,
            y: &self.y,
            weights: &self.weights,
            direction: self.direction,
            most,
            order: self.tableau.order as f64 - 1.0,
            slope: &mut self.slope,
            scratch: &mut self.scratch,
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
        self.factored = f64::NAN;
        self.jacobian_current = false;
        self.jacobian_valid = false;
        self.rejected = false;
        self.last_error = 0.0;
        Ok(())
    }

    /// Jacobian and factorisation for a step `h`; false if they do not exist.
    fn prepare<P: Problem>(&mut self, problem: &mut P, h: f64) -> Result<bool, &'static str> {
        if !self.jacobian_valid {
            self.statistics.rhs += 1;
            let f = problem.rhs(self.t, &self.y, &mut self.scratch);
            let (t, y, f) = (self.t, &self.y, f.map(|()| &self.scratch));
            let evaluated = match f {
                Ok(f) => self
                    .matrices
                    .evaluate(problem, t, y, f, &mut self.statistics),
                Err(fault) => Err(fault),
            };
            match evaluated {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(false),
            }
            self.jacobian_valid = true;
            self.jacobian_current = true;
            self.factored = f64::NAN;
        }
        if self.factored != h {
            let c = self.tableau.gamma * h;
            let done = self.matrices.factor(c, &mut self.statistics).is_ok();
            self.factored = if done { h } else { f64::NAN };
            self.contraction.refactored();
            if done && !self.matrices.is_identity() {
                self.floors.copy_from_slice(&self.absolute);
                let (y, floors) = (&self.y, &mut self.floors);
                self.matrices.add_noise(c, y, &mut self.scratch, floors);
            }
        }
        Ok(!self.factored.is_nan())
    }

    fn reject(&mut self, norm: f64) -> Result<Attempt, Failure> {
        self.statistics.rejected += 1;
        self.rejected = true;
        if is_lost(self.t, self.h) {
            return Err(Failure::StepUnderflow {
                t: self.t,
                step: self.h,
                component: worst(&self.delta, &self.weights),
                norm,
            });
        }
        Ok(Attempt::Rejected)
    }

    /// `(mean square)^(−1/(2 order))` with the safety factor.
    fn factor(&self, square: f64) -> f64 {
        let bounded = square.clamp(1e-30, 1e30);
        0.9 * exp2_fast(log2_fast(bounded) * (-0.5 / self.tableau.order as f64))
    }

    /// Chooses the next step after one of size `h` that was accepted with this error.
    fn grow(&mut self, h: f64, square: f64) {
        let mut factor = self.factor(square);
        if self.last_error > 0.0 {
            let ratio = (self.last_error / square.max(1e-30)).clamp(1e-30, 1e30);
            let trend = exp2_fast(log2_fast(ratio) * (0.5 / self.tableau.order as f64));
            factor = factor.min(factor * trend * (h / self.done).abs());
        }
        let most = if self.rejected { 1.0 } else { 6.0 };
        let mut factor = factor.clamp(0.2, most);
        let keep = self.iterations <= 2 || self.contraction.rate() <= KEEP_JACOBIAN;
        self.jacobian_valid = keep;
        self.jacobian_current = false;
        if keep && KEEP_STEP.contains(&factor) {
            factor = 1.0;
        }
        self.last_error = square.max(1e-4);
        self.h = h * factor;
    }

    fn accept(&mut self, h: f64, t_new: f64) -> Attempt {
        let n = self.n;
        core::mem::swap(&mut self.slope, &mut self.slope_old);
        let last = &self.z[(self.tableau.stages - 1) * n..];
        for (slope, z) in self.slope.iter_mut().zip(last) {
            *slope = z / h;
        }
        core::mem::swap(&mut self.y, &mut self.y_old);
        core::mem::swap(&mut self.y, &mut self.new);
        self.done = h;
        (self.t_old, self.t) = (self.t, t_new);
        self.rejected = false;
        self.statistics.accepted += 1;
        Attempt::Accepted
    }
}

impl<P: Problem> Stepper<P> for Esdirk {
    fn start(&mut self, problem: &mut P, start: &Start<'_>) -> Result<(), Failure> {
        self.direction = start.direction;
        self.max_step = start.max_step;
        let first = (start.initial_step, 0.0);
        self.begin(problem, start.t, start.y, start.limit, first)
    }

    fn make_consistent(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &mut [f64],
        first: bool,
    ) -> Result<(), Failure> {
        let mut task = Task {
            relative: self.relative,
            absolute: &self.absolute,
            weights: &mut self.weights,
            mode: self.initialisation,
            high: false,
            first,
        };
        task.run(problem, &mut self.matrices, t, y, &mut self.statistics)
    }

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        let h = fit(self.t, limit, self.h, self.max_step);
        let t_new = if h == limit - self.t {
            limit
        } else {
            self.t + h
        };
        let t = self.t;
        let fatal = |message| Failure::Fatal { t, message };
        self.weigh_state();
        loop {
            if !self.prepare(problem, h).map_err(fatal)? {
                if !self.jacobian_current && self.jacobian_valid {
                    self.jacobian_valid = false;
                    continue;
                }
                self.h = 0.5 * h;
                return self.reject(f64::INFINITY);
            }
            let solved = self.solve_stages(problem, h, t_new).map_err(fatal)?;
            if solved == Solved::Yes {
                break;
            }
            if self.jacobian_current || solved == Solved::NotFinite {
                self.statistics.newton_failures += u64::from(solved == Solved::No);
                self.statistics.not_finite += u64::from(solved == Solved::NotFinite);
                self.h = if solved == Solved::No {
                    0.4 * h
                } else {
                    0.25 * h
                };
                return self.reject(f64::INFINITY);
            }
            self.jacobian_valid = false;
        }
        let square = self.error();
        if !(square <= 1.0) {
            let finite = square.is_finite();
            self.statistics.not_finite += u64::from(!finite);
            self.h = h * if finite {
                self.factor(square).clamp(0.1, 0.9)
            } else {
                0.25
            };
            return self.reject(square.sqrt());
        }
        self.grow(h, square);
        Ok(self.accept(h, t_new))
    }

    fn t_old(&self) -> f64 {
        self.t_old
    }

    fn t(&self) -> f64 {
        self.t
    }

    fn length(&self) -> f64 {
        self.done
    }

    fn state(&self) -> &[f64] {
        &self.y
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        if t == self.t {
            state.copy_from_slice(&self.y);
        } else if t == self.t_old {
            state.copy_from_slice(&self.y_old);
        } else {
            let theta = (t - self.t_old) / self.done;
            let rest = 1.0 - theta;
            let mut r = [0.0; 4];
            for (i, value) in state.iter_mut().enumerate() {
                self.hermite(i, &mut r);
                *value = r[0] + theta * (r[1] + rest * (r[2] + theta * r[3]));
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        4
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        self.hermite(i, out);
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

impl Esdirk {
    /// The cubic polynomial of both ends.
    fn hermite(&self, i: usize, out: &mut [f64]) {
        let rise = self.y[i] - self.y_old[i];
        let (first, last) = (self.slope_old[i] * self.done, self.slope[i] * self.done);
        let bend = first - rise;
        out[..4].copy_from_slice(&[self.y_old[i], rise, bend, rise - last - bend]);
    }
}
