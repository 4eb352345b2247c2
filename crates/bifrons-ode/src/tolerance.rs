//! Relative and absolute tolerances, validated once.

use crate::error::{Failure, InputError};

/// Tolerances of the error norm: one relative, one absolute per component or one for all.
///
/// Dimension: the absolute tolerance has the unit of its component, the relative one has none.
/// A relative tolerance below `10 ε` is raised to `10 ε`, because no step could satisfy it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tolerance {
    relative: f64,
    absolute: Vec<f64>,
}

impl Tolerance {
    /// The same absolute tolerance for every component.
    ///
    /// # Errors
    ///
    /// [`InputError::Tolerance`] if a value is negative, not finite, or both are zero.
    pub fn new(relative: f64, absolute: f64) -> Result<Self, InputError> {
        Self::validated(relative, vec![absolute])
    }

    /// One absolute tolerance per component; its length must be the dimension of the problem
    /// (a slice of length one counts for all components).
    ///
    /// # Errors
    ///
    /// [`InputError::Tolerance`] as for [`Tolerance::new`]; an empty slice is an error, too.
    pub fn per_component(relative: f64, absolute: &[f64]) -> Result<Self, InputError> {
        if absolute.is_empty() {
            return Err(InputError::ToleranceCount {
                found: 0,
                required: 1,
            });
        }
        Self::validated(relative, absolute.to_vec())
    }

    fn validated(relative: f64, absolute: Vec<f64>) -> Result<Self, InputError> {
        if !(relative >= 0.0 && relative.is_finite()) {
            return Err(InputError::Tolerance {
                which: "relative",
                component: None,
                value: relative,
            });
        }
        for (component, &value) in absolute.iter().enumerate() {
            let alone_zero = value == 0.0 && relative == 0.0;
            if !(value >= 0.0 && value.is_finite()) || alone_zero {
                let component = (absolute.len() > 1).then_some(component);
                return Err(InputError::Tolerance {
                    which: "absolute",
                    component,
                    value,
                });
            }
        }
        let relative = if relative > 0.0 {
            relative.max(10.0 * f64::EPSILON)
        } else {
            relative
        };
        Ok(Self { relative, absolute })
    }

    /// The relative tolerance.
    #[must_use]
    pub const fn relative(&self) -> f64 {
        self.relative
    }

    /// The absolute tolerances: one for all components, or one each.
    #[must_use]
    pub fn absolute(&self) -> &[f64] {
        &self.absolute
    }

    /// There must be one absolute tolerance, or one per component.
    pub(crate) fn check_count(&self, required: usize) -> Result<(), InputError> {
        let found = self.absolute.len();
        if found == 1 || found == required {
            return Ok(());
        }
        Err(InputError::ToleranceCount { found, required })
    }

    /// Writes one absolute tolerance per component into `weights`.
    pub(crate) fn expand_into(&self, weights: &mut [f64]) -> Result<(), InputError> {
        self.check_count(weights.len())?;
        match self.absolute.as_slice() {
            [one] => weights.fill(*one),
            many => weights.copy_from_slice(many),
        }
        Ok(())
    }
}

/// Fails where the round-off of a state is above its tolerances in the norm of errors,
/// `ε sqrt(1/n Σ (y_i / atol_i)²) > 1`.
///
/// A relative tolerance is never below `10 ε`, so this is for the relative tolerance zero.
pub(crate) fn check_round_off(
    t: f64,
    y: &[f64],
    (relative, absolute): (f64, &[f64]),
) -> Result<(), Failure> {
    if relative > 0.0 || y.is_empty() {
        return Ok(());
    }
    let (mut sum, mut worst) = (0.0, (0, 0.0));
    for (component, &y) in y.iter().enumerate() {
        let absolute = absolute.get(component).or(absolute.first());
        let share = f64::EPSILON * y.abs() / absolute.copied().unwrap_or(f64::INFINITY);
        sum += share * share;
        if share > worst.1 {
            worst = (component, share);
        }
    }
    let factor = (sum / y.len() as f64).sqrt();
    if factor > 1.0 {
        let component = worst.0;
        return Err(Failure::ToleranceTooSmall {
            t,
            component,
            factor,
        });
    }
    Ok(())
}

impl Default for Tolerance {
    /// `rtol = 1e-6`, `atol = 1e-9`.
    fn default() -> Self {
        Self {
            relative: 1e-6,
            absolute: vec![1e-9],
        }
    }
}
