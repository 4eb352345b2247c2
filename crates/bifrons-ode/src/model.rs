//! Models written once over any scalar, and what follows from that without further code.

mod seeds;

use crate::error::InputError;
use crate::event::{Event, Response, RootRule};
use crate::problem::{Fault, Mass, MatrixMut, Pattern, Problem, Structure};
use crate::scalar::{Dual, Scalar};
pub(crate) use seeds::Seeds;

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

    /// Where the Jacobian `∂f_i/∂y_j` may differ from zero, for every state and parameter, the same
    /// during a run. Default: everywhere.
    ///
    /// Implicit methods factor matrices of this structure, and columns that share no row share a
    /// direction of dual numbers. A derivative outside of it that no other column hides ends the
    /// run with [`Failure::Fatal`](crate::Failure::Fatal). See [`Modelled::observed_pattern`].
    fn structure(&self) -> Structure {
        Structure::Dense
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

/// A [`Model`] with values for its parameters, as a [`Problem`] with an exact Jacobian of the
/// structure that the model states.
///
/// Cost of the Jacobian: one evaluation of the right-hand side in dual numbers for every four
/// groups of columns that share no row, so `n / 4` of a dense one and `(lower + upper + 1) / 4` of
/// a band, both rounded up. Allocates in the constructor only.
#[derive(Debug, Clone)]
pub struct Modelled<M> {
    pub(crate) model: M,
    mass: Mass,
    structure: Structure,
    seeds: Seeds,
    pub(crate) parameters: Vec<f64>,
    y: Vec<Dual<SWEEP>>,
    p: Vec<Dual<SWEEP>>,
    dy: Vec<Dual<SWEEP>>,
}

impl<M: Model> Modelled<M> {
    /// The model with these parameters.
    pub fn new(model: M, parameters: &[f64]) -> Self {
        let zero = Dual::constant(0.0);
        let (n, structure) = (model.dimension(), model.structure());
        Self {
            mass: model.mass(),
            seeds: Seeds::new(n, &structure),
            structure,
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

    /// The entries of the Jacobian that are not zero whatever the numbers are, along the branches
    /// that the model takes at `(t, y)`: a start for [`Model::structure`].
    ///
    /// A tangent that is not a number marks every equation that it reaches. Where the model
    /// branches on its state another state may reach more, so unite the patterns of several.
    /// Cost: as a dense Jacobian.
    ///
    /// ```
    /// use bifrons_ode::{Model, Modelled, Scalar};
    ///
    /// struct Chain;
    /// impl Model for Chain {
    ///     fn dimension(&self) -> usize {
    ///         3
    ///     }
    ///     fn rhs<S: Scalar>(&self, _t: S, y: &[S], _p: &[S], dy: &mut [S]) {
    ///         dy[0] = -y[0];
    ///         dy[1] = y[0] - y[1];
    ///         dy[2] = y[1] * y[1];
    ///     }
    /// }
    /// let pattern = Modelled::new(Chain, &[]).observed_pattern(0.0, &[1.0, 0.0, 0.0])?;
    /// assert_eq!(pattern.starts(), [0, 2, 4, 4]);
    /// assert_eq!(pattern.rows(), [0, 1, 1, 2]);
    /// # Ok::<(), bifrons_ode::InputError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InputError::StateLength`].
    pub fn observed_pattern(&mut self, t: f64, y: &[f64]) -> Result<Pattern, InputError> {
        let (required, found) = (self.y.len(), y.len());
        if found != required {
            return Err(InputError::StateLength { found, required });
        }
        let mut entries = Vec::new();
        for first in (0..found).step_by(SWEEP) {
            for (j, (dual, &value)) in self.y.iter_mut().zip(y).enumerate() {
                *dual = Dual::constant(value);
                if (first..first + SWEEP).contains(&j) {
                    dual.tangent[j - first] = f64::NAN;
                }
            }
            self.model
                .rhs(Dual::constant(t), &self.y, &self.p, &mut self.dy);
            for (i, dual) in self.dy.iter().enumerate() {
                let reached = dual.tangent.iter().enumerate().filter(|(_, v)| v.is_nan());
                entries.extend(reached.map(|(k, _)| (i, first + k)));
            }
        }
        Pattern::from_entries(found, &entries)
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
        &self.structure
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        for sweep in 0..self.seeds.sweeps() {
            self.seeds.load(sweep, y, &mut self.y);
            self.model
                .rhs(Dual::constant(t), &self.y, &self.p, &mut self.dy);
            let entry = |i, j, slope| out.set(i, j, slope);
            self.seeds.read(sweep, &self.dy, entry)?;
        }
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
