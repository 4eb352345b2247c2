//! Quantiles and reductions of one's own.

use bifrons_expr::Expr;
use bifrons_hybrid::{EquationSystem, TapeSystem};
use bifrons_parallel::Threads;
use bifrons_sim::{
    Advance, BuildError, CheckpointError, CustomReduction, Recording, Reduction, ResumeError,
    Simulation, Sweep, SweepResult, uniform_times,
};
use proptest::prelude::*;

use crate::models;

/// The root of the mean square.
pub(crate) fn rms() -> CustomReduction {
    CustomReduction::new(
        "rms",
        [0.0, 0.0],
        |[count, sum]: &mut [f64; 2], _t, x| {
            *count += 1.0;
            *sum += x * x;
        },
        |[count, sum]| (sum / count).sqrt(),
    )
}

/// The time of the last sample above a half.
fn last_above() -> CustomReduction {
    CustomReduction::new(
        "last_above",
        [f64::NAN],
        |[last]: &mut [f64; 1], t, x| {
            if x > 0.5 {
                *last = t;
            }
        },
        |[last]| *last,
    )
}

/// `x' = s`, `x(0) = 0`, and an output that jumps to NaN after `time = 2`.
fn ramp() -> TapeSystem {
    let s = Expr::symbol;
    EquationSystem::builder("ramp")
        .parameter("s", 1.0)
        .state("x", s("s"), 0.0)
        .output("x", s("x"))
        .output("root", (Expr::constant(2.0) - s("x")).sqrt())
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

/// The definition, on a copy that is sorted by insertion.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a position within the samples"
)]
fn naive_quantile(samples: &[f64], q: f64) -> f64 {
    let mut sorted: Vec<f64> = Vec::new();
    for &sample in samples {
        let place = sorted.iter().filter(|&&own| own <= sample).count();
        sorted.insert(place, sample);
    }
    let h = (sorted.len() - 1) as f64 * q;
    let low = sorted[h.floor() as usize];
    let high = sorted[h.ceil() as usize];
    low + (h - h.floor()) * (high - low)
}

fn sweep(
    system: &TapeSystem,
    springs: &[f64],
    recording: Recording,
    (lanes, threads, chunk): (usize, usize, usize),
) -> SweepResult {
    Sweep::builder(system)
        .span(0.0, 10.0)
        .column("spring.k", springs.to_vec())
        .record(recording)
        .lanes(lanes)
        .threads(Threads::new(threads).expect("threads"))
        .chunk(chunk)
        .build()
        .expect("valid sweep")
        .run()
        .expect("fits")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn quantiles_agree_with_the_sorted_rows(
        count in 1_usize..200,
        probabilities in proptest::collection::vec(0.0..=1.0_f64, 1..4),
    ) {
        let mut probabilities = probabilities;
        probabilities.extend([0.0, 0.5, 1.0]);
        probabilities.sort_by(f64::total_cmp);
        probabilities.dedup();
        let system = models::oscillator();
        let springs: Vec<f64> = (0..19).map(|i| -0.5 - 0.3 * f64::from(i)).collect();
        let times = uniform_times(0.0, 10.0, count);
        let way = (16, 1, 19);
        let rows = sweep(&system, &springs, Recording::times(times.clone()), way);
        let all: Vec<_> = probabilities.iter().map(|&q| Reduction::Quantile(q)).collect();
        let reduced = sweep(&system, &springs, Recording::reduce(times, &all), way);
        for member in 0..springs.len() {
            let x = rows.rows("x", member).expect("recorded");
            let largest = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let mut before = f64::NEG_INFINITY;
            for &q in &probabilities {
                let found = reduced.rows(&format!("x.q{q}"), member).expect("reduced")[0];
                let naive = naive_quantile(x, q);
                // With u = ε / 2 and M the largest sample: three roundings of ours move it by
                // 3 u M, four of the other form by 5 u M.
                let bound = 4.0 * f64::EPSILON * largest;
                prop_assert!((found - naive).abs() <= bound, "q = {q}: {found} and {naive}");
                prop_assert!(found >= before - bound, "a larger q has no smaller quantile");
                before = found;
            }
            let ends = [reduced.rows("x.q0", member), reduced.rows("x.q1", member)];
            let [least, most] = ends.map(|end| end.expect("reduced")[0]);
            prop_assert_eq!(least, x.iter().copied().fold(f64::INFINITY, f64::min));
            prop_assert_eq!(most, x.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }
}

#[test]
fn quantiles_of_a_ramp_have_their_closed_form() {
    let system = ramp();
    // Sample k is k / 4, so the quantile is h / 4 with h = 8 q.
    let all = [0.0, 0.1, 0.25, 0.3, 0.5, 0.95, 1.0].map(Reduction::Quantile);
    let run = Simulation::builder(&system)
        .span(0.0, 2.0)
        .record(Recording::reduce(uniform_times(0.0, 2.0, 9), &all).signals(["x"]))
        .build()
        .expect("valid run")
        .run()
        .expect("ramp");
    for q in [0.0, 0.1, 0.25, 0.3, 0.5, 0.95, 1.0] {
        let found = run.signal(&format!("x.q{q}")).expect("reduced")[0];
        // The integrator adds a few roundings per step to a slope of one.
        assert!((found - 2.0 * q).abs() < 1e-13, "q = {q}: {found}");
    }
}

#[test]
fn one_sample_that_is_not_a_number_makes_the_quantile_nan() {
    let system = ramp();
    let reductions = [Reduction::Quantile(0.5), Reduction::Quantile(0.0)];
    let run = |t_end: f64| {
        Simulation::builder(&system)
            .span(0.0, t_end)
            .record(Recording::reduce(uniform_times(0.0, t_end, 7), &reductions))
            .build()
            .expect("valid run")
            .run()
            .expect("ramp")
    };
    let number = |run: &bifrons_sim::Run, name: &str| run.signal(name).expect("reduced")[0];
    let (good, bad) = (run(1.0), run(3.0));
    assert!(number(&good, "root.q0.5").is_finite(), "all samples valid");
    for name in ["root.q0.5", "root.q0"] {
        assert!(number(&bad, name).is_nan(), "{name}");
    }
    assert!(number(&bad, "x.q0.5").is_finite(), "the other signal");
}

#[test]
fn folds_of_ones_own_have_the_bits_of_a_loop_over_the_rows() {
    let system = models::oscillator();
    let springs: Vec<f64> = (0..37).map(|i| -0.5 - 0.2 * f64::from(i)).collect();
    let times = uniform_times(0.0, 10.0, 151);
    let rows = sweep(
        &system,
        &springs,
        Recording::times(times.clone()),
        (16, 1, 37),
    );
    let all = [
        Reduction::Custom(rms()),
        Reduction::Max,
        Reduction::Quantile(0.9),
        Reduction::Custom(last_above()),
    ];
    let names = ["x.rms", "x.last_above", "x.max", "x.q0.9"];
    let recording = Recording::reduce(times.clone(), &all);
    let first = sweep(&system, &springs, recording.clone(), (16, 1, 37));
    for (member, &spring) in springs.iter().enumerate() {
        let x = rows.rows("x", member).expect("recorded");
        let squares = x.iter().fold(0.0, |sum, x| sum + x * x);
        let late = times.iter().zip(x).rfind(|(_, x)| **x > 0.5);
        let number = |name| first.rows(name, member).expect("reduced")[0];
        let rms = (squares / x.len() as f64).sqrt();
        assert_eq!(number("x.rms"), rms, "root mean square of member {member}");
        let last = late.map(|(t, _)| *t);
        assert_eq!(Some(number("x.last_above")), last, "member {member}");
        let alone = Simulation::builder(&system)
            .span(0.0, 10.0)
            .parameter("spring.k", spring)
            .record(recording.clone())
            .build()
            .expect("valid run")
            .run()
            .expect("oscillator");
        for name in names {
            let own = alone.signal(name).expect("reduced")[0];
            assert_eq!(number(name).to_bits(), own.to_bits(), "{name} of {member}");
        }
    }
    for way in [(1, 1, 37), (16, 2, 5), (1, 3, 4), (16, 4, 16)] {
        let other = sweep(&system, &springs, recording.clone(), way);
        for name in names {
            let bits = |result: &SweepResult| {
                let column = result.column(name).expect("reduced").0;
                column.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(
                bits(&other),
                bits(&first),
                "{name}, lanes, threads, chunk {way:?}"
            );
        }
    }
}

#[test]
fn a_member_without_samples_has_nan_and_an_early_end_counts_up_to_it() {
    let system = models::oscillator();
    let recording = || {
        let all = [Reduction::Custom(rms()), Reduction::Quantile(0.5)];
        Recording::reduce(uniform_times(0.0, 10.0, 11), &all)
    };
    let result = sweep(&system, &[-1.0, f64::NAN, -2.0], recording(), (16, 1, 3));
    for name in ["x.rms", "x.q0.5"] {
        let (column, _) = result.column(name).expect("reduced");
        assert!(column[1].is_nan(), "{name} of the member that was not run");
        assert!(column[0].is_finite() && column[2].is_finite(), "{name}");
    }
}

#[test]
fn a_checkpoint_knows_its_reductions() {
    let system = models::oscillator();
    let simulation = |custom: CustomReduction| {
        let all = [Reduction::Custom(custom), Reduction::Quantile(0.3)];
        Simulation::builder(&system)
            .span(0.0, 10.0)
            .record(Recording::reduce(uniform_times(0.0, 10.0, 31), &all))
            .build()
            .expect("valid run")
    };
    let own = simulation(rms());
    let Advance::Paused(checkpoint) = own.run_until(|t, _| t > 5.0).expect("run") else {
        panic!("ended before the pause")
    };
    let whole = own.run().expect("oscillator");
    assert_eq!(own.resume(&checkpoint).expect("resumed"), whole, "resumed");
    let error = simulation(last_above()).resume(&checkpoint);
    let expected = CheckpointError::OtherRun { what: "recording" };
    assert_eq!(
        error,
        Err(ResumeError::Checkpoint(expected)),
        "another fold"
    );
}

#[test]
fn reductions_that_make_no_sense_are_refused() {
    let system = models::decay();
    let build = |reductions: &[Reduction]| {
        let recording = Recording::reduce(vec![0.0, 1.0], reductions);
        let sweep = Sweep::builder(&system).record(recording.clone()).build();
        let run = Simulation::builder(&system).record(recording).build();
        let error = sweep.map(drop).expect_err("no sense");
        let own = run.map(drop).expect_err("no sense");
        assert_eq!(own.to_string(), error.to_string(), "runs and sweeps agree");
        error
    };
    for q in [-0.1, 1.5, f64::INFINITY] {
        let expected = BuildError::Quantile { probability: q };
        assert_eq!(build(&[Reduction::Quantile(q)]), expected, "typed error");
    }
    let nan = build(&[Reduction::Quantile(f64::NAN)]).to_string();
    assert!(nan.ends_with("between 0 and 1, got NaN"), "{nan}");
    let twice = |name: &str| BuildError::SameColumn { name: name.into() };
    let custom = Reduction::Custom(rms());
    assert_eq!(
        build(&[custom.clone(), custom]),
        twice("slope.rms"),
        "twice"
    );
    let max = CustomReduction::new("max", [0.0], |_: &mut [f64; 1], _, _| {}, |[x]| *x);
    let error = build(&[Reduction::Max, Reduction::Custom(max)]);
    assert_eq!(error, twice("slope.max"), "the name of another reduction");
}
