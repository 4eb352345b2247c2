//! Constant absolute risk aversion.

use super::{Pointwise, Utility, map};
use crate::elementary::{exp, ln};
use crate::error::UtilityError;

/// Constant absolute risk aversion `γ > 0`: `u(c) = -e^(-γ c) / γ` for every real `c`.
///
/// ```
/// use bifrons_egm::{Cara, Utility};
///
/// let u = Cara::new(0.5)?;
/// assert_eq!((u.value(0.0), u.marginal(0.0), u.inverse_marginal(1.0)), (-2.0, 1.0, 0.0));
/// # Ok::<(), bifrons_egm::UtilityError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cara {
    risk_aversion: f64,
}

impl Cara {
    /// Utility with absolute risk aversion γ.
    ///
    /// # Errors
    ///
    /// [`UtilityError::Parameter`] unless γ is positive and finite.
    pub fn new(risk_aversion: f64) -> Result<Self, UtilityError> {
        UtilityError::check_positive("risk aversion", risk_aversion)?;
        Ok(Self { risk_aversion })
    }
}

struct Marginal(f64);

impl Pointwise for Marginal {
    #[inline(always)]
    fn at(&self, c: f64) -> f64 {
        exp(-self.0 * c)
    }
}

struct Inverse(f64);

impl Pointwise for Inverse {
    #[inline(always)]
    fn at(&self, d: f64) -> f64 {
        -ln(d) / self.0
    }
}

impl Utility for Cara {
    fn value(&self, consumption: f64) -> f64 {
        self.value_at(consumption, self.marginal(consumption))
    }

    fn marginal(&self, consumption: f64) -> f64 {
        Marginal(self.risk_aversion).at(consumption)
    }

    fn inverse_marginal(&self, marginal: f64) -> f64 {
        Inverse(self.risk_aversion).at(marginal)
    }

    fn value_at(&self, _consumption: f64, marginal: f64) -> f64 {
        -marginal / self.risk_aversion
    }

    fn marginals_into(&self, consumption: &[f64], marginals: &mut [f64]) {
        map(Marginal(self.risk_aversion), consumption, marginals);
    }

    fn inverse_marginals_into(&self, marginals: &[f64], consumption: &mut [f64]) {
        map(Inverse(self.risk_aversion), marginals, consumption);
    }
}
