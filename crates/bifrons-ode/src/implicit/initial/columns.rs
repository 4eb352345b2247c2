//! Derivatives of consistent states and of their slopes.

use bifrons_algebra::Lu;

use super::system::combine;
use super::{Consistent, Setup, Site};
use crate::error::InputError;
use crate::implicit::matrices::Matrices;
use crate::model::Model;
use crate::problem::{Mass, Problem, Structure};
use crate::statistics::Statistics;
use crate::tangent::{Directions, Tangents};
use crate::tolerance::Tolerance;

/// Pivots below this share of the largest one: the equations do not determine a component.
const LEAST_PIVOT: f64 = 1e-13;

/// Columns of derivatives: how many are by initial states, all of them, and their `∂t/∂q`.
pub(crate) type Columns<'c> = (usize, &'c mut [f64], &'c [f64]);

/// Time, state, parameters.
type At<'a> = (f64, &'a [f64], &'a [f64]);

/// The algebraic equations of a model, factored for its derivatives.
#[derive(Debug)]
pub(crate) struct Algebra {
    matrices: Matrices,
    consistent: Consistent,
    lu: Lu<f64>,
    jacobian: Vec<f64>,
    values: Vec<f64>,
    right: Vec<f64>,
    f: Vec<f64>,
    slope: Vec<f64>,
    columns: Vec<f64>,
}

impl Algebra {
    /// For a model with a mass matrix; nothing for the identity.
    pub(crate) fn new<M: Model>(
        model: &M,
        columns: usize,
        tolerance: &Tolerance,
    ) -> Result<Option<Box<Self>>, InputError> {
        let mass = model.mass();
        if mass == Mass::Identity {
            return Ok(None);
        }
        let n = model.dimension();
        let setup = Setup {
            dimension: n,
            structure: &Structure::Dense,
            has_jacobian: true,
            mass: &mass,
            tolerance,
            initialisation: super::Initialisation::Unchecked,
        };
        let matrices = Matrices::new(&setup, false)?;
        let consistent = Consistent::new(&matrices, tolerance)?;
        let structure = consistent.system.structure();
        Ok(Some(Box::new(Self {
            lu: Lu::analyse(structure),
            values: vec![0.0; structure.value_count()],
            jacobian: vec![0.0; n * n],
            right: vec![0.0; n],
            f: vec![0.0; n],
            slope: vec![0.0; n],
            columns: vec![0.0; n * columns],
            consistent,
            matrices,
        })))
    }

    /// Moves a state near a consistent one to it, if there is one.
    pub(crate) fn approach<P: Problem>(&mut self, problem: &mut P, t: f64, y: &mut [f64]) {
        let given = y.to_vec();
        let mut site = Site {
            problem,
            matrices: &mut self.matrices,
            statistics: &mut Statistics::default(),
            t,
        };
        if self.consistent.solve(&mut site, y).is_err() {
            y.copy_from_slice(&given);
        }
    }

    /// Factors `[M; −E J]`; false if the equations do not determine every component.
    fn factor<M: Model>(&mut self, tangents: &mut Tangents, model: &M, at: At<'_>) -> bool {
        let n = at.1.len();
        let jacobian = &mut self.jacobian;
        let entry = |i: usize, j: usize, slope| jacobian[j * n + i] = slope;
        if tangents.jacobian(model, at, entry).is_err() {
            return false;
        }
        let (_, mass, _) = self.matrices.parts();
        self.consistent
            .system
            .fill(mass, jacobian, &mut self.values);
        let pivots = self.lu.refactor(&self.values);
        pivots.is_ok_and(|pivots| pivots.ratio() > LEAST_PIVOT)
    }

    /// Solves for the components from what stands in differential and in algebraic rows.
    fn solve(&mut self, differential: impl Fn(usize) -> f64, algebraic: &[f64]) {
        for (i, row) in self.consistent.rows.iter().enumerate() {
            self.right[i] = if row.algebraic {
                combine(row, algebraic)
            } else {
                differential(i)
            };
        }
        self.lu.solve(&mut self.right);
    }

    /// Writes the slope `y'` of a consistent state, also of algebraic components; false if there
    /// is none.
    pub(crate) fn slope<M: Model>(
        &mut self,
        tangents: &mut Tangents,
        model: &M,
        at: At<'_>,
        out: &mut [f64],
    ) -> bool {
        if !self.factor(tangents, model, at) {
            return false;
        }
        tangents.by_time(model, at, out);
        let (t, y, p) = at;
        let mut f = core::mem::take(&mut self.f);
        model.rhs(t, y, p, &mut f);
        self.solve(|i| f[i], out);
        self.f = f;
        out.copy_from_slice(&self.right);
        out.iter().all(|v| v.is_finite())
    }

    /// Writes the derivatives of the slope in all directions; false if there are none.
    pub(crate) fn slopes<M: Model>(
        &mut self,
        tangents: &mut Tangents,
        model: &M,
        at: At<'_>,
        directions: Directions<'_>,
        out: &mut [f64],
    ) -> bool {
        let n = at.1.len();
        let mut slope = core::mem::take(&mut self.slope);
        let mut bent = core::mem::take(&mut self.columns);
        let found = self.slope(tangents, model, at, &mut slope);
        if found {
            tangents.rhs(model, at, directions, (&mut self.f, out));
            tangents.second(model, at, directions, (1.0, &slope), &mut bent);
            for (out, bent) in out.chunks_exact_mut(n).zip(bent.chunks_exact(n)) {
                self.solve(|i| out[i], bent);
                out.copy_from_slice(&self.right);
            }
        }
        (self.slope, self.columns) = (slope, bent);
        found
    }

    /// Moves columns within the null space of `M` so that `0 = E (f_y s + f_p)`, after `f τ` was
    /// taken off the differential equations. Does nothing where components are not determined,
    /// except for what is taken off.
    pub(crate) fn settle<M: Model>(
        &mut self,
        tangents: &mut Tangents,
        model: &M,
        (t, y, p): At<'_>,
        (first, states, shift): Columns<'_>,
    ) {
        let n = y.len();
        let at = (t, y, p);
        let mut bent = core::mem::take(&mut self.columns);
        let mut f = core::mem::take(&mut self.f);
        let directions = Directions {
            states: &*states,
            first,
            count: shift.len(),
        };
        tangents.rhs(model, at, directions, (&mut f, &mut bent));
        if self.factor(tangents, model, at) {
            let columns = states.chunks_exact_mut(n).zip(bent.chunks_exact(n));
            for ((s, bent), tau) in columns.zip(shift) {
                self.solve(|i| -f[i] * tau, bent);
                s.iter_mut().zip(&self.right).for_each(|(s, d)| *s += d);
            }
        } else {
            let diagonal = self.matrices.parts();
            let mass = |i: usize| diagonal.0.position(i, i).map_or(0.0, |at| diagonal.1[at]);
            for (s, tau) in states.chunks_exact_mut(n).zip(shift) {
                for (i, s) in s.iter_mut().enumerate() {
                    if mass(i) != 0.0 {
                        *s -= f[i] * tau / mass(i);
                    }
                }
            }
        }
        (self.f, self.columns) = (f, bent);
    }
}
