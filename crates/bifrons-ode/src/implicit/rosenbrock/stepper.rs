//! The methods as steppers.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps are found by their own bits; a derivative that is zero is exactly zero"
)]

use bifrons_lanes::math::{exp2_fast, log2_fast};

use super::{Rosenbrock, combine};
use crate::auto::Stiff;
use crate::dense::polynomial;
use crate::error::Failure;
use crate::implicit::norm::{fixed, mean_square, weights, worst};
use crate::implicit::pace::{fit, is_lost};
use crate::implicit::standing::standing;
use crate::implicit::start::{Ground, start};
use crate::method::Method;
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Stepper};

/// Whether the stages of a step exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stages {
    Done,
    Missing,
}

impl Rosenbrock {
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
        let (n, relative) = (self.n, self.relative);
        fixed!(
            n,
            weights,
            (&self.y, relative, &self.floors, &mut self.weights)
        );
        let most = (limit - t).abs().min(self.max_step);
        let mut ground = Ground {
            t,
            y: &self.y,
            weights: &self.weights,
            direction: self.direction,
            most,
            order: self.tableau.order as f64 - 1.0,
            slope: &mut self.by_time,
            scratch: &mut self.scratch,
            other: &mut self.stage,
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
        if self.matrices.is_identity() {
            self.slope.copy_from_slice(&self.by_time);
        } else {
            self.evaluate(problem, t)?;
        }
        self.current = false;
        self.rejected = false;
        self.last_error = 0.0;
        Ok(())
    }

    /// `f(t, y)`.
    fn evaluate<P: Problem>(&mut self, problem: &mut P, t: f64) -> Result<(), Failure> {
        self.statistics.rhs += 1;
        match problem.rhs(t, &self.y, &mut self.slope) {
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t, message }),
            // A slope that does not exist makes the next step fail, which makes it smaller.
            _ => Ok(()),
        }
    }

    /// Jacobian and time derivative at the state.
    fn linearise<P: Problem>(&mut self, problem: &mut P, h: f64) -> Result<bool, &'static str> {
        let (t, y, f) = (self.t, &self.y, &self.slope);
        match self
            .matrices
            .evaluate(problem, t, y, f, &mut self.statistics)
        {
            Ok(()) => {}
            Err(Fault::Fatal(message)) => return Err(message),
            Err(_) => return Ok(false),
        }
        // A difference that is small against the step and large against round-off of the time.
        let raw = 1e-5 * h.abs().max(1e-9 * t.abs());
        let shift = ((t + self.direction * raw) - t).abs() * self.direction;
        self.statistics.rhs += 1;
        let ahead = problem.rhs(t + shift, y, &mut self.by_time);
        if let Err(Fault::Fatal(message)) = ahead {
            return Err(message);
        }
        let same = self.by_time == self.slope;
        let mut span = shift;
        let mut behind = false;
        if !same && t != self.t_old {
            self.statistics.rhs += 1;
            let back = (t - shift) - t;
            behind = problem.rhs(t + back, y, &mut self.scratch).is_ok();
            if behind {
                span = shift - back;
            }
        }
        for i in 0..self.n {
            let before = if behind {
                self.scratch[i]
            } else {
                self.slope[i]
            };
            self.by_time[i] = (self.by_time[i] - before) / span;
        }
        if same || ahead.is_err() {
            self.by_time.fill(0.0);
        }
        Ok(true)
    }

    fn stages<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
    ) -> Result<Stages, &'static str> {
        let (n, tableau) = (self.n, self.tableau);
        let c = tableau.gamma * h;
        for i in 0..tableau.stages {
            let (before, rest) = self.u.split_at_mut(i * n);
            let row = &mut rest[..n];
            if i == 0 {
                row.copy_from_slice(&self.slope);
            } else {
                self.stage.copy_from_slice(&self.y);
                let factors = &tableau.a[i][..i];
                fixed!(n, combine, (factors, 1.0, before, &mut self.stage));
                let node = tableau.nodes[i];
                let t = if node == 1.0 {
                    t_new
                } else {
                    self.t + node * h
                };
                self.statistics.rhs += 1;
                match problem.rhs(t, &self.stage, row) {
                    Ok(()) => {}
                    Err(Fault::Fatal(message)) => return Err(message),
                    Err(_) => return Ok(Stages::Missing),
                }
                let factors = &tableau.c[i][..i];
                if self.matrices.is_identity() {
                    fixed!(n, combine, (factors, 1.0 / h, before, row));
                } else {
                    self.scratch.fill(0.0);
                    fixed!(n, combine, (factors, 1.0 / h, before, &mut self.scratch));
                    self.matrices.add_mass_times(1.0, &self.scratch, row);
                }
            }
            let d = h * tableau.d[i];
            if d != 0.0 {
                for (r, f) in row.iter_mut().zip(&self.by_time) {
                    *r += d * f;
                }
            }
            self.matrices.solve(row);
            self.statistics.linear_solves += 1;
            for r in row {
                *r *= c;
            }
        }
        Ok(Stages::Done)
    }

    /// The new state; returns the mean square of the weighted error.
    fn finish(&mut self) -> f64 {
        let (n, last) = (self.n, self.tableau.stages - 1);
        let error = &self.u[last * n..];
        // The last stage started from the new state without its own increment.
        for i in 0..n {
            self.new[i] = self.stage[i] + error[i];
            let size = self.y[i].abs().max(self.new[i].abs());
            self.weights[i] = 1.0 / (self.floors[i] + self.relative * size);
        }
        fixed!(n, mean_square, (error, &self.weights))
    }

    fn accept<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
    ) -> Result<Attempt, Failure> {
        let n = self.n;
        self.dense.fill(0.0);
        for (row, factors) in self.dense.chunks_exact_mut(n).zip(&self.tableau.dense) {
            fixed!(n, combine, (factors, 1.0, &self.u, row));
        }
        core::mem::swap(&mut self.y, &mut self.y_old);
        core::mem::swap(&mut self.y, &mut self.new);
        self.done = h;
        (self.t_old, self.t) = (self.t, t_new);
        self.current = false;
        self.rejected = false;
        self.statistics.accepted += 1;
        self.evaluate(problem, t_new)?;
        Ok(Attempt::Accepted)
    }

    fn reject(&mut self, norm: f64) -> Result<Attempt, Failure> {
        self.statistics.rejected += 1;
        self.rejected = true;
        if is_lost(self.t, self.h) {
            let last = (self.tableau.stages - 1) * self.n;
            return Err(Failure::StepUnderflow {
                t: self.t,
                step: self.h,
                component: worst(&self.u[last..], &self.weights),
                norm,
            });
        }
        Ok(Attempt::Rejected)
    }

    /// Matrices for a step `h`; false if they do not exist.
    fn prepare<P: Problem>(&mut self, problem: &mut P, h: f64) -> Result<bool, &'static str> {
        if !self.current {
            if !self.linearise(problem, h)? {
                return Ok(false);
            }
            self.current = true;
        }
        let c = self.tableau.gamma * h;
        if self.matrices.factor(c, &mut self.statistics).is_err() {
            return Ok(false);
        }
        if !self.matrices.is_identity() {
            self.floors.copy_from_slice(&self.absolute);
            let (y, floors) = (&self.y, &mut self.floors);
            self.matrices.add_noise(c, y, &mut self.scratch, floors);
        }
        Ok(true)
    }

    /// Factor of the next step for a mean square error.
    fn factor(&self, square: f64) -> f64 {
        let bounded = square.clamp(1e-30, 1e30);
        0.9 * exp2_fast(log2_fast(bounded) * (-0.5 / self.tableau.order as f64))
    }

    /// Chooses the next step after one of size `h` that was accepted with this error.
    fn grow(&mut self, h: f64, square: f64) {
        let mut factor = self.factor(square);
        if self.last_error > 0.0 {
            // Gustafsson: the last two errors and steps foretell the next error.
            let trend = exp2_fast(
                log2_fast((self.last_error / square.max(1e-30)).clamp(1e-30, 1e30))
                    * (0.5 / self.tableau.order as f64),
            );
            factor = factor.min(factor * trend * (h / self.done).abs());
        }
        let most = if self.rejected { 1.0 } else { 6.0 };
        self.last_error = square.max(1e-4);
        self.h = h * factor.clamp(0.2, most);
    }
}

impl Rosenbrock {
    /// Coefficients of component `i` of the last accepted step.
    fn basis(&self, i: usize) -> [f64; 5] {
        let [a, b, c] = [0, 1, 2].map(|k| self.dense[k * self.n + i]);
        // a + θ (b + θ c) with the last θ as 1 − (1 − θ).
        [self.y_old[i], self.y[i] - self.y_old[i], a, b + c, -c]
    }

    /// Whether some component has an index above one.
    const fn is_high(&self) -> bool {
        false
    }
}

impl Stiff for Rosenbrock {
    const METHOD: Method = Method::Rodas5P;

    fn rate_bound(&mut self) -> f64 {
        let rows = (&mut self.scratch[..], &mut self.stage[..]);
        self.matrices.rate_bound(&self.weights, rows)
    }

    fn wanted(&self) -> f64 {
        self.h.abs()
    }
}

impl<P: Problem> Stepper<P> for Rosenbrock {
    standing!();

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        let h = fit(self.t, limit, self.h, self.max_step);
        let t_new = if h == limit - self.t {
            limit
        } else {
            self.t + h
        };
        let t = self.t;
        let fatal = |message| Failure::Fatal { t, message };
        let ready = self.prepare(problem, h).map_err(fatal)?;
        if !ready || self.stages(problem, h, t_new).map_err(fatal)? == Stages::Missing {
            self.statistics.not_finite += 1;
            self.h = 0.25 * h;
            return self.reject(f64::INFINITY);
        }
        let square = self.finish();
        if !(square <= 1.0) {
            self.statistics.not_finite += u64::from(!square.is_finite());
            let finite = square.is_finite();
            self.h = h * if finite {
                self.factor(square).clamp(0.1, 0.9)
            } else {
                0.25
            };
            return self.reject(square.sqrt());
        }
        self.grow(h, square);
        self.accept(problem, h, t_new)
    }

    fn length(&self) -> f64 {
        self.done
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        if t == self.t {
            state.copy_from_slice(&self.y);
        } else if t == self.t_old {
            state.copy_from_slice(&self.y_old);
        } else {
            // As on lanes, bit for bit.
            let theta = (t - self.t_old) / self.done;
            for (i, value) in state.iter_mut().enumerate() {
                *value = polynomial(&self.basis(i), theta);
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        5
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        out[..5].copy_from_slice(&self.basis(i));
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
