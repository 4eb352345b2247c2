//! Rows of probabilities (case dp-09), long runs, products.
#![expect(clippy::float_cmp, reason = "exact values are compared in bits")]

use bifrons_shocks::{Ar1, Discretisation, MarkovChain, MatrixError, ShockError, TransitionMatrix};

fn ar1(persistence: f64, sd: f64) -> Result<Ar1, ShockError> {
    Ar1::gaussian(persistence, sd)
}

fn close(found: &[f64], exact: &[f64], tolerance: f64) -> bool {
    found.len() == exact.len()
        && found
            .iter()
            .zip(exact)
            .all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn dp_09_sums_of_rows() {
    let table = |rows: &[&[f64]]| TransitionMatrix::from_rows(rows);
    // A: the row and its sum are named.
    let error = table(&[&[0.1, 0.9, 0.0], &[0.45, 0.9, 0.45], &[0.475, 0.475, 0.05]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { row: 1, sum, .. } if (sum - 1.8).abs() < 1e-12),
        "A: {error:?}"
    );
    assert!(
        error.to_string().starts_with("row 1 must sum to 1 within"),
        "A: {error}"
    );
    // B, H: mass is missing.
    let error = table(&[&[0.3, 0.7 - 1e-9, 0.0]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { row: 0, .. }),
        "B: {error:?}"
    );
    let error = table(&[&[0.5, 0.4]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { sum: 0.9, .. }),
        "H: {error:?}"
    );
    // C, E: zeros and rounding are fine.
    assert!(table(&[&[0.0, 1.0]]).is_ok(), "C");
    let kept = table(&[&[0.5, 0.5 + 2e-16]]).unwrap();
    assert_eq!(kept.row(0), [0.5, 0.5 + 2e-16], "E: used as given");
}

#[test]
fn dp_09_entries_and_shapes() {
    let table = |rows: &[&[f64]]| TransitionMatrix::from_rows(rows);
    // F, G: negative and NaN, also negative zero (which is zero).
    let error = table(&[&[1.0, 0.0], &[-1e-17, 1.0]]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Probability {
            row: 1,
            column: 0,
            value: -1e-17
        },
        "F"
    );
    let error = table(&[&[1.0, f64::NAN]]).unwrap_err();
    assert!(
        matches!(
            error,
            MatrixError::Probability {
                row: 0,
                column: 1,
                ..
            }
        ),
        "G: {error:?}"
    );
    assert!(table(&[&[-0.0, 1.0]]).is_ok(), "minus zero is zero");
    // I: shapes.
    let error = table(&[&[0.2, 0.3, 0.25, 0.25], &[0.5, 0.25, 0.25]]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::RowLength {
            row: 1,
            found: 3,
            required: 4
        },
        "I"
    );
    let error = TransitionMatrix::new(2, 2, vec![1.0; 3]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Shape {
            rows: 2,
            columns: 2,
            found: 3
        },
        "shape"
    );
    assert_eq!(
        table(&[]).unwrap_err(),
        MatrixError::Empty {
            rows: 0,
            columns: 0
        },
        "empty"
    );
}

#[test]
fn sampling_from_rows_never_meets_an_impossible_state() {
    // Inverse-cdf sampling of validated rows, at the extreme uniform numbers.
    let (bottom, top) = (
        bifrons_random::uniform(0),
        bifrons_random::uniform(u64::MAX),
    );
    let chain = ar1(0.97, 0.05).unwrap().tauchen(9, 3.0).unwrap();
    for row in chain.matrix().rows() {
        let law = bifrons_random::Categorical::new(row).unwrap();
        for u in [bottom, 0.3, 0.5, top] {
            assert!(row[law.pick(u)] > 0.0, "{row:?} at {u}");
        }
    }
}

#[test]
fn long_runs_of_reducible_chains() {
    let table = |rows: &[&[f64]]| TransitionMatrix::from_rows(rows).unwrap();
    // Transient states have no mass.
    let ends = table(&[&[0.5, 0.5, 0.0], &[0.0, 0.2, 0.8], &[0.0, 0.6, 0.4]]);
    assert!(
        close(
            &ends.stationary().unwrap(),
            &[0.0, 3.0 / 7.0, 4.0 / 7.0],
            1e-15
        ),
        "transient"
    );
    let absorbing = table(&[&[0.9, 0.1], &[0.0, 1.0]]);
    assert_eq!(absorbing.stationary().unwrap(), [0.0, 1.0], "death");
    // A period is no obstacle.
    let swap = table(&[&[0.0, 1.0], &[1.0, 0.0]]);
    assert_eq!(swap.stationary().unwrap(), [0.5, 0.5], "periodic");
    // Two sets that are never left.
    let error = table(&[&[1.0, 0.0], &[0.0, 1.0]]).stationary().unwrap_err();
    assert_eq!(
        error,
        MatrixError::SeveralClasses {
            first: 0,
            second: 1
        },
        "identity"
    );
    let fork = table(&[&[0.2, 0.4, 0.4], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
    assert!(
        matches!(fork.stationary(), Err(MatrixError::SeveralClasses { .. })),
        "fork"
    );
    // A kernel whose moves underflow to zero is the identity.
    let frozen = ar1(0.999_999, 1e-6).unwrap().tauchen(3, 3.0).unwrap();
    assert!(
        matches!(frozen.stationary(), Err(MatrixError::SeveralClasses { .. })),
        "{frozen:?}"
    );
    // Rare moves that are not zero keep their ratio.
    let rare = table(&[&[1.0, 1e-200], &[3e-200, 1.0]]);
    assert!(
        close(&rare.stationary().unwrap(), &[0.75, 0.25], 1e-15),
        "rare"
    );
    let rarer = table(&[&[1.0, 5e-324], &[1e-323, 1.0]])
        .stationary()
        .unwrap_err();
    assert_eq!(rarer, MatrixError::Underflow { state: 1 }, "subnormal");
    let wide = TransitionMatrix::new(1, 2, vec![0.5, 0.5]).unwrap();
    assert_eq!(
        wide.stationary().unwrap_err(),
        MatrixError::NotSquare {
            rows: 1,
            columns: 2
        },
        "wide"
    );
}

#[test]
fn products_steps_and_expectations() {
    let a = TransitionMatrix::from_rows(&[[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]).unwrap();
    let b = TransitionMatrix::from_rows(&[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).unwrap();
    let both = a.then(&b).unwrap();
    assert_eq!(both.probabilities(), [0.75, 0.25, 0.125, 0.875], "product");
    let mut out = [f64::NAN; 2];
    a.expect_into(&[1.0, 3.0, 5.0], &mut out).unwrap();
    assert_eq!(out, [2.0, 4.5], "expectations");
    a.expect_into(&[f64::NEG_INFINITY, 3.0, 5.0], &mut out)
        .unwrap();
    assert_eq!(
        out,
        [f64::NEG_INFINITY, 4.5],
        "an impossible infinity does no harm"
    );
    let mut next = [f64::NAN; 3];
    a.step_into(&[0.5, 0.5], &mut next).unwrap();
    assert_eq!(next, [0.25, 0.375, 0.375], "distribution");
}

#[test]
fn lengths_are_checked() {
    let a = TransitionMatrix::from_rows(&[[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]).unwrap();
    let mut next = [0.0; 3];
    let error = a.then(&a).unwrap_err();
    assert!(
        matches!(
            error,
            MatrixError::Length {
                found: 2,
                required: 3,
                ..
            }
        ),
        "{error:?}"
    );
    let error = a.step_into(&[1.0], &mut next).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Length {
            name: "distribution",
            found: 1,
            required: 2
        },
        "short"
    );
    let error = a.expect_into(&[1.0; 3], &mut [0.0; 3]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Length {
            name: "out",
            found: 3,
            required: 2
        },
        "out"
    );
}

#[test]
fn footprints_are_the_bytes_kept() {
    assert_eq!(
        TransitionMatrix::footprint(100, 50).persistent_bytes(),
        40_000,
        "footprint"
    );
    assert_eq!(
        MarkovChain::footprint(10).persistent_bytes(),
        880,
        "footprint"
    );
    assert_eq!(
        Discretisation::footprint(10).persistent_bytes(),
        160,
        "footprint"
    );
}
