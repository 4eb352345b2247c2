//! Recursive utility (Epstein and Zin) as an additive problem in transformed values.

use bifrons_lanes::math;
use bifrons_memory::Footprint;

use crate::arithmetic::same;
use crate::error::{EgmError, LengthError};
use crate::utility::{Crra, Scaled};

/// The scale on which recursive utility with flow `A c^φ` is additive.
///
/// ```text
/// V = ((1 - β) q^θ + β ν^θ)^(1/θ),   θ = 1 - 1/ψ,   q = A c^φ
/// W = V^θ / θ   is   (1 - β) q^θ / θ + β ν^θ / θ,   and   dW/dV = V^(θ - 1) > 0
/// ```
///
/// Maximising `W` maximises `V`, for either sign of `θ`, and `(1 - β) q^θ / θ` is a CRRA utility
/// with `ρ = 1 - φθ`. So every step for additive problems solves this one, on rows of `W`: with
/// [`CesScale::utility`] as utility and `ν^θ / θ` as the value of the next period. For
/// `|θ| < 0.1` the scale is `(V^θ - 1) / θ`, the logarithm at `θ = 0`, which loses no digits
/// there.
///
/// References: Epstein and Zin (1989), Substitution, risk aversion, and the temporal behavior of
/// consumption and asset returns: a theoretical framework, Econometrica 57(4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CesScale {
    exponent: f64,
    near_zero: bool,
}

impl CesScale {
    /// The scale of an elasticity of intertemporal substitution `ψ`.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] unless `ψ` is positive and finite.
    pub fn new(substitution: f64) -> Result<Self, EgmError> {
        if !(substitution > 0.0 && substitution.is_finite()) {
            return Err(EgmError::Parameter {
                name: "elasticity of intertemporal substitution",
                required: "positive and finite",
                value: substitution,
            });
        }
        let exponent = 1.0 - 1.0 / substitution;
        Ok(Self {
            exponent,
            near_zero: exponent.abs() < 0.1,
        })
    }

    /// Value `V` on this scale; `V ≥ 0`, else NaN.
    #[must_use]
    pub fn transform(&self, value: f64) -> f64 {
        if !(value >= 0.0) {
            return f64::NAN;
        }
        let log = math::ln(value);
        if self.exponent == 0.0 {
            log
        } else if self.near_zero {
            math::exp_m1(self.exponent * log) / self.exponent
        } else {
            math::exp(self.exponent * log) / self.exponent
        }
    }

    /// The value with this transform; NaN for what is none, `-inf` stays.
    #[must_use]
    pub fn value(&self, transformed: f64) -> f64 {
        if transformed == f64::NEG_INFINITY {
            return transformed;
        }
        if self.exponent == 0.0 {
            return math::exp(transformed);
        }
        let power = self.exponent * transformed;
        let log = if self.near_zero {
            math::ln_1p(power)
        } else {
            math::ln(power)
        };
        math::exp(log / self.exponent)
    }

    /// `dW/dV` at a value; zero at zero, where nothing is worth more by being moved.
    #[must_use]
    pub fn slope(&self, value: f64) -> f64 {
        if value == 0.0 {
            0.0
        } else {
            math::exp((self.exponent - 1.0) * math::ln(value))
        }
    }

    /// `(1 - β) q(c)^θ / θ` on this scale, for a flow `A c^φ`.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] unless `0 < β < 1`, `A > 0`, `φ > 0` and `φθ < 1`.
    pub fn utility(
        &self,
        discount: f64,
        (factor, power): (f64, f64),
    ) -> Result<Scaled<Crra>, EgmError> {
        let wrong = |name, required, value| EgmError::Parameter {
            name,
            required,
            value,
        };
        if !(discount > 0.0 && discount < 1.0) {
            return Err(wrong("discount factor", "inside of (0, 1)", discount));
        }
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(wrong("factor of the flow", "positive and finite", factor));
        }
        if !(power > 0.0 && power.is_finite()) {
            return Err(wrong("power of the flow", "positive and finite", power));
        }
        let theta = self.exponent;
        let aversion = 1.0 - power * theta;
        let curved = |_| {
            let required = "such that power · (1 - 1/ψ) is below one";
            wrong("power of the flow", required, power)
        };
        let own = if self.near_zero {
            Crra::normalised(aversion)
        } else {
            Crra::new(aversion)
        };
        let own = own.map_err(curved)?;
        let log = math::ln(factor);
        let scale = (1.0 - discount) * power * math::exp(theta * log);
        let shift = if !self.near_zero {
            0.0
        } else if theta == 0.0 {
            (1.0 - discount) * log
        } else {
            (1.0 - discount) * math::exp_m1(theta * log) / theta
        };
        Scaled::new(own, scale, shift).map_err(curved)
    }
}

/// Accumulates the certainty equivalent `ν(s)` and `dν/ds` at savings nodes, node by node of the
/// lottery.
///
/// ```text
/// ν = (Σ w V^(1-γ))^(1/(1-γ))          dν/ds = ν^γ Σ w V^(-γ) dV/ds
/// ```
///
/// Sums are kept relative to an anchor, the largest value so far (the smallest for `γ > 1`), as
/// `Σ w (e^x - 1)` with `x = (1-γ) ln(V / anchor)`: neither large `γ` nor `γ` near one loses digits
/// or overflows; `γ = 1` is the geometric mean. Weights must add up to one. One left fold per
/// savings node in the order of [`PowerCertainty::add`].
///
/// Cost per node of the lottery and savings node: one logarithm and two exponentials.
#[derive(Debug, Clone, Default)]
pub struct PowerCertainty {
    aversion: f64,
    anchor: Vec<f64>,
    weight: Vec<f64>,
    excess: Vec<f64>,
    slope: Vec<f64>,
}

impl PowerCertainty {
    /// An empty accumulator.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for so many savings nodes.
    #[must_use]
    pub const fn footprint(nodes: usize) -> Footprint {
        Footprint::of::<[f64; 4]>(nodes)
    }

    /// Starts anew with `nodes` savings nodes and relative risk aversion `γ`.
    pub fn reset(&mut self, nodes: usize, aversion: f64) {
        self.aversion = aversion;
        for slot in [
            &mut self.anchor,
            &mut self.weight,
            &mut self.excess,
            &mut self.slope,
        ] {
            slot.clear();
            slot.reserve_exact(nodes);
            slot.resize(nodes, 0.0);
        }
    }

    /// Adds a node of the lottery with its values and their derivatives by savings. A weight of
    /// zero adds nothing; a value that is negative or NaN makes the result NaN.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] for a weight that is negative or not finite, [`EgmError::Length`].
    pub fn add(&mut self, weight: f64, value: &[f64], marginal: &[f64]) -> Result<(), EgmError> {
        if !(weight >= 0.0 && weight.is_finite()) {
            let (name, required) = ("weight", "finite and not negative");
            return Err(EgmError::Parameter {
                name,
                required,
                value: weight,
            });
        }
        LengthError::check("value", value.len(), self.anchor.len())?;
        LengthError::check("marginal", marginal.len(), self.anchor.len())?;
        if weight == 0.0 {
            return Ok(());
        }
        for (at, (&v, &m)) in value.iter().zip(marginal).enumerate() {
            self.add_one(at, weight, v, m);
        }
        Ok(())
    }

    fn add_one(&mut self, at: usize, weight: f64, value: f64, marginal: f64) {
        let (gamma, power) = (self.aversion, 1.0 - self.aversion);
        let log = if value >= 0.0 {
            math::ln(value)
        } else {
            f64::NAN
        };
        let (anchor, total) = (&mut self.anchor[at], &mut self.weight[at]);
        let (excess, slope) = (&mut self.excess[at], &mut self.slope[at]);
        let further = if power >= 0.0 {
            log > *anchor
        } else {
            log < *anchor
        };
        if *total == 0.0 {
            *anchor = log;
        } else if further {
            // Everything so far, seen from the new anchor.
            let step = *anchor - log;
            *excess = if power == 0.0 {
                *excess + *total * step
            } else {
                let x = power * step;
                *total * math::exp_m1(x) + math::exp(x) * *excess
            };
            *slope = times(*slope, -gamma * step);
            *anchor = log;
        }
        // A second zero is as far from a zero anchor as the first one: not at all.
        let distance = if same(log, *anchor) {
            0.0
        } else {
            log - *anchor
        };
        *total += weight;
        *excess += weight
            * if power == 0.0 {
                distance
            } else {
                math::exp_m1(power * distance)
            };
        *slope += times(weight * marginal, -gamma * distance);
    }

    /// Certainty equivalents and their derivatives on a scale: `ν^θ/θ` and its derivative by
    /// savings. Both slices are as long as the savings nodes.
    ///
    /// Where `ν` is zero the derivative is zero.
    ///
    /// # Errors
    ///
    /// [`EgmError::Length`].
    pub fn finish_into(
        &self,
        scale: &CesScale,
        value: &mut [f64],
        marginal: &mut [f64],
    ) -> Result<(), EgmError> {
        LengthError::check("value", value.len(), self.anchor.len())?;
        LengthError::check("marginal", marginal.len(), self.anchor.len())?;
        let power = 1.0 - self.aversion;
        for (at, (value, marginal)) in value.iter_mut().zip(marginal).enumerate() {
            let (anchor, excess) = (self.anchor[at], self.excess[at]);
            let above = if power == 0.0 {
                excess
            } else if excess > -0.5 {
                math::ln_1p(excess) / power
            } else {
                math::ln(self.weight[at] + excess) / power
            };
            let certain = math::exp(anchor + above);
            *value = scale.transform(certain);
            *marginal = if certain == 0.0 {
                0.0
            } else {
                scale.slope(certain) * times(self.slope[at], self.aversion * above)
            };
        }
        Ok(())
    }
}

/// `number · e^exponent`; zero stays zero.
fn times(number: f64, exponent: f64) -> f64 {
    if number == 0.0 {
        0.0
    } else {
        number * math::exp(exponent)
    }
}
