//! The axes and what they have in common.

mod categorical;
#[cfg(feature = "serde")]
mod form;
mod irregular;
mod linear;
mod logarithmic;
mod piecewise;
mod scale;

pub use categorical::Categorical;
pub use irregular::Irregular;
pub use linear::Linear;
pub use logarithmic::Logarithmic;
pub use piecewise::{Breakpoint, PiecewiseLinear, PiecewiseLogarithmic, Side};

use crate::error::LengthError;
use crate::locate;

/// A cell of an axis and the place of a query in it.
///
/// The query is `(1 - weight)·node[cell] + weight·node[cell + 1]`. Within the range the weight
/// lies in `[0, 1]`; outside, the outermost cell is continued. The weight is 0 at a node, except
/// at the last node of the axis (or of a piece), which belongs to the cell on its left: weight 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Index of the cell's left node; 0 on a one-point axis.
    pub cell: usize,
    /// Linear weight of the right node; 0 on a one-point axis, NaN for a NaN query.
    pub weight: f64,
}

/// What every axis offers: increasing nodes, and the place of a number among them.
///
/// Sealed: implemented by the axes of this crate only.
///
/// **Rank.** The number of nodes that are not above the query: 0 below the first node, `len` at
/// and above the last one. A NaN has rank `len` (NaN sorts last).
///
/// **Coordinate.** The fractional index. Node `i` has coordinate `i` to the bit; between nodes
/// it is linear in the value (also on logarithmic axes); it never decreases. A NaN has
/// coordinate NaN. On a one-point axis every other number has coordinate 0.
///
/// ```
/// use bifrons_grids::{Grid, Linear, Logarithmic};
///
/// let wealth = Linear::new(0.0, 10.0, 11)?;
/// assert_eq!(wealth.coordinate(0.25), 0.25);
/// assert_eq!(wealth.rank(10.0), 11);
///
/// let assets = Logarithmic::new(1.0, 100.0, 3)?;
/// assert_eq!(assets.coordinate(55.0), 1.5); // half way from 10 to 100 in levels
/// # Ok::<(), bifrons_grids::AxisError>(())
/// ```
pub trait Grid: sealed::Sealed + core::fmt::Debug {
    /// The nodes, strictly increasing and finite.
    fn nodes(&self) -> &[f64];

    /// Number of nodes not above `x`; see the trait.
    ///
    /// Cost: constant on regular axes, a binary search on irregular ones.
    fn rank(&self, x: f64) -> usize;

    /// Fractional index of `x`; see the trait.
    fn coordinate(&self, x: f64) -> f64;

    /// Whether numbers between two nodes have a meaning; false for categories only.
    fn is_continuous(&self) -> bool {
        true
    }

    /// First nodes of the pieces after the first one; empty if the axis has one piece.
    fn piece_starts(&self) -> &[usize] {
        &[]
    }

    /// Number of nodes, at least 1.
    fn len(&self) -> usize {
        self.nodes().len()
    }

    /// Always false: an axis has at least one node.
    fn is_empty(&self) -> bool {
        false
    }

    /// First node.
    fn first(&self) -> f64 {
        self.nodes()[0]
    }

    /// Last node.
    fn last(&self) -> f64 {
        self.nodes()[self.nodes().len() - 1]
    }

    /// Cell and linear weight of `x`.
    fn bracket(&self, x: f64) -> Bracket {
        bracket(self.nodes(), self.piece_starts(), self.rank(x), x)
    }

    /// Ranks of many queries in any order.
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the slices differ in length.
    fn ranks_into(&self, queries: &[f64], ranks: &mut [u32]) -> Result<(), LengthError> {
        LengthError::check("ranks", ranks.len(), queries.len())?;
        for (rank, &x) in ranks.iter_mut().zip(queries) {
            *rank = locate::narrow(self.rank(x));
        }
        Ok(())
    }

    /// Coordinates of many queries in any order, bit-identical to [`Grid::coordinate`].
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the slices differ in length.
    fn coordinates_into(
        &self,
        queries: &[f64],
        coordinates: &mut [f64],
    ) -> Result<(), LengthError> {
        LengthError::check("coordinates", coordinates.len(), queries.len())?;
        for (coordinate, &x) in coordinates.iter_mut().zip(queries) {
            *coordinate = self.coordinate(x);
        }
        Ok(())
    }
}

/// Any axis.
///
/// Cloning is cheap: the nodes are shared.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "form::AxisForm", into = "form::AxisForm")
)]
#[non_exhaustive]
pub enum Axis {
    /// Equal steps.
    Linear(Linear),
    /// Equal ratios.
    Logarithmic(Logarithmic),
    /// A list of nodes.
    Irregular(Irregular),
    /// Equal steps piece by piece.
    PiecewiseLinear(PiecewiseLinear),
    /// Equal ratios piece by piece.
    PiecewiseLogarithmic(PiecewiseLogarithmic),
    /// Codes `0, 1, …` without anything between them.
    Categorical(Categorical),
}

macro_rules! each_axis {
    ($self:ident, $axis:ident => $body:expr) => {
        match $self {
            Axis::Linear($axis) => $body,
            Axis::Logarithmic($axis) => $body,
            Axis::Irregular($axis) => $body,
            Axis::PiecewiseLinear($axis) => $body,
            Axis::PiecewiseLogarithmic($axis) => $body,
            Axis::Categorical($axis) => $body,
        }
    };
}

impl Grid for Axis {
    fn nodes(&self) -> &[f64] {
        each_axis!(self, axis => axis.nodes())
    }

    fn rank(&self, x: f64) -> usize {
        each_axis!(self, axis => axis.rank(x))
    }

    fn coordinate(&self, x: f64) -> f64 {
        each_axis!(self, axis => axis.coordinate(x))
    }

    fn is_continuous(&self) -> bool {
        each_axis!(self, axis => axis.is_continuous())
    }

    fn piece_starts(&self) -> &[usize] {
        each_axis!(self, axis => axis.piece_starts())
    }

    fn bracket(&self, x: f64) -> Bracket {
        each_axis!(self, axis => axis.bracket(x))
    }

    fn ranks_into(&self, queries: &[f64], ranks: &mut [u32]) -> Result<(), LengthError> {
        each_axis!(self, axis => axis.ranks_into(queries, ranks))
    }

    fn coordinates_into(
        &self,
        queries: &[f64],
        coordinates: &mut [f64],
    ) -> Result<(), LengthError> {
        each_axis!(self, axis => axis.coordinates_into(queries, coordinates))
    }
}

macro_rules! from_axis {
    ($($name:ident),+) => {$(
        impl From<$name> for Axis {
            fn from(axis: $name) -> Self {
                Self::$name(axis)
            }
        }
        impl sealed::Sealed for $name {}
    )+};
}

from_axis!(
    Linear,
    Logarithmic,
    Irregular,
    PiecewiseLinear,
    PiecewiseLogarithmic,
    Categorical
);
impl sealed::Sealed for Axis {}

mod sealed {
    #[expect(unnameable_types, reason = "a sealed trait must not be nameable")]
    pub trait Sealed {}
}

/// The bracket of a query whose rank is known. A cell between two pieces is never used: its
/// queries read the end of the piece on the left.
#[inline]
pub(crate) fn bracket(nodes: &[f64], starts: &[usize], rank: usize, x: f64) -> Bracket {
    if nodes.len() < 2 {
        return Bracket {
            cell: 0,
            weight: if x.is_nan() { x } else { 0.0 },
        };
    }
    let mut cell = rank.saturating_sub(1).min(nodes.len() - 2);
    if starts.contains(&(cell + 1)) {
        cell -= 1;
    }
    let left = nodes[cell];
    Bracket {
        cell,
        weight: (x - left) / (nodes[cell + 1] - left),
    }
}

/// `cell + (x - node) / width`, the coordinate inside or next to a cell.
#[inline]
pub(crate) fn cell_coordinate(nodes: &[f64], rank: usize, x: f64) -> f64 {
    let Bracket { cell, weight } = bracket(nodes, &[], rank, x);
    cell as f64 + weight
}
