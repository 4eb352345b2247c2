//! A fixed cost of adjusting that is observed before the choice.

use crate::error::OuterError;

/// Cost `B χ` of adjusting, `χ` uniform on `[low, high]` and known when the choice is made.
///
/// ```text
/// E max(V_K, V_A - B χ),   t = (V_A - V_K) / B
///   t ≤ low          V_K,                              P = 0
///   low < t < high   V_K + B (t - low)² / (2 (high - low)),   P = (t - low) / (high - low)
///   t ≥ high         V_A - B (low + high) / 2,         P = 1
/// ```
///
/// Derivative by anything that `B` does not depend on: `(1 - P) V_K' + P V_A'`, continuous.
/// `B = 0` is the plain maximum, in which keeping wins ties.
///
/// ```
/// use bifrons_egm::UniformFixedCost;
///
/// let cost = UniformFixedCost::new(1.0, 0.0, 1.0)?;
/// let choice = cost.aggregate(1.0, 1.3);
/// assert!((choice.value - 1.045).abs() < 1e-15 && (choice.probability - 0.3).abs() < 1e-15);
/// # Ok::<(), bifrons_egm::OuterError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformFixedCost {
    scale: f64,
    low: f64,
    high: f64,
}

/// Expected value of keeping or adjusting, and how likely it is to adjust.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjustment {
    /// Expected value.
    pub value: f64,
    /// Probability of adjusting.
    pub probability: f64,
}

impl UniformFixedCost {
    /// No cost: the maximum.
    pub const NONE: Self = Self {
        scale: 0.0,
        low: 0.0,
        high: 1.0,
    };

    /// Cost `scale · χ` with `χ` uniform on `[low, high]`.
    ///
    /// # Errors
    ///
    /// [`OuterError::Parameter`] unless `scale ≥ 0` and `low < high`, all finite.
    pub fn new(scale: f64, low: f64, high: f64) -> Result<Self, OuterError> {
        let check = |name, fine: bool, required, value| {
            if fine {
                Ok(())
            } else {
                Err(OuterError::Parameter {
                    name,
                    required,
                    value,
                })
            }
        };
        check(
            "scale of the fixed cost",
            scale >= 0.0 && scale.is_finite(),
            "finite and not negative",
            scale,
        )?;
        check("lower end of the shock", low.is_finite(), "finite", low)?;
        check(
            "upper end of the shock",
            high > low && high.is_finite(),
            "finite and above the lower end",
            high,
        )?;
        Ok(Self { scale, low, high })
    }

    /// Expected value and probability of adjusting.
    ///
    /// Where one of both is infeasible (`-inf`) it is the other one, where both are `-inf` with
    /// probability zero. NaN of either gives NaN.
    #[must_use]
    pub fn aggregate(&self, keep: f64, adjust: f64) -> Adjustment {
        let kept = Adjustment {
            value: keep,
            probability: 0.0,
        };
        if keep.is_nan() || adjust.is_nan() {
            return Adjustment {
                value: f64::NAN,
                probability: f64::NAN,
            };
        }
        if adjust == f64::NEG_INFINITY {
            return kept;
        }
        let mean = 0.5 * (self.low + self.high);
        let always = Adjustment {
            value: adjust - self.scale * mean,
            probability: 1.0,
        };
        if self.scale == 0.0 {
            return if adjust > keep { always } else { kept };
        }
        let (t, width) = ((adjust - keep) / self.scale, self.high - self.low);
        if t <= self.low {
            kept
        } else if t >= self.high {
            always
        } else {
            let over = t - self.low;
            Adjustment {
                value: keep + self.scale * over * over / (2.0 * width),
                probability: over / width,
            }
        }
    }
}
