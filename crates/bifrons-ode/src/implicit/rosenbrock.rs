//! Rosenbrock methods: linearly implicit, one factorisation per step and no iteration.
//!
//! Every step takes the Jacobian at its start, so no convergence has to be judged; for few
//! components and moderate tolerances nothing is faster. The derivative with respect to time is a
//! difference: one evaluation where it is zero, two (a central difference) elsewhere.
//!
//! # References
//!
//! Hairer and Wanner (1996), Solving Ordinary Differential Equations II, section IV.7 and VI.4.

mod reverse;
mod stepper;
mod tables;
mod tangent;

use bifrons_memory::Footprint;

use super::initial::Initialisation;
use super::matrices::Matrices;
use super::norm::count;
use super::setup::Setup;
use super::workspace::{Retire, retire};
use crate::error::InputError;
use crate::pool::Pool;
use crate::statistics::Statistics;
pub(crate) use tables::{RODAS4, RODAS5P, Tableau};

/// A run of one of the methods.
#[derive(Debug, Clone)]
pub(crate) struct Rosenbrock {
    n: usize,
    tableau: &'static Tableau,
    relative: f64,
    absolute: Vec<f64>,
    initialisation: Initialisation,
    /// Absolute tolerances, raised to round-off in components of an algebraic system.
    floors: Vec<f64>,
    pub(super) matrices: Matrices,
    statistics: Statistics,
    direction: f64,
    max_step: f64,
    t_old: f64,
    t: f64,
    /// Signed step to be tried next, and the length of the last accepted one.
    h: f64,
    done: f64,
    /// Whether Jacobian and time derivative belong to the state.
    current: bool,
    rejected: bool,
    last_error: f64,
    y_old: Vec<f64>,
    y: Vec<f64>,
    new: Vec<f64>,
    /// `f(t, y)` and `∂f/∂t`.
    slope: Vec<f64>,
    by_time: Vec<f64>,
    /// Increments of the stages, rows of `n`.
    u: Vec<f64>,
    /// Increments of the dense output of the last accepted step.
    dense: Vec<f64>,
    stage: Vec<f64>,
    scratch: Vec<f64>,
    weights: Vec<f64>,
}

impl Rosenbrock {
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
        matrices: Matrices,
        pool: &mut Pool,
    ) -> Result<Self, InputError> {
        let n = setup.dimension;
        Ok(Self {
            n,
            tableau,
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
            done: 1.0,
            current: false,
            rejected: false,
            last_error: 0.0,
            y_old: pool.zeros(n),
            y: pool.zeros(n),
            new: pool.zeros(n),
            slope: pool.zeros(n),
            by_time: pool.zeros(n),
            u: pool.zeros(tableau.stages * n),
            dense: pool.zeros(3 * n),
            stage: pool.zeros(n),
            scratch: pool.zeros(n),
            weights: pool.zeros(n),
        })
    }

    /// Bytes of a run; `fill` is the number of entries of sparse factors.
    pub(crate) fn footprint(setup: &Setup<'_>, tableau: &Tableau, fill: usize) -> Footprint {
        let n = setup.dimension;
        Footprint::of::<f64>((13 + tableau.stages) * n)
            .beside(Matrices::footprint(setup, false, fill))
    }
}

/// Adds `Σ_j factors_j u_j` to `out`, where `u` has rows of `n`.
fn combine<const N: usize>(n: usize, factors: &[f64], scale: f64, u: &[f64], out: &mut [f64]) {
    let n = count::<N>(n);
    let out = &mut out[..n];
    for (factor, row) in factors.iter().zip(u.chunks_exact(n)) {
        let factor = factor * scale;
        for i in 0..n {
            out[i] += factor * row[i];
        }
    }
}

retire!(Rosenbrock:
    absolute, floors, y_old, y, new, slope, by_time, u, dense, stage, scratch, weights);
