//! The simplified Newton iteration for the stages.

use bifrons_algebra::Complex;

use super::Radau;
use super::kernel::{correct, subtract, to_eigenvectors, transform};
use super::tables::{C, PAIR_IM, PAIR_RE, REAL};
use crate::implicit::norm::fixed;
use crate::problem::{Fault, Problem};

/// Iterations before the step is made smaller.
const LIMIT: i32 = 7;

/// What is kept from one iteration to the next.
#[derive(Debug, Clone)]
pub(super) struct Memory {
    tolerance: f64,
    /// `θ / (1 − θ)` of the last iteration, for those that end after one correction.
    remainder: f64,
    /// Contraction of the last iteration.
    pub(super) rate: f64,
    pub(super) iterations: i32,
    pub(super) floor: f64,
}

/// How an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solved {
    Yes,
    No,
    NotFinite,
}

impl Memory {
    pub(super) fn new(relative: f64) -> Self {
        let share = if relative > 0.0 {
            relative.sqrt().min(0.03)
        } else {
            1e-3
        };
        let noise = if relative > 0.0 {
            10.0 * f64::EPSILON / relative
        } else {
            0.0
        };
        Self {
            tolerance: share.max(noise),
            remainder: 1.0,
            rate: 1.0,
            iterations: 0,
            floor: 0.0,
        }
    }

    pub(super) const fn limit() -> i32 {
        LIMIT
    }
}

impl Radau {
    /// First values of the stages: the last polynomial, carried on.
    fn predict(&mut self, h: f64) {
        let n = self.n;
        if !self.history {
            self.z.fill(0.0);
            self.w.fill(0.0);
            return;
        }
        let [first, second, third] = [0, 1, 2].map(|k| &self.powers[k * n..(k + 1) * n]);
        for (k, c) in C.into_iter().enumerate() {
            let theta = 1.0 + c * h / self.done;
            for i in 0..n {
                let value = theta * (first[i] + theta * (second[i] + theta * third[i]));
                self.z[k * n + i] = value - (self.y[i] - self.y_old[i]);
            }
        }
        to_eigenvectors(n, &self.z, &mut self.w);
    }

    /// Solves for the stages of a step `h` with the present factorisations.
    pub(super) fn iterate<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
    ) -> Result<Solved, &'static str> {
        let n = self.n;
        self.predict(h);
        self.newton.remainder = self.newton.remainder.max(f64::EPSILON).powf(0.8);
        let mut last = 0.0;
        for iteration in 1..=LIMIT {
            self.newton.iterations = iteration;
            match self.stage_slopes(problem, h, t_new) {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            self.right_hand_sides(h);
            self.matrices.solve(&mut self.real);
            self.matrices.solve_complex(&mut self.pair);
            self.statistics.linear_solves += 2;
            self.statistics.newton_iterations += 1;
            let steps = (h / REAL, &self.real[..], &self.pair[..]);
            let size = fixed!(n, correct, (steps, &self.weights, &mut self.w, &mut self.z)).sqrt();
            if !size.is_finite() {
                return Ok(Solved::NotFinite);
            }
            if size <= self.newton.floor {
                return Ok(Solved::Yes);
            }
            if iteration > 1 {
                let rate = size / last;
                // The mean of two contractions smooths what is left of alternating errors.
                self.newton.rate = if iteration > 2 {
                    (rate * self.newton.rate).sqrt()
                } else {
                    rate
                };
                let rate = self.newton.rate;
                if rate >= 0.99 {
                    return Ok(Solved::No);
                }
                self.newton.remainder = rate / (1.0 - rate);
                let left = rate.powi(LIMIT - iteration);
                if self.newton.remainder * size * left > 10.0 * self.newton.tolerance {
                    return Ok(Solved::No);
                }
            }
            last = size.max(f64::MIN_POSITIVE);
            if self.newton.remainder * size <= self.newton.tolerance {
                return Ok(Solved::Yes);
            }
        }
        Ok(Solved::No)
    }

    fn stage_slopes<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
    ) -> Result<(), Fault> {
        let n = self.n;
        for (k, c) in C.into_iter().enumerate() {
            let z = &self.z[k * n..(k + 1) * n];
            for i in 0..n {
                self.scratch[i] = self.y[i] + z[i];
            }
            let t = if k == 2 { t_new } else { self.t + c * h };
            self.statistics.rhs += 1;
            problem.rhs(t, &self.scratch, &mut self.f[k * n..(k + 1) * n])?;
        }
        Ok(())
    }

    fn right_hand_sides(&mut self, h: f64) {
        let n = self.n;
        let (g, z) = (REAL / h, Complex::new(PAIR_RE / h, PAIR_IM / h));
        fixed!(n, transform, (&self.f, &mut self.real, &mut self.pair));
        if self.matrices.is_identity() {
            fixed!(n, subtract, (g, z, &self.w, &mut self.real, &mut self.pair));
            return;
        }
        self.matrices
            .add_mass_times(-g, &self.w[..n], &mut self.real);
        let (re, im) = (&self.w[n..2 * n], &self.w[2 * n..]);
        self.scratch.fill(0.0);
        self.matrices.add_mass_times(1.0, re, &mut self.scratch);
        for (pair, m) in self.pair.iter_mut().zip(&self.scratch) {
            *pair -= z * Complex::from(*m);
        }
        self.scratch.fill(0.0);
        self.matrices.add_mass_times(1.0, im, &mut self.scratch);
        for (pair, m) in self.pair.iter_mut().zip(&self.scratch) {
            *pair -= z * Complex::new(0.0, *m);
        }
    }
}
