//! CSV files: text, bits, interruptions and how to go on.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot write its files fails"
)]

#[path = "sample/rows.rs"]
mod rows;

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use bifrons_export::{CsvSink, Partial};
use bifrons_table::{
    Batch, Cell, ColumnKind, ColumnView, Field, Schema, SinkError, Table, TableSink,
};
use proptest::prelude::*;

fn write(mut sink: CsvSink, table: &Table, width: usize) -> Result<(), SinkError> {
    sink.begin(table.schema())?;
    for piece in table.batch().chunks(width) {
        sink.append(&piece)?;
    }
    sink.finish()
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_text_is_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    write(CsvSink::create(&path), &rows::table(0..8), 3).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.split_inclusive('\n');
    assert_eq!(
        lines.next(),
        Some("\"time, \"\"s\"\"\",count,member,alive,mode.of/x,value\n"),
        "names"
    );
    let values: Vec<&str> = lines
        .map(|line| line.trim_end().rsplit(',').next().unwrap())
        .collect();
    let expected = ["0.0", "-0.0", "inf", "-inf", "NaN", "NaN", "NaN", "5e-324"];
    let found: Vec<&str> = values
        .into_iter()
        .filter(|value| expected.contains(value))
        .collect();
    assert_eq!(found, expected, "numbers of all classes");
    assert_eq!(names_in(dir.path()), ["run.csv"], "no other file is left");
}

#[test]
fn every_cell_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    write(CsvSink::create(&path), &rows::table(0..500), 64).unwrap();
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 500, "rows");
    for (row, record) in (0..).zip(&records) {
        for (cell, text) in rows::cells(row).into_iter().zip(record) {
            let same = match cell {
                Cell::F64(x) if x.is_nan() => text == "NaN",
                Cell::F64(x) => text.parse::<f64>().unwrap().to_bits() == x.to_bits(),
                Cell::I64(i) => text.parse() == Ok(i),
                Cell::U32(i) => text.parse() == Ok(i),
                Cell::Bool(b) => text.parse() == Ok(b),
                Cell::Category(code) => text == rows::LABELS[code as usize],
                other => panic!("{other:?}"),
            };
            assert!(same, "row {row}: {cell:?} is written as `{text}`");
        }
    }
}

proptest! {
    #[test]
    fn numbers_read_back_to_the_same_bits(bits in prop::collection::vec(any::<u64>(), 1..50)) {
        let numbers: Vec<f64> = bits.iter().map(|bits| f64::from_bits(*bits)).collect();
        let schema = Schema::new([Field::new("x", ColumnKind::F64)]).unwrap();
        let columns = [ColumnView::F64(&numbers)];
        let buffer = Shared::default();
        let mut sink = CsvSink::to_writer(buffer.clone());
        sink.begin(&schema).unwrap();
        sink.append(&Batch::new(&schema, &columns).unwrap()).unwrap();
        sink.finish().unwrap();
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        for (line, x) in text.lines().skip(1).zip(&numbers) {
            let back: f64 = line.parse().unwrap();
            let same = if x.is_nan() { back.is_nan() } else { back.to_bits() == x.to_bits() };
            prop_assert!(same, "{} read as {:e}", line, back);
            prop_assert!(x.is_nan() || line.len() <= format!("{x:e}").len() + 3, "{} is short", line);
        }
    }

    #[test]
    fn the_file_does_not_depend_on_the_batches(count in 0..60_u64, width in 1..20_usize) {
        let bytes = |width| {
            let buffer = Shared::default();
            write(CsvSink::to_writer(buffer.clone()), &rows::table(0..count), width).unwrap();
            buffer.0.lock().unwrap().clone()
        };
        prop_assert_eq!(bytes(width), bytes(usize::MAX));
    }
}

#[test]
fn no_rows_give_the_line_of_names() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    write(CsvSink::create(&path), &rows::table(0..0), 1).unwrap();
    assert_eq!(
        csv::Reader::from_path(&path).unwrap().records().count(),
        0,
        "no rows"
    );
    assert_eq!(
        std::fs::read_to_string(&path).unwrap().lines().count(),
        1,
        "names"
    );
}

#[test]
fn a_dropped_sink_leaves_the_older_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    std::fs::write(&path, "older").unwrap();
    let table = rows::table(0..100);
    let mut sink = CsvSink::create(&path);
    sink.begin(table.schema()).unwrap();
    sink.append(&table.batch()).unwrap();
    assert_eq!(names_in(dir.path()).len(), 2, "target and working file");
    drop(sink);
    assert_eq!(
        names_in(dir.path()),
        ["run.csv"],
        "the working file is gone"
    );
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "older",
        "the target is untouched"
    );
    write(CsvSink::create(&path), &table, 7).unwrap();
    assert_eq!(
        csv::Reader::from_path(&path).unwrap().records().count(),
        100,
        "replaced at last"
    );
}

#[test]
fn keep_leaves_whole_batches_under_another_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    let table = rows::table(0..100);
    let mut sink = CsvSink::create(&path).partial(Partial::Keep);
    sink.begin(table.schema()).unwrap();
    sink.append(&table.batch().slice(0..30)).unwrap();
    drop(sink);
    assert_eq!(names_in(dir.path()), ["run.csv.partial"], "no target");
    let partial = csv::Reader::from_path(dir.path().join("run.csv.partial")).unwrap();
    assert_eq!(
        partial.into_records().count(),
        30,
        "rows of the appended batches"
    );
    let again = write(CsvSink::create(&path).partial(Partial::Keep), &table, 10).unwrap_err();
    let SinkError::Write { source, .. } = again else {
        panic!("{again}")
    };
    assert_eq!(
        source.kind(),
        io::ErrorKind::AlreadyExists,
        "kept rows are not destroyed: {source}"
    );
}

/// Cuts a partial file at every byte: after resuming, the finished file is always the same.
#[test]
fn a_file_cut_anywhere_is_resumed_to_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    let working = dir.path().join("run.csv.partial");
    let table = rows::table(0..9);
    write(CsvSink::create(&path), &table, 5).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&working, &whole[..cut]).unwrap();
        let mut sink = CsvSink::resume(&path).unwrap();
        let rows = usize::try_from(sink.resumed_rows()).unwrap();
        sink.begin(table.schema()).unwrap();
        sink.append(&table.batch().slice(rows..usize::MAX)).unwrap();
        sink.finish().unwrap();
        assert!(
            std::fs::read(&path).unwrap() == whole,
            "cut at byte {cut} with {rows} whole rows"
        );
        assert_eq!(
            rows == 9,
            cut == whole.len(),
            "all rows are there only at the end"
        );
    }
    assert_eq!(names_in(dir.path()), ["run.csv"], "no other file is left");
}

#[test]
fn rows_can_be_cut_to_where_the_caller_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    let table = rows::table(0..40);
    let mut sink = CsvSink::create(&path).partial(Partial::Keep);
    sink.begin(table.schema()).unwrap();
    sink.append(&table.batch().slice(0..33)).unwrap();
    drop(sink);
    let mut sink = CsvSink::resume(&path).unwrap().keep_rows(30).unwrap();
    assert_eq!(sink.resumed_rows(), 30, "three members of ten rows");
    sink.begin(table.schema()).unwrap();
    sink.append(&table.batch().slice(30..40)).unwrap();
    sink.finish().unwrap();
    let resumed = std::fs::read(&path).unwrap();
    write(CsvSink::create(&path), &table, 9).unwrap();
    assert!(std::fs::read(&path).unwrap() == resumed, "the same bytes");
}

#[test]
fn resuming_needs_the_same_columns_and_nobody_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.csv");
    let refusal = |result: Result<(), SinkError>| match result {
        Err(SinkError::Write { source, target }) => (source.kind(), source.to_string(), target),
        other => panic!("{other:?}"),
    };
    let fresh = CsvSink::resume(&path).unwrap();
    assert_eq!(fresh.resumed_rows(), 0, "there is nothing to resume");
    let mut first = CsvSink::create(&path).partial(Partial::Keep);
    first.begin(&rows::schema()).unwrap();
    let second = CsvSink::resume(&path).map(|_| ());
    assert_eq!(
        refusal(second).0,
        io::ErrorKind::ResourceBusy,
        "the first still writes"
    );
    drop(first);
    let mut other = CsvSink::resume(&path).unwrap();
    let schema = Schema::new([Field::new("x", ColumnKind::F64)]).unwrap();
    let (kind, text, target) = refusal(other.begin(&schema));
    assert_eq!(kind, io::ErrorKind::InvalidData, "{text}");
    assert!(text.ends_with("has other columns than x"), "{text}");
    assert_eq!(target, path.display().to_string(), "names the target");
    drop(other);
    assert_eq!(
        CsvSink::resume(&path).unwrap().resumed_rows(),
        0,
        "the file is as before"
    );
}

#[test]
fn targets_that_cannot_be_written_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("absent").join("run.csv");
    let error = write(CsvSink::create(&path), &rows::table(0..1), 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` cannot be written", path.display()),
        "message"
    );
    let error = write(CsvSink::create("/"), &rows::table(0..1), 1).unwrap_err();
    let SinkError::Write { source, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(
        source.kind(),
        io::ErrorKind::InvalidInput,
        "no file name: {source}"
    );
}

#[test]
fn a_full_disk_is_an_error_and_ends_the_sink() {
    let table = rows::table(0..2_000);
    let disk = Full {
        room: 100_000,
        wrote: Arc::default(),
    };
    let wrote = Arc::clone(&disk.wrote);
    let mut sink = CsvSink::to_writer(disk);
    sink.begin(table.schema()).unwrap();
    let mut pieces = table.batch().chunks(10);
    let error = pieces.find_map(|piece| sink.append(&piece).err()).unwrap();
    let SinkError::Write { source, target } = error else {
        panic!("{error}")
    };
    assert_eq!(
        (source.kind(), target.as_str()),
        (io::ErrorKind::StorageFull, "writer"),
        "named"
    );
    let after = sink.append(&table.batch()).unwrap_err();
    assert!(
        matches!(
            after,
            SinkError::Order {
                state: "has failed",
                ..
            }
        ),
        "{after}"
    );
    assert!(
        *wrote.lock().unwrap() <= 100_000,
        "no more than there was room for"
    );
}

/// Memory that can be read after the sink has gone.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk with little room.
struct Full {
    room: usize,
    wrote: Arc<Mutex<usize>>,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut wrote = self.wrote.lock().unwrap();
        let count = bytes.len().min(self.room - *wrote);
        *wrote += count;
        if count == 0 && !bytes.is_empty() {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
