//! Fractions of integers of any size.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

use num_bigint::{BigInt, Sign};

/// `numerator / denominator`, not reduced, with a positive denominator.
#[derive(Debug, Clone)]
pub(crate) struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

impl Fraction {
    fn new(numerator: BigInt, denominator: BigInt) -> Self {
        if denominator.sign() == Sign::Minus {
            return Self::new(-numerator, -denominator);
        }
        Self {
            numerator,
            denominator,
        }
    }

    /// The number itself.
    pub(crate) fn exact(x: f64) -> Self {
        let bits = x.to_bits();
        let exponent = i64::try_from(bits >> 52 & 0x7ff).unwrap();
        let fraction = bits & 0x000f_ffff_ffff_ffff;
        let hidden = if exponent == 0 { 0 } else { 1 << 52 };
        let mantissa = BigInt::from(fraction | hidden);
        let mantissa = if x < 0.0 { -mantissa } else { mantissa };
        let shift = exponent.max(1) - 1_075;
        if shift >= 0 {
            Self::new(mantissa << shift, BigInt::from(1))
        } else {
            Self::new(mantissa, BigInt::from(1) << -shift)
        }
    }

    /// Nearest number, of two equally near ones the even one.
    pub(crate) fn rounded(&self) -> f64 {
        let (negative, size) = match self.numerator.sign() {
            Sign::NoSign => return 0.0,
            Sign::Minus => (true, -self.numerator.clone()),
            Sign::Plus => (false, self.numerator.clone()),
        };
        let bits = |n: &BigInt| i64::try_from(n.bits()).unwrap();
        // Scale to at most 53 bits before the point, or to multiples of the smallest number.
        let mut shift = (54 - (bits(&size) - bits(&self.denominator))).min(1_074);
        let (whole, rest, unit) = loop {
            let (up, down) = (shift.max(0), (-shift).max(0));
            let (n, d) = (size.clone() << up, self.denominator.clone() << down);
            let (whole, rest) = (&n / &d, &n % &d);
            if whole.bits() <= 53 {
                break (whole, rest, d);
            }
            shift -= 1;
        };
        let odd = &whole % BigInt::from(2) == BigInt::from(1);
        let whole = match (rest * BigInt::from(2)).cmp(&unit) {
            Ordering::Greater => whole + BigInt::from(1),
            Ordering::Equal if odd => whole + BigInt::from(1),
            _ => whole,
        };
        let mantissa = u64::try_from(&whole).unwrap() as f64;
        // In two exact steps, because 2^-1074 has no reciprocal.
        let half = i32::try_from(shift / 2).unwrap();
        let rest = i32::try_from(shift).unwrap() - half;
        let value = mantissa * 2.0_f64.powi(-half) * 2.0_f64.powi(-rest);
        if negative { -value } else { value }
    }
}

impl Add for Fraction {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (a, b) = (
            self.numerator * &other.denominator,
            other.numerator * &self.denominator,
        );
        Self::new(a + b, self.denominator * other.denominator)
    }
}

impl Sub for Fraction {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let (a, b) = (
            self.numerator * &other.denominator,
            other.numerator * &self.denominator,
        );
        Self::new(a - b, self.denominator * other.denominator)
    }
}

impl Mul for Fraction {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::new(
            self.numerator * other.numerator,
            self.denominator * other.denominator,
        )
    }
}

impl Div for Fraction {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::new(
            self.numerator * other.denominator,
            self.denominator * other.numerator,
        )
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Fraction {}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}
