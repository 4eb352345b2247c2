//! An axis given by its nodes.

use std::sync::Arc;

use super::{Grid, cell_coordinate};
use crate::error::AxisError;
use crate::{locate, nodes};

/// A strictly increasing list of finite nodes.
///
/// Outside the range the coordinate continues the outermost cell.
///
/// ```
/// use bifrons_grids::{AxisError, Grid, Irregular};
///
/// let axis = Irregular::new([0.0, 1e-6, 1e-3, 1.0])?;
/// assert_eq!(axis.coordinate(5e-7), 0.5);
/// assert!(matches!(
///     Irregular::new([0.0, 2.0, 1.0]),
///     Err(AxisError::NotIncreasing { index: 2, .. })
/// ));
/// # Ok::<(), AxisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Irregular {
    nodes: Arc<[f64]>,
}

impl Irregular {
    /// Takes the nodes.
    ///
    /// # Errors
    ///
    /// [`AxisError::Empty`], [`AxisError::TooMany`], [`AxisError::NonFiniteNode`],
    /// [`AxisError::NotIncreasing`], [`AxisError::Duplicate`], [`AxisError::RangeOverflow`].
    pub fn new(points: impl Into<Vec<f64>>) -> Result<Self, AxisError> {
        let points = points.into();
        nodes::check_strict(&points)?;
        Ok(Self {
            nodes: points.into(),
        })
    }
}

impl Grid for Irregular {
    fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    fn rank(&self, x: f64) -> usize {
        locate::rank(&self.nodes, x)
    }

    fn coordinate(&self, x: f64) -> f64 {
        cell_coordinate(&self.nodes, self.rank(x), x)
    }
}
