//! A problem with a regular mass matrix, as explicit methods see it: `y' = M⁻¹ f(t, y)`.

use bifrons_algebra::{Lu, Structure as Places};

use super::{Derivatives, DynamicProblem, Fault, Mass, MatrixMut, Structure};
use crate::error::InputError;
use crate::event::{Event, Response, RootRule};
use crate::implicit::algebra_structure;

/// Pivots below this share of the largest one: singular.
const LEAST_PIVOT: f64 = 1e-13;

/// A problem behind its mass matrix, which is factored once.
pub(crate) struct Solved<'p> {
    problem: &'p mut dyn DynamicProblem,
    lu: Lu<f64>,
    n: usize,
}

impl<'p> Solved<'p> {
    /// Factors the mass matrix.
    ///
    /// # Errors
    ///
    /// [`InputError::SingularMass`].
    pub(crate) fn new(problem: &'p mut dyn DynamicProblem) -> Result<Self, InputError> {
        let n = problem.own_dimension();
        let (places, values) = match problem.mass() {
            Mass::Identity => (Places::diagonal(n), vec![1.0; n]),
            Mass::Diagonal(values) => (Places::diagonal(n), values.clone()),
            Mass::Matrix(structure, values) => (algebra_structure(n, structure)?, values.clone()),
        };
        let mut lu = Lu::analyse(&places);
        match lu.refactor(&values) {
            Ok(pivots) if n == 0 || pivots.ratio() > LEAST_PIVOT => Ok(Self { problem, lu, n }),
            _ => Err(InputError::SingularMass),
        }
    }
}

impl DynamicProblem for Solved<'_> {
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.problem.rhs(t, y, dy)?;
        // Columns of sensitivities stand behind the state.
        for part in dy.chunks_exact_mut(self.n.max(1)) {
            self.lu.solve(part);
        }
        Ok(())
    }
    fn structure(&self) -> &Structure {
        const { &Structure::Dense }
    }
    fn has_jacobian(&self) -> bool {
        false
    }
    fn jacobian(&mut self, _t: f64, _y: &[f64], _out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        Err(Fault::Fatal("explicit methods ask for no Jacobian"))
    }
    fn mass(&self) -> &Mass {
        const { &Mass::Identity }
    }
    fn index(&self, component: usize) -> u8 {
        self.problem.index(component)
    }
    fn root_count(&self) -> usize {
        self.problem.root_count()
    }
    fn root_rule(&self, root: usize) -> RootRule {
        self.problem.root_rule(root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.problem.roots(t, y, g)
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.problem.event(event, y)
    }
    fn own_dimension(&self) -> usize {
        self.n
    }
    fn derivatives(&mut self) -> Option<&mut dyn Derivatives> {
        self.problem.derivatives()
    }
}
