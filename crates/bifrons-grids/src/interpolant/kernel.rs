//! The loop over queries whose ranks are known.

use bifrons_lanes::LANES;

use super::cell::Cell;
use crate::extrapolation::Bounds;
use crate::locate::{self, clamp};

/// What a read needs of the interpolant.
#[derive(Clone, Copy)]
pub(super) struct Source<'a, C: Cell> {
    pub(super) table: &'a [C],
    pub(super) anchors: &'a [f64],
    pub(super) common: C::Common,
    pub(super) bounds: Bounds,
}

impl<C: Cell> Source<'_, C> {
    /// Value and slope at a query of known rank.
    #[inline(always)]
    pub(super) fn read(&self, rank: usize, x: f64) -> (f64, f64) {
        self.read_cell(self.table[rank], self.anchors[rank], x)
    }

    #[inline(always)]
    fn read_cell(&self, cell: C, anchor: f64, x: f64) -> (f64, f64) {
        let moved = clamp(x, self.bounds.low, self.bounds.high);
        let (value, slope) = cell.read(moved - anchor, self.common);
        let outside = x < self.bounds.low || x > self.bounds.high;
        let slope = if outside { 0.0 } else { slope };
        (value, if x.is_nan() { x } else { slope })
    }

    /// Values, and slopes if wanted, of a block of queries.
    ///
    /// Cells are copied side by side first; the arithmetic on the copies is then vectorised.
    #[inline(always)]
    pub(super) fn read_block<const SLOPES: bool>(
        &self,
        ranks: &[u32],
        queries: &[f64],
        values: &mut [f64],
        slopes: &mut [f64],
    ) {
        let count = queries.len();
        let (ranks, values) = (&ranks[..count], &mut values[..count]);
        let slopes = &mut slopes[..if SLOPES { count } else { 0 }];
        let last = self.table.len() - 1;
        let (table, by_rank) = (&self.table[..=last], &self.anchors[..=last]);
        let mut from = 0;
        while from + LANES <= count {
            let to = from + LANES;
            let (mut cells, mut anchors) = ([table[0]; LANES], [0.0; LANES]);
            for ((cell, anchor), &rank) in cells.iter_mut().zip(&mut anchors).zip(&ranks[from..to])
            {
                // Ranks are in range; the minimum tells so to the compiler.
                let rank = (rank as usize).min(last);
                (*cell, *anchor) = (table[rank], by_rank[rank]);
            }
            let (xs, vs) = (&queries[from..to], &mut values[from..to]);
            let mut ss = [0.0; LANES];
            for lane in 0..LANES {
                (vs[lane], ss[lane]) = self.read_cell(cells[lane], anchors[lane], xs[lane]);
            }
            if SLOPES {
                slopes[from..to].copy_from_slice(&ss);
            }
            from = to;
        }
        for i in from..count {
            let (value, slope) = self.read(ranks[i] as usize, queries[i]);
            values[i] = value;
            if SLOPES {
                slopes[i] = slope;
            }
        }
    }
}

/// Queries per block of ranks, which then stay in the first-level cache.
pub(super) const BLOCK: usize = 256;

/// A way to find the ranks of the next block of queries.
pub(super) trait Ranker {
    fn ranks(&mut self, nodes: &[f64], queries: &[f64], ranks: &mut [u32]);
}

/// Sorted queries; every block starts where the last one ended.
pub(super) struct Merge(pub(super) usize);

impl Ranker for Merge {
    #[inline(always)]
    fn ranks(&mut self, nodes: &[f64], queries: &[f64], ranks: &mut [u32]) {
        locate::merge(&nodes[self.0..], queries, ranks);
        let from = locate::narrow(self.0);
        for rank in ranks.iter_mut() {
            *rank += from;
        }
        self.0 = ranks.last().map_or(self.0, |&rank| rank as usize);
    }
}
