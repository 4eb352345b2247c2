//! Criterion group `ensemble`: a model assembled at run time beside code written by hand.
//!
//! All members integrate Lorenz's system over the same span with the same tolerance and take the
//! same steps (checked below), so times divide into nanoseconds per member-step. After the group
//! the medians of one interleaved run are printed as ratios.
#![expect(
    clippy::print_stdout,
    reason = "the ratios are the point of this program"
)]
#![expect(
    clippy::expect_used,
    reason = "a benchmark of a broken model has no result"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bifrons_hybrid::TapeSystem;
use bifrons_lanes::{LANES, Level};
use bifrons_memory::Budget;
use bifrons_ode::{
    EnsembleWorkspace, Flow, MemberEnd, MemberSink, Options, Save, Step, Tolerance, solve,
    solve_members,
};
use bifrons_problems::LorenzLanes;
use bifrons_sim::{Simulation, Sweep};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const MEMBERS: usize = 128;
const T_END: f64 = 10.0;
const TOLERANCE: f64 = 1e-6;

/// Adds up steps and final states.
#[derive(Default)]
struct Total {
    steps: u64,
    sum: f64,
}

impl<const W: usize> MemberSink<W> for Total {
    fn begin(&mut self, _lane: usize, _member: usize, _t0: f64, _state: &[f64]) -> f64 {
        f64::INFINITY
    }
    fn step(&mut self, _step: &Step<'_, W>) -> Flow {
        Flow::Until(f64::INFINITY)
    }
    fn end(&mut self, end: &MemberEnd<'_>) {
        self.steps += end.statistics.accepted + end.statistics.rejected;
        self.sum += end.state[0];
    }
}

fn rhos() -> Vec<f64> {
    (0..MEMBERS).map(|i| 28.0 + 0.01 * i as f64).collect()
}

fn options(level: Level) -> Options {
    let tolerance = Tolerance::new(TOLERANCE, TOLERANCE).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.level = Some(level);
    options
}

/// The hand-written closure on 16 lanes.
fn closure_lanes(rho: &[f64], level: Level) -> Total {
    let mut total = Total::default();
    let mut workspace = EnsembleWorkspace::<LANES>::new(3);
    let mut lanes = LorenzLanes::<LANES>::new(rho);
    let members = 0..rho.len();
    solve_members(
        &mut lanes,
        members,
        0.0,
        T_END,
        &options(level),
        &mut workspace,
        &mut total,
    )
    .expect("valid input");
    total
}

/// The hand-written closure, one member after the other, on arrays of fixed size.
fn closure_alone(rho: &[f64]) -> Total {
    let mut total = Total::default();
    let options = options(Level::Baseline);
    for &rho in rho {
        let mut problem = LorenzLanes::<1>::alone(rho);
        let run = solve(
            &mut problem,
            0.0,
            &[1.0, 0.0, 0.0],
            T_END,
            &Save::Final,
            &options,
        )
        .expect("smooth problem");
        total.steps += run.statistics.accepted + run.statistics.rejected;
        total.sum += run.last_state[0];
    }
    total
}

/// The diagram, swept on 16 lanes.
fn tape_lanes(system: &TapeSystem, rho: &[f64], level: Level) -> Total {
    let sweep = Sweep::builder(system)
        .span(0.0, T_END)
        .column("fy.rho", rho.to_vec())
        .options(options(level))
        // Reading what the machine has left takes as long as a few thousand member-steps.
        .budget(Budget::unlimited())
        .build()
        .expect("valid sweep");
    let result = sweep.run().expect("fits");
    let (x, _) = result.column("x").expect("recorded");
    let steps = result
        .reports()
        .iter()
        .map(|r| u64::from(r.accepted + r.rejected))
        .sum();
    Total {
        steps,
        sum: x.iter().sum(),
    }
}

/// The diagram, one run after the other.
fn tape_alone(system: &TapeSystem, rho: &[f64]) -> Total {
    let mut total = Total::default();
    for &rho in rho {
        let run = Simulation::builder(system)
            .span(0.0, T_END)
            .parameter("fy.rho", rho)
            .options(options(Level::detect()))
            .build()
            .expect("valid run")
            .run()
            .expect("smooth problem");
        total.steps += u64::from(run.report().accepted + run.report().rejected);
        total.sum += run.last_state()[0];
    }
    total
}

type Work<'a> = (String, Box<dyn Fn() -> Total + 'a>);

fn works<'a>(system: &'a TapeSystem, rho: &'a [f64]) -> Vec<Work<'a>> {
    let mut works: Vec<Work<'a>> = vec![
        ("closure, alone".into(), Box::new(|| closure_alone(rho))),
        ("tape, alone".into(), Box::new(|| tape_alone(system, rho))),
    ];
    for level in Level::available() {
        let name = level.name();
        let lanes = move || closure_lanes(rho, level);
        works.push((format!("closure, 16 lanes, {name}"), Box::new(lanes)));
        let lanes = move || tape_lanes(system, rho, level);
        works.push((format!("tape, 16 lanes, {name}"), Box::new(lanes)));
    }
    works
}

fn ensemble(criterion: &mut Criterion) {
    let system = bifrons_problems::lorenz().expect("reference diagram");
    let rho = rhos();
    let works = works(&system, &rho);
    let reference = (works[0].1)();
    let mut group = criterion.benchmark_group("ensemble");
    group.throughput(Throughput::Elements(reference.steps));
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for (name, work) in &works {
        let total = work();
        assert_eq!(total.steps, reference.steps, "{name}: steps");
        assert_eq!(
            total.sum.to_bits(),
            reference.sum.to_bits(),
            "{name}: bits of the result"
        );
        group.bench_function(name, |bencher| bencher.iter(|| black_box(work())));
    }
    group.finish();
    print_ratios(&works, reference.steps);
}

/// Medians of rounds in which every candidate runs once.
fn print_ratios(works: &[Work<'_>], steps: u64) {
    const ROUNDS: usize = 15;
    let mut times = vec![Vec::with_capacity(ROUNDS); works.len()];
    for _ in 0..ROUNDS {
        for (times, (_, work)) in times.iter_mut().zip(works) {
            let start = Instant::now();
            black_box(work());
            times.push(start.elapsed().as_nanos() as f64 / steps as f64);
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    let medians: Vec<f64> = times.iter_mut().map(median).collect();
    println!("\nLorenz, {MEMBERS} members, {steps} steps in all; medians of {ROUNDS} rounds");
    for ((name, _), ns) in works.iter().zip(&medians) {
        println!("{name:28} {ns:8.1} ns per member-step");
    }
    let find = |name: &str| {
        works
            .iter()
            .position(|(n, _)| n == name)
            .map(|i| medians[i])
    };
    let alone = medians[0];
    println!(
        "tape alone / closure alone: {:.2} (target <= 1.7)",
        medians[1] / alone
    );
    for level in Level::available() {
        let name = level.name();
        let closure = find(&format!("closure, 16 lanes, {name}"));
        let tape = find(&format!("tape, 16 lanes, {name}"));
        if let (Some(closure), Some(tape)) = (closure, tape) {
            println!(
                "{name}: tape / closure on lanes: {:.2} (target <= 2)",
                tape / closure
            );
            println!(
                "{name}: closure alone / tape on lanes: {:.2} (target >= 3 at the widest level)",
                alone / tape
            );
        }
    }
}

criterion_group!(benches, ensemble);
criterion_main!(benches);
