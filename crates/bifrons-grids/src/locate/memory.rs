//! Ranks of unsorted queries from a remembered place.

use super::narrow;
use crate::error::LengthError;

/// Finds ranks of queries that come in no order but often near the one before.
///
/// Starts from the last rank, doubles its step until the query is enclosed and bisects: a query
/// near the last one costs a few comparisons, one at distance `d` nodes about `2 log2 d`. The
/// rank found does not depend on the memory, so one locator may serve any nodes in turn.
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

/// Rank of `x`, looked for from `guess` on in growing steps.
#[inline]
fn hunt(nodes: &[f64], guess: usize, x: f64) -> usize {
    let count = nodes.len();
    if x.is_nan() {
        return count;
    }
    let guess = guess.min(count);
    let mut step = 1;
    // Nodes below `low` are not above `x`; nodes from `high` on are above it.
    let (mut low, mut high);
    if guess < count && nodes[guess] <= x {
        low = guess + 1;
        high = count;
        while low + step < count {
            if nodes[low + step] > x {
                high = low + step;
                break;
            }
            low += step + 1;
            step *= 2;
        }
    } else {
        high = guess;
        low = 0;
        while high > step {
            if nodes[high - 1 - step] <= x {
                low = high - step;
                break;
            }
            high -= step + 1;
            step *= 2;
        }
    }
    low + nodes[low..high].partition_point(|&node| node <= x)
}
