//! The nonlinear equations of one step.

use bifrons_algebra::{Contraction, Verdict};

use super::Esdirk;
use super::kernel::{Correct, Extrapolate, combine, correct, extrapolate, residual};
use super::tables::MAX_STAGES;
use crate::implicit::norm::fixed;
use crate::problem::{Fault, Problem};

/// Relative change of `h γ` up to which the old factorisation is used.
const KEEP_FACTORS: f64 = 0.2;
/// Steps after which a new factorisation gets a new Jacobian.
const JACOBIAN_AGE: u64 = 50;
/// Iterations per stage above which the next step gets a new Jacobian.
const SLOW: f64 = 2.5;
/// Contraction that is assumed at the start of every step: the Jacobian ages.
const LEAST_RATE: f64 = 0.1;
/// Largest ratio of steps over which the last one is extrapolated.
const MAX_RATIO: f64 = 2.5;

/// What became of the stages of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solved {
    Yes,
    /// The iteration does not converge, or the matrix is singular.
    No,
    /// The right-hand side does not exist somewhere.
    NotFinite,
}

/// What the simplified Newton iteration remembers.
#[derive(Debug, Clone)]
pub(super) struct Iteration {
    pub(super) contraction: Contraction,
    /// `h γ` of the factorisation; NaN if there is none.
    factored: f64,
    /// Accepted steps at the time of the last Jacobian.
    jacobian_step: u64,
    /// Whether the Jacobian is that of the state at which the method stands.
    pub(super) current: bool,
    /// Whether the next attempt should have a new Jacobian.
    stale: bool,
    /// Share of the error tolerance that the iteration may leave.
    pub(super) tolerance: f64,
    /// Weighted norm of round-off in the state.
    pub(super) floor: f64,
    /// Iterations and stages of the last attempt.
    iterations: u32,
    stages: u32,
}

impl Iteration {
    pub(super) fn new(relative: f64) -> Self {
        let tolerance = if relative < 1e-6 { 0.005 } else { 0.01 };
        Self {
            contraction: Contraction::new(6),
            factored: f64::NAN,
            jacobian_step: 0,
            current: false,
            stale: true,
            tolerance,
            floor: 0.0,
            iterations: 0,
            stages: 0,
        }
    }

    /// Forgets the matrices.
    pub(super) const fn forget(&mut self) {
        self.factored = f64::NAN;
        self.stale = true;
        self.current = false;
    }

    /// `h γ` of the factorisation.
    pub(super) const fn factored(&self) -> f64 {
        self.factored
    }

    pub(super) fn iterations_per_stage(&self) -> f64 {
        f64::from(self.iterations) / f64::from(self.stages.max(1))
    }

    /// The method has moved on.
    pub(super) fn accepted(&mut self) {
        self.current = false;
        self.stale |= self.iterations_per_stage() > SLOW;
    }
}

impl Esdirk {
    /// Solves for all stages of a step to `t_new`.
    pub(super) fn solve_step<P: Problem>(
        &mut self,
        problem: &mut P,
        t_new: f64,
    ) -> Result<Solved, &'static str> {
        let c = self.h * self.tableau.gamma;
        loop {
            let ratio = c / self.newton.factored;
            if self.newton.stale || !((ratio - 1.0).abs() <= KEEP_FACTORS) {
                match self.factor(problem, c)? {
                    Solved::Yes => {}
                    other => return Ok(other),
                }
            }
            let solved = self.stages(problem, t_new, c)?;
            if solved != Solved::No || self.newton.current {
                return Ok(solved);
            }
            // The Jacobian is old: with a new one once more.
            self.newton.stale = true;
        }
    }

    /// Factors `M − c J`, with a new Jacobian if there is none or it is old.
    fn factor<P: Problem>(&mut self, problem: &mut P, c: f64) -> Result<Solved, &'static str> {
        let age = self.statistics.accepted - self.newton.jacobian_step;
        if !self.newton.current && (self.newton.stale || age > JACOBIAN_AGE) {
            self.statistics.rhs += 1;
            let found = problem.rhs(self.t, &self.y, &mut self.f);
            let found = found.and_then(|()| {
                let (y, f, t) = (&self.y, &self.f, self.t);
                self.matrices
                    .evaluate(problem, t, y, f, &mut self.statistics)
            });
            match found {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(Fault::Recoverable) => return Ok(Solved::NotFinite),
            }
            self.newton.current = true;
            self.newton.jacobian_step = self.statistics.accepted;
        }
        self.newton.stale = false;
        self.newton.contraction.refactored();
        if self.matrices.factor(c, &mut self.statistics).is_ok() {
            self.newton.factored = c;
            if !self.matrices.is_identity() {
                self.floors.copy_from_slice(&self.absolute);
                let (y, floors) = (&self.y, &mut self.floors);
                self.matrices.add_noise(c, y, &mut self.delta, floors);
            }
            return Ok(Solved::Yes);
        }
        self.newton.factored = f64::NAN;
        if self.newton.current {
            return Ok(Solved::No);
        }
        self.newton.stale = true;
        self.factor(problem, c)
    }

    fn stages<P: Problem>(
        &mut self,
        problem: &mut P,
        t_new: f64,
        c: f64,
    ) -> Result<Solved, &'static str> {
        let (n, tableau) = (self.n, self.tableau);
        (self.newton.iterations, self.newton.stages) = (0, 0);
        let ratio = c / self.newton.factored;
        let mismatch = (ratio - 1.0).abs() / (ratio + 1.0);
        self.newton
            .contraction
            .expect_at_least(mismatch.max(LEAST_RATE));
        let over = 1.0 / tableau.gamma;
        for i in 1..tableau.stages {
            let a = &tableau.a[i];
            fixed!(n, combine, (&self.y, &self.k, a, i, &mut self.base));
            self.predict(i);
            let t = if i + 1 == tableau.stages {
                t_new
            } else {
                self.t + tableau.c[i] * self.h
            };
            let solved = self.iterate(problem, t, c)?;
            if solved != Solved::Yes {
                return Ok(solved);
            }
            let row = &mut self.k[i * n..(i + 1) * n];
            for (k, d) in row.iter_mut().zip(&self.d) {
                *k = d * over;
            }
        }
        Ok(Solved::Yes)
    }

    /// First guess of `d` in stage `i`.
    fn predict(&mut self, i: usize) {
        let (n, tableau) = (self.n, self.tableau);
        let ratio = if self.done == 0.0 {
            f64::INFINITY
        } else {
            self.h / self.done
        };
        if ratio <= MAX_RATIO {
            let from = Extrapolate {
                s: tableau.c[i] * ratio,
                old: &self.y_old,
                y: &self.y,
                end: &self.end,
                base: &self.base,
            };
            fixed!(n, extrapolate, (&from, &mut self.d));
        } else {
            let mut weights = [0.0; MAX_STAGES];
            weights[i - 1] = tableau.gamma;
            self.delta.fill(0.0);
            fixed!(n, combine, (&self.delta, &self.k, &weights, i, &mut self.d));
        }
    }

    fn iterate<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        c: f64,
    ) -> Result<Solved, &'static str> {
        let n = self.n;
        let scale = 2.0 / (1.0 + c / self.newton.factored);
        for i in 0..n {
            self.stage[i] = self.base[i] + self.d[i];
        }
        self.newton.contraction.begin();
        self.newton.stages += 1;
        loop {
            self.statistics.rhs += 1;
            self.statistics.newton_iterations += 1;
            self.statistics.linear_solves += 1;
            self.newton.iterations += 1;
            match problem.rhs(t, &self.stage, &mut self.f) {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            if self.matrices.is_identity() {
                fixed!(n, residual, (c, &self.f, &self.d, &mut self.delta));
            } else {
                for (delta, f) in self.delta.iter_mut().zip(&self.f) {
                    *delta = c * f;
                }
                self.matrices.add_mass_times(-1.0, &self.d, &mut self.delta);
            }
            self.matrices.solve(&mut self.delta);
            let arrays = Correct {
                delta: &self.delta,
                weights: &self.weights,
                base: &self.base,
                d: &mut self.d,
                y: &mut self.stage,
            };
            let size = fixed!(n, correct, (scale, arrays)).sqrt();
            let (tolerance, floor) = (self.newton.tolerance, self.newton.floor);
            match self.newton.contraction.judge(size, tolerance, floor) {
                Verdict::Converged => return Ok(Solved::Yes),
                Verdict::Continue => {}
                Verdict::Diverged if size.is_finite() => return Ok(Solved::No),
                Verdict::Diverged => return Ok(Solved::NotFinite),
            }
        }
    }
}
