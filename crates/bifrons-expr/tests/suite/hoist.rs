//! Expressions in parts compute what the whole expressions compute.

use crate::generator::{Family, bits, expressions, index};
use bifrons_expr::{Expr, Hoisted, Symbol};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn name(number: usize) -> Symbol {
    Symbol::new(format!("part {number}"))
}

/// The bit of the index of a symbol.
fn own(symbol: &Symbol) -> u64 {
    index(symbol).map_or(0, |index| 1 << index)
}

proptest! {
    #[test]
    fn parts_in_order_give_the_bits_of_the_whole(
        roots in prop::collection::vec(expressions(Family::All, 40), 1..4),
        point in prop::array::uniform7(-2.0_f64..2.0),
        least in 0_u32..12,
    ) {
        let hoisted = Hoisted::new(&roots, own, name, |operand| operand.cost >= least);
        let mut known: BTreeMap<Symbol, (f64, u64)> = BTreeMap::new();
        for part in &hoisted.parts {
            let value = part
                .expr
                .evaluate(&mut |s| {
                    let parts = known.get(s).map(|(value, _)| *value);
                    parts.or_else(|| index(s).map(|i| point[i]))
                })
                .expect("symbols and earlier parts");
            let below = part.expr.dependencies().iter().fold(0, |all, s| {
                all | known.get(s).map_or_else(|| own(s), |(_, reads)| *reads)
            });
            prop_assert_eq!(below, part.reads);
            prop_assert!(known.insert(part.symbol.clone(), (value, part.reads)).is_none());
        }
        prop_assert_eq!(hoisted.roots.len(), roots.len());
        for (whole, (root, _)) in roots.iter().zip(&hoisted.roots) {
            let expected = whole.evaluate(&mut |s| index(s).map(|i| point[i]));
            let found = root.evaluate(&mut |s| {
                let parts = known.get(s).map(|(value, _)| *value);
                parts.or_else(|| index(s).map(|i| point[i]))
            });
            let (expected, found) = (expected.expect("known"), found.expect("known"));
            prop_assert_eq!(bits(expected), bits(found));
        }
    }

    #[test]
    fn nothing_is_cut_where_nothing_is_granted(e in expressions(Family::All, 40)) {
        let hoisted = Hoisted::new(std::slice::from_ref(&e), own, name, |_| false);
        prop_assert!(hoisted.parts.is_empty());
        prop_assert_eq!(&hoisted.roots[0].0, &e);
    }
}

#[test]
fn roots_share_parts_and_a_part_never_reads_all_of_its_user() {
    let roots = ["exp(x) * y + p", "exp(x) * z", "exp(x) * x"]
        .map(|text| Expr::parse(text).expect("an expression"));
    let hoisted = Hoisted::new(&roots, own, name, |operand| operand.reads != operand.user);
    let texts: Vec<String> = hoisted
        .parts
        .iter()
        .map(|part| part.expr.to_string())
        .collect();
    assert_eq!(texts[0], "exp(x)");
    assert_eq!(texts.iter().filter(|text| text.contains("exp")).count(), 1);
    assert_eq!(hoisted.roots[2].0.dependencies().len(), 2);
}
