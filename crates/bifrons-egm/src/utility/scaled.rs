//! A utility times a factor plus a constant.

use super::Utility;
use crate::arithmetic::same;
use crate::error::UtilityError;

/// `factor · u(c) + shift`: a disutility of work, the service of a durable, a weight.
///
/// ```
/// use bifrons_egm::{Crra, Scaled, Utility};
///
/// let work = Scaled::new(Crra::log(), 1.0, -0.5)?;
/// assert_eq!(work.value(1.0), -0.5);
/// # Ok::<(), bifrons_egm::UtilityError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled<U> {
    utility: U,
    factor: f64,
    shift: f64,
}

impl<U: Utility> Scaled<U> {
    /// `factor · utility + shift`.
    ///
    /// # Errors
    ///
    /// [`UtilityError::Parameter`] unless the factor is positive and finite and the shift finite.
    pub fn new(utility: U, factor: f64, shift: f64) -> Result<Self, UtilityError> {
        UtilityError::check_positive("factor", factor)?;
        UtilityError::check_finite("shift", shift)?;
        Ok(Self {
            utility,
            factor,
            shift,
        })
    }

    fn scale(&self, factor: f64, numbers: &mut [f64]) {
        // One is common and exact: nothing to do.
        if !same(self.factor, 1.0) {
            for slot in numbers {
                *slot *= factor;
            }
        }
    }

    fn shifted(&self, value: f64) -> f64 {
        self.factor * value + self.shift
    }
}

impl<U: Utility> Utility for Scaled<U> {
    fn value(&self, consumption: f64) -> f64 {
        self.shifted(self.utility.value(consumption))
    }

    fn marginal(&self, consumption: f64) -> f64 {
        self.factor * self.utility.marginal(consumption)
    }

    fn inverse_marginal(&self, marginal: f64) -> f64 {
        self.utility.inverse_marginal(marginal / self.factor)
    }

    fn value_at(&self, consumption: f64, marginal: f64) -> f64 {
        self.shifted(self.utility.value_at(consumption, marginal / self.factor))
    }

    fn values_into(&self, consumption: &[f64], values: &mut [f64]) {
        self.utility.values_into(consumption, values);
        for slot in values.iter_mut().take(consumption.len()) {
            *slot = self.shifted(*slot);
        }
    }

    fn marginals_into(&self, consumption: &[f64], marginals: &mut [f64]) {
        self.utility.marginals_into(consumption, marginals);
        let count = consumption.len().min(marginals.len());
        self.scale(self.factor, &mut marginals[..count]);
    }

    fn inverse_marginals_into(&self, marginals: &[f64], consumption: &mut [f64]) {
        if same(self.factor, 1.0) {
            self.utility.inverse_marginals_into(marginals, consumption);
            return;
        }
        let mut scaled = [0.0; 64];
        for (ds, cs) in marginals.chunks(64).zip(consumption.chunks_mut(64)) {
            for (slot, &d) in scaled.iter_mut().zip(ds) {
                *slot = d / self.factor;
            }
            self.utility.inverse_marginals_into(&scaled[..ds.len()], cs);
        }
    }

    fn values_at_into(&self, consumption: &[f64], marginals: &[f64], values: &mut [f64]) {
        let mut scaled = [0.0; 64];
        let inputs = consumption.chunks(64).zip(marginals.chunks(64));
        for ((cs, ds), vs) in inputs.zip(values.chunks_mut(64)) {
            for (slot, &d) in scaled.iter_mut().zip(ds) {
                *slot = d / self.factor;
            }
            self.utility.values_at_into(cs, &scaled[..ds.len()], vs);
            for slot in vs.iter_mut().take(cs.len()) {
                *slot = self.shifted(*slot);
            }
        }
    }
}
