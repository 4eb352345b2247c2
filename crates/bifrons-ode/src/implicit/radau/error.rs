//! Error estimate and choice of the step.

use super::Radau;
use super::newton::Memory;
use super::tables::{E, REAL};
use crate::implicit::norm::{fixed, mean_square};
use crate::problem::{Fault, Problem};

/// Factors in this band leave the step, and with it the factorisations, as they are.
const KEEP_STEP: core::ops::RangeInclusive<f64> = 1.0..=1.2;
/// A contraction below this keeps the Jacobian.
const KEEP_JACOBIAN: f64 = 1e-3;

impl Radau {
    /// Weighted norm of the error of the step `h` in the stages; the estimate is left in `real`.
    ///
    /// `(γ̂/h M − J)⁻¹ (f(t, y) + M Σ e_i Z_i / h)`; in the first step and after a rejection an
    /// estimate above one is filtered once more with `f(t, y + error)`.
    pub(super) fn error<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
    ) -> Result<f64, &'static str> {
        let n = self.n;
        let norm = self.filter(h, false);
        if norm > 1.0 && (self.first || self.rejected) && norm.is_finite() {
            for i in 0..n {
                self.scratch[i] = self.y[i] + self.real[i];
            }
            self.statistics.rhs += 1;
            match problem.rhs(self.t, &self.scratch, &mut self.f[..n]) {
                Ok(()) => return Ok(self.filter(h, true)),
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => {}
            }
        }
        Ok(norm)
    }

    fn filter(&mut self, h: f64, again: bool) -> f64 {
        let n = self.n;
        let [a, b, c] = [0, 1, 2].map(|k| &self.z[k * n..(k + 1) * n]);
        let over = 1.0 / h;
        for i in 0..n {
            self.scratch[i] = (E[0] * a[i] + E[1] * b[i] + E[2] * c[i]) * over;
        }
        let slope = if again { &self.f[..n] } else { &self.slope[..] };
        self.real.copy_from_slice(slope);
        self.matrices
            .add_mass_times(1.0, &self.scratch, &mut self.real);
        self.matrices.solve(&mut self.real);
        self.statistics.linear_solves += 1;
        let scale = h / REAL;
        for real in &mut self.real {
            *real *= scale;
        }
        fixed!(n, mean_square, (&self.real, &self.weights)).sqrt()
    }

    /// Safety factor: fewer iterations, more trust.
    fn safety(&self) -> f64 {
        let limit = f64::from(Memory::limit());
        let iterations = f64::from(self.newton.iterations);
        0.9 * (2.0 * limit + 1.0) / (2.0 * limit + iterations)
    }

    /// Chooses the next step after one of size `h` that was accepted with this error.
    pub(super) fn grow(&mut self, h: f64, error: f64) {
        let error = error.max(1e-10);
        let plain = error.powf(-0.25);
        let predicted = self.last.map_or(plain, |(h_old, old)| {
            // Gustafsson: the last two errors and steps foretell the next error.
            let trend = (h / h_old).abs() * (old / error).powf(0.25);
            plain * trend.min(1.0)
        });
        let mut factor = (self.safety() * predicted).clamp(0.2, 8.0);
        if self.rejected {
            factor = factor.min(1.0);
        }
        let keep = self.newton.iterations <= 1 || self.newton.rate <= KEEP_JACOBIAN;
        self.jacobian_valid = keep;
        self.jacobian_current = false;
        if keep && KEEP_STEP.contains(&factor) {
            factor = 1.0;
        }
        self.last = Some((h, error.max(1e-2)));
        self.h = h * factor;
    }

    /// Makes the step smaller after a rejection with this error.
    pub(super) fn shrink(&mut self, h: f64, error: f64) {
        let factor = if !error.is_finite() {
            0.1
        } else if self.first {
            0.1_f64.max(0.5 * error.powf(-0.25))
        } else {
            (self.safety() * error.powf(-0.25)).clamp(0.1, 0.9)
        };
        self.h = h * factor;
    }
}
