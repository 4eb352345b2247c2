//! Depth and size: nothing recurses, nothing is quadratic.

use crate::generator::{Family, PARAMETERS, VARIABLES, build};
use bifrons_expr::{Expr, Symbol, TapeBuilder};
use bifrons_lanes::Level;

/// Runs on a thread with a stack of 2 MiB, the default of a spawned thread.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work);
    thread
        .expect("a thread can be started")
        .join()
        .expect("the stack is large enough");
}

fn chain(length: usize) -> Expr {
    let x = Expr::symbol("x");
    (0..length).fold(x.clone(), |e, i| match i % 4 {
        0 => e.sin(),
        1 => &x + e,
        2 => Expr::select(e.lt(&x), e, 0.5),
        _ => -(e * &x),
    })
}

#[test]
fn deep_chains_are_built_copied_evaluated_and_dropped() {
    on_a_small_stack(|| {
        let deep = chain(100_000);
        let copy = deep.clone();
        assert_eq!(deep, chain(100_000), "structural equality");
        let x = Symbol::new("x");
        let moved = deep.substitute(&mut |s| (*s == x).then(|| Expr::symbol("y")));
        drop(deep);
        assert!(copy.node_count() > 100_000, "all nodes are there");
        let here = copy.evaluate(&mut |_| Some(0.7)).expect("one symbol");
        let there = moved.evaluate(&mut |_| Some(0.7)).expect("one symbol");
        assert_eq!(here, there, "renaming keeps the value");
    });
}

#[test]
fn deep_chains_are_compiled() {
    on_a_small_stack(|| {
        let deep = chain(100_000);
        let tape = TapeBuilder::new()
            .variables([Symbol::new("x")])
            .output(deep.clone())
            .build()
            .expect("one symbol");
        let mut out = [[0.0]];
        tape.evaluate(
            Level::detect(),
            &mut tape.registers(),
            &[&[[0.7]]],
            &mut out,
        );
        assert_eq!(
            out[0][0],
            deep.evaluate(&mut |_| Some(0.7)).expect("one symbol"),
            "same bits"
        );
        assert!(tape.register_count() < 10, "a chain needs few registers");
    });
}

#[test]
fn deep_chains_are_differentiated_and_decomposed() {
    on_a_small_stack(|| {
        let x = Symbol::new("x");
        let slope = chain(100_000).derivative(&x);
        let value = slope.evaluate(&mut |_| Some(0.7)).expect("one symbol");
        assert!(value.is_finite(), "slope {value}");
        let sum = (0..100_000).fold(Expr::symbol("x"), |e, _| Expr::symbol("y") - e);
        let affine = sum.affine_in(&x).expect("a sum");
        assert_eq!(affine.slope, Expr::constant(1.0), "an even number of signs");
    });
}

#[test]
fn deep_chains_are_printed() {
    on_a_small_stack(|| {
        let x = Expr::symbol("x");
        let deep = (0..100_000).fold(x.clone(), |e, _| &x - e);
        assert_eq!(
            deep.to_string().matches('(').count(),
            99_999,
            "every difference is nested"
        );
    });
}

#[test]
fn shared_parts_are_printed_once() {
    let doubled = (0..200).fold(Expr::symbol("_x"), |e, _| (&e * &e).sin());
    let text = doubled.to_string();
    assert!(text.len() < 10_000, "length {} stays linear", text.len());
    assert!(
        text.starts_with("let __1 = sin(_x * _x); let __2 = "),
        "names avoid the symbols"
    );
}

#[test]
fn large_random_expressions_compile() {
    let mut state = 1_u64;
    let words: Vec<u32> = (0..50_000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            u32::try_from(state >> 32).expect("the upper half")
        })
        .collect();
    let outputs: Vec<Expr> = words
        .chunks(5_000)
        .map(|part| build(Family::All, part))
        .collect();
    let tape = TapeBuilder::new()
        .parameters(PARAMETERS.map(Symbol::new))
        .variables(VARIABLES.map(Symbol::new))
        .outputs(outputs)
        .build()
        .expect("all symbols are declared");
    assert_eq!(tape.output_count(), 10, "all outputs");
}
