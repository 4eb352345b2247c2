//! State space and transfer functions against matrix products and complex arithmetic.

use bifrons_blocks::{StateSpace, TransferFunction};
use bifrons_hybrid::{Block, BlockError, Component, DiagramBuilder};
use proptest::prelude::*;

use crate::bench::{Bench, refusal};

#[test]
fn state_space_multiplies_matrices() {
    let a = [[0.0, 1.0], [-4.0, -0.5]];
    let b = [[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]];
    let (c, d) = ([[1.0, 0.0], [0.5, 2.0]], [[0.0, 0.0, 0.0], [7.0, 0.0, 0.0]]);
    let block = StateSpace::new(&a, &b, &c, &d).start([1.5, -2.0]);
    let (u, x) = ([1.0, 10.0, 100.0], [0.5, 3.0]);
    let bench = Bench::new(block, &u);
    assert_eq!(bench.start(), [1.5, -2.0], "start");
    let rate = [
        x[1] + 2.0 * u[1],
        -4.0 * x[0] - 0.5 * x[1] + u[0] + 3.0 * u[2],
    ];
    assert_eq!(bench.derivatives(0.0, &x), rate, "A x + B u");
    assert_eq!(
        bench.outputs(0.0, &x),
        [x[0], 0.5 * x[0] + 2.0 * x[1] + 7.0 * u[0]],
        "C x + D u"
    );
}

#[test]
fn zero_entries_are_structure() {
    let block = || StateSpace::new(&[[0.0]], &[[2.0]], &[[3.0]], &[[0.0]]);
    let bench = Bench::new(block(), &[1.0]);
    assert_eq!(
        bench.parameter_names(),
        ["block.u", "block.b1_1", "block.c1_1", "block.x1_0"],
        "no parameter for a zero, plain names for single ports"
    );
    assert!(!feedthrough(block().into_component().unwrap()), "D is zero");
    let with_d = StateSpace::new(&[[0.0]], &[[2.0]], &[[3.0]], &[[0.5]]);
    assert!(
        feedthrough(with_d.into_component().unwrap()),
        "D is not zero"
    );
}

#[test]
fn sizes_without_states_or_inputs_are_valid() {
    let static_gain = StateSpace::from_rows(0, 2, 1, [&[], &[], &[], &[2.0, -1.0]]);
    assert_eq!(
        Bench::new(static_gain, &[3.0, 4.0]).outputs(0.0, &[]),
        [2.0],
        "D u"
    );
    let autonomous = StateSpace::from_rows(1, 0, 1, [&[-2.0], &[], &[1.0], &[]]);
    let bench = Bench::new(autonomous, &[]);
    assert_eq!(bench.derivatives(0.0, &[3.0]), [-6.0], "A x");
    assert_eq!(bench.outputs(0.0, &[3.0]), [3.0], "C x");
}

#[test]
fn shapes_and_entries_are_checked() {
    let shape = |error: BlockError| match error {
        BlockError::Shape {
            setting,
            required,
            found,
            ..
        } => (setting, required, found),
        other => panic!("variant: {other}"),
    };
    let block = StateSpace::from_rows(2, 1, 1, [&[0.0; 4], &[0.0; 2], &[0.0; 3], &[0.0]]);
    let expected = (
        "C".to_owned(),
        "1 × 2 entries".to_owned(),
        "3 entries".to_owned(),
    );
    assert_eq!(shape(refusal(block)), expected, "matrix");
    let block = StateSpace::new(&[[1.0]], &[[1.0]], &[[1.0]], &[[1.0]]).start([1.0, 2.0]);
    assert_eq!(shape(refusal(block)).0, "start", "start");
    let block = StateSpace::from_rows(usize::MAX, 2, 0, [&[]; 4]);
    assert_eq!(shape(refusal(block)).0, "A", "sizes do not overflow");
    let block = StateSpace::new(&[[f64::NAN]], &[[1.0]], &[[1.0]], &[[1.0]]);
    assert!(
        matches!(refusal(block), BlockError::Value { ref setting, .. } if setting == "a1_1"),
        "NaN names the entry"
    );
    let numerator = refusal(TransferFunction::new([1.0, 0.0], [2.0]));
    assert_eq!(shape(numerator).0, "numerator", "improper");
    assert_eq!(
        shape(refusal(TransferFunction::new([], [2.0]))).0,
        "numerator",
        "empty"
    );
    for (error, expected) in [
        (
            refusal(TransferFunction::new([1.0], [0.0, 2.0])),
            "denominator",
        ),
        (
            refusal(TransferFunction::new([f64::NAN], [2.0])),
            "numerator",
        ),
    ] {
        let BlockError::Value { setting, .. } = &error else {
            panic!("variant: {error}")
        };
        assert_eq!(setting, expected, "{error}");
    }
}

#[test]
fn transfer_function_of_order_zero_is_a_gain() {
    assert_eq!(
        Bench::new(TransferFunction::new([3.0], [2.0]), &[4.0]).outputs(0.0, &[]),
        [6.0],
        "b0/a0 u"
    );
}

#[test]
fn transfer_function_has_feedthrough_only_with_equal_degrees() {
    let proper = TransferFunction::new([2.0, 1.0], [1.0, 3.0]);
    let strictly = TransferFunction::new([0.0, 1.0], [1.0, 3.0]);
    assert!(
        feedthrough(proper.into_component().unwrap()),
        "equal degrees"
    );
    assert!(
        !feedthrough(strictly.into_component().unwrap()),
        "leading zeros do not count"
    );
}

fn feedthrough(component: Component) -> bool {
    let mut builder = DiagramBuilder::new("bench");
    let block = builder.add("block", component).unwrap();
    builder.export_input("u", block.input("u")).unwrap();
    builder.export_output("y", block.output("y")).unwrap();
    builder.build().unwrap().feedthrough("u", "y").unwrap()
}

type Complex = (f64, f64);

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn over(a: Complex, b: Complex) -> Complex {
    let size = b.0 * b.0 + b.1 * b.1;
    let (re, im) = times(a, (b.0, -b.1));
    (re / size, im / size)
}

/// Horner's rule, coefficients by descending power.
fn polynomial(coefficients: &[f64], s: Complex) -> Complex {
    coefficients.iter().fold((0.0, 0.0), |sum, c| {
        let (re, im) = times(sum, s);
        (re + c, im)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For `x_i = s^(i-1) e^(st) / a(s)` and `u = e^(st)` the equations must hold with
    /// `y = b(s)/a(s) e^(st)`: real and imaginary part are two solutions of a real system.
    #[test]
    fn transfer_function_answers_exponentials(
        denominator in prop::collection::vec(0.5_f64..2.0, 1..5),
        numerator in prop::collection::vec(-2.0_f64..2.0, 1..5),
        s in (-1.0_f64..1.0, 0.5_f64..2.0),
    ) {
        let numerator = &numerator[..numerator.len().min(denominator.len())];
        let a = polynomial(&denominator, s);
        prop_assume!(a.0.hypot(a.1) > 0.1);
        let order = denominator.len() - 1;
        let mut modes = vec![over((1.0, 0.0), a)];
        for _ in 0..order {
            modes.push(times(s, modes[modes.len() - 1]));
        }
        let response = over(polynomial(numerator, s), a);
        for (real, u) in [(true, 1.0), (false, 0.0)] {
            let part = |z: Complex| if real { z.0 } else { z.1 };
            let block = TransferFunction::new(numerator, denominator.clone());
            let bench = Bench::new(block, &[u]);
            let x: Vec<f64> = modes[..order].iter().map(|mode| part(*mode)).collect();
            let rates = bench.derivatives(0.0, &x);
            for (i, rate) in rates.iter().enumerate() {
                let expected = part(modes[i + 1]);
                prop_assert!((rate - expected).abs() < 1e-9, "x{}': {rate} for {expected}", i + 1);
            }
            let y = bench.outputs(0.0, &x)[0];
            prop_assert!((y - part(response)).abs() < 1e-9, "y: {y} for {}", part(response));
        }
    }
}
