//! Taste shocks: limits, extremes, errors.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::missing_assert_message,
    clippy::print_stdout,
    clippy::excessive_precision,
    dead_code,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

use bifrons_egm::{ChoiceError, TasteShocks};

fn aggregate(scale: f64, values: &[f64]) -> (f64, Vec<f64>) {
    let mut p = vec![0.0; values.len()];
    let value = TasteShocks::new(scale)
        .unwrap()
        .aggregate(values, &mut p)
        .unwrap();
    (value, p)
}

/// Case dp-06.
#[test]
fn dp_06_scale_limits() {
    let (value, p) = aggregate(0.5, &[2.0, 1.0]);
    assert!(
        (value / 2.063_464_005_521_486 - 1.0).abs() < 1e-14,
        "{value}"
    );
    assert!(
        (p[0] / 0.880_797_077_977_882_4 - 1.0).abs() < 1e-14,
        "{p:?}"
    );
    for scale in [1e-3, 1e-12, 1e-300, 0.0] {
        assert_eq!(aggregate(scale, &[2.0, 1.0]), (2.0, vec![1.0, 0.0]));
    }
    let (value, _) = aggregate(0.5, &[1000.0, 999.0]);
    assert!(
        (value / 1_000.063_464_005_521_5 - 1.0).abs() < 1e-15,
        "{value}"
    );
    for scale in [0.5, 0.0] {
        assert_eq!(
            aggregate(scale, &[f64::NEG_INFINITY, 1.0]),
            (1.0, vec![0.0, 1.0])
        );
        assert_eq!(
            aggregate(scale, &[f64::NEG_INFINITY; 2]),
            (f64::NEG_INFINITY, vec![0.0; 2])
        );
    }
    let (value, p) = aggregate(0.5, &[1.0, 1.0]);
    assert!(
        (value / 1.346_573_590_279_972_7 - 1.0).abs() < 1e-14 && p == [0.5, 0.5],
        "{value} {p:?}"
    );
    assert_eq!(aggregate(0.0, &[1.0, 1.0]), (1.0, vec![1.0, 0.0]));
    assert_eq!(aggregate(1.0, &[1e308, -1e308]), (1e308, vec![1.0, 0.0]));
    for scale in [-0.1, f64::NAN] {
        assert!(
            matches!(TasteShocks::new(scale), Err(ChoiceError::Scale { .. })),
            "{scale}"
        );
    }
    let error = TasteShocks::new(0.5)
        .unwrap()
        .aggregate(&[2.0, 1.0, f64::NAN], &mut [0.0; 3]);
    assert_eq!(error, Err(ChoiceError::NotANumber { index: 2 }));
}

/// Closed form 21, and the same for two and for many choices.
#[test]
fn log_sum_exponential() {
    let v = [1.0, 1.000_000_1, 0.0];
    let (value, _) = aggregate(1.0, &v);
    assert!((value - 1.861_994_846_290_132_1).abs() < 4e-16, "{value}");
    let (value, p) = aggregate(1e-3, &v);
    assert!((value - 1.000_693_197_181_809_95).abs() < 4e-16, "{value}");
    assert!(
        (p[0] - 0.499_975_000_000_020_8).abs() < 1e-12
            && (p[1] - 0.500_024_999_999_979_2).abs() < 1e-12,
        "{p:?}"
    );
    let (value, p) = aggregate(1e-8, &v);
    assert!((value - 1.000_000_100_000_453_99).abs() < 4e-16, "{value}");
    assert!((p[0] - 4.539_786_870_243e-5).abs() < 1e-11, "{p:?}");
}

/// Closed form 6 with the values of closed form 5, one period before the end.
#[test]
fn choice_between_work_and_retirement() {
    let beta = 0.98;
    let retire = |m: f64| (m / (1.0 + beta)).ln() + beta * (m - m / (1.0 + beta)).ln();
    let work = |m: f64| {
        let c = m.min((m + 20.0) / (1.0 + beta));
        c.ln() - 1.0 + beta * (m - c + 20.0).ln()
    };
    let expected = [
        (0.2, 10.0, 4.239_441_085_825_319, 0.994_821_630_481_019_8),
        (0.2, 50.0, 6.408_005_059_593_778, 0.158_567_575_903_564_5),
        (0.05, 10.0, 4.238_402_721_113_665, 0.999_999_999_265_839_1),
        (0.05, 50.0, 6.373_538_164_834_353, 0.001_259_601_566_195_673),
        (
            0.001,
            50.0,
            6.373_475_145_057_801,
            1.094_028_761_789_524e-145,
        ),
    ];
    for (scale, m, value, p_work) in expected {
        let (found, p) = aggregate(scale, &[work(m), retire(m)]);
        assert!((found - value).abs() < 2e-14, "{found} {value}");
        assert!((p[0] / p_work - 1.0).abs() < 1e-11, "{} {p_work}", p[0]);
    }
    let kink = 20.0 / ((1.0 / (1.0 + beta)).exp() - 1.0);
    let (found, p) = aggregate(0.2, &[work(kink), retire(kink)]);
    assert!(
        (found - 5.529_381_464_629_699).abs() < 1e-14 && (p[0] - 0.5).abs() < 1e-13,
        "{found} {p:?}"
    );
}
