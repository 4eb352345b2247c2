//! Arithmetic and elementary functions against the standard library.
#![expect(
    clippy::float_cmp,
    reason = "formulas are exact or repeated in the same order"
)]

use bifrons_blocks::{Divide, Function, Gain, Maximum, Minimum, Polynomial, Power, Product, Sum};
use bifrons_hybrid::{Block, BlockError};

use crate::bench::{Bench, refusal, value};

#[test]
fn gain_multiplies() {
    assert_eq!(value(Gain::new(-1.5), &[4.0]), -6.0, "k u");
    assert_eq!(
        Bench::new(Gain::new(2.0), &[1.0]).parameter_names(),
        ["block.u", "block.k"],
        "names"
    );
}

#[test]
fn sum_takes_signs_from_left_to_right() {
    assert_eq!(value(Sum::new("+-"), &[5.0, 2.0]), 3.0, "difference");
    assert_eq!(value(Sum::new("-"), &[5.0]), -5.0, "one input");
    assert_eq!(
        value(Sum::new("-+-"), &[1.0, 10.0, 100.0]),
        -91.0,
        "three inputs"
    );
    assert_eq!(
        value(Sum::new("+++"), &[1.0, 1e100, -1e100]),
        0.0,
        "left to right"
    );
}

#[test]
fn reductions_fold_their_inputs() {
    assert_eq!(value(Product::new(3), &[2.0, 3.0, 7.0]), 42.0, "product");
    assert_eq!(value(Product::new(1), &[2.0]), 2.0, "of one");
    assert_eq!(value(Minimum::new(3), &[2.0, -3.0, 7.0]), -3.0, "minimum");
    assert_eq!(value(Maximum::new(3), &[2.0, -3.0, 7.0]), 7.0, "maximum");
    assert!(
        value(Maximum::new(2), &[f64::INFINITY, 1.0]).is_infinite(),
        "infinity is largest"
    );
    assert_eq!(value(Divide, &[1.0, 8.0]), 0.125, "quotient");
    assert!(
        value(Divide, &[1.0, 0.0]).is_infinite(),
        "division by zero is no panic"
    );
}

#[test]
fn wide_blocks_number_their_inputs() {
    let ones = vec![1.0; 300];
    assert_eq!(
        value(Sum::new("+".repeat(300)), &ones),
        300.0,
        "three hundred inputs"
    );
}

#[test]
fn powers_of_three_kinds() {
    assert_eq!(value(Power::integer(-3), &[2.0]), 0.125, "integer");
    assert_eq!(
        value(Power::integer(3), &[-2.0]),
        -8.0,
        "integer power of a negative number"
    );
    assert!(
        (value(Power::new(0.5), &[2.0]) - 2.0_f64.sqrt()).abs() < 1e-15,
        "real"
    );
    assert!(
        (value(Power::of_inputs(), &[3.0, 2.5]) - 3.0_f64.powf(2.5)).abs() < 1e-14,
        "input"
    );
    assert!(
        value(Power::new(0.5), &[-1.0]).is_nan(),
        "outside the domain"
    );
}

#[test]
fn polynomial_has_ascending_coefficients() {
    let polynomial = || Polynomial::new([1.0, -2.0, 0.0, 0.5]);
    for u in [-2.0, 0.0, 1.0, 3.0] {
        assert_eq!(
            value(polynomial(), &[u]),
            1.0 - 2.0 * u + 0.5 * u * u * u,
            "at {u}"
        );
    }
    assert_eq!(value(Polynomial::new([4.0]), &[9.0]), 4.0, "degree zero");
}

/// Each function with inputs in its domain and the standard library's value.
#[test]
fn functions_agree_with_the_standard_library() {
    let (u, v) = (0.4_f64, 1.7_f64);
    for &function in Function::ALL {
        let expected = match function {
            Function::Exp => u.exp(),
            Function::ExpM1 => u.exp_m1(),
            Function::Ln => u.ln(),
            Function::Ln1p => u.ln_1p(),
            Function::Sqrt => u.sqrt(),
            Function::Square => u * u,
            Function::Reciprocal => 1.0 / u,
            Function::Negate => -u,
            Function::Sin => u.sin(),
            Function::Cos => u.cos(),
            Function::Tan => u.tan(),
            Function::Asin => u.asin(),
            Function::Acos => u.acos(),
            Function::Atan => u.atan(),
            Function::Sinh => u.sinh(),
            Function::Cosh => u.cosh(),
            Function::Tanh => u.tanh(),
            // A. and S. table 7.1 to ten digits.
            Function::Erf => 0.428_392_355_0,
            Function::Floor => 0.0,
            Function::Ceil => 1.0,
            Function::Atan2 => u.atan2(v),
            Function::Hypot => u.hypot(v),
            Function::Modulo => u,
            other => panic!("no expected value for {}", other.name()),
        };
        let two = matches!(
            function,
            Function::Atan2 | Function::Hypot | Function::Modulo
        );
        let found = if two {
            value(function, &[u, v])
        } else {
            value(function, &[u])
        };
        let tolerance = if function == Function::Erf {
            1e-9
        } else {
            4.0 * f64::EPSILON
        };
        let error = (found - expected).abs();
        assert!(
            error <= tolerance,
            "{}: {found} for {expected}",
            function.name()
        );
    }
    assert_eq!(
        value(Function::Modulo, &[-1.0, 3.0]),
        2.0,
        "the sign of the divisor"
    );
    assert!(
        value(Function::Ln, &[-1.0]).is_nan(),
        "outside the domain is no panic"
    );
}

#[test]
fn every_function_has_a_kind_and_feedthrough() {
    for &function in Function::ALL {
        let component = function.into_component().unwrap();
        assert_eq!(component.kind(), function.name(), "kind");
        assert_eq!(
            component.output_names().collect::<Vec<_>>(),
            ["y"],
            "output"
        );
    }
}

#[test]
fn settings_without_sense_are_refused() {
    let shape = |error: BlockError| match error {
        BlockError::Shape { setting, found, .. } => (setting, found),
        other => panic!("variant: {other}"),
    };
    assert_eq!(
        shape(refusal(Sum::new(""))),
        ("signs".to_owned(), String::new()),
        "no input"
    );
    assert_eq!(
        shape(refusal(Sum::new("+*"))),
        ("signs".to_owned(), "+*".to_owned()),
        "no sign"
    );
    assert_eq!(
        shape(refusal(Product::new(0))).0,
        "input_count",
        "no factor"
    );
    assert_eq!(shape(refusal(Minimum::new(0))).0, "input_count", "no input");
    assert_eq!(
        shape(refusal(Polynomial::new([]))).0,
        "coefficients",
        "no coefficient"
    );
    for error in [
        refusal(Gain::new(f64::NAN)),
        refusal(Power::new(f64::INFINITY)),
        refusal(Polynomial::new([1.0, f64::NAN])),
    ] {
        assert!(matches!(error, BlockError::Value { .. }), "{error}");
    }
}
