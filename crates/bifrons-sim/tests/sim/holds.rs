//! The policy `Hold`: what accumulates comes to rest, and can leave again.

use bifrons_expr::Expr;
use bifrons_hybrid::{Direction, EquationSystem, Guard, TapeSystem};
use bifrons_sim::{
    Advance, BuildError, EventOptions, Hold, Outcome, Recording, Run, Simulation,
    SimulationBuilder, Sweep, uniform_times,
};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A ball that is dropped from 1 and lifted by a wind from time 8 on.
fn ball() -> TapeSystem {
    let moves = |slope: Expr| Expr::select(s("resting").gt(0.5), 0.0, slope);
    EquationSystem::builder("ball")
        .parameter("e", 0.5)
        .state("y", moves(s("v")), 1.0)
        .state("v", moves(14.7 * s("wind") - 9.8), 0.0)
        .discrete("resting", 0.0)
        .discrete("wind", 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("y"))
        .update("floor", "v", -(s("e") * s("v")))
        .guard(Guard::new("lifts", Direction::Rising), s("time") - 8.0)
        .update("lifts", "wind", Expr::constant(1.0))
        .update("lifts", "resting", Expr::constant(0.0))
        .output("y", s("y"))
        .build()
        .expect("equations")
        .compile()
        .expect("tape")
}

fn options(hold: Hold) -> EventOptions {
    let mut options = EventOptions::default();
    options.holds = vec![hold];
    options
}

fn rest() -> Hold {
    Hold::new("floor")
        .set("resting", 1.0)
        .set("y", 0.0)
        .set("v", 0.0)
}

fn to_ten(system: &TapeSystem) -> SimulationBuilder<'_, TapeSystem> {
    Simulation::builder(system)
        .span(0.0, 10.0)
        .record(Recording::times(uniform_times(0.0, 10.0, 201)))
        .log_events(1000)
        .events(options(rest()))
}

/// The ball rests from the time of accumulation, `sqrt(2 y0 / g) (1 + e) / (1 - e)`, until the wind
/// lifts it.
#[test]
fn a_ball_comes_to_rest_at_the_zeno_time_and_is_lifted_again() {
    let system = ball();
    for e in [0.01, 0.3, 0.5, 0.8] {
        let run = to_ten(&system)
            .parameter("e", e)
            .build()
            .expect("valid")
            .run()
            .expect("run");
        assert_eq!(run.outcome(), &Outcome::Reached, "e = {e}");
        let zeno = (2.0_f64 / 9.8).sqrt() * (1.0 + e) / (1.0 - e);
        let held: Vec<_> = run.held().collect();
        assert_eq!(held.len(), 1, "e = {e}: {held:?}");
        let (guard, t) = held[0];
        assert_eq!(guard, "floor");
        assert!((t - zeno).abs() < 1e-6, "e = {e}: {t} for {zeno}");
        let logged = run.events().iter().filter(|event| event.held);
        assert_eq!(logged.map(|event| event.t).collect::<Vec<_>>(), [t]);
        for (&t, &y) in run.times().iter().zip(run.signal("y").expect("y")) {
            if t > zeno + 1e-6 && t <= 8.0 {
                assert_eq!(y, 0.0, "e = {e}: rests at {t}");
            } else if t > 8.0 {
                let exact = 0.5 * 4.9 * (t - 8.0) * (t - 8.0);
                assert!((y - exact).abs() < 1e-9, "e = {e}: {y} for {exact} at {t}");
            } else {
                assert!(y >= -1e-9, "e = {e}: fell to {y} at {t}");
            }
        }
    }
}

#[test]
fn a_hold_that_does_not_hold_ends_as_chattering() {
    let system = ball();
    for e in [0.01, 0.5] {
        let run = to_ten(&system)
            .parameter("e", e)
            .events(options(Hold::new("floor").set("y", 0.0).set("v", 0.0)))
            .build()
            .expect("valid")
            .run()
            .expect("run");
        let zeno = (2.0_f64 / 9.8).sqrt() * (1.0 + e) / (1.0 - e);
        let Outcome::Chattering { guard, t } = run.outcome() else {
            panic!("e = {e}: {:?}", run.outcome());
        };
        assert_eq!(guard, "floor");
        assert!((t - zeno).abs() < 1e-6, "e = {e}: {t} for {zeno}");
        let lowest = run
            .signal("y")
            .expect("y")
            .iter()
            .fold(1.0_f64, |a, &b| a.min(b));
        assert!(lowest >= -1e-9, "e = {e}: fell to {lowest}");
    }
}

#[test]
fn pauses_and_lanes_do_not_change_a_hold() {
    let system = ball();
    let simulation = to_ten(&system).build().expect("valid");
    let whole = simulation.run().expect("run");
    let mut advance = simulation.run_until(|_, _| true).expect("run");
    let parts: Run = loop {
        match advance {
            Advance::Ended(run) => break run,
            Advance::Paused(checkpoint) => {
                advance = simulation
                    .resume_until(&checkpoint, |_, _| true)
                    .expect("run");
            }
        }
    };
    assert_eq!(parts, whole);
    let e: Vec<f64> = (0..20).map(|i| 0.04 * f64::from(i) + 0.01).collect();
    let times = uniform_times(0.0, 10.0, 201);
    let sweep = Sweep::builder(&system)
        .span(0.0, 10.0)
        .column("e", e.clone())
        .record(Recording::times(times))
        .events(options(rest()))
        .build()
        .expect("valid");
    let result = sweep.run().expect("sweep");
    for (member, &e) in e.iter().enumerate() {
        let alone = to_ten(&system).parameter("e", e).build().expect("valid");
        let alone = alone.run().expect("run");
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let rows = result.rows("y", member).expect("rows");
        assert_eq!(bits(rows), bits(alone.signal("y").expect("y")), "e = {e}");
    }
}

#[test]
fn holds_are_checked_by_name_and_value() {
    let system = ball();
    let build = |hold| {
        let builder = to_ten(&system).events(options(hold));
        builder.build().map(drop).expect_err("refused")
    };
    assert_eq!(
        build(Hold::new("flor").set("y", 0.0)),
        BuildError::HoldGuard {
            guard: "flor".to_owned(),
            known: vec!["floor".to_owned(), "lifts".to_owned()],
        }
    );
    assert!(
        matches!(build(Hold::new("floor").set("z", 0.0)), BuildError::UnknownName(error) if error.name == "z"),
        "unknown state"
    );
    assert!(
        matches!(
            build(Hold::new("floor").set("y", f64::NAN)),
            BuildError::HoldValue { guard, name, .. } if guard == "floor" && name == "y"
        ),
        "not a number"
    );
}
