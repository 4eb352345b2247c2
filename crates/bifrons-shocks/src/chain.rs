//! Markov chains: values with a transition matrix.

use bifrons_memory::Footprint;

use crate::spacing::check_nodes;
use crate::{Discretisation, MatrixError, ShockError, TransitionMatrix};

/// A persistent shock with finitely many values.
///
/// Nodes are finite and strictly ascending; the matrix is square with one row per node.
///
/// ```
/// use bifrons_shocks::{MarkovChain, TransitionMatrix};
///
/// let matrix = TransitionMatrix::from_rows(&[[0.8, 0.2], [0.2, 0.8]])?;
/// let chain = MarkovChain::new(vec![-1.0, 1.0], matrix)?;
/// let moments = chain.stationary_moments()?;
/// assert!((moments.autocorrelation - 0.6).abs() < 1e-15);
/// # Ok::<(), bifrons_shocks::ShockError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MarkovChain {
    nodes: Vec<f64>,
    matrix: TransitionMatrix,
}

/// Mean, spread and first autocorrelation in the long run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StationaryMoments {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub standard_deviation: f64,
    /// Correlation of neighbouring periods; NaN for a chain with one value.
    pub autocorrelation: f64,
}

impl MarkovChain {
    /// Chain from nodes and a matrix.
    ///
    /// # Errors
    ///
    /// [`ShockError::Nodes`]; [`ShockError::Matrix`] if the matrix is not square or has another
    /// number of rows than there are nodes.
    pub fn new(nodes: Vec<f64>, matrix: TransitionMatrix) -> Result<Self, ShockError> {
        check_nodes(&nodes)?;
        let (rows, columns) = (matrix.row_count(), matrix.column_count());
        if rows != columns {
            return Err(MatrixError::NotSquare { rows, columns }.into());
        }
        if nodes.len() != rows {
            let (found, required) = (nodes.len(), rows);
            return Err(MatrixError::Length {
                name: "nodes",
                found,
                required,
            }
            .into());
        }
        Ok(Self { nodes, matrix })
    }

    /// The chain that forgets at once: every row is the same.
    ///
    /// # Errors
    ///
    /// None for a valid discretisation; the matrix is checked like any other.
    pub fn independent(shock: &Discretisation) -> Result<Self, ShockError> {
        let n = shock.node_count();
        let matrix = TransitionMatrix::new(n, n, shock.weights().repeat(n))?;
        Self::new(shock.nodes().to_vec(), matrix)
    }

    /// Values, strictly ascending.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Number of values, at least one.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Transition probabilities.
    #[must_use]
    pub fn matrix(&self) -> &TransitionMatrix {
        &self.matrix
    }

    /// Probabilities out of one node.
    ///
    /// # Panics
    ///
    /// If `node` is not below [`node_count`](Self::node_count).
    #[must_use]
    pub fn row(&self, node: usize) -> &[f64] {
        self.matrix.row(node)
    }

    /// The distribution that a transition leaves as it is.
    ///
    /// # Errors
    ///
    /// As [`TransitionMatrix::stationary`].
    pub fn stationary(&self) -> Result<Vec<f64>, MatrixError> {
        self.matrix.stationary()
    }

    /// Mean, standard deviation and autocorrelation under the stationary distribution, to be
    /// compared with those of the process that the chain stands for.
    ///
    /// # Errors
    ///
    /// As [`TransitionMatrix::stationary`].
    pub fn stationary_moments(&self) -> Result<StationaryMoments, MatrixError> {
        let masses = self.stationary()?;
        let average = |values: &[f64]| {
            masses
                .iter()
                .zip(values)
                .fold(0.0, |sum, (mass, value)| sum + mass * value)
        };
        let mean = average(&self.nodes);
        let offsets: Vec<f64> = self.nodes.iter().map(|node| node - mean).collect();
        let mut next = vec![0.0; offsets.len()];
        self.matrix.expect_into(&offsets, &mut next)?;
        let squares: Vec<f64> = offsets.iter().map(|x| x * x).collect();
        let products: Vec<f64> = offsets.iter().zip(&next).map(|(x, y)| x * y).collect();
        let variance = average(&squares);
        Ok(StationaryMoments {
            mean,
            standard_deviation: variance.sqrt(),
            autocorrelation: average(&products) / variance,
        })
    }

    /// The same transitions between mapped nodes, as for the exponential of a process; the map
    /// must be strictly increasing.
    ///
    /// # Errors
    ///
    /// [`ShockError::Nodes`] if mapped nodes are not finite and strictly ascending.
    pub fn map(&self, f: impl FnMut(f64) -> f64) -> Result<Self, ShockError> {
        let nodes = self.nodes.iter().copied().map(f).collect();
        Self::new(nodes, self.matrix.clone())
    }

    /// Memory that a chain with this many nodes keeps.
    #[must_use]
    pub fn footprint(node_count: usize) -> Footprint {
        let nodes = Footprint::of::<f64>(node_count);
        nodes.beside(TransitionMatrix::footprint(node_count, node_count))
    }
}
