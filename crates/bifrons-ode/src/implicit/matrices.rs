//! Jacobian, mass matrix and the factorisation of `M − c J`, in one structure.

mod again;
mod algebraic;
mod footprint;

use bifrons_algebra as algebra;
use bifrons_algebra::differences::Differences;
use bifrons_algebra::{Complex, FactorError, Lu, Pivots, Union};

use super::initial::Consistent;
use super::setup::Setup;
use crate::error::InputError;
use crate::pool::Pool;
use crate::problem::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::statistics::Statistics;

/// Share of the largest component that a component of an algebraic system is taken to have in
/// differences: constraints add components of different size, and a small increment would be lost.
const CONSTRAINT_SCALE: f64 = 1e-5;

/// The matrices of one problem.
#[derive(Debug, Clone)]
pub(crate) struct Matrices {
    n: usize,
    identity: bool,
    /// Structure of the Jacobian as the problem states it, and its values in that order.
    structure: Structure,
    raw: Vec<f64>,
    union: Union,
    jacobian: Vec<f64>,
    mass: Vec<f64>,
    /// The mass matrix where it is diagonal, else empty: products need not look at the structure.
    diagonal: Vec<f64>,
    /// Whether the mass matrix has no entry in the row of a value; nothing for the identity.
    empty: Vec<bool>,
    lu: Lu<f64>,
    complex: Option<Lu<Complex>>,
    differences: Option<Differences>,
    /// `atol / rtol`: magnitudes below it do not matter.
    least: Vec<f64>,
    scale: Vec<f64>,
    /// Columns of the mass matrix that are zero.
    algebraic: Vec<usize>,
    /// Solver for consistent states, where the mass matrix is singular.
    consistent: Option<Box<Consistent>>,
}

/// Whether a mass matrix of this structure has no inverse.
fn is_singular(setup: &Setup<'_>, structure: &algebra::Structure) -> bool {
    match setup.mass {
        Mass::Identity => false,
        Mass::Diagonal(values) => values.contains(&0.0),
        Mass::Matrix(_, values) => {
            let pivots = Lu::<f64>::analyse(structure).refactor(values);
            !pivots.is_ok_and(|pivots| !pivots.is_near_singular())
        }
    }
}

impl Matrices {
    /// Allocates everything; `complex` also for factorisations with complex `c`.
    pub(super) fn new(setup: &Setup<'_>, complex: bool) -> Result<Self, InputError> {
        let n = setup.dimension;
        setup.structure.check(n)?;
        setup.mass.check(n)?;
        let structure = convert(n, setup.structure)?;
        let (mass_structure, mass_values) = match setup.mass {
            Mass::Identity => (algebra::Structure::diagonal(n), vec![1.0; n]),
            Mass::Diagonal(values) => (algebra::Structure::diagonal(n), values.clone()),
            Mass::Matrix(structure, values) => (convert(n, structure)?, values.clone()),
        };
        let union = Union::new(&mass_structure, &structure).map_err(|_| InputError::Matrix {
            what: "entries of a matrix",
            found: usize::MAX,
            required: n,
        })?;
        let count = union.structure().value_count();
        let mut mass = vec![0.0; count];
        union.spread_first(&mass_values, &mut mass);
        let absolute = setup.absolute(&mut Pool::once())?;
        let identity = matches!(setup.mass, Mass::Identity);
        let empty = if identity {
            Vec::new()
        } else {
            empty_rows(union.structure(), &mass)
        };
        let diagonal = match setup.mass {
            Mass::Diagonal(values) => values.clone(),
            _ => Vec::new(),
        };
        let mut found = Self {
            n,
            diagonal,
            empty,
            identity,
            structure: setup.structure.clone(),
            raw: vec![0.0; setup.structure.value_count(n)],
            jacobian: vec![0.0; count],
            mass,
            lu: Lu::analyse(union.structure()),
            complex: complex.then(|| Lu::analyse(union.structure())),
            differences: (!setup.has_jacobian).then(|| Differences::new(&structure)),
            least: vec![0.0; n],
            scale: absolute,
            consistent: None,
            algebraic: Vec::new(),
            union,
        };
        found.set_least(setup);
        found.algebraic = found.algebraic_columns();
        found.find_equations(setup)?;
        Ok(found)
    }

    /// Magnitudes below which a component does not matter, `atol / rtol`, from the absolute
    /// tolerances that stand in `scale`.
    fn set_least(&mut self, setup: &Setup<'_>) {
        let relative = setup.tolerance.relative();
        for (least, a) in self.least.iter_mut().zip(&self.scale) {
            *least = if relative > 0.0 { a / relative } else { 1.0 };
        }
    }

    /// Entries of the fuller factorisation.
    pub(super) fn fill(&self) -> usize {
        let other = self.complex.as_ref().map_or(0, Lu::fill);
        self.lu.fill().max(other)
    }

    /// Whether the mass matrix is the identity.
    pub(super) const fn is_identity(&self) -> bool {
        self.identity
    }

    /// The structure, and the values of mass matrix and Jacobian in it.
    pub(super) fn parts(&self) -> (&algebra::Structure, &[f64], &[f64]) {
        (self.union.structure(), &self.mass, &self.jacobian)
    }

    /// Values of a Jacobian as the problem states them.
    pub(super) const fn raw_count(&self) -> usize {
        self.raw.len()
    }

    /// Writes a Jacobian that stands as the problem states it to its places in the structure.
    pub(super) fn spread(&self, raw: &[f64], out: &mut [f64]) {
        self.union.spread_second(raw, out);
    }

    /// Evaluates the Jacobian at `(t, y)`, where the right-hand side is `here`.
    pub(super) fn evaluate<P: Problem>(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        here: &[f64],
        statistics: &mut Statistics,
    ) -> Result<(), Fault> {
        statistics.jacobians += 1;
        if let Some(differences) = &mut self.differences {
            let floor = if self.identity {
                0.0
            } else {
                y.iter().fold(0.0_f64, |most, v| most.max(v.abs())) * CONSTRAINT_SCALE
            };
            for (scale, &given) in self.scale.iter_mut().zip(&self.least) {
                *scale = given.max(floor);
            }
            let eval = |y: &[f64], out: &mut [f64]| problem.rhs(t, y, out);
            let count = differences.fill(y, here, &self.scale, &mut self.raw, eval)?;
            statistics.rhs += count;
        } else {
            self.raw.fill(0.0);
            let view = MatrixMut::new(self.n, &self.structure, &mut self.raw);
            let mut view = view.map_err(|_| Fault::Fatal("the Jacobian changed its structure"))?;
            problem.jacobian(t, y, &mut view)?;
        }
        self.union.spread_second(&self.raw, &mut self.jacobian);
        Ok(())
    }

    /// Factors `M − c J`.
    pub(super) fn factor(
        &mut self,
        c: f64,
        statistics: &mut Statistics,
    ) -> Result<Pivots, FactorError> {
        statistics.factorisations += 1;
        let (mass, jacobian) = (&self.mass[..], &self.jacobian[..self.mass.len()]);
        self.lu.refactor_with(|k| mass[k] - c * jacobian[k])
    }

    /// Replaces `f`, in whose algebraic rows stands `∂f/∂t`, by the slope `y'`: differential
    /// equations as they are, algebraic ones differentiated. Wrong where the mass matrix is singular
    /// without an empty row; then, or if the index is above one, an error or not finite.
    pub(super) fn solve_slope(
        &mut self,
        f: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<Pivots, FactorError> {
        statistics.factorisations += 1;
        let (mass, jacobian) = (&self.mass[..], &self.jacobian[..self.mass.len()]);
        let empty = &self.empty[..mass.len()];
        let value = |k: usize| if empty[k] { -jacobian[k] } else { mass[k] };
        let pivots = self.lu.refactor_with(value)?;
        statistics.linear_solves += 1;
        self.lu.solve(f);
        Ok(pivots)
    }

    /// Whether row `i` of the mass matrix is empty: equation `i` is algebraic.
    pub(super) fn is_empty_row(&self, i: usize) -> bool {
        let structure = self.union.structure();
        structure.position(i, i).is_some_and(|at| self.empty[at])
    }

    /// Adds to `out` what round-off makes of a solution with the factors of `M − c J` at `y`:
    /// four times `|(M − c J)⁻¹ ε |M − c J| |y||`. `scratch` is overwritten.
    pub(super) fn add_noise(&mut self, c: f64, y: &[f64], scratch: &mut [f64], out: &mut [f64]) {
        scratch.fill(0.0);
        for (column, &y) in y.iter().enumerate() {
            let size = f64::EPSILON * y.abs();
            let structure = self.union.structure();
            structure.for_column(column, |row, at| {
                scratch[row] += (self.mass[at] - c * self.jacobian[at]).abs() * size;
            });
        }
        self.lu.solve(scratch);
        for (out, noise) in out.iter_mut().zip(scratch) {
            *out += 4.0 * noise.abs();
        }
    }

    /// A bound of the spectral radius of the Jacobian: the least of its norms by columns, by rows,
    /// and by rows where every component is measured by its weight. `rows` are overwritten.
    pub(super) fn rate_bound(&self, weights: &[f64], rows: (&mut [f64], &mut [f64])) -> f64 {
        let (plain, weighted) = rows;
        plain.fill(0.0);
        weighted.fill(0.0);
        let mut by_columns = 0.0_f64;
        for (column, &own) in weights.iter().enumerate() {
            let mut sum = 0.0;
            self.union.structure().for_column(column, |row, at| {
                let size = self.jacobian[at].abs();
                sum += size;
                plain[row] += size;
                weighted[row] += size * (weights[row] / own);
            });
            by_columns = by_columns.max(sum);
        }
        // Without a tolerance a weight is infinite; what is not a number must not look small.
        let largest = |v: &[f64]| {
            let sum: f64 = v.iter().map(|v| v * 0.0).sum();
            if sum == 0.0 {
                v.iter().fold(0.0_f64, |most, v| most.max(*v))
            } else {
                f64::NAN
            }
        };
        by_columns.min(largest(plain)).min(largest(weighted))
    }

    /// Factors `z M − J` for complex `z`.
    pub(super) fn factor_complex(
        &mut self,
        z: Complex,
        statistics: &mut Statistics,
    ) -> Result<Pivots, FactorError> {
        let Some(lu) = &mut self.complex else {
            return Err(FactorError::Singular { column: 0 });
        };
        statistics.factorisations += 1;
        let (mass, jacobian) = (&self.mass[..], &self.jacobian[..self.mass.len()]);
        lu.refactor_with(|k| Complex::new(z.re * mass[k] - jacobian[k], z.im * mass[k]))
    }

    /// Solves with the real factors.
    #[inline]
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve(x);
    }

    /// Solves with the complex factors.
    pub(super) fn solve_complex(&mut self, x: &mut [Complex]) {
        if let Some(lu) = &mut self.complex {
            lu.solve(x);
        }
    }

    /// Adds `factor · M x` to `y`.
    pub(super) fn add_mass_times(&self, factor: f64, x: &[f64], y: &mut [f64]) {
        if self.identity {
            for (y, x) in y.iter_mut().zip(x) {
                *y += factor * x;
            }
        } else if !self.diagonal.is_empty() {
            for ((y, x), d) in y.iter_mut().zip(x).zip(&self.diagonal) {
                *y += factor * x * d;
            }
        } else {
            self.union
                .structure()
                .multiply_add(&self.mass, factor, x, y);
        }
    }
}

/// For every value of the structure, whether its row has no entry in `mass`.
fn empty_rows(structure: &algebra::Structure, mass: &[f64]) -> Vec<bool> {
    let n = structure.dimension();
    let mut empty = vec![true; n];
    for column in 0..n {
        structure.for_column(column, |row, at| empty[row] &= mass[at] == 0.0);
    }
    let mut out = vec![false; mass.len()];
    for column in 0..n {
        structure.for_column(column, |row, at| out[at] = empty[row]);
    }
    out
}

/// The structure in the terms of the algebra.
pub(crate) fn convert(n: usize, structure: &Structure) -> Result<algebra::Structure, InputError> {
    let too_large = |_| InputError::Matrix {
        what: "entries of a pattern",
        found: usize::MAX,
        required: u32::MAX as usize,
    };
    Ok(match structure {
        Structure::Dense => algebra::Structure::dense(n),
        Structure::Banded { lower, upper } => algebra::Structure::Banded {
            dimension: n,
            lower: *lower,
            upper: *upper,
        },
        Structure::Sparse(pattern) => {
            let narrow = |v: &[usize]| v.iter().map(|&i| u32::try_from(i)).collect();
            let starts: Vec<u32> = Result::map_err(narrow(pattern.starts()), too_large)?;
            let rows: Vec<u32> = Result::map_err(narrow(pattern.rows()), too_large)?;
            let sparsity = algebra::Sparsity::new(starts, rows);
            algebra::Structure::Sparse(sparsity.map_err(|_| InputError::Matrix {
                what: "entries of a pattern",
                found: pattern.value_count(),
                required: n,
            })?)
        }
    })
}
