//! Case hyb-11: discretisation behind a zero-order hold, also of singular matrices.

use bifrons_blocks::zoh;
use bifrons_hybrid::BlockError;

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{found:?} for {expected:?}");
    }
}

#[test]
fn singular_and_regular_matrices_match_the_closed_forms() {
    let [ad, bd] = zoh(&[0.0, 1.0, 0.0, 0.0], &[0.0, 1.0], 2, 1, 0.1).unwrap();
    close(&ad, &[1.0, 0.1, 0.0, 1.0], 1e-15);
    close(&bd, &[0.005, 0.1], 1e-15);
    let [ad, bd] = zoh(&[0.0, 1.0, 0.0, -2.0], &[0.0, 1.0], 2, 1, 0.1).unwrap();
    close(
        &ad,
        &[1.0, 0.090_634_623_461_009_08, 0.0, 0.818_730_753_077_981_8],
        1e-15,
    );
    close(
        &bd,
        &[0.004_682_688_269_495_465, 0.090_634_623_461_009_08],
        1e-15,
    );
    let [_, bd] = zoh(&[0.0; 4], &[1.0, 0.0, 0.0, 1.0], 2, 2, 0.1).unwrap();
    close(&bd, &[0.1, 0.0, 0.0, 0.1], 1e-16);
    let [_, bd] = zoh(&[-1e-9], &[1.0], 1, 1, 0.1).unwrap();
    close(&bd, &[0.099_999_999_995], 1e-15);
    let [ad, bd] = zoh(&[0.0, 1.0, -1.0, 0.0], &[0.0, 1.0], 2, 1, 0.1).unwrap();
    let (cos, sin) = (0.995_004_165_278_025_8, 0.099_833_416_646_828_15);
    close(&ad, &[cos, sin, -sin, cos], 1e-15);
    close(&bd, &[0.004_995_834_721_974_234, sin], 1e-15);
}

#[test]
fn the_steady_gain_is_that_of_the_continuous_system() {
    let [ad, bd] = zoh(&[-1.0], &[1.0], 1, 1, 0.05).unwrap();
    assert!((bd[0] / (1.0 - ad[0]) - 1.0).abs() <= 1e-13);
}

#[test]
fn a_system_without_states_passes_through() {
    let [ad, bd] = zoh(&[], &[], 0, 1, 0.1).unwrap();
    assert!(ad.is_empty() && bd.is_empty());
}

#[test]
fn a_period_that_is_not_positive_is_refused() {
    for h in [0.0, -0.1, f64::NAN] {
        let refused = zoh(&[0.0], &[1.0], 1, 1, h);
        assert!(matches!(refused, Err(BlockError::Value { .. })), "{h}");
    }
}

#[test]
fn long_periods_are_scaled_and_squared() {
    let [ad, _] = zoh(&[-3.0, 1.0, 0.0, -5.0], &[], 2, 0, 10.0).unwrap();
    assert!((ad[0] / (-30.0_f64).exp() - 1.0).abs() < 1e-12);
    assert!((ad[3] / (-50.0_f64).exp() - 1.0).abs() < 1e-12);
}
