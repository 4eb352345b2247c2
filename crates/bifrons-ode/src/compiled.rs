//! One run by an explicit method that is compiled for the type of the problem.

use crate::ensemble::{Bs32, Dopri5, Tsit5};
use crate::error::SolveError;
use crate::explicit::{Pace, bs32, dop853, dopri5, tableau, tsit5};
use crate::method::Method;
use crate::options::{Options, Save};
use crate::problem::{Bounded, Mass, Problem, Whole};
use crate::recorder::Recorder;
use crate::solution::Solution;
use crate::solve::{check, explicit_into, general};

/// What a method is to the driver.
pub(crate) trait Compiled {
    type Kind: tableau::Kind;
    const METHOD: Method;
}

/// An explicit method of [`solve_with`]; implemented by this crate only.
#[expect(
    private_bounds,
    reason = "sealed: the bound keeps other crates from implementing it"
)]
pub trait ExplicitMethod: Compiled {}

/// Dormand and Prince 8(5,3): order 8, twelve evaluations per step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dop853;

macro_rules! compiled {
    ($($name:ident in $module:ident)*) => { $(
        impl Compiled for $name {
            type Kind = $module::Kind;
            const METHOD: Method = Method::$name;
        }
        impl ExplicitMethod for $name {}
    )* };
}

compiled!(Bs32 in bs32 Dopri5 in dopri5 Tsit5 in tsit5 Dop853 in dop853);

/// Integrates `problem` from `span.0` to `span.1` by the method `M`, keeping what `save` says.
///
/// Gives what [`solve`](crate::solve) gives with [`Options::method`](crate::Options) set to `M`,
/// bit for bit; here that option is not used. `solve` calls the right-hand side through a pointer
/// unless the method is the default one; this function is compiled for the type of the problem, so
/// that cheap right-hand sides are inlined into the stages. That saves time where an evaluation
/// costs a few nanoseconds, and costs compile time for every problem and method.
///
/// ```
/// use bifrons_ode::{Dop853, Options, Save, Tolerance, closure, solve_with};
///
/// let mut oscillator = closure(2, |_t, y, dy| {
///     dy[0] = y[1];
///     dy[1] = -y[0];
/// });
/// let options = Options::with_tolerance(Tolerance::new(1e-10, 1e-12)?);
/// let run = solve_with::<Dop853, _>(&mut oscillator, (0.0, 1.0), &[0.0, 1.0], &Save::Final, &options)?;
/// assert!((run.last_state[0] - 1.0_f64.sin()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`solve`](crate::solve).
pub fn solve_with<M: ExplicitMethod, P: Problem>(
    problem: &mut P,
    span: (f64, f64),
    y0: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let options = &Options {
        method: M::METHOD,
        ..options.clone()
    };
    check(problem, span.0, y0, span.1, options)?;
    save.check(span.0, span.1)?;
    if *problem.mass() != Mass::Identity {
        return general(&mut Whole(problem), span, y0, save, options);
    }
    let direction = if span.1 < span.0 { -1.0 } else { 1.0 };
    let problem = Bounded::new(problem, direction);
    let recorder = |count| Recorder::new(save, span, y0, count);
    explicit_into::<M::Kind, _>(problem, span, y0, (options, Pace::Adaptive), recorder)?.finish()
}
