//! The search for consistent states.

use core::cell::RefCell;

use bifrons_algebra::{Lu, Newton, NewtonError, NewtonOptions, Structure};
use bifrons_memory::Footprint;

use super::split::{Row, split};
use super::system::{System, combine};
use crate::error::{Failure, InputError};
use crate::implicit::matrices::Matrices;
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;
use crate::tolerance::Tolerance;

/// Where equations are evaluated.
pub(in crate::implicit) struct Site<'s, P> {
    pub(in crate::implicit) problem: &'s mut P,
    pub(in crate::implicit) matrices: &'s mut Matrices,
    pub(in crate::implicit) statistics: &'s mut Statistics,
    pub(in crate::implicit) t: f64,
}

/// The algebraic equations of one problem, with buffers.
#[derive(Debug, Clone)]
pub(in crate::implicit) struct Consistent {
    pub(super) rows: Vec<Row>,
    /// Components that a differential equation holds on its own: they keep their bits.
    fixed: Vec<usize>,
    pub(super) system: System,
    newton: Newton,
    relative: f64,
    absolute: Vec<f64>,
    given: Vec<f64>,
    weights: Vec<f64>,
    f: Vec<f64>,
    /// Matrix of the equations at the state that is checked, its factors, and the residuals.
    values: Vec<f64>,
    lu: Lu<f64>,
    residuals: Vec<f64>,
}

impl Consistent {
    /// Splits the equations of a mass matrix.
    pub(in crate::implicit) fn new(
        matrices: &Matrices,
        tolerance: &Tolerance,
    ) -> Result<Self, InputError> {
        let (structure, mass, _) = matrices.parts();
        let n = structure.dimension();
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
        let mut fixed: Vec<usize> = alone.map(|(_, column)| column).collect();
        fixed.shrink_to_fit();
        let newton = Newton::new(system.structure());
        let mut absolute = vec![0.0; n];
        tolerance.expand_into(&mut absolute)?;
        Ok(Self {
            fixed,
            rows,
            newton,
            relative: tolerance.relative(),
            absolute,
            given: vec![0.0; n],
            weights: vec![0.0; n],
            f: vec![0.0; n],
            values: vec![0.0; system.structure().value_count()],
            lu: Lu::analyse(system.structure()),
            residuals: vec![0.0; n],
            system,
        })
    }

    /// Forgets the last run and takes over the tolerances of the next one.
    pub(in crate::implicit) fn renew(&mut self, tolerance: &Tolerance) -> Result<(), InputError> {
        self.newton.forget_pivots();
        self.relative = tolerance.relative();
        tolerance.expand_into(&mut self.absolute)
    }

    /// Bytes for a singular mass matrix, given the union of its structure and the Jacobian's;
    /// sparse factors have `fill` entries. Checking a state has a second matrix.
    pub(in crate::implicit) fn footprint(union: &Structure, fill: usize) -> Footprint {
        let n = union.dimension();
        let (terms, structure) = System::sizes(union);
        let matrix = Footprint::of::<f64>(structure.value_count())
            .beside(Lu::<f64>::footprint(&structure, fill));
        Footprint::of::<Self>(1)
            .beside(Footprint::of::<Row>(n))
            .beside(Footprint::of::<(usize, f64)>(n))
            .beside(Footprint::of::<usize>(n))
            .beside(Footprint::of::<f64>(9 * n))
            .beside(terms)
            .beside(matrix)
            .beside(matrix)
    }

    /// Whether each equation is algebraic.
    pub(in crate::implicit) fn algebraic(&self) -> impl Iterator<Item = bool> {
        self.rows.iter().map(|row| row.algebraic)
    }

    fn evaluate<P: Problem>(&mut self, site: &mut Site<'_, P>, y: &[f64]) -> Result<(), Failure> {
        let t = site.t;
        site.statistics.rhs += 1;
        match site.problem.rhs(t, y, &mut self.f) {
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t, message }),
            Err(Fault::Recoverable) => Err(unknown(0, t)),
            Ok(()) => match self.f.iter().position(|v| !v.is_finite()) {
                Some(equation) => Err(unknown(equation, t)),
                None => Ok(()),
            },
        }
    }

    /// Residuals of the algebraic equations, zero for the others.
    pub(super) fn residuals<P: Problem>(
        &mut self,
        site: &mut Site<'_, P>,
        y: &[f64],
    ) -> Result<&[f64], Failure> {
        self.evaluate(site, y)?;
        let residual = |row: &Row| {
            if row.algebraic {
                combine(row, &self.f)
            } else {
                0.0
            }
        };
        for (out, row) in self.residuals.iter_mut().zip(&self.rows) {
            *out = residual(row);
        }
        Ok(&self.residuals)
    }

    fn jacobian<P: Problem>(&mut self, site: &mut Site<'_, P>, y: &[f64]) -> Result<(), Failure> {
        let (t, f) = (site.t, &self.f);
        let found = site
            .matrices
            .evaluate(site.problem, t, y, f, site.statistics);
        match found {
            Ok(()) => Ok(()),
            Err(Fault::Fatal(message)) => Err(Failure::Fatal { t, message }),
            Err(Fault::Recoverable) => Err(unknown(0, t)),
        }
    }

    /// Checks every algebraic equation against the tolerances of its variables.
    pub(in crate::implicit) fn check<P: Problem>(
        &mut self,
        site: &mut Site<'_, P>,
        y: &[f64],
    ) -> Result<(), Failure> {
        if self
            .residuals(site, y)?
            .iter()
            .all(|r| r.abs() <= f64::MIN_POSITIVE)
        {
            return Ok(());
        }
        self.jacobian(site, y)?;
        let structure = self.system.structure();
        let (_, mass, jacobian) = site.matrices.parts();
        let (values, residuals) = (&mut self.values, &self.residuals);
        self.system.fill(mass, jacobian, values);
        // Steps of the search are not in use while a state is checked.
        let allowed = &mut self.given;
        allowed.fill(0.0);
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
                t: site.t,
            }),
        }
    }

    /// Whether the equations determine every component at `(t, y)`; the first one that they do not
    /// is named.
    pub(in crate::implicit) fn determine<P: Problem>(
        &mut self,
        site: &mut Site<'_, P>,
        y: &[f64],
    ) -> Result<(), Failure> {
        self.evaluate(site, y)?;
        self.jacobian(site, y)?;
        self.factor(site)
    }

    /// Factors the matrix of the equations with the Jacobian that was evaluated last.
    fn factor<P: Problem>(&mut self, site: &Site<'_, P>) -> Result<(), Failure> {
        let (_, mass, jacobian) = site.matrices.parts();
        self.system.fill(mass, jacobian, &mut self.values);
        self.lu.forget_pivots();
        match self.lu.refactor(&self.values) {
            Ok(_) => Ok(()),
            Err(error) => Err(undetermined(&error, site.t)),
        }
    }

    /// Moves `y` to a consistent state with the same `M y`; returns the iterations.
    pub(in crate::implicit) fn solve<P: Problem>(
        &mut self,
        site: &mut Site<'_, P>,
        y: &mut [f64],
    ) -> Result<usize, Failure> {
        let t = site.t;
        self.remember(y);
        let fatal = RefCell::new(None);
        let shared = RefCell::new((
            &mut *site.problem,
            &mut *site.matrices,
            &mut *site.statistics,
        ));
        let (rows, given, system) = (&self.rows, &self.given, &self.system);
        let f = RefCell::new(&mut self.f);
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
        let (newton, weights) = (&mut self.newton, &self.weights);
        let found = newton.solve(y, weights, &NewtonOptions::default(), residual, jacobian);
        if let Some(message) = fatal.into_inner() {
            return Err(Failure::Fatal { t, message });
        }
        self.fixed.iter().for_each(|&i| y[i] = self.given[i]);
        found.map_or_else(|e| Err(named(e, t)), |report| Ok(report.iterations))
    }

    /// Notes where a search starts, and what its corrections are weighed with.
    fn remember(&mut self, y: &[f64]) {
        self.given.copy_from_slice(y);
        for (w, (y, a)) in self.weights.iter_mut().zip(y.iter().zip(&self.absolute)) {
            *w = 1.0 / (a + self.relative * y.abs()).max(f64::MIN_POSITIVE);
        }
    }

    /// Slopes at a consistent state, from the differential equations and the derivative of the
    /// algebraic ones.
    pub(super) fn slopes<P: Problem>(
        &mut self,
        site: &mut Site<'_, P>,
        y: &[f64],
    ) -> Result<Vec<f64>, Failure> {
        let t = site.t;
        let step = f64::EPSILON.sqrt() * t.abs().max(1.0);
        site.t = t + step;
        let found = self.evaluate(site, y);
        site.t = t;
        found?;
        let later = self.f.clone();
        self.evaluate(site, y)?;
        self.jacobian(site, y)?;
        self.factor(site)?;
        let change: Vec<f64> = later
            .iter()
            .zip(&self.f)
            .map(|(b, a)| (b - a) / step)
            .collect();
        let right = |row: &Row| combine(row, if row.algebraic { &change } else { &self.f });
        let mut slopes: Vec<f64> = self.rows.iter().map(right).collect();
        self.lu.solve(&mut slopes);
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
