//! Dual numbers: values with derivatives in one direction, for Jacobians that would be long.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// What equations need of a number.
pub(super) trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn constant(value: f64) -> Self;
    fn value(self) -> f64;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn sqrt(self) -> Self;

    fn scale(self, factor: f64) -> Self {
        Self::constant(factor) * self
    }
}

impl Number for f64 {
    #[inline(always)]
    fn constant(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sin(self) -> Self {
        Self::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        Self::cos(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }
}

/// `value + slope ε` with `ε² = 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dual {
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            slope: self.slope + other.slope,
        }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            slope: self.slope - other.slope,
        }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self {
            value,
            slope: (self.slope - value * other.slope) / other.value,
        }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            slope: -self.slope,
        }
    }
}

impl Number for Dual {
    fn constant(value: f64) -> Self {
        Self { value, slope: 0.0 }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn sin(self) -> Self {
        Self {
            value: self.value.sin(),
            slope: self.slope * self.value.cos(),
        }
    }
    fn cos(self) -> Self {
        Self {
            value: self.value.cos(),
            slope: -self.slope * self.value.sin(),
        }
    }
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        Self {
            value,
            slope: 0.5 * self.slope / value,
        }
    }
}
