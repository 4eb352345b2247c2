//! When an interval is small enough.

use crate::RootError;

/// Width at which an interval counts as a point: `absolute + relative · max(|left|, |right|)`.
///
/// Both parts may be zero: the search then runs until its ends are adjacent floating-point
/// numbers, so every tolerance can be met.
///
/// ```
/// use bifrons_roots::Tolerance;
///
/// let tolerance = Tolerance::new(1e-12, 1e-9)?;
/// assert_eq!(tolerance.width(-2.0, 1.0), 1e-12 + 2e-9);
/// assert!(Tolerance::new(-1.0, 0.0).is_err());
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Unchecked", into = "Unchecked")
)]
pub struct Tolerance {
    absolute: f64,
    relative: f64,
}

impl Tolerance {
    /// Down to adjacent floating-point numbers.
    pub const EXACT: Self = Self {
        absolute: 0.0,
        relative: 0.0,
    };

    /// Relative `√ε`, the resolution of a minimum of a smooth function.
    pub(crate) const SQRT_EPSILON: Self = Self {
        absolute: 0.0,
        relative: 1.490_116_119_384_765_6e-8,
    };

    /// Tolerance from its two parts, both finite and not negative.
    ///
    /// # Errors
    ///
    /// [`RootError::Tolerance`] for a negative, infinite or NaN part.
    pub fn new(absolute: f64, relative: f64) -> Result<Self, RootError> {
        for (kind, value) in [("absolute", absolute), ("relative", relative)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(RootError::Tolerance { kind, value });
            }
        }
        Ok(Self { absolute, relative })
    }

    /// At most `count` units in the last place of the larger end.
    ///
    /// A unit in the last place of `x` is at least `ε|x|/2`, so the relative part is
    /// `count · ε/2` with `ε = 2⁻⁵²`; no interval wider than `count` units is accepted, except
    /// that two adjacent numbers always are.
    #[must_use]
    pub fn ulps(count: u32) -> Self {
        Self {
            absolute: 0.0,
            relative: f64::from(count) * (f64::EPSILON / 2.0),
        }
    }

    /// Absolute part.
    #[must_use]
    pub fn absolute(self) -> f64 {
        self.absolute
    }

    /// Relative part.
    #[must_use]
    pub fn relative(self) -> f64 {
        self.relative
    }

    /// Accepted width of an interval with these ends.
    #[must_use]
    pub fn width(self, left: f64, right: f64) -> f64 {
        self.absolute + self.relative * left.abs().max(right.abs())
    }
}

/// Distance from `|x|` to the next larger number; positive, also at zero.
pub(crate) fn spacing(x: f64) -> f64 {
    let x = x.abs();
    if x < f64::MAX {
        x.next_up() - x
    } else {
        x - x.next_down()
    }
}

/// `point` moved strictly between the ends (NaN becomes the midpoint); `None` if they are adjacent.
pub(crate) fn strictly_inside(point: f64, a: f64, b: f64) -> Option<f64> {
    let (low, high) = (a.min(b).next_up(), a.max(b).next_down());
    if low > high {
        return None;
    }
    let point = if point.is_nan() { a.midpoint(b) } else { point };
    Some(point.clamp(low, high))
}

/// Form in which a tolerance is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Tolerance", deny_unknown_fields)]
struct Unchecked {
    #[serde(default)]
    absolute: f64,
    #[serde(default)]
    relative: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Unchecked> for Tolerance {
    type Error = RootError;

    fn try_from(raw: Unchecked) -> Result<Self, RootError> {
        Self::new(raw.absolute, raw.relative)
    }
}

#[cfg(feature = "serde")]
impl From<Tolerance> for Unchecked {
    fn from(tolerance: Tolerance) -> Self {
        Self {
            absolute: tolerance.absolute,
            relative: tolerance.relative,
        }
    }
}
