//! Which values a parameter may have.

use std::fmt;

/// A closed interval of values, within the numbers and the two infinities.
///
/// ```text
/// lower <= value <= upper
/// ```
///
/// A bound that is infinite admits infinity itself, so that a limit of a block may be "no limit".
/// Without a declaration a parameter has the range [`FINITE`](Self::FINITE): a run refuses an
/// infinite value where nobody has said that the equations make sense of it.
///
/// ```
/// use bifrons_hybrid::ParameterRange;
///
/// let upper_limit = ParameterRange::new(f64::MIN, f64::INFINITY);
/// assert!(upper_limit.contains(f64::INFINITY));
/// assert!(!upper_limit.contains(f64::NEG_INFINITY));
/// assert!(!ParameterRange::FINITE.contains(f64::INFINITY));
/// assert!(!upper_limit.contains(f64::NAN));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterRange {
    lower: f64,
    upper: f64,
}

impl ParameterRange {
    /// Every finite number.
    pub const FINITE: Self = Self::new(f64::MIN, f64::MAX);

    /// Every number and both infinities.
    pub const EXTENDED: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);

    /// From `lower` to `upper`, both included. The range is empty if `lower > upper` or a bound
    /// is NaN, which is refused where it is declared.
    #[must_use]
    pub const fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// Smallest value.
    #[must_use]
    pub const fn lower(self) -> f64 {
        self.lower
    }

    /// Largest value.
    #[must_use]
    pub const fn upper(self) -> f64 {
        self.upper
    }

    /// Whether a parameter may have this value; NaN is in no range.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }
}

impl Default for ParameterRange {
    fn default() -> Self {
        Self::FINITE
    }
}

impl fmt::Display for ParameterRange {
    /// What a value must be: `finite`, perhaps with one infinity, or the two bounds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::FINITE {
            return f.write_str("finite");
        }
        let upper = Self::new(f64::MIN, f64::INFINITY);
        let lower = Self::new(f64::NEG_INFINITY, f64::MAX);
        if *self == upper {
            return f.write_str("finite or inf");
        }
        if *self == lower {
            return f.write_str("finite or -inf");
        }
        write!(f, "from {} to {}", self.lower, self.upper)
    }
}
