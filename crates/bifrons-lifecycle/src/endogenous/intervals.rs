//! Rows of a continuation that depends on the liquid state by steps: one for each interval.

use bifrons_egm::{Affine, EgmError, SavingsNodes};
use bifrons_memory::Footprint;

use super::bank::Entry;

/// Rows by interval of the liquid state.
#[derive(Debug, Clone)]
pub(super) struct Intervals {
    /// First liquid states of all intervals but the lowest, ascending.
    pub(super) points: Vec<f64>,
    pub(super) entries: Vec<Entry>,
}

impl Intervals {
    /// The interval that owns a liquid state.
    pub(super) fn index(&self, liquid: f64) -> usize {
        self.points.partition_point(|&point| point <= liquid)
    }

    /// First and end of an interval.
    fn range(&self, index: usize) -> (f64, f64) {
        let before = index.checked_sub(1).and_then(|at| self.points.get(at));
        let after = self.points.get(index);
        (
            before.copied().unwrap_or(f64::NEG_INFINITY),
            after.copied().unwrap_or(f64::INFINITY),
        )
    }

    /// Adds the breakpoints of all rows where they hold, and a cliff where one row ends.
    pub(super) fn add_breaks(
        &self,
        next: Affine,
        nodes: &mut SavingsNodes,
    ) -> Result<(), EgmError> {
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(budget) = entry.budget.as_ref().filter(|_| entry.feasible) {
                nodes.add_child_within(next, budget, entry.row.view(), self.range(index))?;
            }
        }
        for &point in &self.points {
            nodes.add_cliff(next, point)?;
        }
        Ok(())
    }
}

/// The continuation of one interval, from when it is averaged until its row is made.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    pub(super) nodes: SavingsNodes,
    pub(super) value: Vec<f64>,
    pub(super) marginal: Vec<f64>,
    pub(super) discount: f64,
}

impl Slot {
    /// Bytes for so many nodes of the grid and breakpoints.
    pub(super) const fn footprint(grid: usize, breaks: usize) -> Footprint {
        SavingsNodes::footprint(grid, breaks).beside(Footprint::of::<[f64; 2]>(grid + 2 * breaks))
    }

    /// Keeps the continuation.
    pub(super) fn keep(&mut self, value: &[f64], marginal: &[f64], discount: f64) {
        for (slot, own) in [(&mut self.value, value), (&mut self.marginal, marginal)] {
            slot.clear();
            slot.reserve_exact(own.len());
            slot.extend_from_slice(own);
        }
        self.discount = discount;
    }
}
