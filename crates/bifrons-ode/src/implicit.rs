//! Implicit methods for stiff problems and for differential and algebraic equations.
//!
//! Every method is a [`Stepper`](crate::stepper::Stepper) for `M y' = f(t, y)`. What they share:
//!
//! * `matrices`: Jacobians from the problem or by coloured differences, the mass matrix, and the
//!   factorisation of `M − c J`, in one structure;
//! * `norm`: weighted norms, unrolled for few components;
//! * `start`: slopes and first steps, also where the mass matrix is singular;
//! * `workspace`: the matrices and their analysis, kept for the next run.

mod basis;
mod bdf;
mod carried;
mod esdirk;
mod footprint;
mod initial;
mod matrices;
mod norm;
mod pace;
mod radau;
mod reverse;
mod rosenbrock;
mod setup;
mod standing;
mod start;
mod workspace;

use crate::drive::Run;
use crate::error::{InputError, SolveError};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::{Erased, Problem as _};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::stepper::Stepper;
pub(crate) use bdf::Bdf;
pub(crate) use carried::{Base, CarriedRun, Visitor, with_method};
pub(crate) use esdirk::{ESDIRK4, ESDIRK5, Esdirk, TR_BDF2};
pub use footprint::implicit_footprint;
pub(crate) use initial::Algebra;
pub use initial::{InitialError, InitialReport, Initialisation, Moved, make_consistent};
pub(crate) use matrices::{Matrices, convert as algebra_structure};
pub(crate) use radau::Radau;
pub(crate) use reverse::{Pull, Reverse};
pub(crate) use rosenbrock::{RODAS4, RODAS5P, Rosenbrock, Tableau as RosenbrockTableau};
pub(crate) use setup::Setup;
pub use workspace::ImplicitWorkspace;
pub(crate) use workspace::Retire;

/// A run by an implicit method, which takes its matrices and vectors from the workspace and leaves
/// them there.
pub(crate) fn run(
    problem: Erased<'_>,
    span: (f64, f64),
    y0: &[f64],
    (method, save, options): (Method, &Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    let setup =
        Setup::new(&problem, &options.tolerance).with_initialisation(options.initialisation);
    let matrices = workspace.take(&setup, method == Method::Radau)?;
    let pool = &mut workspace.pool;
    let how = (save, options);
    match method {
        Method::Bdf => {
            let stepper = Bdf::with(&setup, matrices, pool)?;
            drive(problem, stepper, span, y0, how, workspace)
        }
        Method::Radau => {
            let stepper = Radau::with(&setup, |i| problem.index(i), matrices, pool)?;
            drive(problem, stepper, span, y0, how, workspace)
        }
        Method::Rodas4 | Method::Rodas5P => {
            let fourth = method == Method::Rodas4;
            let tableau = if fourth { &RODAS4 } else { &RODAS5P };
            let stepper = Rosenbrock::with(&setup, tableau, matrices, pool)?;
            drive(problem, stepper, span, y0, how, workspace)
        }
        Method::TrBdf2 | Method::Esdirk4 | Method::Esdirk5 => {
            let tableau = match method {
                Method::TrBdf2 => &TR_BDF2,
                Method::Esdirk4 => &ESDIRK4,
                _ => &ESDIRK5,
            };
            let stepper = Esdirk::with(&setup, tableau, matrices, pool)?;
            drive(problem, stepper, span, y0, how, workspace)
        }
        method => Err(InputError::MassWithExplicit {
            method: method.name(),
        }
        .into()),
    }
}

/// A run by a method, whose matrices and vectors stay in the workspace.
pub(crate) fn drive<'p, S: Stepper<Erased<'p>> + Retire>(
    problem: Erased<'p>,
    stepper: S,
    span: (f64, f64),
    y0: &[f64],
    (save, options): (&Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    let pool = &mut workspace.pool;
    let mut recorder = Recorder::again(save, span, y0, stepper.coefficient_count(), pool);
    let run = Run::new(problem, stepper, &mut recorder, span, options, pool)?;
    let stepper = run.run(y0, options, pool);
    let matrices = stepper.retire(pool);
    let outcome = recorder.finish_in(pool);
    workspace.give(matrices);
    outcome
}

#[cfg(test)]
mod tests;
