//! Edges of time that nobody declares (case hyb-08): all are found, however long the steps.

use std::f64::consts::{PI, TAU};

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, Direction, EquationSystem, EquationSystemBuilder, Guard, TapeSystem, Trigger,
};
use bifrons_sim::{Recording, Run, Simulation, Sweep, uniform_times};
use proptest::prelude::*;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

/// Counts the crossings of a guard of time.
fn counter(guard: Expr, direction: Direction) -> EquationSystemBuilder {
    EquationSystem::builder("edges")
        .discrete("n", 0.0)
        .guard(Guard::new("edge", direction), guard)
        .update("edge", "n", s("n") + 1.0)
        .output("n", s("n"))
}

fn wave() -> Expr {
    (TAU * 1000.0 * s("time") - 1.0).sin()
}

fn run(system: &TapeSystem, end: f64, rows: usize) -> Run {
    Simulation::builder(system)
        .span(0.0, end)
        .record(Recording::times(uniform_times(0.0, end, rows)))
        .log_events(5000)
        .build()
        .expect("valid")
        .run()
        .expect("runs")
}

fn times(run: &Run) -> Vec<f64> {
    run.events().iter().map(|event| event.t).collect()
}

/// The `k`-th rising edge of the wave of the case.
fn edge(k: usize) -> f64 {
    (k as f64 + 1.0 / TAU) / 1000.0
}

#[test]
fn undeclared_edges_are_all_found_whatever_is_recorded() {
    let plain = compile(counter(wave(), Direction::Rising));
    // Long steps of something slow, too.
    let beside = counter(wave(), Direction::Rising).state("x", -s("x"), 1.0);
    let beside = compile(beside.output("x", s("x")));
    for system in [&plain, &beside] {
        for rows in [2, 10, 1001] {
            let run = run(system, 1.0, rows);
            assert_eq!(run.last_discrete(), [1000.0]);
            let times = times(&run);
            assert_eq!(times.len(), 1000);
            for (k, t) in times.iter().enumerate() {
                assert!((t - edge(k)).abs() < 1e-9, "edge {k}: {t}");
            }
        }
    }
}

#[test]
fn edges_that_are_declared_as_instants_are_counted() {
    let offset = "0.00015915494309189535".parse().expect("decimal");
    let period = "0.001".parse().expect("decimal");
    let system = EquationSystem::builder("declared")
        .discrete("n", 0.0)
        .clock(Clock::new("edge", period, offset))
        .update("edge", "n", s("n") + 1.0)
        .output("n", s("n"));
    let run = run(&compile(system), 1.0, 10);
    assert_eq!(run.last_discrete(), [1000.0]);
    let times = times(&run);
    assert!((times[0] - 0.000_159_154_943_091_895_32).abs() < 1e-9);
    assert!((times[999] - 0.999_159_154_943_091_9).abs() < 1e-9);
}

#[test]
fn waves_with_jumps_have_all_their_edges() {
    let t = s("time");
    // Rises through zero in the middle of a tooth, falls at its end by a jump.
    let teeth = t.modulo(0.01) - 0.004;
    let square = (100.0 * &t).floor().modulo(2.0) - 0.5;
    let choice = Expr::select((50.0 * TAU * &t).sin().gt(0.5), 1.0, -1.0);
    for (what, guard, direction, count) in [
        ("teeth", &teeth, Direction::Rising, 100),
        ("teeth", &teeth, Direction::Falling, 99),
        ("square", &square, Direction::Rising, 50),
        ("square", &square, Direction::Either, 99),
        ("choice", &choice, Direction::Falling, 50),
    ] {
        let run = run(&compile(counter(guard.clone(), direction)), 0.999, 2);
        assert_eq!(times(&run).len(), count, "{what} {direction:?}");
    }
    let run = run(&compile(counter(teeth, Direction::Rising)), 0.999, 2);
    for (k, t) in times(&run).iter().enumerate() {
        // Rounding of the remainder.
        let exact = 0.01 * k as f64 + 0.004;
        assert!((t - exact).abs() < 1e-15, "{t} for {exact}");
    }
}

#[test]
fn edges_far_from_zero_are_found() {
    // Angles beyond a million.
    let system = compile(counter(wave(), Direction::Rising));
    let run = Simulation::builder(&system)
        .span(100_000.0, 100_000.05)
        .log_events(99)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    assert_eq!(run.last_discrete(), [50.0]);
}

#[test]
fn a_guard_that_only_nearly_touches_never_fires() {
    let near = wave() - 1.000_001;
    let run = run(&compile(counter(near, Direction::Either)), 0.3, 2);
    assert_eq!(run.last_discrete(), [0.0]);
    // And one that passes by a little fires twice per turn.
    let through = wave() - 0.999_999;
    let run = self::run(&compile(counter(through, Direction::Either)), 0.1, 2);
    assert_eq!(run.last_discrete(), [200.0]);
}

#[test]
fn what_cannot_be_proved_costs_a_bounded_time() {
    let t = 100.0 * s("time");
    let zero = t.sin().powi(2) + t.cos().powi(2) - 1.0;
    let system = counter(wave(), Direction::Rising);
    let system = system.guard(Guard::new("noise", Direction::Rising).observed(), zero);
    let run = run(&compile(system), 0.01, 2);
    assert_eq!(run.last_discrete(), [10.0]);
}

#[test]
fn observed_edges_change_no_step_and_are_all_seen() {
    let oscillator = |observed: bool| {
        let builder = EquationSystem::builder("oscillator")
            .state("x", s("v"), 1.0)
            .state("v", -s("x"), 0.0)
            .output("x", s("x"));
        compile(if observed {
            builder.guard(Guard::new("edge", Direction::Rising).observed(), wave())
        } else {
            builder
        })
    };
    let [without, with] = [false, true].map(|observed| {
        Simulation::builder(&oscillator(observed))
            .span(0.0, 1.0)
            .record(Recording::every_step())
            .log_events(1000)
            .build()
            .expect("valid")
            .run()
            .expect("runs")
    });
    assert_eq!(without.times(), with.times());
    assert_eq!(without.last_state(), with.last_state());
    assert_eq!(with.events().len(), 1000);
}

#[test]
fn edges_are_found_backwards_in_time() {
    let system = compile(counter(wave(), Direction::Falling));
    let run = Simulation::builder(&system)
        .backward_span(0.1, 0.0)
        .log_events(999)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    // Falling along the run is rising along time.
    let times = times(&run);
    assert_eq!(times.len(), 100);
    for (k, t) in times.iter().rev().enumerate() {
        assert!((t - edge(k)).abs() < 1e-12);
    }
}

#[test]
fn edges_that_an_update_moves_are_followed() {
    // A pulse of fixed length after each edge, by a guard that reads a discrete state.
    let system = EquationSystem::builder("pulse")
        .discrete("start", -1.0)
        .discrete("on", 0.0)
        .discrete("n", 0.0)
        .guard(Guard::new("edge", Direction::Rising), wave())
        .guard(
            Guard::new("over", Direction::Rising),
            s("time") - s("start") - 2e-4,
        )
        .update("edge", "start", s("time"))
        .update("edge", "on", Expr::constant(1.0))
        .update("over", "on", Expr::constant(0.0))
        .update("over", "n", s("n") + 1.0)
        .output("on", s("on"));
    let run = run(&compile(system), 0.5, 2);
    assert_eq!(run.last_discrete()[2], 500.0);
    let ends = run.events().iter();
    let ends = ends.filter(|event| event.trigger == Trigger::Guard(1));
    for (k, event) in ends.enumerate() {
        assert!((event.t - edge(k) - 2e-4).abs() < 1e-12);
    }
}

#[test]
fn members_with_edges_have_the_bits_of_the_run_alone() {
    let guard = (TAU * s("f") * s("time") - 1.0).sin();
    let builder = counter(guard, Direction::Rising).parameter("f", 10.0);
    let system = compile(builder.state("x", s("n") - s("x"), 0.0).output("x", s("x")));
    let f: Vec<f64> = (0..20).map(|k| 40.0 + 7.0 * f64::from(k)).collect();
    let recording = Recording::times(uniform_times(0.0, 1.0, 9));
    for lanes in [1, 16] {
        let sweep = Sweep::builder(&system)
            .span(0.0, 1.0)
            .column("f", f.clone())
            .record(recording.clone())
            .lanes(lanes)
            .build()
            .expect("valid")
            .run()
            .expect("runs");
        for (member, &f) in f.iter().enumerate() {
            let alone = Simulation::builder(&system)
                .span(0.0, 1.0)
                .parameter("f", f)
                .record(recording.clone())
                .build()
                .expect("valid")
                .run()
                .expect("runs");
            assert_eq!(alone.last_discrete(), [f], "f = {f}");
            let bits = |values: &[f64]| values.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
            let (one, own) = (alone.signal("x"), sweep.rows("x", member));
            assert_eq!(bits(one.expect("x")), bits(own.expect("x")), "{member}");
            assert_eq!(sweep.reports()[member], *alone.report());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The zeros of a product of waves are those of its factors.
    #[test]
    fn every_zero_of_a_product_of_waves_is_an_edge(
        waves in prop::collection::vec((1.0_f64..3000.0, 0.0_f64..TAU), 1..4),
    ) {
        let factor = |&(omega, phase): &(f64, f64)| (omega * s("time") + phase).sin();
        let guard = waves.iter().map(factor).reduce(|a, b| a * b).expect("one");
        let mut expected: Vec<f64> = Vec::new();
        for &(omega, phase) in &waves {
            let first = (phase / PI).floor() + 1.0;
            let zeros = (0..).map(|k| ((first + f64::from(k)) * PI - phase) / omega);
            expected.extend(zeros.take_while(|t| *t < 1.0));
        }
        expected.sort_by(f64::total_cmp);
        // Two zeros closer than rounding are one that touches; so is one at an end.
        let apart = expected.windows(2).all(|pair| pair[1] - pair[0] > 1e-9);
        let inside = expected.iter().all(|t| *t > 1e-9 && *t < 1.0 - 1e-9);
        prop_assume!(apart && inside);
        let run = run(&compile(counter(guard, Direction::Either)), 1.0, 2);
        let found = times(&run);
        prop_assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(&expected) {
            // The argument of a wave has an error of a unit in the last place of at most 3000,
            // which moves a zero by that over the frequency; the other factors move no zero.
            let least = waves.iter().map(|wave| wave.0).fold(f64::INFINITY, f64::min);
            prop_assert!((a - b).abs() <= 4.0 * f64::EPSILON * (1.0 + 10.0 / least), "{a} {b}");
        }
    }
}
