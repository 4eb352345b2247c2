//! The short ways against the long ones, on random small expressions.

use super::{equal, is_small, is_small_over_leaves, substitute, symbols};
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::{Head, Order};
use crate::substitute::substitute_in_order;
use crate::symbol::Symbol;

/// Text of a random expression with at most `budget` leaves.
fn text(state: &mut u64, budget: usize) -> String {
    let mut draw = |below: usize| {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap() % below
    };
    if budget <= 1 {
        return ["x", "y", "zeta", "2", "0", "1", "-0.5"][draw(7)].to_owned();
    }
    let op = draw(8);
    let left = 1 + draw(budget - 1);
    let a = text(state, left);
    let b = text(state, budget - left);
    match op {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b})"),
        3 => format!("({a} / {b})"),
        4 => format!("max({a}, {b})"),
        5 => format!("sin({a}) * {b}"),
        6 => format!("(if {a} < {b} then {a} else {b})"),
        _ => format!("-({a}) * exp({b})"),
    }
}

fn expressions() -> Vec<Expr> {
    let mut state = 7;
    let texts = (0..400).map(|k| text(&mut state, 1 + k % 9));
    texts.map(|t| Expr::parse(&t).unwrap()).collect()
}

#[test]
fn substitution_is_that_of_the_long_way_with_calls_in_the_same_order() {
    let mut small = 0;
    for expr in expressions() {
        if !is_small(expr.node()) {
            continue;
        }
        small += 1;
        let (mut here, mut there) = (Vec::new(), Vec::new());
        let replace = |symbol: &Symbol| match symbol.name() {
            "x" => Some(Expr::symbol("y") + 1.0),
            "zeta" => Some(Expr::constant(0.0)),
            _ => None,
        };
        let short = substitute(expr.node(), &mut |symbol| {
            here.push(symbol.clone());
            replace(symbol)
        });
        let long = substitute_in_order(expr.node(), &mut |symbol| {
            there.push(symbol.clone());
            replace(symbol)
        });
        let short = short.unwrap_or_else(|| expr.node().clone());
        let ids = Graph::new().import([&short, &long]);
        assert_eq!(ids[0], ids[1], "{expr}");
        assert_eq!(here, there, "{expr}");
    }
    assert!(small > 100, "{small} small expressions");
}

#[test]
fn symbols_are_those_of_the_long_way() {
    for expr in expressions() {
        if !is_small_over_leaves(expr.node()) {
            continue;
        }
        let mut found = Vec::new();
        symbols(expr.node(), &mut |symbol| found.push(symbol));
        found.sort_unstable();
        found.dedup();
        let mut expected: Vec<&Symbol> = Order::of([expr.node()])
            .nodes
            .into_iter()
            .filter_map(|node| match &node.head {
                Head::Symbol(symbol) => Some(symbol),
                _ => None,
            })
            .collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(found, expected, "{expr}");
        assert!(expr.dependencies().iter().eq(found), "{expr}");
    }
}

#[test]
fn equality_is_that_of_the_long_way() {
    let all = expressions();
    for (k, a) in all.iter().enumerate() {
        let copy = Expr::parse(&a.to_string()).unwrap();
        for b in all[k..].iter().take(40).chain([&copy]) {
            let Some(short) = equal(a.node(), b.node()) else {
                continue;
            };
            let ids = Graph::new().import([a.node(), b.node()]);
            assert_eq!(short, ids[0] == ids[1], "{a} and {b}");
        }
    }
}
