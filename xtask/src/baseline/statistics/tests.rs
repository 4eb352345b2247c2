//! Degenerate statistics: one sample, equal samples, zero, huge, not a number.

use super::*;

const FIVE_PERCENT: Limit = Limit {
    relative_ppm: 50_000,
    absolute: 0,
};

fn of(old: &[u64], new: &[u64]) -> Comparison {
    compare(
        &Series::Whole(old.to_vec()),
        &Series::Whole(new.to_vec()),
        FIVE_PERCENT,
    )
    .expect("both sides have samples")
}

#[test]
fn equal_samples_show_no_change() {
    let comparison = of(&[100, 100, 100], &[100, 100, 100]);
    assert_eq!(comparison.percent, Some(0.0), "{comparison:?}");
    assert_eq!(comparison.change, Change::None, "{comparison:?}");
}

#[test]
fn increase_from_zero_has_no_percentage() {
    let comparison = of(&[0, 0, 0], &[5, 5, 5]);
    assert_eq!(comparison.percent, None, "{comparison:?}");
    assert_eq!(
        comparison.change.name(),
        "increase from zero",
        "{comparison:?}"
    );
    let comparison = of(&[0, 0, 0], &[0, 0, 0]);
    assert_eq!(comparison.percent, Some(0.0), "{comparison:?}");
    assert_eq!(comparison.change, Change::None, "{comparison:?}");
}

#[test]
fn single_sample_is_marked() {
    let comparison = of(&[100], &[110]);
    let percent = comparison.percent.expect("the baseline is not zero");
    assert!((percent - 10.0).abs() <= 1e-12, "{percent}");
    assert!(comparison.single_sample, "{comparison:?}");
    assert_eq!(comparison.change, Change::Regression, "{comparison:?}");
    assert!(!of(&[1, 1], &[1, 1]).single_sample, "two samples each");
}

#[test]
fn missing_samples_are_a_typed_error() {
    let none = Series::Whole(Vec::new());
    let some = Series::Whole(vec![100]);
    let error = compare(&none, &some, FIVE_PERCENT).expect_err("no baseline samples");
    assert_eq!(
        error,
        StatisticsError::Empty { side: "baseline" },
        "{error}"
    );
    let error = compare(&some, &none, FIVE_PERCENT).expect_err("no new samples");
    assert_eq!(error, StatisticsError::Empty { side: "new" }, "{error}");
}

#[test]
fn medians_are_robust() {
    let comparison = of(&[100, 102, 98, 101, 99], &[150, 152, 148, 151, 149]);
    assert_eq!(comparison.percent, Some(50.0), "{comparison:?}");
    assert_eq!(comparison.change.name(), "regression", "{comparison:?}");
    let comparison = of(&[100, 100, 1000], &[100, 100, 100]);
    assert_eq!(comparison.percent, Some(0.0), "one outlier moves no median");
    assert_eq!(comparison.change, Change::None, "{comparison:?}");
    let comparison = of(&[100, 100], &[50, 50]);
    assert_eq!(comparison.change, Change::Improvement, "{comparison:?}");
}

#[test]
fn huge_reals_do_not_overflow() {
    let huge = Series::Real(vec![1e308, 1e308]);
    let comparison = compare(&huge, &huge, FIVE_PERCENT).expect("finite");
    assert_eq!(comparison.percent, Some(0.0), "{comparison:?}");
    assert_eq!(
        comparison.baseline,
        Number::Real(1e308),
        "the median of equal samples"
    );
    let spread = Series::Real(vec![1.6e308, 1.7e308]);
    let Number::Real(middle) = compare(&spread, &spread, FIVE_PERCENT).expect("finite").now else {
        panic!("reals have a real median");
    };
    assert!((1.6e308..=1.7e308).contains(&middle), "{middle}");
    let (low, high) = (Series::Real(vec![-1.7e308]), Series::Real(vec![1.7e308]));
    let comparison = compare(&low, &high, FIVE_PERCENT).expect("finite");
    assert_eq!(
        comparison.difference,
        Number::Real(f64::MAX),
        "clamped, not infinite"
    );
    assert!(
        comparison.percent.is_none_or(f64::is_finite),
        "{comparison:?}"
    );
    let (tiny, one) = (Series::Real(vec![5e-324]), Series::Real(vec![1.0]));
    let comparison = compare(&tiny, &one, FIVE_PERCENT).expect("finite");
    assert_eq!(
        comparison.percent, None,
        "a ratio beyond all numbers is absent"
    );
}

#[test]
fn not_a_number_is_a_typed_error() {
    let good = Series::Real(vec![1.0, 2.0]);
    let bad = Series::Real(vec![1.0, f64::NAN]);
    let error = compare(&good, &bad, FIVE_PERCENT).expect_err("NaN");
    assert!(
        matches!(
            error,
            StatisticsError::NotFinite {
                side: "new",
                index: 1,
                ..
            }
        ),
        "{error}"
    );
    let error = compare(&good, &Series::Whole(vec![1]), FIVE_PERCENT).expect_err("kinds");
    assert_eq!(error, StatisticsError::Kinds, "{error}");
}

#[test]
fn bytes_beyond_double_precision_stay_whole() {
    let comparison = of(&[9_007_199_254_740_993], &[9_007_199_254_740_995]);
    assert_eq!(comparison.difference, Number::Whole(2), "{comparison:?}");
    assert_eq!(comparison.change, Change::Within, "{comparison:?}");
    let comparison = of(&[u64::MAX, u64::MAX], &[0, 0]);
    assert_eq!(
        comparison.difference,
        Number::Whole(-i128::from(u64::MAX)),
        "{comparison:?}"
    );
    assert_eq!(
        median(&[u64::MAX, u64::MAX - 2]),
        Some(u64::MAX - 1),
        "no overflow"
    );
}

#[test]
fn limit_itself_still_passes() {
    for (new, expected) in [
        (105, Change::Within),
        (106, Change::Regression),
        (95, Change::Within),
        (94, Change::Improvement),
    ] {
        assert_eq!(of(&[100], &[new]).change, expected, "100 to {new} at 5 %");
    }
    let absolute = Limit {
        relative_ppm: 50_000,
        absolute: 10,
    };
    let at = |new| compare(&Series::Whole(vec![0]), &Series::Whole(vec![new]), absolute);
    assert_eq!(
        at(10).expect("whole").change,
        Change::Within,
        "the absolute bound"
    );
    assert_eq!(
        at(11).expect("whole").change,
        Change::IncreaseFromZero,
        "above both bounds"
    );
}

#[test]
fn upper_tenths_are_samples() {
    let samples: Vec<u64> = (1..=10).rev().collect();
    assert_eq!(upper_tenths(&samples, 9), Some(9), "nine of ten");
    assert_eq!(upper_tenths(&[7], 9), Some(7), "one sample");
    assert_eq!(upper_tenths(&[], 9), None, "none");
    assert_eq!(median(&[]), None, "none");
    assert_eq!(median(&[3, 1, 2]), Some(2), "the middle");
}
