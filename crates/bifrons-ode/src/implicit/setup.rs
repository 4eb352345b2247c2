//! What an implicit method must know before it can allocate.

use super::initial::Initialisation;
use crate::error::InputError;
use crate::pool::Pool;
use crate::problem::{Mass, Problem, Structure};
use crate::tolerance::Tolerance;

/// Sizes, shapes and tolerances of a problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) dimension: usize,
    pub(crate) structure: &'a Structure,
    pub(crate) has_jacobian: bool,
    pub(crate) mass: &'a Mass,
    pub(crate) tolerance: &'a Tolerance,
    pub(crate) initialisation: Initialisation,
}

impl<'a> Setup<'a> {
    /// Reads the shapes off a problem.
    pub(crate) fn new<P: Problem>(problem: &'a P, tolerance: &'a Tolerance) -> Self {
        Self {
            dimension: problem.dimension(),
            structure: problem.structure(),
            has_jacobian: problem.has_jacobian(),
            mass: problem.mass(),
            tolerance,
            initialisation: Initialisation::Unchecked,
        }
    }

    /// The same with another treatment of the initial state.
    pub(crate) const fn with_initialisation(mut self, initialisation: Initialisation) -> Self {
        self.initialisation = initialisation;
        self
    }

    /// Absolute tolerances, one per component, in a vector of the pool.
    pub(crate) fn absolute(&self, pool: &mut Pool) -> Result<Vec<f64>, InputError> {
        let mut absolute = pool.zeros(self.dimension);
        self.tolerance.expand_into(&mut absolute)?;
        Ok(absolute)
    }
}
