//! What a sweep returns.

mod rows;
mod saved;

use std::slice::ChunksMut;

pub use rows::WriteError;

use bifrons_hybrid::{HybridSystem, UnknownName};
use bifrons_memory::{Footprint, Part};

use super::Sweep;
use crate::recorder::Destination;
use crate::recording::Policy;
use crate::report::{MemberFailure, MemberReport};
use crate::simulation::find;

/// Rows, outcomes and costs of all members, in the order of the members.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepResult {
    names: Vec<String>,
    /// Rows of a member in a column.
    rows: usize,
    /// Times of the rows where they are the same for all members.
    times: Vec<f64>,
    /// Times of the rows at steps, `members × rows`.
    step_times: Vec<f64>,
    /// Per name: `members × rows`.
    columns: Vec<Vec<f64>>,
    reports: Vec<MemberReport>,
    failures: Vec<(usize, MemberFailure)>,
}

/// Memory of a result.
pub(super) fn footprint<S: HybridSystem>(sweep: &Sweep<'_, S>) -> Part {
    let (rows, members) = (sweep.policy.rows(), sweep.members);
    let names = sweep.policy.column_names(&sweep.signals.names);
    let columns = names.len();
    let letters: usize = names.iter().map(String::len).sum();
    let step_times = if matches!(sweep.policy, Policy::Steps { .. }) {
        members * rows
    } else {
        0
    };
    let times = if matches!(sweep.policy, Policy::Times { .. }) {
        rows
    } else {
        0
    };
    Part::beside(
        "result",
        [
            Part::new("record", Footprint::of::<f64>(members * rows * columns)),
            Part::new("times", Footprint::of::<f64>(times + step_times)),
            Part::new("reports", Footprint::of::<MemberReport>(members)),
            Part::new("columns", Footprint::of::<Vec<f64>>(columns)),
            Part::new(
                "names",
                Footprint::of::<String>(columns).beside(Footprint::of::<u8>(letters)),
            ),
        ],
    )
}

/// Memory of the slices of one chunk.
pub(super) fn slices_footprint<S: HybridSystem>(sweep: &Sweep<'_, S>) -> Footprint {
    let columns = sweep.policy.column_names(&sweep.signals.names).len();
    Footprint::of::<&mut [f64]>(columns).beside(Footprint::of::<ChunksMut<'_, f64>>(columns))
}

impl SweepResult {
    pub(super) fn allocate<S: HybridSystem>(sweep: &Sweep<'_, S>) -> Self {
        let (rows, members) = (sweep.policy.rows(), sweep.members);
        let names = sweep.policy.column_names(&sweep.signals.names);
        let steps = matches!(sweep.policy, Policy::Steps { .. });
        let times = match &sweep.policy {
            Policy::Times { times, .. } => times.clone(),
            _ => Vec::new(),
        };
        Self {
            columns: (0..names.len())
                .map(|_| vec![0.0; members * rows])
                .collect(),
            names,
            rows,
            times,
            step_times: vec![0.0; if steps { members * rows } else { 0 }],
            reports: vec![MemberReport::default(); members],
            failures: Vec::new(),
        }
    }

    /// The places of the members, chunk by chunk.
    pub(super) fn chunks<S: HybridSystem>(
        &mut self,
        sweep: &Sweep<'_, S>,
        width: usize,
    ) -> Chunks<'_> {
        let numbers = (width * self.rows).max(1);
        let steps = matches!(sweep.policy, Policy::Steps { .. });
        Chunks {
            first: 0,
            width,
            columns: self
                .columns
                .iter_mut()
                .map(|c| c.chunks_mut(numbers))
                .collect(),
            times: steps.then(|| self.step_times.chunks_mut(numbers)),
            reports: self.reports.chunks_mut(width),
        }
    }

    pub(super) fn finish(&mut self, mut failures: Vec<(usize, MemberFailure)>) {
        failures.sort_by_key(|(member, _)| *member);
        self.failures = failures;
    }

    /// Number of members.
    #[must_use]
    pub fn member_count(&self) -> usize {
        self.reports.len()
    }

    /// Names of the recorded columns: signals, or `signal.reduction`.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The valid rows of one member in a column: as many as its times, one for final values and
    /// reductions.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if nothing was recorded under this name.
    ///
    /// # Panics
    ///
    /// If there is no such member.
    pub fn rows(&self, name: &str, member: usize) -> Result<&[f64], UnknownName> {
        let column = &self.columns[find(&self.names, name)?];
        let start = member * self.rows;
        Ok(&column[start..start + self.reports[member].rows as usize])
    }

    /// Times of the valid rows of one member; the last time for final values and reductions.
    ///
    /// # Panics
    ///
    /// If there is no such member.
    #[must_use]
    pub fn times(&self, member: usize) -> &[f64] {
        let report = &self.reports[member];
        let rows = report.rows as usize;
        if !self.step_times.is_empty() {
            let start = member * self.rows;
            return &self.step_times[start..start + rows];
        }
        if self.times.is_empty() && rows == 1 {
            return core::slice::from_ref(&report.last_time);
        }
        &self.times[..rows]
    }

    /// A whole column, `members × rows`, and its rows per member. Rows that are not valid (see
    /// [`MemberReport::rows`]) are zero.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if nothing was recorded under this name.
    pub fn column(&self, name: &str) -> Result<(&[f64], usize), UnknownName> {
        Ok((&self.columns[find(&self.names, name)?], self.rows))
    }

    /// Outcome and counts of each member.
    #[must_use]
    pub fn reports(&self) -> &[MemberReport] {
        &self.reports
    }

    /// The members that failed, in ascending order, each with its reason.
    #[must_use]
    pub fn failures(&self) -> &[(usize, MemberFailure)] {
        &self.failures
    }
}

/// Hands out the places of chunk after chunk.
pub(super) struct Chunks<'r> {
    first: usize,
    width: usize,
    columns: Vec<ChunksMut<'r, f64>>,
    times: Option<ChunksMut<'r, f64>>,
    reports: ChunksMut<'r, MemberReport>,
}

impl<'r> Iterator for Chunks<'r> {
    type Item = Destination<'r>;

    fn next(&mut self) -> Option<Destination<'r>> {
        let reports = self.reports.next()?;
        let first = self.first;
        self.first += self.width;
        Some(Destination {
            first,
            columns: self
                .columns
                .iter_mut()
                .map(|c| c.next().unwrap_or_default())
                .collect(),
            times: self
                .times
                .as_mut()
                .and_then(Iterator::next)
                .unwrap_or_default(),
            reports,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.reports.size_hint()
    }
}

impl ExactSizeIterator for Chunks<'_> {}
