//! Rows that go to a sink while a run goes on.

use bifrons_sim::{
    BuildError, Mark, MemberFailure, Overflow, Recording, Simulation, SpillError, Sweep,
    uniform_times,
};
use bifrons_table::{Batch, MemorySink, Schema, SinkError, Table, TableSink};

use crate::models;

/// A sink in memory that knows the largest batch and the number of batches, and may be full.
struct Watched {
    inner: MemorySink,
    largest: usize,
    batches: usize,
}

impl Watched {
    fn of(inner: MemorySink) -> Self {
        Self {
            inner,
            largest: 0,
            batches: 0,
        }
    }
}

impl TableSink for Watched {
    fn begin(&mut self, schema: &Schema) -> Result<(), SinkError> {
        self.inner.begin(schema)
    }

    fn append(&mut self, batch: &Batch<'_>) -> Result<(), SinkError> {
        self.largest = self.largest.max(batch.row_count());
        self.batches += 1;
        self.inner.append(batch)
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.inner.finish()
    }
}

fn recordings() -> Vec<Recording> {
    let times = uniform_times(0.0, 20.0, 1001);
    vec![
        Recording::times(times),
        Recording::period("0.05".parse().expect("period")),
        Recording::every_step(),
        Recording::every_step().expression("energy", "4 * x * x"),
    ]
}

fn simulation<'s>(
    system: &'s bifrons_hybrid::TapeSystem,
    recording: Recording,
) -> Simulation<'s, bifrons_hybrid::TapeSystem> {
    let builder = Simulation::builder(system).span(0.0, 20.0);
    builder.record(recording).build().expect("valid run")
}

/// Every number of a table, by bits.
fn bits(table: &Table, names: &[&str]) -> Vec<Vec<u64>> {
    let column = |name: &&str| {
        let column = table.f64(name).expect("column");
        column.iter().map(|x| x.to_bits()).collect()
    };
    names.iter().map(column).collect()
}

#[test]
fn spilled_rows_are_those_of_a_run_in_memory() {
    let system = models::oscillator();
    for recording in recordings() {
        let whole = simulation(&system, recording.clone()).run().expect("run");
        let rows = whole.times().len();
        let mut names = vec!["time"];
        names.extend(whole.names());
        let mut plain = MemorySink::new();
        let run = simulation(&system, recording.clone()).run_to(&mut plain);
        assert_eq!(run.expect("room").spilled(), rows as u64, "all rows");
        let plain = plain.into_table().expect("finished");
        let times: Vec<u64> = whole.times().iter().map(|t| t.to_bits()).collect();
        assert_eq!(bits(&plain, &["time"])[0], times, "times of the rows");
        for capacity in [1, 2, 7, 64, 65, rows - 1, rows, rows + 1] {
            let bounded = recording.clone().capacity(capacity, Overflow::Spill);
            let mut sink = Watched::of(MemorySink::new());
            let run = simulation(&system, bounded)
                .run_to(&mut sink)
                .expect("room");
            assert!(
                sink.largest <= capacity,
                "{} rows for {capacity}",
                sink.largest
            );
            assert_eq!(sink.batches, rows.div_ceil(capacity), "full blocks");
            assert_eq!(run.spilled(), rows as u64, "rows are counted");
            assert_eq!(
                (run.times().len(), run.report().dropped),
                (0, 0),
                "none is left"
            );
            assert_eq!(run.last_state(), whole.last_state(), "the same run");
            assert_eq!(run.rhs_count(), whole.rhs_count(), "the same steps");
            let table = sink.inner.into_table().expect("finished");
            assert_eq!(
                bits(&table, &names),
                bits(&plain, &names),
                "capacity {capacity}"
            );
        }
    }
}

#[test]
fn a_sink_that_refuses_ends_the_run_with_what_it_did_not_take() {
    let system = models::oscillator();
    for recording in recordings() {
        let whole = simulation(&system, recording.clone()).run().expect("run");
        let bounded = recording.capacity(10, Overflow::Spill);
        let mut sink = MemorySink::with_limit(25);
        let error = simulation(&system, bounded).run_to(&mut sink);
        let Err(SpillError::Sink { source, partial }) = error else {
            panic!("25 rows have room, got {error:?}")
        };
        assert!(
            matches!(
                source,
                SinkError::Full {
                    capacity: 25,
                    needed: 30
                }
            ),
            "{source}"
        );
        assert_eq!(partial.spilled(), 20, "two blocks were taken");
        assert_eq!(
            partial.times(),
            &whole.times()[20..30],
            "the third one is valid"
        );
        let x = |run: &bifrons_sim::Run| run.signal("x").expect("recorded").to_vec();
        assert_eq!(x(&partial), x(&whole)[20..30], "with its values");
        assert!(partial.last_time() < 20.0, "the run ended early");
    }
}

#[test]
fn rows_that_spill_need_a_sink_and_a_single_run() {
    let system = models::oscillator();
    let spilling = || Recording::every_step().capacity(10, Overflow::Spill);
    let run = simulation(&system, spilling());
    let error = run.run().expect_err("no sink");
    assert_eq!(error.failure, MemberFailure::NoSink, "typed failure");
    assert_eq!(error.partial.times().len(), 0, "nothing was run");
    let error = run.run_until(|_, _| true).expect_err("no sink");
    assert_eq!(error.failure, MemberFailure::NoSink, "typed failure");
    let sweep = Sweep::builder(&system).record(spilling()).build();
    assert_eq!(
        sweep.map(drop),
        Err(BuildError::SpillInSweep),
        "typed error"
    );
}

#[test]
fn marks_are_a_column_and_the_plan_counts_the_capacity_only() {
    let system = models::oscillator();
    let mut sink = MemorySink::new();
    let recording = Recording::every_step().capacity(8, Overflow::Spill);
    let run = simulation(&system, recording)
        .run_to(&mut sink)
        .expect("room");
    let table = sink.into_table().expect("finished");
    assert_eq!(table.row_count() as u64, run.spilled(), "rows");
    let bytes = |rows: usize| {
        let recording = Recording::period("0.05".parse().expect("period"));
        let recording = recording.capacity(rows, Overflow::Spill);
        simulation(&system, recording).footprint().total().peak()
    };
    assert_eq!(
        bytes(300) - bytes(100),
        200 * 8,
        "one column of the rows more"
    );
    let system = crate::expressions::ball();
    for recording in [Recording::every_step(), Recording::events()] {
        let whole = simulation(&system, recording.clone()).run().expect("run");
        let mut sink = MemorySink::new();
        let bounded = recording.capacity(5, Overflow::Spill);
        let run = simulation(&system, bounded).run_to(&mut sink);
        assert_eq!(run.expect("room").outcome(), whole.outcome(), "outcome");
        let table = sink.into_table().expect("finished");
        assert_eq!(table.f64("time").expect("column"), whole.times(), "times");
        let marks = table.category("mark").expect("column");
        let found: Vec<&str> = marks.labels().collect();
        let label = |mark: &Mark| match mark {
            Mark::Before => "pre",
            Mark::After => "post",
            _ => "step",
        };
        let expected: Vec<&str> = whole.marks().iter().map(label).collect();
        assert_eq!(found, expected, "marks");
        assert!(found.contains(&"pre") && found.contains(&"post"), "both");
    }
}
