//! Writes the same rows to each format, and their bits as plain text, for other readers to compare.
//!
//! `cargo run -p bifrons-export --features arrow,parquet --example write_formats -- DIRECTORY`
//! and then `python benchmarks/peers/read_export.py DIRECTORY`.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bifrons_export::CsvSink;
use bifrons_table::{Cell, ColumnKind, Field, Schema, SinkError, Table, TableSink};

const ROWS: u32 = 20_000;
const LABELS: [&str; 4] = ["plain", "a,b", "say \"so\"", "naïve ☃"];
const SPECIAL: [f64; 8] = [
    0.0,
    -0.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    0.1,
    1e300,
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&dir)?;
    let table = table()?;
    std::fs::write(dir.join("expected.txt"), expected(&table)?)?;
    for (path, mut sink) in sinks(&dir) {
        write(sink.as_mut(), &table)?;
        println!(
            "{}: {} bytes",
            path.display(),
            std::fs::metadata(&path)?.len()
        );
    }
    Ok(())
}

fn sinks(dir: &Path) -> Vec<(PathBuf, Box<dyn TableSink>)> {
    let csv = dir.join("rows.csv");
    #[cfg(feature = "arrow")]
    let arrow = dir.join("rows.arrow");
    #[cfg(feature = "parquet")]
    let parquet = dir.join("rows.parquet");
    Vec::from([
        (
            csv.clone(),
            Box::new(CsvSink::create(csv)) as Box<dyn TableSink>,
        ),
        #[cfg(feature = "arrow")]
        (
            arrow.clone(),
            Box::new(bifrons_export::ArrowSink::create(arrow)),
        ),
        #[cfg(feature = "parquet")]
        (
            parquet.clone(),
            Box::new(bifrons_export::ParquetSink::create(parquet)),
        ),
    ])
}

/// Any sink takes rows in this way; a producer would make its batches one after the other.
fn write(sink: &mut dyn TableSink, table: &Table) -> Result<(), SinkError> {
    sink.begin(table.schema())?;
    for batch in table.batch().chunks(1_000) {
        sink.append(&batch)?;
    }
    sink.finish()
}

fn table() -> Result<Table, Box<dyn std::error::Error>> {
    let schema = Schema::new([
        Field::new("time", ColumnKind::F64).with_unit("s"),
        Field::new("value", ColumnKind::F64),
        Field::new("count", ColumnKind::I64),
        Field::new("member", ColumnKind::U32),
        Field::new("alive", ColumnKind::Bool),
        Field::new("mode", ColumnKind::category(LABELS)?),
    ])?;
    let mut table = Table::with_capacity(schema, ROWS as usize);
    for row in 0..ROWS {
        let mixed = u64::from(row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let value = match SPECIAL.get(row as usize % 64) {
            Some(special) => *special,
            None => f64::from_bits(mixed ^ (mixed >> 31)),
        };
        table.push_row(&[
            Cell::F64(f64::from(row) * 0.1),
            // A NaN has more than one pattern of bits; CSV keeps one of them.
            Cell::F64(if value.is_nan() { f64::NAN } else { value }),
            Cell::I64(mixed.cast_signed()),
            Cell::U32(u32::MAX - row),
            Cell::Bool(row % 3 == 0),
            Cell::Category(row % 4),
        ])?;
    }
    Ok(table)
}

/// One line per row: bits in hexadecimal, integers in decimal, truth as 0 or 1, code of the label.
fn expected(table: &Table) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = format!("{}\n", LABELS.join("|"));
    let (time, value) = (table.f64("time")?, table.f64("value")?);
    let (count, member) = (table.i64("count")?, table.u32("member")?);
    let (alive, mode) = (table.bool("alive")?, table.category("mode")?.codes());
    for row in 0..table.row_count() {
        let (time, value) = (time[row].to_bits(), value[row].to_bits());
        let (count, member) = (count[row], member[row]);
        let (alive, mode) = (u8::from(alive[row]), mode[row]);
        writeln!(
            text,
            "{time:016x} {value:016x} {count} {member} {alive} {mode}"
        )?;
    }
    Ok(text)
}
