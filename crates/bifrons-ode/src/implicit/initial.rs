//! Consistent initial states of systems with singular mass matrix.
//!
//! Rows of `M y' = f(t, y)` are combined so that those of rank zero are apart: `0 = (E f)(t, y)`,
//! the algebraic equations. A state is consistent if they hold. A state that does not is moved
//! within the null space of `M`, so `M y` stays what it was: for a diagonal mass matrix only the
//! algebraic variables move. One matrix serves both the state and the slopes,
//!
//! ```text
//! [ M  ] δ  = [ M (y₀ − y) ]        [ M  ] y' = [ f       ]
//! [−E J]      [ E f        ]        [−E J]      [ E ∂f/∂t ]
//! ```
//!
//! and it is regular exactly where the system has index one.
//!
//! # References
//!
//! Brown, Hindmarsh and Petzold (1998), Consistent initial condition calculation for
//! differential-algebraic systems; Hairer and Wanner (1996), section VI.1 (index one).

mod split;
mod system;

use core::cell::RefCell;

use bifrons_algebra::{Lu, Newton, NewtonError, NewtonOptions};

use super::consistent::Initialisation;
use super::matrices::Matrices;
use super::setup::Setup;
use crate::error::{Failure, InputError};
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;
use crate::tolerance::Tolerance;
use split::{Row, split};
use system::{System, combine};

/// Error of [`make_consistent`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InitialError {
    /// Nothing was computed.
    #[error("invalid input")]
    Input(#[from] InputError),
    /// The state is inconsistent, or there is no consistent one near it; the argument holds the
    /// best iterate.
    #[error("no consistent initial state")]
    Failed(#[from] Failure),
}

/// A component that was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// The component.
    pub component: usize,
    /// Its guess.
    pub from: f64,
    /// Its consistent value.
    pub to: f64,
}

/// What was found about an initial state.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InitialReport {
    /// Residual of each equation at the given state; zero for differential equations.
    pub before: Vec<f64>,
    /// The same at the state that was found.
    pub after: Vec<f64>,
    /// Whether each equation is algebraic. One that is a combination of several rows is named by
    /// the row that the others are added to.
    pub algebraic: Vec<bool>,
    /// The components that were changed, ascending.
    pub moved: Vec<Moved>,
    /// Slopes, for [`Initialisation::AlgebraicAndDerivatives`].
    pub derivatives: Option<Vec<f64>>,
    /// Iterations of Newton's method.
    pub iterations: usize,
}

/// Makes the state `y` at `t` consistent, or checks that it is, as `mode` says.
///
/// Newton's method is damped and ends when its correction is below 1e-3 of the tolerances, so the
/// result is accurate to about 1e-6 of them or to round-off. Differential variables of a diagonal
/// mass matrix keep their bits. Cost: one Jacobian and one factorisation per iteration.
///
/// ```
/// use bifrons_ode::{Initialisation, Mass, Problem, Tolerance, closure, make_consistent};
///
/// // x' = −z, 0 = z³ + z − 2 x.
/// let mut problem = closure(2, |_t, y, f| {
///     f[0] = -y[1];
///     f[1] = y[1].powi(3) + y[1] - 2.0 * y[0];
/// })
/// .with_mass(Mass::Diagonal(vec![1.0, 0.0]));
/// let mut y = [1.0, 5.0];
/// let tolerance = Tolerance::default();
/// let report = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Algebraic, &tolerance)?;
/// assert!((y[1] - 1.0).abs() < 1e-12 && report.moved[0].component == 1);
/// # Ok::<(), bifrons_ode::InitialError>(())
/// ```
///
/// # Errors
///
/// [`InitialError`]; `y` is the best iterate then, and unchanged if it was only checked.
pub fn make_consistent<P: Problem>(
    problem: &mut P,
    t: f64,
    y: &mut [f64],
    mode: Initialisation,
    tolerance: &Tolerance,
) -> Result<InitialReport, InitialError> {
    let (required, found) = (problem.dimension(), y.len());
    if found != required {
        return Err(InputError::StateLength { found, required }.into());
    }
    problem.structure().check(required)?;
    problem.mass().check(required)?;
    let mut consistent = Consistent::new(&Setup::new(problem, tolerance))?;
    let given = y.to_vec();
    let before = consistent.residuals(problem, t, y)?;
    let mut iterations = 0;
    let mut derivatives = None;
    match mode {
        Initialisation::Check => consistent.check(problem, t, y)?,
        Initialisation::Algebraic => iterations = consistent.solve(problem, t, y)?,
        Initialisation::AlgebraicAndDerivatives => {
            iterations = consistent.solve(problem, t, y)?;
            derivatives = Some(consistent.slopes(problem, t, y)?);
        }
        Initialisation::Unchecked => {}
    }
    let changes = given.iter().zip(&*y).enumerate();
    let changed = changes.filter(|(_, (from, to))| from.to_bits() != to.to_bits());
    Ok(InitialReport {
        before,
        after: consistent.residuals(problem, t, y)?,
        algebraic: consistent.rows.iter().map(|row| row.algebraic).collect(),
        moved: changed
            .map(|(component, (&from, &to))| Moved {
                component,
                from,
                to,
            })
            .collect(),
        derivatives,
        iterations,
    })
}

/// The algebraic equations of one problem, with buffers.
#[derive(Debug)]
struct Consistent {
    rows: Vec<Row>,
    /// Components that a differential equation holds on its own: they keep their bits.
    fixed: Vec<usize>,
    system: System,
    newton: Newton,
    matrices: Matrices,
    relative: f64,
    absolute: Vec<f64>,
    given: Vec<f64>,
    weights: Vec<f64>,
    f: Vec<f64>,
    statistics: Statistics,
}

impl Consistent {
    fn new(setup: &Setup<'_>) -> Result<Self, InputError> {
        let n = setup.dimension;
        let matrices = Matrices::new(setup, false)?;
        let (structure, mass, _) = matrices.parts();
        let rows = split(structure, mass);
        let system = System::new(structure, &rows).ok_or(InputError::Matrix {
            what: "entries of combined equations",
            found: usize::MAX,
            required: u32::MAX as usize,
        })?;
        let mut entries = vec![(0_usize, 0_usize); n];
        for column in 0..n {
            structure.for_column(column, |row, at| {
                if mass[at] != 0.0 {
                    entries[row] = (entries[row].0 + 1, column);
                }
            });
        }
        let alone = entries.into_iter().filter(|&(count, _)| count == 1);
        let newton = Newton::new(system.structure());
        Ok(Self {
            fixed: alone.map(|(_, column)| column).collect(),
            rows,
            system,
            newton,
            matrices,
            relative: setup.tolerance.relative(),
            absolute: setup.absolute()?,
            given: vec![0.0; n],
            weights: vec![0.0; n],
            f: vec![0.0; n],
            statistics: Statistics::default(),
        })
    }

    fn evaluate<P: Problem>(&mut self, problem: &mut P, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.statistics.rhs += 1;
        match problem.rhs(t, y, &mut self.f) {
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t, message }),
            Err(Fault::Recoverable) => Err(unknown(0, t)),
            Ok(()) => match self.f.iter().position(|v| !v.is_finite()) {
                Some(equation) => Err(unknown(equation, t)),
                None => Ok(()),
            },
        }
    }

    /// Residuals of the algebraic equations, zero for the others.
    fn residuals<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, Failure> {
        self.evaluate(problem, t, y)?;
        let residual = |row: &Row| {
            if row.algebraic {
                combine(row, &self.f)
            } else {
                0.0
            }
        };
        Ok(self.rows.iter().map(residual).collect())
    }

    fn jacobian<P: Problem>(&mut self, problem: &mut P, t: f64, y: &[f64]) -> Result<(), Failure> {
        let (f, statistics) = (&self.f, &mut self.statistics);
        match self.matrices.evaluate(problem, t, y, f, statistics) {
            Ok(()) => Ok(()),
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t, message }),
            Err(Fault::Recoverable) => Err(unknown(0, t)),
        }
    }

    /// Checks every algebraic equation against the tolerances of its variables.
    fn check<P: Problem>(&mut self, problem: &mut P, t: f64, y: &[f64]) -> Result<(), Failure> {
        let residuals = self.residuals(problem, t, y)?;
        if residuals.iter().all(|r| r.abs() <= f64::MIN_POSITIVE) {
            return Ok(());
        }
        self.jacobian(problem, t, y)?;
        let structure = self.system.structure();
        let (_, mass, jacobian) = self.matrices.parts();
        let mut values = vec![0.0; structure.value_count()];
        self.system.fill(mass, jacobian, &mut values);
        let mut allowed = vec![0.0; y.len()];
        for (column, y) in y.iter().enumerate() {
            let size = y.abs();
            let width = self.absolute[column] + (self.relative + 16.0 * f64::EPSILON) * size;
            structure.for_column(column, |row, at| allowed[row] += values[at].abs() * width);
        }
        let mut worst: Option<(usize, f64)> = None;
        for (equation, row) in self.rows.iter().enumerate() {
            let residual = residuals[equation].abs();
            if row.algebraic && !(residual <= allowed[equation]) {
                let excess = residual / allowed[equation].max(f64::MIN_POSITIVE);
                if worst.is_none_or(|(_, most)| excess > most) {
                    worst = Some((equation, excess));
                }
            }
        }
        match worst {
            None => Ok(()),
            Some((equation, _)) => Err(Failure::Inconsistent {
                equation,
                residual: residuals[equation],
                t,
            }),
        }
    }

    /// Moves `y` to a consistent state with the same `M y`; returns the iterations.
    fn solve<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &mut [f64],
    ) -> Result<usize, Failure> {
        self.given.copy_from_slice(y);
        for (w, (y, a)) in self.weights.iter_mut().zip(y.iter().zip(&self.absolute)) {
            *w = 1.0 / (a + self.relative * y.abs()).max(f64::MIN_POSITIVE);
        }
        let fatal = RefCell::new(None);
        let shared = RefCell::new((problem, &mut self.matrices, &mut self.statistics));
        let (rows, given, system, f) = (&self.rows, &self.given, &self.system, &mut self.f);
        let f = RefCell::new(f);
        let note = |fault| {
            if let Fault::Fatal(message) = fault {
                *fatal.borrow_mut() = Some(message);
            }
        };
        let residual = |x: &[f64], out: &mut [f64]| {
            let (problem, matrices, statistics) = &mut *shared.borrow_mut();
            let mut f = f.borrow_mut();
            statistics.rhs += 1;
            if let Err(fault) = problem.rhs(t, x, &mut f) {
                note(fault);
                return false;
            }
            out.fill(0.0);
            matrices.add_mass_times(1.0, x, out);
            matrices.add_mass_times(-1.0, given, out);
            for (out, row) in out.iter_mut().zip(rows) {
                if row.algebraic {
                    *out = -combine(row, &f);
                }
            }
            true
        };
        let jacobian = |x: &[f64], _: &[f64], values: &mut [f64]| {
            let (problem, matrices, statistics) = &mut *shared.borrow_mut();
            let mut f = f.borrow_mut();
            statistics.rhs += 1;
            let found = problem.rhs(t, x, &mut f);
            let found = found.and_then(|()| matrices.evaluate(*problem, t, x, &f, statistics));
            if let Err(fault) = found {
                note(fault);
                return false;
            }
            let (_, mass, jacobian) = matrices.parts();
            system.fill(mass, jacobian, values);
            true
        };
        let options = NewtonOptions::default();
        let found = self
            .newton
            .solve(y, &self.weights, &options, residual, jacobian);
        if let Some(message) = fatal.into_inner() {
            return Err(Failure::Fatal { t, message });
        }
        for &i in &self.fixed {
            y[i] = self.given[i];
        }
        found
            .map(|report| report.iterations)
            .map_err(|e| named(e, t))
    }

    /// Slopes at a consistent state, from the differential equations and the derivative of the
    /// algebraic ones.
    fn slopes<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, Failure> {
        let step = f64::EPSILON.sqrt() * t.abs().max(1.0);
        self.evaluate(problem, t + step, y)?;
        let later = self.f.clone();
        self.evaluate(problem, t, y)?;
        self.jacobian(problem, t, y)?;
        let (_, mass, jacobian) = self.matrices.parts();
        let mut values = vec![0.0; self.system.structure().value_count()];
        self.system.fill(mass, jacobian, &mut values);
        let mut lu = Lu::<f64>::analyse(self.system.structure());
        let factored = lu.refactor(&values);
        factored.map_err(|e| undetermined(&e, t))?;
        let change: Vec<f64> = later
            .iter()
            .zip(&self.f)
            .map(|(b, a)| (b - a) / step)
            .collect();
        let right = |row: &Row| combine(row, if row.algebraic { &change } else { &self.f });
        let mut slopes: Vec<f64> = self.rows.iter().map(right).collect();
        lu.solve(&mut slopes);
        Ok(slopes)
    }
}

/// An equation that cannot be evaluated.
const fn unknown(equation: usize, t: f64) -> Failure {
    Failure::NoConsistentState {
        equation,
        residual: f64::NAN,
        t,
    }
}

fn undetermined(error: &bifrons_algebra::FactorError, t: f64) -> Failure {
    match *error {
        bifrons_algebra::FactorError::Singular { column } => Failure::Undetermined {
            component: column,
            t,
        },
        bifrons_algebra::FactorError::NotFinite { column } => unknown(column, t),
        _ => Failure::Undetermined { component: 0, t },
    }
}

fn named(error: NewtonError, t: f64) -> Failure {
    match error {
        NewtonError::Factor { source, .. } => undetermined(&source, t),
        NewtonError::Guess { equation } => unknown(equation, t),
        NewtonError::Stuck {
            equation, residual, ..
        }
        | NewtonError::Iterations {
            equation, residual, ..
        } => Failure::NoConsistentState {
            equation,
            residual: -residual,
            t,
        },
        _ => unknown(0, t),
    }
}
