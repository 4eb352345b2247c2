//! Bracketed roots: closed forms, hard classics, edges of the contract, counts of evaluations.
#![expect(
    clippy::float_cmp,
    reason = "exact zeros, adjacent floats and copies are compared"
)]

use bifrons_lanes::math;
use bifrons_roots::{
    Bracket, ExactZero, Root, RootError, RootMethod, RootOptions, RootSearch, Sample, Tolerance,
    find_root,
};

const METHODS: [RootMethod; 2] = [RootMethod::Itp, RootMethod::Brent];

type Case = (&'static str, fn(f64) -> f64, f64, f64, f64);

/// Functions with a known root: (name, function, left, right, root).
fn classics() -> Vec<Case> {
    let mut all = smooth();
    all.extend(hard());
    all
}

/// Simple roots of smooth functions.
fn smooth() -> Vec<Case> {
    vec![
        (
            "square root",
            |x| x * x - 2.0,
            0.0,
            2.0,
            std::f64::consts::SQRT_2,
        ),
        (
            "logarithm",
            |x| math::exp(x) - 3.0,
            0.0,
            5.0,
            1.098_612_288_668_109_8,
        ),
        (
            "cosine",
            |x| math::cos(x) - x,
            0.0,
            1.0,
            0.739_085_133_215_160_6,
        ),
        (
            "kepler",
            |x| x - 0.9 * math::sin(x) - 0.5,
            0.0,
            3.0,
            f64::NAN,
        ),
        (
            "cubic of Wallis",
            |x| x * x * x - 2.0 * x - 5.0,
            2.0,
            3.0,
            2.094_551_481_542_326_5,
        ),
    ]
}

/// Flat, steep, multiple, discontinuous, badly scaled.
fn hard() -> Vec<Case> {
    vec![
        (
            "flat ninth power",
            |x| math::powi(x - 1.0, 9),
            -0.3,
            2.0,
            1.0,
        ),
        ("triple root", |x| math::powi(x - 0.25, 3), -1.0, 3.0, 0.25),
        (
            "infinitely flat",
            |x| {
                if x == 0.0 {
                    0.0
                } else {
                    x * math::exp(-1.0 / (x * x))
                }
            },
            -1.0,
            4.0,
            0.0,
        ),
        ("steep", |x| math::tanh(1e6 * (x - 0.3)), 0.0, 1.0, 0.3),
        (
            "steep and lopsided",
            |x| math::exp(50.0 * x) - 10.0,
            -5.0,
            5.0,
            0.046_051_701_859_880_91,
        ),
        (
            "pole nearby",
            |x| 1.0 / (x - 0.999) + 1.0,
            -5.0,
            0.998,
            -0.001,
        ),
        ("jump", |x| if x < 0.7 { -1.0 } else { 3.0 }, 0.0, 1.0, 0.7),
        ("one over x", |x| 1.0 / x, -1.0, 1.5, 0.0),
        ("huge scale", |x| 1e300 * (x - 1e10), -1e15, 1e18, 1e10),
        ("tiny scale", |x| 1e-300 * (x - 1e-10), -1.0, 1.0, 1e-10),
        (
            "half a billion",
            |x| (x - 1e9 / 2.0).signum(),
            0.0,
            1e9,
            5e8,
        ),
    ]
}

fn solve(case: &Case, method: RootMethod, tolerance: Tolerance) -> Result<Root, RootError> {
    let options = RootOptions::default()
        .with_method(method)
        .with_tolerance(tolerance);
    find_root(case.1, case.2, case.3, &options)
}

#[test]
fn classics_end_in_a_valid_bracket_around_the_root() {
    for case in classics() {
        for method in METHODS {
            for tolerance in [
                Tolerance::EXACT,
                Tolerance::ulps(4),
                Tolerance::new(1e-6, 0.0).unwrap(),
            ] {
                let root = solve(&case, method, tolerance).expect(case.0);
                let (left, right) = (root.bracket.left(), root.bracket.right());
                let exact = root.value == 0.0;
                let accepted = tolerance.width(left.x, right.x);
                let adjacent = left.x.next_up() == right.x;
                assert!(
                    exact || adjacent || root.bracket.width() <= accepted,
                    "{} with {method:?}: width {} exceeds {accepted}",
                    case.0,
                    root.bracket.width()
                );
                assert!(
                    (left.x == right.x && exact)
                        || left.value * right.value <= 0.0
                        || (left.value < 0.0) != (right.value < 0.0),
                    "{} with {method:?}: no change of sign",
                    case.0
                );
                // Where rounding makes the function zero on an interval the root is one of many.
                let flat = case.0.contains("flat") || case.0.contains("triple");
                if case.4.is_finite() && !flat {
                    let slack = accepted + 4.0 * f64::EPSILON * case.4.abs().max(1e-16);
                    assert!(
                        (root.x - case.4).abs() <= slack.max(2e-16),
                        "{} with {method:?}: {} instead of {}",
                        case.0,
                        root.x,
                        case.4
                    );
                }
            }
        }
    }
}

#[test]
fn itp_never_needs_more_than_bisection_plus_two() {
    for case in classics() {
        for width in [1e-3, 1e-6, 1e-9] {
            let tolerance = Tolerance::new(width, 0.0).unwrap();
            let root = solve(&case, RootMethod::Itp, tolerance).expect(case.0);
            let bisection = ((case.3 - case.2) / width).log2().ceil();
            let inner = f64::from(root.evaluations - 2);
            // n₀ = 2, and one more for rounding where the tolerance is near the spacing.
            let spacing = case.4.abs() * f64::EPSILON;
            let rounding = if width < 16.0 * spacing { 1.0 } else { 0.0 };
            assert!(
                inner <= bisection + 2.0 + rounding,
                "{} to {width}: {inner} evaluations, bisection needs {bisection}",
                case.0
            );
        }
    }
}

/// Evaluations at four units in the last place, ends included: (name, ITP, Brent).
/// A change of these numbers is a change of behaviour and needs a reason.
const COUNTS: [(&str, u32, u32); 16] = [
    ("square root", 9, 10),
    ("logarithm", 10, 13),
    ("cosine", 9, 9),
    ("kepler", 11, 11),
    ("cubic of Wallis", 10, 8),
    ("flat ninth power", 55, 147),
    ("triple root", 6, 143),
    ("infinitely flat", 8, 18),
    ("steep", 28, 25),
    ("steep and lopsided", 19, 18),
    ("pole nearby", 13, 13),
    ("jump", 54, 74),
    ("one over x", 1_077, 1_078),
    ("huge scale", 38, 35),
    ("tiny scale", 5, 5),
    ("half a billion", 55, 55),
];

#[test]
fn evaluation_counts_are_as_recorded() {
    let measured: Vec<_> = classics()
        .iter()
        .map(|case| {
            let count = |method| {
                solve(case, method, Tolerance::ulps(4))
                    .expect(case.0)
                    .evaluations
            };
            (case.0, count(RootMethod::Itp), count(RootMethod::Brent))
        })
        .collect();
    assert_eq!(measured, COUNTS, "recorded counts differ");
}

#[test]
fn exact_tolerance_ends_at_adjacent_numbers() {
    for method in METHODS {
        let options = RootOptions::default()
            .with_method(method)
            .with_tolerance(Tolerance::EXACT);
        let jump = |x: f64| if x < 1.0 / 3.0 { -1.0 } else { 2.0 };
        let bracket = find_root(jump, -1.0, 7.0, &options).unwrap().bracket;
        assert_eq!(
            bracket.right().x,
            1.0 / 3.0,
            "first point past the jump with {method:?}"
        );
        assert_eq!(
            bracket.left().x,
            (1.0_f64 / 3.0).next_down(),
            "last point before it"
        );
        // Also when the jump sits at zero, 2,000 halvings away.
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let bracket = find_root(sign, -1e300, 1e300, &options).unwrap().bracket;
        assert!(
            bracket.right().x == 0.0 && bracket.left().x == -5e-324,
            "{bracket:?}"
        );
    }
}

#[test]
fn zeros_at_the_ends_are_roots_without_further_evaluations() {
    for method in METHODS {
        let options = RootOptions::default().with_method(method);
        let at_left = find_root(|x| x, 0.0, 1.0, &options).unwrap();
        assert_eq!(
            (at_left.x, at_left.evaluations),
            (0.0, 2),
            "zero at the left end"
        );
        assert_eq!(at_left.bracket.width(), 0.0, "one-point bracket");
        let at_right = find_root(|x| x, -1.0, 0.0, &options).unwrap();
        assert_eq!(
            (at_right.x, at_right.evaluations),
            (0.0, 2),
            "zero at the right end"
        );
        let both = find_root(|x| x * (x - 1.0), 0.0, 1.0, &options).unwrap();
        assert_eq!(both.x, 0.0, "the left end wins");
        let negative_zero = find_root(|x| if x > 0.0 { 1.0 } else { -0.0 }, -1.0, 1.0, &options);
        assert_eq!(negative_zero.unwrap().x, -1.0, "minus zero is zero");
    }
}

#[test]
fn refining_finds_the_first_zero_of_a_plateau() {
    let plateau = |x: f64| if x < 0.3 { x - 0.3 } else { 0.0 };
    for method in METHODS {
        let options = RootOptions::default()
            .with_method(method)
            .with_exact_zero(ExactZero::Refine);
        let root = find_root(plateau, 0.0, 1.0, &options).unwrap();
        assert_eq!(
            root.bracket.right().value,
            0.0,
            "right end is at zero with {method:?}"
        );
        assert!(root.bracket.left().value < 0.0, "left end is before zero");
        assert!(
            root.bracket.width() <= 4.0 * f64::EPSILON * 0.3,
            "{method:?}: {root:?}"
        );
        assert!(
            root.evaluations < 130,
            "{method:?} took {}",
            root.evaluations
        );
        let finish = find_root(
            plateau,
            0.0,
            1.0,
            &RootOptions::default().with_method(method),
        );
        assert_eq!(
            finish.unwrap().evaluations,
            2,
            "without refining the right end is a root"
        );
    }
}

#[test]
fn a_reversed_bracket_is_searched_in_its_own_direction() {
    for method in METHODS {
        let options = RootOptions::default().with_method(method);
        let root = find_root(|t| t * t - 2.0, 2.0, 0.0, &options).unwrap();
        let (left, right) = (root.bracket.left(), root.bracket.right());
        assert!(right.x <= left.x, "time runs backwards");
        assert!(
            left.value > 0.0 && right.value <= 0.0,
            "right is at or past zero"
        );
        assert!(
            !root.bracket.is_rising(),
            "falls in the direction of travel"
        );
        // The mirrored problem visits the mirrored points.
        let mirror = find_root(|s| s * s - 2.0, -2.0, 0.0, &options).unwrap();
        assert_eq!(
            mirror.bracket.right().x.to_bits(),
            (-right.x).to_bits(),
            "{method:?}"
        );
        assert_eq!(mirror.evaluations, root.evaluations, "{method:?}");
    }
}

#[test]
fn infinite_values_are_signs() {
    for method in METHODS {
        let options = RootOptions::default().with_method(method);
        let root = find_root(|c| c.powf(-2.0) - 4.0, 0.0, 1e6, &options).unwrap();
        assert!(
            (root.x - 0.5).abs() < 1e-15,
            "marginal utility, {method:?}: {}",
            root.x
        );
        let both = |x: f64| {
            if x < 0.125 {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        };
        let bracket = find_root(both, 0.0, 1.0, &options).unwrap().bracket;
        assert_eq!(bracket.right().x, 0.125, "{method:?}");
    }
}

#[test]
fn bad_input_is_named() {
    let options = RootOptions::default();
    for (left, right) in [
        (1.0, 1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (f64::MIN, f64::MAX),
    ] {
        let error = find_root(|x| x, left, right, &options).unwrap_err();
        assert!(
            matches!(error, RootError::Interval { left: l, right: r }
                if l.to_bits() == left.to_bits() && r == right),
            "{left} to {right}: {error:?}"
        );
    }
    let same = find_root(|x| x + 5.0, 1.0, 2.0, &options).unwrap_err();
    let expected = RootError::NoSignChange {
        left: 1.0,
        left_value: 6.0,
        right: 2.0,
        right_value: 7.0,
    };
    assert_eq!(same, expected, "both values are carried");
    let nan = find_root(|x| if x == 2.0 { f64::NAN } else { x }, 1.0, 2.0, &options).unwrap_err();
    assert_eq!(
        nan,
        RootError::NotANumber { at: 2.0 },
        "the point is carried"
    );
    let text = RootError::NotANumber { at: 2.0 }.to_string();
    assert_eq!(
        text, "the function is not a number at 2; restrict the interval to its domain",
        "text"
    );
    for (kind, absolute, relative) in [
        ("absolute", -1.0, 0.0),
        ("absolute", f64::NAN, 0.0),
        ("relative", 0.0, f64::INFINITY),
    ] {
        let error = Tolerance::new(absolute, relative).unwrap_err();
        assert!(
            matches!(error, RootError::Tolerance { kind: k, .. } if k == kind),
            "{error:?}"
        );
    }
}

#[test]
fn a_search_can_be_interrupted_stored_and_resumed() {
    let f = |x: f64| x.exp() - 3.0;
    for method in METHODS {
        let options = RootOptions::default().with_method(method);
        let bracket = Bracket::new(Sample::new(0.0, f(0.0)), Sample::new(5.0, f(5.0))).unwrap();
        let whole = RootSearch::new(bracket, &options).run(f, 1000).unwrap();
        let mut search = RootSearch::new(bracket, &options);
        let error = search.run(f, 3).unwrap_err();
        assert!(
            matches!(error, RootError::EvaluationLimit { limit: 3, left, right }
                if left == search.bracket().left().x && right == search.bracket().right().x),
            "{error:?}"
        );
        // NaN leaves the state as it was.
        let before = search;
        assert!(search.observe(f64::NAN).is_err(), "NaN is refused");
        assert_eq!(search, before, "state is unchanged");
        let mut copy = search;
        let resumed = copy.run(f, 1000).unwrap();
        assert_eq!(resumed, whole, "{method:?} resumed from a copy");
        assert_eq!(
            copy.observe(1.0),
            Err(RootError::Ended),
            "nothing was asked"
        );
        assert_eq!(copy.root(), Some(whole), "the result stays available");
        assert_eq!(search.root(), None, "the interrupted search has no result");
    }
}

#[test]
fn a_zero_crossing_in_time_is_located_to_four_units_in_the_last_place() {
    // A guard on a cubic, as on dense output, far from t = 0.
    let t0 = 1e5;
    let guard = |t: f64| {
        let s = t - t0;
        s * (s * (0.3 * s - 1.1) + 0.7) - 0.05
    };
    for method in METHODS {
        let options = RootOptions::default().with_method(method);
        let root = find_root(guard, t0, t0 + 0.3, &options).unwrap();
        let ulp = t0.next_up() - t0;
        assert!(
            root.bracket.width() <= 4.0 * ulp,
            "{method:?}: {}",
            root.bracket.width()
        );
        assert!(
            root.bracket.right().value >= 0.0,
            "the guard has fired at the right end"
        );
        assert!(root.evaluations <= 11, "{method:?}: {}", root.evaluations);
    }
}

#[test]
fn searches_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Copy + std::fmt::Debug>() {}
    shared::<RootSearch>();
    shared::<bifrons_roots::MinimumSearch>();
    shared::<bifrons_roots::NewtonSearch>();
    shared::<RootError>();
    assert!(
        size_of::<RootSearch>() <= 256,
        "small enough to store one per member"
    );
}
