//! What an implicit method keeps from one run for the next one.

use bifrons_memory::Footprint;

use super::footprint::matrices_footprint;
use super::matrices::Matrices;
use super::setup::Setup;
use super::{Bdf, Esdirk, Radau, Rosenbrock};
use crate::error::InputError;
use crate::method::Method;
use crate::options::Options;
use crate::problem::{Mass, Problem};
use crate::tolerance::Tolerance;
use crate::watch::same_bits;

/// Matrices and symbolic analysis of implicit methods, for many runs one after the other.
///
/// The ordering of a sparse matrix, the groups of columns of a Jacobian by differences, the search
/// for algebraic equations and the memory of all factors are made once and serve every further run
/// by [`solve_in`](crate::solve_in) whose problem has the same dimension, structure and mass
/// matrix. The numbers of a run, the pivots above all, are forgotten at the start of the next, so a
/// run has the bits that it has alone. A problem of another shape is analysed anew; methods,
/// tolerances, spans and right-hand sides may change freely.
///
/// A clone of a workspace that has been made by [`for_problem`](Self::for_problem) saves the
/// analysis for another thread.
#[derive(Debug, Clone, Default)]
pub struct ImplicitWorkspace {
    matrices: Option<Box<Matrices>>,
    /// The mass matrix that they were made for.
    mass: Mass,
    analyses: u64,
}

impl ImplicitWorkspace {
    /// An empty workspace: the first run analyses its problem.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            matrices: None,
            mass: Mass::Identity,
            analyses: 0,
        }
    }

    /// A workspace that has analysed a problem for the method of the options; empty if the method
    /// is explicit.
    ///
    /// # Errors
    ///
    /// [`InputError`] if structure, mass matrix or tolerances do not fit the dimension.
    pub fn for_problem<P: Problem>(problem: &P, options: &Options) -> Result<Self, InputError> {
        let mut found = Self::new();
        if options.method.is_implicit() {
            let setup = Setup::new(problem, &options.tolerance);
            let matrices = found.take(&setup, options.method == Method::Radau)?;
            found.give(matrices);
        }
        Ok(found)
    }

    /// How often a problem was analysed: once, if all runs had the same shape and none was refused
    /// after its analysis.
    #[must_use]
    pub const fn analyses(&self) -> u64 {
        self.analyses
    }

    /// Bytes that a workspace keeps between runs of `problem`; `None` for an explicit method.
    ///
    /// They are part of [`implicit_footprint`](crate::implicit_footprint), `fill` is the same. So
    /// `k` threads with a workspace each take `k` times that footprint at most, beside the results
    /// and the driver; a mass matrix is held once more.
    #[must_use]
    pub fn footprint<P: Problem>(problem: &P, method: Method, fill: usize) -> Option<Footprint> {
        let tolerance = Tolerance::default();
        let setup = Setup::new(problem, &tolerance);
        let mass = match setup.mass {
            Mass::Identity => 0,
            Mass::Diagonal(values) | Mass::Matrix(_, values) => values.len(),
        };
        let matrices = matrices_footprint(&setup, method, fill)?;
        Some(matrices.beside(Footprint::of::<f64>(mass)))
    }

    /// Matrices as new for a run.
    pub(crate) fn take(
        &mut self,
        setup: &Setup<'_>,
        complex: bool,
    ) -> Result<Matrices, InputError> {
        if let Some(mut kept) = self.matrices.take()
            && kept.suit(setup)
            && same_mass(&self.mass, setup.mass)
        {
            kept.renew(setup, complex)?;
            return Ok(*kept);
        }
        self.analyses += 1;
        self.mass.clone_from(setup.mass);
        Matrices::new(setup, complex)
    }

    /// Takes back the matrices that were taken last.
    pub(crate) fn give(&mut self, matrices: Matrices) {
        self.matrices = Some(Box::new(matrices));
    }
}

/// Whether two mass matrices have the same bits in the same places.
fn same_mass(a: &Mass, b: &Mass) -> bool {
    match (a, b) {
        (Mass::Identity, Mass::Identity) => true,
        (Mass::Diagonal(a), Mass::Diagonal(b)) => same_bits(a, b),
        (Mass::Matrix(s, a), Mass::Matrix(r, b)) => s == r && same_bits(a, b),
        _ => false,
    }
}

/// Matrices from a workspace, or new ones without one.
pub(crate) fn matrices(
    workspace: Option<&mut ImplicitWorkspace>,
    setup: &Setup<'_>,
    complex: bool,
) -> Result<Matrices, InputError> {
    match workspace {
        Some(workspace) => workspace.take(setup, complex),
        None => Matrices::new(setup, complex),
    }
}

/// A method that hands on its matrices at the end of a run.
pub(crate) trait IntoMatrices {
    /// The matrices.
    fn into_matrices(self) -> Matrices;
}

macro_rules! into_matrices {
    ($($method:ty),*) => {
        $(impl IntoMatrices for $method {
            fn into_matrices(self) -> Matrices {
                self.matrices
            }
        })*
    };
}
into_matrices!(Bdf, Esdirk, Radau, Rosenbrock);
