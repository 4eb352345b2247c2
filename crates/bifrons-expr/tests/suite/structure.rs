//! Sparsity, Jacobians, simplification.

use crate::generator::{Family, PARAMETERS, VARIABLES, expressions, index};
use bifrons_expr::{Expr, Jacobian, Symbol, sparsity};
use proptest::prelude::*;

fn at(e: &Expr, point: &[f64; 7]) -> f64 {
    e.evaluate(&mut |s| index(s).map(|i| point[i]))
        .expect("all symbols are known")
}

fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

proptest! {
    #[test]
    fn jacobians_agree_with_single_derivatives(
        outputs in prop::collection::vec(expressions(Family::All, 25), 0..5),
        point in prop::array::uniform7(0.1_f64..2.0),
    ) {
        let symbols: Vec<Symbol> = PARAMETERS.into_iter().chain(VARIABLES).map(Symbol::new).collect();
        let jacobian = Jacobian::new(&outputs, &symbols);
        let mut entries = vec![vec![0.0; symbols.len()]; outputs.len()];
        for ((row, column), e) in jacobian.pattern().entries().zip(jacobian.entries()) {
            entries[row][column] = at(e, &point);
        }
        let dependencies = sparsity(&outputs, &symbols);
        for (row, output) in outputs.iter().enumerate() {
            let names = output.dependencies();
            for (column, symbol) in symbols.iter().enumerate() {
                let single = at(&output.derivative(symbol), &point);
                let entry = entries[row][column];
                prop_assert!(entry == single || (entry.is_nan() && single.is_nan()), "{}", output);
                let met = dependencies.row(row).contains(&column);
                prop_assert_eq!(met, names.contains(symbol), "{} {}", output, symbol);
            }
        }
    }

    #[test]
    fn simplification_keeps_the_value(
        e in expressions(Family::Smooth, 25),
        point in prop::array::uniform7(-1.5_f64..1.5),
    ) {
        let (before, after) = (at(&e, &point), at(&e.simplify(), &point));
        let size = e.substitute(&mut |s| index(s).map(|i| Expr::constant(point[i].abs() + 1.0)));
        let scale = 1.0 + before.abs() + size.as_constant().map_or(0.0, f64::abs);
        prop_assume!(scale < 1e8);
        prop_assert!((before - after).abs() <= 1e-9 * scale * scale, "{}: {} {}", e, before, after);
    }

    #[test]
    fn an_expression_minus_itself_is_zero(e in expressions(Family::Smooth, 20)) {
        let again = parse(&e.to_string());
        prop_assert_eq!((&e - again).simplify(), Expr::constant(0.0), "{}", e);
    }
}

#[test]
fn simplification_collects_terms_and_factors() {
    let cases = [
        ("x + 0", "x"),
        ("0 * x + 1 * y", "y"),
        ("x - x", "0"),
        ("x / x", "1"),
        ("2 * x + 3 * x", "5 * x"),
        ("x * x * x", "x^3"),
        ("x^2 / x", "x"),
        ("--x", "x"),
        ("a - -b", "a + b"),
        ("(x + 1) / (x + 1)", "1"),
        ("2 * (x + y) - 2 * y", "2 * x"),
        ("if x > 0 then y else y", "y"),
        ("max(x, x)", "x"),
        ("pow(x, 2)", "x^2"),
        ("-x + y", "y - x"),
        ("sin(x + y) - sin(y + x)", "0"),
        ("x * (y + 1)", "x * (1 + y)"),
        ("3", "3"),
        ("1 / (2 * x)", "0.5 / x"),
        ("0 * inf", "nan"),
    ];
    for (text, simple) in cases {
        let e = parse(text).simplify();
        let expected = parse(simple);
        let same = e.to_string() == simple || e == expected || e == expected.simplify();
        assert!(same, "{text} became {e}, not {simple}");
    }
}

#[test]
fn long_sums_and_deep_products_stay_cheap() {
    let sum: Expr = (0..5_000).map(|i| Expr::symbol(format!("x{i}"))).sum();
    assert!(sum.simplify().node_count() >= 5_000, "every term is kept");
    let x = Expr::symbol("x");
    let tower = (0..20_000).fold(x.clone(), |e, i| if i % 2 == 0 { e * &x } else { e + 1.0 });
    assert!(tower.simplify().node_count() > 1_000, "not multiplied out");
}

#[test]
fn patterns_are_sparse_and_ordered() {
    let outputs = [parse("x0 + x2"), parse("2"), parse("floor(x1) * x2")];
    let symbols = ["x0", "x1", "x2"].map(Symbol::new);
    let structural = sparsity(&outputs, &symbols);
    assert_eq!(
        structural.entries().collect::<Vec<_>>(),
        [(0, 0), (0, 2), (2, 1), (2, 2)],
        "all"
    );
    let jacobian = Jacobian::new(&outputs, &symbols);
    let entries: Vec<_> = jacobian.pattern().entries().collect();
    assert_eq!(
        entries,
        [(0, 0), (0, 2), (2, 2)],
        "the slope of a step is zero"
    );
    assert_eq!(structural.row(7), [0_usize; 0], "a row that does not exist");
    assert_eq!(
        (structural.row_count(), structural.column_count()),
        (3, 3),
        "shape"
    );
}
