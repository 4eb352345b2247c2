//! Blocks of one kind in one diagram, and ranges of parameters.
use bifrons_expr::Expr;
use bifrons_hybrid::{
    BlockError, BlockSpec, DiagramBuilder, EquationSystem, HybridSystem, ParameterRange,
};

const FINITE: ParameterRange = ParameterRange::FINITE;
const ANY: ParameterRange = ParameterRange::EXTENDED;

/// Five gains in a row, the third of which adds.
fn row_of_gains() -> EquationSystem {
    let s = |name: &str| Expr::symbol(name);
    let block = |k: f64, y: Expr, range: ParameterRange| {
        let block = BlockSpec::builder("Gain").input("u");
        let block = block.parameter_in("k", k, range).output("y", y);
        block.build().expect("valid")
    };
    let (product, sum) = (s("k") * s("u"), s("k") + s("u"));
    let mut diagram = DiagramBuilder::new("model");
    let mut last = None;
    for (name, k, y, range) in [
        ("a", 2.0, &product, FINITE),
        ("b", 3.0, &product, FINITE),
        ("c", 5.0, &sum, FINITE),
        ("d", 7.0, &product, FINITE),
        ("e", f64::INFINITY, &product, ANY),
    ] {
        let id = diagram.add(name, block(k, y.clone(), range)).expect("new");
        match last {
            None => diagram.constant(id.input("u"), 1.0).expect("open"),
            Some(port) => diagram.connect(port, id.input("u")).expect("open"),
        }
        last = Some(id.output("y"));
    }
    diagram
        .build()
        .expect("complete")
        .flatten()
        .expect("causal")
}

#[test]
fn blocks_of_one_kind_keep_their_own_numbers_and_equations() {
    let system = row_of_gains();
    let texts: Vec<String> = system
        .definitions()
        .iter()
        .map(|own| format!("{} = {}", own.symbol, own.expression))
        .collect();
    let expected = [
        "a.y = a.k * a.u",
        "b.y = b.k * a.y",
        "c.y = c.k + b.y",
        "d.y = d.k * c.y",
        "e.y = e.k * d.y",
    ];
    assert_eq!(texts, expected, "equations");
    let numbers: Vec<(&str, f64, ParameterRange)> = system
        .parameters()
        .iter()
        .map(|own| (own.symbol.name(), own.default, own.range))
        .collect();
    let expected = [
        ("a.u", 1.0, FINITE),
        ("a.k", 2.0, FINITE),
        ("b.k", 3.0, FINITE),
        ("c.k", 5.0, FINITE),
        ("d.k", 7.0, FINITE),
        ("e.k", f64::INFINITY, ANY),
    ];
    assert_eq!(numbers, expected, "numbers");
    let compiled = system.compile().expect("compiles");
    let ranges = compiled.schema().declared_ranges();
    assert_eq!(ranges, [(5, ANY)], "declared ranges");
    assert_eq!(
        compiled.schema().parameter_range(4),
        FINITE,
        "no declaration"
    );
}

#[test]
fn a_default_outside_of_its_declared_range_is_refused() {
    let positive = ParameterRange::new(0.0, f64::MAX);
    for value in [-1.0, f64::INFINITY, f64::NAN] {
        let block = BlockSpec::builder("Gain").parameter_in("k", value, positive);
        let error = block.build().map(drop).expect_err("outside");
        assert!(
            matches!(&error, BlockError::Value { setting, .. } if setting == "k"),
            "{error:?}"
        );
    }
    let empty = ParameterRange::new(1.0, -1.0);
    let block = BlockSpec::builder("Gain").parameter_in("k", 0.0, empty);
    assert!(block.build().is_err(), "no value is in an empty range");
}
