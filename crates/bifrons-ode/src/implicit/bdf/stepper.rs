//! The formulas as a stepper.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps are found by their own bits"
)]

use super::kernel::{Between, advance, error, predict};
use super::solve::Solved;
use super::tables::{alpha, error_constant};
use super::{Bdf, MAX_ORDER};
use crate::auto::Stiff;
use crate::error::Failure;
use crate::implicit::norm::{fixed, weights, worst};
use crate::implicit::standing::standing;
use crate::implicit::start::{Ground, start};
use crate::method::Method;
use crate::problem::Problem;
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Stepper};

impl Bdf {
    fn weigh_state(&mut self) {
        let y = &self.differences[..self.n];
        let absolute = &self.floors;
        let largest = fixed!(
            self.n,
            weights,
            (y, self.relative, absolute, &mut self.weights)
        );
        self.newton.floor = 4.0 * f64::EPSILON * largest;
    }

    /// Starts at `(t, y)` with order one; `least` bounds the first step from below.
    fn begin<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        first: (Option<f64>, f64),
    ) -> Result<(), Failure> {
        let n = self.n;
        self.differences.fill(0.0);
        self.differences[..n].copy_from_slice(y);
        self.y.copy_from_slice(y);
        self.y_old.copy_from_slice(y);
        self.weigh_state();
        let (_, slope) = self.differences.split_at_mut(n);
        let most = (limit - t).abs().min(self.max_step);
        let mut ground = Ground {
            t,
            y: &self.y,
            weights: &self.weights,
            direction: self.direction,
            most,
            order: 1.0,
            slope: &mut slope[..n],
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
        for d in &mut self.differences[n..2 * n] {
            *d *= self.h;
        }
        (self.t_old, self.t) = (t, t);
        self.order = 1;
        self.equal_steps = 0;
        self.pending = None;
        self.rejections = 0;
        self.done = (self.h, 1);
        self.newton.forget();
        self.newton.renew_jacobian();
        Ok(())
    }

    /// Applies what the last step chose, and fits the step to the limit.
    fn prepare(&mut self, limit: f64) {
        if let Some((order, factor)) = self.pending.take() {
            self.order = order;
            self.equal_steps = 0;
            if factor != 1.0 {
                self.scale_step(factor);
            }
        }
        let rest = (limit - self.t) * self.direction;
        let size = self.h.abs();
        if size > self.max_step {
            self.scale_step(self.max_step / size);
        }
        let size = self.h.abs();
        if rest <= 1.0001 * size {
            if rest != size {
                self.scale_step(rest / size);
            }
        } else if rest < 2.0 * size {
            self.scale_step(0.5 * rest / size);
        }
    }

    /// Makes the differences those of a first step from the old state to the new one.
    fn start_over(&mut self) {
        let n = self.n;
        self.order = 1;
        self.equal_steps = 0;
        self.differences[n..].fill(0.0);
        for i in 0..n {
            self.differences[n + i] = self.y[i] - self.y_old[i];
        }
        self.differences[..n].copy_from_slice(&self.y);
    }

    fn underflow(&self, norm: f64) -> Failure {
        Failure::StepUnderflow {
            t: self.t,
            step: self.h,
            component: worst(&self.correction, &self.weights),
            norm,
        }
    }

    fn reject(&mut self, norm: f64) -> Result<Attempt, Failure> {
        self.statistics.rejected += 1;
        let ulp = f64::EPSILON * self.t.abs().max(f64::MIN_POSITIVE);
        if self.h.abs() <= 4.0 * ulp {
            return Err(self.underflow(norm));
        }
        Ok(Attempt::Rejected)
    }
}

impl Bdf {
    /// Whether some component has an index above one.
    const fn is_high(&self) -> bool {
        false
    }
}

impl Stiff for Bdf {
    const METHOD: Method = Method::Bdf;

    fn rate_bound(&mut self) -> f64 {
        let rows = (&mut self.f[..], &mut self.delta[..]);
        self.matrices.rate_bound(&self.weights, rows)
    }

    fn wanted(&self) -> f64 {
        let factor = self.pending.map_or(1.0, |(_, factor)| factor);
        self.h.abs() * factor
    }
}

impl<P: Problem> Stepper<P> for Bdf {
    standing!();

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        let n = self.n;
        self.prepare(limit);
        let rest = limit - self.t;
        let last = (rest - self.h).abs() <= 1e-10 * rest.abs();
        let t_new = if last { limit } else { self.t + self.h };
        self.weigh_state();
        let arrays = (&mut self.predicted, &mut self.psi);
        fixed!(
            n,
            predict,
            (&self.differences, self.order, arrays.0, arrays.1)
        );
        let c = self.h / alpha(self.order);
        let solved = self.solve_step(problem, t_new, c);
        let solved = solved.map_err(|message| Failure::Fatal { t: self.t, message })?;
        if solved != Solved::Yes {
            let factor = if solved == Solved::No { 0.3 } else { 0.25 };
            self.statistics.newton_failures += u64::from(solved == Solved::No);
            self.statistics.not_finite += u64::from(solved == Solved::NotFinite);
            self.scale_step(factor);
            return self.reject(f64::INFINITY);
        }
        let between = Between {
            old: &self.differences[..n],
            new: &self.y,
            relative: self.relative,
            absolute: &self.floors,
        };
        let constant = error_constant(self.order);
        let square = fixed!(n, error, (&self.correction, &between, &mut self.weights));
        let square = square * constant * constant;
        let stagnant = square > 1.0 && self.is_stagnant(square);
        if !(square <= 1.0 || stagnant) {
            self.statistics.not_finite += u64::from(!square.is_finite());
            let square = if square.is_finite() { square } else { 1e60 };
            self.shrink(square);
            return self.reject(square.sqrt());
        }
        self.y_old.copy_from_slice(&self.differences[..n]);
        if stagnant {
            self.start_over();
        } else {
            fixed!(
                n,
                advance,
                (&mut self.differences, self.order, &self.correction)
            );
        }
        self.y.copy_from_slice(&self.differences[..n]);
        (self.t_old, self.t) = (self.t, t_new);
        self.done = (self.h, self.order);
        self.statistics.accepted += 1;
        self.equal_steps += 1;
        self.rejections = 0;
        if !stagnant {
            self.choose(square);
        }
        Ok(Attempt::Accepted)
    }

    fn length(&self) -> f64 {
        self.done.0
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        if t == self.t {
            state.copy_from_slice(&self.y);
        } else if t == self.t_old {
            state.copy_from_slice(&self.y_old);
        } else {
            let s = (t - self.t) / self.done.0;
            for (i, value) in state.iter_mut().enumerate() {
                *value = self.at(i, s);
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        MAX_ORDER + 1
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        self.alternating(i, out);
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
