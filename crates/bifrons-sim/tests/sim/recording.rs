//! Capacities, thinning, and single runs.

use crate::models;
use bifrons_sim::{
    BuildError, MemberFailure, Overflow, Recording, Run, RunError, Simulation, uniform_times,
};

/// `x' = -0.1 x` over `[0, 10]`.
fn run(recording: Recording) -> Result<Run, RunError> {
    let system = models::decay();
    Simulation::builder(&system)
        .span(0.0, 10.0)
        .parameter("gain.k", -0.1)
        .record(recording.signals(["x"]))
        .build()
        .expect("valid run")
        .run()
}

fn build(recording: Recording) -> Result<(), BuildError> {
    let system = models::decay();
    Simulation::builder(&system)
        .span(0.0, 10.0)
        .record(recording)
        .build()
        .map(drop)
}

#[test]
fn known_rows_are_thinned_by_a_power_of_two_with_both_ends() {
    let times = uniform_times(0.0, 10.0, 10_001);
    for (capacity, rows) in [(64, 41), (10_001, 10_001), (10_000, 5_001), (2, 2)] {
        let run =
            run(Recording::times(times.clone()).capacity(capacity, Overflow::Thin)).expect("decay");
        assert_eq!(run.times().len(), rows, "rows kept for capacity {capacity}");
        assert_eq!(run.times()[0], 0.0, "first row");
        assert_eq!(run.times()[rows - 1], 10.0, "last row");
        let kept = rows + run.report().dropped as usize;
        assert_eq!(kept, 10_001, "kept and dropped rows are all rows");
        for (&t, &x) in run.times().iter().zip(run.signal("x").expect("recorded")) {
            assert!((x - (-0.1 * t).exp()).abs() < 1e-6, "x({t})");
        }
        let last = run.last_state()[0];
        assert!(
            (last / 0.367_879_441_171_442_33 - 1.0).abs() < 1e-6,
            "final state"
        );
    }
    let last = run(Recording::times(times).capacity(10, Overflow::KeepLast)).expect("decay");
    assert_eq!(last.times().len(), 10, "ten rows");
    assert_eq!(last.times()[9], 10.0, "the last ones");
}

#[test]
fn capacities_that_hold_nothing_are_refused() {
    let times = || Recording::times(uniform_times(0.0, 10.0, 11));
    let error = build(times().capacity(0, Overflow::Error)).expect_err("no room");
    assert_eq!(
        error,
        BuildError::Capacity { rows: 0, least: 1 },
        "typed error"
    );
    let error = build(times().capacity(1, Overflow::Thin)).expect_err("no room for both ends");
    assert_eq!(
        error,
        BuildError::Capacity { rows: 1, least: 2 },
        "typed error"
    );
    let error = build(times().capacity(10, Overflow::Error)).expect_err("eleven rows");
    assert_eq!(
        error,
        BuildError::TooManyRows { due: 11, rows: 10 },
        "typed error"
    );
}

#[test]
fn steps_are_thinned_to_rows_of_the_whole_record() {
    let whole = run(Recording::every_step()).expect("decay");
    let rows = whole.times().len();
    assert!(rows > 8, "{rows} rows to thin");
    for capacity in 2..rows + 2 {
        let thin = run(Recording::every_step().capacity(capacity, Overflow::Thin)).expect("decay");
        let kept = thin.times();
        assert!(kept.len() <= capacity, "{} rows for {capacity}", kept.len());
        assert_eq!(kept[0], 0.0, "first row for {capacity}");
        assert_eq!(kept[kept.len() - 1], 10.0, "last row for {capacity}");
        let stride = whole
            .times()
            .iter()
            .position(|t| *t == kept[1])
            .expect("a row of the whole");
        let expected: Vec<f64> = whole.times()[..rows - 1]
            .iter()
            .copied()
            .step_by(stride)
            .collect();
        if kept.len() > 2 {
            assert!(stride.is_power_of_two(), "stride {stride} for {capacity}");
            assert_eq!(
                &kept[..kept.len() - 1],
                &expected[..],
                "every {stride}th row"
            );
        }
        assert_eq!(
            thin.report().dropped as usize + kept.len(),
            rows,
            "rows are counted"
        );
    }
    let last = run(Recording::every_step().capacity(3, Overflow::KeepLast)).expect("decay");
    assert_eq!(
        last.times(),
        &whole.times()[rows - 3..],
        "the last rows in order"
    );
}

#[test]
fn too_many_steps_for_a_capacity_end_the_run_with_its_rows() {
    let error = run(Recording::every_step().capacity(4, Overflow::Error)).expect_err("more steps");
    assert!(
        matches!(error.failure, MemberFailure::TooManyRows { rows: 4, .. }),
        "{:?}",
        error.failure
    );
    assert_eq!(error.partial.times().len(), 4, "the rows that fit");
    assert!(
        error
            .to_string()
            .starts_with("simulation ended early at t = "),
        "{error}"
    );
}

#[test]
fn final_values_and_an_empty_span() {
    let last = run(Recording::final_values()).expect("decay");
    assert_eq!(last.times(), [10.0], "one row at the end");
    assert!(
        (last.signal("x").expect("recorded")[0] - (-1.0_f64).exp()).abs() < 1e-6,
        "value"
    );
    let system = models::decay();
    let start = Simulation::builder(&system)
        .span(2.0, 2.0)
        .record(Recording::every_step())
        .build()
        .expect("a valid run")
        .run()
        .expect("nothing to integrate");
    assert_eq!(
        (start.times(), start.signal("x").expect("recorded")),
        (&[2.0][..], &[1.0][..]),
        "start"
    );
    assert_eq!(start.rhs_count(), 0, "no evaluation");
}

#[test]
fn backward_runs_are_asked_for() {
    let system = models::decay();
    let back = Simulation::builder(&system)
        .backward_span(1.0, 0.0)
        .record(Recording::times(vec![1.0, 0.5, 0.0]))
        .build()
        .expect("asked for")
        .run()
        .expect("decay");
    assert_eq!(back.times(), [1.0, 0.5, 0.0], "against time");
    let x = back.signal("x").expect("recorded");
    assert!((x[2] - 1.0_f64.exp()).abs() < 1e-5, "x(0) = {}", x[2]);
    let error = Simulation::builder(&system)
        .span(1.0, 0.0)
        .build()
        .map(drop)
        .expect_err("reversed");
    assert_eq!(
        error,
        BuildError::SpanReversed {
            start: 1.0,
            end: 0.0
        },
        "typed error"
    );
}

#[test]
fn parameters_of_a_run_are_checked() {
    let system = models::decay();
    let error = Simulation::builder(&system)
        .parameter("gain.k", f64::INFINITY)
        .build()
        .map(drop)
        .expect_err("infinite");
    let expected = BuildError::Parameter {
        name: "gain.k".into(),
        value: f64::INFINITY,
        range: bifrons_hybrid::ParameterRange::FINITE,
    };
    assert_eq!(error, expected, "typed error");
    let error = Simulation::builder(&system)
        .parameter("gain", 1.0)
        .build()
        .map(drop);
    assert!(
        matches!(error, Err(BuildError::UnknownName(_))),
        "{error:?}"
    );
}
