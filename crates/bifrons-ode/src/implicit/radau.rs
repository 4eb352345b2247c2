//! Radau IIA of three stages and order 5.
//!
//! The stages `Z_i = Y_i − y_n` solve `(A⁻¹ ⊗ M) Z = h F(Z)`. With `T⁻¹ A⁻¹ T` block diagonal (one
//! real eigenvalue `γ̂`, one complex pair `α̂ ± i β̂`) and `W = T⁻¹ Z`, an iteration of the simplified
//! Newton method is one real and one complex system of dimension `n`,
//!
//! ```text
//! (γ̂/h M − J) ΔW₁ = (T⁻¹ F)₁ − γ̂/h M W₁,
//! ((α̂ + i β̂)/h M − J) (ΔW₂ + i ΔW₃) = (T⁻¹ F)₂ + i (T⁻¹ F)₃ − (α̂ + i β̂)/h M (W₂ + i W₃).
//! ```
//!
//! The error is estimated by an embedded formula of order 3 that is filtered with the real
//! factorisation. So that the error of the solution, which has order 5, follows the tolerance `r`
//! that the user gives, steps are chosen for `0.1 r^(2/3)`, as in the code RADAU5.
//!
//! Components of index 2 and 3 are weighed by `h` and `h²`.
//!
//! # References
//!
//! Hairer and Wanner (1996), Solving Ordinary Differential Equations II, sections IV.8 and VII.7;
//! Gustafsson (1994), Control-theoretic techniques for stepsize selection in implicit Runge-Kutta
//! methods; Hairer and Wanner (1999), Stiff differential equations solved by Radau methods.

mod error;
mod kernel;
mod newton;
mod reverse;
mod stacked;
mod stepper;
mod tables;
mod tangent;

use bifrons_algebra::Complex;
use bifrons_memory::Footprint;

use super::initial::Initialisation;
use super::matrices::Matrices;
use super::setup::Setup;
use super::workspace::Retire;
use crate::error::InputError;
use crate::pool::Pool;
use crate::statistics::Statistics;

/// A run of the method.
#[derive(Debug, Clone)]
pub(crate) struct Radau {
    n: usize,
    relative: f64,
    absolute: Vec<f64>,
    initialisation: Initialisation,
    /// Absolute tolerances, raised to round-off in components of an algebraic system.
    floors: Vec<f64>,
    /// Index of each component minus one; empty if all are zero.
    raised: Vec<i32>,
    pub(super) matrices: Matrices,
    statistics: Statistics,
    direction: f64,
    max_step: f64,
    t_old: f64,
    t: f64,
    /// Signed step to be tried next, and the length of the last accepted one.
    h: f64,
    done: f64,
    /// Step of the factorisations; NaN if there are none.
    factored: f64,
    /// Whether the Jacobian belongs to the state, and whether it may be kept.
    jacobian_current: bool,
    jacobian_valid: bool,
    newton: newton::Memory,
    /// Step and error of the last accepted step; none at the start.
    last: Option<(f64, f64)>,
    rejected: bool,
    first: bool,
    /// Whether there is a step to extrapolate the stages from.
    history: bool,
    y_old: Vec<f64>,
    y: Vec<f64>,
    /// `f(t, y)`.
    slope: Vec<f64>,
    /// Powers `θ, θ², θ³` of the last accepted step, rows of `n`.
    powers: Vec<f64>,
    /// Rows of three stages.
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    real: Vec<f64>,
    pair: Vec<Complex>,
    scratch: Vec<f64>,
    weights: Vec<f64>,
}

impl Radau {
    /// Allocates a run; `index` gives the differentiation index of each component.
    pub(crate) fn new(setup: &Setup<'_>, index: impl Fn(usize) -> u8) -> Result<Self, InputError> {
        Self::with(setup, index, Matrices::new(setup, true)?, &mut Pool::once())
    }

    /// A run with matrices that are as new.
    pub(crate) fn with(
        setup: &Setup<'_>,
        index: impl Fn(usize) -> u8,
        matrices: Matrices,
        pool: &mut Pool,
    ) -> Result<Self, InputError> {
        let n = setup.dimension;
        let asked = setup.tolerance.relative();
        let relative = if asked > 0.0 {
            0.1 * asked.powf(2.0 / 3.0)
        } else {
            0.0
        };
        let factor = if asked > 0.0 { relative / asked } else { 1.0 };
        let mut absolute = setup.absolute(pool)?;
        absolute.iter_mut().for_each(|a| *a *= factor);
        let mut floors = pool.zeros(n);
        floors.copy_from_slice(&absolute);
        let plain = (0..n).all(|i| index(i) <= 1);
        let mut raised = pool.integers(if plain { 0 } else { n });
        for (i, raised) in raised.iter_mut().enumerate() {
            *raised = i32::from(index(i)).max(1) - 1;
        }
        Ok(Self {
            n,
            relative,
            floors,
            absolute,
            initialisation: setup.initialisation,
            raised,
            matrices,
            statistics: Statistics::default(),
            direction: 1.0,
            max_step: f64::INFINITY,
            t_old: 0.0,
            t: 0.0,
            h: 0.0,
            done: 1.0,
            factored: f64::NAN,
            jacobian_current: false,
            jacobian_valid: false,
            newton: newton::Memory::new(relative),
            last: None,
            rejected: false,
            first: true,
            history: false,
            y_old: pool.zeros(n),
            y: pool.zeros(n),
            slope: pool.zeros(n),
            powers: pool.zeros(3 * n),
            z: pool.zeros(3 * n),
            w: pool.zeros(3 * n),
            f: pool.zeros(3 * n),
            real: pool.zeros(n),
            pair: pool.complex_zeros(n),
            scratch: pool.zeros(n),
            weights: pool.zeros(n),
        })
    }

    /// Bytes of a run; `fill` is the number of entries of sparse factors.
    pub(crate) fn footprint(setup: &Setup<'_>, fill: usize) -> Footprint {
        let n = setup.dimension;
        Footprint::of::<f64>(22 * n)
            .beside(Footprint::of::<i32>(n))
            .beside(Matrices::footprint(setup, true, fill))
    }
}

impl Retire for Radau {
    fn retire(self, pool: &mut Pool) -> Matrices {
        pool.give([self.absolute, self.floors, self.y_old, self.y, self.slope]);
        pool.give([self.powers, self.z, self.w, self.f]);
        pool.give([self.real, self.scratch, self.weights]);
        pool.give_complex(self.pair);
        pool.give_integers(self.raised);
        self.matrices
    }
}
