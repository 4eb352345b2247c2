//! Jacobians of models: groups of columns that share a direction of dual numbers.

use bifrons_algebra::{self as algebra, Colouring};

use super::SWEEP;
use crate::implicit::algebra_structure;
use crate::problem::{Fault, Structure};
use crate::scalar::{Dual, Scalar as _};

/// What is said where a derivative is outside of the structure that a model states.
const OUTSIDE: Fault = Fault::Fatal("the Jacobian has an entry outside of `Model::structure`");

/// Which columns of a Jacobian each direction of each sweep carries: columns of one group share no
/// row, so one direction serves them all (Curtis, Powell and Reid 1974).
#[derive(Debug, Clone)]
pub(crate) struct Seeds {
    structure: algebra::Structure,
    colouring: Colouring,
    /// Rows in which the group that is read has an entry: its number plus one.
    marks: Vec<u32>,
}

impl Seeds {
    /// For Jacobians of `n` columns; dense if the structure is for another dimension, which runs
    /// refuse.
    pub(crate) fn new(n: usize, structure: &Structure) -> Self {
        let fits = structure.check(n).is_ok();
        let structure = if fits { structure } else { &Structure::Dense };
        let structure = algebra_structure(n, structure);
        let structure = structure.unwrap_or_else(|_| algebra::Structure::dense(n));
        Self {
            colouring: Colouring::new(&structure),
            structure,
            marks: vec![0; n],
        }
    }

    /// Evaluations in dual numbers per Jacobian.
    pub(crate) const fn sweeps(&self) -> usize {
        self.colouring.group_count().div_ceil(SWEEP)
    }

    /// Loads the state with the directions of a sweep.
    pub(crate) fn load(&self, sweep: usize, y: &[f64], out: &mut [Dual<SWEEP>]) {
        for (dual, &value) in out.iter_mut().zip(y) {
            *dual = Dual::constant(value);
        }
        for (k, group) in self.groups(sweep) {
            for &column in self.colouring.columns(group) {
                out[column as usize].tangent[k] = 1.0;
            }
        }
    }

    /// Calls `entry(i, j, ∂f_i/∂y_j)` for the entries of a sweep.
    ///
    /// # Errors
    ///
    /// A fault if a derivative in a row without entry is not zero.
    pub(crate) fn read(
        &mut self,
        sweep: usize,
        dy: &[Dual<SWEEP>],
        mut entry: impl FnMut(usize, usize, f64),
    ) -> Result<(), Fault> {
        let dense = matches!(self.structure, algebra::Structure::Dense { .. });
        let groups = sweep * SWEEP..self.colouring.group_count().min((sweep + 1) * SWEEP);
        for (k, group) in groups.enumerate() {
            let mark = u32::try_from(group + 1).unwrap_or(u32::MAX);
            for &column in self.colouring.columns(group) {
                let (j, marks) = (column as usize, &mut self.marks);
                self.structure.for_column(j, |i, _| {
                    marks[i] = mark;
                    entry(i, j, dy[i].tangent[k]);
                });
            }
            let outside =
                |(dual, &own): (&Dual<SWEEP>, &u32)| own != mark && dual.tangent[k].abs() > 0.0;
            if !dense && dy.iter().zip(&self.marks).any(outside) {
                return Err(OUTSIDE);
            }
        }
        Ok(())
    }

    /// Directions of a sweep and their groups.
    fn groups(&self, sweep: usize) -> impl Iterator<Item = (usize, usize)> {
        let first = sweep * SWEEP;
        (first..self.colouring.group_count().min(first + SWEEP)).map(move |g| (g - first, g))
    }
}
