//! Exact rational numbers for clocks.

use std::fmt;
use std::str::FromStr;

/// A rational number in lowest terms, with a positive denominator.
///
/// Decimal numbers are read exactly: `"0.1"` and `Rational::decimal(0.1)` are 1/10, not the
/// nearest binary fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

/// A text or number that is no rational number of moderate size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` must be a decimal number or a fraction like 1/3, with numerator and denominator \
     below 2^96"
)]
pub struct RationalError {
    /// What was given.
    pub text: String,
}

/// Numerators and denominators stay below this, so that sums of products fit into 128 bits for
/// any sensible number of periods.
const LARGEST: i128 = 1 << 96;

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };

    /// `numerator / denominator`.
    ///
    /// # Errors
    ///
    /// [`RationalError`] if the denominator is zero.
    pub fn new(numerator: i64, denominator: i64) -> Result<Self, RationalError> {
        Self::reduced(numerator.into(), denominator.into()).ok_or_else(|| RationalError {
            text: format!("{numerator}/{denominator}"),
        })
    }

    /// The decimal number that `value` prints as: 1/10 for `0.1`.
    ///
    /// # Errors
    ///
    /// [`RationalError`] if the value is not finite or has too many digits.
    pub fn decimal(value: f64) -> Result<Self, RationalError> {
        value.to_string().parse()
    }

    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let divisor = i128::try_from(divisor).ok()?.max(1) * denominator.signum();
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        (numerator.abs() < LARGEST && denominator < LARGEST).then_some(Self {
            numerator,
            denominator,
        })
    }

    /// The numerator.
    #[must_use]
    pub const fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator, positive.
    #[must_use]
    pub const fn denominator(self) -> i128 {
        self.denominator
    }

    /// The nearest floating-point number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        quotient(self.numerator, self.denominator)
    }

    fn read(text: &str) -> Option<Self> {
        if let Some((above, below)) = text.split_once('/') {
            let (above, below) = (Self::read(above)?, Self::read(below)?);
            return Self::reduced(
                above.numerator.checked_mul(below.denominator)?,
                above.denominator.checked_mul(below.numerator)?,
            );
        }
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let number: i128 = format!("{whole}{fraction}").parse().ok()?;
        let places = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = 10_i128.checked_pow(places.unsigned_abs())?;
        if places >= 0 {
            Self::reduced(number.checked_mul(power)?, 1)
        } else {
            Self::reduced(number, power)
        }
    }
}

impl FromStr for Rational {
    type Err = RationalError;

    /// Reads `0.1`, `1e-3` or `1/3`.
    fn from_str(text: &str) -> Result<Self, RationalError> {
        Self::read(text.trim()).ok_or_else(|| RationalError {
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `numerator / denominator` rounded to the nearest `f64`, ties to even.
#[expect(
    clippy::cast_precision_loss,
    reason = "operands below 2^53 are exact, the longer way rounds once"
)]
pub(super) fn quotient(numerator: i128, denominator: i128) -> f64 {
    const EXACT: u128 = 1 << 53;
    let (above, below) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    let sign = if (numerator < 0) == (denominator < 0) {
        1.0
    } else {
        -1.0
    };
    if above == 0 {
        return 0.0;
    }
    if above < EXACT && below < EXACT {
        return sign * (above as f64 / below as f64);
    }
    // 64 or more leading bits of the quotient and whether anything is left.
    let (mut whole, mut rest) = (above / below, above % below);
    let mut exponent = 0;
    while whole < 1 << 64 && rest != 0 && exponent > -1100 {
        rest <<= 1;
        whole <<= 1;
        if rest >= below {
            rest -= below;
            whole |= 1;
        }
        exponent -= 1;
    }
    // A sticky bit below the 64: the cast rounds to nearest even.
    let sticky = (whole << 1) | u128::from(rest != 0);
    sign * scale(sticky as f64, exponent - 1)
}

/// `value · 2^exponent`, exact for results that are normal numbers.
fn scale(value: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    value * 2.0_f64.powi(half) * 2.0_f64.powi(exponent - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let tenth = Rational::decimal(0.1).unwrap();
        assert_eq!((tenth.numerator(), tenth.denominator()), (1, 10));
        let small: Rational = "1.5e-3".parse().unwrap();
        assert_eq!((small.numerator(), small.denominator()), (3, 2000));
        let third: Rational = "1/3".parse().unwrap();
        assert_eq!((third.numerator(), third.denominator()), (1, 3));
        assert!("abc".parse::<Rational>().is_err());
        assert!("1/0".parse::<Rational>().is_err());
        assert!(Rational::decimal(f64::NAN).is_err());
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "correct rounding is claimed")]
    fn quotients_are_correctly_rounded() {
        // The long way against the short one, by a factor that cancels.
        for (n, d) in [
            (1_i128, 3_i128),
            (2, 3),
            (10_000_001, 10),
            (7, 1_000_003),
            (123_456_789, 97),
        ] {
            let factor = 1_i128 << 60;
            let expected = n as f64 / d as f64;
            assert_eq!(quotient(n * factor, d * factor), expected, "{n}/{d}");
            assert_eq!(quotient(-n * factor, d * factor), -expected, "-{n}/{d}");
        }
        let edge: Rational = "0.00015915494309189532".parse().unwrap();
        assert_eq!(edge.to_f64(), 0.000_159_154_943_091_895_32);
    }
}
