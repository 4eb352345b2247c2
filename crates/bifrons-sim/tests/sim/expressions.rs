//! Recorded expressions, and rows of a period.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, Direction, EquationSystem, Guard, Rational, TapeSystem, TimelineError,
};
use bifrons_parallel::Threads;
use bifrons_sim::{BuildError, Overflow, Recording, Reduction, Run, Simulation, Sweep};
use bifrons_sim::{SimulationBuilder, uniform_times};

use crate::models;

/// A ball that bounces, and a counter of tenths.
pub(crate) fn ball() -> TapeSystem {
    let s = Expr::symbol;
    EquationSystem::builder("ball")
        .parameter("e", 0.8)
        .parameter("g", 9.81)
        .state("h", s("v"), 1.0)
        .state("v", -s("g"), 0.0)
        .discrete("n", 0.0)
        .clock(Clock::new("tenths", rational("0.1"), Rational::ZERO))
        .update("tenths", "n", s("n") + 1.0)
        .guard(Guard::new("floor", Direction::Falling), s("h"))
        .update("floor", "v", -(s("e") * s("v")))
        .output("h", s("h"))
        .output("energy", s("v") * s("v") / 2.0 + s("g") * s("h"))
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

fn rational(text: &str) -> Rational {
    text.parse().expect("a decimal number")
}

fn builder(system: &TapeSystem, recording: Recording) -> SimulationBuilder<'_, TapeSystem> {
    Simulation::builder(system).span(0.0, 1.5).record(recording)
}

fn run(system: &TapeSystem, recording: Recording) -> Run {
    let simulation = builder(system, recording).build().expect("valid run");
    simulation.run().expect("ball")
}

/// Expressions over an output, a state, a discrete state, a parameter and time.
fn with_expressions(recording: Recording) -> Recording {
    recording
        .expression("kinetic", "energy - g * h")
        .expression("speed", "abs(v)")
        .expression("late", "n * 0.1 - time")
        .expression("twice", Expr::symbol("h") * 2.0)
}

fn recordings() -> Vec<Recording> {
    vec![
        Recording::times(uniform_times(0.0, 1.5, 151)),
        Recording::every_step().capacity(4000, Overflow::Error),
        Recording::events().capacity(4000, Overflow::Error),
        Recording::final_values(),
        Recording::period(rational("0.05")),
    ]
}

#[test]
fn expressions_are_what_their_parts_are() {
    let system = ball();
    for recording in recordings() {
        let run = run(&system, with_expressions(recording.clone()));
        let column = |name: &str| run.signal(name).expect("recorded").to_vec();
        let (h, energy, speed) = (column("h"), column("energy"), column("speed"));
        assert!(!h.is_empty(), "rows of {recording:?}");
        for (row, &t) in run.times().iter().enumerate() {
            let kinetic = energy[row] - 9.81 * h[row];
            assert_eq!(column("kinetic")[row], kinetic, "row {row} at {t}");
            assert_eq!(column("twice")[row], h[row] * 2.0, "row {row} at {t}");
            // The energy is the output; its roundings are 3 u of numbers up to 10.
            let half_square = speed[row] * speed[row] / 2.0;
            assert!((half_square - kinetic).abs() < 1e-14, "row {row} at {t}");
        }
        // The counter has made one more tick than tenths have passed.
        let late = column("late");
        assert!(
            late.iter().all(|x| (-1e-12..=0.1 + 1e-12).contains(x)),
            "{late:?}"
        );
    }
}

#[test]
fn expressions_change_no_step_and_no_other_column() {
    let system = ball();
    for recording in recordings() {
        let (bare, more) = (
            run(&system, recording.clone()),
            run(&system, with_expressions(recording)),
        );
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bare.report(), more.report(), "steps and rows");
        assert_eq!(bare.rhs_count(), more.rhs_count(), "evaluations");
        assert_eq!(
            bits(bare.last_state()),
            bits(more.last_state()),
            "last state"
        );
        assert_eq!(bits(bare.times()), bits(more.times()), "times of rows");
        assert_eq!(bare.marks(), more.marks(), "sides of events");
        for name in ["h", "energy"] {
            let column = |run: &Run| bits(run.signal(name).expect("recorded"));
            assert_eq!(column(&bare), column(&more), "{name}");
        }
    }
}

#[test]
fn members_have_the_expressions_of_the_run_alone() {
    let system = ball();
    let bounces: Vec<f64> = (0..21).map(|i| 0.5 + 0.02 * f64::from(i)).collect();
    let reduce = Recording::reduce(
        uniform_times(0.0, 1.5, 31),
        &[Reduction::Max, Reduction::Quantile(0.5)],
    );
    for recording in recordings().into_iter().chain([reduce]) {
        let recording = with_expressions(recording).signals(["h"]);
        for (lanes, threads, chunk) in [(16, 1, 21), (16, 2, 5), (1, 3, 4)] {
            let sweep = Sweep::builder(&system)
                .span(0.0, 1.5)
                .column("e", bounces.clone())
                .record(recording.clone())
                .lanes(lanes)
                .threads(Threads::new(threads).expect("threads"))
                .chunk(chunk)
                .build()
                .expect("valid sweep");
            let result = sweep.run().expect("fits");
            for (member, &e) in bounces.iter().enumerate() {
                let alone = builder(&system, recording.clone()).parameter("e", e);
                let alone = alone.build().expect("valid run").run().expect("ball");
                for name in alone.names() {
                    let own = alone.signal(name).expect("recorded");
                    let rows = result.rows(name, member).expect("recorded");
                    let same = own
                        .iter()
                        .zip(rows)
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(same && own.len() == rows.len(), "{name} of member {member}");
                }
            }
        }
    }
}

#[test]
fn expressions_alone_and_bad_ones() {
    let system = models::decay();
    let none: [&str; 0] = [];
    let only = Recording::final_values().signals(none);
    let run = run(&system, only.expression("sum", "x + slope + gain.k"));
    assert_eq!(run.names().collect::<Vec<_>>(), ["sum"], "nothing else");
    assert_eq!(run.signal("sum").expect("recorded"), [-1.0], "x - x - 1");

    let refused = |name: &str, recording: Recording| {
        let error = builder(&system, recording).build().map(drop);
        error.expect_err(name)
    };
    let text = |text: &str| refused(text, Recording::final_values().expression("e", text));
    let BuildError::Expression { name, error } = text("2 * slop") else {
        panic!("an unknown name is an error of the expression")
    };
    assert_eq!((name.as_str(), error.span()), ("e", 4..8), "place");
    assert_eq!(error.suggestion(), Some("slope"), "the nearest name");
    let broken = text("2 * (x");
    assert!(
        matches!(broken, BuildError::Expression { .. }),
        "{broken:?}"
    );
    let built = Recording::final_values().expression("e", Expr::symbol("y"));
    let BuildError::UnknownName(unknown) = refused("y", built) else {
        panic!("an unknown symbol is named")
    };
    assert_eq!(unknown.name, "y", "the symbol");
    let same = refused("x", Recording::final_values().expression("x", "slope"));
    assert_eq!(
        same,
        BuildError::SameColumn { name: "x".into() },
        "typed error"
    );
}

#[test]
fn rows_of_a_period_neither_drift_nor_get_lost() {
    let system = models::decay();
    let times = |span: (f64, f64), recording: Recording| {
        let builder = Simulation::builder(&system).record(recording);
        let builder = if span.1 < span.0 {
            builder.backward_span(span.0, span.1)
        } else {
            builder.span(span.0, span.1)
        };
        let run = builder.build().expect("valid run").run().expect("decay");
        run.times().to_vec()
    };
    let tenth = || Recording::period(rational("0.1"));
    // An integer divided by ten is the number nearest to its tenths.
    let tenths = |from: i32, to: i32| (from..=to).map(|k| f64::from(k) / 10.0).collect::<Vec<_>>();
    assert_eq!(times((0.0, 10.0), tenth()), tenths(0, 100), "both ends");
    assert_eq!(
        times((0.3, 1.25), tenth()),
        tenths(3, 12),
        "an end off the grid"
    );
    assert_eq!(times((2.0, 2.0), tenth()), [2.0], "an empty span");
    let back: Vec<f64> = tenths(-2, 7).into_iter().rev().collect();
    assert_eq!(times((0.7, -0.2), tenth()), back, "against time");
    let third = Recording::period(Rational::new(1, 3).expect("a third"));
    let thirds: Vec<f64> = (0..=30).map(|k| f64::from(k) / 3.0).collect();
    assert_eq!(times((0.0, 10.0), third), thirds, "rational periods");

    for overflow in [Overflow::Thin, Overflow::KeepLast] {
        let bounded = times((0.0, 10.0), tenth().capacity(17, overflow));
        let listed = Recording::times(tenths(0, 100)).capacity(17, overflow);
        assert_eq!(bounded, times((0.0, 10.0), listed), "{overflow:?}");
    }
    let build = |recording: Recording| {
        let builder = Simulation::builder(&system).span(0.0, 10.0);
        let error = builder.record(recording).build().map(drop);
        error.expect_err("refused")
    };
    let full = build(tenth().capacity(100, Overflow::Error));
    assert_eq!(
        full,
        BuildError::TooManyRows {
            due: 101,
            rows: 100
        },
        "one too many"
    );
    let endless = build(Recording::period(rational("1e-12")));
    assert!(
        matches!(endless, BuildError::TooManyRows { .. }),
        "{endless:?}"
    );
    let zero = build(Recording::period(Rational::ZERO));
    assert!(
        matches!(zero, BuildError::Clocks(TimelineError::Period { .. })),
        "{zero:?}"
    );
}
