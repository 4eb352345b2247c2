//! Guards: located crossings, resets, chattering and accumulation (cases hyb-08, ode-01, ode-04,
//! ode-05, ode-07, ode-08, ode-14 and ode-15 through the driver of systems).

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Direction, EquationSystem, EquationSystemBuilder, Guard, TapeSystem, Trigger,
};
use bifrons_ode::{Options, Tolerance};
use bifrons_sim::{EventOptions, Mark, MemberFailure, Outcome, Recording, Run, Simulation, Sweep};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

fn event_times(run: &Run) -> Vec<f64> {
    run.events().iter().map(|event| event.t).collect()
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} for {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{a} for {b}");
    }
}

fn ball(direction: Direction) -> EquationSystemBuilder {
    EquationSystem::builder("ball")
        .parameter("g", 9.8)
        .parameter("e", 0.5)
        .parameter("y0", 1.0)
        .state("y", s("v"), s("y0"))
        .state("v", -s("g"), 0.0)
        .guard(Guard::new("floor", direction), s("y"))
        .update("floor", "v", -(s("e") * s("v")))
        .output("y", s("y"))
        .output("v", s("v"))
}

/// Impact `k` (from 0) of a ball dropped from `y0`.
fn impact(y0: f64, e: f64, k: i32) -> f64 {
    let first = (2.0 * y0 / 9.8).sqrt();
    first * (1.0 + 2.0 * e * (1.0 - e.powi(k)) / (1.0 - e))
}

#[test]
fn impacts_that_accumulate_fast_end_the_run_above_the_floor() {
    let system = compile(ball(Direction::Falling));
    let pushed = compile(
        EquationSystem::builder("pushed")
            .parameter("e", 0.5)
            .state("y", s("v"), 1.0)
            .state("v", 0.5 * (3.0 * s("time")).sin() - 9.8, 0.0)
            .guard(Guard::new("floor", Direction::Falling), s("y"))
            .update("floor", "v", -(s("e") * s("v")))
            .output("y", s("y")),
    );
    for system in [&system, &pushed] {
        for k in 1..40 {
            let e = 0.02 * f64::from(k);
            let fall = (2.0_f64 / 9.8).sqrt();
            let accumulation = fall * (1.0 + e) / (1.0 - e);
            let run = Simulation::builder(system)
                .span(0.0, accumulation + 2.0)
                .parameter("e", e)
                .record(Recording::every_step().signals(["y"]))
                .build()
                .expect("valid")
                .run()
                .expect("run");
            let guard = "floor".to_owned();
            let t = run.last_time();
            assert_eq!(run.outcome(), &Outcome::Chattering { guard, t }, "e = {e}");
            let near = if std::ptr::eq(system, &pushed) {
                0.2
            } else {
                1e-5
            };
            assert!(
                (t - accumulation).abs() < near * accumulation,
                "{t} for {accumulation}"
            );
            let lowest = run
                .signal("y")
                .expect("y")
                .iter()
                .fold(1.0_f64, |a, &b| a.min(b));
            assert!(lowest > -1e-12, "e = {e}: {lowest}");
        }
    }
}

#[test]
fn a_bouncing_ball_hits_the_floor_at_the_closed_form_until_impacts_accumulate() {
    for (e, least) in [(0.5, 20), (0.8, 60), (0.9, 120)] {
        let system = compile(ball(Direction::Falling));
        let accumulation = (2.0_f64 / 9.8).sqrt() * (1.0 + e) / (1.0 - e);
        let simulation = Simulation::builder(&system)
            .span(0.0, accumulation + 1.0)
            .parameter("e", e)
            .record(Recording::every_step())
            .log_events(10_000)
            .build()
            .expect("valid");
        let run = simulation.run().expect("an outcome");
        let Outcome::Chattering { guard, t } = run.outcome() else {
            panic!("impacts accumulate, got {:?}", run.outcome());
        };
        assert_eq!(guard, "floor");
        assert!(*t <= accumulation + 1e-9 && *t > impact(1.0, e, 10));
        let times = event_times(&run);
        assert!(times.len() >= least, "{} impacts at e = {e}", times.len());
        for (k, t) in times.iter().enumerate() {
            let exact = impact(1.0, e, i32::try_from(k).expect("few"));
            assert!(
                (t - exact).abs() <= 1e-9,
                "impact {k}: {t} for {exact} at e = {e}"
            );
        }
        let lowest = run
            .signal("y")
            .expect("y")
            .iter()
            .copied()
            .fold(1.0, f64::min);
        assert!(lowest >= -1e-9, "the ball fell to {lowest}");
    }
}

#[test]
fn both_sides_of_an_impact_are_rows() {
    let system = compile(ball(Direction::Falling));
    let simulation = Simulation::builder(&system)
        .span(0.0, 1.0)
        .record(Recording::events())
        .build()
        .expect("valid");
    let run = simulation.run().expect("runs");
    assert_eq!(
        run.marks(),
        [Mark::Before, Mark::After, Mark::Before, Mark::After]
    );
    assert_eq!(run.times()[0], run.times()[1]);
    let v = run.signal("v").expect("v");
    assert!((v[1] + 0.5 * v[0]).abs() < 1e-15 && v[0] < 0.0);
    assert_eq!(run.outcome(), &Outcome::Reached);
}

#[test]
fn a_row_at_the_time_of_an_event_shows_the_values_after_it() {
    let system = compile(
        EquationSystem::builder("step")
            .state("x", 1.0, 0.0)
            .discrete("d", 0.0)
            .guard(Guard::new("half", Direction::Rising), s("x") - 0.5)
            .update("half", "d", 1.0)
            .output("d", s("d")),
    );
    let run = |times: Vec<f64>| {
        Simulation::builder(&system)
            .span(0.0, 1.0)
            .record(Recording::times(times))
            .log_events(1)
            .build()
            .expect("valid")
            .run()
            .expect("runs")
    };
    let t = run(vec![]).events()[0].t;
    assert!((t - 0.5).abs() <= 4.0 * f64::EPSILON);
    let run = run(vec![0.0, 0.25, t.next_down(), t, t.next_up(), 1.0]);
    assert_eq!(run.signal("d").expect("d"), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(run.last_discrete(), [1.0]);
}

#[test]
fn a_start_on_the_surface_is_not_a_crossing() {
    for direction in [Direction::Falling, Direction::Either] {
        let system = compile(
            EquationSystem::builder("throw")
                .state("x", s("v"), 0.0)
                .state("v", -9.81, 10.0)
                .guard(Guard::new("ground", direction).terminal(), s("x"))
                .output("v", s("v")),
        );
        let run = Simulation::builder(&system)
            .span(0.0, 3.0)
            .log_events(9)
            .build()
            .expect("valid")
            .run()
            .expect("runs");
        close(&event_times(&run), &[2.038_735_983_690_112], 1e-8);
        assert!((run.last_state()[1] + 10.0).abs() < 1e-7);
        assert!(matches!(run.outcome(), Outcome::Terminated { guard, .. } if guard == "ground"));
    }
}

#[test]
fn several_crossings_in_one_step_are_all_found_in_order() {
    let system = compile(
        EquationSystem::builder("cubic")
            .state(
                "y",
                3.0 * s("time").powi(2) + 12.0 * s("time") - 4.0,
                -120.0,
            )
            .guard(Guard::new("g", Direction::Either).observed(), s("y"))
            .output("y", s("y")),
    );
    let run = Simulation::builder(&system)
        .span(-8.0, 4.0)
        .tolerance(1e-3, 1e-6)
        .log_events(9)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    close(&event_times(&run), &[-6.0, -2.0, 2.0], 1e-4);
    let line = compile(
        EquationSystem::builder("line")
            .state("x", 1.0, -1.0)
            .guard(
                Guard::new("g", Direction::Either),
                (2.5 - s("x")) * (5.0 - s("x")) * (0.0 - s("x")),
            )
            .output("x", s("x")),
    );
    let run = Simulation::builder(&line)
        .span(0.0, 7.0)
        .log_events(9)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    close(&event_times(&run), &[1.0, 3.5, 6.0], 1e-6);
}

#[test]
fn a_surface_that_is_only_touched_fires_once_at_most() {
    let system = compile(
        EquationSystem::builder("touch")
            .state("y", 2.0 * (s("time") - 1.0), 1.0)
            .guard(Guard::new("g", Direction::Either), s("y"))
            .output("y", s("y")),
    );
    let run = Simulation::builder(&system)
        .span(0.0, 3.0)
        .log_events(9)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    let times = event_times(&run);
    // Rounding may carry the parabola through zero by a few units in the last place.
    assert!(times.iter().all(|t| (t - 1.0).abs() < 1e-3), "{times:?}");
    assert!(times.len() <= 2, "{times:?}");
}

#[test]
fn a_terminal_event_before_the_first_row_leaves_an_empty_record() {
    let system = compile(
        EquationSystem::builder("throw")
            .state("y", s("v"), 0.0)
            .state("v", -0.5, 10.0)
            .guard(Guard::new("ground", Direction::Falling).terminal(), s("y"))
            .output("y", s("y")),
    );
    for (times, rows) in [(vec![33.0, 66.0, 99.0], 1), (vec![66.0], 0), (vec![], 0)] {
        let run = Simulation::builder(&system)
            .span(0.0, 100.0)
            .record(Recording::times(times))
            .log_events(9)
            .build()
            .expect("valid")
            .run()
            .expect("runs");
        assert_eq!(run.times().len(), rows);
        close(&event_times(&run), &[40.0], 1e-7);
        assert!((run.last_state()[1] + 10.0).abs() < 1e-6);
    }
}

#[test]
fn guards_fire_backwards_in_time_in_the_order_of_the_run() {
    let fired = |direction| {
        let system = compile(
            EquationSystem::builder("sine")
                .state("y", s("time").cos(), 10.0_f64.sin())
                .guard(Guard::new("g", direction).observed(), s("y"))
                .output("y", s("y")),
        );
        let run = Simulation::builder(&system)
            .backward_span(10.0, 0.5)
            .tolerance(1e-9, 1e-12)
            .log_events(9)
            .build()
            .expect("valid")
            .run()
            .expect("runs");
        event_times(&run)
    };
    let pi = std::f64::consts::PI;
    close(&fired(Direction::Either), &[3.0 * pi, 2.0 * pi, pi], 1e-7);
    // Rising is seen along the run.
    close(&fired(Direction::Rising), &[3.0 * pi, pi], 1e-7);
    close(&fired(Direction::Falling), &[2.0 * pi], 1e-7);
}

#[test]
fn a_guard_that_is_not_a_number_ends_the_run_and_keeps_the_valid_part() {
    let system = compile(
        EquationSystem::builder("nan")
            .state("y", 1.0, 0.0)
            .guard(
                Guard::new("root", Direction::Either),
                1.0 + 0.0 * (0.3 - s("time")).sqrt(),
            )
            .output("y", s("y")),
    );
    let error = Simulation::builder(&system)
        .span(0.0, 1.0)
        .build()
        .expect("valid")
        .run()
        .expect_err("a guard is NaN");
    assert!(matches!(&error.failure, MemberFailure::Guard { guard, .. } if guard == "root"));
    assert!(error.partial.last_time() <= 0.3);
}

#[test]
fn a_sliding_mode_without_hysteresis_is_reported_as_chattering() {
    let switch = |yes: f64, no: f64| Expr::select(s("x").gt(s("y")), yes, no);
    let system = compile(
        EquationSystem::builder("slide")
            .state("x", switch(-3.0, 1.0), 2.0)
            .state("y", switch(2.0, -1.0), 0.5)
            .guard(Guard::new("surface", Direction::Either), s("x") - s("y"))
            .output("x", s("x")),
    );
    let run = Simulation::builder(&system)
        .span(0.0, 1.0)
        .tolerance(1e-9, 1e-12)
        .log_events(2000)
        .build()
        .expect("valid")
        .run()
        .expect("an outcome");
    assert!(matches!(run.outcome(), Outcome::Chattering { guard, .. } if guard == "surface"));
    let times = event_times(&run);
    assert!(times.len() <= 1000);
    assert!((times[0] - 0.3).abs() < 1e-7 && run.last_time() < 0.301);
    assert!((run.last_state()[0] - 1.1).abs() < 1e-6);
}

#[test]
fn fast_edges_are_counted_without_a_continuous_state() {
    let turn = 2.0 * std::f64::consts::PI * 1000.0;
    let system = compile(
        EquationSystem::builder("edges")
            .discrete("n", 0.0)
            .guard(
                Guard::new("edge", Direction::Rising),
                (turn * s("time") - 1.0).sin(),
            )
            .update("edge", "n", s("n") + 1.0)
            .output("n", s("n")),
    );
    for rows in [2, 10] {
        let mut options = Options::with_tolerance(Tolerance::default());
        options.max_step = Some(2.5e-4);
        let run = Simulation::builder(&system)
            .span(0.0, 1.0)
            .options(options)
            .record(Recording::times(bifrons_sim::uniform_times(0.0, 1.0, rows)))
            .log_events(2000)
            .build()
            .expect("valid")
            .run()
            .expect("runs");
        assert_eq!(run.last_discrete(), [1000.0]);
        let times = event_times(&run);
        assert!((times[0] - 0.000_159_154_943_091_895_32).abs() < 1e-9);
        assert!((times[999] - 0.999_159_154_943_091_9).abs() < 1e-9);
    }
}

#[test]
fn a_reset_that_makes_another_guard_true_iterates_at_the_same_instant() {
    let system = compile(
        EquationSystem::builder("cascade")
            .state("x", 1.0, 0.0)
            .discrete("a", 0.0)
            .discrete("b", 0.0)
            .guard(Guard::new("first", Direction::Rising), s("x") - 0.5)
            .guard(Guard::new("second", Direction::Rising), s("a") - 0.5)
            .update("first", "a", 1.0)
            .update("second", "b", s("time"))
            .output("b", s("b")),
    );
    let run = Simulation::builder(&system)
        .span(0.0, 1.0)
        .log_events(9)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    assert!((run.last_discrete()[1] - 0.5).abs() < 1e-12);
    let triggers: Vec<Trigger> = run.events().iter().map(|event| event.trigger).collect();
    assert_eq!(triggers, [Trigger::Guard(0), Trigger::Guard(1)]);
    assert_eq!(run.events()[0].t, run.events()[1].t);
}

#[test]
fn an_endless_instant_is_an_error_that_names_the_guard() {
    let system = compile(
        EquationSystem::builder("endless")
            .state("x", 1.0, 0.0)
            .discrete("side", -1.0)
            .guard(Guard::new("start", Direction::Rising), s("x") - 0.5)
            .guard(Guard::new("flip", Direction::Either), s("side"))
            .update("start", "side", -s("side"))
            .update("flip", "side", -s("side"))
            .output("x", s("x")),
    );
    let mut options = EventOptions::default();
    options.max_events_per_window = 1000;
    let error = Simulation::builder(&system)
        .span(0.0, 1.0)
        .events(options)
        .build()
        .expect("valid")
        .run()
        .expect_err("never ends");
    let MemberFailure::EndlessInstant { guards, rounds, t } = &error.failure else {
        panic!("{:?}", error.failure);
    };
    assert_eq!(
        (guards.as_slice(), *rounds),
        (["flip".to_owned()].as_slice(), 100)
    );
    assert!((t - 0.5).abs() < 1e-12);
}

#[test]
fn an_event_log_that_is_full_counts_what_it_drops() {
    let system = compile(
        EquationSystem::builder("log")
            .state("x", -0.1 * s("x"), 1.0)
            .guard(
                Guard::new("due", Direction::Either),
                (s("time") - 7.5) * (s("time") - 8.5),
            )
            .output("x", s("x")),
    );
    let run = Simulation::builder(&system)
        .span(0.0, 10.0)
        .log_events(1)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    close(&event_times(&run), &[7.5], 1e-12);
    assert_eq!(run.events_dropped(), 1);
    assert!((run.last_state()[0] - (-1.0_f64).exp()).abs() < 1e-6);
}

#[test]
fn observed_guards_change_no_step() {
    let oscillator = |observed: bool| {
        let builder = EquationSystem::builder("oscillator")
            .state("x", s("v"), 1.0)
            .state("v", -s("x"), 0.0)
            .output("x", s("x"));
        compile(if observed {
            builder.guard(Guard::new("g", Direction::Either).observed(), s("x"))
        } else {
            builder
        })
    };
    let [without, with] = [false, true].map(|observed| {
        Simulation::builder(&oscillator(observed))
            .span(0.0, 20.0)
            .record(Recording::every_step())
            .log_events(99)
            .build()
            .expect("valid")
            .run()
            .expect("runs")
    });
    assert_eq!(without.times(), with.times());
    assert_eq!(without.last_state(), with.last_state());
    assert_eq!(with.events().len(), 6);
}

#[test]
fn a_member_with_bounces_has_the_bits_of_the_run_alone() {
    let system = compile(ball(Direction::Falling));
    let heights: Vec<f64> = (0..37).map(|k| 0.5 + f64::from(k) / 10.0).collect();
    let mut heights = heights;
    heights[5] = f64::NAN;
    let times: Vec<f64> = (0..=40).map(|k| f64::from(k) / 20.0).collect();
    let mut all = Vec::new();
    for (lanes, chunk) in [(1, 64), (16, 64), (16, 7)] {
        let sweep = Sweep::builder(&system)
            .span(0.0, 2.0)
            .column("y0", heights.clone())
            .record(Recording::times(times.clone()))
            .lanes(lanes)
            .chunk(chunk)
            .build()
            .expect("valid");
        let result = sweep.run().expect("runs");
        assert_eq!(result.failures().len(), 1);
        assert_eq!(result.failures()[0].0, 5);
        all.push(result);
    }
    for (member, height) in heights.iter().enumerate().filter(|(m, _)| *m != 5) {
        let alone = Simulation::builder(&system)
            .span(0.0, 2.0)
            .parameter("y0", *height)
            .record(Recording::times(times.clone()))
            .build()
            .expect("valid")
            .run()
            .expect("an outcome");
        for result in &all {
            let (a, b) = (
                result.rows("y", member).expect("y"),
                alone.signal("y").expect("y"),
            );
            assert_eq!(a.len(), b.len());
            assert!(
                a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits()),
                "member {member}"
            );
            assert_eq!(result.reports()[member], *alone.report());
        }
    }
}

/// A guard that its own update mirrors still chatters where both sides push to the surface.
#[test]
fn a_mirrored_guard_chatters_where_both_sides_push_back() {
    let system = compile(
        EquationSystem::builder("mirrored")
            .state("x", 0.5 - s("side"), 1.0)
            .discrete("side", 1.0)
            .guard(
                Guard::new("surface", Direction::Falling),
                s("side") * s("x"),
            )
            .update("surface", "side", -s("side"))
            .output("x", s("x")),
    );
    let run = Simulation::builder(&system)
        .span(0.0, 10.0)
        .log_events(2000)
        .build()
        .expect("valid")
        .run()
        .expect("an outcome");
    assert!(matches!(run.outcome(), Outcome::Chattering { guard, .. } if guard == "surface"));
    let times = event_times(&run);
    assert!(times.len() <= 1000, "{}", times.len());
    assert!((times[0] - 2.0).abs() < 1e-12 && run.last_time() < 2.0 + 1e-6);
    assert!(run.last_state()[0].abs() < 1e-6);
}
