//! The rows of a regime at one age, for parents, for tables and for subjects.

use std::sync::Arc;

use bifrons_egm::{
    Budget, EgmError, MarginalRead, ReadError, Reading, Readings, Row, RowReader, SavingsCliff,
};
use bifrons_memory::Footprint;

use super::intervals::Intervals;
use super::outer::{OuterBank, OuterReader};
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
    /// Rows by outer choice, of nested solvers; then there are no other ones.
    pub(crate) outer: Option<Box<OuterBank>>,
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
    /// Cliffs beside which savings stay.
    pub(super) cliffs: Option<Box<[SavingsCliff]>>,
    /// Rows by interval of the liquid state, instead of the one here.
    pub(super) intervals: Option<Box<Intervals>>,
}

impl Entry {
    /// The row that holds at a liquid state.
    pub(super) fn at(&self, liquid: f64) -> &Self {
        match &self.intervals {
            None => self,
            Some(own) => &own.entries[own.index(liquid)],
        }
    }

    /// The interval of a liquid state; 0 if there is one only.
    pub(super) fn interval(&self, liquid: f64) -> usize {
        self.intervals.as_ref().map_or(0, |own| own.index(liquid))
    }

    /// Whether rows end somewhere along the liquid state, or resources bend.
    pub(super) fn has_breaks(&self) -> bool {
        self.budget.is_some() || self.intervals.is_some()
    }

    /// Resources at a liquid state.
    pub(super) fn resources(&self, liquid: f64) -> f64 {
        match &self.budget {
            None => self.offset + self.slope * liquid,
            Some(budget) => budget.resources(liquid),
        }
    }

    /// Consumption that leaves savings on the better side of every cliff.
    pub(super) fn settle(&self, liquid: f64, resources: f64, consumption: f64) -> f64 {
        let Some(cliffs) = &self.cliffs else {
            return consumption;
        };
        let scale = liquid.abs() + resources.abs() + consumption.abs();
        let settled = |c: f64, own: &SavingsCliff| own.settle(resources, c, scale);
        cliffs.iter().fold(consumption, settled)
    }
}

/// Keeps a row for reading.
pub(super) fn keep(mut reader: RowReader, row: &Row, entry: &mut Entry) -> Result<(), EgmError> {
    reader.prepare(row.view())?;
    entry.reader = reader;
    entry.row.reserve(row.len());
    entry.row.copy_from(row.view());
    Ok(())
}

/// What keeping and adjusting are worth at one state.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OuterValues {
    /// The value of the state: the larger of both, or the expectation over the fixed cost.
    pub value: f64,
    /// Value of keeping.
    pub keep: f64,
    /// Value of the best adjustment, before a fixed cost.
    pub adjust: f64,
    /// How likely adjusting is; 0 or 1 without a fixed cost.
    pub probability: f64,
}

/// What a row says at one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub(crate) branch: usize,
    pub(crate) value: f64,
    pub(crate) policy: f64,
}

impl Bank {
    /// The rows of a nested solver.
    pub(super) fn nested(outer: OuterBank) -> Self {
        Self {
            branches: outer.branches(),
            entries: Vec::new(),
            utilities: Arc::default(),
            scale: 0.0,
            outer: Some(Box::new(outer)),
        }
    }

    /// Value of a nested regime at a state whose discrete part is a cell.
    pub(crate) fn nested_value(&self, cell: usize, stock: f64, liquid: f64) -> Option<f64> {
        Some(self.adjustment(cell, stock, liquid)?.value)
    }

    /// Values of a nested regime, blended between two nodes of the stock.
    pub(crate) fn adjustment(&self, cell: usize, stock: f64, liquid: f64) -> Option<OuterValues> {
        let bank = self.outer.as_ref()?;
        let mut reader = OuterReader::default();
        let mut sum = [0.0; 4];
        for (node, weight) in bank.weights(stock)? {
            if weight == 0.0 {
                continue;
            }
            let fold = reader
                .read(bank, (cell, node), [1.0, 0.0], &[liquid])
                .ok()?;
            let channels = [
                fold.value(),
                fold.keep_value(),
                fold.adjust_value(),
                fold.probability(),
            ];
            for (sum, channel) in sum.iter_mut().zip(channels) {
                let own = channel[0];
                // A place beside which nothing is feasible is not feasible.
                *sum += if own.is_finite() { weight * own } else { own };
            }
        }
        let [value, keep, adjust, probability] = sum;
        Some(OuterValues {
            value,
            keep,
            adjust,
            probability,
        })
    }

    /// Number of branches.
    pub(crate) fn branches(&self) -> usize {
        self.branches
    }

    /// Value and policy of a branch of a cell at a liquid state; `None` if it is not feasible.
    pub(crate) fn read(&self, cell: usize, branch: usize, liquid: f64) -> Option<Choice> {
        let index = cell * self.branches + branch;
        let entry = self.entries.get(index)?.at(liquid);
        if !entry.feasible {
            return None;
        }
        let resources = entry.resources(liquid);
        let utility = self.utilities[index].as_dyn();
        let reading: Result<Reading, ReadError> = entry.reader.read(utility, resources);
        let reading = reading.ok()?;
        (reading.value != f64::NEG_INFINITY).then_some(Choice {
            branch,
            value: self.utilities[index].value(reading.value),
            policy: entry.settle(liquid, resources, reading.policy),
        })
    }

    /// Moves consumption at liquid states to the better side of cliffs.
    pub(super) fn settle(
        &self,
        (cell, branch): (usize, usize),
        (liquid, resources): (&[f64], &[f64]),
        policies: &mut [f64],
    ) {
        let entry = self.entries.get(cell * self.branches + branch);
        let beside = |own: &&Entry| own.cliffs.is_some() || own.intervals.is_some();
        let Some(entry) = entry.filter(beside) else {
            return;
        };
        for ((slot, &liquid), &resources) in policies.iter_mut().zip(liquid).zip(resources) {
            *slot = entry.at(liquid).settle(liquid, resources, *slot);
        }
    }

    /// Resources of a branch of a cell at liquid states.
    pub(super) fn resources_into(
        &self,
        cell: usize,
        branch: usize,
        liquid: &[f64],
        out: &mut [f64],
    ) {
        if let Some(entry) = self.entries.get(cell * self.branches + branch) {
            for (slot, &own) in out.iter_mut().zip(liquid) {
                *slot = entry.at(own).resources(own);
            }
        }
    }

    /// The interval of a branch of a cell that owns a liquid state.
    pub(super) fn interval(&self, (cell, branch): (usize, usize), liquid: f64) -> usize {
        let entry = self.entries.get(cell * self.branches + branch);
        entry.map_or(0, |entry| entry.interval(liquid))
    }

    /// Reads a branch of a cell at ascending resources; whether all reads were possible. Values
    /// are values, marginals those of the row. `liquid` is in the interval of all of them.
    pub(super) fn read_sorted(
        &self,
        (cell, branch, liquid): (usize, usize, f64),
        resources: &[f64],
        out: Readings<'_>,
    ) -> bool {
        let index = cell * self.branches + branch;
        let entry = self.entries.get(index).map(|entry| entry.at(liquid));
        entry.filter(|entry| entry.feasible).is_some_and(|entry| {
            let utility = &self.utilities[index];
            let Readings {
                value,
                policy,
                marginal,
            } = out;
            let out = Readings {
                value: &mut *value,
                policy,
                marginal,
            };
            let read = entry.reader.read_sorted(utility.as_dyn(), resources, out);
            if utility.scale().is_some() && read.is_ok() {
                for own in value {
                    *own = utility.value(*own);
                }
            }
            read.is_ok()
        })
    }

    /// Value of a cell at a liquid state over all branches; `column` is working memory.
    pub(crate) fn value_with(&self, cell: usize, liquid: f64, column: &mut Vec<f64>) -> f64 {
        column.clear();
        column.extend((0..self.branches).map(|branch| {
            let choice = self.read(cell, branch, liquid);
            choice.map_or(f64::NEG_INFINITY, |choice| choice.value)
        }));
        log_sum(self.scale, column)
    }

    /// The best branch of a cell at a liquid state; ties go to the first, a NaN stays.
    pub(crate) fn best(&self, cell: usize, liquid: f64) -> Option<Choice> {
        best((0..self.branches).map(|branch| (self.read(cell, branch, liquid), 0.0)))
    }

    /// Value of a cell at a liquid state over all branches.
    pub(crate) fn value(&self, cell: usize, liquid: f64) -> f64 {
        self.value_with(cell, liquid, &mut Vec::new())
    }

    /// Bytes of a bank with so many rows and records, whose marginals are read in this way.
    pub(super) fn footprint(rows: usize, records: usize, read: MarginalRead) -> Footprint {
        let row = RowReader::plain_footprint(records, read).beside(Row::footprint(records));
        Footprint::of::<Entry>(rows).beside(row.times(rows as u64))
    }
}

/// The best of some choices after something was added to the value of each; ties go to the first,
/// a NaN stays.
pub(crate) fn best(choices: impl Iterator<Item = (Option<Choice>, f64)>) -> Option<Choice> {
    let mut best: Option<(Choice, f64)> = None;
    for (choice, added) in choices {
        let Some(choice) = choice else {
            continue;
        };
        let total = choice.value + added;
        if best.is_none_or(|(_, highest)| total > highest || (total.is_nan() && !highest.is_nan()))
        {
            best = Some((choice, total));
        }
    }
    best.map(|(choice, _)| choice)
}
