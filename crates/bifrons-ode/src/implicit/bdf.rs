//! Numerical differentiation formulas of orders 1 to 5 with quasi-constant steps.
//!
//! The solution is held as backward differences `∇^j y` on an equidistant grid of step `h`. With
//! `γ_k = Σ_{j ≤ k} 1/j`, a step of order `q` solves for the correction `d`
//!
//! ```text
//! y⁰ = Σ_{j=0}^{q} ∇^j y,   ψ = 1/α Σ_{j=1}^{q} γ_j ∇^j y,   α = (1 − κ_q) γ_q,   c = h/α,
//! c f(t + h, y⁰ + d) − M (ψ + d) = 0,     error = (κ_q γ_q + 1/(q+1)) d.
//! ```
//!
//! # References
//!
//! Klopfenstein (1971), Numerical differentiation formulas for stiff systems of ordinary
//! differential equations; Shampine and Reichelt (1997), The MATLAB ODE suite, section 2; Byrne
//! and Hindmarsh (1975), A polyalgorithm for the numerical solution of ordinary differential
//! equations (change of step on differences); Hairer and Wanner (1996), section IV.8 (simplified
//! Newton iteration).

mod control;
mod interpolant;
mod kernel;
mod reverse;
mod solve;
mod stepper;
mod tables;
mod tangent;

use bifrons_algebra::Contraction;
use bifrons_memory::Footprint;

use super::initial::Initialisation;
use super::matrices::Matrices;
use super::setup::Setup;
use super::workspace::{Retire, retire};
use crate::error::InputError;
use crate::pool::Pool;
use crate::statistics::Statistics;
use tables::{MAX_ORDER, ROWS};

/// A run of the formulas.
#[derive(Debug, Clone)]
pub(crate) struct Bdf {
    n: usize,
    relative: f64,
    absolute: Vec<f64>,
    initialisation: Initialisation,
    /// Absolute tolerances, raised to round-off in components of an algebraic system.
    floors: Vec<f64>,
    pub(super) matrices: Matrices,
    statistics: Statistics,
    /// Direction of the run, first step if given, largest step.
    direction: f64,
    max_step: f64,
    t_old: f64,
    t: f64,
    /// Signed step that the differences stand for.
    h: f64,
    order: usize,
    max_order: usize,
    /// Steps taken with this step and order.
    equal_steps: usize,
    /// Factor and order for the next step, chosen at the end of the last one.
    pending: Option<(usize, f64)>,
    /// Step and order of the last accepted step: those of its interpolant.
    done: (f64, usize),
    /// What changes of step make of the differences since the last accepted step, and what they
    /// had made of them before it.
    changed: tables::Change,
    last_change: tables::Change,
    /// Whether the last accepted step made the method start over.
    started_over: bool,
    /// Rejections in a row, and the mean square error of the last.
    rejections: u32,
    last_error: f64,
    /// Rows `∇^j y`, `j = 0 ..= MAX_ORDER + 2`, of `n` numbers.
    differences: Vec<f64>,
    y_old: Vec<f64>,
    y: Vec<f64>,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    correction: Vec<f64>,
    f: Vec<f64>,
    delta: Vec<f64>,
    weights: Vec<f64>,
    newton: solve::Iteration,
}

impl Bdf {
    /// Allocates a run.
    pub(crate) fn new(setup: &Setup<'_>) -> Result<Self, InputError> {
        Self::with(setup, Matrices::new(setup, false)?, &mut Pool::once())
    }

    /// A run with matrices that are as new.
    pub(crate) fn with(
        setup: &Setup<'_>,
        matrices: Matrices,
        pool: &mut Pool,
    ) -> Result<Self, InputError> {
        let n = setup.dimension;
        Ok(Self {
            n,
            relative: setup.tolerance.relative(),
            absolute: setup.absolute(pool)?,
            initialisation: setup.initialisation,
            floors: setup.absolute(pool)?,
            matrices,
            statistics: Statistics::default(),
            direction: 1.0,
            max_step: f64::INFINITY,
            t_old: 0.0,
            t: 0.0,
            h: 0.0,
            order: 1,
            max_order: MAX_ORDER,
            equal_steps: 0,
            pending: None,
            done: (1.0, 1),
            changed: tables::UNCHANGED,
            last_change: tables::UNCHANGED,
            started_over: false,
            rejections: 0,
            last_error: 0.0,
            differences: pool.zeros(ROWS * n),
            y_old: pool.zeros(n),
            y: pool.zeros(n),
            predicted: pool.zeros(n),
            psi: pool.zeros(n),
            correction: pool.zeros(n),
            f: pool.zeros(n),
            delta: pool.zeros(n),
            weights: pool.zeros(n),
            newton: solve::Iteration::new(setup.tolerance.relative(), Contraction::new(4)),
        })
    }

    /// Bytes of a run; `fill` is the number of entries of sparse factors.
    pub(crate) fn footprint(setup: &Setup<'_>, fill: usize) -> Footprint {
        let rows = (ROWS + 10) * setup.dimension;
        Footprint::of::<f64>(rows).beside(Matrices::footprint(setup, false, fill))
    }
}

retire!(Bdf: absolute, floors, differences, y_old, y, predicted, psi, correction, f, delta, weights);

#[cfg(test)]
mod tests;
