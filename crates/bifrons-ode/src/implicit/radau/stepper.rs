//! The method as a stepper.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps are found by their own bits"
)]

use bifrons_algebra::Complex;

use super::Radau;
use super::kernel::collocate;
use super::newton::Solved;
use super::tables::{PAIR_IM, PAIR_RE, REAL};
use crate::error::Failure;
use crate::implicit::basis;
use crate::implicit::norm::{fixed, weights, worst};
use crate::implicit::pace::{fit, is_lost};
use crate::implicit::standing::standing;
use crate::implicit::start::{Ground, start};
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Stepper};

impl Radau {
    fn weigh_state(&mut self, h: f64) {
        let (y, absolute) = (&self.y, &self.floors);
        let largest = fixed!(
            self.n,
            weights,
            (y, self.relative, absolute, &mut self.weights)
        );
        self.newton.floor = 4.0 * f64::EPSILON * largest;
        let size = h.abs().min(1.0);
        for (w, &raised) in self.weights.iter_mut().zip(&self.raised) {
            *w *= size.powi(raised);
        }
    }

    fn begin<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        first: (Option<f64>, f64),
    ) -> Result<(), Failure> {
        let n = self.n;
        self.y.copy_from_slice(y);
        self.y_old.copy_from_slice(y);
        (self.t_old, self.t) = (t, t);
        self.weigh_state(1.0);
        let most = (limit - t).abs().min(self.max_step);
        let (other, rest) = self.f.split_at_mut(n);
        let mut ground = Ground {
            t,
            y: &self.y,
            weights: &self.weights,
            direction: self.direction,
            most,
            order: 3.0,
            slope: &mut rest[..n],
            scratch: &mut self.scratch,
            other,
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
            self.slope.copy_from_slice(&self.f[n..2 * n]);
        } else {
            self.statistics.rhs += 1;
            let fault = problem.rhs(t, &self.y, &mut self.slope);
            if let Err(Fault::Fatal(message)) = fault {
                return Err(Failure::Fatal { t, message });
            }
        }
        self.factored = f64::NAN;
        self.jacobian_current = false;
        self.jacobian_valid = false;
        self.last = None;
        self.rejected = false;
        self.first = true;
        self.history = false;
        Ok(())
    }

    /// Jacobian and factorisations for a step `h`; false if a matrix is singular.
    fn prepare<P: Problem>(&mut self, problem: &mut P, h: f64) -> Result<bool, &'static str> {
        if !self.jacobian_valid {
            let (t, y, f) = (self.t, &self.y, &self.slope);
            match self
                .matrices
                .evaluate(problem, t, y, f, &mut self.statistics)
            {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(false),
            }
            self.jacobian_valid = true;
            self.jacobian_current = true;
            self.factored = f64::NAN;
        }
        if self.factored != h {
            let z = Complex::new(PAIR_RE / h, PAIR_IM / h);
            let real = self.matrices.factor(h / REAL, &mut self.statistics);
            let pair = self.matrices.factor_complex(z, &mut self.statistics);
            self.factored = if real.is_ok() && pair.is_ok() {
                h
            } else {
                f64::NAN
            };
            if real.is_ok() && !self.matrices.is_identity() {
                self.floors.copy_from_slice(&self.absolute);
                let (y, floors) = (&self.y, &mut self.floors);
                self.matrices
                    .add_noise(h / REAL, y, &mut self.scratch, floors);
                self.weigh_state(h);
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
                component: worst(&self.real, &self.weights),
                norm,
            });
        }
        Ok(Attempt::Rejected)
    }

    fn accept<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
        error: f64,
    ) -> Result<Attempt, Failure> {
        let n = self.n;
        collocate(n, &self.z, &mut self.powers);
        self.y_old.copy_from_slice(&self.y);
        for (y, z) in self.y.iter_mut().zip(&self.z[2 * n..]) {
            *y += z;
        }
        self.grow(h, error);
        self.done = h;
        (self.t_old, self.t) = (self.t, t_new);
        self.statistics.accepted += 1;
        self.statistics.rhs += 1;
        self.history = true;
        self.first = false;
        self.rejected = false;
        match problem.rhs(t_new, &self.y, &mut self.slope) {
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t: t_new, message }),
            _ => Ok(Attempt::Accepted),
        }
    }
}

impl Radau {
    /// Whether some component has an index above one.
    fn is_high(&self) -> bool {
        !self.raised.is_empty()
    }
}

impl<P: Problem> Stepper<P> for Radau {
    standing!();

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        let fatal = |t| move |message| Failure::Fatal { t, message };
        let h = fit(self.t, limit, self.h, self.max_step);
        let t_new = if h == limit - self.t {
            limit
        } else {
            self.t + h
        };
        self.weigh_state(h);
        loop {
            if !self.prepare(problem, h).map_err(fatal(self.t))? {
                if !self.jacobian_current {
                    self.jacobian_valid = false;
                    continue;
                }
                self.h = 0.5 * h;
                return self.reject(f64::INFINITY);
            }
            let solved = self.iterate(problem, h, t_new).map_err(fatal(self.t))?;
            if solved == Solved::Yes {
                break;
            }
            if self.jacobian_current || solved == Solved::NotFinite {
                self.statistics.newton_failures += u64::from(solved == Solved::No);
                self.statistics.not_finite += u64::from(solved == Solved::NotFinite);
                self.jacobian_valid &= solved == Solved::No;
                self.h = if solved == Solved::No {
                    0.5 * h
                } else {
                    0.25 * h
                };
                return self.reject(f64::INFINITY);
            }
            self.jacobian_valid = false;
        }
        let error = self.error(problem, h).map_err(fatal(self.t))?;
        if !(error < 1.0) {
            self.statistics.not_finite += u64::from(!error.is_finite());
            self.shrink(h, error);
            return self.reject(error);
        }
        self.accept(problem, h, t_new, error)
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
            let n = self.n;
            let theta = (t - self.t_old) / self.done;
            let [a, b, c] = [0, 1, 2].map(|k| &self.powers[k * n..(k + 1) * n]);
            for i in 0..n {
                state[i] = self.y_old[i] + theta * (a[i] + theta * (b[i] + theta * c[i]));
            }
        }
    }

    fn coefficient_count(&self) -> usize {
        4
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        let n = self.n;
        let power = |k: usize| self.powers[k * n + i];
        basis::alternating(&[self.y_old[i], power(0), power(1), power(2)], out);
        if let [_, second, ..] = out {
            *second = self.y[i] - self.y_old[i];
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
