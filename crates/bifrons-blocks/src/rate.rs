//! When a discrete block acts.

use bifrons_hybrid::{BlockError, Clock, Rational};

use crate::check::refuse;

/// Period and offset of a discrete block: it acts at `offset + k · period`, `k = 0, 1, 2, …`.
///
/// Numbers are taken as the decimals that they print as: `0.1` is exactly one tenth. Use
/// [`exact`](Self::exact) for fractions such as 1/3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate(Parts);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Parts {
    Decimal { period: f64, offset: f64 },
    Exact { period: Rational, offset: Rational },
}

impl Rate {
    /// Every `period`, from zero on; must be positive and finite.
    #[must_use]
    pub fn every(period: f64) -> Self {
        Self(Parts::Decimal {
            period,
            offset: 0.0,
        })
    }

    /// Every `period`, first at `offset`.
    #[must_use]
    pub fn with_offset(period: f64, offset: f64) -> Self {
        Self(Parts::Decimal { period, offset })
    }

    /// Every `period`, first at `offset`, both exact.
    #[must_use]
    pub fn exact(period: Rational, offset: Rational) -> Self {
        Self(Parts::Exact { period, offset })
    }

    /// The period as the nearest number.
    pub(crate) fn period(self) -> f64 {
        match self.0 {
            Parts::Decimal { period, .. } => period,
            Parts::Exact { period, .. } => period.to_f64(),
        }
    }

    /// The clock `tick` of a block.
    pub(crate) fn clock(self, kind: &str) -> Result<Clock, BlockError> {
        let (period, offset) = match self.0 {
            Parts::Exact { period, offset } => (period, offset),
            Parts::Decimal { period, offset } => {
                let exact = |setting, value| {
                    Rational::decimal(value).map_err(|_| {
                        refuse(kind, setting, value, "must be a number with few digits")
                    })
                };
                (exact("period", period)?, exact("offset", offset)?)
            }
        };
        if period.numerator() <= 0 {
            return Err(refuse(kind, "period", period.to_f64(), "must be positive"));
        }
        Ok(Clock::new("tick", period, offset))
    }
}
