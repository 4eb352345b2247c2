//! Rows of probabilities and extreme uniform numbers (case dp-09).

use bifrons_random::{Categorical, CategoricalError, categorical};

#[test]
fn accepted_rows_give_possible_categories() {
    let top = 1.0 - f64::EPSILON / 2.0;
    // A: 1.8 is refused with its sum.
    let error = Categorical::new(&[0.45, 0.9, 0.45]).unwrap_err();
    assert!(
        matches!(error, CategoricalError::Sum { sum, tolerance: 1e-12 }
        if (sum - 1.8).abs() < 1e-12),
        "{error:?}"
    );
    // B: refused at 1e-12; accepted with a tolerance, and then the last possible category.
    let short = [0.3, 0.7 - 1e-9, 0.0];
    assert!(
        matches!(Categorical::new(&short), Err(CategoricalError::Sum { .. })),
        "B"
    );
    assert_eq!(
        Categorical::with_tolerance(&short, 1e-8).unwrap().pick(top),
        1,
        "B accepted"
    );
    assert_eq!(categorical(&short, top), Some(1), "B unchecked");
    // C: a leading zero is never drawn, not even at u = 0.
    assert_eq!(Categorical::new(&[0.0, 1.0]).unwrap().pick(0.0), 1, "C");
    assert_eq!(categorical(&[0.0, 1.0], 0.0), Some(1), "C unchecked");
    // D: three thirds in single precision.
    let third = f64::from(1.0_f32 / 3.0);
    let u = 1.0 - 2.0_f64.powi(-24);
    assert_eq!(
        Categorical::with_tolerance(&[third; 3], 1e-7)
            .unwrap()
            .pick(u),
        2,
        "D"
    );
    assert_eq!(categorical(&[third; 3], u), Some(2), "D unchecked");
    // E: rounding is accepted.
    assert!(Categorical::new(&[0.5, 0.5 + 2e-16]).is_ok(), "E");
}

#[test]
fn refused_rows_are_named() {
    // F, G, H: negative, NaN, missing mass; and the empty row.
    let error = Categorical::new(&[-1e-17, 1.0]).unwrap_err();
    assert_eq!(
        error,
        CategoricalError::Probability {
            category: 0,
            value: -1e-17
        },
        "F"
    );
    let error = Categorical::new(&[1.0, f64::NAN]).unwrap_err();
    assert!(
        matches!(error, CategoricalError::Probability { category: 1, value } if value.is_nan()),
        "G"
    );
    assert_eq!(
        Categorical::new(&[0.5, 0.4]).unwrap_err(),
        CategoricalError::Sum {
            sum: 0.9,
            tolerance: 1e-12
        },
        "H"
    );
    assert_eq!(
        Categorical::new(&[]).unwrap_err(),
        CategoricalError::Empty,
        "empty"
    );
    assert_eq!(categorical(&[], 0.5), None, "empty, unchecked");
    let text = CategoricalError::Sum {
        sum: 0.9,
        tolerance: 1e-12,
    }
    .to_string();
    assert!(
        text.contains("0.9") && text.contains("divide them"),
        "{text}"
    );
}
