//! Many members of one problem, `W` at a time, each with its own step control.

mod drive;
mod events;
mod lanes;
mod method;
mod progress;
pub(crate) mod rosenbrock;
mod workspace;

use core::ops::Range;

use bifrons_lanes::{Kernel as _, Level};

use crate::error::{Failure, InputError};
use crate::event::Event;
use crate::explicit::stages::Stages;
use crate::options::Options;
use crate::problem::LaneProblem;
use crate::statistics::Statistics;
use crate::step::Step;
use method::Tableau;

pub(crate) use drive::LEAST_STEP_ULP;
pub(crate) use lanes::propose;
pub use method::{Bs32, Dopri5, LaneMethod, Rodas4, Rodas5P, Tsit5};
pub use progress::Progress;
pub use workspace::EnsembleWorkspace;
pub(crate) use workspace::MemberArrays;
use workspace::arrays_of;

/// What a sink wants after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow {
    /// Go on, and show the first accepted step that ends at or after this time (in the direction
    /// of integration). `f64::INFINITY` shows none, `f64::NEG_INFINITY` shows every step.
    Until(f64),
    /// End this member here: an outcome, not a failure.
    Stop,
    /// Go on, or end, from a point within the step just shown. A step that ends at an event of
    /// the problem itself takes no restart; it is then as [`Flow::Until`].
    Restart(Restart),
}

/// How a member goes on after its state or its right-hand side has changed.
///
/// The driver asks the sink for the new state ([`MemberSink::restart`]), evaluates the right-hand
/// side there and forgets what the controller knew of the member.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Restart {
    /// Time to go on from, within the step that was shown.
    pub t: f64,
    /// When to show a step next, as in [`Flow::Until`].
    pub next: f64,
    /// Whether the step that the controller wanted is tried first; otherwise it is estimated anew.
    pub keep_step: bool,
    /// Whether the member ends here: an outcome, not a failure.
    pub stop: bool,
}

/// How the integration of one member ended.
#[derive(Debug)]
pub struct MemberEnd<'e> {
    /// The member.
    pub member: usize,
    /// Its lane.
    pub lane: usize,
    /// Time of the last accepted state.
    pub t: f64,
    /// The last accepted state.
    pub state: &'e [f64],
    /// Whether the sink stopped the member.
    pub stopped: bool,
    /// Whether an event ended the member: a terminal root function or a handler.
    pub terminated: bool,
    /// Why the end of the span was not reached, if it was not and the sink did not stop.
    pub failure: Option<Failure>,
    /// Counts.
    pub statistics: Statistics,
    /// Where the integration stands, for a member that the sink stopped at the end of a step.
    pub progress: Progress,
}

/// An event of one member.
#[derive(Debug)]
#[non_exhaustive]
pub struct MemberEvent<'e> {
    /// The member.
    pub member: usize,
    /// Its lane.
    pub lane: usize,
    /// What happened.
    pub event: Event<'e>,
    /// State before the handler was called.
    pub before: &'e [f64],
    /// State that it left.
    pub after: &'e [f64],
}

/// Receives what happens to the members. Never changes the steps that are taken.
pub trait MemberSink<const W: usize> {
    /// A member starts at `(t0, state)`; returns as [`Flow::Until`] does when to show a step.
    fn begin(&mut self, lane: usize, member: usize, t0: f64, state: &[f64]) -> f64;

    /// The first time after `t`, and at most `t_end`, that no step may pass: asked for at the
    /// start, after a restart, and when the last such time is reached, after the step that ends
    /// there has been shown. Default: `t_end`.
    fn limit(&mut self, lane: usize, member: usize, t: f64, t_end: f64) -> f64 {
        let _ = (lane, member, t);
        t_end
    }

    /// An accepted step that the sink wanted to see.
    fn step(&mut self, step: &Step<'_, W>) -> Flow;

    /// Whether a member whose explicit steps stability limits ends here, at the end of a step that
    /// was shown if that was wanted: it can go on with another method from
    /// [`Progress::for_another_method`].
    ///
    /// Asked from the first suspicion on ([`Statistics::stiff_suspected`]) at every look for signs
    /// of stiffness, at least 25 steps apart or while signs last, except after a restart; when
    /// depends on nothing but the steps. Default: no.
    fn is_stiff(&mut self, lane: usize, member: usize) -> bool {
        let _ = (lane, member);
        false
    }

    /// Writes the state of a member that is restarted. Default: the state stays as it is filled
    /// in, which is that at the end of the step.
    fn restart(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        let _ = (lane, member, state);
    }

    /// An event of a member, after its handler; the step up to it is shown afterwards, if wanted.
    fn event(&mut self, event: &MemberEvent<'_>) {
        let _ = event;
    }

    /// A member ended; its lane is free.
    fn end(&mut self, end: &MemberEnd<'_>);
}

/// Integrates `members` from `t0` to `t_end` on `W` lanes.
///
/// Members are loaded in ascending order; a lane whose member has ended is loaded with the next
/// one at once, so no lane idles while members are left. Members end in an order that depends on
/// their step counts; every number that the sink sees of a member is independent of `W`, of its
/// lane and of the other members, bit for bit, if the problem's lane code is.
///
/// `t_end < t0` integrates backwards; `t_end == t0` gives every member its initial state without
/// any evaluation.
///
/// Cost per attempted step of `W` members: six evaluations of [`LaneProblem::rhs`], about
/// `45 n W` flops, no allocation. Per member: two evaluations of [`LaneProblem::rhs_one`].
///
/// # Errors
///
/// [`InputError`] if the span, the tolerances or the step options are not valid, or if the
/// workspace has another dimension. What goes wrong in a member is told by [`MemberEnd`].
pub fn solve_members<const W: usize, P: LaneProblem<W>, S: MemberSink<W>>(
    problem: &mut P,
    members: Range<usize>,
    t0: f64,
    t_end: f64,
    options: &Options,
    workspace: &mut EnsembleWorkspace<W>,
    sink: &mut S,
) -> Result<(), InputError> {
    let span = (t0, t_end);
    solve_members_with::<Dopri5, W, P, S>(problem, members, span, options, workspace, sink)
}

/// Integrates `members` from `span.0` to `span.1` on `W` lanes by the method `M`, with events.
///
/// As [`solve_members`], which is this with [`Dopri5`]; `Options::method` is not used. If the
/// problem has root functions, an event ends or restarts its own lane only, and a member has the
/// events, the states and the steps of the single run by [`solve`](crate::solve), bit for bit.
/// The workspace must be made by [`EnsembleWorkspace::for_method`] then.
///
/// [`Rodas4`] and [`Rodas5P`] are for stiff problems of at most 64 components; their single runs
/// are those of problems with a dense Jacobian.
///
/// Cost: as [`solve_members`], three evaluations per step for [`Bs32`]; root functions are looked
/// at `Options::root_parts` times per step, on all lanes at once. A step of the implicit methods
/// takes 7 or 9 evaluations, a Jacobian ([`LaneProblem::jacobian`]), one or two evaluations for the
/// derivative with respect to time, and one factorisation of all lanes together, `2/3 n³` flops a
/// lane.
///
/// # Errors
///
/// As [`solve_members`]; [`InputError::Roots`] if the workspace has room for other functions,
/// [`InputError::LaneDimension`] if there are too many components for an implicit method.
pub fn solve_members_with<M, const W: usize, P, S>(
    problem: &mut P,
    members: Range<usize>,
    (t0, t_end): (f64, f64),
    options: &Options,
    workspace: &mut EnsembleWorkspace<W>,
    sink: &mut S,
) -> Result<(), InputError>
where
    M: LaneMethod,
    P: LaneProblem<W>,
    S: MemberSink<W>,
{
    check_workspace::<M, W>(workspace, problem.dimension(), problem.root_count())?;
    options.check(t0, t_end)?;
    let (stages, member, mut events) = workspace.split::<<M as Tableau>::Arrays<'_, W>>();
    options.tolerance.expand_into(member.absolute)?;
    let direction = if t_end < t0 { -1.0 } else { 1.0 };
    let span = (t_end - t0).abs();
    if let Some(events) = &mut events {
        events.configure(problem, direction, span, options);
    }
    let settings = drive::Settings {
        t0,
        t_end,
        direction,
        relative: options.tolerance.relative(),
        max_steps: options.max_steps,
        initial_step: options.initial_step,
        max_step: options.max_step.map_or(span, |most| most.min(span)),
    };
    let run = drive::Drive {
        problem,
        sink,
        members,
        settings,
        stages,
        member,
        events,
    };
    if W >= drive::WIDE {
        options.level.unwrap_or_else(Level::detect).dispatch(run);
    } else {
        run.run();
    }
    Ok(())
}

/// The workspace must be for the components, root functions and arrays of the run.
fn check_workspace<M: LaneMethod, const W: usize>(
    workspace: &EnsembleWorkspace<W>,
    required: usize,
    roots: usize,
) -> Result<(), InputError> {
    if workspace.dimension() != required {
        return Err(InputError::Workspace {
            found: workspace.dimension(),
            required,
        });
    }
    let (found, required) = (workspace.root_count(), roots);
    if found != required {
        return Err(InputError::Roots { found, required });
    }
    let n = workspace.dimension();
    if <M::Arrays<'_, W> as Stages<'_, W>>::IMPLICIT && n > rosenbrock::MOST_COMPONENTS {
        let most = rosenbrock::MOST_COMPONENTS;
        return Err(InputError::LaneDimension { found: n, most });
    }
    let required = arrays_of::<M::Arrays<'_, W>, W>(n);
    if workspace.arrays() < required {
        let found = workspace.arrays();
        return Err(InputError::Arrays { found, required });
    }
    Ok(())
}
