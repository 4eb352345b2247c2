//! The uniform law and its discrete forms.

use crate::law::sealed::Sealed;
use crate::spacing::{MOST, check_count, symmetric};
use crate::{Discretisation, Law, ShockError, gauss_legendre};

/// The uniform law on an interval; equal ends are a constant.
///
/// ```
/// use bifrons_shocks::Uniform;
///
/// let shock = Uniform::new(-1.0, 3.0)?.equal_spacing(5)?;
/// assert_eq!(shock.nodes(), [-1.0, 0.0, 1.0, 2.0, 3.0]);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Ends", into = "Ends")
)]
pub struct Uniform {
    start: f64,
    stop: f64,
}

impl Uniform {
    /// Law on `[start, stop]`.
    ///
    /// # Errors
    ///
    /// [`ShockError::Interval`] unless the ends and their distance are finite and in order.
    pub fn new(start: f64, stop: f64) -> Result<Self, ShockError> {
        let width = stop - start;
        if !(width.is_finite() && width >= 0.0) {
            return Err(ShockError::Interval { start, stop });
        }
        Ok(Self { start, stop })
    }

    /// Equally spaced nodes with equal weights, both ends included; one node is the middle.
    ///
    /// The mean is exact, the variance is too large by the factor `(n + 1)/(n - 1)`.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::Nodes`] if nodes coincide.
    pub fn equal_spacing(&self, count: usize) -> Result<Discretisation, ShockError> {
        check_count(count, MOST)?;
        self.place(&symmetric(count, 1.0), vec![1.0 / count as f64; count])
    }

    /// Gauss–Legendre nodes and weights: exact for polynomials up to degree `2 count - 1`.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::Nodes`] if nodes coincide.
    pub fn gauss_legendre(&self, count: usize) -> Result<Discretisation, ShockError> {
        let rule = gauss_legendre(count)?;
        self.place(rule.nodes(), rule.weights().to_vec())
    }

    /// Middles of `count` cells of equal width and mass, which are their conditional means.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::Nodes`] if nodes coincide.
    pub fn equal_probability(&self, count: usize) -> Result<Discretisation, ShockError> {
        check_count(count, MOST)?;
        let n = count as f64;
        self.place(&symmetric(count, (n - 1.0) / n), vec![1.0 / n; count])
    }

    /// Nodes of [-1, 1] moved to this interval; the ends are met exactly.
    fn place(&self, standard: &[f64], weights: Vec<f64>) -> Result<Discretisation, ShockError> {
        let (middle, half) = (
            self.start.midpoint(self.stop),
            0.5 * (self.stop - self.start),
        );
        if half <= 0.0 {
            return Discretisation::constant(self.start);
        }
        let node = |&z: &f64| match z {
            z if z <= -1.0 => self.start,
            z if z >= 1.0 => self.stop,
            z => middle + half * z,
        };
        Discretisation::new(standard.iter().map(node).collect(), weights)
    }
}

impl Sealed for Uniform {}

impl Law for Uniform {
    fn mean(&self) -> f64 {
        self.start.midpoint(self.stop)
    }

    fn standard_deviation(&self) -> f64 {
        (self.stop - self.start) / 12.0_f64.sqrt()
    }

    fn between(&self, a: f64, b: f64) -> f64 {
        let width = self.stop - self.start;
        if a.is_nan() || b.is_nan() {
            f64::NAN
        } else if b <= a {
            0.0
        } else if width > 0.0 {
            let (a, b) = (
                a.clamp(self.start, self.stop),
                b.clamp(self.start, self.stop),
            );
            (b - a) / width
        } else {
            f64::from(u8::from(a < self.start && self.start <= b))
        }
    }

    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=0.5).contains(&p) {
            self.start + p * (self.stop - self.start)
        } else if (0.5..=1.0).contains(&p) {
            self.stop - (1.0 - p) * (self.stop - self.start)
        } else {
            f64::NAN
        }
    }
}

/// Form in which a uniform law is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Uniform", deny_unknown_fields)]
struct Ends {
    start: f64,
    stop: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Ends> for Uniform {
    type Error = ShockError;

    fn try_from(raw: Ends) -> Result<Self, ShockError> {
        Self::new(raw.start, raw.stop)
    }
}

#[cfg(feature = "serde")]
impl From<Uniform> for Ends {
    fn from(law: Uniform) -> Self {
        Self {
            start: law.start,
            stop: law.stop,
        }
    }
}
