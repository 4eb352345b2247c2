//! Discrete adjoints: gradients of numbers that depend on a solution.

mod events;
mod explicit;
mod implicit;

use crate::error::SolveError;
use crate::event::{Event, Response, RootRule};
use crate::explicit::{bs32, dop853, dopri5, rk4, tsit5};
use crate::method::Method;
use crate::model::{Model, Modelled};
use crate::options::Options;
use crate::problem::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::solution::Solution;

/// Gradient of a number that depends on a solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Gradient {
    /// Derivatives by the components of the initial state.
    pub initial: Vec<f64>,
    /// Derivatives by the parameters.
    pub parameters: Vec<f64>,
    /// The run: last state, events, counts; `times` are the ends of all steps, `states` those of
    /// the checkpoints.
    pub solution: Solution,
}

/// A model whose events are remembered with the model before each of them.
struct Remembering<M> {
    inner: Modelled<M>,
    before: Vec<(M, bool)>,
}

impl<M: Model> Remembering<M> {
    fn new(model: M, parameters: &[f64]) -> Self {
        Self {
            inner: Modelled::new(model, parameters),
            before: Vec::new(),
        }
    }
}

impl<M: Model + Clone> Problem for Remembering<M> {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.inner.rhs(t, y, dy)
    }
    fn structure(&self) -> &Structure {
        self.inner.structure()
    }
    fn has_jacobian(&self) -> bool {
        true
    }
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        self.inner.jacobian(t, y, out)
    }
    fn mass(&self) -> &Mass {
        self.inner.mass()
    }
    fn index(&self, component: usize) -> u8 {
        self.inner.index(component)
    }
    fn root_count(&self) -> usize {
        self.inner.root_count()
    }
    fn root_rule(&self, root: usize) -> RootRule {
        self.inner.root_rule(root)
    }
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.inner.roots(t, y, g)
    }
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        let before = self.inner.model.clone();
        let response = self.inner.event(event, y);
        let acts = response != Response::Continue;
        self.before.push((before, acts));
        response
    }
}

/// Derivatives by the state, and those by the parameters gathered so far.
#[derive(Debug, Clone)]
struct Covector {
    state: Vec<f64>,
    parameters: Vec<f64>,
}

impl Covector {
    fn new(n: usize, m: usize) -> Self {
        Self {
            state: vec![0.0; n],
            parameters: vec![0.0; m],
        }
    }
}

/// Gradient of `Σ_k φ_k(y(t_k))` by the initial state and the parameters, by the adjoint of the
/// steps that were taken.
///
/// The times `t_k` are the declared stops [`Options::stops`] and the end; `observe(t, y, slope)`
/// adds `∂φ_k/∂y` to `slope`, called from the last time to the first. At a stop whose handler
/// changes the state, `y` is the state before. If an event ends the run, the observation at the
/// end is the one at that instant, which moves with the parameters.
///
/// The gradient is that of the numerical solution with its steps held fixed, exact to round-off
/// where no event lies: the reverse of each step's stages with derivatives by dual numbers. Across
/// an event the state there is that of the interpolant, so the gradient is as accurate as the
/// solution.
///
/// States are kept every `every` steps, at events and at stops, and those in between are computed
/// again: memory `8 n (steps / every + every)` bytes and 16 bytes per step; one more evaluation of
/// the model per stage, and `(n + m) / 4` in dual numbers.
///
/// For an implicit method what is kept is the method with its matrices,
/// [`implicit_footprint`](crate::implicit_footprint) bytes each, so that the steps in between come
/// again bit for bit; between two of them the stages of every step are kept, `8 n (s + 2)` bytes
/// for `s` stages (for [`Method::Bdf`] one state). A stage costs `(n + m) / 4` evaluations in dual
/// numbers, one factorisation and one transposed solve, whatever the number of parameters; the
/// stages of [`Method::Radau`] are one system of `3 n`. The gradient is then exact also across
/// events, to what [`forward_sensitivities`](crate::forward_sensitivities) leaves in its columns.
/// With a singular mass matrix of index one, derivatives by the initial state are those by the
/// state that is given, before it is made consistent.
///
/// An integral `∫ q(t, y, p) dt` is one more component with derivative `q`, observed at the end.
///
/// # Errors
///
/// As [`solve`](crate::solve).
///
/// # References
///
/// Griewank and Walther (2008), Evaluating Derivatives, chapter 12 (checkpoints); Sandu (2006), On
/// the properties of Runge-Kutta discrete adjoints; Sandu and Miehe (2010), Forward, tangent linear,
/// and adjoint Runge-Kutta methods for stiff chemical kinetic simulations.
pub fn adjoint<M: Model + Clone>(
    model: M,
    parameters: &[f64],
    (t0, y0, t_end): (f64, &[f64], f64),
    options: &Options,
    every: usize,
    observe: impl FnMut(f64, &[f64], &mut [f64]),
) -> Result<Gradient, SolveError> {
    let span = (t0, y0, t_end);
    match options.method {
        Method::Dopri5 => {
            explicit::run::<dopri5::Kind, M>(model, parameters, span, options, every, observe)
        }
        Method::Tsit5 => {
            explicit::run::<tsit5::Kind, M>(model, parameters, span, options, every, observe)
        }
        Method::Bs32 => {
            explicit::run::<bs32::Kind, M>(model, parameters, span, options, every, observe)
        }
        Method::Dop853 => {
            explicit::run::<dop853::Kind, M>(model, parameters, span, options, every, observe)
        }
        Method::Rk4 { .. } => {
            explicit::run::<rk4::Kind, M>(model, parameters, span, options, every, observe)
        }
        _ => implicit::run(model, parameters, span, options, every, observe),
    }
}
