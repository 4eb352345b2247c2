//! Rows at steps: growing, bounded, thinned, or the last ones.

use bifrons_memory::Footprint;

use super::spill::RowTaker;
use crate::checkpoint::{Reader, Writer};
use crate::recording::{Mark, Overflow};

/// What became of a row that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Kept, or left out by the policy.
    Ok,
    /// No room and the policy is to fail.
    Full,
}

/// Rows of one member: time and one value per signal, column by column.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepRows {
    pub(crate) times: Vec<f64>,
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) marks: Vec<Mark>,
    capacity: Option<(usize, Overflow)>,
    /// Rows offered so far.
    offered: u64,
    /// Thinning: every how many-th row is kept.
    stride: u64,
    /// Thinning: the newest row was left out and waits in `latest`.
    pending: bool,
    latest: Vec<f64>,
    latest_mark: Mark,
    /// Keeping the last: position of the oldest row.
    oldest: usize,
    /// Rows that went to a sink.
    spilled: u64,
}

impl StepRows {
    pub(crate) fn new(signals: usize, capacity: Option<(usize, Overflow)>) -> Self {
        let rows = capacity.map_or(0, |(rows, _)| rows);
        Self {
            times: Vec::with_capacity(rows),
            columns: (0..signals).map(|_| Vec::with_capacity(rows)).collect(),
            marks: Vec::with_capacity(rows),
            capacity,
            offered: 0,
            stride: 1,
            pending: false,
            latest: vec![0.0; signals + 1],
            latest_mark: Mark::Step,
            oldest: 0,
            spilled: 0,
        }
    }

    /// Bytes for a capacity; nothing is allocated beyond it.
    pub(crate) fn footprint(signals: usize, rows: usize) -> Footprint {
        Footprint::of::<f64>(rows * (signals + 1))
            .beside(Footprint::of::<Vec<f64>>(signals))
            .beside(Footprint::of::<f64>(signals + 1))
            .beside(Footprint::of::<Mark>(rows))
    }

    /// Writes everything but the capacity.
    pub(crate) fn save(&self, writer: &mut Writer) {
        writer.numbers(&self.times);
        for column in &self.columns {
            writer.numbers(column);
        }
        writer.words(self.marks.iter().map(|&mark| mark.number()));
        let pending = u64::from(self.pending);
        let mark = self.latest_mark.number();
        for word in [self.offered, self.stride, pending, mark, self.oldest as u64] {
            writer.word(word);
        }
        writer.numbers(&self.latest);
    }

    /// Reads what [`save`](Self::save) has written; `None` if it does not fit.
    pub(crate) fn restore(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let take = |own: &mut Vec<f64>, found: Vec<f64>| {
            own.clear();
            own.extend(found);
        };
        take(&mut self.times, reader.numbers()?);
        let rows = self.times.len();
        for column in &mut self.columns {
            take(
                column,
                reader.numbers().filter(|found| found.len() == rows)?,
            );
        }
        let marks = reader.words().filter(|marks| marks.len() == rows)?;
        self.marks.clear();
        for mark in marks {
            self.marks.push(Mark::of_number(mark)?);
        }
        self.offered = reader.word()?;
        self.stride = reader.word().filter(|&stride| stride > 0)?;
        self.pending = reader.word()? != 0;
        self.latest_mark = Mark::of_number(reader.word()?)?;
        let oldest = usize::try_from(reader.word()?).ok()?;
        self.oldest = Some(oldest).filter(|&oldest| oldest <= rows)?;
        reader.fill(&mut self.latest)
    }

    pub(crate) fn clear(&mut self) {
        self.times.clear();
        self.marks.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.offered = 0;
        self.stride = 1;
        self.pending = false;
        self.oldest = 0;
        self.spilled = 0;
    }

    /// Whether the block must go to a sink before there is room for a row.
    pub(crate) fn must_spill(&self) -> bool {
        matches!(self.capacity, Some((rows, Overflow::Spill)) if self.times.len() == rows)
    }

    /// Hands the block over and begins the next one; `false` if it was not taken.
    pub(crate) fn spill_to(&mut self, taker: &mut dyn RowTaker) -> bool {
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        if !taker.take(&self.times, &self.marks, &columns) {
            return false;
        }
        self.spilled += self.times.len() as u64;
        self.times.clear();
        self.marks.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        true
    }

    /// Offers the next row; `value(signal)` gives its values.
    pub(crate) fn offer(&mut self, t: f64, mark: Mark, value: impl Fn(usize) -> f64) -> Offered {
        let index = self.offered;
        let Some((rows, overflow)) = self.capacity else {
            self.offered += 1;
            self.push(t, mark, value);
            return Offered::Ok;
        };
        match overflow {
            Overflow::Error if self.times.len() == rows => return Offered::Full,
            Overflow::KeepLast if self.times.len() == rows => self.replace_oldest(t, mark, value),
            Overflow::Thin => self.thin(index, rows, (t, mark), value),
            _ => self.push(t, mark, value),
        }
        self.offered += 1;
        Offered::Ok
    }

    fn push(&mut self, t: f64, mark: Mark, value: impl Fn(usize) -> f64) {
        self.times.push(t);
        self.marks.push(mark);
        for (signal, column) in self.columns.iter_mut().enumerate() {
            column.push(value(signal));
        }
    }

    fn replace_oldest(&mut self, t: f64, mark: Mark, value: impl Fn(usize) -> f64) {
        self.times[self.oldest] = t;
        self.marks[self.oldest] = mark;
        for (signal, column) in self.columns.iter_mut().enumerate() {
            column[self.oldest] = value(signal);
        }
        self.oldest = (self.oldest + 1) % self.times.len();
    }

    /// Keeps rows whose index is a multiple of the stride, and one place for the last row.
    fn thin(
        &mut self,
        index: u64,
        rows: usize,
        (t, mark): (f64, Mark),
        value: impl Fn(usize) -> f64,
    ) {
        self.pending = !index.is_multiple_of(self.stride);
        if self.pending {
            self.keep_latest(t, mark, value);
            return;
        }
        if self.times.len() + 1 == rows {
            // Every second row goes; the rows left are those of the doubled stride.
            self.stride *= 2;
            halve(&mut self.times);
            halve(&mut self.marks);
            self.columns.iter_mut().for_each(halve);
            if !index.is_multiple_of(self.stride) {
                self.pending = true;
                self.keep_latest(t, mark, value);
                return;
            }
        }
        self.push(t, mark, value);
    }

    fn keep_latest(&mut self, t: f64, mark: Mark, value: impl Fn(usize) -> f64) {
        self.latest[0] = t;
        self.latest_mark = mark;
        for (signal, latest) in self.latest[1..].iter_mut().enumerate() {
            *latest = value(signal);
        }
    }

    /// Puts the last row in place and the rows in order of time; returns the rows not kept.
    pub(crate) fn finish(&mut self) -> u64 {
        if self.pending {
            self.pending = false;
            self.times.push(self.latest[0]);
            self.marks.push(self.latest_mark);
            for (column, &latest) in self.columns.iter_mut().zip(&self.latest[1..]) {
                column.push(latest);
            }
        }
        self.times.rotate_left(self.oldest);
        self.marks.rotate_left(self.oldest);
        for column in &mut self.columns {
            column.rotate_left(self.oldest);
        }
        self.oldest = 0;
        self.offered - self.spilled - self.times.len() as u64
    }
}

fn halve<T: Copy>(values: &mut Vec<T>) {
    let kept = values.len().div_ceil(2);
    for k in 1..kept {
        values[k] = values[2 * k];
    }
    values.truncate(kept);
}
