//! The rows of a regime at one age, for parents, for tables and for subjects.

use std::sync::Arc;

use bifrons_egm::{Budget, ReadError, Reading, Row, RowReader};
use bifrons_memory::Footprint;

use super::utility::CellUtility;
use crate::preference::log_sum;

/// Rows by cell and branch.
#[derive(Debug, Clone)]
pub(crate) struct Bank {
    pub(super) branches: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) utilities: Arc<Vec<CellUtility>>,
    /// Scale of the taste shocks, zero without.
    pub(crate) scale: f64,
}

/// One row with the resources at which it is read.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    pub(super) reader: RowReader,
    pub(super) feasible: bool,
    /// Resources are `offset + slope · state`.
    pub(super) slope: f64,
    pub(super) offset: f64,
    /// The row that the reader was made of.
    pub(super) row: Row,
    /// Resources with breakpoints.
    pub(super) budget: Option<Box<Budget>>,
}

impl Entry {
    /// Resources at a liquid state.
    pub(super) fn resources(&self, liquid: f64) -> f64 {
        match &self.budget {
            None => self.offset + self.slope * liquid,
            Some(budget) => budget.resources(liquid),
        }
    }
}

/// What a row says at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub(crate) branch: usize,
    pub(crate) value: f64,
    pub(crate) policy: f64,
}

impl Bank {
    /// Number of branches.
    pub(crate) fn branches(&self) -> usize {
        self.branches
    }

    /// Value and policy of a branch of a cell at a liquid state; `None` if it is not feasible.
    pub(crate) fn read(&self, cell: usize, branch: usize, liquid: f64) -> Option<Choice> {
        let index = cell * self.branches + branch;
        let entry = self.entries.get(index).filter(|entry| entry.feasible)?;
        let resources = entry.resources(liquid);
        let utility = self.utilities[index].as_dyn();
        let reading: Result<Reading, ReadError> = entry.reader.read(utility, resources);
        let reading = reading.ok()?;
        (reading.value != f64::NEG_INFINITY).then_some(Choice {
            branch,
            value: reading.value,
            policy: reading.policy,
        })
    }

    /// The best branch of a cell at a liquid state; ties go to the first.
    pub(crate) fn best(&self, cell: usize, liquid: f64) -> Option<Choice> {
        self.choose(cell, liquid, |_| 0.0)
    }

    /// The best branch after something was added to the value of each; ties go to the first.
    pub(crate) fn choose(
        &self,
        cell: usize,
        liquid: f64,
        added: impl Fn(usize) -> f64,
    ) -> Option<Choice> {
        let mut best: Option<(Choice, f64)> = None;
        for branch in 0..self.branches {
            let Some(choice) = self.read(cell, branch, liquid) else {
                continue;
            };
            let total = choice.value + added(branch);
            if best.is_none_or(|(_, highest)| total > highest) {
                best = Some((choice, total));
            }
        }
        best.map(|(choice, _)| choice)
    }

    /// Value of a cell at a liquid state over all branches.
    pub(crate) fn value(&self, cell: usize, liquid: f64) -> f64 {
        let read = |branch| {
            let choice = self.read(cell, branch, liquid);
            choice.map_or(f64::NEG_INFINITY, |choice| choice.value)
        };
        let values: Vec<f64> = (0..self.branches).map(read).collect();
        log_sum(self.scale, &values)
    }

    /// Bytes of a bank.
    pub(super) fn footprint(rows: usize, records: usize) -> Footprint {
        let row = RowReader::footprint(records).beside(Row::footprint(records));
        Footprint::of::<Entry>(rows).beside(row.times(rows as u64))
    }
}
