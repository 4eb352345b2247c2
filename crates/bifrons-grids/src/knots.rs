//! The nodes that an interpolant is fitted to, and where it may jump.

use crate::axis::Grid;
use crate::error::FitError;
use crate::nodes;

/// Nodes of an interpolant, borrowed.
///
/// Between the two nodes of a *seam* the function may jump: the two copies of a repeated node,
/// or the last node of a piece and the first node of the next one. Nothing is interpolated
/// across a seam: below it the left piece holds, from the right copy on the right piece.
#[derive(Debug, Clone, Copy)]
pub struct Knots<'a> {
    pub(crate) nodes: &'a [f64],
    seams: Seams<'a>,
    continuous: bool,
}

#[derive(Debug, Clone, Copy)]
enum Seams<'a> {
    /// The nodes increase strictly.
    None,
    /// A node may be repeated once.
    Pairs,
    /// First nodes of pieces.
    Starts(&'a [usize]),
}

impl<'a> Knots<'a> {
    /// Strictly increasing nodes without seams.
    #[must_use]
    pub const fn strict(nodes: &'a [f64]) -> Self {
        Self {
            nodes,
            seams: Seams::None,
            continuous: true,
        }
    }

    /// Increasing nodes; one that occurs twice is a seam: the first copy carries the limit from
    /// the left, the second one the value.
    #[must_use]
    pub const fn with_pairs(nodes: &'a [f64]) -> Self {
        Self {
            nodes,
            seams: Seams::Pairs,
            continuous: true,
        }
    }

    /// The nodes of an axis, with a seam between two pieces.
    #[must_use]
    pub fn of<G: Grid + ?Sized>(axis: &'a G) -> Self {
        let seams = match axis.piece_starts() {
            [] => Seams::None,
            starts => Seams::Starts(starts),
        };
        Self {
            nodes: axis.nodes(),
            seams,
            continuous: axis.is_continuous(),
        }
    }

    /// Whether nothing is interpolated between nodes `i` and `i + 1`.
    pub(crate) fn is_seam(&self, i: usize) -> bool {
        match self.seams {
            Seams::None => false,
            Seams::Pairs => self.nodes[i + 1] <= self.nodes[i],
            Seams::Starts(starts) => starts.binary_search(&(i + 1)).is_ok(),
        }
    }

    /// First nodes of the pieces after the first one.
    pub(crate) const fn starts(&self) -> &'a [usize] {
        match self.seams {
            Seams::Starts(starts) => starts,
            Seams::None | Seams::Pairs => &[],
        }
    }

    pub(crate) fn check(&self) -> Result<(), FitError> {
        if !self.continuous {
            return Err(FitError::Categorical {
                count: self.nodes.len(),
            });
        }
        match self.seams {
            Seams::Pairs => nodes::check_with_pairs(self.nodes)?,
            Seams::None => nodes::check_strict(self.nodes)?,
            Seams::Starts(_) => {}
        }
        Ok(())
    }
}

impl<'a> From<&'a [f64]> for Knots<'a> {
    fn from(nodes: &'a [f64]) -> Self {
        Self::strict(nodes)
    }
}

impl<'a> From<&'a Vec<f64>> for Knots<'a> {
    fn from(nodes: &'a Vec<f64>) -> Self {
        Self::strict(nodes)
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Knots<'a> {
    fn from(nodes: &'a [f64; N]) -> Self {
        Self::strict(nodes)
    }
}

impl<'a, G: Grid> From<&'a G> for Knots<'a> {
    fn from(axis: &'a G) -> Self {
        Self::of(axis)
    }
}
