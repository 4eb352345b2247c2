//! Minima: closed forms, corners, ties, infeasible parts, counts of evaluations.
#![expect(clippy::float_cmp, reason = "ends, ties and copies are compared")]

use bifrons_roots::{
    Ends, MinimumMethod, MinimumOptions, MinimumSearch, RootError, Tolerance, minimise,
};

const METHODS: [MinimumMethod; 2] = [MinimumMethod::GoldenSection, MinimumMethod::Brent];

#[test]
fn closed_forms() {
    type Case = (&'static str, fn(f64) -> f64, f64, f64, f64);
    let cases: [Case; 6] = [
        ("parabola", |x| (x - 2.0).powi(2), -1.0, 10.0, 2.0),
        ("cosine", f64::cos, 0.0, 5.0, std::f64::consts::PI),
        ("quartic", |x| (x + 0.5).powi(4) + 1.0, -2.0, 2.0, -0.5),
        (
            "entropy",
            |x| x * x.ln(),
            0.01,
            2.0,
            0.367_879_441_171_442_33,
        ),
        ("kink", |x| (x - 0.2).abs(), -3.0, 1.0, 0.2),
        (
            "power utility",
            |c| 0.5 / c + 1.0 / (3.0 - c),
            0.1,
            2.9,
            1.242_640_687_119_285_2,
        ),
    ];
    for (name, f, left, right, exact) in cases {
        for method in METHODS {
            let options = MinimumOptions::default().with_method(method);
            let minimum = minimise(f, left, right, &options).unwrap();
            let loose = if name == "quartic" { 3e-4 } else { 5e-8 };
            assert!(
                (minimum.x - exact).abs() < loose,
                "{name} {method:?}: {minimum:?}"
            );
            assert!(
                minimum.left <= minimum.x && minimum.x <= minimum.right,
                "{minimum:?}"
            );
            assert_eq!(
                minimum.value,
                f(minimum.x),
                "{name} {method:?}: value at the point"
            );
            let reversed = minimise(f, right, left, &options).unwrap();
            assert_eq!(reversed, minimum, "order of the ends does not matter");
        }
    }
}

#[test]
fn counts_are_bounded() {
    let f = |x: f64| x.exp() - 2.0 * x;
    let golden = MinimumOptions::default()
        .with_method(MinimumMethod::GoldenSection)
        .with_tolerance(Tolerance::new(1e-6, 0.0).unwrap());
    let minimum = minimise(f, 0.0, 3.0, &golden).unwrap();
    // 0.618^n · 3 <= 1e-6
    let exact = (1e-6_f64 / 3.0).ln() / 0.618_033_988_749_894_9_f64.ln();
    assert_eq!(
        f64::from(minimum.evaluations),
        exact.ceil() + 1.0,
        "golden section"
    );
    let brent = golden.with_method(MinimumMethod::Brent);
    let minimum = minimise(f, 0.0, 3.0, &brent).unwrap();
    assert!((minimum.x - 2.0_f64.ln()).abs() < 1e-6, "{minimum:?}");
    assert!(
        minimum.evaluations <= 14,
        "Brent took {}",
        minimum.evaluations
    );
}

#[test]
fn golden_section_meets_any_tolerance() {
    let options = MinimumOptions::default()
        .with_method(MinimumMethod::GoldenSection)
        .with_tolerance(Tolerance::EXACT);
    let minimum = minimise(|x| (x - 1.0 / 3.0).abs(), 0.0, 1.0, &options).unwrap();
    assert!(
        (minimum.x - 1.0 / 3.0).abs() <= 4.0 * f64::EPSILON,
        "{minimum:?}"
    );
    assert!(minimum.evaluations < 90, "{minimum:?}");
    for method in METHODS {
        let options = options.with_method(method);
        let flat = minimise(|_| 1.0, 1.0, 2.0, &options).unwrap();
        assert!(
            flat.evaluations < 200,
            "{method:?} ends on a constant: {flat:?}"
        );
        let narrow = minimise(|x| x, 1.0, 1.0_f64.next_up(), &options).unwrap();
        assert_eq!(narrow.x, 1.0, "adjacent ends, {method:?}");
    }
}

#[test]
fn closed_ends_are_candidates() {
    for method in METHODS {
        let closed = MinimumOptions::default()
            .with_method(method)
            .with_ends(Ends::Closed);
        assert_eq!(
            minimise(|x| x, 2.0, 4.0, &closed).unwrap().x,
            2.0,
            "lower corner"
        );
        assert_eq!(
            minimise(|x| -x, 2.0, 4.0, &closed).unwrap().x,
            4.0,
            "upper corner"
        );
        assert_eq!(
            minimise(|_| 0.0, 2.0, 4.0, &closed).unwrap().x,
            2.0,
            "ties: lowest point"
        );
        let inner = minimise(|x| (x - 3.0).powi(2), 2.0, 4.0, &closed).unwrap();
        assert!((inner.x - 3.0).abs() < 1e-7, "interior minimum: {inner:?}");
        let open = MinimumOptions::default().with_method(method);
        let near = minimise(|x| x, 2.0, 4.0, &open).unwrap();
        assert!(
            near.x > 2.0 && near.x < 2.0 + 1e-7,
            "open end is approached: {near:?}"
        );
    }
}

#[test]
fn infeasible_points_are_infinite() {
    let f = |x: f64| if x > 0.4 { f64::INFINITY } else { -x };
    for method in METHODS {
        let options = MinimumOptions::default().with_method(method);
        let minimum = minimise(f, 0.0, 1.0, &options).unwrap();
        assert!(
            (minimum.x - 0.4).abs() < 1e-6 && minimum.x <= 0.4,
            "{method:?}: {minimum:?}"
        );
    }
}

#[test]
fn bad_input_is_named_and_state_is_kept() {
    let options = MinimumOptions::default();
    for (left, right) in [(1.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        let error = minimise(|x| x, left, right, &options).unwrap_err();
        assert!(matches!(error, RootError::Interval { .. }), "{error:?}");
    }
    for method in METHODS {
        let options = options.with_method(method);
        let f = |x: f64| (x - 1.0).powi(2);
        let whole = minimise(f, 0.0, 4.0, &options).unwrap();
        let mut search = MinimumSearch::new(0.0, 4.0, &options).unwrap();
        let error = search.run(f, 4).unwrap_err();
        assert!(
            matches!(error, RootError::EvaluationLimit { limit: 4, .. }),
            "{error:?}"
        );
        let at = search.next_point().unwrap();
        assert_eq!(
            search.observe(f64::NAN),
            Err(RootError::NotANumber { at }),
            "NaN refused"
        );
        assert_eq!(search.minimum(), None, "no result yet");
        assert_eq!(search.run(f, 500), Ok(whole), "{method:?} resumed");
        assert_eq!(
            search.observe(0.0),
            Err(RootError::Ended),
            "nothing was asked"
        );
    }
}
