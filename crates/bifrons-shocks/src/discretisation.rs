//! Nodes with weights.

use bifrons_memory::Footprint;

use crate::spacing::check_nodes;
use crate::{MatrixError, ShockError, TransitionMatrix};

/// Finitely many values of a shock and their probabilities.
///
/// Nodes are finite and strictly ascending; weights are not negative and sum to one within 1e-12.
///
/// ```
/// use bifrons_shocks::{Discretisation, Normal};
///
/// let shock = Normal::new(0.0, 1.0)?.gauss_hermite(3)?;
/// assert!((shock.expectation(|z| z * z) - 1.0).abs() < 1e-15);
/// assert!(Discretisation::new(vec![0.0, 1.0], vec![0.5, 0.4]).is_err());
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Discretisation {
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl Discretisation {
    /// Nodes and weights of your own.
    ///
    /// # Errors
    ///
    /// [`ShockError::Nodes`] for nodes out of order, [`ShockError::Matrix`] for weights that are
    /// no probabilities or whose number or sum is wrong.
    pub fn new(nodes: Vec<f64>, weights: Vec<f64>) -> Result<Self, ShockError> {
        check_nodes(&nodes)?;
        if weights.len() != nodes.len() {
            let (found, required) = (weights.len(), nodes.len());
            return Err(MatrixError::Length {
                name: "weights",
                found,
                required,
            }
            .into());
        }
        let row = TransitionMatrix::new(1, weights.len(), weights)?;
        Ok(Self {
            nodes,
            weights: row.into_probabilities(),
        })
    }

    /// A shock that always has the same value.
    ///
    /// # Errors
    ///
    /// [`ShockError::NotFinite`].
    pub fn constant(value: f64) -> Result<Self, ShockError> {
        crate::spacing::finite("value", value)?;
        Ok(Self {
            nodes: vec![value],
            weights: vec![1.0],
        })
    }

    /// Nodes, strictly ascending.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Weight of each node.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of nodes, at least one.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Expectation of a function of the shock, added in order of the nodes.
    ///
    /// Nodes of weight zero are skipped, so that an infinite value there does no harm.
    pub fn expectation(&self, mut f: impl FnMut(f64) -> f64) -> f64 {
        let pairs = self
            .nodes
            .iter()
            .zip(&self.weights)
            .filter(|(_, weight)| **weight > 0.0);
        pairs.fold(0.0, |sum, (&node, &weight)| sum + weight * f(node))
    }

    /// Mean of the nodes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.expectation(|x| x)
    }

    /// Variance of the nodes.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expectation(|x| (x - mean) * (x - mean))
    }

    /// The same weights at mapped nodes; the map must be strictly increasing.
    ///
    /// # Errors
    ///
    /// [`ShockError::Nodes`] if mapped nodes are not finite and strictly ascending.
    pub fn map(&self, f: impl FnMut(f64) -> f64) -> Result<Self, ShockError> {
        let nodes: Vec<f64> = self.nodes.iter().copied().map(f).collect();
        check_nodes(&nodes)?;
        Ok(Self {
            nodes,
            weights: self.weights.clone(),
        })
    }

    /// Memory that `node_count` nodes and weights keep.
    #[must_use]
    pub fn footprint(node_count: usize) -> Footprint {
        Footprint::of::<f64>(node_count).times(2)
    }
}
