//! Forward sensitivities: derivatives of a solution by parameters and initial values.

use crate::error::{InputError, SolveError};
use crate::event::{Event, Response, RootRule};
use crate::model::Model;
use crate::options::{Options, Save};
use crate::problem::{Fault, Problem};
use crate::solution::Solution;
use crate::solve::solve;
use crate::tangent::{Directions, Tangents};
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

/// State and sensitivities as one system.
struct Augmented<M> {
    model: M,
    parameters: Vec<f64>,
    tangents: Tangents,
    /// Directions of the initial state, that come before the parameters.
    first: usize,
    count: usize,
    shift: Vec<f64>,
    instants: Vec<Vec<f64>>,
}

impl<M: Model + Clone> Problem for Augmented<M> {
    fn dimension(&self) -> usize {
        self.model.dimension() * (1 + self.count)
    }

    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        let n = self.model.dimension();
        let ((y, states), (dy, out)) = (y.split_at(n), dy.split_at_mut(n));
        let directions = Directions {
            states,
            first: self.first,
            count: self.count,
        };
        let at = (t, y, self.parameters.as_slice());
        self.tangents.rhs(&self.model, at, directions, (dy, out));
        Ok(())
    }

    fn root_count(&self) -> usize {
        self.model.root_count()
    }

    fn root_rule(&self, root: usize) -> RootRule {
        self.model.root_rule(root)
    }

    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        let n = self.model.dimension();
        self.model.roots(t, &y[..n], &self.parameters, g);
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        let n = self.model.dimension();
        let (y, states) = y.split_at_mut(n);
        let response = self.tangents.event(
            &mut self.model,
            event,
            (y, &self.parameters),
            (states, self.first, self.count),
            &mut self.shift,
        );
        self.instants.push(self.shift.clone());
        response
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
/// with derivatives by dual numbers, exact to round-off. The method sees the sensitivities as
/// further components that do not take part in its error norm, so the steps are those of the state
/// alone up to round-off. At an event the instant moves with the parameters, `τ = ∂t/∂q`, and
///
/// ```text
/// s⁺ = r_y (s⁻ + f⁻ τ) + r_t τ + r_p - f⁺ τ,   τ = -(g_y s⁻ + g_p) / (g_t + g_y f⁻)
/// ```
///
/// for the handler `y⁺ = r(t, y⁻, p)`; the first of several functions that fire together decides
/// `τ`. The model is cloned for every four directions, so that its modes change once.
///
/// Any method of [`Options::method`]. Cost: `1 + (directions + parameters) / 4` evaluations of the
/// model in dual numbers per evaluation of the right-hand side.
///
/// # Errors
///
/// As [`solve`]; [`InputError::StateLength`] if the directions are not whole.
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
    let first = directions.len() / n.max(1);
    let count = first + parameters.len();
    let mut start = vec![0.0; n * (1 + count)];
    start[..n].copy_from_slice(y0);
    start[n..n + directions.len()].copy_from_slice(directions);
    let mut problem = Augmented {
        tangents: Tangents::new(&model, parameters.len()),
        model,
        parameters: parameters.to_vec(),
        first,
        count,
        shift: vec![0.0; count],
        instants: Vec::new(),
    };
    let mut settings = options.clone();
    settings.tolerance = state_only(&options.tolerance, n, count)?;
    let solution = solve(&mut problem, t0, &start, t_end, save, &settings)?;
    Ok(Sensitivities {
        solution,
        instants: problem.instants,
        dimension: n,
    })
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
