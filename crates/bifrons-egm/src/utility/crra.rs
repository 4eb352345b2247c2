//! Constant relative risk aversion.

use bifrons_lanes::{Kernel, Level, math};

use super::{Pointwise, Utility, map};
use crate::elementary::{ln, power};
use crate::error::UtilityError;

/// Constant relative risk aversion `ρ > 0`.
///
/// ```text
/// u(c) = c^(1-ρ) / (1-ρ),   ln c for ρ = 1;   normalised: (c^(1-ρ) - 1) / (1-ρ)
/// u'(c) = c^(-ρ),           (u')⁻¹(d) = d^(-1/ρ)
/// ```
///
/// The normalised form is continuous in ρ; both have the same policies, but levels differ by a
/// constant, which matters where choices differ in more than consumption.
///
/// Cost: products, a square root or a division for ρ = ½, 1, 1½, 2, 3; else one exponential and
/// one logarithm. Relative error about `(1 + ρ |ln c|) · 2e-16`.
///
/// ```
/// use bifrons_egm::{Crra, Utility};
///
/// let u = Crra::new(2.0)?;
/// assert_eq!((u.value(4.0), u.marginal(4.0), u.inverse_marginal(0.0625)), (-0.25, 0.0625, 4.0));
/// assert_eq!(u.value(0.0), f64::NEG_INFINITY);
/// # Ok::<(), bifrons_egm::UtilityError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crra {
    risk_aversion: f64,
    exponent: Exponent,
    /// `1 / (1-ρ)`, unused for ρ = 1.
    scale: f64,
    /// What is subtracted from `c^(1-ρ)`: 1 for the normalised form.
    origin: f64,
    /// ρ so near to one that the normalised form is evaluated by `e^x - 1`.
    near_one: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Exponent {
    Half,
    One,
    ThreeHalves,
    Two,
    Three,
    General,
}

impl Crra {
    /// `c^(1-ρ)/(1-ρ)`, `ln c` for ρ = 1.
    ///
    /// # Errors
    ///
    /// [`UtilityError::Parameter`] unless ρ is positive and finite.
    pub fn new(risk_aversion: f64) -> Result<Self, UtilityError> {
        Self::with_origin(risk_aversion, 0.0)
    }

    /// `(c^(1-ρ) - 1)/(1-ρ)`, `ln c` for ρ = 1.
    ///
    /// # Errors
    ///
    /// [`UtilityError::Parameter`] unless ρ is positive and finite.
    pub fn normalised(risk_aversion: f64) -> Result<Self, UtilityError> {
        Self::with_origin(risk_aversion, 1.0)
    }

    fn with_origin(risk_aversion: f64, origin: f64) -> Result<Self, UtilityError> {
        UtilityError::check_positive("risk aversion", risk_aversion)?;
        let exponent = match risk_aversion {
            0.5 => Exponent::Half,
            1.0 => Exponent::One,
            1.5 => Exponent::ThreeHalves,
            2.0 => Exponent::Two,
            3.0 => Exponent::Three,
            _ => Exponent::General,
        };
        Ok(Self {
            risk_aversion,
            exponent,
            scale: 1.0 / (1.0 - risk_aversion),
            origin,
            near_one: origin > 0.0 && (risk_aversion - 1.0).abs() < 0.1,
        })
    }

    /// Logarithmic utility, ρ = 1.
    #[must_use]
    pub const fn log() -> Self {
        Self {
            risk_aversion: 1.0,
            exponent: Exponent::One,
            scale: f64::INFINITY,
            origin: 0.0,
            near_one: false,
        }
    }

    /// The coefficient ρ.
    #[must_use]
    pub const fn risk_aversion(&self) -> f64 {
        self.risk_aversion
    }
}

/// `c^(-ρ)` for one kind of exponent.
struct Marginal<const KIND: u8>(f64);

/// `d^(-1/ρ)` for one kind of exponent.
struct Inverse<const KIND: u8>(f64);

const HALF: u8 = 0;
const ONE: u8 = 1;
const THREE_HALVES: u8 = 2;
const TWO: u8 = 3;
const THREE: u8 = 4;
const GENERAL: u8 = 5;

impl<const KIND: u8> Pointwise for Marginal<KIND> {
    #[inline(always)]
    fn at(&self, c: f64) -> f64 {
        let marginal = match KIND {
            HALF => 1.0 / c.sqrt(),
            ONE => 1.0 / c,
            THREE_HALVES => 1.0 / (c * c.sqrt()),
            TWO => 1.0 / (c * c),
            THREE => 1.0 / (c * c * c),
            _ => power(c, self.0),
        };
        if c < 0.0 { f64::NAN } else { marginal }
    }
}

impl<const KIND: u8> Pointwise for Inverse<KIND> {
    #[inline(always)]
    fn at(&self, d: f64) -> f64 {
        let c = match KIND {
            HALF => 1.0 / (d * d),
            ONE => 1.0 / d,
            TWO => 1.0 / d.sqrt(),
            _ => power(d, self.0),
        };
        if d < 0.0 { f64::NAN } else { c }
    }
}

/// Value from consumption and marginal utility.
#[derive(Clone, Copy)]
struct Value<const LOG: bool> {
    scale: f64,
    origin: f64,
}

impl<const LOG: bool> Value<LOG> {
    #[inline(always)]
    fn at(&self, c: f64, marginal: f64) -> f64 {
        let value = if LOG {
            ln(c)
        } else {
            (c * marginal - self.origin) * self.scale
        };
        let bottom = if self.scale < 0.0 || LOG {
            f64::NEG_INFINITY
        } else {
            -self.origin * self.scale
        };
        let value = if c == 0.0 { bottom } else { value };
        let top = if self.scale < 0.0 && !LOG {
            -self.origin * self.scale
        } else {
            f64::INFINITY
        };
        let value = if c == f64::INFINITY { top } else { value };
        if c < 0.0 { f64::NEG_INFINITY } else { value }
    }
}

struct Values<'a, const LOG: bool> {
    value: Value<LOG>,
    consumption: &'a [f64],
    marginals: &'a [f64],
    values: &'a mut [f64],
}

impl<const LOG: bool> Kernel for Values<'_, LOG> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let inputs = self.consumption.iter().zip(self.marginals);
        for (slot, (&c, &d)) in self.values.iter_mut().zip(inputs) {
            *slot = self.value.at(c, d);
        }
    }
}

macro_rules! by_kind {
    ($self:ident, $function:ident, $argument:expr, $kind:ident => $body:expr) => {
        match $self.exponent {
            Exponent::Half => {
                let $kind = $function::<HALF>($argument);
                $body
            }
            Exponent::One => {
                let $kind = $function::<ONE>($argument);
                $body
            }
            Exponent::ThreeHalves => {
                let $kind = $function::<THREE_HALVES>($argument);
                $body
            }
            Exponent::Two => {
                let $kind = $function::<TWO>($argument);
                $body
            }
            Exponent::Three => {
                let $kind = $function::<THREE>($argument);
                $body
            }
            Exponent::General => {
                let $kind = $function::<GENERAL>($argument);
                $body
            }
        }
    };
}

impl Utility for Crra {
    fn value(&self, consumption: f64) -> f64 {
        self.value_at(consumption, self.marginal(consumption))
    }

    fn marginal(&self, consumption: f64) -> f64 {
        by_kind!(self, Marginal, -self.risk_aversion, f => f.at(consumption))
    }

    fn inverse_marginal(&self, marginal: f64) -> f64 {
        by_kind!(self, Inverse, -1.0 / self.risk_aversion, f => f.at(marginal))
    }

    fn value_at(&self, consumption: f64, marginal: f64) -> f64 {
        let (scale, origin) = (self.scale, self.origin);
        if self.exponent == Exponent::One {
            Value::<true> { scale, origin }.at(consumption, marginal)
        } else if self.near_one && consumption > 0.0 {
            math::exp_m1((1.0 - self.risk_aversion) * ln(consumption)) * scale
        } else {
            Value::<false> { scale, origin }.at(consumption, marginal)
        }
    }

    fn values_into(&self, consumption: &[f64], values: &mut [f64]) {
        if self.exponent == Exponent::One {
            self.values_at_into(consumption, consumption, values);
            return;
        }
        // A block of marginals on the stack, then values from them.
        let mut marginals = [0.0; 64];
        for (cs, vs) in consumption.chunks(64).zip(values.chunks_mut(64)) {
            self.marginals_into(cs, &mut marginals);
            self.values_at_into(cs, &marginals, vs);
        }
    }

    fn marginals_into(&self, consumption: &[f64], marginals: &mut [f64]) {
        by_kind!(self, Marginal, -self.risk_aversion, f => map(f, consumption, marginals));
    }

    fn inverse_marginals_into(&self, marginals: &[f64], consumption: &mut [f64]) {
        by_kind!(self, Inverse, -1.0 / self.risk_aversion, f => map(f, marginals, consumption));
    }

    fn values_at_into(&self, consumption: &[f64], marginals: &[f64], values: &mut [f64]) {
        if self.near_one && self.exponent != Exponent::One {
            for ((slot, &c), &d) in values.iter_mut().zip(consumption).zip(marginals) {
                *slot = self.value_at(c, d);
            }
            return;
        }
        let (scale, origin, level) = (self.scale, self.origin, Level::detect());
        if self.exponent == Exponent::One {
            let value = Value::<true> { scale, origin };
            level.dispatch(Values {
                value,
                consumption,
                marginals,
                values,
            });
        } else {
            let value = Value::<false> { scale, origin };
            level.dispatch(Values {
                value,
                consumption,
                marginals,
                values,
            });
        }
    }
}
