//! Newton's method with damping by the natural level function.

use crate::error::{FactorError, NewtonError};
use crate::lu::Lu;
use crate::structure::Structure;

/// Settings of [`Newton`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NewtonOptions {
    /// Weighted norm of the correction below which the iteration ends. Default: 1e-3.
    pub tolerance: f64,
    /// Limit of iterations. Default: 50.
    pub max_iterations: usize,
    /// Smallest damping factor. Default: 1e-6.
    pub least_damping: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-3,
            max_iterations: 50,
            least_damping: 1e-6,
        }
    }
}

/// How a solution was found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NewtonReport {
    /// Jacobians evaluated and factored.
    pub iterations: usize,
    /// Residuals evaluated.
    pub evaluations: usize,
    /// Weighted norm of the last correction.
    pub correction: f64,
    /// Whether round-off ended the iteration before the tolerance did.
    pub at_noise_floor: bool,
}

/// Newton's method for `F(x) = 0` of one structure, with its buffers.
///
/// A damped step is taken if it makes the simplified correction smaller,
/// `‖J⁻¹ F(x + λ δ)‖ ≤ (1 − λ/4) ‖δ‖`, which does not depend on how the equations are scaled
/// (Deuflhard 2004, Newton Methods for Nonlinear Problems, section 3.3). Norms are weighted root
/// mean squares, `sqrt(1/n Σ (δ_i w_i)²)`. A correction below `16 ε |x|` is round-off and ends the
/// iteration.
#[derive(Debug, Clone)]
pub struct Newton {
    lu: Lu<f64>,
    values: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    trial: Vec<f64>,
    bar: Vec<f64>,
}

impl Newton {
    /// Prepares solutions of systems whose Jacobian has this structure.
    #[must_use]
    pub fn new(structure: &Structure) -> Self {
        let n = structure.dimension();
        Self {
            lu: Lu::analyse(structure),
            values: vec![0.0; structure.value_count()],
            residual: vec![0.0; n],
            correction: vec![0.0; n],
            trial: vec![0.0; n],
            bar: vec![0.0; n],
        }
    }

    /// Entries of the factors; for sparse matrices known after the first factorisation.
    #[must_use]
    pub fn fill(&self) -> usize {
        self.lu.fill()
    }

    /// Makes the next solution independent of the ones before it, see [`Lu::forget_pivots`].
    pub fn forget_pivots(&mut self) {
        self.lu.forget_pivots();
    }

    /// Improves the guess `x` until the correction is within the tolerance.
    ///
    /// The system `F(x) = 0` is two closures: `residual(x, out)`, which returns whether it exists
    /// at `x`, and `jacobian(x, residual, values)`. `weights` has one factor per component.
    ///
    /// # Errors
    ///
    /// [`NewtonError`]; `x` is then the best iterate.
    pub fn solve(
        &mut self,
        x: &mut [f64],
        weights: &[f64],
        options: &NewtonOptions,
        mut residual: impl FnMut(&[f64], &mut [f64]) -> bool,
        mut jacobian: impl FnMut(&[f64], &[f64], &mut [f64]) -> bool,
    ) -> Result<NewtonReport, NewtonError> {
        let mut report = NewtonReport {
            iterations: 0,
            evaluations: 1,
            correction: 0.0,
            at_noise_floor: false,
        };
        if x.is_empty() {
            return Ok(report);
        }
        let exists = residual(x, &mut self.residual);
        if let Some(equation) = self.residual.iter().position(|r| !r.is_finite() || !exists) {
            return Err(NewtonError::Guess { equation });
        }
        let setting = Setting { weights, options };
        for iteration in 0..options.max_iterations {
            report.iterations = iteration + 1;
            let size = self.full_step(x, weights, iteration, &mut jacobian)?;
            report.correction = size;
            let floor = noise_floor(x, weights);
            if size <= options.tolerance.max(floor) {
                report.at_noise_floor = size > options.tolerance;
                x.iter_mut()
                    .zip(&self.correction)
                    .for_each(|(x, d)| *x += d);
                return Ok(report);
            }
            let found = self.damp(x, &setting, size, floor, &mut residual, &mut report);
            if !found {
                let (equation, residual) = worst(&self.residual);
                return Err(NewtonError::Stuck {
                    iterations: report.iterations,
                    equation,
                    residual,
                });
            }
        }
        let (equation, residual) = worst(&self.residual);
        Err(NewtonError::Iterations {
            iterations: options.max_iterations,
            equation,
            residual,
        })
    }

    /// The undamped correction at `x`, and its weighted norm.
    fn full_step(
        &mut self,
        x: &[f64],
        weights: &[f64],
        iteration: usize,
        jacobian: &mut impl FnMut(&[f64], &[f64], &mut [f64]) -> bool,
    ) -> Result<f64, NewtonError> {
        let exists = jacobian(x, &self.residual, &mut self.values);
        let factored = if exists {
            self.lu.refactor(&self.values).map(|_| ())
        } else {
            Err(FactorError::NotFinite { column: 0 })
        };
        factored.map_err(|source| NewtonError::Factor { iteration, source })?;
        for (correction, residual) in self.correction.iter_mut().zip(&self.residual) {
            *correction = -residual;
        }
        self.lu.solve(&mut self.correction);
        Ok(norm(&self.correction, weights))
    }

    /// Looks for a damped step that is an improvement and takes it.
    fn damp(
        &mut self,
        x: &mut [f64],
        setting: &Setting<'_>,
        size: f64,
        floor: f64,
        residual: &mut impl FnMut(&[f64], &mut [f64]) -> bool,
        report: &mut NewtonReport,
    ) -> bool {
        let mut damping = 1.0;
        while damping >= setting.options.least_damping {
            for ((trial, x), d) in self.trial.iter_mut().zip(&*x).zip(&self.correction) {
                *trial = x + damping * d;
            }
            report.evaluations += 1;
            let exists = residual(&self.trial, &mut self.bar);
            if exists && self.bar.iter().all(|r| r.is_finite()) {
                self.residual.copy_from_slice(&self.bar);
                self.lu.solve(&mut self.bar);
                let bar = norm(&self.bar, setting.weights);
                if bar <= (1.0 - 0.25 * damping) * size || bar <= floor {
                    x.copy_from_slice(&self.trial);
                    return true;
                }
            }
            damping *= 0.5;
        }
        false
    }
}

struct Setting<'a> {
    weights: &'a [f64],
    options: &'a NewtonOptions,
}

/// Weighted root mean square.
fn norm(v: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = v.iter().zip(weights).map(|(v, w)| (v * w) * (v * w)).sum();
    (sum / v.len() as f64).sqrt()
}

/// Weighted norm of `16 ε x`.
fn noise_floor(x: &[f64], weights: &[f64]) -> f64 {
    16.0 * f64::EPSILON * norm(x, weights)
}

fn worst(residual: &[f64]) -> (usize, f64) {
    let larger = |a: (usize, f64), b: (usize, f64)| if b.1.abs() > a.1.abs() { b } else { a };
    residual.iter().copied().enumerate().fold((0, 0.0), larger)
}
