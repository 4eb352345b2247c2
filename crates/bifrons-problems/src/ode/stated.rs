//! A reference problem in the words of `bifrons-ode`.

use bifrons_ode::{Fault, Mass, MatrixMut, Problem, Structure};

use super::ReferenceProblem;

/// A [`ReferenceProblem`] as a [`Problem`]; made by [`ReferenceProblem::problem`].
#[derive(Debug)]
pub struct Stated<'m, M> {
    model: &'m M,
    with_jacobian: bool,
}

impl<'m, M> Stated<'m, M> {
    pub(super) const fn new(model: &'m M) -> Self {
        Self {
            model,
            with_jacobian: true,
        }
    }

    /// The same problem without values of its Jacobian: differences are taken.
    #[must_use]
    pub const fn without_jacobian(mut self) -> Self {
        self.with_jacobian = false;
        self
    }
}

impl<M: ReferenceProblem> Problem for Stated<'_, M> {
    const DIMENSION: usize = M::DIMENSION;

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    #[inline(always)]
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.model.derivative(t, y, dy);
        Ok(())
    }

    fn structure(&self) -> &Structure {
        self.model.structure()
    }

    fn has_jacobian(&self) -> bool {
        self.with_jacobian
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        self.model.jacobian(t, y, out);
        Ok(())
    }

    fn mass(&self) -> &Mass {
        self.model.mass()
    }

    fn index(&self, component: usize) -> u8 {
        self.model.index(component)
    }
}
