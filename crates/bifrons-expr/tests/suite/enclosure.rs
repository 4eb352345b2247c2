//! Prepared enclosures: the bounds of the slow sibling, and what they prove about zeros.

use crate::generator::{Family, PARAMETERS, VARIABLES, expressions, index};
use bifrons_expr::{Bounds, Enclosure, Expr, Function, Interval, Symbol};
use proptest::prelude::*;

fn symbols() -> Vec<Symbol> {
    let names = PARAMETERS.iter().chain(&VARIABLES);
    names.map(Symbol::new).collect()
}

fn over(e: &Expr, low: f64, high: f64) -> [Bounds; 2] {
    let x = Symbol::new("x");
    let roots = [e.clone(), e.derivative(&x)];
    let enclosure = Enclosure::new(&roots, &[x]).expect("one symbol");
    let mut memory = enclosure.memory();
    enclosure.evaluate(&[Interval::new(low, high)], &mut memory);
    [0, 1].map(|root| enclosure.bounds(root, &memory))
}

fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

proptest! {
    #[test]
    fn bounds_are_those_of_the_slow_sibling(
        e in expressions(Family::All, 20),
        other in expressions(Family::All, 20),
        ends in prop::array::uniform7((-3.0_f64..3.0, 0.0_f64..2.0)),
    ) {
        let ranges = ends.map(|(low, width)| Interval::new(low, low + width));
        let enclosure = Enclosure::new(&[e.clone(), other.clone()], &symbols()).expect("known");
        let mut memory = enclosure.memory();
        enclosure.evaluate(&[Interval::REALS; 7], &mut memory);
        enclosure.evaluate(&ranges, &mut memory);
        for (root, e) in [e, other].iter().enumerate() {
            let slow = e.interval(&mut |s| index(s).map(|i| ranges[i])).expect("known");
            prop_assert_eq!(enclosure.bounds(root, &memory).range, slow);
        }
    }

    /// Continuous by proof, with a slope of one sign by proof: then samples run one way, whatever
    /// steps and choices are inside. Each value has round-off of a few operations on numbers that
    /// its enclosure at the points of the sample bounds; so a fall is measured against these.
    #[test]
    fn one_way_by_proof_is_one_way_in_samples(
        e in expressions(Family::All, 12),
        low in -40.0_f64..40.0,
        width in 1e-3_f64..2.0,
        others in prop::array::uniform7(0.1_f64..2.0),
    ) {
        let x = Symbol::new("x");
        let enclosure = Enclosure::new(&[e.clone(), e.derivative(&x)], &symbols()).expect("known");
        let mut memory = enclosure.memory();
        let mut at = |from: f64, to: f64| {
            let mut ranges = others.map(Interval::point);
            ranges[index(&x).expect("x")] = Interval::new(from, to);
            enclosure.evaluate(&ranges, &mut memory);
            [0, 1].map(|root| enclosure.bounds(root, &memory))
        };
        let [value, slope] = at(low, low + width);
        let rises = slope.range.low() > 0.0;
        let falls = slope.range.high() < 0.0;
        if !value.is_continuous || slope.range.may_be_nan() || !(rises || falls) {
            return Ok(());
        }
        let point = |k: u32| low + width * f64::from(k) / 100.0;
        for k in 0..100 {
            let [a, b] = [k, k + 1].map(|k| at(point(k), point(k))[0].range);
            let fits = if rises { b.high() >= a.low() } else { b.low() <= a.high() };
            prop_assert!(fits, "{e} runs back between {} and {}", point(k), point(k + 1));
        }
    }

    #[test]
    fn remainders_and_waves_far_from_zero_are_bounded_within_their_period(
        turns in -1e8_f64..1e8,
        width in 0.0_f64..0.3,
        period in prop::sample::select(vec![1.0, 0.1, -0.7, 3.0]),
        share in 0.0_f64..1.0,
    ) {
        let low = turns * period;
        let high = low + width * f64::abs(period);
        let inside = (low + share * (high - low)).min(high);
        let wave = Expr::symbol("x").modulo(period);
        let [bounds, _] = over(&wave, low, high);
        let value = |x: f64| wave.evaluate(&mut |_| Some(x)).expect("value");
        prop_assert!(bounds.range.contains(value(inside)));
        if bounds.is_continuous {
            // No wider than what moved, but for two roundings of a remainder outwards.
            let room = 2.0 * f64::EPSILON * period.abs();
            prop_assert!(bounds.range.high() - bounds.range.low() <= (high - low) + room);
        } else {
            prop_assert!(value(high) < value(low) || width == 0.0, "{low} {high} {period}");
        }
        let sine = Expr::symbol("x").sin();
        let [bounds, slope] = over(&sine, low, high);
        prop_assert!(bounds.range.contains(inside.sin()));
        prop_assert!(slope.range.contains(inside.cos()));
    }
}

#[test]
fn what_jumps_is_told_from_what_bends() {
    for (text, low, high, continuous) in [
        ("floor(x)", 0.1, 0.9, true),
        ("floor(x)", 0.1, 1.1, false),
        ("x + sign(x - 2)", 0.0, 1.0, true),
        ("x + sign(x - 2)", 1.0, 3.0, false),
        ("abs(x)", -1.0, 1.0, true),
        ("min(x, 1)", 0.0, 2.0, true),
        ("modulo(x, 1)", 7.2, 7.6, true),
        ("modulo(x, 1)", 7.8, 8.1, false),
        ("1 / x", 1.0, 2.0, true),
        ("1 / x", -1.0, 2.0, false),
        ("tan(x)", -1.0, 1.0, true),
        ("tan(x)", 1.0, 2.0, false),
        ("atan2(x, -1)", -1.0, 1.0, false),
        ("atan2(x, 1)", -1.0, 1.0, true),
        ("sqrt(x)", -1.0, 1.0, false),
    ] {
        let [bounds, _] = over(&parse(text), low, high);
        assert_eq!(
            bounds.is_continuous, continuous,
            "{text} over [{low}, {high}]"
        );
    }
}

#[test]
fn calls_are_told_and_unknown_symbols_refused() {
    let x = Expr::symbol("x");
    let f = Function::builder("f", 1, |a| a[0]).build().expect("valid");
    let call = f.call([x.clone()]).expect("one argument");
    let known = [Symbol::new("x")];
    let enclosure = Enclosure::new(&[call], &known).expect("known");
    assert!(enclosure.has_calls());
    let plain = Enclosure::new(&[x + Expr::symbol("y")], &known).expect_err("unknown");
    assert!(plain.to_string().contains("`y`"), "{plain}");
    assert_eq!(
        enclosure.bounds(3, &enclosure.memory()).range,
        Interval::REALS
    );
}
