//! Switching surfaces.

use crate::generator::{Family, expressions, index};
use bifrons_expr::{Crossing, Evidence, Expr, Owner, Switch, SwitchKind};
use proptest::prelude::*;

fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

fn summary(switch: &Switch) -> (String, Owner, SwitchKind, Evidence, String) {
    let Switch {
        surface,
        owner,
        kind,
        evidence,
        live,
        ..
    } = switch;
    (
        surface.to_string(),
        *owner,
        *kind,
        *evidence,
        live.to_string(),
    )
}

fn only(text: &str) -> (String, Owner, SwitchKind, Evidence, String) {
    let switches = parse(text).switches();
    assert_eq!(switches.visible.len(), 1, "{text}: {switches:?}");
    assert_eq!(switches.hidden.len(), 0, "{text}: {switches:?}");
    summary(&switches.visible[0])
}

#[test]
fn every_operation_has_its_surface() {
    use Evidence::Proved;
    use Owner::{Above, Below, Itself};
    use SwitchKind::{Jump, Kink};
    let cases = [
        ("abs(x)", "x", Above, Kink),
        ("sign(x - 1)", "x - 1", Itself, Jump),
        ("max(x, y)", "x - y", Above, Kink),
        ("max(0, x)", "x", Below, Kink),
        ("min(x, y)", "x - y", Below, Kink),
        ("floor(x)", "x", Above, Jump),
        ("ceil(x)", "x", Below, Jump),
        ("modulo(x, 2)", "x / 2", Above, Jump),
        ("if x < 1 then 0 else x - 1", "x - 1", Above, Kink),
        ("if x <= 1 then 0 else x", "x - 1", Below, Jump),
        ("if x > 1 then 2 else 3", "x - 1", Below, Jump),
        ("if 1 <= x then 2*x else 1 + x", "x - 1", Above, Kink),
        ("if x == 1 then 0 else 5", "x - 1", Itself, Jump),
        ("if a*x < b then a*x*y else b*y", "a * x - b", Above, Kink),
        ("if x*x < 4 then 1 else 2", "x * x - 4", Above, Jump),
    ];
    for (text, surface, owner, kind) in cases {
        let expected = (
            surface.to_owned(),
            owner,
            kind,
            Proved,
            String::from("true"),
        );
        assert_eq!(only(text), expected, "{text}");
    }
    assert_eq!(
        parse("floor(x)").switches().visible[0].crossing,
        Crossing::Integers,
        "floor"
    );
    assert_eq!(
        parse("abs(x)").switches().visible[0].crossing,
        Crossing::Zero,
        "abs"
    );
}

#[test]
fn what_algebra_cannot_decide_is_checked_at_points() {
    let (_, _, kind, evidence, _) = only("if x*x < 4 then x*x else 4");
    assert_eq!(
        (kind, evidence),
        (SwitchKind::Kink, Evidence::Checked),
        "agree on a circle"
    );
    let (_, _, kind, evidence, _) = only("if exp(x) < 2 then x else 2 * x");
    assert_eq!(
        (kind, evidence),
        (SwitchKind::Jump, Evidence::Checked),
        "differ"
    );
    let (_, _, kind, evidence, _) = only("if x*x + y*y < 1 then sqrt(1 - x*x) else sqrt(y^2)");
    assert_eq!(
        (kind, evidence),
        (SwitchKind::Kink, Evidence::Checked),
        "agree on a circle"
    );
    let (_, _, kind, _, _) = only("if x*x < -1 then 1 else x");
    assert_eq!(kind, SwitchKind::Unknown, "no point on the surface");
}

#[test]
fn surfaces_in_branches_are_live_where_the_branch_is_taken() {
    let e = parse("if x < 0 then abs(y) else if y < 1 then 2 else y + 1");
    let found: Vec<_> = e.switches().visible.iter().map(summary).collect();
    let live = |surface: &str| {
        let switch = found.iter().find(|switch| switch.0 == surface);
        switch.map(|switch| switch.4.clone()).expect("a surface")
    };
    assert_eq!(live("x"), "true", "the outer choice");
    assert_eq!(live("y"), "x < 0", "then branch");
    assert_eq!(live("y - 1"), "not (x < 0)", "else branch");

    let e = parse("max(floor(x), y)");
    let found = e.switches();
    let inner = found
        .visible
        .iter()
        .find(|switch| switch.crossing == Crossing::Integers);
    assert_eq!(
        inner.expect("floor").live.to_string(),
        "not (y > floor(x))",
        "first operand"
    );
}

#[test]
fn only_decisive_parts_of_a_condition_are_examined() {
    // The value jumps at x = 0 only where y > 0; at y = 0 it always jumps by x.
    let e = parse("if x > 0 and y > 0 then x else 0");
    let found = e.switches().visible;
    assert_eq!(found.len(), 2, "two surfaces");
    assert_eq!(found[0].kind, SwitchKind::Kink, "x against 0 at x = 0");
    assert_eq!(found[1].kind, SwitchKind::Jump, "x against 0 at y = 0");
}

#[test]
fn equal_surfaces_are_listed_once_with_the_worst_kind() {
    let e = parse("(if x < y then x else y) + (if x < y then 1 else 2) + max(x, y) + min(y, x)");
    let found: Vec<_> = e.switches().visible.iter().map(summary).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].2, SwitchKind::Jump, "the second choice jumps");
}

#[test]
fn no_event_hides_surfaces_and_reports_them() {
    let switches = parse("no_event(abs(x)) + sign(y)").switches();
    let names = |list: &[Switch]| {
        list.iter()
            .map(|s| s.surface.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&switches.visible), ["y"], "visible");
    assert_eq!(names(&switches.hidden), ["x"], "hidden");
}

#[test]
fn many_nested_choices_take_bounded_time() {
    let x = Expr::symbol("x");
    let staircase = (0..150).fold(x.clone(), |e, i| {
        Expr::select(x.lt(f64::from(i)), e, f64::from(i) * &x)
    });
    let switches = staircase.switches();
    assert_eq!(switches.visible.len(), 150, "one surface per choice");
    assert_eq!(
        switches.visible[0].live.to_string(),
        "true",
        "the outermost choice"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn between_two_points_without_a_crossing_nothing_jumps(
        e in expressions(Family::All, 14),
        point in prop::array::uniform7(-2.0_f64..2.0),
        step in -0.4_f64..0.4,
    ) {
        // Walk along x in small steps. Wherever the value jumps, a surface must be crossed.
        const STEPS: u32 = 400;
        let at = |e: &Expr, x: f64| {
            e.evaluate(&mut |s| index(s).map(|i| if i == 3 { x } else { point[i] })).expect("known")
        };
        let switches = e.switches();
        let surfaces: Vec<_> = switches.visible.iter().chain(&switches.hidden).collect();
        let slope = e.derivative(&"x".into());
        let x = |k: u32| point[3] + step * f64::from(k) / f64::from(STEPS);
        for k in 1..=STEPS {
            let (a, b) = (x(k - 1), x(k));
            let (before, after) = (at(&e, a), at(&e, b));
            let steep = at(&slope, a).abs().max(at(&slope, b).abs());
            let jump = (after - before).abs() > 1e3 * (steep + 1.0) * (b - a).abs() + 1e-3 * (1.0 + before.abs());
            if !(jump && steep.is_finite() && before.abs() < 1e6 && after.abs() < 1e6) {
                continue;
            }
            let crossed = surfaces.iter().any(|s| {
                let (ga, gb) = (at(&s.surface, a), at(&s.surface, b));
                match s.crossing {
                    Crossing::Integers => ga.floor() != gb.floor() || ga.ceil() != gb.ceil(),
                    _ => ga * gb <= 0.0 || ga.is_nan() || gb.is_nan(),
                }
            });
            // Poles are no surfaces: the value passes through infinity.
            let middle = at(&e, 0.5 * (a + b));
            let pole = middle.abs() > 10.0 * before.abs().max(after.abs()) || before * after < 0.0;
            prop_assert!(crossed || pole, "{} jumps from {} to {} at x = {}", e, before, after, a);
        }
    }
}
