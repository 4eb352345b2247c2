//! Diagonally implicit Runge-Kutta methods with an explicit first stage.
//!
//! With increments `K_i = h k_i`, a step from `y` solves, stage after stage,
//!
//! ```text
//! Y_i = y + Σ_{j<i} a_ij K_j + d_i,   M d_i = h γ f(t + c_i h, Y_i),   K_i = d_i / γ,
//! ```
//!
//! where `K_1` is that of the last stage of the step before, and the last stage is the result. One
//! matrix, `M − h γ J`, serves all stages. The increments come from the unknowns `d_i` and not from
//! the right-hand side, so what a Newton iteration leaves behind is not multiplied by the stiffness,
//! and the method works for singular mass matrices of index one: their algebraic components satisfy
//! their equations in every stage, and an error in `K_1` does not pass through the step, because
//! the stability function vanishes at infinity.
//!
//! The interpolant is the cubic through both ends with their slopes, plus a multiple of
//! `θ² (1 − θ)²` that makes it a polynomial of order four where the method has at least that order.
//! Its weights are the shortest vector that satisfies the order conditions of continuous methods
//! (Hairer, Nørsett, Wanner 1993, section II.6).
//!
//! # References
//!
//! Hosea and Shampine (1996), Analysis and implementation of TR-BDF2; Kennedy and Carpenter (2016),
//! Diagonally implicit Runge-Kutta methods for ordinary differential equations, a review; Kennedy
//! and Carpenter (2019), Diagonally implicit Runge-Kutta methods for stiff ODEs; Hairer and Wanner
//! (1996), sections IV.6 and IV.8 (implementation, simplified Newton iteration).

mod control;
mod interpolant;
mod kernel;
mod reverse;
mod solve;
mod stepper;
mod tables;
mod tangent;

use bifrons_memory::Footprint;

use super::initial::Initialisation;
use super::matrices::Matrices;
use super::setup::Setup;
use super::workspace::Retire;
use crate::error::InputError;
use crate::pool::Pool;
use crate::statistics::Statistics;
pub(crate) use tables::{ESDIRK4, ESDIRK5, TR_BDF2, Tableau};

/// A run of one of the methods.
#[derive(Debug, Clone)]
pub(crate) struct Esdirk {
    tableau: &'static Tableau,
    n: usize,
    relative: f64,
    absolute: Vec<f64>,
    initialisation: Initialisation,
    /// Absolute tolerances, raised where round-off of algebraic equations is larger.
    floors: Vec<f64>,
    pub(super) matrices: Matrices,
    /// Components without a derivative.
    algebraic: Vec<usize>,
    statistics: Statistics,
    direction: f64,
    max_step: f64,
    t_old: f64,
    t: f64,
    /// Signed step of the next attempt.
    h: f64,
    /// Signed step of the last accepted one, zero if there is none.
    done: f64,
    /// What the slope at the start of the last attempt was multiplied with.
    first_ratio: f64,
    /// Whether the last attempt was rejected.
    rejected: bool,
    /// Mean square error of the last accepted step.
    last_error: f64,
    /// Rows `K_i`.
    k: Vec<f64>,
    /// `K_1` of the last accepted step.
    begin: Vec<f64>,
    /// `K_s` of the last accepted step: `y'` at `t` times `done`.
    end: Vec<f64>,
    /// Quartic terms of the interpolant.
    quartic: Vec<f64>,
    y_old: Vec<f64>,
    y: Vec<f64>,
    /// State of the stage that is solved for.
    stage: Vec<f64>,
    base: Vec<f64>,
    d: Vec<f64>,
    f: Vec<f64>,
    delta: Vec<f64>,
    weights: Vec<f64>,
    newton: solve::Iteration,
}

/// Rows of `n` numbers beside the increments.
const ROWS: usize = 13;

impl Esdirk {
    /// Allocates a run.
    pub(crate) fn new(setup: &Setup<'_>, tableau: &'static Tableau) -> Result<Self, InputError> {
        Self::with(
            setup,
            tableau,
            Matrices::new(setup, false)?,
            &mut Pool::once(),
        )
    }

    /// A run with matrices that are as new.
    pub(crate) fn with(
        setup: &Setup<'_>,
        tableau: &'static Tableau,
        mut matrices: Matrices,
        pool: &mut Pool,
    ) -> Result<Self, InputError> {
        let n = setup.dimension;
        Ok(Self {
            tableau,
            n,
            relative: setup.tolerance.relative(),
            absolute: setup.absolute(pool)?,
            initialisation: setup.initialisation,
            floors: setup.absolute(pool)?,
            algebraic: matrices.take_algebraic_columns(),
            matrices,
            statistics: Statistics::default(),
            direction: 1.0,
            max_step: f64::INFINITY,
            t_old: 0.0,
            t: 0.0,
            h: 0.0,
            done: 0.0,
            first_ratio: 0.0,
            rejected: false,
            last_error: 1.0,
            k: pool.zeros(tableau.stages * n),
            begin: pool.zeros(n),
            end: pool.zeros(n),
            quartic: pool.zeros(n),
            y_old: pool.zeros(n),
            y: pool.zeros(n),
            stage: pool.zeros(n),
            base: pool.zeros(n),
            d: pool.zeros(n),
            f: pool.zeros(n),
            delta: pool.zeros(n),
            weights: pool.zeros(n),
            newton: solve::Iteration::new(setup.tolerance.relative()),
        })
    }

    /// Bytes of a run; `fill` is the number of entries of sparse factors.
    pub(crate) fn footprint(setup: &Setup<'_>, tableau: &Tableau, fill: usize) -> Footprint {
        let rows = (tableau.stages + ROWS) * setup.dimension;
        Footprint::of::<f64>(rows).beside(Matrices::footprint(setup, false, fill))
    }
}

impl Retire for Esdirk {
    fn retire(mut self, pool: &mut Pool) -> Matrices {
        pool.give([self.absolute, self.floors, self.k, self.begin, self.end]);
        pool.give([self.quartic, self.y_old, self.y, self.stage, self.base]);
        pool.give([self.d, self.f, self.delta, self.weights]);
        self.matrices.give_algebraic_columns(self.algebraic);
        self.matrices
    }
}

#[cfg(test)]
mod tests;
