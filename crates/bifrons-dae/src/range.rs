//! Ranges of parameters.

use std::fmt;

use bifrons_expr::Interval;

/// The values that a parameter may have; NaN is in no range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    /// Whether the lower bound itself is out.
    open: bool,
    nonzero: bool,
}

/// Stands for the least positive number where a product of a few of them must not underflow.
const LEAST: f64 = 1e-60;

impl Range {
    /// Every finite number.
    pub const ANY: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        open: false,
        nonzero: false,
    };
    /// Greater than zero.
    pub const POSITIVE: Self = Self {
        low: 0.0,
        high: f64::INFINITY,
        open: true,
        nonzero: false,
    };
    /// Zero or greater.
    pub const NON_NEGATIVE: Self = Self {
        low: 0.0,
        high: f64::INFINITY,
        open: false,
        nonzero: false,
    };
    /// Every number but zero.
    pub const NONZERO: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        open: false,
        nonzero: true,
    };

    /// From `low` to `high`, both included.
    #[must_use]
    pub const fn between(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            open: false,
            nonzero: false,
        }
    }

    /// Whether the value is allowed.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        let above = if self.open {
            value > self.low
        } else {
            value >= self.low
        };
        above && value <= self.high && value.is_finite() && !(self.nonzero && value == 0.0)
    }

    /// Enclosures whose union is the range: one, or two where zero is left out.
    pub(crate) fn intervals(self) -> Vec<Interval> {
        if self.nonzero {
            vec![
                Interval::new(LEAST, self.high),
                Interval::new(self.low, -LEAST),
            ]
        } else if self.open {
            let low = if self.low == 0.0 { LEAST } else { self.low };
            vec![Interval::new(low, self.high)]
        } else {
            vec![Interval::new(self.low, self.high)]
        }
    }
}

impl Default for Range {
    fn default() -> Self {
        Self::ANY
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.nonzero, self.open) {
            (true, _) => f.write_str("different from zero"),
            (_, true) => write!(f, "greater than {}", self.low),
            _ if self.low == f64::NEG_INFINITY && self.high == f64::INFINITY => {
                f.write_str("finite")
            }
            _ if self.high == f64::INFINITY => write!(f, "at least {}", self.low),
            _ => write!(f, "between {} and {}", self.low, self.high),
        }
    }
}
