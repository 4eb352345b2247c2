//! External functions: closures, tables, their derivatives, surfaces, text and tapes.

use crate::generator::{Family, PARAMETERS, VARIABLES, bits, expressions, index};
use bifrons_expr::{
    Evidence, Expr, Function, FunctionError, Interval, Jacobian, ParseErrorKind, Parser,
    Smoothness, SwitchKind, Symbol, TapeBuilder,
};
use bifrons_grids::{
    Extrapolation, Interpolant, Irregular, Knots, Linear, Method, ProductSpace, SlopeRule,
};
use bifrons_lanes::Level;
use proptest::prelude::*;
use std::sync::LazyLock;

fn x() -> Expr {
    Expr::symbol("x")
}

fn at(e: &Expr, value: f64) -> f64 {
    e.evaluate(&mut |_| Some(value)).expect("one symbol")
}

fn slope(e: &Expr, value: f64) -> f64 {
    at(&e.derivative(&Symbol::new("x")), value)
}

/// Functions of one to five arguments; `norm` knows no derivative.
static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let cosine = Function::builder("cosine", 1, |a| a[0].cos()).smooth();
    let sine = Function::builder("sine", 1, |a| a[0].sin())
        .derivatives([cosine.build().expect("valid")])
        .smooth();
    let norm = Function::builder("norm", 3, |a| {
        (1.0 + a.iter().map(|x| x * x).sum::<f64>()).sqrt()
    });
    let mean = Function::builder("mean", 5, |a| a.iter().sum::<f64>() / 5.0);
    let space = ProductSpace::new([
        Linear::new(-1.0, 1.0, 5).expect("valid").into(),
        Irregular::new([-2.0, 0.5, 3.0]).expect("valid").into(),
    ]);
    let values: Vec<f64> = (0..15).map(|i| f64::from(i * i % 11)).collect();
    let policies = [Extrapolation::Clamp, Extrapolation::Linear];
    let map = Function::table_on("map", space.expect("small"), &policies, values);
    vec![
        sine.build().expect("valid"),
        norm.build().expect("valid"),
        mean.build().expect("valid"),
        map.expect("valid"),
        torque(Method::Linear, Extrapolation::Clamp),
    ]
});

fn torque(method: Method, extrapolation: Extrapolation) -> Function {
    let nodes = [-1.0, 0.0, 0.25, 2.0];
    let curve = Interpolant::new(
        method,
        Knots::strict(&nodes),
        &[1.0, 3.0, 3.5, 0.0],
        extrapolation,
    );
    Function::table("torque", curve.expect("valid")).expect("a plain name")
}

/// Replaces the symbols of a random expression by calls with random arguments.
fn with_calls(e: &Expr, arguments: &[Expr]) -> Expr {
    e.substitute(&mut |symbol| {
        let k = index(symbol)?;
        let function = FUNCTIONS.get(k % 7)?;
        let chosen = (0..function.arity()).map(|i| arguments[(i + k) % arguments.len()].clone());
        function.call(chosen).ok()
    })
}

#[test]
fn a_given_derivative_is_used_in_the_chain_rule() {
    let e = FUNCTIONS[0].call([2.0 * x()]).expect("one argument");
    assert_eq!(e.to_string(), "sine(2 * x)");
    let derivative = e.derivative(&Symbol::new("x"));
    assert_eq!(derivative.to_string(), "cosine(2 * x) * 2");
    assert_eq!(at(&derivative, 0.3), 0.6_f64.cos() * 2.0);
    assert_eq!(e.derivative(&Symbol::new("y")), Expr::constant(0.0));
    assert_eq!(e.smoothness(), Smoothness::Proved, "declared smooth");
    assert_eq!(
        FUNCTIONS[0].call([0.5]),
        Ok(Expr::constant(0.5_f64.sin())),
        "constants fold"
    );
}

#[test]
fn missing_derivatives_are_differences() {
    let e = FUNCTIONS[1]
        .call([x(), x() * x(), Expr::constant(1.0)])
        .expect("three arguments");
    // f = sqrt(2 + x² + x⁴); f' = (x + 2x³) / f.
    let value = |x: f64| (2.0 + x * x + x.powi(4)).sqrt();
    for point in [-3.0_f64, -0.2, 0.0, 1.0, 40.0] {
        let exact = (point + 2.0 * point.powi(3)) / value(point);
        let found = slope(&e, point);
        // Differences: h² f'''/6 with h = 6e-6 (1 + |x|), and round-off ε f/h, times the inner slope.
        let bound = 1e-10 * (1.0 + value(point)) * (1.0 + point.abs());
        assert!((found - exact).abs() <= bound, "{point}: {found} {exact}");
    }
    let twice = e
        .derivative(&Symbol::new("x"))
        .derivative(&Symbol::new("x"));
    let exact = 1.0 / 2.0_f64.sqrt();
    assert!(
        (at(&twice, 0.0) - exact).abs() < 1e-5,
        "second derivative {}",
        at(&twice, 0.0)
    );
    assert!(twice.to_string().contains("norm.d1.d1("), "{twice}");
}

#[test]
fn tables_read_what_their_interpolant_reads() {
    for method in [Method::Linear, Method::MonotoneCubic(SlopeRule::Parabola)] {
        for policy in [
            Extrapolation::Clamp,
            Extrapolation::Linear,
            Extrapolation::Error,
        ] {
            let nodes = [-1.0, 0.0, 0.25, 2.0];
            let values = [1.0, 3.0, 3.5, 0.0];
            let curve = Interpolant::new(method, Knots::strict(&nodes), &values, policy);
            let curve = curve.expect("valid");
            let e = torque(method, policy).call([x()]).expect("one argument");
            for point in [-3.0, -1.0, -0.5, 0.0, 0.1, 0.25, 1.7, 2.0, 5.0] {
                let (value, rise) = curve
                    .read(point)
                    .map_or((f64::NAN, f64::NAN), |r| (r.value, r.slope));
                assert_eq!(
                    bits(at(&e, point)),
                    bits(value),
                    "{method:?} {policy:?} {point}"
                );
                assert_eq!(
                    bits(slope(&e, point)),
                    bits(rise),
                    "{method:?} {policy:?} {point}"
                );
            }
        }
    }
}

#[test]
fn tables_of_two_arguments_are_bilinear() {
    let (u, v) = (Expr::symbol("u"), Expr::symbol("v"));
    let map = &FUNCTIONS[3];
    let e = map.call([&u, &v]).expect("two arguments");
    let values: Vec<f64> = (0..15).map(|i| f64::from(i * i % 11)).collect();
    // Cell 1 in u (-0.5 to 0) and cell 1 in v (0.5 to 3): corners 4, 5, 7, 8.
    let (a, b) = ((-0.2 + 0.5) / 0.5, (2.0 - 0.5) / 2.5);
    let corner = |i: usize, j: usize| values[3 * i + j];
    let low = corner(1, 1) * (1.0 - b) + corner(1, 2) * b;
    let high = corner(2, 1) * (1.0 - b) + corner(2, 2) * b;
    let mut here = |s: &Symbol| Some(if s.name() == "u" { -0.2 } else { 2.0 });
    let found = e.evaluate(&mut here).expect("both known");
    assert!(
        (found - (low * (1.0 - a) + high * a)).abs() < 1e-14,
        "value {found}"
    );
    let by_u = e
        .derivative(&Symbol::new("u"))
        .evaluate(&mut here)
        .expect("known");
    assert!((by_u - (high - low) / 0.5).abs() < 1e-13, "slope {by_u}");
    let again = e
        .derivative(&Symbol::new("u"))
        .derivative(&Symbol::new("u"));
    assert_eq!(again, Expr::constant(0.0), "straight along each axis");
    // Three inner nodes and two clamped ends in u; one inner node in v.
    assert_eq!(e.switches().visible.len(), 6, "surfaces");
}

#[test]
fn nodes_of_tables_are_surfaces() {
    let e = torque(Method::Linear, Extrapolation::Clamp)
        .call([2.0 * x()])
        .expect("one argument");
    let switches = e.switches().visible;
    let surfaces: Vec<String> = switches.iter().map(|s| s.surface.to_string()).collect();
    // The slope is 2 on both sides of the second node, so that it is none.
    assert_eq!(surfaces, ["2 * x - -1", "2 * x - 0.25", "2 * x - 2"]);
    assert!(
        switches
            .iter()
            .all(|s| s.kind == SwitchKind::Kink && s.evidence == Evidence::Proved)
    );
    assert!(matches!(e.smoothness(), Smoothness::Broken { .. }), "kinks");
    let located = e
        .pieces_along(&Symbol::new("x"))
        .locate(-9.0, 9.0, &mut |_| None);
    let places: Vec<f64> = located.expect("one symbol").iter().map(|p| p.at).collect();
    assert_eq!(places, [-0.5, 0.125, 1.0]);
    let cubic = torque(
        Method::MonotoneCubic(SlopeRule::Parabola),
        Extrapolation::Linear,
    );
    let e = cubic.call([x()]).expect("one argument");
    assert_eq!(e.switches().visible.len(), 0, "continuous slope");
    let bounds = torque(Method::Linear, Extrapolation::Clamp)
        .call([x()])
        .expect("one argument");
    let bounds = bounds
        .interval(&mut |_| Some(Interval::REALS))
        .expect("known");
    assert!(bounds.low() <= 0.0 && bounds.low() > -1e-12 && bounds.high() < 3.5 + 1e-12);
}

#[test]
fn stairs_jump_at_their_nodes() {
    let gear = Function::steps("gear", [0.0, 10.0, 25.0], [1.0, 2.0, 4.0]).expect("valid");
    let e = gear.call([x()]).expect("one argument");
    for (point, value) in [
        (-5.0, 1.0),
        (0.0, 1.0),
        (9.9, 1.0),
        (10.0, 2.0),
        (25.0, 4.0),
        (99.0, 4.0),
    ] {
        assert_eq!(at(&e, point), value, "{point}");
    }
    assert_eq!(e.derivative(&Symbol::new("x")), Expr::constant(0.0), "flat");
    let found = e
        .pieces_along(&Symbol::new("x"))
        .locate(-1.0, 50.0, &mut |_| None);
    let found: Vec<_> = found
        .expect("one symbol")
        .iter()
        .map(|p| (p.at, p.left, p.value, p.right))
        .collect();
    assert_eq!(found, [(10.0, 1.0, 2.0, 2.0), (25.0, 2.0, 4.0, 4.0)]);
    assert!(at(&e, f64::NAN).is_nan(), "NaN stays NaN");
}

#[test]
fn declarations_that_do_not_fit_are_refused() {
    let value = |_: &[f64]| 0.0;
    let name = |name: &str| Function::builder(name, 1, value).build().map(drop);
    for wrong in ["sin", "if", "", "2a", "a b", "a.d1"] {
        assert_eq!(
            name(wrong),
            Err(FunctionError::Name { name: wrong.into() }),
            "{wrong}"
        );
    }
    for found in [0, 17] {
        let (name, limit) = ("f".into(), 16);
        let built = Function::builder("f", found, value).build();
        assert_eq!(built, Err(FunctionError::Arity { name, found, limit }));
    }
    let one = Function::builder("g", 1, value).build().expect("valid");
    let built = Function::builder("f", 2, value)
        .derivative(1, one.clone())
        .build();
    let (name, argument, expected, found) = ("f".into(), 2, 2, 1);
    assert_eq!(
        built,
        Err(FunctionError::Derivative {
            name,
            argument,
            expected,
            found
        })
    );
    let built = Function::builder("f", 1, value).kinks(1, [0.0]).build();
    let (name, argument, last) = ("f".into(), 1, 0);
    assert_eq!(
        built,
        Err(FunctionError::NoSuchArgument {
            name,
            argument,
            last
        })
    );
    let (name, expected, found) = ("g".into(), 1, 2);
    assert_eq!(
        one.call([x(), x()]),
        Err(FunctionError::Arguments {
            name,
            expected,
            found
        })
    );
    assert!(
        Function::steps("s", [0.0, 0.0], [1.0, 2.0]).is_err(),
        "nodes increase"
    );
    assert!(Function::steps("s", [], []).is_err(), "at least one node");
    assert!(one.value(&[1.0, 2.0]).is_nan(), "wrong number of arguments");
}

#[test]
fn text_knows_announced_functions_only() {
    let parser = Parser::new().functions(FUNCTIONS.iter().cloned());
    let e = parser
        .parse("3*norm(x, y, 1) - mean(x,x,y,y,1) + sine")
        .expect("known");
    assert_eq!(
        e.to_string(),
        "3 * norm(x, y, 1) - mean(x, x, y, y, 1) + sine"
    );
    assert_eq!(parser.parse(&e.to_string()), Ok(e));
    let error = Expr::parse("norm(x, y, 1)").unwrap_err();
    assert_eq!(
        error.kind(),
        &ParseErrorKind::UnknownFunction {
            name: "norm".into()
        }
    );
    let error = parser.parse("1 + nrm(x, y, 1)").unwrap_err();
    assert_eq!((error.span(), error.suggestion()), (4..7, Some("norm")));
    let error = parser.parse("norm(x, y)").unwrap_err();
    let (name, expected, found) = ("norm".into(), 3, 2);
    assert_eq!(
        error.kind(),
        &ParseErrorKind::WrongArguments {
            name,
            expected,
            found
        }
    );
    let error = parser.parse("sine(x < 1)").unwrap_err();
    assert_eq!(
        (error.kind(), error.span()),
        (&ParseErrorKind::ConditionForNumber, 5..10)
    );
}

#[test]
fn a_tape_knows_its_calls_and_their_cost() {
    let f = Function::builder("f", 1, |a| a[0] + 1.0)
        .cost(50)
        .build()
        .expect("valid");
    let e = f.call([x()]).expect("one") * f.call([x()]).expect("one");
    let tape = TapeBuilder::new()
        .variables([Symbol::new("x")])
        .output(e)
        .build()
        .expect("valid");
    assert_eq!(
        (tape.instruction_count(), tape.cost()),
        (2, 51),
        "equal calls are made once"
    );
    let constant = f.call([Expr::symbol("p")]).expect("one");
    let tape = TapeBuilder::new()
        .parameters([Symbol::new("p")])
        .output(constant)
        .build();
    let tape = tape.expect("valid");
    assert_eq!(tape.prologue_count(), 1, "calls of parameters run once");
    let mut registers = tape.registers::<1>();
    tape.set_parameters(&mut registers, 0, &[4.0]);
    let mut out = [[0.0]];
    tape.evaluate(Level::detect(), &mut registers, &[], &mut out);
    assert_eq!(out, [[5.0]]);
}

fn evaluate_lanes<const W: usize>(outputs: &[Expr], points: &[[f64; 7]]) -> Vec<Vec<u64>> {
    let tape = TapeBuilder::new()
        .parameters(PARAMETERS.map(Symbol::new))
        .variables(VARIABLES.map(Symbol::new))
        .outputs(outputs.iter().cloned())
        .build()
        .expect("all symbols are declared");
    let mut registers = tape.registers::<W>();
    let mut variables = [[0.0; W]; 4];
    for lane in 0..W {
        let point = &points[lane % points.len()];
        tape.set_parameters(&mut registers, lane, &point[..3]);
        for (variable, value) in variables.iter_mut().zip(&point[3..]) {
            variable[lane] = *value;
        }
    }
    let mut out = vec![[0.0; W]; outputs.len()];
    tape.evaluate(Level::detect(), &mut registers, &[&variables], &mut out);
    out.iter().map(|row| row.map(bits).to_vec()).collect()
}

proptest! {
    #[test]
    fn calls_on_tapes_have_the_bits_of_direct_evaluation(
        outer in expressions(Family::All, 20),
        inner in prop::collection::vec(expressions(Family::Smooth, 6), 1..4),
        points in prop::collection::vec(prop::array::uniform7(-2.0_f64..2.0), 3),
    ) {
        let e = with_calls(&outer, &inner);
        let outputs = [e.derivative(&Symbol::new("x")), e.simplify(), e];
        let direct = |k: usize, e: &Expr| {
            bits(e.evaluate(&mut |s| index(s).map(|i| points[k][i])).expect("known"))
        };
        let wide = evaluate_lanes::<16>(&outputs, &points);
        for k in 0..points.len() {
            let single = evaluate_lanes::<1>(&outputs, &points[k..]);
            for (row, e) in outputs.iter().enumerate() {
                prop_assert_eq!(wide[row][k], direct(k, e), "lane {} of {}", k, e);
                prop_assert_eq!(single[row][0], direct(k, e), "single {}", e);
            }
        }
    }

    #[test]
    fn calls_survive_text_substitution_and_jacobians(
        outer in expressions(Family::All, 20),
        inner in prop::collection::vec(expressions(Family::Smooth, 6), 1..4),
    ) {
        let e = with_calls(&outer, &inner);
        let parser = Parser::new().functions(FUNCTIONS.iter().cloned());
        prop_assert_eq!(parser.parse(&e.to_string()), Ok(e.clone()), "{}", e);
        prop_assert_eq!(e.substitute(&mut |s| Some(Expr::symbol(s))), e.clone());
        let symbols = ["x", "y"].map(Symbol::new);
        let jacobian = Jacobian::new(std::slice::from_ref(&e), &symbols);
        for ((_, column), entry) in jacobian.pattern().entries().zip(jacobian.entries()) {
            prop_assert_eq!(entry, &e.derivative(&symbols[column]));
        }
        let _ = (e.switches(), e.monotone(&symbols[0], &mut |_| Some(Interval::new(-1.0, 1.0))));
    }
}
