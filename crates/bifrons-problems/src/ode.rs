//! Reference problems of ordinary and algebraic differential equations, each with its Jacobian,
//! mass matrix and known values.

mod andrews;
mod catalogue;
mod chemistry;
mod circuits;
mod data;
mod dual;
mod lines;
mod orbits;
mod pendulum;
mod planar;
mod stated;
mod switched;

use bifrons_ode::{Mass, MatrixMut, Structure};

pub use andrews::{Andrews, AndrewsMultipliers};
pub use catalogue::{Visit, visit_all};
pub use chemistry::{AkzoNobel, E5, Hires, Orego, Pollu, Robertson, RobertsonDae};
pub use circuits::{RingModulator, TransistorAmplifier};
pub use data::{Crossed, Known};
pub use lines::{Brusselator1d, Heat1d, Heat2d};
pub use orbits::{Arenstorf, Kepler, Pleiades, ThreeBody};
pub use pendulum::{Pendulum, PendulumIndex};
pub use planar::{Brusselator, Decay, Lorenz, LotkaVolterra, Oscillator, VanDerPol};
pub use stated::Stated;
pub use switched::{BangBang, BouncingBall, TimeSwitch};

/// What is known about a problem beside its equations.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// Name, as in the files and commands of the workspace.
    pub name: &'static str,
    /// The equations in words of mathematics.
    pub statement: &'static str,
    /// Author, year, title.
    pub source: &'static str,
    /// What kind of method it asks for.
    pub kind: Kind,
    /// Size `s` of a component that counts as small, see [`ReferenceProblem::error`]; a run at
    /// relative tolerance `rtol` uses the absolute tolerance `s rtol`.
    pub scale: f64,
    /// Where work and precision are measured: a time with a known state.
    pub end: &'static str,
}

/// What kind of method a problem asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Explicit methods are at home.
    NonStiff,
    /// Implicit methods with dense matrices.
    Stiff,
    /// A singular mass matrix.
    Algebraic,
    /// A system of a partial differential equation with banded or sparse Jacobian.
    Lines,
}

/// A problem `M y' = f(t, y)`, `y(0) = y0` with known states.
///
/// All functions take `&self`, so several solvers can share one problem;
/// [`ReferenceProblem::problem`] is the door to this workspace's own.
pub trait ReferenceProblem: core::fmt::Debug {
    /// Dimension where it is known at compile time, else 0.
    const DIMENSION: usize = 0;

    /// Name, scale, end and origin.
    fn facts(&self) -> Facts;

    /// The known values as text, see [`Known`].
    fn data(&self) -> &'static str;

    /// Number `n` of components.
    fn dimension(&self) -> usize {
        Self::DIMENSION
    }

    /// Writes `f(t, y)` into `dy`.
    fn derivative(&self, t: f64, y: &[f64], dy: &mut [f64]);

    /// Where the Jacobian may differ from zero. Default: everywhere.
    fn structure(&self) -> &Structure {
        &DENSE
    }

    /// Writes `∂f_i/∂y_j` into the zeros of `out`.
    fn jacobian(&self, t: f64, y: &[f64], out: &mut MatrixMut<'_>);

    /// The mass matrix. Default: the identity.
    fn mass(&self) -> &Mass {
        &IDENTITY
    }

    /// Differentiation index of a component. Default: 1.
    fn index(&self, component: usize) -> u8 {
        let _ = component;
        1
    }

    /// The state at time zero.
    fn initial(&self) -> Vec<f64> {
        Known::parse(self.data()).initial
    }

    /// A derivative `y'(0)` that is consistent with [`ReferenceProblem::initial`].
    ///
    /// Default: `f(0, y0)` where the diagonal of the mass matrix is not zero, zero elsewhere.
    fn initial_slope(&self) -> Vec<f64> {
        let y = self.initial();
        let mut slope = vec![0.0; y.len()];
        self.derivative(0.0, &y, &mut slope);
        if let Mass::Diagonal(mass) = self.mass() {
            for (slope, mass) in slope.iter_mut().zip(mass) {
                *slope = if mass.abs() > 0.0 { *slope / mass } else { 0.0 };
            }
        }
        slope
    }

    /// States at known times, ascending.
    fn known(&self) -> Vec<(f64, Vec<f64>)> {
        Known::parse(self.data()).states
    }

    /// Time and state at [`Facts::end`].
    fn end(&self) -> (f64, Vec<f64>) {
        let end = self.facts().end.parse().unwrap_or(f64::NAN);
        let known = self.known().into_iter();
        let mut at_end = known.filter(|(t, _)| t.to_bits() == f64::to_bits(end));
        at_end.next().unwrap_or((end, Vec::new()))
    }

    /// Error of a state: `sqrt(1/n Σ_i ((y_i - r_i) / (s + |r_i|))²)` with the scale `s` of the
    /// [`Facts`]; NaN if the lengths differ.
    fn error(&self, state: &[f64], reference: &[f64]) -> f64 {
        if state.len() != reference.len() {
            return f64::NAN;
        }
        let scale = self.facts().scale;
        let squares = state.iter().zip(reference).map(|(y, r)| {
            let relative = (y - r) / (scale + r.abs());
            relative * relative
        });
        #[expect(clippy::cast_precision_loss, reason = "dimensions are small")]
        let n = state.len() as f64;
        (squares.sum::<f64>() / n).sqrt()
    }

    /// The problem for [`bifrons_ode::solve`], with Jacobian, structure, mass matrix and index.
    fn problem(&self) -> Stated<'_, Self>
    where
        Self: Sized,
    {
        Stated::new(self)
    }
}

static DENSE: Structure = Structure::Dense;
static IDENTITY: Mass = Mass::Identity;
