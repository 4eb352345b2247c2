//! Roots from a guess, with and without derivatives.
#![expect(clippy::float_cmp, reason = "exact zeros and copies are compared")]

use bifrons_roots::{
    BracketExpansion, NewtonOptions, NewtonSearch, RootError, Tolerance, find_root_near, newton,
};

#[test]
fn closed_forms_from_far_guesses() {
    let free = NewtonOptions::default();
    let positive = free.with_bounds(0.0, f64::INFINITY);
    for guess in [1e-6, 0.3, 1.0, 7.0, 4e4] {
        let root = newton(|x| (x * x - 2.0, 2.0 * x), guess, &positive).unwrap();
        assert!(
            (root.x - 2.0_f64.sqrt()).abs() < 4e-16,
            "from {guess}: {root:?}"
        );
        assert!(
            root.bracket.width() <= 4.0 * f64::EPSILON * 1.5,
            "from {guess}: {root:?}"
        );
        assert!(root.evaluations < 70, "from {guess}: {}", root.evaluations);
        let near = find_root_near(|x| x * x - 2.0, guess, &positive).unwrap();
        assert!(
            (near.x - 2.0_f64.sqrt()).abs() < 4e-16,
            "from {guess}: {near:?}"
        );
    }
    for guess in [-300.0, -2.0, 0.0, 5.0, 60.0] {
        let root = newton(|x: f64| (x.exp() - 10.0, x.exp()), guess, &free).unwrap();
        assert!(
            (root.x - 10.0_f64.ln()).abs() < 1e-15,
            "exponential from {guess}: {root:?}"
        );
        let root = newton(|x: f64| (x.atan() - 1.0, 1.0 / (1.0 + x * x)), guess, &free).unwrap();
        assert!(
            (root.x - 1.0_f64.tan()).abs() < 2e-15,
            "arc tangent from {guess}: {root:?}"
        );
    }
}

#[test]
fn marginal_utilities_are_inverted_over_many_magnitudes() {
    let options = NewtonOptions::default().with_bounds(0.0, f64::INFINITY);
    let mut worst = 0_u32;
    for gamma in [0.5, 1.0, 2.0, 5.0, 10.0] {
        for exponent in -12..=12 {
            let target = 10.0_f64.powi(exponent);
            let exact = target.powf(-1.0 / gamma);
            let marginal = |c: f64| (c.powf(-gamma) - target, -gamma * c.powf(-gamma - 1.0));
            let root = newton(marginal, 1.0, &options).unwrap();
            assert!(
                (root.x / exact - 1.0).abs() < 1e-13,
                "{gamma} {target}: {} {exact}",
                root.x
            );
            worst = worst.max(root.evaluations);
        }
    }
    assert!(worst <= 120, "worst count {worst}");
}

#[test]
fn unusable_slopes_cost_speed_only() {
    for slope in [
        0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1.0,
        1e-300,
        1e300,
    ] {
        let root = newton(|x| (x * x * x - 8.0, slope), 0.5, &NewtonOptions::default()).unwrap();
        assert!((root.x - 2.0).abs() < 1e-15, "slope {slope}: {root:?}");
        assert!(
            root.evaluations < 250,
            "slope {slope}: {}",
            root.evaluations
        );
    }
}

#[test]
fn a_jump_is_bracketed() {
    let jump = |x: f64| (if x < 10.0 { -1.0 } else { 1.0 }, 0.0);
    let root = newton(jump, 0.0, &NewtonOptions::default()).unwrap();
    assert!(
        root.bracket.left().x < 10.0 && root.bracket.right().x >= 10.0,
        "{root:?}"
    );
    let exact = NewtonOptions::default().with_tolerance(Tolerance::EXACT);
    let root = newton(jump, 0.0, &exact).unwrap();
    assert_eq!(root.bracket.right().x, 10.0, "to the last bit");
}

#[test]
fn bounds_are_kept_and_reported() {
    let options = NewtonOptions::default().with_bounds(0.5, 3.0);
    let mut seen = Vec::new();
    let f = |x: f64| {
        seen.push(x);
        (x + 1.0, 1.0)
    };
    let error = newton(f, 1.0, &options).unwrap_err();
    let expected = RootError::NoSignChange {
        left: 0.5,
        left_value: 1.5,
        right: 3.0,
        right_value: 4.0,
    };
    assert_eq!(error, expected, "the whole domain was tried");
    assert!(seen.iter().all(|x| (0.5..=3.0).contains(x)), "{seen:?}");
    assert_eq!(
        find_root_near(|x| x + 1.0, 1.0, &options).unwrap_err(),
        expected,
        "the same"
    );
    // A root exactly at a bound is found.
    assert_eq!(
        newton(|x| (x - 3.0, 1.0), 1.0, &options).unwrap().x,
        3.0,
        "upper bound"
    );
    assert_eq!(
        find_root_near(|x| x - 0.5, 1.0, &options).unwrap().x,
        0.5,
        "lower bound"
    );
}

#[test]
fn no_root_at_all_ends_with_an_error() {
    let error = newton(|x| (x * x + 1.0, 2.0 * x), 3.0, &NewtonOptions::default()).unwrap_err();
    assert!(matches!(error, RootError::NoSignChange { .. }), "{error:?}");
    let error = find_root_near(|_| 1.0, 3.0, &NewtonOptions::default()).unwrap_err();
    assert!(
        matches!(
            error,
            RootError::NoSignChange {
                left_value: 1.0,
                ..
            }
        ),
        "{error:?}"
    );
    let few = NewtonOptions::default().with_max_evaluations(5);
    let error = newton(|_| (1.0, 0.0), 3.0, &few).unwrap_err();
    assert!(
        matches!(error, RootError::EvaluationLimit { limit: 5, .. }),
        "{error:?}"
    );
    let error = find_root_near(|x| x - 1e9, 3.0, &few).unwrap_err();
    assert!(
        matches!(error, RootError::EvaluationLimit { limit: 5, .. }),
        "{error:?}"
    );
}

#[test]
fn bad_input_is_named() {
    let options = NewtonOptions::default();
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = NewtonSearch::new(0.0, &options.with_step(step)).unwrap_err();
        assert!(matches!(error, RootError::Step { .. }), "{error:?}");
    }
    for (guess, lower, upper) in [
        (f64::NAN, 0.0, 1.0),
        (2.0, 0.0, 1.0),
        (0.5, 1.0, 0.0),
        (1.0, 1.0, 1.0),
    ] {
        let error = BracketExpansion::new(guess, &options.with_bounds(lower, upper)).unwrap_err();
        assert!(matches!(error, RootError::Bounds { .. }), "{error:?}");
    }
    let error = newton(|x: f64| (x.ln(), 1.0 / x), -1.0, &options).unwrap_err();
    assert_eq!(
        error,
        RootError::NotANumber { at: -1.0 },
        "the point is carried"
    );
}

#[test]
fn the_search_resumes_after_a_refused_value() {
    let mut search = NewtonSearch::new(2.0, &NewtonOptions::default()).unwrap();
    let before = search;
    assert_eq!(
        search.observe(f64::NAN, 1.0),
        Err(RootError::NotANumber { at: 2.0 }),
        "refused"
    );
    assert!(
        search.next_point() == before.next_point() && search.evaluations() == 0,
        "unchanged"
    );
    while let Some(x) = search.next_point() {
        search.observe(x.sin(), x.cos()).unwrap();
    }
    let root = search.root().unwrap();
    assert!(
        root.value.abs() < 2e-16 * root.x.abs().max(1.0),
        "a multiple of π: {root:?}"
    );
    assert_eq!(
        search.observe(0.0, 0.0),
        Err(RootError::Ended),
        "nothing was asked"
    );
}
