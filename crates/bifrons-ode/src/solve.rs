//! One run.

use crate::drive::Run;
use crate::ensemble::{EnsembleWorkspace, solve_members};
use crate::error::{Failure, InputError, SolveError};
use crate::explicit::stages::Stages;
use crate::explicit::tableau::Kind;
use crate::explicit::{Explicit, Pace, bs32, dop853, dopri5, rk4, tsit5};
use crate::implicit::ImplicitWorkspace;
use crate::method::Method;
use crate::options::{Options, Save};
use crate::pool::Pool;
use crate::problem::{
    Alone, Bounded, Carries, DynamicProblem, Erased, Mass, Problem, Solved, Whole,
};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::tolerance::Tolerance;

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
    run(problem, (t0, t_end), y0, (save, options), None)
}

/// As [`solve`], by an implicit method that keeps its matrices and their analysis in `workspace`
/// for the next run: the numbers are the same, bit for bit, whatever ran in the workspace before.
///
/// The outcome of each run is its own, and a run that fails leaves the workspace as good as it was.
/// [`solve_many`](crate::solve_many) does this for many members, over threads.
///
/// ```
/// use bifrons_ode::{ImplicitWorkspace, Method, Options, Save, closure, solve, solve_in};
///
/// let mut options = Options::default();
/// options.method = Method::Bdf;
/// let member = |i: usize| closure(1, move |_t, y, dy| dy[0] = -(1.0 + i as f64) * y[0]);
/// let run = |workspace: &mut ImplicitWorkspace, i: usize| {
///     solve_in(workspace, &mut member(i), 0.0, &[1.0], 1.0, &Save::Final, &options)
/// };
/// let mut workspace = ImplicitWorkspace::new();
/// let all: Vec<_> = (0..9).map(|i| run(&mut workspace, i)).collect();
/// let alone = solve(&mut member(8), 0.0, &[1.0], 1.0, &Save::Final, &options)?;
/// assert_eq!(all[8].as_ref(), Ok(&alone));
/// assert_eq!(workspace.analyses(), 1);
/// # Ok::<(), bifrons_ode::SolveError>(())
/// ```
///
/// An explicit method does not use the workspace.
///
/// # Errors
///
/// As [`solve`].
pub fn solve_in<P: Problem>(
    workspace: &mut ImplicitWorkspace,
    problem: &mut P,
    t0: f64,
    y0: &[f64],
    t_end: f64,
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    in_workspace(problem, (t0, t_end), y0, (save, options), workspace)
}

pub(crate) fn in_workspace<P: Problem>(
    problem: &mut P,
    (t0, t_end): (f64, f64),
    y0: &[f64],
    (save, options): (&Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    run(problem, (t0, t_end), y0, (save, options), Some(workspace))
}

fn run<P: Problem>(
    problem: &mut P,
    (t0, t_end): (f64, f64),
    y0: &[f64],
    (save, options): (&Save, &Options),
    workspace: Option<&mut ImplicitWorkspace>,
) -> Result<Solution, SolveError> {
    check(problem, t0, y0, t_end, options)?;
    save.check(t0, t_end)?;
    let plain = problem.root_count() == 0 && options.stops.is_empty();
    let found = if plain && options.method == Method::Dopri5 && *problem.mass() == Mass::Identity {
        on_one_lane(problem, t0, y0, t_end, save, options)
    } else {
        let (problem, how) = (&mut Whole(problem), (save, options));
        match workspace {
            Some(workspace) => dispatch(problem, (t0, t_end), y0, how, workspace),
            None => general(problem, (t0, t_end), y0, save, options),
        }
    };
    found.map_err(|error| without_tolerance(error, &options.tolerance))
}

/// Error of a step, relative to its component, that is round-off: a few operations on each of a
/// dozen stages.
const NOISE: f64 = 64.0 * f64::EPSILON;

/// Steps that vanish because a component has no tolerance, or one below its round-off, are named
/// so.
fn without_tolerance(mut error: SolveError, tolerance: &Tolerance) -> SolveError {
    if let SolveError::Failed { failure, partial } = &mut error
        && let Failure::StepUnderflow {
            t, component, norm, ..
        } = *failure
    {
        let absolute = tolerance.absolute();
        let own = absolute.get(component).or(absolute.first()).copied();
        let size = partial.last_state.get(component).map_or(1.0, |y| y.abs());
        let weight = own.unwrap_or(1.0) + tolerance.relative() * size;
        if weight <= 0.0 {
            *failure = Failure::ZeroWeight { component, t };
        } else if norm > 1.0 && norm * weight <= NOISE * size {
            let factor = norm;
            *failure = Failure::ToleranceTooSmall {
                t,
                component,
                factor,
            };
        }
    }
    error
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
    check_shape(problem, (t0, t_end), options)
}

/// Checks everything but the initial state.
pub(crate) fn check_shape<P: Problem>(
    problem: &P,
    (t0, t_end): (f64, f64),
    options: &Options,
) -> Result<(), InputError> {
    let required = problem.dimension();
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
pub(crate) fn general(
    problem: &mut dyn DynamicProblem,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let workspace = &mut ImplicitWorkspace::once();
    dispatch(problem, span, y0, (save, options), workspace)
}

fn dispatch(
    problem: &mut dyn DynamicProblem,
    span: (f64, f64),
    y0: &[f64],
    (save, options): (&Save, &Options),
    workspace: &mut ImplicitWorkspace,
) -> Result<Solution, SolveError> {
    if !options.method.is_implicit() && *problem.mass() != Mass::Identity {
        return general(&mut Solved::new(problem)?, span, y0, save, options);
    }
    let direction = if span.1 < span.0 { -1.0 } else { 1.0 };
    let problem = Erased::new(problem, direction);
    match options.method {
        Method::Dopri5 => explicit::<dopri5::Kind>(problem, span, y0, save, options),
        Method::Tsit5 => explicit::<tsit5::Kind>(problem, span, y0, save, options),
        Method::Bs32 => explicit::<bs32::Kind>(problem, span, y0, save, options),
        Method::Dop853 => explicit::<dop853::Kind>(problem, span, y0, save, options),
        Method::Rk4 { .. } => explicit::<rk4::Kind>(problem, span, y0, save, options),
        Method::Auto => crate::auto::run(problem, span, y0, (save, options), workspace),
        method => crate::implicit::run(problem, span, y0, (method, save, options), workspace),
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
    let options = (options, pace(options.method));
    explicit_into::<K, _>(problem, span, y0, options, recorder)?.finish()
}

/// A run by an explicit method into a recorder, which is told the coefficients of interpolants.
pub(crate) fn explicit_into<'s, K: Kind, P: Carries + ?Sized>(
    problem: Bounded<'_, P>,
    span: (f64, f64),
    y0: &[f64],
    (options, pace): (&Options, Pace),
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
    let relative = options.tolerance.relative();
    let stepper = Explicit::new(stages, member, &mut dense, relative, pace);
    let mut recorder = recorder(coefficients);
    let pool = &mut Pool::once();
    Run::new(problem, stepper, &mut recorder, span, options, pool)?.run(y0, options, pool);
    Ok(recorder)
}

/// How the method of the options chooses its steps.
pub(crate) const fn pace(method: Method) -> Pace {
    match method {
        Method::Rk4 { step } => Pace::Fixed(step),
        _ => Pace::Adaptive,
    }
}

/// Lane arrays and coefficients per component of a method.
const fn sizes<'w, S: Stages<'w, 1>>() -> (usize, usize) {
    (S::ARRAYS, S::COEFFICIENTS)
}
