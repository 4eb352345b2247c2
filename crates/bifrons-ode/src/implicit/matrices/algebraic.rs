//! Algebraic equations: which there are, and states that satisfy them.

use bifrons_algebra::Lu;

use super::Matrices;
use crate::error::{Failure, InputError};
use crate::implicit::initial::{Consistent, Initialisation, Site};
use crate::implicit::setup::Setup;
use crate::problem::Problem;
use crate::statistics::Statistics;

impl Matrices {
    /// Columns of the mass matrix that are zero: components without a derivative. Empty if there
    /// are none, and until they are given back.
    pub(in crate::implicit) fn take_algebraic_columns(&mut self) -> Vec<usize> {
        core::mem::take(&mut self.algebraic)
    }

    /// Takes back what [`take_algebraic_columns`](Self::take_algebraic_columns) gave.
    pub(in crate::implicit) fn give_algebraic_columns(&mut self, columns: Vec<usize>) {
        self.algebraic = columns;
    }

    /// The columns of the mass matrix that are zero.
    pub(super) fn algebraic_columns(&self) -> Vec<usize> {
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

    /// Finds the algebraic equations where the mass matrix is singular.
    pub(super) fn find_equations(&mut self, setup: &Setup<'_>) -> Result<(), InputError> {
        if self.identity || self.n == 0 {
            return Ok(());
        }
        let mut lu = Lu::<f64>::analyse(self.union.structure());
        let pivots = lu.refactor(&self.mass);
        if !pivots.is_ok_and(|pivots| !pivots.is_near_singular()) {
            let found = Consistent::new(self, setup.tolerance)?;
            let any = found.algebraic().any(|is| is);
            self.consistent = any.then(|| Box::new(found));
        }
        Ok(())
    }

    /// Checks the state at the start of a run, or makes it and those after events consistent.
    ///
    /// Nothing is done where the mass matrix is regular.
    pub(in crate::implicit) fn make_consistent<P: Problem>(
        &mut self,
        problem: &mut P,
        (t, y): (f64, &mut [f64]),
        (mode, first): (Initialisation, bool),
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        if mode == Initialisation::Unchecked {
            return Ok(());
        }
        let Some(mut consistent) = self.consistent.take() else {
            return Ok(());
        };
        let mut site = Site {
            problem,
            matrices: self,
            statistics,
            t,
        };
        let found = if first && mode == Initialisation::Check {
            let checked = consistent.check(&mut site, y);
            checked.and_then(|()| consistent.determine(&mut site, y))
        } else {
            consistent.solve(&mut site, y).map(|_| ())
        };
        self.consistent = Some(consistent);
        found
    }
}
