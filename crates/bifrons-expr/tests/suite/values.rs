//! What single operations mean.

use bifrons_expr::{Condition, EvaluateError, Expr, Symbol};

fn at(e: &Expr, x: f64) -> f64 {
    e.evaluate(&mut |_| Some(x)).expect("one symbol")
}

#[test]
fn piecewise_functions_at_their_edges() {
    let x = Expr::symbol("x");
    assert_eq!(
        at(&x.sign(), -0.0).to_bits(),
        (-0.0_f64).to_bits(),
        "zero keeps its sign"
    );
    assert_eq!(at(&x.sign(), -2.0), -1.0, "negative");
    assert!(at(&x.sign(), f64::NAN).is_nan(), "NaN stays");
    assert!(at(&x.max(1.0), f64::NAN).is_nan(), "NaN on the left of max");
    assert!(
        at(&Expr::constant(1.0).min(&x), f64::NAN).is_nan(),
        "NaN on the right of min"
    );
    assert_eq!(at(&x.clamp(-1.0, 1.0), 7.0), 1.0, "upper bound");
    assert_eq!(at(&x.clamp(-1.0, 1.0), -7.0), -1.0, "lower bound");
    assert_eq!(at(&x.modulo(3.0), -1.0), 2.0, "sign of the divisor");
    assert_eq!(at(&x.modulo(-3.0), 1.0), -2.0, "sign of the divisor");
    assert!(at(&x.modulo(0.0), 1.0).is_nan(), "division by zero");
    assert_eq!(at(&x.powi(-2), 2.0), 0.25, "negative power");
}

#[test]
fn a_branch_that_is_not_taken_is_harmless() {
    let x = Expr::symbol("x");
    let safe = Expr::select(x.gt(0.0), x.ln() / &x, -1.0);
    assert_eq!(at(&safe, -1.0), -1.0, "logarithm of a negative number");
    assert_eq!(at(&safe, 0.0), -1.0, "division by zero");
}

#[test]
fn construction_folds_only_what_keeps_every_bit() {
    let x = Expr::symbol("x");
    assert_eq!(&x * 1.0, x, "one is neutral");
    assert_eq!(&x - 0.0, x, "zero is neutral on the right of a difference");
    assert_ne!(
        &x + 0.0,
        x,
        "a sum with zero changes the sign of a negative zero"
    );
    assert_ne!(&x * 0.0, Expr::constant(0.0), "infinity times zero is NaN");
    assert_eq!(
        Expr::constant(2.0) * 3.0 + 1.0,
        Expr::constant(7.0),
        "constants fold"
    );
    assert_eq!(
        Expr::select(Condition::constant(true), 1.0, &x),
        Expr::constant(1.0),
        "known"
    );
    assert_ne!((&x + 1.0) + 2.0, &x + 3.0, "sums are not reassociated");
}

#[test]
fn unknown_symbols_are_named() {
    let e = Expr::symbol("a") + Expr::symbol("b");
    let result = e.evaluate(&mut |symbol| (symbol.name() == "a").then_some(1.0));
    let expected = EvaluateError::UnknownSymbol {
        symbol: Symbol::new("b"),
    };
    assert_eq!(result, Err(expected), "b has no value");
}

#[test]
fn symbols_are_equal_by_name() {
    assert_eq!(
        Symbol::new("a.b"),
        Symbol::from(String::from("a.b")),
        "same text"
    );
    let e = Expr::symbol("x") * Expr::symbol("y") + Expr::symbol("x");
    let names: Vec<String> = e.dependencies().iter().map(Symbol::to_string).collect();
    assert_eq!(names, ["x", "y"], "each once, sorted");
    assert_eq!(
        e,
        Expr::symbol("x") * Expr::symbol("y") + Expr::symbol("x"),
        "same structure"
    );
}

#[test]
fn substitution_is_simultaneous() {
    let (x, y) = (Symbol::new("x"), Symbol::new("y"));
    let swapped = (Expr::from(&x) - Expr::from(&y)).substitute(&mut |s| {
        if *s == x {
            Some(Expr::from(&y))
        } else {
            Some(Expr::from(&x))
        }
    });
    assert_eq!(swapped, Expr::from(&y) - Expr::from(&x), "both at once");
}

#[test]
fn text_has_as_few_parentheses_as_possible() {
    let [a, b, c] = ["a", "b", "c"].map(Expr::symbol);
    assert_eq!((&a - (&b - &c)).to_string(), "a - (b - c)", "right operand");
    assert_eq!(((&a - &b) - &c).to_string(), "a - b - c", "left operand");
    assert_eq!((-(&a * &b)).to_string(), "-(a * b)", "sign of a product");
    assert_eq!((-&a * &b).to_string(), "-a * b", "product of a sign");
    assert_eq!((-&a).powi(-2).to_string(), "(-a)^-2", "power of a sign");
    assert_eq!((&a * -2.0).to_string(), "a * -2", "negative factor");
    assert_eq!(Expr::symbol("if").to_string(), "'if'", "keyword as a name");
    assert_eq!(Expr::constant(1e300).to_string(), "1e300", "large constant");
    let choice = Expr::select(
        a.lt(&b).or(&b.ge(&c).not()),
        &a,
        Expr::select(a.eq(0.0), 1.0, &c),
    );
    let text = "if a < b or not (b >= c) then a else if a == 0 then 1 else c";
    assert_eq!(choice.to_string(), text, "nested choice");
}
