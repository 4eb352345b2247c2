//! Fills a small table row by row and reads it back by name.
//!
//! `cargo run -p bifrons-table --example events`
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use bifrons_memory::Bytes;
use bifrons_table::{Cell, ColumnKind, Field, Schema, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = Schema::new([
        Field::new("time", ColumnKind::F64).with_unit("s"),
        Field::new("event", ColumnKind::category(["bounce", "rest"])?),
        Field::new("height", ColumnKind::F64).with_unit("m"),
    ])?;
    println!(
        "footprint for 3 rows: {}",
        Bytes::new(Table::footprint(&schema, 3).peak())
    );
    let mut table = Table::with_capacity(schema, 3);
    for (time, event, height) in [(0.45, 0, 0.8), (1.17, 0, 0.5), (2.9, 1, 0.0)] {
        table.push_row(&[Cell::F64(time), Cell::Category(event), Cell::F64(height)])?;
    }
    for (time, event) in table
        .f64("time")?
        .iter()
        .zip(table.category("event")?.labels())
    {
        println!("{time:>5} s  {event}");
    }
    match table.push_row(&[Cell::F64(3.0), Cell::Category(2), Cell::F64(0.0)]) {
        Err(error) => println!("refused: {error}"),
        Ok(()) => println!("taken"),
    }
    Ok(())
}
