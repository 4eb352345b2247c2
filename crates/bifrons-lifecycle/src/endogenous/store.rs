//! Rows as bytes.

use std::sync::Arc;

use bifrons_egm::{
    Affine, BreakKind, BreakOwner, Budget, Corner, ReadOptions, Row, RowReader, RowView,
    SavingsCliff, Threshold,
};

use super::bank::{Bank, Entry};
use super::intervals::Intervals;
use super::outer::restore;
use super::rows::{settings, taste, utilities};
use super::worker::Rows;
use crate::problem::Problem;
use crate::store::{ByteReader, ByteWriter};

/// Writes the rows of a regime at one age; utilities follow from the model.
pub(crate) fn write_bank(bank: &Bank, out: &mut ByteWriter) {
    if let Some(outer) = &bank.outer {
        out.u64(outer.choices().len() as u64);
        out.numbers(outer.choices());
        for entry in outer.entries() {
            write_entry(entry, out);
        }
    }
    for entry in &bank.entries {
        write_entry(entry, out);
    }
}

fn write_entry(entry: &Entry, out: &mut ByteWriter) {
    out.flag(entry.feasible);
    out.numbers(&[entry.slope, entry.offset]);
    out.flag(entry.budget.is_some());
    if let Some(budget) = &entry.budget {
        out.u64(budget.points().len() as u64);
        for (&point, &kind) in budget.points().iter().zip(budget.kinds()) {
            out.number(point);
            out.u32(match kind {
                BreakKind::Kink => 0,
                BreakKind::Jump => 1,
                _ => 2,
            });
        }
        for piece in budget.pieces() {
            out.numbers(&[piece.slope, piece.intercept]);
        }
    }
    let intervals = entry.intervals.as_deref();
    out.u64(intervals.map_or(0, |own| own.points.len()) as u64);
    if let Some(own) = intervals {
        out.numbers(&own.points);
        for entry in &own.entries {
            write_entry(entry, out);
        }
        return;
    }
    let view = entry.row.view();
    out.flag(view.corner.is_some());
    if let Some(corner) = view.corner {
        out.numbers(&[corner.savings, corner.continuation]);
    }
    out.u64(view.x.len() as u64);
    for channel in [view.x, view.value, view.policy, view.marginal] {
        out.numbers(channel);
    }
    out.codes(view.owner);
    out.u64(view.marks.len() as u64);
    out.numbers(view.marks);
    let cliffs = entry.cliffs.as_deref().unwrap_or_default();
    out.u64(cliffs.len() as u64);
    for own in cliffs {
        out.flag(own.better == BreakOwner::Above);
        out.numbers(&[own.first_above, own.rounding, own.lowest]);
    }
}

/// Reads what [`write_bank`] wrote.
pub(crate) fn read_bank(
    problem: &Problem,
    period: usize,
    regime: usize,
    reader: &mut ByteReader<'_>,
) -> Option<Bank> {
    let empty: &[f64] = &[];
    let kernel = problem.kernel(period, regime, false, |_| Some(empty))?;
    let margin = kernel.stage.margin.as_ref()?;
    let settings = settings(kernel.plan, margin)?;
    if let Some(outer) = &margin.outer {
        let count = reader.count()?;
        let choices = reader.numbers(count)?;
        let rows = Rows {
            kernel: &kernel,
            margin,
            settings,
            targets: Vec::new(),
            utilities: &[],
        };
        let mut next = || read_row(reader, settings.read);
        return restore(&rows, outer, choices, &mut next).map(Bank::nested);
    }
    let liquid = kernel.period.space.reader.space().shape()[margin.state];
    let branches = kernel.period.choices.branches;
    let count = kernel.period.space.len() / liquid * branches;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        entries.push(read_row(reader, settings.read)?);
    }
    Some(Bank {
        branches,
        entries,
        utilities: Arc::new(utilities(&kernel, margin).ok()?),
        scale: taste(&kernel),
        outer: None,
    })
}

fn read_row(reader: &mut ByteReader<'_>, options: ReadOptions) -> Option<Entry> {
    let mut entry = read_entry(reader, options)?;
    if entry.intervals.is_some() {
        return Some(entry);
    }
    entry.reader = RowReader::new(options);
    entry.reader.prepare(entry.row.view()).ok()?;
    Some(entry)
}

fn read_entry(reader: &mut ByteReader<'_>, options: ReadOptions) -> Option<Entry> {
    let mut entry = Entry {
        feasible: reader.flag()?,
        ..Entry::default()
    };
    (entry.slope, entry.offset) = (reader.number()?, reader.number()?);
    if reader.flag()? {
        entry.budget = Some(Box::new(read_budget(reader)?));
    }
    let count = reader.count()?;
    if count > 0 {
        let points = reader.numbers(count)?;
        let rows = (0..=count).map(|_| read_row(reader, options));
        let entries = rows.collect::<Option<Vec<Entry>>>()?;
        entry.intervals = Some(Box::new(Intervals { points, entries }));
        return Some(entry);
    }
    let corner = if reader.flag()? {
        let (savings, continuation) = (reader.number()?, reader.number()?);
        Some(Corner {
            savings,
            continuation,
        })
    } else {
        None
    };
    let count = reader.count()?;
    let [x, value, policy, marginal] = [(); 4].map(|()| reader.numbers(count));
    let owner = reader.codes(count)?;
    let marks = reader.count()?;
    let marks = reader.numbers(marks)?;
    let mut row = Row::new();
    row.copy_from(RowView {
        x: &x?,
        value: &value?,
        policy: &policy?,
        marginal: &marginal?,
        equivalent: &[],
        owner: &owner,
        marks: &marks,
        corner,
    });
    entry.row = row;
    let mut cliffs = Vec::new();
    for _ in 0..reader.count()? {
        let better = match reader.flag()? {
            true => BreakOwner::Above,
            false => BreakOwner::Below,
        };
        cliffs.push(SavingsCliff {
            better,
            first_above: reader.number()?,
            rounding: reader.number()?,
            lowest: reader.number()?,
        });
    }
    entry.cliffs = (!cliffs.is_empty()).then(|| cliffs.into());
    Some(entry)
}

fn read_budget(reader: &mut ByteReader<'_>) -> Option<Budget> {
    let count = reader.count()?;
    let mut thresholds = Vec::new();
    for _ in 0..count {
        let point = reader.number()?;
        let kind = match reader.u32()? {
            0 => BreakKind::Kink,
            1 => BreakKind::Jump,
            2 => BreakKind::Floor,
            _ => return None,
        };
        thresholds.push(Threshold::at(point, kind, BreakOwner::Above));
    }
    let mut pieces = Vec::new();
    for _ in 0..=count {
        let (slope, intercept) = (reader.number()?, reader.number()?);
        pieces.push(Affine { slope, intercept });
    }
    Budget::new(&pieces, &thresholds).ok()
}
