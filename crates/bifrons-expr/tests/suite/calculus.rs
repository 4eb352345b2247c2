//! Derivatives and affine parts.

use crate::generator::{Family, expressions, index};
use bifrons_expr::{Expr, Symbol};
use proptest::prelude::*;

fn at(e: &Expr, point: &[f64; 7]) -> f64 {
    e.evaluate(&mut |s| index(s).map(|i| point[i]))
        .expect("all symbols are known")
}

fn x() -> Expr {
    Expr::symbol("x")
}

fn slope_at(e: &Expr, value: f64) -> f64 {
    e.derivative(&Symbol::new("x"))
        .evaluate(&mut |_| Some(value))
        .expect("one symbol")
}

/// Central difference with Richardson extrapolation: error of order `h^6`.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> (f64, f64) {
    let central = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    let [d1, d2, d4] = [1.0, 0.5, 0.25].map(|scale| central(scale * 4e-3));
    let (e1, e2) = ((4.0 * d2 - d1) / 3.0, (4.0 * d4 - d2) / 3.0);
    ((16.0 * e2 - e1) / 15.0, (e2 - e1).abs())
}

proptest! {
    #[test]
    fn derivatives_agree_with_differences(
        e in expressions(Family::Smooth, 12),
        point in prop::array::uniform7(-1.5_f64..1.5),
    ) {
        let exact = at(&e.derivative(&Symbol::new("x")), &point);
        let moved = |value: f64| {
            let mut point = point;
            point[3] = value;
            at(&e, &point)
        };
        let (approximate, spread) = difference(moved, point[3]);
        let scale = 1.0 + at(&e, &point).abs() + exact.abs();
        prop_assume!(spread < 1e-4 * scale);
        prop_assert!((exact - approximate).abs() < 1e-6 * scale, "{}: {} {}", e, exact, approximate);
    }

    #[test]
    fn affine_parts_reconstruct_the_expression(
        a in expressions(Family::Smooth, 8),
        b in expressions(Family::Smooth, 8),
        c in expressions(Family::All, 8),
        point in prop::array::uniform7(-1.5_f64..1.5),
    ) {
        let symbol = Symbol::new("x");
        let free = |e: &Expr| e.substitute(&mut |s| (*s == symbol).then(|| Expr::symbol("y")));
        let (a, b, c) = (free(&a), free(&b), free(&c));
        let e = Expr::select(c.gt(0.0), &a * x() - &b, (x() + &b) / 3.0 - (&b - x()) * &a);
        let affine = e.affine_in(&symbol).expect("affine by construction");
        prop_assert!(!affine.slope.dependencies().contains(&symbol), "slope {}", affine.slope);
        prop_assert!(!affine.offset.dependencies().contains(&symbol), "offset {}", affine.offset);
        let whole = at(&e, &point);
        let again = at(&affine.slope, &point) * point[3] + at(&affine.offset, &point);
        let scale = 1.0 + at(&a, &point).abs() * (1.0 + at(&b, &point).abs());
        prop_assume!(scale < 1e6);
        prop_assert!((whole - again).abs() < 1e-12 * scale, "{}: {} {}", e, whole, again);
    }

    #[test]
    fn substitution_commutes_with_evaluation(
        outer in expressions(Family::All, 30),
        inner in expressions(Family::Smooth, 15),
        mut point in prop::array::uniform7(-2.0_f64..2.0),
    ) {
        let symbol = Symbol::new("x");
        let replaced = outer.substitute(&mut |s| (*s == symbol).then(|| inner.clone()));
        let through = at(&replaced, &point);
        point[3] = at(&inner, &point);
        let direct = at(&outer, &point);
        prop_assert!(through == direct || (through.is_nan() && direct.is_nan()), "{}", outer);
    }
}

#[test]
fn ties_belong_to_the_owner_of_equality() {
    let x = x();
    assert_eq!(slope_at(&x.abs(), 0.0), 1.0, "abs belongs to the right");
    assert_eq!(slope_at(&x.max(0.0), 0.0), 1.0, "first operand of max");
    assert_eq!(
        slope_at(&Expr::constant(0.0).max(&x), 0.0),
        0.0,
        "first operand of max"
    );
    assert_eq!(slope_at(&x.min(0.0), 0.0), 1.0, "first operand of min");
    assert_eq!(
        slope_at(&x.clamp(-1.0, 1.0), 1.0),
        1.0,
        "inside up to the bound"
    );
    assert_eq!(
        slope_at(&Expr::select(x.lt(0.0), -&x, 3.0 * &x), 0.0),
        3.0,
        "else branch owns"
    );
    assert_eq!(
        slope_at(&Expr::select(x.le(0.0), -&x, 3.0 * &x), 0.0),
        -1.0,
        "then branch owns"
    );
    assert_eq!(slope_at(&x.floor(), 1.0), 0.0, "steps are flat");
    assert_eq!(slope_at(&x.modulo(2.0), 5.0), 1.0, "slope of a sawtooth");
}

#[test]
fn derivatives_of_every_function_agree_with_differences() {
    let x = x();
    let functions = [
        x.sqrt(),
        x.exp(),
        x.ln(),
        x.exp_m1(),
        x.ln_1p(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.asin(),
        x.acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.erf(),
        x.powi(5),
        x.powi(-3),
        x.pow(2.5),
        Expr::constant(2.5).pow(&x),
        x.pow(&x),
        x.atan2(2.0),
        Expr::constant(2.0).atan2(&x),
        x.atan2(x.exp()),
        x.hypot(1.5),
        x.hypot(&x),
        3.0 / &x,
        x.abs(),
        (-&x).abs(),
        x.min(2.0),
        x.max(2.0),
        x.clamp(0.0, 1.0),
        x.no_event(),
        Expr::constant(2.2).modulo(&x),
        &x / (&x + 1.0),
        x.sin() / &x,
    ];
    for e in &functions {
        let f = |value| e.evaluate(&mut |_| Some(value)).expect("one symbol");
        let (approximate, _) = difference(f, 0.6);
        let exact = slope_at(e, 0.6);
        assert!(
            (exact - approximate).abs() < 1e-8 * (1.0 + exact.abs()),
            "{e}: {exact} {approximate}"
        );
    }
}

#[test]
fn derivative_at_a_vanishing_power_is_finite() {
    let e = Expr::constant(0.0).pow(x());
    assert_eq!(slope_at(&e, 2.0), 0.0, "0^x is flat for positive x");
    assert_eq!(slope_at(&x().powi(2), 0.0), 0.0, "vertex");
    for zero in [0.0, -0.0] {
        let flat = x().pow(zero).derivative(&Symbol::new("x"));
        assert_eq!(flat, Expr::constant(0.0), "x^0 is constant");
    }
    assert_eq!(
        x().sin().derivative(&Symbol::new("y")),
        Expr::constant(0.0),
        "other symbol"
    );
}

#[test]
fn what_is_not_affine_is_refused() {
    let x = x();
    let symbol = Symbol::new("x");
    for e in [
        x.sin(),
        &x * &x,
        1.0 / &x,
        x.max(0.0),
        Expr::select(x.gt(0.0), &x, 1.0),
    ] {
        assert_eq!(e.affine_in(&symbol), None, "{e}");
    }
    let free = Expr::symbol("y")
        .sin()
        .affine_in(&symbol)
        .expect("free of x");
    assert_eq!(
        free.slope,
        Expr::constant(0.0),
        "slope of a free expression"
    );
}
