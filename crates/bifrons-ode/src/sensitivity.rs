//! Forward sensitivities: derivatives of a solution by parameters and initial values.

use crate::error::{InputError, SolveError};
use crate::implicit::{Algebra, CarriedRun, Setup, with_method};
use crate::model::{Model, Modelled};
use crate::options::{Options, Save};
use crate::problem::{Erased, Problem as _};
use crate::solution::Solution;
use crate::solve::{check, general};
use crate::tangent::{Augmented, Passage};
use crate::tolerance::Tolerance;

/// A solution with its derivatives.
///
/// Every state of the inner solution, its events' states and its dense solution included, is
/// `y` followed by the columns `∂y/∂q_d`, `n (1 + m)` numbers: first the requested directions of
/// the initial state, then one for each parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sensitivities {
    /// The solution of the augmented system.
    pub solution: Solution,
    /// Per event, in the order of the event log: `∂t/∂q_d` of its instant.
    pub instants: Vec<Vec<f64>>,
    dimension: usize,
}

impl Sensitivities {
    /// The state at the end.
    #[must_use]
    pub fn state(&self) -> &[f64] {
        &self.solution.last_state[..self.dimension]
    }

    /// Derivative of the state at the end by direction or parameter `d`, at fixed time.
    ///
    /// # Panics
    ///
    /// If there is no such direction.
    #[must_use]
    pub fn column(&self, d: usize) -> &[f64] {
        let n = self.dimension;
        &self.solution.last_state[(1 + d) * n..(2 + d) * n]
    }
}

/// Integrates `model` together with the derivatives of its state by directions of the initial
/// state (`directions`, one after the other, `n` numbers each, may be empty) and by every
/// parameter.
///
/// ```text
/// s_d' = f_y s_d + f_p e_d
/// ```
///
/// with derivatives by dual numbers, exact to round-off. They do not take part in the error norm.
///
/// An explicit method sees them as further components; its steps are those of the state alone up
/// to round-off. An implicit method takes its steps on the state alone, bit for bit those of
/// [`solve`](crate::solve) with the same model; after each of them the differentiated equations of that step are
/// solved for all columns with the factors that the step has left behind, to 1e-3 of the relative
/// tolerance (staggered). So the columns are the derivatives of the numerical solution with its
/// steps held fixed, for every method.
///
/// At an event the instant moves with the parameters, `τ = ∂t/∂q`, and
///
/// ```text
/// s⁺ = r_y (s⁻ + y'⁻ τ) + r_t τ + r_p - y'⁺ τ,   τ = -(g_y s⁻ + g_p) / (g_t + g_y y'⁻)
/// ```
///
/// for the handler `y⁺ = r(t, y⁻, p)`; the first of several functions that fire together decides
/// `τ`, an event at the start does not move. The model is cloned for every four directions, so
/// that its modes change once.
///
/// With a singular mass matrix of index one the directions are made consistent at the start and
/// after events: `M s` is kept and the derivatives of the algebraic equations hold. For a higher
/// index they are taken as they are.
///
/// Any method of [`Options::method`]. Cost: explicit, `1 + m / 4` evaluations of the model in dual
/// numbers per evaluation of the right-hand side, with `m` directions and parameters; implicit, a
/// few times `m / 4` of them and `m` solves with existing factors per stage and step, counted in
/// [`Statistics::tangents`](crate::Statistics::tangents).
///
/// # Errors
///
/// As [`solve`](crate::solve); [`InputError::StateLength`] if the directions are not whole.
pub fn forward_sensitivities<M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, directions): (f64, &[f64], &[f64]),
    t_end: f64,
    save: &Save,
    options: &Options,
) -> Result<Sensitivities, SolveError> {
    let n = model.dimension();
    if y0.len() != n || !directions.len().is_multiple_of(n.max(1)) {
        return Err(InputError::StateLength {
            found: if y0.len() == n {
                directions.len()
            } else {
                y0.len()
            },
            required: n,
        }
        .into());
    }
    let modelled = Modelled::new(model.clone(), parameters);
    check(&modelled, t0, y0, t_end, options)?;
    save.check(t0, t_end)?;
    let first = directions.len() / n.max(1);
    let count = first + parameters.len();
    let mut start = vec![0.0; n * (1 + count)];
    start[..n].copy_from_slice(y0);
    start[n..n + directions.len()].copy_from_slice(directions);
    let algebra = Algebra::new(&model, count, &options.tolerance)?;
    let passage = Passage::new(&model, parameters.len(), count, t0, algebra);
    let mut problem = Augmented::new(model, parameters, first, passage);
    let span = (t0, t_end);
    let solution = if options.method.is_implicit() {
        implicit(&mut problem, &modelled, span, &start, save, options)?
    } else {
        let mut settings = options.clone();
        settings.tolerance = state_only(&options.tolerance, n, count)?;
        general(&mut problem, span, &start, save, &settings)?
    };
    Ok(Sensitivities {
        solution,
        instants: problem.instants,
        dimension: n,
    })
}

/// A run of an implicit method that carries the columns along.
fn implicit<M: Model + Clone>(
    problem: &mut Augmented<M>,
    modelled: &Modelled<M>,
    span: (f64, f64),
    start: &[f64],
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let direction = if span.1 < span.0 { -1.0 } else { 1.0 };
    let setup =
        Setup::new(modelled, &options.tolerance).with_initialisation(options.initialisation);
    let run = CarriedRun {
        problem: Erased::new(problem, direction),
        span,
        start,
        save,
        options,
    };
    with_method(options.method, &setup, |i| modelled.index(i), run)
}

/// Tolerances under which the norm of the augmented system is that of the state alone.
///
/// The mean is over `1 + m` times as many components, so that those of the state are smaller by
/// the root of that; the others are out of reach.
fn state_only(tolerance: &Tolerance, n: usize, count: usize) -> Result<Tolerance, InputError> {
    const OUT_OF_REACH: f64 = 1e100;
    tolerance.check_count(n)?;
    let share = ((1 + count) as f64).sqrt().recip();
    let mut absolute = vec![OUT_OF_REACH; n * (1 + count)];
    let mut own = vec![0.0; n];
    tolerance.expand_into(&mut own)?;
    for (all, own) in absolute.iter_mut().zip(own) {
        *all = share * own;
    }
    Tolerance::per_component(share * tolerance.relative(), &absolute)
}
