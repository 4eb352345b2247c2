//! Matrices that serve one run after the other.

use bifrons_algebra::Lu;

use super::Matrices;
use crate::error::InputError;
use crate::implicit::setup::Setup;

impl Matrices {
    /// Whether another run with the same mass matrix, which the caller has looked at, can have
    /// these matrices: what was analysed is the same.
    pub(in crate::implicit) fn suit(&self, setup: &Setup<'_>) -> bool {
        self.n == setup.dimension
            && self.differences.is_none() == setup.has_jacobian
            && self.structure == *setup.structure
    }

    /// Makes the matrices what they were when they were new, but keeps what was analysed:
    /// orderings, groups of columns, algebraic equations, and the memory of the factors.
    pub(in crate::implicit) fn renew(
        &mut self,
        setup: &Setup<'_>,
        complex: bool,
    ) -> Result<(), InputError> {
        setup.tolerance.expand_into(&mut self.scale)?;
        self.set_least(setup);
        self.raw.fill(0.0);
        self.jacobian.fill(0.0);
        self.lu.forget_pivots();
        match &mut self.complex {
            Some(lu) => lu.forget_pivots(),
            none if complex => *none = Some(Lu::analyse(self.union.structure())),
            _ => {}
        }
        if let Some(consistent) = &mut self.consistent {
            consistent.renew(setup.tolerance)?;
        }
        Ok(())
    }
}
