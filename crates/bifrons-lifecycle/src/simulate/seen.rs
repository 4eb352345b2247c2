//! What was seen of subjects: counts and ranges by period and regime.

use super::chunk::Trouble;
use crate::error::Fault;
use crate::search::Best;
use crate::solution::NONE;

/// What was seen of the subjects of a chunk.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) first_infeasible: Option<u64>,
    /// The first subject whose value is NaN.
    pub(super) first_nan: Option<(u64, Fault)>,
    pub(super) off_grid: usize,
    /// By period and regime.
    pub(super) entries: Vec<Entry>,
}

/// Subjects of a regime in a period.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) subjects: usize,
    pub(super) infeasible: usize,
    pub(super) nan: usize,
    pub(super) range: Option<(f64, f64)>,
}

/// Running counts.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) entries: Vec<Entry>,
    pub(super) first_infeasible: Option<usize>,
    pub(super) first_nan: Option<(usize, Trouble)>,
}

impl Tally {
    pub(super) fn new(count: usize) -> Self {
        Self {
            entries: vec![Entry::default(); count],
            first_infeasible: None,
            first_nan: None,
        }
    }

    /// Counts a subject.
    pub(super) fn add(&mut self, place: usize, own: usize, best: Best) {
        let entry = &mut self.entries[place];
        entry.subjects += 1;
        if best.value.is_nan() {
            entry.nan += 1;
        } else if best.flat == NONE {
            entry.infeasible += 1;
            let first = self.first_infeasible.is_none_or(|first| own < first);
            if first {
                self.first_infeasible = Some(own);
            }
        } else if best.value.is_finite() {
            entry.widen((best.value, best.value));
        }
    }
}

impl Entry {
    fn widen(&mut self, (low, high): (f64, f64)) {
        let (least, most) = self.range.unwrap_or((low, high));
        self.range = Some((least.min(low), most.max(high)));
    }

    /// Both entries together; no result depends on the order.
    pub(super) fn merge(&mut self, other: &Self) {
        self.subjects += other.subjects;
        self.infeasible += other.infeasible;
        self.nan += other.nan;
        if let Some(range) = other.range {
            self.widen(range);
        }
    }
}
