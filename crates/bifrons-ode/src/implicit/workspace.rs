//! What an implicit method keeps from one run for the next one.

use bifrons_memory::Footprint;

use super::footprint::implicit_footprint;
use super::matrices::Matrices;
use super::setup::Setup;
use crate::error::InputError;
use crate::method::Method;
use crate::options::Options;
use crate::pool::Pool;
use crate::problem::{Mass, Problem};
use crate::tolerance::Tolerance;
use crate::watch::same_bits;

/// Matrices and symbolic analysis of implicit methods, for many runs one after the other.
///
/// The ordering of a sparse matrix, the groups of columns of a Jacobian by differences, the search
/// for algebraic equations, the memory of all factors and the vectors of a run are made once and serve every further run
/// by [`solve_in`](crate::solve_in) whose problem has the same dimension, structure and mass
/// matrix. The numbers of a run, the pivots above all, are forgotten at the start of the next, so a
/// run has the bits that it has alone. A problem of another shape is analysed anew; methods,
/// tolerances, spans and right-hand sides may change freely.
///
/// A clone of a workspace that has been made by [`for_problem`](Self::for_problem) saves the
/// analysis for another thread.
#[derive(Debug, Clone, Default)]
pub struct ImplicitWorkspace {
    matrices: Option<Matrices>,
    /// The mass matrix that they were made for.
    mass: Mass,
    analyses: u64,
    /// Vectors of methods and of the driver.
    pub(crate) pool: Pool,
}

impl ImplicitWorkspace {
    /// An empty workspace: the first run analyses its problem.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            matrices: None,
            mass: Mass::Identity,
            analyses: 0,
            pool: Pool::new(),
        }
    }

    /// A workspace for one run, which keeps nothing.
    pub(crate) fn once() -> Self {
        let mut workspace = Self::new();
        workspace.pool = Pool::once();
        workspace
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

    /// Entries of the factors of the last run, as [`footprint`](Self::footprint) asks for them; zero
    /// before any run. The fuller ones of real and complex factors count.
    #[must_use]
    pub fn fill(&self) -> usize {
        self.matrices.as_ref().map_or(0, Matrices::fill)
    }

    /// Bytes that a workspace keeps between runs of `problem`; `None` for an explicit method.
    ///
    /// What [`implicit_footprint`](crate::implicit_footprint) counts, the vectors of the driver, and
    /// the mass matrix; measured heap is at most that and at least four fifths of it. `fill` is that
    /// of [`fill`](Self::fill) after a run. `k` workers of [`solve_many`](crate::solve_many) take
    /// `k` times that, and the rows that each saves.
    #[must_use]
    pub fn footprint<P: Problem>(problem: &P, method: Method, fill: usize) -> Option<Footprint> {
        let tolerance = Tolerance::default();
        let setup = Setup::new(problem, &tolerance);
        let mass = match setup.mass {
            Mass::Identity => 0,
            Mass::Diagonal(values) | Mass::Matrix(_, values) => values.len(),
        };
        let own = implicit_footprint(problem, method, fill)?;
        let driver = Pool::footprint(problem.dimension(), problem.root_count());
        Some(own.beside(driver).beside(Footprint::of::<f64>(mass)))
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
            return Ok(kept);
        }
        self.analyses += 1;
        if self.pool.keeps() {
            self.mass.clone_from(setup.mass);
        }
        Matrices::new(setup, complex)
    }

    /// Takes back the matrices that were taken last.
    pub(crate) fn give(&mut self, matrices: Matrices) {
        if self.pool.keeps() {
            self.matrices = Some(matrices);
        }
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

/// A method that leaves its matrices and its vectors at the end of a run.
pub(crate) trait Retire {
    /// Gives the vectors to the pool and the matrices back.
    fn retire(self, pool: &mut Pool) -> Matrices;
}

macro_rules! retire {
    ($method:ty: $($vector:ident),*) => {
        impl Retire for $method {
            fn retire(self, pool: &mut Pool) -> Matrices {
                pool.give([$(self.$vector),*]);
                self.matrices
            }
        }
    };
}
pub(super) use retire;
