//! Felicity functions: value, marginal, inverse marginal, one number or a slice at a time.

mod cara;
mod crra;
mod numeric;
mod scaled;

pub use cara::Cara;
pub use crra::Crra;
pub use numeric::{NumericInverse, SmoothUtility};
pub use scaled::Scaled;

use std::fmt;

/// Utility of consumption `u(c)`, increasing and strictly concave.
///
/// Slice methods give the bits of the scalar ones; overriding them is a matter of speed only.
/// Slices of one call have one length; what is beyond the shorter one is left alone.
///
/// | consumption | value | marginal |
/// |---|---|---|
/// | inside the domain | `u(c)` | `u'(c)` |
/// | lower end of the domain | its limit, may be `-inf` | its limit, may be `inf` |
/// | below it | `-inf` | NaN |
/// | NaN | NaN | NaN |
pub trait Utility: Send + Sync + fmt::Debug {
    /// `u(c)`.
    fn value(&self, consumption: f64) -> f64;

    /// `u'(c)`; zero at infinite consumption.
    fn marginal(&self, consumption: f64) -> f64;

    /// The consumption with this marginal utility; NaN if there is none.
    fn inverse_marginal(&self, marginal: f64) -> f64;

    /// `u(c)` where `u'(c)` is already known, which may save a power.
    fn value_at(&self, consumption: f64, marginal: f64) -> f64 {
        let _ = marginal;
        self.value(consumption)
    }

    /// [`Utility::value`] of each.
    fn values_into(&self, consumption: &[f64], values: &mut [f64]) {
        for (slot, &c) in values.iter_mut().zip(consumption) {
            *slot = self.value(c);
        }
    }

    /// [`Utility::marginal`] of each.
    fn marginals_into(&self, consumption: &[f64], marginals: &mut [f64]) {
        for (slot, &c) in marginals.iter_mut().zip(consumption) {
            *slot = self.marginal(c);
        }
    }

    /// [`Utility::inverse_marginal`] of each.
    fn inverse_marginals_into(&self, marginals: &[f64], consumption: &mut [f64]) {
        for (slot, &d) in consumption.iter_mut().zip(marginals) {
            *slot = self.inverse_marginal(d);
        }
    }

    /// [`Utility::value_at`] of each.
    fn values_at_into(&self, consumption: &[f64], marginals: &[f64], values: &mut [f64]) {
        for ((slot, &c), &d) in values.iter_mut().zip(consumption).zip(marginals) {
            *slot = self.value_at(c, d);
        }
    }
}

/// A function of one number that is applied to a slice.
pub(crate) trait Pointwise {
    fn at(&self, x: f64) -> f64;
}

/// Applies a function to a slice, compiled for the instruction set of the machine.
pub(crate) struct Map<'a, F> {
    pub(crate) function: F,
    pub(crate) input: &'a [f64],
    pub(crate) output: &'a mut [f64],
}

impl<F: Pointwise> bifrons_lanes::Kernel for Map<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (slot, &x) in self.output.iter_mut().zip(self.input) {
            *slot = self.function.at(x);
        }
    }
}

/// `function` of each number of `input`.
pub(crate) fn map<F: Pointwise>(function: F, input: &[f64], output: &mut [f64]) {
    bifrons_lanes::Level::detect().dispatch(Map {
        function,
        input,
        output,
    });
}
