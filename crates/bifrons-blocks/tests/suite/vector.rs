//! Tables, logic and vectors: values on both sides of every switch.
#![expect(clippy::float_cmp, reason = "every value is exact")]

use bifrons_blocks::{
    Bias, Compare, External, Gate, Logic, Lookup, Lookup1d, MatrixGain, MultiportSwitch, Norm,
    Quantizer, Reading, Switch, TableSource, TruthTable, VectorProduct,
};
use bifrons_expr::Function;
use bifrons_grids::Extrapolation;
use bifrons_hybrid::BlockError;

use crate::bench::{Bench, refusal, value, value_at};

#[test]
fn tables_of_one_input() {
    let table = || Lookup1d::new([0.0, 1.0, 3.0], [1.0, 2.0, 0.0]);
    let read = |reading: Reading, u: f64| value(table().reading(reading), &[u]);
    let expected = [
        (-1.0, 1.0, 1.0, 1.0),
        (0.25, 1.25, 1.0, 1.0),
        (0.5, 1.5, 1.0, 2.0),
        (1.0, 2.0, 2.0, 2.0),
        (2.5, 0.5, 2.0, 0.0),
        (9.0, 0.0, 0.0, 0.0),
    ];
    for (u, linear, previous, nearest) in expected {
        assert_eq!(read(Reading::Linear, u), linear, "linear at {u}");
        assert_eq!(read(Reading::Previous, u), previous, "previous at {u}");
        assert_eq!(read(Reading::Nearest, u), nearest, "nearest at {u}");
    }
    assert_eq!(read(Reading::Cubic, 1.0), 2.0, "a node");
    let line = table().outside(Extrapolation::Linear);
    assert_eq!(value(line, &[-2.0]), -1.0, "the first line goes on");
    let strict = table().outside(Extrapolation::Error);
    assert!(value(strict, &[-2.0]).is_nan(), "outside is NaN");
    assert_eq!(
        value_at(0.25, TableSource::new([0.0, 1.0], [2.0, 6.0]), &[]),
        3.0
    );
    let wrong = refusal(Lookup1d::new([0.0, 0.0], [1.0, 2.0]));
    assert!(
        matches!(wrong, BlockError::Shape { ref setting, .. } if setting == "table"),
        "{wrong}"
    );
    let wrong = refusal(Lookup1d::new([0.0, 1.0], [1.0]).reading(Reading::Previous));
    assert!(matches!(wrong, BlockError::Shape { .. }), "{wrong}");
}

#[test]
fn tables_of_several_inputs() {
    // u1 + 10 u2 is bilinear, so that the table is exact.
    let table = Lookup::new(
        [vec![0.0, 2.0], vec![0.0, 1.0, 4.0]],
        [0.0, 10.0, 40.0, 2.0, 12.0, 42.0],
    );
    assert_eq!(value(table.clone(), &[0.5, 2.5]), 25.5);
    assert_eq!(value(table, &[9.0, -1.0]), 2.0, "clamped on both axes");
    let short = Lookup::new([vec![0.0, 2.0]], [1.0]);
    assert!(
        matches!(refusal(short), BlockError::Shape { .. }),
        "one value for two nodes"
    );
    let area = Function::builder("area", 2, |a| a[0] * a[1])
        .build()
        .expect("valid");
    assert_eq!(value(External::new(area), &[3.0, 4.0]), 12.0);
}

#[test]
fn comparisons_and_gates() {
    use Compare::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    for (block, below, same, above) in [
        (Less, 1.0, 0.0, 0.0),
        (LessOrEqual, 1.0, 1.0, 0.0),
        (Greater, 0.0, 0.0, 1.0),
        (GreaterOrEqual, 0.0, 1.0, 1.0),
        (Equal, 0.0, 1.0, 0.0),
        (NotEqual, 1.0, 0.0, 1.0),
    ] {
        let found = [1.0, 2.0, 3.0].map(|u| value(block, &[u, 2.0]));
        assert_eq!(found, [below, same, above], "{block:?}");
    }
    // Inputs by the number of positive ones among three.
    for (gate, expected) in [
        (Gate::And, [0.0, 0.0, 0.0, 1.0]),
        (Gate::Or, [0.0, 1.0, 1.0, 1.0]),
        (Gate::Nand, [1.0, 1.0, 1.0, 0.0]),
        (Gate::Nor, [1.0, 0.0, 0.0, 0.0]),
        (Gate::Xor, [0.0, 1.0, 0.0, 1.0]),
    ] {
        let inputs = [
            [0.0, -1.0, 0.0],
            [0.0, 2.0, 0.0],
            [1.0, 0.0, 3.0],
            [1.0, 1.0, 1.0],
        ];
        let found = inputs.map(|u| value(Logic::new(gate, 3), &u));
        assert_eq!(found, expected, "{gate:?}");
    }
    assert_eq!(value(Logic::not(), &[0.0]), 1.0, "not");
    assert!(matches!(
        refusal(Logic::new(Gate::And, 0)),
        BlockError::Shape { .. }
    ));
}

#[test]
fn truth_tables_and_switches() {
    let table = TruthTable::new([10.0, 11.0, 12.0, 13.0]);
    for (u, y) in [
        ([0.0, 0.0], 10.0),
        ([0.0, 1.0], 11.0),
        ([1.0, 0.0], 12.0),
        ([1.0, 1.0], 13.0),
    ] {
        assert_eq!(value(table.clone(), &u), y, "{u:?}");
    }
    assert!(matches!(
        refusal(TruthTable::new([1.0, 2.0, 3.0])),
        BlockError::Shape { .. }
    ));
    for (control, y) in [(0.4, 7.0), (0.5, 5.0), (1.0, 5.0)] {
        assert_eq!(
            value(Switch::new(0.5), &[5.0, control, 7.0]),
            y,
            "control {control}"
        );
    }
    for (select, y) in [
        (-4.0, 5.0),
        (1.0, 5.0),
        (1.49, 5.0),
        (1.5, 6.0),
        (2.0, 6.0),
        (3.0, 7.0),
        (99.0, 7.0),
    ] {
        let found = value(MultiportSwitch::new(3), &[select, 5.0, 6.0, 7.0]);
        assert_eq!(found, y, "select {select}");
    }
    assert_eq!(
        value(MultiportSwitch::new(1), &[4.0, 5.0]),
        5.0,
        "a single signal"
    );
}

#[test]
fn vectors_and_matrices() {
    assert_eq!(value(Bias::new(-2.0), &[5.0]), 3.0);
    let bench = Bench::new(
        MatrixGain::from_rows(2, [1.0, 2.0, 0.0, 4.0, 0.0, 0.0]),
        &[10.0, 100.0],
    );
    assert_eq!(bench.outputs(0.0, &[]), [210.0, 400.0, 0.0]);
    assert!(
        !bench.parameter_names().contains(&"block.k2_1"),
        "zeros are structure"
    );
    assert!(matches!(
        refusal(MatrixGain::from_rows(2, [1.0])),
        BlockError::Shape { .. }
    ));
    assert_eq!(
        value(VectorProduct::Dot(3), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        32.0
    );
    let cross = Bench::new(VectorProduct::Cross, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(cross.outputs(0.0, &[]), [-3.0, 6.0, -3.0]);
    assert_eq!(value(Norm::new(3), &[2.0, 3.0, 6.0]), 7.0);
    assert_eq!(value(Norm::new(1), &[-2.0]), 2.0);
    for (u, y) in [
        (0.24, 0.0),
        (0.25, 0.5),
        (0.5, 0.5),
        (-0.25, 0.0),
        (-0.26, -0.5),
    ] {
        assert_eq!(value(Quantizer::new(0.5), &[u]), y, "steps at {u}");
    }
    assert!(matches!(
        refusal(Quantizer::new(0.0)),
        BlockError::Value { .. }
    ));
}
