//! Dimensions: rational powers of the base quantities.

use std::fmt;

/// Largest numerator and denominator of an exponent.
const LARGEST: i32 = 10_000;

/// A rational exponent in lowest terms, numerator and denominator at most 10 000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exponent {
    numerator: i32,
    denominator: i32,
}

impl Exponent {
    /// Zero.
    pub const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };
    /// One.
    pub const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// `numerator / denominator`; `None` if the denominator is zero or a part exceeds 10 000 in
    /// lowest terms.
    #[must_use]
    pub fn new(numerator: i32, denominator: i32) -> Option<Self> {
        Self::reduced(i64::from(numerator), i64::from(denominator))
    }

    fn reduced(numerator: i64, denominator: i64) -> Option<Self> {
        if denominator == 0 {
            return None;
        }
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = denominator.signum();
        let small = |value: i64| {
            let value = i32::try_from(sign * value / a).ok()?;
            (value.abs() <= LARGEST).then_some(value)
        };
        Some(Self {
            numerator: small(numerator)?,
            denominator: small(denominator)?,
        })
    }

    /// The exponent that is exactly this number, or rounds to it: denominators up to 12.
    ///
    /// `0.5` is 1/2 and `1.0 / 3.0` is 1/3; `None` for a number that is no such ratio.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        (1..=12).find_map(|denominator| {
            let numerator = (value * f64::from(denominator)).round();
            if numerator.is_nan() || numerator.abs() > f64::from(LARGEST) {
                return None;
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "an integer of at most 10 000"
            )]
            let exponent = Self::new(numerator as i32, denominator)?;
            (exponent.to_f64().to_bits() == (value + 0.0).to_bits()).then_some(exponent)
        })
    }

    /// The nearest number.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    /// Numerator, with the sign.
    #[must_use]
    pub fn numerator(self) -> i32 {
        self.numerator
    }

    /// Denominator, positive.
    #[must_use]
    pub fn denominator(self) -> i32 {
        self.denominator
    }

    /// Whether this is zero.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let [a, b, c, d] = [
            self.numerator,
            self.denominator,
            other.numerator,
            other.denominator,
        ]
        .map(i64::from);
        Self::reduced(a * d + c * b, b * d)
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let [a, b, c, d] = [
            self.numerator,
            self.denominator,
            other.numerator,
            other.denominator,
        ]
        .map(i64::from);
        Self::reduced(a * c, b * d)
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            numerator: -self.numerator,
            ..self
        }
    }
}

/// `2`, `-1` or `(1/2)`: what stands behind `^`.
impl fmt::Display for Exponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "({}/{})", self.numerator, self.denominator)
        }
    }
}

/// Symbols of the base units, in the order of the exponents of a [`Dimension`].
pub(crate) const BASES: [&str; 8] = ["m", "kg", "s", "A", "K", "mol", "cd", "money"];

/// What a quantity is, whatever the unit: exponents of length, mass, time, electric current,
/// temperature, amount of substance, luminous intensity and money.
///
/// Angles, counts and shares are dimensionless. Money is a base quantity because prices and
/// wages are no physical quantities; there is one kind of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension {
    exponents: [Exponent; 8],
}

impl Dimension {
    /// No dimension: pure numbers, angles, shares.
    pub const NONE: Self = Self {
        exponents: [Exponent::ZERO; 8],
    };

    /// Dimension of these exponents, in the order of the list in the documentation of the type.
    #[must_use]
    pub const fn new(exponents: [Exponent; 8]) -> Self {
        Self { exponents }
    }

    /// The exponents, in the order of the list in the documentation of the type.
    #[must_use]
    pub fn exponents(self) -> [Exponent; 8] {
        self.exponents
    }

    /// Whether all exponents are zero.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// `self · other^power`; `None` if an exponent gets too large.
    pub(crate) fn combined(self, other: Self, power: Exponent) -> Option<Self> {
        let mut exponents = self.exponents;
        for (own, theirs) in exponents.iter_mut().zip(other.exponents) {
            *own = own.plus(theirs.times(power)?)?;
        }
        Some(Self { exponents })
    }
}

/// In base units: `kg.m^2/s^3`; `1` without dimension.
impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factors = BASES.into_iter().zip(self.exponents);
        write_factors(f, factors)
    }
}

/// `a.b^2/(c.d^3)`; factors with exponent zero are left out, no factor at all is `1`.
pub(crate) fn write_factors<'a>(
    f: &mut fmt::Formatter<'_>,
    factors: impl Iterator<Item = (&'a str, Exponent)> + Clone,
) -> fmt::Result {
    let side = |f: &mut fmt::Formatter<'_>, above: bool| -> fmt::Result {
        let mut separator = "";
        for (name, exponent) in factors.clone() {
            if exponent.is_zero() || (exponent.numerator() > 0) != above {
                continue;
            }
            let size = if above { exponent } else { exponent.negated() };
            // A digit behind a point would be read as a decimal.
            let number = name.starts_with(|c: char| c.is_ascii_digit());
            f.write_str(if number && !separator.is_empty() {
                "*"
            } else {
                separator
            })?;
            f.write_str(name)?;
            if size != Exponent::ONE {
                write!(f, "^{size}")?;
            }
            separator = ".";
        }
        if above && separator.is_empty() {
            f.write_str("1")?;
        }
        Ok(())
    };
    side(f, true)?;
    let below = factors.clone().filter(|(_, e)| e.numerator() < 0).count();
    match below {
        0 => Ok(()),
        1 => {
            f.write_str("/")?;
            side(f, false)
        }
        _ => {
            f.write_str("/(")?;
            side(f, false)?;
            f.write_str(")")
        }
    }
}
