//! Schemas, batches, tables and sinks: what fits, and what the errors say.
#![expect(clippy::unwrap_used, reason = "the schema of these tests is valid")]

use bifrons_table::{
    Batch, BatchError, Cell, ColumnError, ColumnKind, ColumnView, Field, MemorySink, Schema,
    SchemaError, SinkError, Table, TableSink,
};

fn schema() -> Schema {
    Schema::new([
        Field::new("time", ColumnKind::F64).with_unit("s"),
        Field::new("count", ColumnKind::I64),
        Field::new("member", ColumnKind::U32),
        Field::new("alive", ColumnKind::Bool),
        Field::new("mode", ColumnKind::category(["free", "stuck"]).unwrap()),
    ])
    .unwrap()
}

const COLUMNS: [ColumnView<'static>; 5] = [
    ColumnView::F64(&[0.0, f64::NAN]),
    ColumnView::I64(&[-1, i64::MAX]),
    ColumnView::U32(&[0, u32::MAX]),
    ColumnView::Bool(&[true, false]),
    ColumnView::Category(&[1, 0]),
];

#[test]
fn schemas_need_distinct_names_and_labels() {
    assert_eq!(Schema::new([]), Err(SchemaError::NoColumns), "no columns");
    let empty = Schema::new([
        Field::new("x", ColumnKind::F64),
        Field::new("", ColumnKind::F64),
    ]);
    assert_eq!(
        empty,
        Err(SchemaError::EmptyName { index: 1 }),
        "empty name"
    );
    let labels = ColumnKind::category(["a", "b", "a"]);
    assert_eq!(
        labels,
        Err(SchemaError::DuplicateLabel { label: "a".into() }),
        "labels"
    );
    let schema = schema();
    assert_eq!(schema.index_of("member"), Some(2), "position");
    assert_eq!(schema.index_of("none"), None, "absent");
    assert_eq!(schema.row_bytes(), 8 + 8 + 4 + 1 + 4, "bytes");
    assert_eq!(schema.fields()[0].unit(), Some("s"), "unit");
    assert_eq!(
        schema.fields()[4].kind().to_string(),
        "category",
        "name of the kind"
    );
}

#[test]
fn batches_name_what_does_not_fit() {
    let schema = schema();
    let with = |at: usize, view| {
        let mut columns = COLUMNS;
        columns[at] = view;
        Batch::new(&schema, &columns).map(|_| ()).unwrap_err()
    };
    assert_eq!(
        Batch::new(&schema, &COLUMNS[..4]).map(|_| ()),
        Err(BatchError::ColumnCount {
            required: 5,
            found: 4
        }),
        "count"
    );
    assert_eq!(
        with(1, ColumnView::F64(&[0.0, 1.0])).to_string(),
        "column `count` must be i64, got f64",
        "kind"
    );
    assert_eq!(
        with(3, ColumnView::Bool(&[true])),
        BatchError::Length {
            column: "alive".into(),
            required: 2,
            found: 1
        },
        "length"
    );
    assert_eq!(
        with(4, ColumnView::Category(&[1, 2])),
        BatchError::Code {
            column: "mode".into(),
            row: 1,
            code: 2,
            labels: 2
        },
        "code"
    );
}

#[test]
fn tables_append_batches_and_rows() {
    let schema = schema();
    let mut table = Table::new(schema.clone());
    table
        .append(&Batch::new(&schema, &COLUMNS).unwrap())
        .unwrap();
    let row = [
        Cell::F64(2.0),
        Cell::I64(7),
        Cell::U32(3),
        Cell::Bool(true),
        Cell::Category(1),
    ];
    table.push_row(&row).unwrap();
    table.append(&table.clone().batch().slice(1..3)).unwrap();
    assert_eq!(table.row_count(), 5, "rows");
    assert_eq!(
        table.i64("count").unwrap(),
        [-1, i64::MAX, 7, i64::MAX, 7],
        "integers"
    );
    assert_eq!(
        table.u32("member").unwrap(),
        [0, u32::MAX, 3, u32::MAX, 3],
        "indices"
    );
    assert_eq!(
        table.bool("alive").unwrap(),
        [true, false, true, false, true],
        "truth"
    );
    let labels: Vec<&str> = table.category("mode").unwrap().labels().collect();
    assert_eq!(
        labels,
        ["stuck", "free", "stuck", "free", "stuck"],
        "labels"
    );
    let bits: Vec<u64> = table
        .f64("time")
        .unwrap()
        .iter()
        .map(|x| x.to_bits())
        .collect();
    let expected = [0.0, f64::NAN, 2.0, f64::NAN, 2.0].map(f64::to_bits);
    assert_eq!(bits, expected, "numbers keep their bits");
    table.truncate(1);
    assert_eq!(
        (table.row_count(), table.column("time").unwrap().len()),
        (1, 1),
        "truncated"
    );
    table.clear();
    assert!(
        table.batch().columns().all(|column| column.is_empty()),
        "cleared"
    );
}

#[test]
fn a_wrong_row_changes_nothing() {
    let mut table = Table::new(schema());
    let row = [
        Cell::F64(2.0),
        Cell::I64(7),
        Cell::U32(3),
        Cell::Bool(true),
        Cell::Category(2),
    ];
    let error = table.push_row(&row).unwrap_err();
    let expected = BatchError::Code {
        column: "mode".into(),
        row: 0,
        code: 2,
        labels: 2,
    };
    assert_eq!(error, expected, "code");
    let error = table.push_row(&row[..2]).unwrap_err();
    assert_eq!(
        error,
        BatchError::ColumnCount {
            required: 5,
            found: 2
        },
        "count"
    );
    assert_eq!(table.row_count(), 0, "no row");
    assert!(
        table.batch().columns().all(|column| column.is_empty()),
        "no value"
    );
}

#[test]
fn columns_are_found_by_name_and_kind() {
    let table = Table::new(schema());
    let error = table.f64("speed").unwrap_err();
    let text = "column `speed` is unknown; there are: time, count, member, alive, mode";
    assert_eq!(error.to_string(), text, "unknown");
    let expected = ColumnError::Kind {
        name: "time".into(),
        found: "f64",
        asked: "category",
    };
    assert_eq!(table.category("time").unwrap_err(), expected, "kind");
    assert_eq!(
        table.u32("mode").unwrap_err().to_string(),
        "column `mode` is category, not u32",
        "codes"
    );
}

#[test]
fn other_schemas_are_refused_with_the_difference() {
    let ours = Schema::new([Field::new("a", ColumnKind::F64)]).unwrap();
    let cases = [
        (
            vec![Field::new("b", ColumnKind::F64)],
            "`b` in place of `a`",
        ),
        (
            vec![Field::new("a", ColumnKind::I64)],
            "`a` is i64 in place of f64",
        ),
        (
            vec![Field::new("a", ColumnKind::F64).with_unit("m")],
            "labels or unit of `a`",
        ),
        (
            vec![
                Field::new("a", ColumnKind::F64),
                Field::new("b", ColumnKind::F64),
            ],
            "2 columns in place of 1",
        ),
    ];
    for (fields, expected) in cases {
        let theirs = Table::new(Schema::new(fields).unwrap());
        let error = Table::new(ours.clone())
            .append(&theirs.batch())
            .unwrap_err();
        assert_eq!(
            error,
            BatchError::Schema {
                difference: expected.into()
            },
            "{expected}"
        );
    }
}

#[test]
fn sinks_keep_the_order_of_calls() {
    let schema = schema();
    let batch = Batch::new(&schema, &COLUMNS).unwrap();
    let mut sink = MemorySink::new();
    let order = |result: Result<(), SinkError>| match result {
        Err(SinkError::Order { call, state }) => (call, state),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        order(sink.append(&batch)),
        ("append", "has not begun"),
        "append first"
    );
    assert_eq!(
        order(sink.finish()),
        ("finish", "has not begun"),
        "finish first"
    );
    sink.begin(&schema).unwrap();
    assert_eq!(
        order(sink.begin(&schema)),
        ("begin", "has begun"),
        "begin twice"
    );
    assert!(sink.clone().into_table().is_err(), "not finished");
    sink.append(&batch).unwrap();
    sink.append(&batch.slice(0..0)).unwrap();
    sink.finish().unwrap();
    assert_eq!(
        order(sink.append(&batch)),
        ("append", "is finished"),
        "append last"
    );
    assert_eq!(sink.into_table().unwrap().row_count(), 2, "rows");
}

#[test]
fn a_full_sink_says_how_many_rows_are_needed() {
    let schema = schema();
    let batch = Batch::new(&schema, &COLUMNS).unwrap();
    let mut sink = MemorySink::with_limit(3);
    sink.begin(&schema).unwrap();
    sink.append(&batch).unwrap();
    let error = sink.append(&batch).unwrap_err();
    assert!(
        matches!(
            error,
            SinkError::Full {
                capacity: 3,
                needed: 4
            }
        ),
        "{error}"
    );
    assert!(
        matches!(
            sink.finish(),
            Err(SinkError::Order {
                state: "has failed",
                ..
            })
        ),
        "failed"
    );
    assert_eq!(
        sink.table().map(Table::row_count),
        Some(2),
        "rows before the failure stay"
    );
}

#[test]
fn sinks_work_through_references_and_boxes_and_take_no_rows() {
    let mut inner = MemorySink::with_capacity(10);
    {
        let mut sink: Box<dyn TableSink + '_> = Box::new(&mut inner);
        sink.begin(&schema()).unwrap();
        sink.finish().unwrap();
    }
    let table = inner.into_table().unwrap();
    assert_eq!(
        (table.row_count(), table.capacity()),
        (0, 10),
        "no rows, exact room"
    );
    assert_eq!(table.schema(), &schema(), "the columns are there");
}
