//! One run.

use crate::drive::Run;
use crate::ensemble::{EnsembleWorkspace, solve_members};
use crate::error::{InputError, SolveError};
use crate::explicit::stages::Stages;
use crate::explicit::tableau::Kind;
use crate::explicit::{Explicit, Pace, bs32, dop853, dopri5, rk4, tsit5};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::{Alone, DynamicProblem, Erased, Mass, Problem, Whole};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::stepper::Stepper;

/// Integrates `problem` from `(t0, y0)` to `t_end`, keeping what `save` says.
///
/// `t_end < t0` integrates backwards with the same call; `t_end == t0` returns the initial state.
/// If the problem has root functions the end may be infinite.
///
/// # Errors
///
/// [`SolveError::Input`] before the first evaluation; [`SolveError::Failed`] with the valid part
/// of the solution if the end cannot be reached.
pub fn solve<P: Problem>(
    problem: &mut P,
    t0: f64,
    y0: &[f64],
    t_end: f64,
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    check(problem, t0, y0, t_end, options)?;
    save.check(t0, t_end)?;
    let plain = problem.root_count() == 0 && options.stops.is_empty();
    if plain && options.method == Method::Dopri5 && *problem.mass() == Mass::Identity {
        return on_one_lane(problem, t0, y0, t_end, save, options);
    }
    let mut whole = Whole(problem);
    general(&mut whole, (t0, t_end), y0, save, options)
}

pub(crate) fn check<P: Problem>(
    problem: &P,
    t0: f64,
    y0: &[f64],
    t_end: f64,
    options: &Options,
) -> Result<(), InputError> {
    let (required, found) = (problem.dimension(), y0.len());
    if found != required {
        return Err(InputError::StateLength { found, required });
    }
    if let Some((component, &value)) = y0.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(InputError::StateNotFinite { component, value });
    }
    if problem.root_count() > 0 {
        options.check_open(t0, t_end)?;
    } else {
        options.check(t0, t_end)?;
    }
    options.tolerance.check_count(required)?;
    options.method.check()?;
    problem.mass().check(required)?;
    problem.structure().check(required)
}

/// The default method on the loop of ensembles, compiled for the type of the problem.
fn on_one_lane<P: Problem>(
    problem: &mut P,
    t0: f64,
    y0: &[f64],
    t_end: f64,
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let mut workspace = EnsembleWorkspace::<1>::new(y0.len());
    let coefficients = dopri5::Arrays::<'_, 1>::COEFFICIENTS;
    let mut recorder = Recorder::new(save, (t0, t_end), y0, coefficients);
    let mut alone = Alone::new(problem, y0);
    solve_members(
        &mut alone,
        0..1,
        t0,
        t_end,
        options,
        &mut workspace,
        &mut recorder,
    )?;
    recorder.finish()
}

/// Every method on the driver of general runs.
fn general(
    problem: &mut dyn DynamicProblem,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let direction = if span.1 < span.0 { -1.0 } else { 1.0 };
    let problem = Erased::new(problem, direction);
    match options.method {
        Method::Dopri5 => explicit::<dopri5::Kind>(problem, span, y0, save, options),
        Method::Tsit5 => explicit::<tsit5::Kind>(problem, span, y0, save, options),
        Method::Bs32 => explicit::<bs32::Kind>(problem, span, y0, save, options),
        Method::Dop853 => explicit::<dop853::Kind>(problem, span, y0, save, options),
        Method::Rk4 { .. } => explicit::<rk4::Kind>(problem, span, y0, save, options),
        Method::Auto => crate::auto::run(problem, span, y0, save, options),
        _ => crate::implicit::run(problem, span, y0, save, options),
    }
}

fn explicit<K: Kind>(
    problem: Erased<'_>,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let recorder = |count| Recorder::new(save, span, y0, count);
    explicit_into::<K>(problem, span, y0, options, recorder)?.finish()
}

/// A run by an explicit method into a recorder, which is told the coefficients of interpolants.
pub(crate) fn explicit_into<'s, K: Kind>(
    problem: Erased<'_>,
    span: (f64, f64),
    y0: &[f64],
    options: &Options,
    recorder: impl FnOnce(usize) -> Recorder<'s>,
) -> Result<Recorder<'s>, InputError> {
    if *problem.mass() != Mass::Identity {
        let method = options.method.name();
        return Err(InputError::MassWithExplicit { method });
    }
    let (arrays, coefficients) = sizes::<K::Arrays<'_>>();
    let mut workspace = EnsembleWorkspace::<1>::with_arrays(y0.len(), arrays);
    let mut dense = vec![0.0; y0.len() * coefficients];
    let (stages, member, _) = workspace.split::<K::Arrays<'_>>();
    options.tolerance.expand_into(member.absolute)?;
    let pace = match options.method {
        Method::Rk4 { step } => Pace::Fixed(step),
        _ => Pace::Adaptive,
    };
    let relative = options.tolerance.relative();
    let stepper = Explicit::new(stages, member, &mut dense, relative, pace);
    let mut recorder = recorder(Stepper::<Erased<'_>>::coefficient_count(&stepper));
    Run::new(problem, stepper, &mut recorder, span, options)?.run(y0, options);
    Ok(recorder)
}

/// Lane arrays and coefficients per component of a method.
const fn sizes<'w, S: Stages<'w, 1>>() -> (usize, usize) {
    (S::ARRAYS, S::COEFFICIENTS)
}
