//! Diagonally implicit Runge-Kutta methods with an explicit first stage.
//!
//! Stage `i` solves `M z_i = h f(t + c_i h, y + Σ_{j<i} a_ij z_j + γ z_i)` for `z_i`, all with the
//! same matrix `M − γ h J`; the first `z` is the last one of the step before. The error is filtered
//! with the same matrix, `(M − γ h J)⁻¹ M Σ (b_i − b̂_i) z_i` (Hosea and Shampine 1996); that of a
//! component without a derivative is not, since the filter knows the others only. Dense output is the cubic Hermite polynomial of the
//! states and slopes at both ends, order 3.
//!
//! # References
//!
//! Kennedy and Carpenter (2016), Diagonally implicit Runge-Kutta methods for ordinary differential
//! equations: a review, sections 4.10 (error), 4.11 (iteration).

mod stages;
mod stepper;
mod tables;

use bifrons_algebra::Contraction;
use bifrons_memory::Footprint;

use super::consistent::Initialisation;
use super::matrices::Matrices;
use super::setup::Setup;
use crate::error::InputError;
use crate::statistics::Statistics;
pub(crate) use tables::{ESDIRK4, ESDIRK5, TR_BDF2, Tableau};

/// A run of one of the methods.
#[derive(Debug)]
pub(crate) struct Esdirk {
    n: usize,
    tableau: &'static Tableau,
    relative: f64,
    absolute: Vec<f64>,
    initialisation: Initialisation,
    /// Absolute tolerances, raised to round-off in components of an algebraic system.
    floors: Vec<f64>,
    matrices: Matrices,
    /// Components without a derivative.
    algebraic: Vec<usize>,
    statistics: Statistics,
    direction: f64,
    max_step: f64,
    t_old: f64,
    t: f64,
    h: f64,
    done: f64,
    /// Step of the factorisation; NaN if there is none.
    factored: f64,
    contraction: Contraction,
    floor: f64,
    /// Largest number of iterations of a stage of the last attempt.
    iterations: u32,
    /// Whether the Jacobian belongs to the state, and whether it may be kept.
    jacobian_current: bool,
    jacobian_valid: bool,
    rejected: bool,
    last_error: f64,
    y_old: Vec<f64>,
    y: Vec<f64>,
    new: Vec<f64>,
    /// Slopes at both ends of the last step, times its length.
    slope_old: Vec<f64>,
    slope: Vec<f64>,
    z: Vec<f64>,
    base: Vec<f64>,
    stage: Vec<f64>,
    delta: Vec<f64>,
    scratch: Vec<f64>,
    weights: Vec<f64>,
}

impl Esdirk {
    /// Allocates a run.
    pub(crate) fn new(setup: &Setup<'_>, tableau: &'static Tableau) -> Result<Self, InputError> {
        let n = setup.dimension;
        let row = || vec![0.0; n];
        let matrices = Matrices::new(setup, false)?;
        Ok(Self {
            n,
            tableau,
            relative: setup.tolerance.relative(),
            absolute: setup.absolute()?,
            initialisation: setup.initialisation,
            floors: setup.absolute()?,
            algebraic: matrices.algebraic_columns(),
            matrices,
            statistics: Statistics::default(),
            direction: 1.0,
            max_step: f64::INFINITY,
            t_old: 0.0,
            t: 0.0,
            h: 0.0,
            done: 1.0,
            factored: f64::NAN,
            contraction: Contraction::new(8),
            floor: 0.0,
            iterations: 0,
            jacobian_current: false,
            jacobian_valid: false,
            rejected: false,
            last_error: 0.0,
            y_old: row(),
            y: row(),
            new: row(),
            slope_old: row(),
            slope: row(),
            z: vec![0.0; tableau.stages * n],
            base: row(),
            stage: row(),
            delta: row(),
            scratch: row(),
            weights: row(),
        })
    }

    /// Bytes of a run; `fill` is the number of entries of sparse factors.
    pub(crate) fn footprint(setup: &Setup<'_>, tableau: &Tableau, fill: usize) -> Footprint {
        let n = setup.dimension;
        Footprint::of::<f64>((12 + tableau.stages) * n)
            .beside(Matrices::footprint(setup, false, fill))
    }
}
