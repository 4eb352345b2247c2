//! The retirement model on one core beside what its operations would take at best.
//!
//! `cargo bench -p benchmarks --bench continuation -- [POINTS] [PERIODS] [ROUNDS]` solves the model
//! with five income nodes by the kernels of `bifrons-egm` and as a model of `bifrons-lifecycle`,
//! and prints medians beside a roofline: floating-point operations counted below, at two vector
//! operations per cycle. The clock is measured by a chain of dependent additions, whose latency of
//! four cycles is an assumption.
#![expect(
    clippy::print_stdout,
    reason = "the times are the point of this program"
)]

use std::hint::black_box;
use std::time::Instant;

use anyhow::Context as _;
use benchmarks::models;
use bifrons_lanes::Level;
use bifrons_lifecycle::{Retention, SolveOptions};
use bifrons_problems::Retirement;

/// Cycles of an addition that waits for the one before it.
const LATENCY: f64 = 4.0;
/// Operations of a read: difference, cubic, line.
const READ: f64 = 10.0;
/// Operations of the marginal utility of a logarithm: a division counts as four.
const MARGINAL: f64 = 4.0;
/// Operations of two choices with shocks: exponential, logarithm, two divisions, two products.
const CHOICE: f64 = 75.0;
/// Operations of an inversion with value and the cubic of its bracket.
const NODE: f64 = 80.0;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<usize> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .map(|text| {
            text.parse()
                .context("usage: continuation [POINTS] [PERIODS] [ROUNDS]")
        })
        .collect::<anyhow::Result<_>>()?;
    let number = |index: usize, default: usize| arguments.get(index).copied().unwrap_or(default);
    let (points, periods, rounds) = (number(0, 500), number(1, 20), number(2, 200));
    let model = Retirement::with_points(periods, points)?.with_income_shocks();
    let mut workspace = model.workspace();
    let kernels = median(rounds, || Ok(model.solve_into(&mut workspace)?))?;
    let problem = models::retirement(periods, points, None, &model.income)?;
    let all = SolveOptions::new();
    let whole = median(rounds, || Ok(problem.solve_with(&all)?))?;
    let first = SolveOptions::new().retention(Retention::First);
    let lean = median(rounds, || Ok(problem.solve_with(&first)?))?;
    let (ghz, lanes) = (clock(), lanes());
    let (nodes, steps) = (points as f64, periods as f64 - 1.0);
    let reads = nodes * steps * (2.0 * model.income.len() as f64 + 1.0);
    let choices = nodes * steps * model.income.len() as f64;
    let operations = reads * (READ + MARGINAL) + choices * CHOICE + 2.0 * nodes * steps * NODE;
    let roofline = operations / (2.0 * lanes * ghz * 1e9);
    println!(
        "{points} savings nodes, 5 income nodes, {periods} periods, one core, {rounds} rounds"
    );
    println!(
        "clock {ghz:.2} GHz, {lanes} lanes, {:.1} million operations",
        operations / 1e6
    );
    let row = |name: &str, seconds: f64| {
        println!(
            "{name:<34} {:8.3} ms {:6.1} x roofline",
            1e3 * seconds,
            seconds / roofline
        );
    };
    row("roofline", roofline);
    row("kernels of bifrons-egm", kernels);
    row("bifrons-lifecycle, first period kept", lean);
    row("bifrons-lifecycle, all kept", whole);
    println!(
        "continuation and all else: {:.1} ns per savings node and shock",
        1e9 * kernels / choices
    );
    Ok(())
}

/// Median time of making something, without dropping it.
fn median<T>(rounds: usize, mut work: impl FnMut() -> anyhow::Result<T>) -> anyhow::Result<f64> {
    drop(work()?);
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        let made = work()?;
        times.push(start.elapsed().as_secs_f64());
        drop(made);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Numbers in one vector.
fn lanes() -> f64 {
    match Level::detect().name() {
        "v4" => 8.0,
        "v3" => 4.0,
        _ => 2.0,
    }
}

/// Cycles per nanosecond.
fn clock() -> f64 {
    const ADDITIONS: u32 = 20_000_000;
    let mut sum = black_box(1.0_f64);
    let step = black_box(1e-9_f64);
    let start = Instant::now();
    for _ in 0..ADDITIONS {
        sum += step;
    }
    let seconds = start.elapsed().as_secs_f64();
    black_box(sum);
    f64::from(ADDITIONS) * LATENCY / seconds / 1e9
}
