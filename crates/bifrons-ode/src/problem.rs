//! Right-hand sides: one member at a time, or `W` members in lanes.

mod closure;
mod erased;
mod lane;
mod matrix;
mod solved;
mod with;

use crate::event::{Event, Response, RootRule};

pub use closure::{Closure, closure};
pub(crate) use erased::{Bounded, Carries, Clipped, Derivatives, DynamicProblem, Erased, Whole};
pub(crate) use lane::Alone;
pub use lane::LaneProblem;
pub use matrix::{Mass, MatrixMut, Pattern, Structure};
pub(crate) use solved::Solved;
pub use with::{WithEvents, WithIndex, WithJacobian, WithMass, WithRoots, WithStructure};

/// A right-hand side that could not be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Outside the domain: the step is rejected and a smaller one tried.
    Recoverable,
    /// The run is stopped with this message.
    Fatal(&'static str),
}

static DENSE: Structure = Structure::Dense;
static IDENTITY: Mass = Mass::Identity;

/// Initial-value problem `M y' = f(t, y)`, with root functions `g(t, y)`.
///
/// Only [`Problem::dimension`] and [`Problem::rhs`] are required. What else is known is stated by
/// overriding further functions, or by attaching closures:
///
/// ```
/// use bifrons_ode::{Problem, closure};
///
/// // A falling ball that bounces: root function, then what happens at its root.
/// let ball = closure(2, |_t, y, dy| {
///     dy[0] = y[1];
///     dy[1] = -9.81;
/// })
/// .with_roots(1, |_t, y, g| g[0] = y[0])
/// .with_events(|_event, y| {
///     y[1] = -0.5 * y[1];
///     bifrons_ode::Response::Reset
/// });
/// assert_eq!(ball.root_count(), 1);
/// ```
pub trait Problem {
    /// Dimension where it is known at compile time, else 0: loops over few components unroll.
    const DIMENSION: usize = 0;

    /// Number `n` of components.
    fn dimension(&self) -> usize;

    /// Writes `f(t, y)` into `dy`; both slices have `n` components.
    ///
    /// A derivative that is NaN or infinite means [`Fault::Recoverable`].
    ///
    /// # Errors
    ///
    /// A [`Fault`] where the derivative does not exist.
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault>;

    /// Where the Jacobian `∂f_i/∂y_j` may differ from zero. Default: everywhere.
    ///
    /// Used for the values of [`Problem::jacobian`] and, without those, for differences of columns
    /// that do not overlap.
    fn structure(&self) -> &Structure {
        &DENSE
    }

    /// Whether [`Problem::jacobian`] gives values. Default: no, differences are taken.
    fn has_jacobian(&self) -> bool {
        false
    }

    /// Writes `∂f_i/∂y_j` at `(t, y)` into the zeros of `out`.
    ///
    /// # Errors
    ///
    /// A [`Fault`] where the derivative does not exist.
    fn jacobian(&mut self, t: f64, y: &[f64], out: &mut MatrixMut<'_>) -> Result<(), Fault> {
        let _ = (t, y, out);
        Err(Fault::Fatal("the problem gives no Jacobian"))
    }

    /// The mass matrix `M`, the same during a run. Default: the identity.
    fn mass(&self) -> &Mass {
        &IDENTITY
    }

    /// Differentiation index of a component of a system with singular mass matrix: 1, 2 or 3.
    ///
    /// Methods that can solve systems of higher index scale the error of such a component by
    /// `h^(index - 1)`. Default: 1.
    fn index(&self, component: usize) -> u8 {
        let _ = component;
        1
    }

    /// Number of root functions, the same during a run. Default: none.
    fn root_count(&self) -> usize {
        0
    }

    /// How root function `root` is watched. Default: both directions, never terminal.
    fn root_rule(&self, root: usize) -> RootRule {
        let _ = root;
        RootRule::default()
    }

    /// Writes all root functions at `(t, y)` into `g`.
    ///
    /// They should be continuous, they need not be smooth. They are evaluated at states of the
    /// interpolant, between the ends of steps.
    ///
    /// # Errors
    ///
    /// [`Fault::Fatal`] ends the run; [`Fault::Recoverable`] counts as a value that is not finite,
    /// which ends the run, too, since steps are not rejected for root functions.
    fn roots(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Fault> {
        let _ = (t, y, g);
        Ok(())
    }

    /// Handles an event; `y` is the state there, which may be changed. Default: go on.
    fn event(&mut self, event: &Event<'_>, y: &mut [f64]) -> Response {
        let _ = (event, y);
        Response::Continue
    }

    /// The same problem with a Jacobian: its structure, and a closure that fills it.
    fn with_jacobian<J>(self, structure: Structure, jacobian: J) -> WithJacobian<Self, J>
    where
        Self: Sized,
        J: FnMut(f64, &[f64], &mut MatrixMut<'_>),
    {
        WithJacobian::new(self, structure, jacobian)
    }

    /// The same problem with the structure of its Jacobian, for differences.
    fn with_structure(self, structure: Structure) -> WithStructure<Self>
    where
        Self: Sized,
    {
        WithStructure::new(self, structure)
    }

    /// The same problem with a mass matrix.
    fn with_mass(self, mass: Mass) -> WithMass<Self>
    where
        Self: Sized,
    {
        WithMass::new(self, mass)
    }

    /// The same problem with the differentiation index of each component.
    fn with_index(self, index: Vec<u8>) -> WithIndex<Self>
    where
        Self: Sized,
    {
        WithIndex::new(self, index)
    }

    /// The same problem with `count` root functions, watched in both directions; see
    /// [`WithRoots::with_rule`].
    fn with_roots<G>(self, count: usize, roots: G) -> WithRoots<Self, G>
    where
        Self: Sized,
        G: FnMut(f64, &[f64], &mut [f64]),
    {
        WithRoots::new(self, count, roots)
    }

    /// The same problem with a handler of events, see [`Problem::event`].
    fn with_events<H>(self, handler: H) -> WithEvents<Self, H>
    where
        Self: Sized,
        H: FnMut(&Event<'_>, &mut [f64]) -> Response,
    {
        WithEvents::new(self, handler)
    }
}
