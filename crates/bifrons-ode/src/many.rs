//! Members of implicit methods over threads.

use core::ops::Range;

use bifrons_parallel::Threads;

use crate::error::{InputError, SolveError};
use crate::implicit::ImplicitWorkspace;
use crate::options::{Options, Save};
use crate::problem::Problem;
use crate::solution::Solution;
use crate::solve::{check_shape, in_workspace};

/// A problem that becomes one member of a family after the other.
///
/// Every worker of [`solve_many`] has a clone of its own. What [`Problem::structure`],
/// [`Problem::mass`] and [`Problem::dimension`] say should be the same for all members: it is
/// analysed once. Where it is not, members keep their bits and cost an analysis each.
pub trait MemberProblem: Problem {
    /// Becomes member `member`: takes its parameters, and writes its initial state into `state`
    /// (`n` components, whose values before are those of another member).
    ///
    /// Whatever this problem was before must not show: members come in any order.
    fn load(&mut self, member: usize, state: &mut [f64]);
}

/// What one worker has of its own.
struct Worker<P> {
    problem: P,
    workspace: ImplicitWorkspace,
    state: Vec<f64>,
}

/// Integrates `members` from `span.0` to `span.1` by the method of the options, each on one of the
/// `threads`, and gives what `read` makes of each, in the order of the members.
///
/// For implicit methods ([`Method::Auto`](crate::Method::Auto) included): the problem is analysed
/// once for all workers, and each of them has one [`ImplicitWorkspace`] that all of its members run
/// in. `read(member, outcome)` sees the [`Solution`] that [`solve`](crate::solve) returns for the
/// member alone, bit for bit, or the same error; it runs on the thread of the worker, and the
/// solution's memory goes to the next member afterwards, so it copies what is to be kept. A member
/// that fails changes nothing for any other one. Nothing depends on the number of threads.
///
/// Explicit methods work as well, but have no workspace: see
/// [`solve_members`](crate::solve_members) for those.
///
/// ```
/// use bifrons_ode::{Fault, MemberProblem, Method, Options, Problem, Save, solve_many};
/// use bifrons_parallel::Threads;
///
/// /// Relaxation to the cosine, y' = −k (y − cos t), one rate k per member.
/// #[derive(Clone)]
/// struct Relaxation(f64);
/// impl Problem for Relaxation {
///     fn dimension(&self) -> usize {
///         1
///     }
///     fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
///         dy[0] = -self.0 * (y[0] - t.cos());
///         Ok(())
///     }
/// }
/// impl MemberProblem for Relaxation {
///     fn load(&mut self, member: usize, state: &mut [f64]) {
///         self.0 = 10.0_f64.powi(member as i32);
///         state[0] = 0.0;
///     }
/// }
///
/// let mut options = Options::default();
/// options.method = Method::Bdf;
/// let (threads, problem) = (Threads::new(2)?, Relaxation(0.0));
/// let ends = solve_many(&threads, &problem, 0..7, (0.0, 1.0), &Save::Final, &options, |_, run| {
///     run.map_or(f64::NAN, |solution| solution.last_state[0])
/// })?;
/// assert!((ends[6] - 1.0_f64.cos()).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Memory
///
/// After its first member a worker allocates nothing more, whatever `read` and the problem do
/// beside: the method, the driver, saved rows, events and partial solutions have their memory in
/// the workspace. It grows where a later member has more rows, more events, or a fuller
/// factorisation. Each worker keeps [`ImplicitWorkspace::footprint`] and the saved rows of its
/// largest member.
///
/// # Errors
///
/// [`InputError`] before the first member, for what is the same for all of them: the span, the
/// options, saved times, structure and mass matrix. Initial states that are not finite are in the
/// outcome of their member.
pub fn solve_many<P, R>(
    threads: &Threads,
    problem: &P,
    members: Range<usize>,
    span: (f64, f64),
    save: &Save,
    options: &Options,
    read: impl Fn(usize, Result<&Solution, &SolveError>) -> R + Sync,
) -> Result<Vec<R>, InputError>
where
    P: MemberProblem + Clone + Sync,
    R: Send,
{
    check_shape(problem, span, options)?;
    save.check(span.0, span.1)?;
    let analysed = ImplicitWorkspace::for_problem(problem, options)?;
    let worker = || Worker {
        problem: problem.clone(),
        workspace: analysed.clone(),
        state: vec![0.0; problem.dimension()],
    };
    let first = members.start;
    let run = |worker: &mut Worker<P>, offset: usize| {
        let Worker {
            problem,
            workspace,
            state,
        } = worker;
        let member = first + offset;
        problem.load(member, state);
        let outcome = in_workspace(problem, span, state, (save, options), workspace);
        let result = read(member, outcome.as_ref());
        workspace.pool.recycle(outcome);
        result
    };
    Ok(threads.map_ordered_with(members.len(), worker, run))
}
