//! Implicit methods for stiff problems and for differential and algebraic equations.
//!
//! Every method is a [`Stepper`](crate::stepper::Stepper) for `M y' = f(t, y)`. What they share:
//!
//! * `matrices`: Jacobians from the problem or by coloured differences, the mass matrix, and the
//!   factorisation of `M − c J`, in one structure;
//! * `norm`: weighted norms, unrolled for few components;
//! * `start`: slopes and first steps, also where the mass matrix is singular.

mod basis;
mod bdf;
mod consistent;
mod esdirk;
mod footprint;
mod initial;
mod matrices;
mod norm;
mod pace;
mod radau;
mod rosenbrock;
mod setup;
mod standing;
mod start;

use crate::drive::Run;
use crate::error::{InputError, SolveError};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::{Erased, Problem as _};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::stepper::Stepper;
pub(crate) use bdf::Bdf;
pub use consistent::Initialisation;
pub(crate) use esdirk::{ESDIRK4, ESDIRK5, Esdirk, TR_BDF2};
pub use footprint::implicit_footprint;
pub use initial::{InitialError, InitialReport, Moved, make_consistent};
pub(crate) use radau::Radau;
pub(crate) use rosenbrock::{RODAS4, RODAS5P, Rosenbrock, Tableau as RosenbrockTableau};
pub(crate) use setup::Setup;

/// Integrates with the implicit method of the options.
pub(crate) fn run(
    problem: Erased<'_>,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let setup =
        Setup::new(&problem, &options.tolerance).with_initialisation(options.initialisation);
    match options.method {
        Method::Bdf => {
            let stepper = Bdf::new(&setup)?;
            drive(problem, stepper, span, y0, save, options)
        }
        Method::Radau => {
            let stepper = Radau::new(&setup, |i| problem.index(i))?;
            drive(problem, stepper, span, y0, save, options)
        }
        Method::Rodas4 | Method::Rodas5P => {
            let fourth = options.method == Method::Rodas4;
            let stepper = Rosenbrock::new(&setup, if fourth { &RODAS4 } else { &RODAS5P })?;
            drive(problem, stepper, span, y0, save, options)
        }
        Method::TrBdf2 | Method::Esdirk4 | Method::Esdirk5 => {
            let tableau = match options.method {
                Method::TrBdf2 => &TR_BDF2,
                Method::Esdirk4 => &ESDIRK4,
                _ => &ESDIRK5,
            };
            let stepper = Esdirk::new(&setup, tableau)?;
            drive(problem, stepper, span, y0, save, options)
        }
        method => Err(InputError::MassWithExplicit {
            method: method.name(),
        }
        .into()),
    }
}

fn drive<'p, S: Stepper<Erased<'p>>>(
    problem: Erased<'p>,
    stepper: S,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let mut recorder = Recorder::new(save, span, y0, stepper.coefficient_count());
    Run::new(problem, stepper, &mut recorder, span, options)?.run(y0, options);
    recorder.finish()
}

#[cfg(test)]
mod tests;
