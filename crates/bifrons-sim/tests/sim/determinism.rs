//! Member `i` of a sweep has the bits of the run alone.

use crate::models;
use bifrons_hybrid::TapeSystem;
use bifrons_parallel::Threads;
use bifrons_sim::{Overflow, Recording, Reduction, Simulation, Sweep, SweepResult, uniform_times};

/// Gains between -0.5 and -2.5, so that members need different numbers of steps.
fn gains(members: usize) -> Vec<f64> {
    (0..members)
        .map(|i| -0.5 - 2.0 * ((i * 37) % 101) as f64 / 100.0)
        .collect()
}

fn recordings() -> Vec<Recording> {
    let times = uniform_times(0.0, 5.0, 23);
    vec![
        Recording::times(times.clone()),
        Recording::times(times.clone()).signals(["slope"]),
        Recording::final_values(),
        Recording::every_step().capacity(9, Overflow::Thin),
        Recording::every_step().capacity(5, Overflow::KeepLast),
        Recording::reduce(
            times,
            &[
                Reduction::Mean,
                Reduction::Min,
                Reduction::Max,
                Reduction::Integral,
                Reduction::Quantile(0.75),
                Reduction::Custom(crate::reductions::rms()),
            ],
        ),
    ]
}

fn sweep(
    system: &TapeSystem,
    gains: &[f64],
    recording: &Recording,
    (lanes, threads, chunk): (usize, usize, Option<usize>),
) -> SweepResult {
    let mut builder = Sweep::builder(system)
        .span(0.0, 5.0)
        .column("gain.k", gains.to_vec())
        .tolerance(1e-6, 1e-8)
        .record(recording.clone())
        .threads(Threads::new(threads).expect("threads"))
        .lanes(lanes);
    if let Some(width) = chunk {
        builder = builder.chunk(width);
    }
    builder.build().expect("valid sweep").run().expect("fits")
}

/// Everything of a member that a user can see, as bits.
fn bits(result: &SweepResult, member: usize) -> Vec<u64> {
    let names: Vec<String> = result.names().map(str::to_owned).collect();
    let report = result.reports()[member];
    let mut bits: Vec<u64> = result.times(member).iter().map(|t| t.to_bits()).collect();
    for name in &names {
        bits.extend(
            result
                .rows(name, member)
                .expect("recorded")
                .iter()
                .map(|y| y.to_bits()),
        );
    }
    bits.extend(
        [
            report.accepted,
            report.rejected,
            report.rows,
            report.dropped,
        ]
        .map(u64::from),
    );
    bits
}

#[test]
fn sweeps_have_the_same_bits_for_all_lanes_threads_chunks_and_orders() {
    let system = models::decay();
    let gains = gains(70);
    let reversed: Vec<f64> = gains.iter().rev().copied().collect();
    for recording in recordings() {
        let reference = sweep(&system, &gains, &recording, (1, 1, None));
        for lanes in [1, 16] {
            for threads in [1, 2, 4] {
                for chunk in [Some(1), Some(7), Some(64), None] {
                    let cut = (lanes, threads, chunk);
                    let result = sweep(&system, &gains, &recording, cut);
                    assert_eq!(result, reference, "{cut:?} {recording:?}");
                    let backwards = sweep(&system, &reversed, &recording, cut);
                    for member in 0..gains.len() {
                        let there = gains.len() - 1 - member;
                        let same = bits(&backwards, there) == bits(&reference, member);
                        assert!(same, "member {member} in reversed order, {cut:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_member_has_the_bits_of_the_run_alone() {
    let system = models::decay();
    let gains = gains(20);
    for recording in recordings() {
        let result = sweep(&system, &gains, &recording, (16, 1, None));
        for (member, &gain) in gains.iter().enumerate() {
            let run = Simulation::builder(&system)
                .span(0.0, 5.0)
                .parameter("gain.k", gain)
                .tolerance(1e-6, 1e-8)
                .record(recording.clone())
                .build()
                .expect("valid run")
                .run()
                .expect("decay");
            for name in run.names() {
                let alone: Vec<u64> = run
                    .signal(name)
                    .expect("recorded")
                    .iter()
                    .map(|y| y.to_bits())
                    .collect();
                let swept: Vec<u64> = result
                    .rows(name, member)
                    .expect("recorded")
                    .iter()
                    .map(|y| y.to_bits())
                    .collect();
                assert_eq!(alone, swept, "{name} of member {member}, {recording:?}");
            }
            assert_eq!(run.report(), &result.reports()[member], "member {member}");
        }
    }
}

#[test]
fn recording_does_not_change_the_steps() {
    let system = models::oscillator();
    let run = |recording: Recording| {
        Simulation::builder(&system)
            .span(0.0, 20.0)
            .record(recording)
            .build()
            .expect("valid run")
            .run()
            .expect("oscillator")
    };
    let reference = run(Recording::final_values());
    for recording in [
        Recording::every_step(),
        Recording::times(uniform_times(0.0, 20.0, 1000)),
        Recording::every_step().capacity(10, Overflow::Thin),
    ] {
        let other = run(recording);
        assert_eq!(
            other.report().accepted,
            reference.report().accepted,
            "accepted steps"
        );
        let bits = |state: &[f64]| state.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(other.last_state()),
            bits(reference.last_state()),
            "last state"
        );
    }
}
