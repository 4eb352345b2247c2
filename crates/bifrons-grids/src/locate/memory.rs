//! Ranks of unsorted queries from a remembered place.

use super::narrow;
use crate::error::LengthError;

/// Finds ranks of queries that come in no order but often near the one before.
///
/// A query within eight nodes of the last one costs about six comparisons, any other one a binary
/// search of all nodes. The rank found does not depend on the memory, so one locator may serve any
/// nodes in turn.
///
/// ```
/// use bifrons_grids::Locator;
///
/// let nodes = [0.0, 1.0, 4.0, 9.0];
/// let mut locator = Locator::new();
/// assert_eq!(locator.rank(&nodes, 5.0), 3);
/// assert_eq!(locator.rank(&nodes, 0.5), 1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Locator {
    last: usize,
}

impl Locator {
    /// A locator that remembers the first node.
    #[must_use]
    pub const fn new() -> Self {
        Self { last: 0 }
    }

    /// Number of nodes not above `x`, the same as [`rank`](crate::rank).
    #[inline]
    pub fn rank(&mut self, nodes: &[f64], x: f64) -> usize {
        let rank = hunt(nodes, self.last, x);
        if !x.is_nan() {
            self.last = rank;
        }
        rank
    }

    /// Ranks of many queries in any order, without allocation.
    ///
    /// # Errors
    ///
    /// [`LengthError`] if the slices differ in length.
    pub fn ranks_into(
        &mut self,
        nodes: &[f64],
        queries: &[f64],
        ranks: &mut [u32],
    ) -> Result<(), LengthError> {
        LengthError::check("ranks", ranks.len(), queries.len())?;
        for (slot, &x) in ranks.iter_mut().zip(queries) {
            *slot = narrow(self.rank(nodes, x));
        }
        Ok(())
    }
}

/// Nodes on each side of the last place that are tried before a search of all.
const NEAR: usize = 8;

/// Rank of `x`, looked for next to `guess` first.
#[inline]
fn hunt(nodes: &[f64], guess: usize, x: f64) -> usize {
    let count = nodes.len();
    if x.is_nan() {
        return count;
    }
    let guess = guess.min(count);
    let (low, high) = (guess.saturating_sub(NEAR), (guess + NEAR).min(count));
    let is_near = (low == 0 || nodes[low - 1] <= x) && (high == count || nodes[high] > x);
    let (low, high) = if is_near { (low, high) } else { (0, count) };
    low + nodes[low..high].partition_point(|&node| node <= x)
}
