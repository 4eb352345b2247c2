//! Runs and sweeps that are stopped, kept as bytes and resumed: the same bits.

use std::ops::ControlFlow;

use bifrons_expr::Expr;
use bifrons_hybrid::{Clock, Direction, EquationSystem, Guard, TapeSystem};
use bifrons_sim::{
    Advance, Checkpoint, CheckpointError, Overflow, Recording, Reduction, ResumeError, Run,
    Simulation, SimulationBuilder, Sweep, SweepError, SweepResult, uniform_times,
};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A bouncing ball that counts seconds and is pushed by a wave; `pull` is `g`.
fn ball(pull: f64) -> TapeSystem {
    EquationSystem::builder("ball")
        .parameter("e", 0.8)
        .state("h", s("v"), 1.0)
        .state("v", (3.0 * s("time")).sin() - pull, 0.0)
        .discrete("n", 0.0)
        .clock(Clock::new(
            "seconds",
            "0.3".parse().expect("period"),
            "0".parse().expect("offset"),
        ))
        .update("seconds", "n", s("n") + s("h"))
        .guard(Guard::new("floor", Direction::Falling), s("h"))
        .update("floor", "v", -(s("e") * s("v")))
        .output("h", s("h"))
        .output("n", s("n") * 2.0)
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

fn recordings() -> Vec<Recording> {
    let times = uniform_times(0.0, 2.5, 101);
    let all = [
        Reduction::Min,
        Reduction::Max,
        Reduction::Mean,
        Reduction::Integral,
        Reduction::Quantile(0.25),
        Reduction::Custom(crate::reductions::rms()),
    ];
    vec![
        Recording::times(times.clone()),
        Recording::every_step(),
        Recording::every_step().capacity(9, Overflow::Thin),
        Recording::every_step().capacity(9, Overflow::KeepLast),
        Recording::events(),
        Recording::final_values(),
        Recording::reduce(times, &all),
    ]
}

fn builder(system: &TapeSystem) -> SimulationBuilder<'_, TapeSystem> {
    Simulation::builder(system).span(0.0, 2.5).log_events(100)
}

/// Runs with a pause after every `stride` steps, each time through bytes.
fn in_pieces(simulation: &Simulation<'_, TapeSystem>, stride: u64) -> (Run, usize) {
    let mut pieces = 1;
    let mut last = 0;
    let mut pause = |_t: f64, steps: u64| {
        steps >= last + stride && {
            last = steps;
            true
        }
    };
    let mut advance = simulation.run_until(&mut pause).expect("run");
    loop {
        match advance {
            Advance::Ended(run) => return (run, pieces),
            Advance::Paused(checkpoint) => {
                pieces += 1;
                let bytes = checkpoint.to_bytes();
                let again = Checkpoint::from_bytes(&bytes).expect("bytes");
                assert_eq!(again, checkpoint, "through bytes");
                assert_eq!(again.to_bytes(), bytes, "the same bytes");
                advance = simulation.resume_until(&again, &mut pause).expect("resume");
            }
        }
    }
}

/// Everything that a run says, with the bits of its numbers.
fn bits(run: &Run) -> String {
    let numbers = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let columns: Vec<_> = run
        .names()
        .map(|name| numbers(run.signal(name).expect("signal")))
        .collect();
    let events: Vec<_> = run
        .events()
        .iter()
        .map(|e| (e.t.to_bits(), e.trigger))
        .collect();
    format!(
        "{columns:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {events:?}",
        numbers(run.times()),
        numbers(run.last_state()),
        numbers(run.last_discrete()),
        run.marks(),
        run.report(),
        run.outcome(),
        run.rhs_count(),
    )
}

#[test]
fn a_run_in_pieces_has_the_bits_of_the_run_in_one_piece() {
    let system = ball(9.8);
    for recording in recordings() {
        let simulation = builder(&system)
            .record(recording.clone())
            .build()
            .expect("valid");
        let whole = simulation.run().expect("run");
        assert!(whole.events().len() > 10, "events");
        for stride in [1, 4, 25] {
            let (run, pieces) = in_pieces(&simulation, stride);
            assert!(pieces > 1, "{pieces} pieces");
            assert_eq!(bits(&run), bits(&whole), "{recording:?} every {stride}");
        }
    }
}

#[test]
fn a_smooth_run_in_pieces_has_the_bits_of_the_run_in_one_piece() {
    let system = EquationSystem::builder("pendulum")
        .state("q", s("w"), 2.0)
        .state("w", -s("q").sin(), 0.0)
        .output("q", s("q"))
        .build()
        .expect("equations")
        .compile()
        .expect("tape");
    for (start, end) in [(0.0, 30.0), (3.0, -20.0)] {
        let simulation = Simulation::builder(&system);
        let simulation = if end > start {
            simulation.span(start, end)
        } else {
            simulation.backward_span(start, end)
        };
        let recording = Recording::times(uniform_times(start, end, 50));
        let simulation = simulation.record(recording).build().expect("valid");
        let whole = simulation.run().expect("run");
        for stride in [1, 7] {
            let (run, pieces) = in_pieces(&simulation, stride);
            assert!(pieces > 5, "{pieces} pieces");
            assert_eq!(bits(&run), bits(&whole), "every {stride}");
        }
    }
}

fn paused(simulation: &Simulation<'_, TapeSystem>) -> Checkpoint {
    let advance = simulation.run_until(|t, _| t > 1.0).expect("run");
    let checkpoint = match advance {
        Advance::Paused(checkpoint) => Some(checkpoint),
        Advance::Ended(_) => None,
    };
    checkpoint.expect("paused")
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let system = ball(9.8);
    let simulation = builder(&system).build().expect("valid");
    let checkpoint = paused(&simulation);
    assert!(checkpoint.time() > 1.0 && checkpoint.time() < 2.0, "time");
    let refused = |builder: SimulationBuilder<'_, TapeSystem>| {
        let simulation = builder.build().expect("valid");
        match simulation.resume(&checkpoint).expect_err("refused") {
            ResumeError::Checkpoint(CheckpointError::OtherRun { what }) => what,
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(builder(&system).span(0.0, 2.6)), "span");
    assert_eq!(refused(builder(&system).parameter("e", 0.7)), "parameters");
    assert_eq!(refused(builder(&system).initial("h", 0.7)), "parameters");
    assert_eq!(refused(builder(&system).tolerance(1e-7, 1e-9)), "options");
    assert_eq!(
        refused(builder(&system).record(Recording::events())),
        "recording"
    );
    assert_eq!(refused(builder(&system).log_events(3)), "events");
    assert_eq!(refused(builder(&ball(9.81))), "equations");
    assert!(simulation.resume(&checkpoint).is_ok(), "its own");
}

#[test]
fn damaged_bytes_are_refused() {
    let system = ball(9.8);
    let simulation = builder(&system).build().expect("valid");
    let bytes = paused(&simulation).to_bytes();
    for position in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        let error = Checkpoint::from_bytes(&damaged).expect_err("refused");
        let expected = match position {
            0..8 => matches!(error, CheckpointError::Foreign { .. }),
            8..16 => matches!(error, CheckpointError::Version { .. }),
            _ => matches!(error, CheckpointError::Damaged { .. }),
        };
        assert!(expected, "{error} at {position}");
    }
    for length in [0, 5, 12, 20, bytes.len() - 1] {
        assert!(
            Checkpoint::from_bytes(&bytes[..length]).is_err(),
            "{length}"
        );
    }
}

/// Reports, failures and rows of all members; as text, since NaN is not equal to itself.
fn same(found: &SweepResult, expected: &SweepResult) {
    let text = |result: &SweepResult, member: usize| {
        let rows = ["h", "n"].map(|name| result.rows(name, member).expect("rows"));
        format!("{:?} {rows:?}", result.reports()[member])
    };
    let failures = |result: &SweepResult| format!("{:?}", result.failures());
    assert_eq!(failures(found), failures(expected), "failures");
    for member in 0..expected.member_count() {
        assert_eq!(
            text(found, member),
            text(expected, member),
            "member {member}"
        );
    }
}

#[test]
fn a_stopped_sweep_goes_on_with_the_members_that_it_lacks() {
    let system = ball(9.8);
    let members = 100;
    let e: Vec<f64> = (0..members).map(|k| 0.3 + 0.006 * k as f64).collect();
    // One member fails.
    let start = |k: usize| {
        if k == 77 {
            f64::NAN
        } else {
            1.0 + 0.01 * k as f64
        }
    };
    let h: Vec<f64> = (0..members).map(start).collect();
    let times = Recording::times(uniform_times(0.0, 2.0, 9));
    let steps = Recording::every_step().capacity(50, Overflow::KeepLast);
    for recording in [times, steps] {
        let sweep = |chunk| {
            Sweep::builder(&system)
                .span(0.0, 2.0)
                .column("e", e.clone())
                .initial_column("h", h.clone())
                .record(recording.clone())
                .chunk(chunk)
        };
        let whole = sweep(10).build().expect("valid").run().expect("sweep");
        let stop = |done: usize, _| {
            if done >= 40 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let part = sweep(10).progress(stop).build().expect("valid");
        let stopped = part.run().expect("sweep");
        assert_ne!(stopped, whole, "stopped");
        let bytes = part.checkpoint(&stopped);
        for chunk in [10, 7, 100] {
            let resumed = sweep(chunk).build().expect("valid");
            let resumed = resumed.resume(&bytes).expect("resumed");
            same(&resumed, &whole);
        }
        let other = sweep(10).parameter("e", 0.1).build();
        assert!(other.is_err(), "given twice");
        let other = sweep(10)
            .span(0.0, 2.1)
            .record(Recording::final_values())
            .build();
        let error = other.expect("valid").resume(&bytes).expect_err("refused");
        assert!(matches!(error, SweepError::Checkpoint(_)), "{error}");
    }
}
