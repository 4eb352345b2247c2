//! Two points between which a function changes sign.

use crate::RootError;

/// A point and the value of the function there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Point.
    pub x: f64,
    /// Value at the point; may be infinite, is never NaN inside a search.
    pub value: f64,
}

impl Sample {
    /// A point and its value.
    #[must_use]
    pub const fn new(x: f64, value: f64) -> Self {
        Self { x, value }
    }

    /// The sample, or the typed error for a NaN value.
    pub(crate) fn checked(self) -> Result<Self, RootError> {
        if self.value.is_nan() {
            Err(RootError::NotANumber { at: self.x })
        } else {
            Ok(self)
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.value.abs() <= 0.0
    }
}

/// An interval whose right end is at or past a zero, seen from its left end.
///
/// *Left* is the end from which one looks and *right* the end towards which one goes; `right`
/// may be the smaller number, as in a search backwards in time. Invariants:
///
/// - the value at `left` is not zero and the value at `right` is zero or has the other sign, or
/// - both ends are the same point and the value there is exactly zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    left: Sample,
    right: Sample,
}

impl Bracket {
    /// Bracket from two samples. An exact zero at `left` gives the one-point bracket there.
    ///
    /// # Errors
    ///
    /// [`RootError::Interval`] if an end or the distance is not finite or both ends coincide,
    /// [`RootError::NotANumber`] for a NaN value, [`RootError::NoSignChange`] if the values have
    /// the same sign.
    pub fn new(left: Sample, right: Sample) -> Result<Self, RootError> {
        let distance = (right.x - left.x).abs();
        if !(distance > 0.0 && distance.is_finite()) {
            return Err(RootError::Interval {
                left: left.x,
                right: right.x,
            });
        }
        let (left, right) = (left.checked()?, right.checked()?);
        if left.is_zero() {
            return Ok(Self::point(left));
        }
        if !right.is_zero() && (right.value > 0.0) == (left.value > 0.0) {
            return Err(RootError::NoSignChange {
                left: left.x,
                left_value: left.value,
                right: right.x,
                right_value: right.value,
            });
        }
        Ok(Self { left, right })
    }

    /// The one-point bracket at an exact zero.
    pub(crate) fn point(zero: Sample) -> Self {
        Self {
            left: zero,
            right: zero,
        }
    }

    /// Last point known to lie before the zero (or the zero itself in a one-point bracket).
    #[must_use]
    pub fn left(&self) -> Sample {
        self.left
    }

    /// First point known to lie at or past the zero.
    #[must_use]
    pub fn right(&self) -> Sample {
        self.right
    }

    /// Distance of the ends, zero in a one-point bracket.
    #[must_use]
    pub fn width(&self) -> f64 {
        (self.right.x - self.left.x).abs()
    }

    /// Whether the value rises through zero from left to right; false in a one-point bracket.
    #[must_use]
    pub fn is_rising(&self) -> bool {
        self.left.value < 0.0
    }

    /// End with the smaller absolute value; the right end if they are equal.
    #[must_use]
    pub fn best(&self) -> Sample {
        if self.left.value.abs() < self.right.value.abs() {
            self.left
        } else {
            self.right
        }
    }

    /// Whether a value counts as at or past zero, seen from the left end.
    pub(crate) fn is_past(&self, value: f64) -> bool {
        value.abs() <= 0.0 || (value > 0.0) != (self.left.value > 0.0)
    }

    /// Replaces the end on whose side the (checked) sample lies and returns that end.
    pub(crate) fn shrink(&mut self, sample: Sample) -> Sample {
        let end = if self.is_past(sample.value) {
            &mut self.right
        } else {
            &mut self.left
        };
        core::mem::replace(end, sample)
    }
}
