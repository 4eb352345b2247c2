//! Algebraic equations: which there are, and states that satisfy them.

use core::cell::RefCell;

use bifrons_algebra::{Lu, Union};

use super::Matrices;
use crate::error::Failure;
use crate::implicit::consistent::{self, Consistent};
use crate::implicit::setup::Setup;
use crate::problem::{Fault, Mass, Problem};
use crate::statistics::Statistics;

/// The equations of a consistent state: zero rows of `M` are `f_i(t, y) = 0`, all others
/// `M (y − y0) = c f(t, y)`.
struct System<'a, P> {
    matrices: &'a mut Matrices,
    problem: &'a mut P,
    statistics: &'a mut Statistics,
    algebraic: &'a [bool],
    start: &'a [f64],
    trial: &'a mut [f64],
    scratch: &'a mut [f64],
    c: f64,
    t: f64,
    fatal: Option<&'static str>,
}

impl<P: Problem> System<'_, P> {
    fn residual(&mut self, x: &[f64], out: &mut [f64]) -> bool {
        self.statistics.rhs += 1;
        let exists = consistent::evaluate(self.problem, self.t, x, out, &mut self.fatal);
        for ((trial, x), start) in self.trial.iter_mut().zip(x).zip(self.start) {
            *trial = x - start;
        }
        self.scratch.fill(0.0);
        self.matrices.add_mass_times(1.0, self.trial, self.scratch);
        for (i, out) in out.iter_mut().enumerate() {
            if !self.algebraic[i] {
                *out = self.scratch[i] - self.c * *out;
            }
        }
        exists
    }

    fn jacobian(&mut self, x: &[f64], values: &mut [f64]) -> bool {
        self.statistics.rhs += 1;
        let here = &mut *self.scratch;
        let exists = consistent::evaluate(self.problem, self.t, x, here, &mut self.fatal)
            && self
                .matrices
                .evaluate(self.problem, self.t, x, here, self.statistics)
                .is_ok();
        let Matrices {
            union,
            mass,
            jacobian,
            ..
        } = &*self.matrices;
        for column in 0..x.len() {
            union.structure().for_column(column, |row, at| {
                values[at] = if self.algebraic[row] {
                    jacobian[at]
                } else {
                    mass[at] - self.c * jacobian[at]
                };
            });
        }
        exists
    }
}

impl Matrices {
    /// Columns of the mass matrix that are zero: components without a derivative. Empty if there
    /// are none.
    pub(in crate::implicit) fn algebraic_columns(&self) -> Vec<usize> {
        let zero = |column: &usize| {
            let mut zero = true;
            let structure = self.union.structure();
            structure.for_column(*column, |_, at| zero &= self.mass[at] == 0.0);
            zero
        };
        if self.identity {
            Vec::new()
        } else {
            (0..self.n).filter(zero).collect()
        }
    }

    /// Whether the mass matrix is singular.
    pub(in crate::implicit) const fn is_singular(&self) -> bool {
        self.consistent.is_some()
    }

    /// The algebraic equation with the largest residual at `(t, y)`.
    pub(in crate::implicit) fn worst_equation<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        statistics: &mut Statistics,
    ) -> (usize, f64) {
        let mut worst = (0, 0.0_f64);
        let Some(consistent) = &mut self.consistent else {
            return worst;
        };
        statistics.rhs += 1;
        if problem.rhs(t, y, &mut consistent.scratch).is_ok() {
            for (i, &residual) in consistent.scratch.iter().enumerate() {
                let counts = consistent.hidden || consistent.algebraic[i];
                if counts && !(residual.abs() <= worst.1.abs()) {
                    worst = (i, residual);
                }
            }
        }
        worst
    }

    /// The state as it was before it was made consistent.
    pub(in crate::implicit) fn take_back(&self, y: &mut [f64]) {
        if let Some(consistent) = &self.consistent {
            y.copy_from_slice(&consistent.start);
        }
    }

    /// Changes `y` so that it satisfies the algebraic equations at `t`; `weights` measure changes.
    ///
    /// Nothing is done where the mass matrix is regular. Returns by how much `y` was changed.
    pub(in crate::implicit) fn make_consistent<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &mut [f64],
        weights: &[f64],
        statistics: &mut Statistics,
    ) -> Result<f64, Failure> {
        let Some(mut consistent) = self.consistent.take() else {
            return Ok(0.0);
        };
        consistent.start.copy_from_slice(y);
        let found = self.search(&mut consistent, problem, t, y, weights, statistics);
        let mut change = 0.0;
        for ((y, start), w) in y.iter().zip(&consistent.start).zip(weights) {
            change += ((y - start) * w).powi(2);
        }
        self.consistent = Some(consistent);
        found.map(|()| (change / self.n as f64).sqrt())
    }

    fn search<P: Problem>(
        &mut self,
        consistent: &mut Consistent,
        problem: &mut P,
        t: f64,
        y: &mut [f64],
        weights: &[f64],
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        // Small against the mass matrix, large against round-off.
        let c = if consistent.hidden {
            1e-7 * self.time_scale(problem, t, y, &mut consistent.scratch, statistics)?
        } else {
            0.0
        };
        let Consistent {
            newton,
            algebraic,
            start,
            trial,
            scratch,
            ..
        } = consistent;
        let system = RefCell::new(System {
            matrices: self,
            problem,
            statistics,
            algebraic,
            start,
            trial,
            scratch,
            c,
            t,
            fatal: None,
        });
        let found = newton.solve(
            y,
            weights,
            &consistent::options(),
            |x, out| system.borrow_mut().residual(x, out),
            |x, _, values| system.borrow_mut().jacobian(x, values),
        );
        if let Some(message) = system.into_inner().fatal {
            return Err(Failure::Fatal { t, message });
        }
        found
            .map(|_| ())
            .map_err(|error| consistent::failure(error, t))
    }

    /// A time in which the state changes: `‖M‖ / ‖J‖` by their largest entries.
    fn time_scale<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        here: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<f64, Failure> {
        statistics.rhs += 1;
        let stop = |fault| match fault {
            Fault::Fatal(message) => Failure::Fatal { t, message },
            Fault::Recoverable => Failure::NoConsistentState {
                t,
                equation: 0,
                residual: f64::NAN,
            },
        };
        problem.rhs(t, y, here).map_err(stop)?;
        self.evaluate(problem, t, y, here, statistics)
            .map_err(stop)?;
        let largest = |v: &[f64]| v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let (mass, jacobian) = (largest(&self.mass), largest(&self.jacobian));
        Ok(if jacobian > 0.0 { mass / jacobian } else { 1.0 })
    }
}

/// The solver for consistent states of a system with singular mass matrix.
pub(super) fn singular(union: &Union, mass: &[f64], setup: &Setup<'_>) -> Option<Box<Consistent>> {
    let n = setup.dimension;
    if *setup.mass == Mass::Identity || n == 0 {
        return None;
    }
    let mut zero = vec![true; n];
    for column in 0..n {
        union
            .structure()
            .for_column(column, |row, at| zero[row] &= mass[at] == 0.0);
    }
    // The rows that are left must be independent: complete them and factor.
    let mut lu = Lu::<f64>::analyse(union.structure());
    let pivots = lu.refactor(mass);
    let regular = pivots.is_ok_and(|pivots| !pivots.is_near_singular());
    if regular {
        return None;
    }
    let hidden = zero.iter().all(|z| !z);
    Some(Box::new(Consistent::new(union.structure(), zero, hidden)))
}
