//! Consistent initial states of systems with singular mass matrix.
//!
//! Rows of `M y' = f(t, y)` are combined so that those of rank zero are apart: `0 = (E f)(t, y)`,
//! the algebraic equations. A state is consistent if they hold. A state that does not is moved
//! within the null space of `M`, so `M y` stays what it was: for a diagonal mass matrix only the
//! algebraic variables move. One matrix serves both the state and the slopes,
//!
//! ```text
//! [ M  ] δ  = [ M (y₀ − y) ]        [ M  ] y' = [ f       ]
//! [−E J]      [ E f        ]        [−E J]      [ E ∂f/∂t ]
//! ```
//!
//! and it is regular exactly where the system has index one.
//!
//! # References
//!
//! Brown, Hindmarsh and Petzold (1998), Consistent initial condition calculation for
//! differential-algebraic systems; Hairer and Wanner (1996), section VI.1 (index one).

mod columns;
mod engine;
mod split;
mod system;

use super::matrices::Matrices;
use super::setup::Setup;
use crate::error::{Failure, InputError};
use crate::problem::Problem;
use crate::statistics::Statistics;
use crate::tolerance::Tolerance;
pub(crate) use columns::Algebra;
pub(super) use engine::{Consistent, Site};

/// What a run of a system with singular mass matrix does with its initial state.
///
/// States after events are always made consistent, unless nothing is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Initialisation {
    /// The state must satisfy the algebraic equations within the tolerances; the failure names
    /// the worst equation.
    #[default]
    Check,
    /// Algebraic components are solved for; what the mass matrix says about the others is kept.
    Algebraic,
    /// As [`Initialisation::Algebraic`]; [`make_consistent`] gives the slopes of all components
    /// back, too. In a run, methods compute them in any case.
    AlgebraicAndDerivatives,
    /// The state is taken as it is.
    Unchecked,
}

/// Error of [`make_consistent`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InitialError {
    /// Nothing was computed.
    #[error("invalid input")]
    Input(#[from] InputError),
    /// The state is inconsistent, or there is no consistent one near it; the argument holds the
    /// best iterate.
    #[error("no consistent initial state")]
    Failed(#[from] Failure),
}

/// A component that was changed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// The component.
    pub component: usize,
    /// Its guess.
    pub from: f64,
    /// Its consistent value.
    pub to: f64,
}

/// What was found about an initial state.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InitialReport {
    /// Residual of each equation at the given state; zero for differential equations.
    pub before: Vec<f64>,
    /// The same at the state that was found.
    pub after: Vec<f64>,
    /// Whether each equation is algebraic. One that is a combination of several rows is named by
    /// the row that the others are added to.
    pub algebraic: Vec<bool>,
    /// The components that were changed, ascending.
    pub moved: Vec<Moved>,
    /// Slopes, for [`Initialisation::AlgebraicAndDerivatives`].
    pub derivatives: Option<Vec<f64>>,
    /// Iterations of Newton's method.
    pub iterations: usize,
}

/// Makes the state `y` at `t` consistent, or checks that it is, as `mode` says.
///
/// Newton's method is damped and ends when its correction is below 1e-3 of the tolerances, so the
/// result is accurate to about 1e-6 of them or to round-off. Differential variables of a diagonal
/// mass matrix keep their bits. Cost: one Jacobian and one factorisation per iteration.
///
/// ```
/// use bifrons_ode::{Initialisation, Mass, Problem, Tolerance, closure, make_consistent};
///
/// // x' = −z, 0 = z³ + z − 2 x.
/// let mut problem = closure(2, |_t, y, f| {
///     f[0] = -y[1];
///     f[1] = y[1].powi(3) + y[1] - 2.0 * y[0];
/// })
/// .with_mass(Mass::Diagonal(vec![1.0, 0.0]));
/// let mut y = [1.0, 5.0];
/// let tolerance = Tolerance::default();
/// let report = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Algebraic, &tolerance)?;
/// assert!((y[1] - 1.0).abs() < 1e-12 && report.moved[0].component == 1);
/// # Ok::<(), bifrons_ode::InitialError>(())
/// ```
///
/// # Errors
///
/// [`InitialError`]; `y` is the best iterate then, and unchanged if it was only checked.
pub fn make_consistent<P: Problem>(
    problem: &mut P,
    t: f64,
    y: &mut [f64],
    mode: Initialisation,
    tolerance: &Tolerance,
) -> Result<InitialReport, InitialError> {
    let (required, found) = (problem.dimension(), y.len());
    if found != required {
        return Err(InputError::StateLength { found, required }.into());
    }
    problem.structure().check(required)?;
    problem.mass().check(required)?;
    let setup = Setup::new(problem, tolerance);
    let mut matrices = Matrices::new(&setup, false)?;
    let mut consistent = Consistent::new(&matrices, tolerance)?;
    let mut statistics = Statistics::default();
    let given = y.to_vec();
    let mut site = Site {
        problem,
        matrices: &mut matrices,
        statistics: &mut statistics,
        t,
    };
    let before = consistent.residuals(&mut site, y)?.to_vec();
    let mut iterations = 0;
    let mut derivatives = None;
    match mode {
        Initialisation::Check => consistent.check(&mut site, y)?,
        Initialisation::Algebraic => iterations = consistent.solve(&mut site, y)?,
        Initialisation::AlgebraicAndDerivatives => {
            iterations = consistent.solve(&mut site, y)?;
            derivatives = Some(consistent.slopes(&mut site, y)?);
        }
        Initialisation::Unchecked => {}
    }
    let changes = given.iter().zip(&*y).enumerate();
    let changed = changes.filter(|(_, (from, to))| from.to_bits() != to.to_bits());
    Ok(InitialReport {
        before,
        after: consistent.residuals(&mut site, y)?.to_vec(),
        algebraic: consistent.algebraic().collect(),
        moved: changed
            .map(|(component, (&from, &to))| Moved {
                component,
                from,
                to,
            })
            .collect(),
        derivatives,
        iterations,
    })
}
