//! Infinite values, NaN and extreme numbers in one-dimensional interpolants.
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "exact numbers; broken input stops"
)]

use bifrons_grids::{
    Categorical, Extrapolation, FitError, Interpolant, Knots, LengthError, Linear, Method,
    ReadError, SlopeLimit, SlopeRule, estimate_slopes_into,
};

const INF: f64 = f64::INFINITY;
const CUBIC: Method = Method::MonotoneCubic(SlopeRule::Harmonic);
const UTILITY: Method = Method::InverseUtility { risk_aversion: 2.0 };

/// `(value, slope)` by the scalar read, checked against the sorted one.
fn at(curve: &Interpolant, x: f64) -> (f64, f64) {
    let reading = curve.read(x).unwrap();
    let (mut value, mut slope) = ([0.0], [0.0]);
    curve.read_sorted(&[x], &mut value, &mut slope).unwrap();
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    assert!(same(value[0], reading.value), "value paths at {x}");
    assert!(same(slope[0], reading.slope), "slope paths at {x}");
    (reading.value, reading.slope)
}

#[test]
fn an_infinite_value_fills_the_inside_of_its_cells() {
    let x = [0.0, 1.0, 2.0, 3.0, 4.0];
    let y = [-1.0, -INF, -3.0, -2.0, -1.0];
    for method in [Method::Linear, CUBIC, UTILITY] {
        let curve = Interpolant::new(method, &x, &y, Extrapolation::Linear).unwrap();
        assert_eq!(at(&curve, 0.0).0, -1.0, "{method:?}: finite end");
        assert_eq!(at(&curve, 0.5), (-INF, 0.0), "{method:?}: left cell");
        assert_eq!(at(&curve, 1.0), (-INF, 0.0), "{method:?}: the node");
        assert_eq!(at(&curve, 1.5), (-INF, 0.0), "{method:?}: right cell");
        assert_eq!(at(&curve, 2.0).0, -3.0, "{method:?}: other finite end");
        assert!(at(&curve, 2.5).0.is_finite(), "{method:?}: next cell");
        assert_eq!(
            at(&curve, -1.0),
            (-1.0, 0.0),
            "{method:?}: below, the end goes on"
        );
        assert_eq!(
            curve.read_left(2.0).unwrap().value,
            -3.0,
            "{method:?}: left limit"
        );
        assert_eq!(
            curve.read_left(2.0).unwrap().slope,
            0.0,
            "{method:?}: left slope"
        );
    }
}

#[test]
fn infinite_ends_go_on_outside() {
    for method in [Method::Linear, CUBIC, UTILITY] {
        let fit = |y: &[f64; 3]| {
            Interpolant::new(method, &[0.0, 1.0, 2.0], y, Extrapolation::Linear).unwrap()
        };
        assert_eq!(
            at(&fit(&[-INF, -2.0, -1.0]), -1.0),
            (-INF, 0.0),
            "{method:?} below"
        );
        assert_eq!(
            at(&fit(&[-2.0, -1.0, -INF]), 3.0),
            (-INF, 0.0),
            "{method:?} above"
        );
        assert_eq!(
            at(&fit(&[-2.0, -INF, -1.0]), 3.0),
            (-1.0, 0.0),
            "{method:?} finite end"
        );
    }
}

#[test]
fn nan_values_and_opposite_infinities_make_the_inside_nan() {
    for method in [Method::Linear, CUBIC, UTILITY] {
        for y in [
            [-1.0, f64::NAN, -1.0],
            [-INF, INF, -1.0],
            [f64::NAN, -INF, -1.0],
        ] {
            let curve =
                Interpolant::new(method, &[0.0, 1.0, 2.0], &y, Extrapolation::Clamp).unwrap();
            let (value, slope) = at(&curve, 0.5);
            assert!(value.is_nan() && slope.is_nan(), "{method:?} {y:?} inside");
            let stored = at(&curve, 0.0).0;
            let same = stored == y[0] || (stored.is_nan() && y[0].is_nan());
            assert!(same, "{method:?} {y:?}: the stored value {stored}");
            assert_eq!(at(&curve, 2.0).0, -1.0, "{method:?} {y:?}: last node");
        }
    }
}

#[test]
fn a_nan_query_gives_nan_value_and_slope() {
    for method in [Method::Linear, CUBIC, UTILITY] {
        for policy in [Extrapolation::Clamp, Extrapolation::Linear] {
            let curve = Interpolant::new(method, &[0.0, 1.0], &[-2.0, -1.0], policy).unwrap();
            let (value, slope) = at(&curve, f64::NAN);
            assert!(value.is_nan() && slope.is_nan(), "{method:?} {policy:?}");
        }
    }
}

#[test]
fn infinite_queries_under_linear_extrapolation_are_far_away() {
    for method in [Method::Linear, CUBIC] {
        let fit = |y| Interpolant::new(method, &[0.0, 1.0], y, Extrapolation::Linear).unwrap();
        assert_eq!(at(&fit(&[0.0, 3.0]), INF), (INF, 0.0), "{method:?} rising");
        assert_eq!(
            at(&fit(&[0.0, 1.0]), -INF),
            (-f64::MAX, 0.0),
            "{method:?} unit slope"
        );
        assert_eq!(at(&fit(&[5.0, 5.0]), INF), (5.0, 0.0), "{method:?} level");
    }
}

#[test]
fn negative_zero_is_kept() {
    for method in [Method::Linear, CUBIC] {
        let curve =
            Interpolant::new(method, &[-1.0, 0.0, 1.0], &[-0.0; 3], Extrapolation::Clamp).unwrap();
        assert!(at(&curve, 0.0).0.is_sign_negative(), "{method:?}");
        assert!(at(&curve, -0.0).0.is_sign_negative(), "{method:?} at -0");
    }
}

#[test]
fn overflowing_secants_are_refused() {
    let found = Interpolant::new(
        Method::Linear,
        &[0.0, 1.0, 2.0],
        &[0.0, 1.7e308, -1.7e308],
        Extrapolation::Clamp,
    );
    assert_eq!(
        found.unwrap_err(),
        FitError::SecantOverflow { index: 1 },
        "values"
    );
    let narrow = [0.0, f64::MIN_POSITIVE];
    let found = Interpolant::new(CUBIC, &narrow, &[0.0, 1e300], Extrapolation::Clamp);
    assert_eq!(
        found.unwrap_err(),
        FitError::SecantOverflow { index: 0 },
        "nodes"
    );
}

#[test]
fn curvature_that_overflows_leaves_a_straight_cell() {
    let x = [0.0, 1e-200, 1.0];
    let curve = Interpolant::new(CUBIC, &x, &[0.0, 1e-100, 1.0], Extrapolation::Clamp).unwrap();
    let (value, slope) = at(&curve, 5e-201);
    assert!(value > 0.0 && value < 1e-100, "value {value:e}");
    assert!(slope.is_finite() && slope >= 0.0, "slope {slope:e}");
}

#[test]
fn slopes_that_are_not_finite_or_oppose_the_secant_make_a_cell_straight() {
    let (x, y) = ([0.0, 1.0, 2.0], [0.0, 1.0, 3.0]);
    for bad in [f64::NAN, INF, -1.0] {
        let slopes = [1.0, bad, 2.0];
        let limit = SlopeLimit::Monotone;
        let curve = Interpolant::with_slopes(limit, &x, &y, &slopes, Extrapolation::Clamp).unwrap();
        assert_eq!(at(&curve, 0.5), (0.5, 1.0), "{bad} on the right");
        assert_eq!(at(&curve, 1.5), (2.0, 2.0), "{bad} on the left");
    }
}

#[test]
fn steep_slopes_are_scaled_into_the_circle_for_their_cell_only() {
    let (x, y) = ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]);
    let slopes = [1.0, 4.0, 3.0];
    let limit = SlopeLimit::Monotone;
    let curve = Interpolant::with_slopes(limit, &x, &y, &slopes, Extrapolation::Clamp).unwrap();
    let scale = 3.0 / 17.0_f64.sqrt();
    assert!(
        (curve.read_left(1.0).unwrap().slope - 4.0 * scale).abs() < 1e-14,
        "left cell"
    );
    assert!((at(&curve, 1.0).1 - 2.4).abs() < 1e-14, "right cell");
    assert_eq!(at(&curve, 0.0).1, scale, "first node");
}

#[test]
fn values_outside_the_range_of_utility_are_refused() {
    let fit = |risk_aversion, y: &[f64; 2]| {
        let method = Method::InverseUtility { risk_aversion };
        Interpolant::new(method, &[0.0, 1.0], y, Extrapolation::Clamp).map(|_| ())
    };
    for (risk_aversion, y) in [(2.0, [-1.0, 0.0]), (0.5, [0.0, -1.0]), (1.0, [0.0, 1e6])] {
        let expected = FitError::OutsideUtilityRange {
            index: 1,
            value: y[1],
            risk_aversion,
        };
        assert_eq!(fit(risk_aversion, &y), Err(expected), "γ = {risk_aversion}");
    }
    assert_eq!(fit(0.5, &[0.0, 1.0]), Ok(()), "utility of zero");
    let found = fit(f64::NAN, &[0.0, 1.0]);
    assert!(
        matches!(found, Err(FitError::RiskAversion { .. })),
        "γ is NaN"
    );
}

#[test]
fn inverse_utility_stops_at_zero() {
    let method = Method::InverseUtility { risk_aversion: 0.5 };
    let curve = Interpolant::new(method, &[1.0, 2.0], &[2.0, 4.0], Extrapolation::Linear).unwrap();
    // y = 1 and 4, hence zero at x = 2/3.
    assert_eq!(at(&curve, 0.5), (0.0, 0.0), "below zero");
    let curve =
        Interpolant::new(UTILITY, &[1.0, 2.0], &[-1.0, -0.5], Extrapolation::Linear).unwrap();
    assert_eq!(at(&curve, -1.0), (-INF, 0.0), "utility without a floor");
}

#[test]
fn misuse_is_told() {
    let health = Categorical::unordered(["a", "b"]).unwrap();
    let found = Interpolant::new(Method::Linear, &health, &[0.0; 2], Extrapolation::Clamp);
    assert_eq!(
        found.unwrap_err(),
        FitError::Categorical { count: 2 },
        "categories"
    );
    let hermite = Method::Hermite(SlopeLimit::Monotone);
    let found = Interpolant::new(hermite, &[0.0, 1.0], &[0.0; 2], Extrapolation::Clamp);
    assert_eq!(found.unwrap_err(), FitError::SlopesMissing, "no slopes");
    let mut curve = Interpolant::new(CUBIC, &[0.0, 1.0], &[0.0; 2], Extrapolation::Clamp).unwrap();
    let found = curve.refit_with_slopes(&[0.0, 1.0], &[0.0; 2], &[0.0; 2]);
    assert_eq!(found, Err(FitError::SlopesUnused), "slopes");
    let mut slopes = [0.0; 3];
    let found = estimate_slopes_into(SlopeRule::Harmonic, &[0.0, 1.0], &[0.0; 2], &mut slopes);
    let length = LengthError {
        what: "slopes",
        expected: 2,
        found: 3,
    };
    assert_eq!(found, Err(FitError::Length(length)), "length");
}

#[test]
fn reads_check_their_slices() {
    let curve =
        Interpolant::new(Method::Linear, &[0.0, 1.0], &[0.0; 2], Extrapolation::Clamp).unwrap();
    let (mut v, mut s) = ([0.0; 3], [0.0; 3]);
    let unsorted = ReadError::Unsorted {
        index: 2,
        previous: 1.0,
        query: 0.5,
    };
    assert_eq!(
        curve.read_sorted(&[0.0, 1.0, 0.5], &mut v, &mut s),
        Err(unsorted),
        "order"
    );
    let found = curve.read_sorted(&[0.0, f64::NAN, 0.5], &mut v, &mut s);
    assert!(
        matches!(found, Err(ReadError::Unsorted { index: 2, .. })),
        "NaN in the middle"
    );
    let length = LengthError {
        what: "values",
        expected: 2,
        found: 3,
    };
    let found = curve.read_sorted(&[0.0, 0.5], &mut v, &mut s[..2]);
    assert_eq!(found, Err(ReadError::Length(length)), "values");
    let rank = ReadError::Rank {
        index: 1,
        rank: 3,
        most: 2,
    };
    let found = curve.read_located(&[0, 3, 0], &[0.0; 3], &mut v, &mut s);
    assert_eq!(found, Err(rank), "rank");
    let axis = Linear::new(0.0, 1.0, 3).unwrap();
    let found = curve.read_on(&axis, &[0.0; 3], &mut v, &mut s);
    assert!(
        matches!(found, Err(ReadError::Length(e)) if e.what == "axis"),
        "another axis"
    );
    let none: Result<(), ReadError> = curve.read_sorted(&[], &mut [], &mut []);
    assert_eq!(none, Ok(()), "no query");
}

#[test]
fn a_jump_at_an_end_has_its_limits() {
    let x = [0.0, 0.0, 1.0, 1.0];
    let knots = Knots::with_pairs(&x);
    let y = [-5.0, 0.0, 1.0, 7.0];
    for method in [Method::Linear, CUBIC] {
        let curve = Interpolant::new(method, knots, &y, Extrapolation::Clamp).unwrap();
        assert_eq!(at(&curve, -1.0), (-5.0, 0.0), "{method:?} below");
        assert_eq!(at(&curve, 0.0), (0.0, 1.0), "{method:?} first node");
        assert_eq!(
            curve.read_left(0.0).unwrap().value,
            -5.0,
            "{method:?} left of it"
        );
        assert_eq!(at(&curve, 1.0).0, 7.0, "{method:?} last node");
        assert_eq!(
            curve.read_left(1.0).unwrap().value,
            1.0,
            "{method:?} left of it"
        );
    }
}
