//! How many bytes a run may use.

use crate::surroundings::Surroundings;

/// A bound on memory: so many bytes, a share of what is left, or none.
///
/// The default is 80 % of what the machine or its control group leaves at the time of asking.
///
/// ```
/// use bifrons_memory::{Budget, Bytes};
///
/// assert_eq!(Budget::bytes("64 MiB".parse::<Bytes>()?.get()).resolve()?, 64 << 20);
/// assert_eq!(Budget::unlimited().resolve()?, u64::MAX);
/// assert!(Budget::share(1.5).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Bytes(u64),
    Share(f64),
    Unlimited,
}

/// Why a budget is no number of bytes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// A share outside `(0, 1]` or not a number.
    #[error("share of memory must be above 0 and at most 1, got {value}")]
    Share {
        /// The share.
        value: f64,
    },
    /// A share was asked of a system that does not tell how much memory is left.
    #[error("memory left by this system is unknown; give the budget in bytes")]
    Unknown,
}

impl Budget {
    /// The share of the default budget.
    pub const DEFAULT_SHARE: f64 = 0.8;

    /// At most `bytes`.
    #[must_use]
    pub const fn bytes(bytes: u64) -> Self {
        Self(Kind::Bytes(bytes))
    }

    /// At most `share` of what the machine or its control group leaves, `0 < share <= 1`.
    ///
    /// # Errors
    /// [`BudgetError::Share`] if the share is outside that range or NaN.
    pub fn share(share: f64) -> Result<Self, BudgetError> {
        if share > 0.0 && share <= 1.0 {
            Ok(Self(Kind::Share(share)))
        } else {
            Err(BudgetError::Share { value: share })
        }
    }

    /// No bound.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self(Kind::Unlimited)
    }

    /// The allowed number of bytes, `u64::MAX` for no bound. Reads the surroundings of this
    /// process if the budget is a share.
    ///
    /// # Errors
    /// [`BudgetError::Unknown`] if the budget is a share and the system does not say what is left.
    pub fn resolve(&self) -> Result<u64, BudgetError> {
        match self.0 {
            Kind::Share(_) => self.resolve_in(&Surroundings::read()),
            _ => self.resolve_in(&Surroundings::default()),
        }
    }

    /// The allowed number of bytes in given surroundings; a share is rounded down.
    ///
    /// # Errors
    /// [`BudgetError::Unknown`] if the budget is a share and the surroundings know nothing.
    pub fn resolve_in(&self, surroundings: &Surroundings) -> Result<u64, BudgetError> {
        match self.0 {
            Kind::Bytes(bytes) => Ok(bytes),
            Kind::Unlimited => Ok(u64::MAX),
            Kind::Share(share) => surroundings
                .left()
                .map(|left| share_of(share, left))
                .ok_or(BudgetError::Unknown),
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self(Kind::Share(Self::DEFAULT_SHARE))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "share is in (0, 1], so the product is within 0 and `left`; the cast saturates"
)]
fn share_of(share: f64, left: u64) -> u64 {
    ((left as f64 * share).floor() as u64).min(left)
}
