//! Units of measurement: dimension, scale and the names they are written with.

mod check;
mod dimension;
mod error;
mod parse;
mod table;
mod tables;

use crate::unit::dimension::write_factors;
use std::fmt;
use std::sync::Arc;

pub(crate) use check::check;
pub use dimension::{Dimension, Exponent};
pub use error::{UnitError, UnitErrorKind, UnitParseError, UnitParseErrorKind};
pub use table::UnitTable;

/// Scales that differ by less than this, relatively, are the same.
///
/// A scale is a product of tabulated factors and their powers, each of which rounds by at most a
/// few units of 1.1e-16; the bound leaves room for thousands of them.
const SAME_SCALE: f64 = 1e-12;

/// A unit: a dimension, a scale against the base units, for temperatures an offset, and the names
/// in which it was written.
///
/// ```text
/// value in base units = scale · value + offset
/// ```
///
/// Base units are m, kg, s, A, K, mol, cd and `money`. A unit is written as names with prefixes
/// and powers, `.` or a space between factors and `/` before a divisor, from left to right:
/// `m/s^2`, `kW.h`, `kg.m^2/s^3`, `V/Hz^(1/2)`, `1/min`; `m2` and `s-1` are understood, too. See
/// [`UnitTable`] for the names.
///
/// `==` compares dimension, scale and offset and not the names; [`Unit::is_same`] also forgives
/// the round-off of scales. Cloning copies a counted pointer.
///
/// ```
/// use bifrons_expr::Unit;
///
/// let energy = Unit::parse("kW.h").unwrap();
/// assert_eq!(energy.scale(), 3.6e6);
/// assert_eq!(energy.dimension(), Unit::parse("J").unwrap().dimension());
/// assert_eq!(energy.to_string(), "kW.h");
/// assert_eq!(energy.convert(2.0, &Unit::parse("MJ").unwrap()), Some(7.2));
/// ```
#[derive(Clone)]
pub struct Unit(Arc<Content>);

struct Content {
    dimension: Dimension,
    scale: f64,
    offset: Option<Offset>,
    /// The unit as it is written.
    factors: Vec<Factor>,
}

/// What degrees Celsius have and kelvin do not.
#[derive(Clone)]
struct Offset {
    /// Zero of this unit in base units.
    value: f64,
    /// Unit of a difference.
    difference: Unit,
}

#[derive(Clone)]
struct Factor {
    name: Arc<str>,
    exponent: Exponent,
}

impl Unit {
    /// The unit of pure numbers, angles in radians and shares.
    #[must_use]
    pub fn one() -> Self {
        Self::from_parts(Dimension::NONE, 1.0, vec![])
    }

    /// Reads a unit with the names of [`UnitTable::si`].
    ///
    /// # Errors
    ///
    /// [`UnitParseError`] with the span of the offending text and the nearest known name.
    ///
    /// ```
    /// use bifrons_expr::Unit;
    ///
    /// assert!(Unit::parse("N.m/rad").unwrap().is_same(&Unit::parse("J").unwrap()));
    /// assert_eq!(Unit::parse("kgg").unwrap_err().suggestion(), Some("kg"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, UnitParseError> {
        UnitTable::si().parse(text)
    }

    fn from_parts(dimension: Dimension, scale: f64, factors: Vec<Factor>) -> Self {
        Self(Arc::new(Content {
            dimension,
            scale,
            offset: None,
            factors,
        }))
    }

    /// What kind of quantity it measures.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.0.dimension
    }

    /// One of this unit in base units; positive.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.0.scale
    }

    /// Zero of this unit in base units: 273.15 for degrees Celsius, else 0.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.0.offset.as_ref().map_or(0.0, |offset| offset.value)
    }

    /// Whether zero of this unit is not zero of the quantity, as for degrees Celsius.
    #[must_use]
    pub fn has_offset(&self) -> bool {
        self.0.offset.is_some()
    }

    /// The unit of differences: kelvin for degrees Celsius, else the unit itself.
    #[must_use]
    pub fn difference(&self) -> Self {
        match &self.0.offset {
            Some(offset) => offset.difference.clone(),
            None => self.clone(),
        }
    }

    /// Whether both have the same dimension, scale (up to 1e-12 relative) and offset.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.dimension() == other.dimension()
            && self.has_scale_of(other)
            && (self.offset() - other.offset()).abs() <= SAME_SCALE * self.offset().abs()
    }

    fn has_scale_of(&self, other: &Self) -> bool {
        let (a, b) = (self.scale(), other.scale());
        (a - b).abs() <= SAME_SCALE * a.max(b)
    }

    /// Whether this is the unit of pure numbers: no dimension, scale 1.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.is_same(&Self::one())
    }

    /// Product; `None` if an exponent gets too large or a unit has an offset.
    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        self.combined(other, Exponent::ONE)
    }

    /// Quotient; `None` if an exponent gets too large or a unit has an offset.
    #[must_use]
    pub fn over(&self, other: &Self) -> Option<Self> {
        self.combined(other, Exponent::ONE.negated())
    }

    /// Power; `None` if an exponent or the scale gets too large or the unit has an offset.
    ///
    /// ```
    /// use bifrons_expr::{Exponent, Unit};
    ///
    /// let half = Exponent::new(1, 2).unwrap();
    /// let root = Unit::parse("m^2/s").unwrap().power(half).unwrap();
    /// assert_eq!(root.to_string(), "m/s^(1/2)");
    /// ```
    #[must_use]
    pub fn power(&self, exponent: Exponent) -> Option<Self> {
        Self::one().combined(self, exponent)
    }

    /// `self · other^power`.
    fn combined(&self, other: &Self, power: Exponent) -> Option<Self> {
        if self.has_offset() || other.has_offset() {
            return None;
        }
        let dimension = self.dimension().combined(other.dimension(), power)?;
        let scale = match power {
            Exponent::ONE => self.scale() * other.scale(),
            _ if power == Exponent::ONE.negated() => self.scale() / other.scale(),
            _ => self.scale() * raised(other.scale(), power),
        };
        if !scale.is_normal() {
            return None;
        }
        let mut factors = self.0.factors.clone();
        for factor in &other.0.factors {
            let exponent = factor.exponent.times(power)?;
            match factors.iter_mut().find(|own| own.name == factor.name) {
                Some(own) => own.exponent = own.exponent.plus(exponent)?,
                None => factors.push(Factor {
                    name: factor.name.clone(),
                    exponent,
                }),
            }
        }
        factors.retain(|factor| !factor.exponent.is_zero());
        Some(Self::from_parts(dimension, scale, factors))
    }

    /// How many of `to` one of this unit is, if both measure the same and neither has an offset.
    #[must_use]
    pub fn factor_to(&self, to: &Self) -> Option<f64> {
        let fits = self.dimension() == to.dimension() && !self.has_offset() && !to.has_offset();
        fits.then(|| self.scale() / to.scale())
    }

    /// A value of this unit in another unit of the same dimension, offsets included.
    ///
    /// ```
    /// use bifrons_expr::Unit;
    ///
    /// let [celsius, fahrenheit] = ["degC", "degF"].map(|text| Unit::parse(text).unwrap());
    /// let boiling = celsius.convert(100.0, &fahrenheit).unwrap();
    /// assert!((boiling - 212.0).abs() < 1e-12);
    /// assert_eq!(celsius.convert(1.0, &Unit::one()), None);
    /// ```
    #[must_use]
    pub fn convert(&self, value: f64, to: &Self) -> Option<f64> {
        if let Some(factor) = self.factor_to(to) {
            return Some(value * factor);
        }
        let fits = self.dimension() == to.dimension();
        fits.then(|| (self.scale() * value + (self.offset() - to.offset())) / to.scale())
    }

    /// The same names with another offset and scale.
    fn with_offset(&self, value: f64, difference: Self) -> Self {
        Self(Arc::new(Content {
            dimension: self.dimension(),
            scale: self.scale(),
            offset: Some(Offset { value, difference }),
            factors: self.0.factors.clone(),
        }))
    }

    /// The same unit under one name.
    fn named(&self, name: &str) -> Self {
        Self(Arc::new(Content {
            dimension: self.dimension(),
            scale: self.scale(),
            offset: self.0.offset.clone(),
            factors: vec![Factor {
                name: Arc::from(name),
                exponent: Exponent::ONE,
            }],
        }))
    }
}

/// Power of a scale: repeated multiplication where the exponent is an integer.
fn raised(scale: f64, power: Exponent) -> f64 {
    if power.denominator() == 1 {
        bifrons_lanes::math::powi(scale, power.numerator())
    } else if power.denominator() == 2 {
        bifrons_lanes::math::powi(scale.sqrt(), power.numerator())
    } else {
        bifrons_lanes::math::pow(scale, power.to_f64())
    }
}

impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.dimension() == other.dimension()
            && self.scale() == other.scale()
            && self.offset() == other.offset()
    }
}

/// As it was written, equal names collected; [`Unit::parse`] reads it back.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let factors = self.0.factors.iter();
        write_factors(f, factors.map(|factor| (&*factor.name, factor.exponent)))
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({self})")
    }
}

impl std::str::FromStr for Unit {
    type Err = UnitParseError;

    fn from_str(text: &str) -> Result<Self, UnitParseError> {
        Self::parse(text)
    }
}
