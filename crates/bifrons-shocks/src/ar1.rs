//! First-order autoregressions and their Markov chains.

use crate::spacing::{MOST, cells, check_count, check_nodes, finite, positive, symmetric};
use crate::{Law, MarkovChain, Normal, ShockError, TransitionMatrix, gauss_hermite};

/// The process `y' = intercept + persistence · y + ε` with innovations of any [`Law`].
///
/// ```
/// use bifrons_shocks::{Ar1, Component, NormalMixture};
///
/// let calm = Ar1::gaussian(0.9, 0.2)?.with_intercept(0.1)?;
/// assert!((calm.stationary_mean()? - 1.0).abs() < 1e-15);
///
/// let fat = NormalMixture::new(&[Component::new(0.9, 0.0, 0.1), Component::new(0.1, 0.0, 0.5)])?;
/// let chain = Ar1::new(0.9, fat)?.tauchen(5, 2.5)?;
/// assert_eq!(chain.node_count(), 5);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Parameters<L>", into = "Parameters<L>"),
    serde(bound(
        serialize = "L: Law + Clone + serde::Serialize",
        deserialize = "L: Law + serde::Deserialize<'de>"
    ))
)]
pub struct Ar1<L = Normal> {
    intercept: f64,
    persistence: f64,
    innovation: L,
}

impl Ar1<Normal> {
    /// Process with innovations `N(0, σ²)` and intercept 0.
    ///
    /// # Errors
    ///
    /// As [`Ar1::new`].
    pub fn gaussian(persistence: f64, standard_deviation: f64) -> Result<Self, ShockError> {
        Self::new(persistence, Normal::new(0.0, standard_deviation)?)
    }

    /// Tauchen's kernel on Gauss–Hermite nodes of the stationary law.
    ///
    /// Cells meet halfway between nodes; the outer cells are open.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::NoStationaryVariance`], [`ShockError::Nodes`] if
    /// nodes coincide.
    pub fn tauchen_gauss_hermite(&self, count: usize) -> Result<MarkovChain, ShockError> {
        let rule = gauss_hermite(count)?;
        let sd = self.stationary_sd()?;
        let offsets: Vec<f64> = rule.nodes().iter().map(|z| sd * z).collect();
        self.chain_on(&offsets)
    }

    /// Rouwenhorst's chain: mean, variance and autocorrelation of the process are exact, its
    /// stationary distribution is binomial.
    ///
    /// Equally spaced nodes on the stationary mean ± `√(count - 1)` stationary standard
    /// deviations. One node is the mean.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::NoStationaryVariance`], [`ShockError::Nodes`] if
    /// nodes coincide.
    ///
    /// # References
    ///
    /// K. A. Kopecky and R. M. H. Suen (2010), "Finite state Markov-chain approximations to highly
    /// persistent processes", Rev. Econ. Dyn. 13(3), doi:10.1016/j.red.2010.02.002, section 3.
    ///
    /// # Examples
    ///
    /// ```
    /// let chain = bifrons_shocks::Ar1::gaussian(0.9, 0.1)?.rouwenhorst(3)?;
    /// assert!((chain.row(0)[0] - 0.9025).abs() < 1e-15);
    /// assert!((chain.stationary_moments()?.autocorrelation - 0.9).abs() < 1e-14);
    /// # Ok::<(), bifrons_shocks::ShockError>(())
    /// ```
    pub fn rouwenhorst(&self, count: usize) -> Result<MarkovChain, ShockError> {
        check_count(count, MOST)?;
        let (mean, sd) = (self.stationary_mean()?, self.stationary_sd()?);
        let offsets = symmetric(count, sd * ((count - 1) as f64).sqrt());
        let nodes = offsets.iter().map(|offset| mean + offset).collect();
        MarkovChain::new(nodes, rouwenhorst_matrix(count, self.persistence)?)
    }
}

impl<L: Law> Ar1<L> {
    /// Process with intercept 0. A mean of the innovations shifts the process like an intercept.
    ///
    /// # Errors
    ///
    /// [`ShockError::Persistence`] outside [-1, 1]; [`ShockError::Spread`] for innovations
    /// without spread, which have no discrete form with several nodes.
    pub fn new(persistence: f64, innovation: L) -> Result<Self, ShockError> {
        if !(persistence.abs() <= 1.0) {
            return Err(ShockError::Persistence { value: persistence });
        }
        positive(
            "standard deviation of the innovations",
            innovation.standard_deviation(),
        )?;
        Ok(Self {
            intercept: 0.0,
            persistence,
            innovation,
        })
    }

    /// The same process with another intercept.
    ///
    /// # Errors
    ///
    /// [`ShockError::NotFinite`].
    pub fn with_intercept(mut self, intercept: f64) -> Result<Self, ShockError> {
        self.intercept = finite("intercept", intercept)?;
        Ok(self)
    }

    /// Intercept.
    #[must_use]
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// Persistence `ρ`.
    #[must_use]
    pub fn persistence(&self) -> f64 {
        self.persistence
    }

    /// Law of the innovations.
    #[must_use]
    pub fn innovation(&self) -> &L {
        &self.innovation
    }

    /// The next value for an innovation.
    #[must_use]
    pub fn next(&self, value: f64, innovation: f64) -> f64 {
        self.intercept + self.persistence * value + innovation
    }

    /// Mean in the long run: `(intercept + E ε)/(1 - ρ)`.
    ///
    /// # Errors
    ///
    /// [`ShockError::NoStationaryVariance`] for `|ρ| = 1`.
    pub fn stationary_mean(&self) -> Result<f64, ShockError> {
        self.check_stationary()?;
        Ok((self.intercept + self.innovation.mean()) / (1.0 - self.persistence))
    }

    /// Standard deviation in the long run: `sd ε/√(1 - ρ²)`.
    ///
    /// # Errors
    ///
    /// [`ShockError::NoStationaryVariance`] for `|ρ| = 1`.
    pub fn stationary_sd(&self) -> Result<f64, ShockError> {
        self.check_stationary()?;
        // The product keeps the digits of 1 - ρ² for ρ next to one.
        let share = (1.0 - self.persistence) * (1.0 + self.persistence);
        Ok(self.innovation.standard_deviation() / share.sqrt())
    }

    /// Tauchen's chain: equally spaced nodes on the stationary mean ± `width` stationary standard
    /// deviations, transition probabilities by the mass of each node's cell.
    ///
    /// Cells meet halfway between nodes; the outer cells are open. One node is the mean, whatever
    /// the width.
    ///
    /// # Errors
    ///
    /// [`ShockError::NodeCount`], [`ShockError::NoStationaryVariance`], [`ShockError::Spread`]
    /// for a width that is not positive and finite, [`ShockError::Nodes`] if nodes coincide.
    ///
    /// # References
    ///
    /// G. Tauchen (1986), "Finite state Markov-chain approximations to univariate and vector
    /// autoregressions", Econ. Lett. 20(2), doi:10.1016/0165-1765(86)90168-0.
    pub fn tauchen(&self, count: usize, width: f64) -> Result<MarkovChain, ShockError> {
        check_count(count, MOST)?;
        let reach = positive("width", width)? * self.stationary_sd()?;
        self.chain_on(&symmetric(count, reach))
    }

    /// Transition probabilities from given nodes to cells around given nodes; both lists are
    /// finite and strictly ascending and may differ, as between ages with different grids or
    /// between categories. Unit roots are allowed.
    ///
    /// Shape: one row per node of `from`, one column per node of `to`.
    ///
    /// # Errors
    ///
    /// [`ShockError::Nodes`]; [`ShockError::Matrix`] for an empty list.
    pub fn kernel(&self, from: &[f64], to: &[f64]) -> Result<TransitionMatrix, ShockError> {
        check_nodes(from)?;
        check_nodes(to)?;
        let bounds = if to.is_empty() { Vec::new() } else { cells(to) };
        self.masses(from, &bounds, self.intercept)
    }

    /// Chain on nodes given as offsets from the stationary mean.
    ///
    /// The kernel is computed from the offsets, so it is the same for every mean, and symmetric
    /// to the bit if the offsets and the innovations are.
    fn chain_on(&self, offsets: &[f64]) -> Result<MarkovChain, ShockError> {
        let mean = self.stationary_mean()?;
        let matrix = self.masses(offsets, &cells(offsets), -self.innovation.mean())?;
        MarkovChain::new(offsets.iter().map(|offset| mean + offset).collect(), matrix)
    }

    /// Mass of each cell after each node, for the process with this intercept.
    fn masses(
        &self,
        from: &[f64],
        bounds: &[f64],
        intercept: f64,
    ) -> Result<TransitionMatrix, ShockError> {
        let columns = bounds.len().saturating_sub(1);
        let mut probabilities = Vec::with_capacity(from.len() * columns);
        for node in from {
            let expected = intercept + self.persistence * node;
            probabilities.extend(bounds.windows(2).map(|cell| {
                self.innovation
                    .between(cell[0] - expected, cell[1] - expected)
            }));
        }
        Ok(TransitionMatrix::new(from.len(), columns, probabilities)?)
    }

    fn check_stationary(&self) -> Result<(), ShockError> {
        let persistence = self.persistence;
        if persistence.abs() < 1.0 {
            Ok(())
        } else {
            Err(ShockError::NoStationaryVariance { persistence })
        }
    }
}

/// Rouwenhorst's matrix with `p = q = (1 + ρ)/2`, built up from one state.
fn rouwenhorst_matrix(count: usize, persistence: f64) -> Result<TransitionMatrix, ShockError> {
    let (stay, move_on) = (0.5 * (1.0 + persistence), 0.5 * (1.0 - persistence));
    let mut matrix = vec![1.0];
    for n in 1..count {
        let wide = n + 1;
        let mut next = vec![0.0; wide * wide];
        let old = |i: usize, j: usize| {
            if i < n && j < n {
                matrix[i * n + j]
            } else {
                0.0
            }
        };
        for i in 0..wide {
            for j in 0..wide {
                // Pairs that are mirror images of each other are added first: symmetric bits.
                let before = |k: usize| k.wrapping_sub(1);
                let stays = stay * old(i, j) + stay * old(before(i), before(j));
                let moves = move_on * old(i, before(j)) + move_on * old(before(i), j);
                let twice = if i == 0 || i == n { 1.0 } else { 0.5 };
                next[i * wide + j] = twice * (stays + moves);
            }
        }
        matrix = next;
    }
    Ok(TransitionMatrix::new(count, count, matrix)?)
}

/// Form in which a process is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Ar1", deny_unknown_fields)]
struct Parameters<L> {
    #[serde(default)]
    intercept: f64,
    persistence: f64,
    innovation: L,
}

#[cfg(feature = "serde")]
impl<L: Law> TryFrom<Parameters<L>> for Ar1<L> {
    type Error = ShockError;

    fn try_from(raw: Parameters<L>) -> Result<Self, ShockError> {
        Self::new(raw.persistence, raw.innovation)?.with_intercept(raw.intercept)
    }
}

#[cfg(feature = "serde")]
impl<L> From<Ar1<L>> for Parameters<L> {
    fn from(process: Ar1<L>) -> Self {
        let Ar1 {
            intercept,
            persistence,
            innovation,
        } = process;
        Self {
            intercept,
            persistence,
            innovation,
        }
    }
}
