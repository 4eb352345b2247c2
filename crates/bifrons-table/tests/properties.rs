//! However rows are cut into batches, the table is the same.

use bifrons_table::{Batch, ColumnKind, ColumnView, Field, MemorySink, Schema, TableSink};
use proptest::prelude::*;

proptest! {
    #[test]
    fn chunking_does_not_matter(bits in prop::collection::vec(any::<u64>(), 0..200), width in 0..50_usize) {
        let numbers: Vec<f64> = bits.iter().map(|bits| f64::from_bits(*bits)).collect();
        let codes: Vec<u32> = bits.iter().map(|bits| (bits % 3) as u32).collect();
        let schema = Schema::new([
            Field::new("x", ColumnKind::F64),
            Field::new("c", ColumnKind::category(["a", "b", "c"]).unwrap()),
        ])
        .unwrap();
        let columns = [ColumnView::F64(&numbers), ColumnView::Category(&codes)];
        let all = Batch::new(&schema, &columns).unwrap();
        let mut sink = MemorySink::new();
        sink.begin(&schema).unwrap();
        let mut pieces = 0;
        for piece in all.chunks(width) {
            prop_assert!(piece.row_count() >= 1 && piece.row_count() <= width.max(1));
            sink.append(&piece).unwrap();
            pieces += 1;
        }
        prop_assert_eq!(pieces, numbers.len().div_ceil(width.max(1)));
        sink.finish().unwrap();
        let table = sink.into_table().unwrap();
        let back: Vec<u64> = table.f64("x").unwrap().iter().map(|x| x.to_bits()).collect();
        prop_assert_eq!(back, bits);
        prop_assert_eq!(table.category("c").unwrap().codes(), codes);
    }

    #[test]
    fn slices_are_cut_to_the_rows_that_exist(
        rows in 0..20_usize, start in 0..30_usize, end in 0..30_usize, again in 0..30_usize
    ) {
        let numbers: Vec<i64> = (0..i64::try_from(rows).unwrap()).collect();
        let schema = Schema::new([Field::new("i", ColumnKind::I64)]).unwrap();
        let columns = [ColumnView::I64(&numbers)];
        let all = Batch::new(&schema, &columns).unwrap();
        let slice = all.slice(start..end);
        let expected: Vec<i64> = numbers.iter().copied().take(end).skip(start).collect();
        prop_assert_eq!(slice.column(0), Some(ColumnView::I64(&expected)));
        prop_assert_eq!(slice.column(1), None);
        let tail: Vec<i64> = expected.iter().copied().skip(again).collect();
        prop_assert_eq!(slice.slice(again..usize::MAX).column(0), Some(ColumnView::I64(&tail)));
    }
}
