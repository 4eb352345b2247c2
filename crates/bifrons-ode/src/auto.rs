//! Automatic choice between an explicit and an implicit method.
//!
//! A run begins with Tsitouras 5(4). From the last two stages of every step follows an estimate of
//! `h |λ|` (Hairer and Wanner 1996, section IV.2); where it stays at the boundary of the stability
//! region, stability and not accuracy chooses the steps, and the run goes on with `Rodas5P` (up to
//! [`MOST_SMALL`] components) or the differentiation formulas. It goes back when the steps that
//! the implicit method wants are well within the region for a bound of the spectral radius of its
//! Jacobian, as in Petzold's codes. A run that becomes stiff again at once must wait twice as long
//! the next time, so the number of changes is bounded by the logarithm of the steps.
//!
//! # References
//!
//! Petzold (1983), Automatic selection of methods for solving stiff and nonstiff systems of
//! ordinary differential equations; Shampine (1991), Diagnosing stiffness for Runge-Kutta methods;
//! Hairer and Wanner (1996), Solving Ordinary Differential Equations II, section IV.2.

mod policy;
mod stepper;

use bifrons_memory::Footprint;

use crate::ensemble::EnsembleWorkspace;
use crate::error::SolveError;
use crate::explicit::stages::Stages;
use crate::explicit::{Explicit, Pace, tsit5};
use crate::implicit::drive;
use crate::implicit::{Bdf, ImplicitWorkspace, RODAS5P, Retire, Rosenbrock, Setup};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::{Erased, Mass, Problem as _};
use crate::solution::{Phase, Solution};
use crate::stepper::Stepper;
use stepper::Auto;
pub(crate) use stepper::Stiff;

/// Components up to which a factorisation per step costs less than an iteration.
const MOST_SMALL: usize = 16;

/// The implicit method for this many components.
const fn implicit_method(n: usize) -> Method {
    if n <= MOST_SMALL {
        Method::Rodas5P
    } else {
        Method::Bdf
    }
}

/// Integrates with the method that suits each part of the solution.
pub(crate) fn run(
    problem: Erased<'_>,
    span: (f64, f64),
    y0: &[f64],
    (save, options): (&Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    let method = implicit_method(y0.len());
    if *problem.mass() != Mass::Identity {
        let how = (method, save, options);
        let mut solution = crate::implicit::run(problem, span, y0, how, workspace)?;
        solution.phases.push(Phase { t: span.0, method });
        solution.statistics.implicit_steps = solution.statistics.accepted;
        return Ok(solution);
    }
    let setup =
        Setup::new(&problem, &options.tolerance).with_initialisation(options.initialisation);
    let matrices = workspace.take(&setup, false)?;
    let (how, pool) = ((save, options), &mut workspace.pool);
    if method == Method::Bdf {
        let implicit = Bdf::with(&setup, matrices, pool)?;
        change(problem, implicit, span, y0, how, workspace)
    } else {
        let implicit = Rosenbrock::with(&setup, &RODAS5P, matrices, pool)?;
        change(problem, implicit, span, y0, how, workspace)
    }
}

fn change<'p, I: Stiff + Stepper<Erased<'p>> + Retire>(
    problem: Erased<'p>,
    implicit: I,
    span: (f64, f64),
    y0: &[f64],
    how: (&Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    type Arrays<'w> = tsit5::Arrays<'w, 1>;
    let n = y0.len();
    let pool = &mut workspace.pool;
    let mut lanes = pool.one_lane(n, Arrays::ARRAYS);
    let mut dense = pool.zeros(n * Arrays::COEFFICIENTS);
    let (stages, member, _) = lanes.split::<Arrays<'_>>();
    let tolerance = &how.1.tolerance;
    tolerance.expand_into(member.absolute)?;
    let relative = tolerance.relative();
    let explicit = Explicit::new(stages, member, &mut dense, relative, Pace::Adaptive);
    let stepper = Auto::new(explicit, implicit, n, pool);
    let outcome = drive(problem, stepper, span, y0, how, workspace);
    workspace.pool.give([dense]);
    workspace.pool.give_lane(lanes);
    outcome
}

/// Bytes of both methods together; `fill` is the number of entries of sparse factors.
pub(crate) fn footprint(setup: &Setup<'_>, fill: usize) -> Footprint {
    let n = setup.dimension;
    let implicit = match implicit_method(n) {
        Method::Bdf => Bdf::footprint(setup, fill),
        _ => Rosenbrock::footprint(setup, &RODAS5P, fill),
    };
    if *setup.mass != Mass::Identity {
        return implicit;
    }
    let arrays = <tsit5::Arrays<'_, 1> as Stages<'_, 1>>::ARRAYS;
    let coefficients = <tsit5::Arrays<'_, 1> as Stages<'_, 1>>::COEFFICIENTS;
    implicit
        .beside(EnsembleWorkspace::<1>::footprint_of_arrays(n, arrays))
        .beside(Footprint::of::<f64>((coefficients + 1) * n))
        .beside(Footprint::of::<Phase>(stepper::PHASES))
}
