//! Rows with every kind of column and every kind of awkward value, as pure functions of the row.

use bifrons_table::{Cell, ColumnKind, Field, Schema, Table};

/// Labels that need quotes, or look as if they did.
pub(crate) const LABELS: [&str; 6] = ["plain", "a,b", "say \"so\"", "two\nlines", "", "naïve ☃"];

/// Columns of all kinds.
#[expect(
    clippy::unwrap_used,
    reason = "the names and labels above are distinct"
)]
pub(crate) fn schema() -> Schema {
    Schema::new([
        Field::new("time, \"s\"", ColumnKind::F64).with_unit("s"),
        Field::new("count", ColumnKind::I64),
        Field::new("member", ColumnKind::U32),
        Field::new("alive", ColumnKind::Bool),
        Field::new("mode.of/x", ColumnKind::category(LABELS).unwrap()),
        Field::new("value", ColumnKind::F64),
    ])
    .unwrap()
}

/// Any bits: all classes of floating-point numbers come up.
pub(crate) fn bits(row: u64) -> u64 {
    const SPECIAL: [u64; 8] = [
        0,
        1 << 63,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
        0xfff8_0000_dead_beef,
        0x7ff0_0000_0000_0001,
        1,
    ];
    match row % 16 {
        special @ 0..8 => SPECIAL[usize::try_from(special).unwrap_or(0)],
        _ => {
            let mixed = (row ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb)
        }
    }
}

/// The cells of a row.
pub(crate) fn cells(row: u64) -> [Cell; 6] {
    let narrow = u32::try_from(bits(row + 8) >> 32).unwrap_or(0);
    [
        Cell::F64(row as f64 * 0.1),
        Cell::I64(bits(row + 8).cast_signed()),
        Cell::U32(narrow),
        Cell::Bool(narrow % 3 == 0),
        Cell::Category(narrow % 6),
        Cell::F64(f64::from_bits(bits(row))),
    ]
}

/// Rows of a range.
#[expect(clippy::unwrap_used, reason = "the cells fit the schema")]
pub(crate) fn table(rows: std::ops::Range<u64>) -> Table {
    let mut table = Table::new(schema());
    for row in rows {
        table.push_row(&cells(row)).unwrap();
    }
    table
}
