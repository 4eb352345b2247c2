//! The footprint of a table is exact, and a reused table does not allocate.
#![expect(clippy::unwrap_used, reason = "this binary is a test")]

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_table::{Batch, Cell, ColumnKind, ColumnView, Field, Schema, Table};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static MAKE: Scope = Scope::new("make");
static REUSE: Scope = Scope::new("reuse");

fn main() {
    let schema = Schema::new([
        Field::new("x", ColumnKind::F64),
        Field::new("b", ColumnKind::Bool),
        Field::new("c", ColumnKind::category(["only"]).unwrap()),
    ])
    .unwrap();
    let (numbers, truths, codes) = ([1.5; 600], [true; 600], [0; 600]);
    for rows in [0, 1, 600, 1_000] {
        MAKE.reset();
        let guard = MAKE.enter();
        let mut table = Table::with_capacity(schema.clone(), rows);
        drop(guard);
        let planned = Table::footprint(&schema, rows).peak();
        assert_eq!(MAKE.counts().peak, planned, "room for {rows} rows");

        let guard = REUSE.enter();
        let columns = [
            ColumnView::F64(&numbers),
            ColumnView::Bool(&truths),
            ColumnView::Category(&codes),
        ];
        let batch = Batch::new(&schema, &columns).unwrap().slice(0..rows);
        for _ in 0..3 {
            table.clear();
            table.append(&batch).unwrap();
            if rows > batch.row_count() {
                table
                    .push_row(&[Cell::F64(0.0), Cell::Bool(false), Cell::Category(0)])
                    .unwrap();
            }
            assert_eq!(table.batch().columns().len(), 3, "a batch of the table");
        }
        assert_eq!(
            guard.so_far().blocks,
            0,
            "filling {rows} reserved rows does not allocate"
        );
    }
    let mut table = Table::with_capacity(schema.clone(), 10);
    table.reserve_exact(25);
    assert_eq!(table.capacity(), 25, "exact growth");
}
