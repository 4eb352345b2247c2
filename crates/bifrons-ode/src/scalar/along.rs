//! A derivative along one direction on top of any scalar: with dual numbers below, second ones.

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::Scalar;

/// A value and its derivative along one direction, both of them scalars of their own.
///
/// `Along<Dual<K>>` carries the derivative `u` along one direction, those in `K` directions, and
/// the `K` mixed second ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Along<S> {
    pub(crate) value: S,
    pub(crate) along: S,
}

impl<S: Scalar> Along<S> {
    /// `value`, whose derivative by the argument is `slope`.
    #[inline]
    fn chain(self, value: S, slope: S) -> Self {
        Self {
            value,
            along: slope * self.along,
        }
    }
}

impl<S: Scalar> Add for Along<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            along: self.along + other.along,
        }
    }
}

impl<S: Scalar> Sub for Along<S> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            along: self.along - other.along,
        }
    }
}

impl<S: Scalar> Mul for Along<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let along = self.along * other.value + self.value * other.along;
        Self {
            value: self.value * other.value,
            along,
        }
    }
}

impl<S: Scalar> Div for Along<S> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let along = (self.along - value * other.along) / other.value;
        Self { value, along }
    }
}

impl<S: Scalar> Neg for Along<S> {
    type Output = Self;
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            along: -self.along,
        }
    }
}

impl<S: Scalar> Add<f64> for Along<S> {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        Self {
            value: self.value + other,
            along: self.along,
        }
    }
}

impl<S: Scalar> Sub<f64> for Along<S> {
    type Output = Self;
    fn sub(self, other: f64) -> Self {
        Self {
            value: self.value - other,
            along: self.along,
        }
    }
}

impl<S: Scalar> Mul<f64> for Along<S> {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        Self {
            value: self.value * other,
            along: self.along * other,
        }
    }
}

impl<S: Scalar> Div<f64> for Along<S> {
    type Output = Self;
    fn div(self, other: f64) -> Self {
        Self {
            value: self.value / other,
            along: self.along / other,
        }
    }
}

impl<S: Scalar> Scalar for Along<S> {
    fn constant(value: f64) -> Self {
        Self {
            value: S::constant(value),
            along: S::constant(0.0),
        }
    }
    fn value(self) -> f64 {
        self.value.value()
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::constant(0.5) / root)
    }
    fn exp(self) -> Self {
        let value = self.value.exp();
        self.chain(value, value)
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), S::constant(1.0) / self.value)
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    fn tanh(self) -> Self {
        let value = self.value.tanh();
        self.chain(value, -(value * value) + 1.0)
    }
    fn powi(self, exponent: i32) -> Self {
        if exponent == 0 {
            return Self::constant(1.0);
        }
        let slope = self.value.powi(exponent - 1) * f64::from(exponent);
        self.chain(self.value.powi(exponent), slope)
    }
    fn powf(self, exponent: f64) -> Self {
        let slope = self.value.powf(exponent - 1.0) * exponent;
        self.chain(self.value.powf(exponent), slope)
    }
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Along;
    use crate::scalar::{Dual, Scalar};

    /// Second derivative of `f` at `x` against a central difference of its first one.
    fn compare(name: &str, f: impl Fn(Along<Dual<1>>) -> Along<Dual<1>>) {
        let first = |x: f64| {
            let at = Along {
                value: Dual::new(x, [1.0]),
                along: Dual::constant(1.0),
            };
            let found = f(at);
            // Both ways to the first derivative agree.
            let (a, b) = (found.value.tangent[0], found.along.value);
            assert!((a - b).abs() <= 1e-14 * (1.0 + a.abs()), "{name}: {a} {b}");
            (a, found.along.tangent[0])
        };
        for x in [0.4, 1.1] {
            let h = 1e-5;
            let difference = (first(x + h).0 - first(x - h).0) / (2.0 * h);
            let found = first(x).1;
            assert!(
                (found - difference).abs() <= 1e-8 * (1.0 + found.abs()),
                "{name} at {x}: found {found}, difference {difference}"
            );
        }
    }

    #[test]
    fn second_derivatives_of_every_function() {
        compare("sqrt", Scalar::sqrt);
        compare("exp", Scalar::exp);
        compare("ln", Scalar::ln);
        compare("sin", Scalar::sin);
        compare("cos", Scalar::cos);
        compare("tanh", Scalar::tanh);
        compare("powi", |x| x.powi(-3));
        compare("powi zero", |x| x.powi(0) + x);
        compare("powf", |x| x.powf(1.7));
        compare("abs", |x| -((x - 2.0) * (x - 2.0)).abs());
        compare("quotient", |x| x * x / (x + 1.0) - x);
        compare("constants", |x| (x * 3.0 - 1.0) / 2.0 * -x);
    }
}
