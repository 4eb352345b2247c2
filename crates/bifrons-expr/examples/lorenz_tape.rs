//! Times the tape of the Lorenz equations for one member and for sixteen.

use bifrons_expr::{Expr, Symbol, Tape, TapeBuilder};
use bifrons_lanes::Level;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [x, y, z, sigma, rho, beta] = ["x", "y", "z", "sigma", "rho", "beta"].map(Expr::symbol);
    let tape = TapeBuilder::new()
        .parameters(["sigma", "rho", "beta"].map(Symbol::new))
        .variables(["x", "y", "z"].map(Symbol::new))
        .output(&sigma * (&y - &x))
        .output(&x * (&rho - &z) - &y)
        .output(&x * &y - &beta * &z)
        .build()?;
    let [instructions, registers] = [tape.instruction_count(), tape.register_count()];
    write(&format!(
        "{instructions} instructions, {registers} registers\n"
    ));
    for level in Level::available() {
        measure::<1>(&tape, level);
        measure::<16>(&tape, level);
        measure::<64>(&tape, level);
    }
    Ok(())
}

fn measure<const W: usize>(tape: &Tape, level: Level) {
    const ROUNDS: u32 = 2000;
    let mut registers = tape.registers::<W>();
    for lane in 0..W {
        tape.set_parameters(&mut registers, lane, &[10.0, 28.0, 8.0 / 3.0]);
    }
    let mut state = [[1.0; W], [2.0; W], [20.0; W]];
    let mut derivative = [[0.0; W]; 3];
    // The best of many short runs: interruptions only ever add time.
    let mut nanoseconds = f64::INFINITY;
    for _ in 0..500 {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            tape.evaluate(level, &mut registers, &[&state], &mut derivative);
            black_box(&mut state);
            black_box(&mut derivative);
        }
        let run = start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS);
        nanoseconds = nanoseconds.min(run);
    }
    let name = level.name();
    write(&format!(
        "{name}, {W} members: {nanoseconds:.1} ns per evaluation\n"
    ));
}

fn write(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes());
}
