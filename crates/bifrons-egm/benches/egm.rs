//! Time of the retirement model: 500 savings nodes, 5 income nodes, 20 periods.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::missing_assert_message,
    clippy::print_stdout,
    clippy::excessive_precision,
    dead_code,
    missing_docs,
    reason = "tests print their worst errors, and compare bits where they are meant to agree"
)]

#[path = "../tests/support/retirement.rs"]
mod retirement;

use std::hint::black_box;
use std::time::{Duration, Instant};

use bifrons_egm::{Expectation, TasteShocks};
use criterion::{Criterion, criterion_group, criterion_main};
use retirement::{Model, Solver, quadratic_grid, timing_model};

/// Floating-point operations of one solution, as counted for the roofline.
const OPERATIONS: f64 = 10.3e6;
/// Seconds per operation of one core with 256-bit vectors at 3 GHz.
const ROOF: f64 = 1.0 / 48e9;
/// The goal in seconds.
const GOAL: f64 = 1.5e-3;

fn contestants() -> Vec<(&'static str, Model, u32)> {
    let model = timing_model();
    let mut sharp = model.clone();
    sharp.shocks = TasteShocks::NONE;
    sharp.weights = vec![1.0];
    for incomes in &mut sharp.incomes {
        *incomes = vec![incomes[2]];
    }
    vec![
        ("shocks/500", model.clone(), 500),
        ("shocks/2000", model, 2_000),
        ("deterministic/500", sharp, 500),
    ]
}

fn egm(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("egm");
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for (name, model, count) in contestants() {
        let mut solver = Solver::new(
            quadratic_grid(150.0, count),
            model.periods,
            Expectation::new(),
        );
        group.bench_function(name, |bencher| {
            bencher.iter(|| solver.solve(black_box(&model)).unwrap());
        });
    }
    group.finish();
    report();
}

/// Medians and minima over rounds, as shares of the goal and of the roofline.
fn report() {
    println!(
        "\n{:<20} {:>10} {:>10}   of the goal   roofline x",
        "", "median ms", "minimum ms"
    );
    for (name, model, count) in contestants() {
        let mut solver = Solver::new(
            quadratic_grid(150.0, count),
            model.periods,
            Expectation::new(),
        );
        let mut times: Vec<f64> = (0..60)
            .map(|_| {
                let start = Instant::now();
                solver.solve(black_box(&model)).unwrap();
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (median, least) = (times[30], times[0]);
        println!(
            "{name:<20} {:>10.3} {:>10.3}   {:>11.2}   {:>10.1}   {} of 19 rows folded",
            median * 1e3,
            least * 1e3,
            least / GOAL,
            least / (OPERATIONS * ROOF),
            solver.folds
        );
    }
}

criterion_group!(benches, egm);
criterion_main!(benches);
