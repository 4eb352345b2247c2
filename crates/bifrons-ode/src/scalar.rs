//! Numbers that carry derivatives: one right-hand side gives values, Jacobians, sensitivities.

mod along;

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

use bifrons_lanes::math;

pub(crate) use along::Along;

/// A number with the operations that right-hand sides use: `f64`, or a [`Dual`].
///
/// Elementary functions have the same bits on every machine (`bifrons_lanes::math`).
pub trait Scalar:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// A constant.
    fn constant(value: f64) -> Self;
    /// The value without derivatives, for decisions.
    fn value(self) -> f64;
    /// Square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Exponential.
    #[must_use]
    fn exp(self) -> Self;
    /// Natural logarithm.
    #[must_use]
    fn ln(self) -> Self;
    /// Sine.
    #[must_use]
    fn sin(self) -> Self;
    /// Cosine.
    #[must_use]
    fn cos(self) -> Self;
    /// Hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;
    /// Integer power.
    #[must_use]
    fn powi(self, exponent: i32) -> Self;
    /// Real power of a positive number.
    #[must_use]
    fn powf(self, exponent: f64) -> Self;
    /// Absolute value; its derivative at zero is one.
    #[must_use]
    fn abs(self) -> Self;
}

impl Scalar for f64 {
    #[inline]
    fn constant(value: f64) -> Self {
        value
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    #[inline]
    fn exp(self) -> Self {
        math::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        math::ln(self)
    }
    #[inline]
    fn sin(self) -> Self {
        math::sin(self)
    }
    #[inline]
    fn cos(self) -> Self {
        math::cos(self)
    }
    #[inline]
    fn tanh(self) -> Self {
        math::tanh(self)
    }
    #[inline]
    fn powi(self, exponent: i32) -> Self {
        math::powi(self, exponent)
    }
    #[inline]
    fn powf(self, exponent: f64) -> Self {
        math::pow(self, exponent)
    }
    #[inline]
    fn abs(self) -> Self {
        self.abs()
    }
}

/// A value with its derivatives in `K` directions, carried exactly through every operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<const K: usize> {
    /// The value.
    pub value: f64,
    /// Its derivatives.
    pub tangent: [f64; K],
}

impl<const K: usize> Dual<K> {
    /// A value and its derivatives.
    #[must_use]
    pub const fn new(value: f64, tangent: [f64; K]) -> Self {
        Self { value, tangent }
    }

    /// `value`, with derivatives multiplied by `slope`.
    #[inline]
    fn chain(self, value: f64, slope: f64) -> Self {
        Self {
            value,
            tangent: self.tangent.map(|d| slope * d),
        }
    }

    #[inline]
    fn zip(self, other: Self, value: f64, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut tangent = self.tangent;
        for (a, b) in tangent.iter_mut().zip(other.tangent) {
            *a = f(*a, b);
        }
        Self { value, tangent }
    }
}

/// Derivative `x' y + x y'` of a product.
#[inline(always)]
fn product(dx: f64, x: f64, dy: f64, y: f64) -> f64 {
    dx * y + x * dy
}

/// Derivative `(x' - q y') / y` of a quotient `q = x / y`.
#[inline(always)]
fn ratio(dx: f64, q: f64, dy: f64, y: f64) -> f64 {
    (dx - q * dy) / y
}

impl<const K: usize> Add for Dual<K> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.zip(other, self.value + other.value, |a, b| a + b)
    }
}

impl<const K: usize> Sub for Dual<K> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, self.value - other.value, |a, b| a - b)
    }
}

impl<const K: usize> Mul for Dual<K> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (x, y) = (self.value, other.value);
        self.zip(other, x * y, |a, b| product(a, x, b, y))
    }
}

impl<const K: usize> Div for Dual<K> {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let (quotient, y) = (self.value / other.value, other.value);
        self.zip(other, quotient, |a, b| ratio(a, quotient, b, y))
    }
}

impl<const K: usize> Neg for Dual<K> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}

impl<const K: usize> Add<f64> for Dual<K> {
    type Output = Self;
    #[inline]
    fn add(self, other: f64) -> Self {
        self.chain(self.value + other, 1.0)
    }
}

impl<const K: usize> Sub<f64> for Dual<K> {
    type Output = Self;
    #[inline]
    fn sub(self, other: f64) -> Self {
        self.chain(self.value - other, 1.0)
    }
}

impl<const K: usize> Mul<f64> for Dual<K> {
    type Output = Self;
    #[inline]
    fn mul(self, other: f64) -> Self {
        self.chain(self.value * other, other)
    }
}

impl<const K: usize> Div<f64> for Dual<K> {
    type Output = Self;
    #[inline]
    fn div(self, other: f64) -> Self {
        self.chain(self.value / other, 1.0 / other)
    }
}

impl<const K: usize> Scalar for Dual<K> {
    #[inline]
    fn constant(value: f64) -> Self {
        Self::new(value, [0.0; K])
    }
    #[inline]
    fn value(self) -> f64 {
        self.value
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }
    fn exp(self) -> Self {
        let value = math::exp(self.value);
        self.chain(value, value)
    }
    fn ln(self) -> Self {
        self.chain(math::ln(self.value), 1.0 / self.value)
    }
    fn sin(self) -> Self {
        self.chain(math::sin(self.value), math::cos(self.value))
    }
    fn cos(self) -> Self {
        self.chain(math::cos(self.value), -math::sin(self.value))
    }
    fn tanh(self) -> Self {
        let value = math::tanh(self.value);
        self.chain(value, 1.0 - value * value)
    }
    fn powi(self, exponent: i32) -> Self {
        if exponent == 0 {
            return Self::constant(1.0);
        }
        let below = math::powi(self.value, exponent - 1);
        self.chain(
            math::powi(self.value, exponent),
            f64::from(exponent) * below,
        )
    }
    fn powf(self, exponent: f64) -> Self {
        let slope = exponent * math::pow(self.value, exponent - 1.0);
        self.chain(math::pow(self.value, exponent), slope)
    }
    fn abs(self) -> Self {
        if self.value < 0.0 { -self } else { self }
    }
}
