//! Text form: reading back, errors, limits.

use crate::generator::{Family, expressions};
use bifrons_expr::{Condition, Expr, ParseErrorKind, Parser, Symbol};
use proptest::prelude::*;

proptest! {
    #[test]
    fn reading_what_was_printed_gives_the_same_structure(e in expressions(Family::All, 80)) {
        let text = e.to_string();
        let again = Expr::parse(&text);
        prop_assert_eq!(again.as_ref(), Ok(&e), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-+*/^()<>=!,;.' a-e0-9]{0,60}") {
        if let Ok(e) = Expr::parse(&text) {
            prop_assert_eq!(Expr::parse(&e.to_string()), Ok(e), "{}", text);
        }
    }

    #[test]
    fn no_words_make_the_parser_panic(words in prop::collection::vec(0..WORDS.len(), 0..40)) {
        let text: Vec<&str> = words.iter().map(|i| WORDS[*i]).collect();
        let text = text.join(" ");
        match Expr::parse(&text) {
            Ok(e) => prop_assert_eq!(Expr::parse(&e.to_string()), Ok(e), "{}", text),
            Err(error) => {
                prop_assert!(error.span().end <= text.len(), "{}: {}", text, error);
                prop_assert!(error.render(&text).contains('^'), "{}", text);
            }
        }
    }

    #[test]
    fn any_name_survives(name in "\\PC{1,12}") {
        let e = Expr::symbol(name.as_str()) + 1.0;
        prop_assert_eq!(Expr::parse(&e.to_string()), Ok(e), "{}", name);
    }

    #[test]
    fn any_number_survives(bits in any::<u64>()) {
        let e = Expr::constant(f64::from_bits(bits));
        prop_assert_eq!(Expr::parse(&e.to_string()), Ok(e), "{}", f64::from_bits(bits));
    }
}

const WORDS: [&str; 32] = [
    "if",
    "then",
    "else",
    "and",
    "or",
    "not",
    "true",
    "let",
    "(",
    ")",
    ",",
    ";",
    "=",
    "+",
    "-",
    "*",
    "/",
    "^",
    "<",
    ">=",
    "==",
    "x",
    "y",
    "'q r'",
    "2",
    "0.5",
    "sin(",
    "max(",
    "min(",
    "clamp(",
    "pi",
    "no_event(",
];

fn value(text: &str) -> f64 {
    let e = Expr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    e.evaluate(&mut |s| match s.name() {
        "x" => Some(3.0),
        "y" => Some(-2.0),
        _ => None,
    })
    .expect("known symbols")
}

#[test]
fn precedence_is_the_usual_one() {
    assert_eq!(value("1 + 2 * 3"), 7.0, "product before sum");
    assert_eq!(value("2 - 3 - 4"), -5.0, "left to right");
    assert_eq!(value("24 / 2 / 3"), 4.0, "left to right");
    assert_eq!(value("-x^2"), -9.0, "power before sign");
    assert_eq!(value("2^3^2"), 512.0, "right to left");
    assert_eq!(value("x^-1"), 1.0 / 3.0, "negative exponent");
    assert_eq!(value("2 * -y"), 4.0, "sign after an operator");
    assert_eq!(
        value("x^0.5 * x^0.5"),
        bifrons_lanes::math::pow(3.0, 0.5).powi(2),
        "real power"
    );
    assert_eq!(
        value("if x > 0 and not y > 0 then 1 else 2 + 3"),
        1.0,
        "logic"
    );
    assert_eq!(
        value("if x < 0 or y > 0 then 1 else 2 + 3"),
        5.0,
        "else takes the sum"
    );
    assert_eq!(
        value("1 + if x < y then 1 else 2"),
        3.0,
        "choice as an operand"
    );
    assert_eq!(
        value("if x < 0 then if y < 0 then 1 else 2 else 3"),
        3.0,
        "nested choice"
    );
    assert_eq!(
        value("max(1, x, 2) + min(x, y, 0)"),
        1.0,
        "several arguments"
    );
    assert_eq!(value("clamp(x, -1, 1) + clamp(y, -1, 1)"), 0.0, "clamp");
    assert_eq!(value("let a = x * x; let b = a + 1; a * b"), 90.0, "let");
    assert_eq!(
        value("let c = x > 2; if c and y < 0 then 1 else 0"),
        1.0,
        "let with a condition"
    );
    assert_eq!(value(".5 + 1. + 2e0 + 1E-1"), 3.6, "spellings of numbers");
    assert_eq!(value("sin(pi / 2)"), 1.0, "pi");
}

#[test]
fn integer_and_real_powers_are_kept_apart() {
    let x = Expr::symbol("x");
    assert_eq!(Expr::parse("x^2"), Ok(x.powi(2)), "integer literal");
    assert_eq!(Expr::parse("x^2.0"), Ok(x.pow(2.0)), "real literal");
    assert_eq!(Expr::parse("x^(2)"), Ok(x.pow(2.0)), "parenthesis");
    assert_eq!(
        Expr::parse("(x^2)^3"),
        Ok(x.powi(2).powi(3)),
        "power of a power"
    );
}

#[test]
fn errors_point_at_the_place_and_suggest_a_remedy() {
    let cases: [(&str, std::ops::Range<usize>, Option<&str>); 16] = [
        ("1 + ", 4..4, None),
        ("(1 + x", 0..1, None),
        ("1 + x)", 5..6, None),
        ("2x", 1..2, Some("2 * x")),
        ("log(x)", 0..3, Some("ln")),
        ("sqr(x)", 0..3, Some("sqrt")),
        ("x && y", 2..4, Some("and")),
        ("x ** 2", 2..4, Some("^")),
        ("x = 2", 2..3, Some("==")),
        ("x % 2", 2..3, Some("modulo(a, b)")),
        ("0 < x < 1", 6..7, Some("a < b and b < c")),
        ("1e999", 0..5, None),
        ("'abc", 0..1, Some("'")),
        ("atan2(x)", 0..8, None),
        ("if x > 0 then 1", 15..15, None),
        ("sin x", 4..5, None),
    ];
    for (text, span, suggestion) in cases {
        let error = Expr::parse(text).expect_err(text);
        assert_eq!(error.span(), span, "{text}: {error}");
        assert_eq!(error.suggestion(), suggestion, "{text}: {error}");
    }
}

#[test]
fn numbers_and_conditions_do_not_mix() {
    let kind = |text: &str| Expr::parse(text).expect_err(text).kind().clone();
    assert_eq!(
        kind("x < 1"),
        ParseErrorKind::ConditionForNumber,
        "whole text"
    );
    assert_eq!(
        kind("1 + (x < 1)"),
        ParseErrorKind::ConditionForNumber,
        "operand"
    );
    assert_eq!(
        kind("if x then 1 else 2"),
        ParseErrorKind::NumberForCondition,
        "condition"
    );
    assert_eq!(
        kind("if not x then 1 else 2"),
        ParseErrorKind::NumberForCondition,
        "logic"
    );
    let condition = Condition::parse("x < 1 and true").expect("a condition");
    assert_eq!(condition.to_string(), "x < 1", "true is neutral");
    assert!(Condition::parse("x").is_err(), "a number is no condition");
}

#[test]
fn limits_hold() {
    let parser = Parser::new().longest(10).most_nodes(3);
    let kind = |text: &str| parser.parse(text).expect_err(text).kind().clone();
    let long = "x + x + x + x";
    assert_eq!(
        kind(long),
        ParseErrorKind::TooLong {
            found: 13,
            limit: 10
        },
        "length"
    );
    assert_eq!(
        kind("x+x+x"),
        ParseErrorKind::TooManyNodes { limit: 3 },
        "operations"
    );
    assert!(parser.parse("x+x").is_ok(), "within the limits");
}

#[test]
fn announced_symbols_are_the_only_ones() {
    let parser = Parser::new().symbols(["speed", "t"].map(Symbol::new));
    let error = parser.parse("speed + sped").expect_err("unknown");
    assert_eq!(error.suggestion(), Some("speed"), "nearest name");
    assert_eq!(
        error.render("speed + sped"),
        "speed + sped\n        ^^^^ there is no symbol `sped` at 8..12: did you mean `speed`?",
        "underlined",
    );
    assert!(parser.parse("speed * t").is_ok(), "announced");
}
