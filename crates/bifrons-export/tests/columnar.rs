//! Arrow and Parquet files read back to the same bits, whole or not at all.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot write its files fails"
)]

#[path = "sample/rows.rs"]
mod rows;

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt32Type};
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, SchemaRef};
use bifrons_export::{ArrowSink, ParquetSink, Partial};
use bifrons_table::{Cell, SinkError, Table, TableSink};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

type Read = (SchemaRef, Vec<RecordBatch>);

fn read_arrow(path: &Path) -> Result<Read, String> {
    let reader = FileReader::try_new(File::open(path).unwrap(), None).map_err(|e| e.to_string())?;
    let schema = reader.schema();
    let batches = reader
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    Ok((schema, batches))
}

fn read_parquet(path: &Path) -> Result<Read, String> {
    let file = File::open(path).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| e.to_string())?;
    let schema = builder.schema().clone();
    let batches = builder
        .build()
        .unwrap()
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    Ok((schema, batches))
}

/// Both formats: how to make a sink, and how to read a file.
#[expect(clippy::type_complexity, reason = "a table of functions")]
const FORMATS: [(
    &str,
    fn(&Path, Partial) -> Box<dyn TableSink>,
    fn(&Path) -> Result<Read, String>,
); 2] = [
    (
        "arrow",
        |path, partial| Box::new(ArrowSink::create(path).partial(partial)),
        read_arrow,
    ),
    (
        "parquet",
        |path, partial| Box::new(ParquetSink::create(path).partial(partial)),
        read_parquet,
    ),
];

fn write(mut sink: Box<dyn TableSink>, table: &Table, width: usize) -> Result<(), SinkError> {
    sink.begin(table.schema())?;
    for piece in table.batch().chunks(width) {
        sink.append(&piece)?;
    }
    sink.finish()
}

/// Compares every cell with the rows that were written.
fn check(batches: &[RecordBatch], rows: u64, name: &str) {
    let mut row = 0;
    for batch in batches {
        let labels = batch.column(4).as_dictionary::<Int32Type>();
        let words = labels.values().as_string::<i32>();
        for at in 0..batch.num_rows() {
            let [time, count, member, alive, mode, value] = rows::cells(row);
            let number = |column: usize| {
                batch
                    .column(column)
                    .as_primitive::<Float64Type>()
                    .value(at)
                    .to_bits()
            };
            let same = |cell: Cell, bits: u64| matches!(cell, Cell::F64(x) if x.to_bits() == bits);
            assert!(
                same(time, number(0)) && same(value, number(5)),
                "{name}: bits in row {row}"
            );
            let count_is = batch.column(1).as_primitive::<Int64Type>().value(at);
            assert_eq!(count, Cell::I64(count_is), "{name}: count in row {row}");
            let member_is = batch.column(2).as_primitive::<UInt32Type>().value(at);
            assert_eq!(member, Cell::U32(member_is), "{name}: member in row {row}");
            let alive_is = batch.column(3).as_boolean().value(at);
            assert_eq!(alive, Cell::Bool(alive_is), "{name}: alive in row {row}");
            let word = words.value(usize::try_from(labels.keys().value(at)).unwrap());
            let code = rows::LABELS
                .iter()
                .position(|label| *label == word)
                .unwrap();
            assert_eq!(
                mode,
                Cell::Category(u32::try_from(code).unwrap()),
                "{name}: row {row}"
            );
            row += 1;
        }
    }
    assert_eq!(row, rows, "{name}: number of rows");
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
fn all_bits_read_back_however_rows_are_cut() {
    let dir = tempfile::tempdir().unwrap();
    let rows = 20_000;
    let table = rows::table(0..rows);
    for (name, create, read) in FORMATS {
        let mut first: Option<Vec<u8>> = None;
        for width in [usize::MAX, 8_192, 8_191, 1_000, 333] {
            let path = dir.path().join(name);
            write(create(&path, Partial::Discard), &table, width).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            match &first {
                None => {
                    check(&read(&path).unwrap().1, rows, name);
                    first = Some(bytes);
                }
                Some(first) => assert!(*first == bytes, "{name}: other bytes for width {width}"),
            }
        }
    }
    assert_eq!(
        names_in(dir.path()),
        ["arrow", "parquet"],
        "no other file is left"
    );
}

#[test]
fn more_rows_than_a_row_group_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let rows = ParquetSink::ROW_GROUP_ROWS as u64 + 5_000;
    let table = rows::table(0..rows);
    for (name, create, read) in FORMATS {
        let path = dir.path().join(name);
        write(create(&path, Partial::Discard), &table, 50_000).unwrap();
        check(&read(&path).unwrap().1, rows, name);
    }
}

#[test]
fn fields_keep_names_kinds_and_units() {
    let dir = tempfile::tempdir().unwrap();
    for (name, create, read) in FORMATS {
        let path = dir.path().join(name);
        write(create(&path, Partial::Discard), &rows::table(0..3), 1).unwrap();
        let (schema, _) = read(&path).unwrap();
        for (field, found) in rows::schema().fields().iter().zip(schema.fields()) {
            assert_eq!(field.name(), found.name(), "{name}: name");
            assert!(!found.is_nullable(), "{name}: no nulls in {}", field.name());
            assert_eq!(
                field.unit(),
                found.metadata().get("unit").map(AsRef::as_ref),
                "{name}: unit"
            );
        }
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        assert_eq!(schema.field(4).data_type(), &dictionary, "{name}: category");
    }
}

#[test]
fn no_rows_give_a_valid_file_with_columns() {
    let dir = tempfile::tempdir().unwrap();
    for (name, create, read) in FORMATS {
        let path = dir.path().join(name);
        write(create(&path, Partial::Discard), &rows::table(0..0), 1).unwrap();
        let (schema, batches) = read(&path).unwrap();
        assert_eq!(schema.fields().len(), 6, "{name}: columns");
        assert_eq!(
            batches.iter().map(RecordBatch::num_rows).sum::<usize>(),
            0,
            "{name}: rows"
        );
    }
}

#[test]
fn an_interrupted_run_leaves_the_older_file_or_a_partial_one() {
    let table = rows::table(0..9_000);
    for (name, create, read) in FORMATS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        write(create(&path, Partial::Discard), &rows::table(0..7), 2).unwrap();
        for partial in [Partial::Discard, Partial::Keep] {
            let mut sink = create(&path, partial);
            sink.begin(table.schema()).unwrap();
            sink.append(&table.batch()).unwrap();
            drop(sink);
            check(&read(&path).unwrap().1, 7, name);
        }
        assert_eq!(
            names_in(dir.path()),
            ["run", "run.partial"],
            "{name}: only Keep leaves rows"
        );
        check(
            &read(&dir.path().join("run.partial")).unwrap().1,
            9_000,
            name,
        );
        let again = create(&path, Partial::Keep).begin(table.schema());
        assert!(
            matches!(again, Err(SinkError::Write { .. })),
            "{name}: {again:?}"
        );
        check(
            &read(&dir.path().join("run.partial")).unwrap().1,
            9_000,
            name,
        );
    }
}

#[test]
fn targets_that_cannot_be_written_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for (name, create, _) in FORMATS {
        let path = dir.path().join("absent").join(name);
        let error = write(create(&path, Partial::Discard), &rows::table(0..1), 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`{}` cannot be written", path.display()),
            "{name}"
        );
        // The name of the target is taken by a directory: only the last step fails.
        let taken = dir.path().join(name);
        std::fs::create_dir(&taken).unwrap();
        std::fs::write(taken.join("inside"), "").unwrap();
        let error = write(create(&taken, Partial::Keep), &rows::table(0..5), 1).unwrap_err();
        assert!(matches!(error, SinkError::Write { .. }), "{name}: {error}");
    }
    let names = ["arrow", "arrow.partial", "parquet", "parquet.partial"];
    assert_eq!(names_in(dir.path()), names, "the rows are kept");
    for (name, _, read) in FORMATS {
        check(
            &read(&dir.path().join(format!("{name}.partial"))).unwrap().1,
            5,
            name,
        );
    }
}
