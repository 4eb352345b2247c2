//! Units: reading, printing, converting, and checking expressions.

use crate::generator::{Family, bits, expressions};
use bifrons_expr::{
    Condition, Exponent, Expr, Parser, Symbol, Unit, UnitErrorKind, UnitParseErrorKind, UnitTable,
};
use proptest::prelude::*;

fn unit(text: &str) -> Unit {
    Unit::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Symbols are called like their unit, up to a number behind `_`.
fn by_name(symbol: &Symbol) -> Option<Unit> {
    let name = symbol.name().split('_').next().unwrap_or_default();
    (name != "any").then(|| unit(&name.replace("per", "/")))
}

fn of(text: &str) -> Result<Option<Unit>, bifrons_expr::UnitError> {
    Expr::parse(text).expect(text).unit(&mut by_name)
}

#[test]
fn units_have_the_scale_of_their_definition() {
    // Value in base units, by hand.
    let cases = [
        ("kW.h", 3.6e6, "J"),
        ("km/h", 1.0 / 3.6, "m/s"),
        ("m/s^2", 1.0, "m/s2"),
        ("kg.m^2/s^3", 1.0, "W"),
        ("N.m", 1.0, "J"),
        ("V.A", 1.0, "W"),
        ("V/A", 1.0, "Ohm"),
        ("Wb/A", 1.0, "H"),
        ("C/V", 1.0, "F"),
        ("W/m2/K", 1.0, "kg/(s3.K)"),
        ("J/(kg.K)", 1.0, "m^2.s^-2.K^-1"),
        ("mm^2", 1e-6, "m^2"),
        ("1/min", 1.0 / 60.0, "Hz"),
        ("100 km", 1e5, "m"),
        ("mg", 1e-6, "kg"),
        ("kg", 1.0, "kg"),
        ("Mg", 1e3, "kg"),
        ("t", 1e3, "kg"),
        ("rpm", std::f64::consts::TAU / 60.0, "rad/s"),
        ("deg", std::f64::consts::PI / 180.0, "1"),
        ("%", 0.01, ""),
        ("mm/m", 1e-3, "1"),
        ("V/Hz^(1/2)", 1.0, "V.s^(1/2)"),
        ("cm^(1/2)", 0.1, "m^(1/2)"),
        ("l", 1e-3, "m^3"),
        ("µm", 1e-6, "m"),
        ("kΩ", 1e3, "Ohm"),
        ("GWh/a", 3.6e12 / 31_557_600.0, "W"),
        ("eV", 1.602176634e-19, "J"),
        ("lbf/in^2", 6894.757293168361, "Pa"),
    ];
    for (text, scale, same) in cases {
        let (found, base) = (unit(text), unit(same));
        assert_eq!(found.dimension(), base.dimension(), "{text}");
        let expected = scale * base.scale();
        assert!(
            (found.scale() - expected).abs() <= 4.0 * f64::EPSILON * expected,
            "{text}: {}",
            found.scale()
        );
        assert!(
            unit(&found.to_string()).is_same(&found),
            "{text} printed as {found}"
        );
    }
    assert_eq!(unit("kW.h").scale(), 3.6e6, "exact");
}

#[test]
fn units_print_as_they_were_written() {
    for (text, printed) in [
        ("m/s^2", "m/s^2"),
        ("kW.h", "kW.h"),
        ("m s-1", "m/s"),
        ("J/kg/K", "J/(kg.K)"),
        ("m.m", "m^2"),
        ("m/m", "1"),
        ("1", "1"),
        ("s^-1", "1/s"),
        ("(N/m)^2", "N^2/m^2"),
        ("m^(2/4)", "m^(1/2)"),
        ("60.s", "60.s"),
        ("m.60", "m*60"),
        ("degC", "degC"),
    ] {
        assert_eq!(unit(text).to_string(), printed, "{text}");
        assert_eq!(unit(printed), unit(text), "{printed}");
    }
}

fn refused(text: &str, span: std::ops::Range<usize>, kind: UnitParseErrorKind) {
    let error = Unit::parse(text).expect_err(text);
    assert_eq!((error.kind(), error.span()), (&kind, span), "{text}");
}

#[test]
fn what_is_no_unit_is_refused_with_its_place() {
    use UnitParseErrorKind as Kind;
    let name = |name: &str| Kind::UnknownName { name: name.into() };
    let ends = |expected| Kind::UnexpectedEnd { expected };
    refused("kgg", 0..3, name("kgg"));
    refused("m/furlong", 2..9, name("furlong"));
    refused("(m", 0..1, Kind::Unclosed);
    let expected = "`.`, `/` or the end";
    refused(
        "m)",
        1..2,
        Kind::Unexpected {
            found: ')',
            expected,
        },
    );
    refused("m/", 2..2, ends("a unit"));
    refused("m^", 2..2, ends("a number"));
    refused("m^(1/2", 6..6, ends("`)`"));
    refused("m^99999", 1..7, Kind::TooLarge);
    refused("m^(1/0)", 1..7, Kind::TooLarge);
    refused("km^200", 0..6, Kind::TooLarge);
    refused("0 m", 0..1, Kind::TooLarge);
    refused("m$", 1..2, Kind::UnknownCharacter { found: '$' });
    let (name, difference) = ("degC".into(), "K".into());
    refused("J/degC", 2..6, Kind::OffsetInProduct { name, difference });
    assert_eq!(Unit::parse("kgg").unwrap_err().suggestion(), Some("kg"));
}

#[test]
fn own_names_stand_for_their_unit() {
    let mut table = UnitTable::si();
    assert!(
        table.define("m2", Unit::one()).is_err(),
        "a name has no digits"
    );
    assert!(table.define("", Unit::one()).is_err(), "a name has letters");
    table.define("EUR", unit("money")).expect("a name");
    let wage = table.parse("EUR/h").expect("known names");
    assert!(wage.is_same(&unit("money/h")), "the unit behind the name");
    assert_eq!(table.parse("EUX").unwrap_err().suggestion(), Some("EUR"));
}

#[test]
fn values_are_converted_with_their_offset() {
    let [c, f, k] = ["degC", "degF", "K"].map(unit);
    assert_eq!(c.convert(25.0, &k), Some(298.15));
    assert!(
        (f.convert(-40.0, &c).unwrap() + 40.0).abs() < 1e-12,
        "-40 is common"
    );
    assert!(
        (k.convert(0.0, &f).unwrap() + 459.67).abs() < 1e-12,
        "absolute zero"
    );
    assert_eq!(
        c.factor_to(&k),
        None,
        "no factor between scales with an offset"
    );
    assert_eq!(c.difference(), k, "differences of Celsius are kelvin");
    assert!(c.times(&k).is_none() && c.power(Exponent::ONE).is_none());
}

#[test]
fn units_of_operations() {
    for (text, expected) in [
        ("m + m_2", "m"),
        ("m * s", "m.s"),
        ("m / s", "m/s"),
        ("m^3 / m", "m^2"),
        ("sqrt(m * m_2^3)", "m^2"),
        ("pow(m, 1/3)", "m^(1/3)"),
        ("pow(m, 0.5) * pow(m, -0.5)", "1"),
        ("hypot(m, m_2)", "m"),
        ("atan2(m, m_2)", "rad"),
        ("sin(m / m_2)", "1"),
        ("exp(-s / s_2)", "1"),
        ("if m < m_2 then s else 0", "s"),
        ("max(m, 0)", "m"),
        ("min(inf, m)", "m"),
        ("clamp(m, -m_2, m_2)", "m"),
        ("abs(-m)", "m"),
        ("sign(m)", "1"),
        ("modulo(m, m_2)", "m"),
        ("no_event(m)", "m"),
        ("2 * m", "m"),
        ("degC - degC_2", "K"),
        ("degC + K", "degC"),
        ("K + degC", "degC"),
        ("max(degC, degC_2)", "degC"),
        ("any + m", "m"),
        ("m", "m"),
    ] {
        let found = of(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = found.unwrap_or_else(|| panic!("{text} fits everything"));
        assert!(found.is_same(&unit(expected)), "{text}: {found}");
    }
    for text in ["0 * m", "any", "any * m", "inf", "0"] {
        assert_eq!(of(text), Ok(None), "{text} fits everything");
    }
}

fn misfits(whole: &str, part: &str, kind: &UnitErrorKind) {
    let error = of(whole).expect_err(whole);
    assert_eq!(
        (error.kind(), error.part()),
        (kind, part),
        "{whole}: {error}"
    );
    assert_eq!(error.text(), whole, "printed as written");
}

#[test]
fn quantities_that_differ_are_named_with_both_units() {
    let different = |left: &str, right: &str| UnitErrorKind::Dimensions {
        left: left.into(),
        left_unit: unit(left),
        right: right.into(),
        right_unit: unit(right),
    };
    misfits("2 * (m + s)", "m + s", &different("m", "s"));
    misfits("if m < 1 then 2 else 3", "m < 1", &different("m", "1"));
    misfits("s * max(kg, m)", "max(kg, m)", &different("kg", "m"));
    let scales = UnitErrorKind::Scales {
        left: "km".into(),
        left_unit: unit("km"),
        right: "m".into(),
        right_unit: unit("m"),
    };
    misfits("km - m", "km - m", &scales);
    let error = of("2 * (km - m)").unwrap_err().to_string();
    assert!(error.contains("m to km: multiply by 0.001"), "{error}");
    assert!(error.contains("5..11 of `2 * (km - m)`"), "{error}");
}

#[test]
fn operands_that_must_be_pure_are_named_with_their_unit() {
    let impure = |function, operand: &str| UnitErrorKind::NotPure {
        function,
        operand: operand.into(),
        unit: unit(operand),
    };
    misfits("s * exp(m)", "exp(m)", &impure("exp", "m"));
    misfits("1 + sin(deg)", "sin(deg)", &impure("sin", "deg"));
    misfits("pow(2, s)", "pow(2, s)", &impure("pow", "s"));
    misfits("floor(m)", "floor(m)", &impure("floor", "m"));
    let base = |operand: &str| UnitErrorKind::Exponent {
        operand: operand.into(),
        unit: unit(operand),
    };
    misfits("pow(m, rad)", "pow(m, rad)", &base("m"));
    misfits("pow(m, 0.123)", "pow(m, 0.123)", &base("m"));
    let huge = "m^9999 * m_2^9999";
    misfits(huge, huge, &UnitErrorKind::TooLarge);
}

#[test]
fn temperatures_with_an_offset_only_take_differences() {
    let offset = |operand: &str| UnitErrorKind::Offset {
        operand: operand.into(),
        unit: unit("degC"),
    };
    misfits("2 * degC", "2 * degC", &offset("degC"));
    misfits("degC + degC_2", "degC + degC_2", &offset("degC_2"));
    misfits("K - degC", "K - degC", &offset("degC"));
    misfits("-degC", "-degC", &offset("degC"));
}

#[test]
fn a_source_points_into_its_own_text() {
    let text = "let d = m -  s;\n 3 *( d )";
    let source = Parser::new().parse_source(text).expect("an expression");
    let error = source.unit(&mut by_name).expect_err("metres and seconds");
    assert_eq!((error.part(), error.span()), ("m -  s", 8..14));
    assert_eq!(
        error
            .render()
            .lines()
            .nth(1)
            .map(|line| line.starts_with("        ^^^^^^ `m`")),
        Some(true)
    );
    assert_eq!(source.text(), text);
    assert_eq!(
        source.span(&Expr::parse(text).unwrap()),
        None,
        "another expression"
    );
    assert_eq!(source.span(source.expr()), Some(17..25), "the whole value");
    let shared = Parser::new()
        .parse_source("1*m + (2+3)*m")
        .expect("an expression");
    assert_eq!(shared.unit(&mut by_name).unwrap(), Some(unit("m")));
}

#[test]
fn the_whole_is_compared_with_what_is_expected() {
    let e = Expr::parse("m / s").unwrap();
    assert_eq!(e.expect_unit(&unit("m/s"), &mut by_name), Ok(()));
    let error = e.expect_unit(&unit("km/h"), &mut by_name).unwrap_err();
    assert!(error.to_string().contains("multiply by 3.6"), "{error}");
    let error = e.expect_unit(&unit("m"), &mut by_name).unwrap_err();
    assert!(
        error.to_string().contains("different things (m/s and m)"),
        "{error}"
    );
    let zero = Expr::constant(0.0);
    assert_eq!(zero.expect_unit(&unit("m"), &mut by_name), Ok(()));
    let holds = Condition::parse("m < 2 * m_2 and s > 0").unwrap();
    assert_eq!(holds.check_units(&mut by_name), Ok(()));
    let holds = Condition::parse("m < s").unwrap();
    assert_eq!(holds.check_units(&mut by_name).unwrap_err().part(), "m < s");
}

#[test]
fn deep_expressions_are_checked_without_recursion() {
    let (mut e, other) = (Expr::symbol("m"), Expr::symbol("m_2"));
    for _ in 0..100_000 {
        e = e * 0.5 + &other;
    }
    assert_eq!(e.unit(&mut by_name), Ok(Some(unit("m"))));
    let wrong = e + Expr::symbol("s");
    let error = wrong.unit(&mut by_name).expect_err("metres and seconds");
    assert_eq!(error.span().start, 0, "the whole sum");
    assert!(error.to_string().len() < 500, "messages stay short");
}

const NAMES: [&str; 12] = [
    "m", "kg", "ms", "kW", "h", "mol", "%", "rad", "N", "µm", "in", "money",
];

fn units() -> impl Strategy<Value = Unit> {
    let factor = (0..NAMES.len(), -6_i32..=6, 1_i32..=3);
    prop::collection::vec(factor, 0..5).prop_map(|factors| {
        factors
            .into_iter()
            .fold(Unit::one(), |product, (name, above, below)| {
                let exponent = Exponent::new(above, below).unwrap();
                product
                    .times(&unit(NAMES[name]).power(exponent).unwrap())
                    .unwrap()
            })
    })
}

proptest! {
    #[test]
    fn printing_and_reading_a_unit_gives_it_back(u in units()) {
        let text = u.to_string();
        let again = Unit::parse(&text).unwrap();
        prop_assert!(again.is_same(&u), "{} {:e} {:e}", text, u.scale(), again.scale());
        prop_assert_eq!(again.to_string(), text);
    }

    #[test]
    fn products_and_quotients_undo_each_other(a in units(), b in units()) {
        let product = a.times(&b).unwrap();
        prop_assert!(product.over(&b).unwrap().is_same(&a), "{} / {}", product, b);
        prop_assert!(product.is_same(&b.times(&a).unwrap()), "{} {}", a, b);
        prop_assert!(a.power(Exponent::new(2, 1).unwrap()).unwrap().is_same(&a.times(&a).unwrap()), "{}", a);
    }

    #[test]
    fn any_text_is_a_unit_or_an_error(text in "[a-zA-Zµ°%0-9./*()^ +-]{0,24}") {
        match Unit::parse(&text) {
            Ok(u) => prop_assert!(Unit::parse(&u.to_string()).unwrap().is_same(&u), "{}", u),
            Err(error) => prop_assert!(error.span().end <= text.len(), "{}", error),
        }
    }

    #[test]
    fn without_units_every_expression_fits(e in expressions(Family::All, 40)) {
        prop_assert!(e.unit(&mut |_| None).is_ok(), "{}", e);
    }

    /// Rescaling all quantities by their units changes no bit of an expression that fits: sixteen
    /// and its roots are powers of two, so that no operation rounds differently.
    #[test]
    fn what_fits_does_not_depend_on_the_units(
        e in expressions(Family::All, 25),
        exponents in prop::array::uniform7(-1_i32..=1),
        point in prop::array::uniform7(0.5_f64..2.0),
    ) {
        let text = e.to_string();
        // Real powers and hypotenuses may round differently; deep powers may leave the range.
        let count = |part: &str| text.matches(part).count();
        prop_assume!(count("sqrt(") <= 2 && count("^") <= 2 && count("pow(") + count("hypot(") == 0);
        let index = |s: &Symbol| crate::generator::index(s).unwrap();
        let of = |s: &Symbol| unit("m").power(Exponent::new(exponents[index(s)], 1).unwrap());
        if let Ok(Some(found)) = e.unit(&mut |s| of(s)) {
            let before = e.evaluate(&mut |s| Some(point[index(s)])).unwrap();
            let after = e
                .evaluate(&mut |s| Some(point[index(s)] * 16.0_f64.powi(exponents[index(s)])))
                .unwrap();
            let size = found.dimension().exponents()[0];
            let expected = before * 16.0_f64.powf(size.to_f64());
            prop_assert_eq!(bits(after), bits(expected), "{}: {} {}", e, after, expected);
        }
    }
}
