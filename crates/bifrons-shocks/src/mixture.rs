//! Mixtures of normal laws.

use bifrons_random::normal_quantile;
use bifrons_roots::{Bracket, RootOptions, RootSearch, Sample, Tolerance};

use crate::law::sealed::Sealed;
use crate::spacing::{MOST, cells, check_count, finite, positive, symmetric};
use crate::standard::{normal_between, normal_cdf, normal_density, normal_upper};
use crate::{Discretisation, Law, ShockError};

/// One normal law of a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Component {
    /// Probability of the component.
    pub weight: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation, positive.
    pub standard_deviation: f64,
}

impl Component {
    /// A component.
    #[must_use]
    pub const fn new(weight: f64, mean: f64, standard_deviation: f64) -> Self {
        Self {
            weight,
            mean,
            standard_deviation,
        }
    }

    fn standardised(&self, x: f64) -> f64 {
        (x - self.mean) / self.standard_deviation
    }
}

/// A mixture of normal laws, for skewed and heavy-tailed shocks.
///
/// ```
/// use bifrons_shocks::{Component, Law, NormalMixture};
///
/// let crash = NormalMixture::new(&[Component::new(0.95, 0.05, 0.1), Component::new(0.05, -1.0, 0.3)])?;
/// assert!((crash.mean() + 0.0025).abs() < 1e-16);
/// let median = crash.quantile(0.5);
/// assert!((crash.cdf(median) - 0.5).abs() < 1e-15);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<Component>", into = "Vec<Component>")
)]
pub struct NormalMixture {
    components: Vec<Component>,
}

impl NormalMixture {
    /// Accepted distance of the sum of the weights from one.
    pub const TOLERANCE: f64 = 1e-12;

    /// Mixture of components whose weights sum to one within 1e-12; they are used as given.
    ///
    /// # Errors
    ///
    /// [`ShockError::MixtureWeight`], [`ShockError::MixtureWeights`] (also without components),
    /// [`ShockError::NotFinite`] for a mean, [`ShockError::Spread`] for a standard deviation
    /// that is not positive and finite.
    pub fn new(components: &[Component]) -> Result<Self, ShockError> {
        for (component, part) in components.iter().enumerate() {
            let value = part.weight;
            if !(value > 0.0 && value <= 1.0) {
                return Err(ShockError::MixtureWeight { component, value });
            }
            finite("mean of a mixture component", part.mean)?;
            positive(
                "standard deviation of a mixture component",
                part.standard_deviation,
            )?;
        }
        let sum = components.iter().fold(0.0, |sum, part| sum + part.weight);
        if !((sum - 1.0).abs() <= Self::TOLERANCE) {
            return Err(ShockError::MixtureWeights {
                sum,
                tolerance: Self::TOLERANCE,
            });
        }
        Ok(Self {
            components: components.to_vec(),
        })
    }

    /// The components in the order given.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Equally spaced nodes on mean ± `width` standard deviations of the mixture, each with the
    /// mass of its cell; the cells meet halfway between nodes and are open at both ends. One node
    /// is the mean, whatever the width.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::Spread`] for a width that is not positive and
    /// finite, [`ShockError::Nodes`] if nodes coincide.
    pub fn cdf_midpoint(&self, count: usize, width: f64) -> Result<Discretisation, ShockError> {
        check_count(count, MOST)?;
        let mean = self.mean();
        let offsets = symmetric(count, positive("width", width)? * self.standard_deviation());
        let bounds = cells(&offsets);
        let mass = |cell: &[f64]| self.between(mean + cell[0], mean + cell[1]);
        let weights = bounds.windows(2).map(mass).collect();
        Discretisation::new(
            offsets.iter().map(|offset| mean + offset).collect(),
            weights,
        )
    }

    /// `count` cells of equal mass, each with its conditional mean as node; the mean is exact up
    /// to the rounding of the quantiles.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::Nodes`] if nodes coincide.
    pub fn equal_probability(&self, count: usize) -> Result<Discretisation, ShockError> {
        check_count(count, MOST)?;
        let n = count as f64;
        let edges: Vec<f64> = (0..=count).map(|i| self.quantile(i as f64 / n)).collect();
        let nodes = edges
            .windows(2)
            .map(|cell| n * self.partial_mean(cell[0], cell[1]));
        Discretisation::new(nodes.collect(), vec![1.0 / n; count])
    }

    /// `∫ x f(x) dx` from `a` to `b`.
    fn partial_mean(&self, a: f64, b: f64) -> f64 {
        self.sum(|part| {
            let (a, b) = (part.standardised(a), part.standardised(b));
            let spread = normal_density(a) - normal_density(b);
            part.mean * normal_between(a, b) + part.standard_deviation * spread
        })
    }

    /// Weighted sum over the components, in order.
    fn sum(&self, f: impl Fn(&Component) -> f64) -> f64 {
        self.components
            .iter()
            .fold(0.0, |sum, part| sum + part.weight * f(part))
    }
}

impl Sealed for NormalMixture {}

impl Law for NormalMixture {
    fn mean(&self) -> f64 {
        self.sum(|part| part.mean)
    }

    fn standard_deviation(&self) -> f64 {
        let mean = self.mean();
        let variance = self.sum(|part| {
            let shift = part.mean - mean;
            part.standard_deviation * part.standard_deviation + shift * shift
        });
        variance.sqrt()
    }

    fn between(&self, a: f64, b: f64) -> f64 {
        self.sum(|part| normal_between(part.standardised(a), part.standardised(b)))
    }

    /// Root of the cdf, or of the upper mass above the median, between the smallest and the
    /// largest quantile of a component; to adjacent numbers.
    fn quantile(&self, p: f64) -> f64 {
        let z = normal_quantile(p);
        if !z.is_finite() {
            return z;
        }
        let excess = |x: f64| {
            if p <= 0.5 {
                self.sum(|part| normal_cdf(part.standardised(x))) - p
            } else {
                (1.0 - p) - self.sum(|part| normal_upper(part.standardised(x)))
            }
        };
        let quantiles = self
            .components
            .iter()
            .map(|part| part.mean + part.standard_deviation * z);
        let (low, high) = quantiles.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        let ends = [low, high].map(|x| Sample::new(x, excess(x)));
        // Rounding may leave an end on the wrong side of zero: then it is the quantile.
        if ends[0].value >= 0.0 {
            return low;
        }
        if ends[1].value <= 0.0 {
            return high;
        }
        let options = RootOptions::default().with_tolerance(Tolerance::EXACT);
        let root = Bracket::new(ends[0], ends[1])
            .and_then(|bracket| RootSearch::new(bracket, &options).run(excess, u32::MAX));
        root.map_or(f64::NAN, |root| root.x)
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Vec<Component>> for NormalMixture {
    type Error = ShockError;

    fn try_from(components: Vec<Component>) -> Result<Self, ShockError> {
        Self::new(&components)
    }
}

#[cfg(feature = "serde")]
impl From<NormalMixture> for Vec<Component> {
    fn from(law: NormalMixture) -> Self {
        law.components
    }
}
