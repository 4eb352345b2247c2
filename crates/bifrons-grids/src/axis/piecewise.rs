//! One closed domain cut into pieces, each with its own regular nodes.

use std::sync::Arc;

use super::Grid;
use super::logarithmic::check_positive;
use super::scale::{self, Ratios, Scale, Steps};
use crate::error::{AxisError, PieceError};
use crate::nodes;

/// One of the two sides of a point.
///
/// Deliberately closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Below the point.
    Left,
    /// Above the point.
    Right,
}

/// An interior breakpoint and the piece that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breakpoint {
    /// Where the two pieces meet.
    pub at: f64,
    /// The piece that contains the point itself.
    pub owner: Side,
}

impl Breakpoint {
    /// The point belongs to the piece on its left: `[…, at]` and `(at, …]`.
    #[must_use]
    pub const fn left(at: f64) -> Self {
        Self {
            at,
            owner: Side::Left,
        }
    }

    /// The point belongs to the piece on its right: `[…, at)` and `[at, …]`.
    #[must_use]
    pub const fn right(at: f64) -> Self {
        Self {
            at,
            owner: Side::Right,
        }
    }

    /// Last number of the left piece and first number of the right one: neighbours, so that
    /// every number has exactly one owner.
    fn ends(self) -> (f64, f64) {
        match self.owner {
            Side::Left => (self.at, self.at.next_up()),
            Side::Right => (self.at.next_down(), self.at),
        }
    }
}

/// Nodes, first nodes of pieces and the rule of each piece.
#[derive(Debug, Clone, PartialEq)]
struct Pieces<S> {
    nodes: Arc<[f64]>,
    breakpoints: Arc<[Breakpoint]>,
    /// First node of the second, third, … piece.
    starts: Arc<[usize]>,
    scales: Arc<[S]>,
}

impl<S: Scale> Pieces<S> {
    fn new(
        domain: [f64; 2],
        breakpoints: &[Breakpoint],
        counts: &[usize],
    ) -> Result<Self, AxisError> {
        check_points(domain, breakpoints)?;
        if counts.len() != breakpoints.len() + 1 {
            let (breakpoints, counts) = (breakpoints.len(), counts.len());
            return Err(PieceError::CountMismatch {
                breakpoints,
                counts,
            }
            .into());
        }
        let total = counts
            .iter()
            .fold(0_usize, |sum, &count| sum.saturating_add(count));
        nodes::check_count(total)?;
        let mut low = domain[0];
        let mut nodes = Vec::with_capacity(total);
        let (mut starts, mut scales) = (Vec::new(), Vec::new());
        for (piece, &count) in counts.iter().enumerate() {
            let (high, next) = breakpoints
                .get(piece)
                .map_or((domain[1], domain[1]), |point| point.ends());
            if count < 2 {
                return Err(PieceError::TooFewPoints { piece, count }.into());
            }
            if low >= high {
                return Err(PieceError::EmptyPiece { piece, low, high }.into());
            }
            if piece > 0 {
                starts.push(nodes.len());
            }
            scale::extend::<S>(&mut nodes, low, high, count);
            scales.push(S::new(low, high, count));
            low = next;
        }
        nodes::check_resolved(&nodes)?;
        Ok(Self {
            nodes: nodes.into(),
            breakpoints: breakpoints.into(),
            starts: starts.into(),
            scales: scales.into(),
        })
    }

    /// Piece of `x` by comparison with the first numbers of the pieces.
    fn piece(&self, x: f64) -> (usize, usize, usize) {
        let piece = self.starts.partition_point(|&start| self.nodes[start] <= x);
        let from = if piece == 0 {
            0
        } else {
            self.starts[piece - 1]
        };
        let to = self.starts.get(piece).copied().unwrap_or(self.nodes.len());
        (piece, from, to)
    }

    fn rank(&self, x: f64) -> usize {
        if x.is_nan() {
            return self.nodes.len();
        }
        let (piece, from, to) = self.piece(x);
        from + scale::rank(&self.scales[piece], &self.nodes[from..to], x)
    }

    fn coordinate(&self, x: f64) -> f64 {
        let (piece, from, to) = self.piece(x);
        let (scale, nodes) = (&self.scales[piece], &self.nodes[from..to]);
        from as f64 + scale::coordinate(scale, nodes, scale::rank(scale, nodes, x), x)
    }
}

fn check_points(domain: [f64; 2], breakpoints: &[Breakpoint]) -> Result<(), AxisError> {
    let points = || {
        let inner = breakpoints.iter().map(|point| ("breakpoint", point.at));
        core::iter::once(("start", domain[0]))
            .chain(inner)
            .chain([("stop", domain[1])])
    };
    if let Some((name, value)) = points().find(|(_, value)| !value.is_finite()) {
        return Err(AxisError::NonFiniteBound { name, value });
    }
    for (i, ((_, previous), (_, value))) in points().zip(points().skip(1)).enumerate() {
        if value < previous {
            return Err(AxisError::NotIncreasing {
                index: i + 1,
                previous,
                value,
            });
        }
        if value <= previous {
            return Err(AxisError::Duplicate {
                index: i + 1,
                value,
            });
        }
    }
    nodes::check_range(domain[0], domain[1])
}

macro_rules! piecewise {
    ($(#[$doc:meta])* $name:ident, $scale:ty, |$domain:ident, $breakpoints:ident| $check:block) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(Pieces<$scale>);

        impl $name {
            /// Cuts `domain` (both ends belong to it) at the breakpoints and spaces `counts[i]`
            /// points over piece `i`, both ends included.
            ///
            /// # Errors
            ///
            /// [`AxisError::NonFiniteBound`], [`AxisError::NotIncreasing`] and
            /// [`AxisError::Duplicate`] number the list start, breakpoints, stop;
            /// [`AxisError::NonPositiveBound`] on logarithmic pieces; [`AxisError::Piece`] if the
            /// counts do not fit or a piece is empty; [`AxisError::TooFine`];
            /// [`AxisError::TooMany`]; [`AxisError::RangeOverflow`].
            pub fn new(
                domain: [f64; 2],
                breakpoints: &[Breakpoint],
                counts: &[usize],
            ) -> Result<Self, AxisError> {
                let ($domain, $breakpoints) = (domain, breakpoints);
                $check
                Ok(Self(Pieces::new(domain, breakpoints, counts)?))
            }

            /// Number of pieces.
            #[must_use]
            pub fn piece_count(&self) -> usize {
                self.0.scales.len()
            }

            /// The interior breakpoints and their owners.
            #[must_use]
            pub fn breakpoints(&self) -> &[Breakpoint] {
                &self.0.breakpoints
            }

            /// Points of each piece.
            #[must_use]
            pub fn piece_lengths(&self) -> Vec<usize> {
                let ends = self.0.starts.iter().copied().chain([self.0.nodes.len()]);
                let starts = core::iter::once(0).chain(self.0.starts.iter().copied());
                starts.zip(ends).map(|(start, end)| end - start).collect()
            }

            /// Piece that owns a number. Numbers outside the domain belong to the outermost
            /// piece, NaN to the first one.
            #[must_use]
            pub fn piece(&self, x: f64) -> usize {
                self.0.piece(x).0
            }
        }

        impl Grid for $name {
            fn nodes(&self) -> &[f64] {
                &self.0.nodes
            }

            fn rank(&self, x: f64) -> usize {
                self.0.rank(x)
            }

            fn coordinate(&self, x: f64) -> f64 {
                self.0.coordinate(x)
            }

            fn piece_starts(&self) -> &[usize] {
                &self.0.starts
            }
        }
    };
}

piecewise! {
    /// Pieces with nodes at equal steps.
    ///
    /// A breakpoint that the right piece owns is the first node of the right piece, and the left
    /// piece ends at the number just below it; mirrored for a breakpoint that the left piece
    /// owns. There is no tolerance. The coordinate is the number of nodes in earlier pieces plus
    /// the coordinate in the own piece.
    ///
    /// Pieces control the density of nodes (and separate the two sides of a jump); they say
    /// nothing about the function on the axis.
    ///
    /// ```
    /// use bifrons_grids::{Breakpoint, Grid, PiecewiseLinear};
    ///
    /// let axis = PiecewiseLinear::new([0.0, 20.0], &[Breakpoint::left(5.0)], &[6, 4])?;
    /// assert_eq!(axis.coordinate(5.0), 5.0);
    /// assert_eq!(axis.coordinate(5.0_f64.next_up()), 6.0);
    /// assert_eq!((axis.piece(5.0), axis.piece(5.5)), (0, 1));
    /// # Ok::<(), bifrons_grids::AxisError>(())
    /// ```
    PiecewiseLinear, Steps, |_domain, _breakpoints| {}
}

piecewise! {
    /// Pieces with nodes at equal ratios; the domain is positive.
    ///
    /// Breakpoints work as in [`PiecewiseLinear`], coordinates inside and outside the domain as in
    /// [`Logarithmic`](crate::Logarithmic).
    ///
    /// ```
    /// use bifrons_grids::{Breakpoint, Grid, PiecewiseLogarithmic};
    ///
    /// let axis = PiecewiseLogarithmic::new([0.1, 1000.0], &[Breakpoint::right(10.0)], &[5, 3])?;
    /// assert_eq!(axis.coordinate(10.0), 5.0);
    /// assert_eq!(axis.last(), 1000.0);
    /// # Ok::<(), bifrons_grids::AxisError>(())
    /// ```
    PiecewiseLogarithmic, Ratios, |domain, breakpoints| {
        check_points(domain, breakpoints)?;
        check_positive("start", domain[0])?;
    }
}
