//! Equal steps.

use std::sync::Arc;

use super::scale::{self, Steps};
use super::{Grid, cell_coordinate};
use crate::error::{AxisError, LengthError};
use crate::nodes;

/// `count` nodes at equal steps from `start` to `stop`.
///
/// Node `k` is `start + ((stop - start) k)/(count - 1)`; the first and the last one are `start`
/// and `stop` to the bit. One node lies at `start`, whatever `stop` is.
///
/// Cost: 8 bytes per node; a rank is found by one multiplication and two comparisons.
///
/// ```
/// use bifrons_grids::{Grid, Linear};
///
/// let axis = Linear::new(0.0, 0.3, 4)?;
/// assert_eq!(axis.last(), 0.3); // 3 · 0.1 would be 0.30000000000000004
/// assert_eq!(Linear::new(2.0, 3.0, 1)?.nodes(), [2.0]);
/// # Ok::<(), bifrons_grids::AxisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    nodes: Arc<[f64]>,
    scale: Steps,
}

impl Linear {
    /// Spaces the nodes.
    ///
    /// # Errors
    ///
    /// [`AxisError::Empty`] or [`AxisError::TooMany`] for the count,
    /// [`AxisError::NonFiniteBound`], [`AxisError::NotIncreasing`] or [`AxisError::Duplicate`]
    /// for the bounds of two or more nodes, [`AxisError::RangeOverflow`],
    /// [`AxisError::TooFine`] if two nodes round to the same number.
    pub fn new(start: f64, stop: f64, count: usize) -> Result<Self, AxisError> {
        check_bounds(start, stop, count)?;
        let mut nodes = Vec::with_capacity(count);
        scale::extend::<Steps>(&mut nodes, start, stop, count);
        nodes::check_resolved(&nodes)?;
        let stop = if count == 1 { start + 1.0 } else { stop };
        let scale = scale::Scale::new(start, stop, count.max(2));
        Ok(Self {
            nodes: nodes.into(),
            scale,
        })
    }
}

/// Bounds of a regular axis: finite, and increasing if there are two or more nodes.
pub(super) fn check_bounds(start: f64, stop: f64, count: usize) -> Result<(), AxisError> {
    nodes::check_count(count)?;
    for (name, value) in [("start", start), ("stop", stop)] {
        if !value.is_finite() {
            return Err(AxisError::NonFiniteBound { name, value });
        }
    }
    if count == 1 {
        return Ok(());
    }
    if stop < start {
        return Err(AxisError::NotIncreasing {
            index: 1,
            previous: start,
            value: stop,
        });
    }
    if stop <= start {
        return Err(AxisError::Duplicate {
            index: 1,
            value: stop,
        });
    }
    nodes::check_range(start, stop)
}

impl Grid for Linear {
    fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    #[inline]
    fn rank(&self, x: f64) -> usize {
        scale::rank(&self.scale, &self.nodes, x)
    }

    #[inline]
    fn coordinate(&self, x: f64) -> f64 {
        cell_coordinate(&self.nodes, self.rank(x), x)
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
            cell_coordinate(&self.nodes, rank, x)
        })
    }
}
