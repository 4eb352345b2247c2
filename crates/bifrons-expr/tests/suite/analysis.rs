//! Enclosures, shapes, inverses and breakpoints.

use crate::generator::{Family, bits, expressions, index};
use bifrons_expr::{Expr, Interval, Monotonicity, Smoothness, Symbol};
use proptest::prelude::*;

fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

fn x() -> Symbol {
    Symbol::new("x")
}

proptest! {
    #[test]
    fn values_are_inside_their_enclosure(
        e in expressions(Family::All, 20),
        ends in prop::array::uniform7((-3.0_f64..3.0, 0.0_f64..2.0)),
        shares in prop::collection::vec(prop::array::uniform7(0.0_f64..1.0), 20),
    ) {
        let range = |i: usize| Interval::new(ends[i].0, ends[i].0 + ends[i].1);
        let bounds = e.interval(&mut |s| index(s).map(range)).expect("known symbols");
        for share in &shares {
            let point = |i: usize| (ends[i].0 + share[i] * ends[i].1).min(range(i).high());
            let value = e.evaluate(&mut |s| index(s).map(point)).expect("known symbols");
            prop_assert!(bounds.contains(value), "{}: {} not in {:?}", e, value, bounds);
        }
    }

    #[test]
    fn proved_monotonicity_is_seen_in_samples(
        e in expressions(Family::All, 10),
        low in -2.0_f64..2.0,
        others in prop::array::uniform7(0.1_f64..2.0),
    ) {
        let range = |s: &Symbol| {
            let point = Interval::point(others[index(s)?]);
            Some(if *s == x() { Interval::new(low, low + 1.0) } else { point })
        };
        let verdict = e.monotone(&x(), &mut |s| range(s)).expect("known symbols");
        let at = |share: f64| {
            let moved = |s: &Symbol| if *s == x() { Some(low + share) } else { Some(others[index(s)?]) };
            e.evaluate(&mut |s| moved(s)).expect("known symbols")
        };
        for k in 0..200_u32 {
            let (a, b) = (at(f64::from(k) / 200.0), at(f64::from(k + 1) / 200.0));
            let room = 1e-9 * (1.0 + a.abs().max(b.abs()));
            let fits = match verdict {
                Monotonicity::Increasing | Monotonicity::Nondecreasing => b >= a - room,
                Monotonicity::Decreasing | Monotonicity::Nonincreasing => b <= a + room,
                Monotonicity::Constant => bits(a) == bits(b) || (a - b).abs() <= room,
                _ => true,
            };
            prop_assert!(fits, "{} is not {:?}: {} {}", e, verdict, a, b);
        }
    }

    #[test]
    fn breakpoints_of_a_scan_are_found(
        slopes in prop::array::uniform6(-3_i32..4),
        offsets in prop::array::uniform6(-20_i32..20),
        shape in 0..6_usize,
    ) {
        let line = |i: usize| {
            Expr::constant(f64::from(slopes[i])) * Expr::symbol("x") + f64::from(offsets[i]) / 4.0
        };
        let l = |i: usize| line(i);
        let e = match shape {
            0 => l(0).max(l(1)) + l(2).min(l(3)),
            1 => l(0).max(l(1).min(l(2))),
            2 => Expr::select(l(0).lt(l(1)), l(2), l(3)) - l(4).abs(),
            3 => Expr::select(l(0).max(l(1)).le(l(2)), l(3).abs(), l(4)),
            4 => l(0).clamp(-1.0, 2.0).max(l(1)) * 2.0,
            _ => Expr::select(l(0).gt(0.0).and(&l(1).le(0.0)), l(2), l(3).max(l(4))),
        };
        let pieces = e.pieces_along(&x());
        prop_assert!(pieces.unresolved().is_empty(), "{}", e);
        let (low, high) = (-11.013, 11.017);
        let found = pieces.locate(low, high, &mut |_| None).expect("x only");
        let at = |x: f64| e.evaluate(&mut |_| Some(x)).expect("x only");
        let mut ends: Vec<f64> = found.iter().map(|point| point.at).collect();
        ends.insert(0, low);
        ends.push(high);
        // Between breakpoints the expression is a straight line; beside them it tends to the limits.
        for (k, pair) in ends.windows(2).enumerate() {
            let [a, b] = [pair[0], pair[1]];
            if b - a < 1e-9 {
                continue;
            }
            let inner = |share: f64| at(a + share * (b - a));
            let (first, second) = (inner(0.25), inner(0.75));
            for share in [0.01, 0.1, 0.4, 0.6, 0.9, 0.99] {
                let line = first + (second - first) * 2.0 * (share - 0.25);
                prop_assert!((inner(share) - line).abs() < 1e-8, "{} bends in {}..{}", e, a, b);
            }
            let (start, end) = (first - 0.5 * (second - first), second + 0.5 * (second - first));
            if k > 0 {
                prop_assert!((found[k - 1].right - start).abs() < 1e-7, "{} right of {}", e, a);
            }
            if k + 1 < ends.len() - 1 {
                prop_assert!((found[k].left - end).abs() < 1e-7, "{} left of {}", e, b);
            }
        }
        for point in &found {
            prop_assert_eq!(point.value, at(point.at), "{} at {}", e, point.at);
        }
    }

    #[test]
    fn inverses_undo_their_expression(value in 0.05_f64..4.0, a in 1.2_f64..3.0, b in 0.2_f64..2.0) {
        let cases = [
            "a*x + b", "b - x/a", "(1 - b)*(x + a) + a*x", "x^3", "x^2 - a", "x^-1", "x^-2 * a",
            "pow(x, -a)", "b * pow(x, -a) + 1", "(pow(x, 1 - a) - 1)/(1 - a)", "exp(-a*x)",
            "ln(a + x)", "exp_m1(x/a)", "ln_1p(a*x)", "sqrt(x + b)", "tanh(a*x/8)", "sinh(x - b)",
            "pow(a, x)", "a / (b + x)", "-(x - a)^5", "no_event(2*x)",
        ];
        for text in cases {
            let e = parse(text);
            let point = |s: &Symbol| match s.name() {
                "x" => Some(value),
                "a" => Some(a),
                "b" => Some(b),
                _ => None,
            };
            let inverse = e.inverse(&x(), &Symbol::new("y")).expect(text);
            if !inverse.assumptions.iter().all(|c| c.evaluate(&mut |s| point(s)).expect(text)) {
                continue;
            }
            let y = e.evaluate(&mut |s| point(s)).expect(text);
            let slope = e.derivative(&x()).evaluate(&mut |s| point(s)).expect(text);
            let back = inverse
                .expr
                .evaluate(&mut |s| if s.name() == "y" { Some(y) } else { point(s) })
                .expect(text);
            // Round-off of y moves x by its size over the slope, however exact the inverse is.
            let condition = 1.0 + (y.abs() + a + b + 1.0) / (value * slope.abs());
            let error = (back - value).abs() / value;
            prop_assert!(error < 16.0 * f64::EPSILON * condition, "{} at {}: {}", text, value, back);
        }
    }
}

#[test]
fn enclosures_of_single_operations_are_tight() {
    let bounds = |text: &str, low: f64, high: f64| {
        let bounds = parse(text)
            .interval(&mut |_| Some(Interval::new(low, high)))
            .expect("x");
        (bounds.low(), bounds.high(), bounds.may_be_nan())
    };
    let near = |text: &str, low: f64, high: f64, expected: (f64, f64, bool)| {
        let (a, b, nan) = bounds(text, low, high);
        let close = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-13 || found == wanted;
        assert!(
            close(a, expected.0) && close(b, expected.1),
            "{text}: {a} {b}"
        );
        assert_eq!(nan, expected.2, "{text}");
    };
    near("x^2", -1.0, 2.0, (0.0, 4.0, false));
    near("x^3", -1.0, 2.0, (-1.0, 8.0, false));
    near("x*x", 0.0, 2.0, (0.0, 4.0, false));
    near("sqrt(x)", -1.0, 4.0, (0.0, 2.0, true));
    near("sin(x)", 0.0, 3.0, (0.0, 1.0, false));
    near("cos(x)", 3.0, 4.0, (-1.0, 4.0_f64.cos(), false));
    near("abs(x)", -3.0, 1.0, (0.0, 3.0, false));
    near("1/x", 1.0, 2.0, (0.5, 1.0, false));
    near("1/x", -1.0, 2.0, (f64::NEG_INFINITY, f64::INFINITY, false));
    near("if x > 3 then x else -x", 4.0, 5.0, (4.0, 5.0, false));
    near("modulo(x, 10)", 2.0, 3.0, (2.0, 3.0, false));
    near(
        "tan(x)",
        1.0,
        2.0,
        (f64::NEG_INFINITY, f64::INFINITY, false),
    );
    near("ln(x)", 0.0, 1.0, (f64::NEG_INFINITY, 0.0, false));
}

#[test]
fn smoothness_names_the_part_that_breaks_it() {
    assert_eq!(
        parse("exp(x) / (1 + x^2)").smoothness(),
        Smoothness::Proved,
        "smooth"
    );
    let broken = |by: &str| Smoothness::Broken { by: parse(by) };
    assert_eq!(
        parse("1 + max(x, 0) * y").smoothness(),
        broken("max(x, 0)"),
        "inner part"
    );
    assert_eq!(parse("abs(x)").smoothness(), broken("abs(x)"), "the whole");
}

#[test]
fn monotonicity_is_proved_or_refuted() {
    let moves = |text: &str, low: f64, high: f64| {
        parse(text)
            .monotone(&x(), &mut |_| Some(Interval::new(low, high)))
            .expect("x")
    };
    assert_eq!(
        moves("exp(x)", -1.0, 1.0),
        Monotonicity::Increasing,
        "exponential"
    );
    assert_eq!(
        moves("-x^3 - x", -1.0, 1.0),
        Monotonicity::Decreasing,
        "cubic"
    );
    assert_eq!(
        moves("max(x, 0)", -1.0, 1.0),
        Monotonicity::Nondecreasing,
        "flat, then up"
    );
    assert_eq!(
        moves("min(-x, 0)", -1.0, 1.0),
        Monotonicity::Nonincreasing,
        "flat, then down"
    );
    assert_eq!(
        moves("sin(x)", 0.0, 3.0),
        Monotonicity::NotMonotone,
        "up and down"
    );
    assert_eq!(
        moves("if x > 0 then x else x + 1", -1.0, 1.0),
        Monotonicity::Unknown,
        "a jump"
    );
    assert_eq!(moves("1/x", -1.0, 1.0), Monotonicity::Unknown, "a pole");
    assert_eq!(
        moves("y + 2", -1.0, 1.0),
        Monotonicity::Constant,
        "free of x"
    );
}

#[test]
fn what_has_no_closed_inverse_is_refused() {
    for text in ["x + sin(x)", "x * exp(x)", "sin(x)", "y", "0 * x"] {
        assert!(
            parse(text).inverse(&x(), &Symbol::new("v")).is_none(),
            "{text}"
        );
    }
}

#[test]
fn breakpoints_are_expressions_of_the_other_symbols() {
    let benefit = parse("if w < a then b else max(0, b - taper*(w - a))");
    let pieces = benefit.pieces_along(&Symbol::new("w"));
    let mut others = |s: &Symbol| match s.name() {
        "a" => Some(10.0),
        "b" => Some(5.0),
        "taper" => Some(0.5),
        _ => None,
    };
    let found = pieces
        .locate(0.0, 100.0, &mut others)
        .expect("known symbols");
    let at: Vec<f64> = found.iter().map(|point| point.at).collect();
    assert_eq!(at, [10.0, 20.0], "start and end of the taper");
    assert_eq!((found[0].left, found[0].right), (5.0, 5.0), "continuous");
    let stairs = parse("floor(x) + sign(x - 2)").pieces_along(&x());
    assert_eq!(stairs.unresolved().len(), 1, "infinitely many steps");
    let jump = stairs.locate(0.5, 2.5, &mut |_| None).expect("x only");
    assert_eq!(
        (jump[0].left, jump[0].value, jump[0].right),
        (0.0, 2.0, 3.0),
        "both limits"
    );
}
