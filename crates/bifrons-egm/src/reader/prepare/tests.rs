//! Brackets on lanes have the bits of brackets one after the other.

use proptest::prelude::*;

use crate::reader::{ReadOptions, RowReader};
use crate::row::RowView;

/// Rows of finite numbers, with pairs, falls of the value and odd slopes.
fn rows() -> impl Strategy<Value = Vec<[f64; 4]>> {
    let step = prop_oneof![4 => 1e-6..3.0, 1 => Just(0.0), 1 => 1e-300..1e-290];
    let slope = prop_oneof![6 => 1e-3..1e3, 1 => Just(0.0), 1 => -2.0..0.0, 1 => Just(f64::NAN),
        1 => Just(f64::INFINITY)];
    let record = (step, -50.0..50.0, 0.0..20.0, slope);
    prop::collection::vec(record, 2..80).prop_map(|records| {
        let (mut x, mut pairs) = (-3.0, 0);
        let place = |(step, value, policy, slope): (f64, f64, f64, f64)| {
            // Equal at most twice.
            let next = if x + step > x {
                pairs = 0;
                x + step
            } else if pairs == 0 {
                pairs = 1;
                x
            } else {
                pairs = 0;
                x + 0.5
            };
            x = next;
            [next, value, policy, slope]
        };
        records.into_iter().map(place).collect()
    })
}

proptest! {
    #[test]
    fn pieces_on_lanes_are_pieces_one_by_one(records in rows()) {
        let channel = |k: usize| records.iter().map(|own| own[k]).collect::<Vec<f64>>();
        let [x, value, policy, marginal] = [0, 1, 2, 3].map(channel);
        let row = RowView {
            x: &x,
            value: &value,
            policy: &policy,
            marginal: &marginal,
            equivalent: &[],
            owner: &[],
            marks: &[],
            corner: None,
        };
        let mut fast = RowReader::new(ReadOptions::default());
        prop_assert!(fast.prepare(row).is_ok());
        let mut slow = RowReader::new(ReadOptions::default());
        slow.fill_pieces(&row);
        prop_assert_eq!(fast.pieces.len(), x.len() + 1);
        for (a, b) in fast.pieces.iter().zip(&slow.pieces) {
            for (p, q) in a.iter().zip(b) {
                prop_assert!(p.to_bits() == q.to_bits() || (p.is_nan() && q.is_nan()), "{a:?} {b:?}");
            }
        }
    }
}
