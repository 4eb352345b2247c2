//! Predicted and measured bytes of the heap; no allocation per step. One thread, own process.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

#[path = "sim/models.rs"]
mod models;

use bifrons_memory::profiler::{CountingAllocator, Scope};
use bifrons_sim::{Overflow, Recording, Reduction, Simulation, Sweep, uniform_times};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

static RUN: Scope = Scope::new("run");

/// Peak above entry and number of blocks of `run`, whose result is dropped after the scope.
fn measured<T>(run: impl FnOnce() -> T) -> (u64, u64) {
    let guard = RUN.enter();
    let result = run();
    let counts = guard.so_far();
    drop(result);
    drop(guard);
    (counts.peak, counts.blocks)
}

fn assert_close(planned: u64, measured: u64, what: &str) {
    let slack = planned.abs_diff(measured);
    // The names of parts and the like are not planned.
    assert!(
        planned + 512 >= measured,
        "{what}: planned {planned} < {measured}"
    );
    let ratio = planned as f64 / measured as f64;
    assert!(
        ratio <= 1.25 || slack < 64 * 1024,
        "{what}: planned {planned}, measured {measured}"
    );
}

#[test]
fn plans_bound_what_is_measured_and_steps_allocate_nothing() {
    let system = models::decay();
    let times = || uniform_times(0.0, 5.0, 200);
    let recordings = [
        ("all", Recording::times(times())),
        ("final", Recording::final_values()),
        (
            "mean",
            Recording::reduce(times(), &[Reduction::Mean, Reduction::Integral]),
        ),
        (
            "expressions",
            Recording::times(times()).expression("half", "x / 2 + gain.k"),
        ),
        (
            "quantiles",
            Recording::reduce(
                times(),
                &[Reduction::Quantile(0.1), Reduction::Quantile(0.9)],
            ),
        ),
        (
            "steps",
            Recording::every_step().capacity(40, Overflow::Thin),
        ),
    ];
    for members in [1, 10, 1000, 5000] {
        for (name, recording) in &recordings {
            let gains = (0..members)
                .map(|i| -0.5 - 2.0 * f64::from(i) / 5000.0)
                .collect();
            let sweep = Sweep::builder(&system)
                .span(0.0, 5.0)
                .column("gain.k", gains)
                .record(recording.clone())
                .build()
                .expect("valid sweep");
            let planned = sweep.plan().expect("fits").peak();
            let (peak, _) = measured(|| sweep.run().expect("fits"));
            assert_close(planned, peak, &format!("{members} members, {name}"));
        }
    }
}

#[test]
fn a_longer_run_allocates_not_one_block_more() {
    let system = models::oscillator();
    let blocks = |t_end: f64| {
        let simulation = Simulation::builder(&system)
            .span(0.0, t_end)
            .record(Recording::every_step().capacity(200, Overflow::Thin))
            .build()
            .expect("valid run");
        measured(|| simulation.run().expect("oscillator"))
    };
    let short = blocks(10.0);
    assert_eq!(
        blocks(1000.0),
        short,
        "peak and blocks of a run a hundred times longer"
    );
}

#[test]
fn rows_that_spill_allocate_for_their_blocks_only() {
    use bifrons_table::{Batch, Schema, SinkError, TableSink};
    struct Blocks(u64);
    impl TableSink for Blocks {
        fn begin(&mut self, _: &Schema) -> Result<(), SinkError> {
            Ok(())
        }
        fn append(&mut self, _: &Batch<'_>) -> Result<(), SinkError> {
            self.0 += 1;
            Ok(())
        }
        fn finish(&mut self) -> Result<(), SinkError> {
            Ok(())
        }
    }
    let system = models::oscillator();
    let counts = |t_end: f64| {
        let simulation = Simulation::builder(&system)
            .span(0.0, t_end)
            .record(Recording::every_step().capacity(50, Overflow::Spill))
            .build()
            .expect("valid run");
        let mut sink = Blocks(0);
        let (peak, blocks) = measured(|| simulation.run_to(&mut sink).expect("room"));
        (peak, blocks, sink.0)
    };
    let (peak, blocks, taken) = counts(50.0);
    let (long_peak, long_blocks, long_taken) = counts(1000.0);
    assert!(
        long_taken > 10 * taken,
        "{long_taken} blocks of rows, {taken} before"
    );
    assert_eq!(long_peak, peak, "peak of a run twenty times longer");
    // Two lists of columns per block of rows: slices, then views of them.
    let more = 2 * (long_taken - taken);
    assert!(
        long_blocks - blocks <= more,
        "{long_blocks} - {blocks} > {more}"
    );
}
