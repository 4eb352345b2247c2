//! What sinks hold stays below their footprints.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot write its files fails"
)]
#![expect(clippy::print_stdout, reason = "this binary is its own test harness")]

#[path = "sample/rows.rs"]
mod rows;

use bifrons_export::{ArrowSink, CsvSink, ParquetSink};
use bifrons_memory::profiler::{self, CountingAllocator};
use bifrons_table::{Cell, ColumnKind, Field, Schema, Table, TableSink};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

fn main() {
    let kinds = |kinds: &[ColumnKind]| {
        let field = |(at, kind): (usize, &ColumnKind)| Field::new(format!("c{at}"), kind.clone());
        Schema::new(kinds.iter().enumerate().map(field)).unwrap()
    };
    let labels = ColumnKind::category(rows::LABELS).unwrap();
    let many = ColumnKind::category((0..20_000).map(|label| format!("label {label}"))).unwrap();
    let schemas = [
        ("all kinds", rows::schema()),
        ("one f64", kinds(&[ColumnKind::F64])),
        ("twenty f64", kinds(&vec![ColumnKind::F64; 20])),
        ("one i64", kinds(&[ColumnKind::I64])),
        ("ten i64", kinds(&vec![ColumnKind::I64; 10])),
        ("ten u32", kinds(&vec![ColumnKind::U32; 10])),
        ("ten bool", kinds(&vec![ColumnKind::Bool; 10])),
        ("ten category", kinds(&vec![labels; 10])),
        ("many labels", kinds(&vec![many; 2])),
    ];
    for (name, schema) in &schemas {
        for distinct in [true, false] {
            let table = table(schema, 80_000, distinct);
            for (format, planned, sink) in sinks(schema) {
                let measured = peak(sink, &table);
                println!("heap {format}, {name}, distinct {distinct}: {measured} of {planned}");
                assert!(
                    measured <= planned,
                    "{format}, {name}: {measured}, planned {planned}"
                );
                // Parquet plans for values that never repeat.
                let most = measured + measured / 4 + (512 << 10);
                let exact = format != "parquet" || distinct;
                assert!(
                    !exact || planned <= most,
                    "{format}, {name}: {measured} of {planned}"
                );
            }
        }
    }
    few_rows_and_few_values();
    many_row_groups();
    no_allocation_per_row();
}

/// Different values of a table that is not distinct.
const FEW: usize = 50;

/// The sharper plan holds for short files and for integers that repeat.
fn few_rows_and_few_values() {
    for kind in [ColumnKind::F64, ColumnKind::I64, ColumnKind::U32] {
        let field = |at: usize| Field::new(format!("c{at}"), kind.clone());
        let schema = Schema::new((0..5).map(field)).unwrap();
        for (rows, distinct) in [(1_000, true), (1_000, false), (80_000, false)] {
            let table = table(&schema, rows, distinct);
            let different = if distinct { rows } else { FEW };
            // The table is appended twice.
            let planned = ParquetSink::footprint_of(&schema, 2 * rows, |_| 2 * different);
            let measured = peak(|| Box::new(ParquetSink::to_writer(std::io::sink())), &table);
            let (planned, slack) = (planned.peak(), measured / 4 + (256 << 10));
            println!("heap parquet, {rows} rows, distinct {distinct}: {measured} of {planned}");
            assert!(
                measured <= planned && planned <= measured + slack,
                "{kind:?}, {rows} rows, distinct {distinct}: {measured} of {planned}"
            );
        }
    }
}

/// The list of row groups, which is written at the end, is in the plan of a file of known length.
fn many_row_groups() {
    let field = |at: usize| Field::new(format!("c{at}"), ColumnKind::Bool);
    let schema = Schema::new((0..8).map(field)).unwrap();
    let table = table(&schema, 80_000, false);
    let sink = || -> Sink { Box::new(ParquetSink::to_writer(std::io::sink())) };
    let [few, many] = [5, 40].map(|times| {
        let rows = times * 80_000;
        let planned = ParquetSink::footprint_of(&schema, rows, |_| 2).peak();
        let measured = peak_of(sink, &table, times);
        println!("heap parquet, {rows} rows of bool: {measured} of {planned}");
        [measured, planned]
    });
    let [measured, planned] = [0, 1].map(|at: usize| many[at] - few[at]);
    assert!(
        measured <= planned && planned <= measured + measured / 2,
        "42 row groups: {measured} of {planned}"
    );
}

type Sink = Box<dyn TableSink>;

/// Name, planned bytes, and how to make a sink.
type Plan = (&'static str, u64, fn() -> Sink);

fn sinks(schema: &Schema) -> [Plan; 3] {
    [
        ("csv", CsvSink::footprint().peak(), || {
            Box::new(CsvSink::to_writer(std::io::sink()))
        }),
        ("arrow", ArrowSink::footprint(schema).peak(), || {
            Box::new(ArrowSink::to_writer(std::io::sink()))
        }),
        ("parquet", ParquetSink::footprint(schema).peak(), || {
            Box::new(ParquetSink::to_writer(std::io::sink()))
        }),
    ]
}

/// Rows with distinct or with few values; 80 000 are more than a row group.
fn table(schema: &Schema, rows: usize, distinct: bool) -> Table {
    let mut table = Table::with_capacity(schema.clone(), 80_000);
    for row in 0..rows as u64 {
        let word = rows::bits(if distinct {
            row * 16 + 9
        } else {
            row % FEW as u64 + 9
        });
        let narrow = u32::try_from(word >> 32).unwrap();
        let cell = |field: &Field| match field.kind() {
            ColumnKind::F64 => Cell::F64(f64::from_bits(word)),
            ColumnKind::I64 => Cell::I64(word.cast_signed()),
            ColumnKind::U32 => Cell::U32(narrow),
            ColumnKind::Bool => Cell::Bool(narrow % 2 == 0),
            ColumnKind::Category(labels) => {
                Cell::Category(narrow % u32::try_from(labels.len()).unwrap())
            }
            _ => Cell::Bool(false),
        };
        let cells: Vec<Cell> = schema.fields().iter().map(cell).collect();
        table.push_row(&cells).unwrap();
    }
    table
}

/// Largest heap bytes above the start, while rows go to a sink.
fn peak(sink: fn() -> Sink, table: &Table) -> u64 {
    peak_of(sink, table, 2)
}

/// As [`peak`], with the table appended so often.
fn peak_of(sink: fn() -> Sink, table: &Table, times: usize) -> u64 {
    profiler::reset_peak();
    let before = profiler::counts().live_bytes;
    {
        let mut sink = sink();
        sink.begin(table.schema()).unwrap();
        for _ in 0..times {
            for piece in table.batch().chunks(1_000) {
                sink.append(&piece).unwrap();
            }
        }
        sink.finish().unwrap();
    }
    profiler::counts().peak_bytes - before
}

fn no_allocation_per_row() {
    let table = rows::table(0..2_000);
    let mut sink = CsvSink::to_writer(std::io::sink());
    sink.begin(table.schema()).unwrap();
    sink.append(&table.batch()).unwrap();
    let before = profiler::counts().total_blocks;
    sink.append(&table.batch()).unwrap();
    let blocks = profiler::counts().total_blocks - before;
    assert_eq!(blocks, 0, "CSV rows are written without allocation");
}
