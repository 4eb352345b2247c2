//! Ranks of queries among sorted nodes: by search, by merge, with memory.
//!
//! All three give the same ranks. Nodes are not checked: among nodes that are not sorted a rank
//! is some number in `0..=nodes.len()`.

mod memory;
mod merge;

pub use memory::Locator;
pub(crate) use merge::{check_sorted, merge};

use bifrons_lanes::{Kernel, Level};

use crate::error::{LengthError, ReadError};

/// Number of nodes not above `x` by binary search; NaN has rank `nodes.len()`.
///
/// `nodes` increase weakly. Cost: `log2 n` comparisons.
///
/// ```
/// assert_eq!(bifrons_grids::rank(&[0.0, 1.0, 1.0, 2.0], 1.0), 3);
/// ```
#[inline]
#[must_use]
pub fn rank(nodes: &[f64], x: f64) -> usize {
    if x.is_nan() {
        nodes.len()
    } else {
        nodes.partition_point(|&node| node <= x)
    }
}

/// Ranks of ascending queries in one pass over queries and nodes, without allocation.
///
/// Bit-identical to [`rank`] of each. NaN queries come last.
///
/// Cost: `O(queries + nodes)`.
///
/// # Errors
///
/// [`ReadError::Length`]; [`ReadError::Unsorted`] names the first query that decreases.
///
/// ```
/// let mut ranks = [0; 3];
/// bifrons_grids::ranks_sorted_into(&[0.0, 1.0, 2.0], &[-1.0, 0.5, 2.0], &mut ranks)?;
/// assert_eq!(ranks, [0, 1, 3]);
/// # Ok::<(), bifrons_grids::ReadError>(())
/// ```
pub fn ranks_sorted_into(
    nodes: &[f64],
    queries: &[f64],
    ranks: &mut [u32],
) -> Result<(), ReadError> {
    LengthError::check("ranks", ranks.len(), queries.len())?;
    check_sorted(queries)?;
    Level::detect().dispatch(Merge {
        nodes,
        queries,
        ranks,
    });
    Ok(())
}

struct Merge<'a> {
    nodes: &'a [f64],
    queries: &'a [f64],
    ranks: &'a mut [u32],
}

impl Kernel for Merge<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        merge(self.nodes, self.queries, self.ranks);
    }
}

/// A rank as 32 bits; node counts are checked where nodes are made.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "an axis has fewer than u32::MAX nodes"
)]
pub(crate) const fn narrow(rank: usize) -> u32 {
    rank as u32
}

/// `x` moved into `[low, high]`; NaN stays.
#[inline(always)]
pub(crate) fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// The rank, found by steps from a guess that is nearly right.
#[inline(always)]
pub(crate) fn settle(nodes: &[f64], guess: usize, x: f64) -> usize {
    if x.is_nan() {
        return nodes.len();
    }
    let mut rank = guess.min(nodes.len());
    while rank > 0 && nodes[rank - 1] > x {
        rank -= 1;
    }
    while rank < nodes.len() && nodes[rank] <= x {
        rank += 1;
    }
    rank
}

/// Coordinates block by block: ranks of a block first, then the coordinates.
pub(crate) fn coordinates_by_ranks(
    queries: &[f64],
    coordinates: &mut [f64],
    ranks_into: impl Fn(&[f64], &mut [u32]),
    coordinate: impl Fn(usize, f64) -> f64,
) {
    let mut buffer = [0_u32; 64];
    for (xs, coordinates) in queries.chunks(64).zip(coordinates.chunks_mut(64)) {
        let ranks = &mut buffer[..xs.len()];
        ranks_into(xs, ranks);
        for ((slot, &rank), &x) in coordinates.iter_mut().zip(ranks.iter()).zip(xs) {
            *slot = coordinate(rank as usize, x);
        }
    }
}
