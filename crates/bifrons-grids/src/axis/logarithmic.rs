//! Equal ratios.

use std::sync::Arc;

use super::Grid;
use super::linear::check_bounds;
use super::scale::{self, Ratios};
use crate::error::{AxisError, LengthError};
use crate::nodes;

/// `count` nodes at equal ratios from `start` to `stop`, both positive.
///
/// Node `k` is `start (stop/start)^(k/(count - 1))`; the first and the last one are `start` and
/// `stop` to the bit. One node lies at `start`, whatever `stop` is.
///
/// The coordinate is linear in the value inside a cell, so that reading a table at a coordinate
/// is linear interpolation. Outside the range cells of the same ratio continue without end: one
/// ratio above the last node the coordinate is `count`. At and below zero it is `-inf`.
///
/// ```
/// use bifrons_grids::{AxisError, Grid, Logarithmic};
///
/// let axis = Logarithmic::new(1.0, 100.0, 3)?;
/// assert_eq!(axis.coordinate(1000.0), 3.0);
/// assert_eq!(axis.coordinate(0.0), f64::NEG_INFINITY);
/// assert!(matches!(
///     Logarithmic::new(0.0, 1.0, 3),
///     Err(AxisError::NonPositiveBound { name: "start", .. })
/// ));
/// # Ok::<(), AxisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Logarithmic {
    nodes: Arc<[f64]>,
    scale: Ratios,
}

impl Logarithmic {
    /// Spaces the nodes.
    ///
    /// # Errors
    ///
    /// As [`Linear::new`](crate::Linear::new), and [`AxisError::NonPositiveBound`].
    pub fn new(start: f64, stop: f64, count: usize) -> Result<Self, AxisError> {
        check_bounds(start, stop, count)?;
        check_positive("start", start)?;
        check_positive("stop", stop)?;
        let mut nodes = Vec::with_capacity(count);
        scale::extend::<Ratios>(&mut nodes, start, stop, count);
        nodes::check_resolved(&nodes)?;
        let stop = if count == 1 { 2.0 * start } else { stop };
        let scale = scale::Scale::new(start, stop, count.max(2));
        Ok(Self {
            nodes: nodes.into(),
            scale,
        })
    }
}

pub(super) fn check_positive(name: &'static str, value: f64) -> Result<(), AxisError> {
    if value > 0.0 {
        Ok(())
    } else {
        Err(AxisError::NonPositiveBound { name, value })
    }
}

impl Grid for Logarithmic {
    fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    #[inline]
    fn rank(&self, x: f64) -> usize {
        scale::rank(&self.scale, &self.nodes, x)
    }

    #[inline]
    fn coordinate(&self, x: f64) -> f64 {
        scale::coordinate(&self.scale, &self.nodes, self.rank(x), x)
    }

    fn ranks_into(&self, queries: &[f64], ranks: &mut [u32]) -> Result<(), LengthError> {
        scale::ranks_into(self.scale, &self.nodes, queries, ranks)
    }

    fn coordinates_into(
        &self,
        queries: &[f64],
        coordinates: &mut [f64],
    ) -> Result<(), LengthError> {
        scale::coordinates_into(self.scale, &self.nodes, queries, coordinates, |rank, x| {
            scale::coordinate(&self.scale, &self.nodes, rank, x)
        })
    }
}
