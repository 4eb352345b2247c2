//! Evaluating a tape with calls allocates nothing. One thread, own process.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_expr::{Expr, Function, Symbol, TapeBuilder};
use bifrons_lanes::Level;
use bifrons_memory::profiler::{CountingAllocator, Scope};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

fn blocks<const W: usize>() -> u64 {
    let norm = Function::builder("norm", 3, |a| a.iter().map(|x| x * x).sum()).build();
    let stairs = Function::steps("stairs", [0.0, 1.0, 2.0], [0.0, 5.0, 7.0]).expect("valid");
    let x = Expr::symbol("x");
    let e = norm
        .expect("valid")
        .call([x.clone(), x.sin(), stairs.call([x]).expect("one")]);
    let e = e.expect("three");
    let slope = e.derivative(&Symbol::new("x"));
    let tape = TapeBuilder::new()
        .variables([Symbol::new("x")])
        .outputs([e, slope]);
    let tape = tape.build().expect("one symbol");
    let mut registers = tape.registers::<W>();
    let mut out = [[0.0; W]; 2];
    let guard = RUN.enter();
    for k in 0..100 {
        let x = [[0.03 * f64::from(k); W]];
        tape.evaluate(Level::detect(), &mut registers, &[&x], &mut out);
    }
    let counts = guard.so_far();
    assert!(out[0][W - 1] > 0.0, "values were computed");
    counts.blocks
}

#[test]
fn calls_allocate_nothing() {
    assert_eq!(blocks::<1>(), 0, "one member");
    assert_eq!(blocks::<16>(), 0, "sixteen members");
}
