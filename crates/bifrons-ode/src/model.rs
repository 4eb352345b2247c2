//! Models written once over any scalar, and what follows from that without further code.

use crate::event::{Event, Response, RootRule};
use crate::problem::{Fault, Mass, MatrixMut, Problem, Structure};
use crate::scalar::{Dual, Scalar};

/// Directions that one sweep of dual numbers carries.
pub(crate) const SWEEP: usize = 4;

/// A model `M y' = f(t, y, p)` with parameters, written over any [`Scalar`].
///
/// From one text follow the values, the exact Jacobian ([`Modelled`]), sensitivities and adjoints
/// ([`forward_sensitivities`](crate::forward_sensitivities), [`adjoint`](crate::adjoint)).
pub trait Model {
    /// Number of components.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y, p)` into `dy`.
    fn rhs<S: Scalar>(&self, t: S, y: &[S], p: &[S], dy: &mut [S]);

    /// The mass matrix, the same during a run; it depends on no parameter. Default: the identity.
    fn mass(&self) -> Mass {
        Mass::Identity
    }

    /// Differentiation index of a component, see [`Problem::index`]. Default: 1.
    fn index(&self, component: usize) -> u8 {
        let _ = component;
        1
    }

    /// Number of root functions. Default: none.
    fn root_count(&self) -> usize {
        0
    }

    /// How root function `root` is watched.
    fn root_rule(&self, root: usize) -> RootRule {
        let _ = root;
        RootRule::default()
    }

    /// Writes all root functions into `g`.
    fn roots<S: Scalar>(&self, t: S, y: &[S], p: &[S], g: &mut [S]) {
        let _ = (t, y, p, g);
    }

    /// Handles an event: may change the state `y`, and the model itself (modes).
    fn event<S: Scalar>(&mut self, event: &Event<'_>, t: S, y: &mut [S], p: &[S]) -> Response {
        let _ = (event, t, y, p);
        Response::Continue
    }
}

/// A [`Model`] with values for its parameters, as a [`Problem`] with an exact dense Jacobian.
///
/// Cost of the Jacobian: `n / 4` evaluations of the right-hand side in dual numbers with four
/// directions each. Allocates in the constructor only.
#[derive(Debug, Clone)]
pub struct Modelled<M> {
    pub(crate) model: M,
    mass: Mass,
    pub(crate) parameters: Vec<f64>,
    y: Vec<Dual<SWEEP>>,
    p: Vec<Dual<SWEEP>>,
    dy: Vec<Dual<SWEEP>>,
}

impl<M: Model> Modelled<M> {
    /// The model with these parameters.
    pub fn new(model: M, parameters: &[f64]) -> Self {
        let zero = Dual::constant(0.0);
        let n = model.dimension();
        Self {
            mass: model.mass(),
            model,
            parameters: parameters.to_vec(),
            y: vec![zero; n],
            p: parameters.iter().map(|&p| Dual::constant(p)).collect(),
            dy: vec![zero; n],
        }
    }

    /// The model as the run left it.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Calls `entry(i, j, ∂f_i/∂y_j)` for every pair.
    pub(crate) fn slopes(&mut self, t: f64, y: &[f64], mut entry: impl FnMut(usize, usize, f64)) {
        for first in (0..y.len()).step_by(SWEEP) {
            for (j, (dual, &value)) in self.y.iter_mut().zip(y).enumerate() {
                *dual = Dual::constant(value);
                if (first..first + SWEEP).contains(&j) {
                    dual.tangent[j - first] = 1.0;
                }
            }
            self.model
                .rhs(Dual::constant(t), &self.y, &self.p, &mut self.dy);
            for (i, dual) in self.dy.iter().enumerate() {
                for (k, &slope) in dual.tangent.iter().enumerate() {
                    if first + k < y.len() {
                        entry(i, first + k, slope);
                    }
                }
            }
        }
    }
}

impl<M: Model> Problem for Modelled<M> {
    fn dimension(&self) -> usize {
        self.model.dimension()
    }

    #[inline]
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        self.model.rhs(t, y, &self.parameters, dy);
        Ok(())
    }

    fn structure(&self) -> &Structure {
        const { &Structure::Dense }
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        self.slopes(t, y, |i, j, slope| out.set(i, j, slope));
        Ok(())
    }

    fn mass(&self) -> &Mass {
        &self.mass
    }

    fn index(&self, component: usize) -> u8 {
        self.model.index(component)
    }

    fn root_count(&self) -> usize {
        self.model.root_count()
    }

    fn root_rule(&self, root: usize) -> RootRule {
        self.model.root_rule(root)
    }

    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        self.model.roots(t, y, &self.parameters, g);
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        self.model.event(event, event.t, y, &self.parameters)
    }
}
