//! Tapes against direct evaluation, bit for bit.

use crate::generator::{Family, PARAMETERS, VARIABLES, bits, expressions, index};
use bifrons_expr::{CompileError, Expr, Symbol, Tape, TapeBuilder};
use bifrons_lanes::Level;
use proptest::prelude::*;
use std::slice::from_ref;

fn compile(outputs: &[Expr]) -> Tape {
    TapeBuilder::new()
        .parameters(PARAMETERS.map(Symbol::new))
        .variables(VARIABLES.map(Symbol::new))
        .outputs(outputs.iter().cloned())
        .build()
        .expect("all symbols are declared")
}

/// Outputs of every lane on a tape of width `W`, as bits, per level.
fn lanes<const W: usize>(tape: &Tape, points: &[[f64; 7]], level: Level) -> Vec<Vec<u64>> {
    let mut registers = tape.registers::<W>();
    let mut result = vec![];
    for chunk in points.chunks(W) {
        let mut variables = [[0.0; W]; 4];
        for (lane, point) in chunk.iter().enumerate() {
            tape.set_parameters(&mut registers, lane, &point[..3]);
            for (variable, value) in variables.iter_mut().zip(&point[3..]) {
                variable[lane] = *value;
            }
        }
        let mut outputs = vec![[0.0; W]; tape.output_count()];
        let (first, rest) = variables.split_first().expect("four variables");
        tape.evaluate(
            level,
            &mut registers,
            &[from_ref(first), rest],
            &mut outputs,
        );
        for lane in 0..chunk.len() {
            result.push(outputs.iter().map(|output| bits(output[lane])).collect());
        }
    }
    result
}

fn direct(outputs: &[Expr], point: &[f64; 7]) -> Vec<u64> {
    let value = |e: &Expr| e.evaluate(&mut |symbol| index(symbol).map(|i| point[i]));
    outputs
        .iter()
        .map(|e| bits(value(e).expect("all symbols are known")))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn lanes_and_levels_agree_with_direct_evaluation(
        outputs in prop::collection::vec(expressions(Family::All, 40), 1..5),
        points in prop::collection::vec(prop::array::uniform7(-3.0_f64..3.0), 1..20),
    ) {
        let tape = compile(&outputs);
        let expected: Vec<_> = points.iter().map(|point| direct(&outputs, point)).collect();
        for level in Level::available() {
            prop_assert_eq!(&lanes::<1>(&tape, &points, level), &expected, "{:?} 1 {:?}", level, tape);
            prop_assert_eq!(&lanes::<3>(&tape, &points, level), &expected, "{:?} 3 {:?}", level, tape);
            prop_assert_eq!(&lanes::<16>(&tape, &points, level), &expected, "{:?} 16 {:?}", level, tape);
            prop_assert_eq!(&lanes::<64>(&tape, &points, level), &expected, "{:?} 64 {:?}", level, tape);
        }
    }

    #[test]
    fn arithmetic_is_fused_without_changing_bits(
        outputs in prop::collection::vec(expressions(Family::Smooth, 60), 1..8),
        points in prop::collection::vec(prop::array::uniform7(-3.0_f64..3.0), 1..3),
    ) {
        let tape = compile(&outputs);
        for point in &points {
            let expected = direct(&outputs, point);
            prop_assert_eq!(&lanes::<1>(&tape, from_ref(point), Level::detect())[0], &expected, "{:?}", tape);
            prop_assert_eq!(&lanes::<8>(&tape, from_ref(point), Level::detect())[0], &expected, "{:?}", tape);
        }
    }

    #[test]
    fn definitions_are_the_same_as_substitution(
        shared in expressions(Family::Smooth, 20),
        outer in expressions(Family::All, 20),
        point in prop::array::uniform7(-2.0_f64..2.0),
    ) {
        let x = Symbol::new("x");
        let with_name = outer.substitute(&mut |s| (*s == x).then(|| Expr::symbol("shared")));
        let tape = TapeBuilder::new()
            .parameters(PARAMETERS.map(Symbol::new))
            .variables(VARIABLES.map(Symbol::new))
            .define(Symbol::new("shared"), shared.clone())
            .output(with_name)
            .build()
            .expect("all symbols are declared");
        let direct = outer
            .substitute(&mut |s| (*s == x).then(|| shared.clone()))
            .evaluate(&mut |symbol| index(symbol).map(|i| point[i]))
            .expect("all symbols are known");
        let got = lanes::<1>(&tape, from_ref(&point), Level::detect());
        prop_assert_eq!(got[0][0], bits(direct), "{}", outer);
    }
}

#[test]
fn lorenz_takes_three_passes_and_one_prologue_free_tape() {
    let [x, y, z, s, r, b] = ["x", "y", "z", "s", "r", "b"].map(Expr::symbol);
    let tape = TapeBuilder::new()
        .parameters(["s", "r", "b"].map(Symbol::new))
        .variables(["x", "y", "z"].map(Symbol::new))
        .output(&s * (&y - &x))
        .output(&x * (&r - &z) - &y)
        .output(&x * &y - &b * &z)
        .build()
        .expect("all symbols are declared");
    assert_eq!(
        tape.instruction_count(),
        3,
        "one fused instruction per equation"
    );
    assert_eq!(tape.prologue_count(), 0, "no parameter stands alone");
    assert_eq!(tape.register_count(), 6, "inputs only");
}

#[test]
fn parameter_expressions_run_once_per_lane() {
    let (p, x) = (Expr::symbol("p"), Expr::symbol("x"));
    let gain = (2.0 * &p).exp() + 1.0;
    let tape = TapeBuilder::new()
        .parameters([Symbol::new("p")])
        .variables([Symbol::new("x")])
        .output(&gain * &x)
        .output(gain)
        .build()
        .expect("all symbols are declared");
    assert_eq!(tape.instruction_count(), 2, "product and copy");
    assert_eq!(tape.prologue_count(), 3, "product, exponential, sum");
    let mut registers = tape.registers::<4>();
    tape.set_parameters(&mut registers, 2, &[0.0]);
    tape.set_parameters(&mut registers, 1, &[1.0]);
    let mut out = [[0.0; 4]; 2];
    tape.evaluate(Level::detect(), &mut registers, &[&[[3.0; 4]]], &mut out);
    assert_eq!(out[0][2], 6.0, "lane 2 has p = 0");
    assert_eq!(
        out[1][1],
        bifrons_lanes::math::exp(2.0) + 1.0,
        "lane 1 has p = 1"
    );
    assert!(out[0][0].is_nan(), "lane 0 has no parameters yet");
}

#[test]
fn registers_are_reused_and_dead_code_is_dropped() {
    let x = Expr::symbol("x");
    let chain = (0..1000).fold(x.clone(), |e, _| e.sin());
    let tape = TapeBuilder::new()
        .variables([Symbol::new("x")])
        .define(Symbol::new("unused"), x.cos())
        .output(chain)
        .build()
        .expect("all symbols are declared");
    assert_eq!(tape.instruction_count(), 1000, "the cosine is dropped");
    assert_eq!(
        tape.register_count(),
        2,
        "one temporary serves the whole chain"
    );
}

#[test]
fn equal_parts_are_computed_once() {
    let (x, y) = (Expr::symbol("x"), Expr::symbol("y"));
    let tape = TapeBuilder::new()
        .variables(["x", "y"].map(Symbol::new))
        .output((&x * &y).sin())
        .output((&y * &x).sin())
        .output(x)
        .build()
        .expect("all symbols are declared");
    assert_eq!(
        tape.instruction_count(),
        5,
        "product, sine and three copies"
    );
}

#[test]
fn empty_tapes_are_valid() {
    let tape = TapeBuilder::new().build().expect("nothing can be wrong");
    let mut registers = tape.registers::<16>();
    tape.set_parameters(&mut registers, 3, &[]);
    tape.evaluate(Level::detect(), &mut registers, &[], &mut []);
    assert_eq!(tape.output_count(), 0, "no outputs");
}

#[test]
fn errors_name_the_symbol_the_place_and_the_nearest_name() {
    let unknown = TapeBuilder::new()
        .variables([Symbol::new("plant.speed"), Symbol::new("t")])
        .output(Expr::constant(1.0))
        .output(Expr::symbol("plant.sped") + 1.0)
        .build();
    let expected = CompileError::UnknownSymbol {
        symbol: Symbol::new("plant.sped"),
        place: String::from("output 1"),
        nearest: Some(Symbol::new("plant.speed")),
    };
    assert_eq!(unknown, Err(expected), "unknown symbol");

    let early = TapeBuilder::new()
        .define(Symbol::new("a"), Expr::symbol("b") + 1.0)
        .define(Symbol::new("b"), Expr::constant(2.0))
        .build();
    let expected = CompileError::UsedBeforeDefinition {
        symbol: Symbol::new("b"),
        place: String::from("definition `a`"),
    };
    assert_eq!(early, Err(expected), "used before its definition");

    let twice = TapeBuilder::new()
        .parameters([Symbol::new("k")])
        .variables([Symbol::new("k")]);
    let expected = CompileError::Duplicate {
        symbol: Symbol::new("k"),
    };
    assert_eq!(twice.build(), Err(expected), "declared twice");
}
