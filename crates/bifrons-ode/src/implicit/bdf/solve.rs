//! The nonlinear equations of one step.

use bifrons_algebra::{Contraction, Verdict};

use super::Bdf;
use super::kernel::{Correct, correct, residual};
use super::tables::error_constant;
use crate::implicit::norm::fixed;
use crate::problem::{Fault, Problem};

/// Relative change of `c` up to which the old factorisation is used.
const KEEP_FACTORS: f64 = 0.3;
/// Steps after which a new factorisation gets a new Jacobian: twice the evaluations that it may
/// cost, within these bounds.
const JACOBIAN_AGE: core::ops::RangeInclusive<u64> = 20..=50;

/// What the simplified Newton iteration remembers.
#[derive(Debug, Clone)]
pub(super) struct Iteration {
    contraction: Contraction,
    /// `c` of the factorisation; NaN if there is none.
    factored: f64,
    /// Accepted steps at the time of the last Jacobian.
    jacobian_step: u64,
    /// Whether the Jacobian was evaluated in this attempt.
    current: bool,
    /// Share of the error tolerance that the iteration may leave.
    tolerance: f64,
    /// Weighted norm of round-off in the state.
    pub(super) floor: f64,
}

/// How an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solved {
    Yes,
    /// No convergence, or a singular matrix, with a Jacobian of this step.
    No,
    /// The right-hand side is not finite somewhere.
    NotFinite,
}

impl Iteration {
    pub(super) fn new(relative: f64, contraction: Contraction) -> Self {
        // Round-off of the iteration enters the differences and is amplified by changes of step;
        // tight tolerances need a smaller share.
        let tolerance = if relative < 1e-6 { 0.005 } else { 0.01 };
        Self {
            contraction,
            factored: f64::NAN,
            jacobian_step: 0,
            current: false,
            tolerance,
            floor: 0.0,
        }
    }

    /// Forgets the matrices.
    pub(super) const fn forget(&mut self) {
        self.factored = f64::NAN;
    }

    /// The next factorisation evaluates the Jacobian.
    pub(super) const fn renew_jacobian(&mut self) {
        self.jacobian_step = u64::MAX;
    }

    /// `c` of the factorisation.
    pub(super) const fn factored(&self) -> f64 {
        self.factored
    }

    /// Iterations of the last solution.
    pub(super) const fn iterations(&self) -> u32 {
        self.contraction.iterations()
    }
}

impl Bdf {
    /// Solves for the correction of a step to `t`, which has coefficient `c`.
    pub(super) fn solve_step<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        c: f64,
    ) -> Result<Solved, &'static str> {
        self.newton.current = false;
        loop {
            let ratio = c / self.newton.factored;
            if !((ratio - 1.0).abs() <= KEEP_FACTORS) {
                match self.factor(problem, t, c)? {
                    Solved::Yes => {}
                    other => return Ok(other),
                }
            }
            let solved = self.iterate(problem, t, c)?;
            if solved == Solved::Yes || self.newton.current {
                return Ok(solved);
            }
            if solved == Solved::NotFinite {
                return Ok(solved);
            }
            // The Jacobian is old: with a new one at the predicted state once more.
            self.newton.factored = f64::NAN;
            self.newton.jacobian_step = u64::MAX;
        }
    }

    /// Factors `M − c J`, with a new Jacobian if there is none or it is old.
    fn factor<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        c: f64,
    ) -> Result<Solved, &'static str> {
        let age = self
            .statistics
            .accepted
            .checked_sub(self.newton.jacobian_step);
        let none = self.statistics.jacobians == 0;
        let old = (2 * self.n as u64).clamp(*JACOBIAN_AGE.start(), *JACOBIAN_AGE.end());
        if !self.newton.current && (none || age.is_none_or(|age| age > old)) {
            self.statistics.rhs += 1;
            match problem.rhs(t, &self.predicted, &mut self.f) {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            let (y, f) = (&self.predicted, &self.f);
            match self
                .matrices
                .evaluate(problem, t, y, f, &mut self.statistics)
            {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            self.newton.current = true;
            self.newton.jacobian_step = self.statistics.accepted;
        }
        self.newton.contraction.refactored();
        match self.matrices.factor(c, &mut self.statistics) {
            Ok(_) => {
                self.newton.factored = c;
                if !self.matrices.is_identity() {
                    self.floors.copy_from_slice(&self.absolute);
                    let (y, floors) = (&self.predicted, &mut self.floors);
                    self.matrices.add_noise(c, y, &mut self.delta, floors);
                }
                Ok(Solved::Yes)
            }
            Err(_) if self.newton.current => {
                self.newton.factored = f64::NAN;
                Ok(Solved::No)
            }
            Err(_) => {
                // Perhaps an old Jacobian is to blame.
                self.newton.jacobian_step = u64::MAX;
                self.factor(problem, t, c)
            }
        }
    }

    fn iterate<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        c: f64,
    ) -> Result<Solved, &'static str> {
        let n = self.n;
        let ratio = c / self.newton.factored;
        let scale = 2.0 / (1.0 + ratio);
        let constant = error_constant(self.order);
        self.correction.fill(0.0);
        self.y.copy_from_slice(&self.predicted);
        self.newton.contraction.begin();
        loop {
            self.statistics.rhs += 1;
            self.statistics.newton_iterations += 1;
            self.statistics.linear_solves += 1;
            match problem.rhs(t, &self.y, &mut self.f) {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            if self.matrices.is_identity() {
                let arrays = (&self.f, &self.psi, &self.correction);
                fixed!(
                    n,
                    residual,
                    (c, arrays.0, arrays.1, arrays.2, &mut self.delta)
                );
            } else {
                for (delta, f) in self.delta.iter_mut().zip(&self.f) {
                    *delta = c * f;
                }
                self.matrices
                    .add_mass_times(-1.0, &self.psi, &mut self.delta);
                self.matrices
                    .add_mass_times(-1.0, &self.correction, &mut self.delta);
            }
            self.matrices.solve(&mut self.delta);
            let arrays = Correct {
                delta: &self.delta,
                weights: &self.weights,
                predicted: &self.predicted,
                d: &mut self.correction,
                y: &mut self.y,
            };
            let size = fixed!(n, correct, (scale, arrays)).sqrt() * constant;
            let (tolerance, floor) = (self.newton.tolerance, self.newton.floor);
            match self
                .newton
                .contraction
                .judge(size, tolerance, floor * constant)
            {
                Verdict::Converged => return Ok(Solved::Yes),
                Verdict::Continue => {}
                Verdict::Diverged if size.is_finite() => return Ok(Solved::No),
                Verdict::Diverged => return Ok(Solved::NotFinite),
            }
        }
    }
}
