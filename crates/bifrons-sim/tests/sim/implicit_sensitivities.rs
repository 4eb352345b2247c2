//! Derivatives through loops that are solved by iteration, and at guards that another update of
//! the same instant has carried through zero.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, Direction, EquationSystem, EquationSystemBuilder, Guard, SensitivityError, TapeSystem,
};
use bifrons_sim::{Recording, Run, Simulation};

use crate::sensitivities::{against_differences, run, with};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn tick(name: &str, period: &str) -> Clock {
    let decimal = |text: &str| text.parse().expect("decimal");
    Clock::new(name, decimal(period), decimal("0.25"))
}

/// `z² = p x`, solved by iteration, drains a tank: `x = (√x₀ - √p t/2)²`.
fn tank() -> EquationSystemBuilder {
    EquationSystem::builder("tank")
        .parameter("p", 0.9)
        .parameter("x0", 1.5)
        .definition("z", s("p") * s("x") / s("z"))
        .guess("z", 1.0 + s("x"))
        .state("x", -s("z"), s("x0"))
        .output("x", s("x"))
        .output("z", s("z"))
}

#[test]
fn a_loop_within_derivatives_has_the_derivatives_of_the_closed_form() {
    let system = tank().build().expect("equations");
    assert_eq!(system.loops().len(), 1, "solved by iteration");
    let times = vec![0.0, 0.3, 0.9, 1.6];
    let run = run(&with(&system, &["p", "x0"]), &[], times.clone());
    let (p, x0) = (0.9_f64, 1.5_f64);
    for (k, t) in times.into_iter().enumerate() {
        // With r = √x: r = √x₀ - √p t/2, z = √p r.
        let r = x0.sqrt() - 0.5 * p.sqrt() * t;
        let (r_p, r_x0) = (-0.25 * t / p.sqrt(), 0.5 / x0.sqrt());
        for (name, exact) in [
            ("d(x)/d(p)", 2.0 * r * r_p),
            ("d(x)/d(x0)", 2.0 * r * r_x0),
            ("d(z)/d(p)", 0.5 / p.sqrt() * r + p.sqrt() * r_p),
            ("d(z)/d(x0)", p.sqrt() * r_x0),
        ] {
            let found = run.signal(name).expect("signal")[k];
            // The tolerance of the run is 1e-10.
            assert!(
                (found - exact).abs() < 1e-9,
                "{name} at {t}: {found} for {exact}"
            );
        }
    }
}

#[test]
fn loops_of_several_unknowns_and_of_each_other_are_differentiated() {
    let system = EquationSystem::builder("two")
        .parameter("p", 0.7)
        .parameter("q", 0.4)
        .definition("a", (s("b") * s("p")).cos() + 0.3 * s("x"))
        .definition("b", (s("a") + s("q") * s("time")).sin())
        .definition("c", 0.5 * (s("c") + s("a")).tanh() + s("q"))
        .state("x", s("b") - s("x") * s("c"), s("c0"))
        .definition("c0", 0.2 * (s("c0") - s("p")).exp())
        .output("x", s("x"))
        .output("a", s("a"))
        .output("c", s("c"))
        .build()
        .expect("equations");
    assert!(system.loops().len() >= 3);
    against_differences(
        &system,
        &[("p", 0.7), ("q", 0.4)],
        &["x", "a", "c"],
        &[0.0, 0.4, 1.1, 2.3],
        (1e-5, 1e-7),
    );
}

#[test]
fn events_see_loops_on_both_sides() {
    // The guard, the reset and both slopes read the unknown, whose equation the reset changes.
    let system = tank()
        .parameter("level", 0.5)
        .discrete("fill", 0.0)
        .discrete("seen", 0.0)
        .definition(
            "w",
            0.4 * (s("w") + s("x") + s("fill") + 0.3 * s("time")).sin(),
        )
        .state("v", s("w") + s("fill") * s("z"), 0.0)
        .guard(
            Guard::new("low", Direction::Falling),
            s("z") + 0.1 * s("w") - s("level"),
        )
        .update("low", "x", s("x") + s("w") + 0.5)
        .update("low", "fill", s("fill") + s("z"))
        .update("low", "seen", s("w") + s("time") * s("z"))
        .output("v", s("v"))
        .output("w", s("w"))
        .output("fill", s("fill"))
        .output("seen", s("seen"))
        .build()
        .expect("equations");
    against_differences(
        &system,
        &[("p", 0.9), ("x0", 1.5), ("level", 0.5)],
        &["x", "z", "v", "w", "fill", "seen"],
        &[0.5, 1.9, 2.8, 4.0],
        (1e-5, 1e-6),
    );
}

#[test]
fn clocks_see_loops_at_their_instants() {
    let system = tank()
        .clock(tick("c", "0.5"))
        .discrete("held", 0.1)
        .definition("u", 0.5 * (s("u") + s("held") + s("x")).cos())
        .update("c", "held", s("u") + s("z"))
        .state("v", s("u"), 0.0)
        .output("v", s("v"))
        .output("held", s("held"))
        .build()
        .expect("equations");
    against_differences(
        &system,
        &[("p", 0.9), ("x0", 1.5)],
        &["v", "held"],
        &[0.2, 0.6, 1.4, 1.6],
        (1e-5, 1e-6),
    );
}

#[test]
fn a_loop_that_reads_a_sample_of_a_guard_is_refused() {
    let system = tank()
        .discrete("d", 0.0)
        .guard(Guard::new("low", Direction::Falling), s("x") - 0.5)
        .sample("held", "low", s("x"), 1.0)
        .definition("y", (s("y") * s("p") + s("held")).cos())
        .output("y", s("y"))
        .build()
        .expect("equations");
    let error = system.with_sensitivities(&["p"]).expect_err("loop");
    assert!(
        matches!(&error, SensitivityError::Loop { variables, .. } if variables == "y"),
        "{error}"
    );
}

/// Rises with slope `c` and is set back by a second guard, which the first one carries.
fn cascade() -> EquationSystemBuilder {
    EquationSystem::builder("cascade")
        .parameter("c", 2.0)
        .parameter("at", 1.0)
        .discrete("flag", 0.0)
        .discrete("when", 0.0)
        .state("x", s("c"), 0.0)
        .guard(Guard::new("first", Direction::Rising), s("x") - s("at"))
        .guard(Guard::new("second", Direction::Rising), s("flag") - 0.5)
        .update("first", "flag", 1.0)
        .update("second", "when", s("time"))
        .update("second", "x", -(s("time") * s("time")))
        .output("x", s("x"))
        .output("when", s("when"))
}

fn value(run: &Run, name: &str, row: usize) -> f64 {
    run.signal(name).expect("signal")[row]
}

#[test]
fn a_guard_that_is_carried_moves_with_the_guard_that_carried_it() {
    let system = cascade().build().expect("equations");
    let run = run(&with(&system, &["c", "at"]), &[], vec![0.3, 0.6, 0.9]);
    // The instant is T = at/c; afterwards x = -T² + c (t - T).
    let (c, at) = (2.0, 1.0);
    let instant = at / c;
    let (by_c, by_at) = (-at / (c * c), 1.0 / c);
    for (row, t) in [(1, 0.6), (2, 0.9)] {
        let slope = -2.0 * instant - c;
        for (name, exact) in [
            ("d(when)/d(c)", by_c),
            ("d(when)/d(at)", by_at),
            ("d(x)/d(c)", slope * by_c + t - instant),
            ("d(x)/d(at)", slope * by_at),
        ] {
            let found = value(&run, name, row);
            assert!(
                (found - exact).abs() < 1e-9,
                "{name} at {t}: {found} for {exact}"
            );
        }
    }
    assert_eq!(value(&run, "d(x)/d(at)", 0), 0.0);
}

#[test]
fn a_guard_that_a_clock_carries_does_not_move() {
    // The guard reads a state, so that alone it would move.
    let system = EquationSystem::builder("ticked")
        .parameter("c", 2.0)
        .discrete("level", 9.0)
        .discrete("when", 0.0)
        .clock(tick("tick", "10"))
        .state("x", s("c"), 0.0)
        .guard(Guard::new("above", Direction::Rising), s("x") - s("level"))
        .update("tick", "level", 0.1)
        .update("above", "when", s("time") * s("x"))
        .update("above", "x", s("x") + s("time"))
        .output("when", s("when"))
        .output("x", s("x"))
        .build()
        .expect("equations");
    let run = run(&with(&system, &["c"]), &[], vec![0.2, 0.4]);
    // At 1/4 for every slope: when = c/16, x = c t + 1/4.
    assert!((value(&run, "d(when)/d(c)", 1) - 1.0 / 16.0).abs() < 1e-12);
    assert!((value(&run, "d(x)/d(c)", 1) - 0.4).abs() < 1e-9);
}

#[test]
fn the_same_guard_moves_alone_and_with_others() {
    // Crossed by itself at first, carried later, and once more by itself.
    let system = EquationSystem::builder("both")
        .parameter("c", 1.3)
        .parameter("reach", 1.0)
        .discrete("sum", 0.0)
        .state("x", s("c") * (1.0 + 0.2 * s("time").sin()), 0.0)
        .state("y", s("c") * s("x"), 0.0)
        .guard(Guard::new("own", Direction::Rising), s("x") - s("reach"))
        .guard(Guard::new("far", Direction::Rising), s("y") - 1.5)
        .update("own", "x", -0.5 * s("x") - 0.2 * s("time"))
        .update("own", "sum", s("sum") + s("time") * s("y"))
        .update("far", "x", s("x") + 3.0 * s("time"))
        .update("far", "y", -s("y") * s("time") + s("x"))
        .output("x", s("x"))
        .output("y", s("y"))
        .output("sum", s("sum"))
        .build()
        .expect("equations");
    against_differences(
        &system,
        &[("c", 1.3), ("reach", 1.0)],
        &["x", "y", "sum"],
        &[0.5, 1.2, 2.2, 3.3],
        (1e-6, 1e-5),
    );
}

#[test]
fn a_guard_that_comes_from_below_at_the_start_does_not_move() {
    let system = EquationSystem::builder("start")
        .parameter("c", 2.0)
        .discrete("d", 0.0)
        .state("x", s("c"), s("c"))
        .guard(
            Guard::new("beyond", Direction::Rising).initially_below(),
            s("x") - 1.0,
        )
        .update("beyond", "x", s("x") - 3.0 + s("time"))
        .update("beyond", "d", s("x"))
        .output("x", s("x"))
        .output("d", s("d"))
        .build()
        .expect("equations");
    // Reset at the start to c - 3, and at T = 4/c - 1, where x = 1, to T - 2.
    let run = run(&with(&system, &["c"]), &[], vec![0.5, 1.6]);
    assert!((value(&run, "d(d)/d(c)", 0) - 1.0).abs() < 1e-12);
    assert!((value(&run, "d(x)/d(c)", 0) - 1.5).abs() < 1e-9);
    let (c, t) = (2.0, 1.6);
    let instant = 4.0 / c - 1.0;
    let exact = (1.0 - c) * (-4.0 / (c * c)) + (t - instant);
    assert!((value(&run, "d(x)/d(c)", 1) - exact).abs() < 1e-9);
    assert!(value(&run, "d(d)/d(c)", 1).abs() < 1e-9);
}

#[test]
fn nothing_is_added_where_no_guard_is_carried() {
    let ball = EquationSystem::builder("ball")
        .parameter("e", 0.8)
        .state("h", s("v"), 1.0)
        .state("v", -9.8, 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("h"))
        .update("floor", "v", -(s("e") * s("v")))
        .output("h", s("h"))
        .build()
        .expect("equations");
    let both = ball.with_sensitivities(&["e"]).expect("derivatives");
    assert!(both.discretes().is_empty() && both.loops().is_empty());
}

#[test]
fn second_derivatives_go_through_loops() {
    let first = tank().build().expect("equations");
    let first = first.with_sensitivities(&["p"]).expect("derivatives");
    let second: TapeSystem = with(&first, &["x0"]);
    let run = Simulation::builder(&second)
        .span(0.0, 1.2)
        .tolerance(1e-10, 1e-12)
        .record(Recording::final_values())
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    // x = r² with r_p = -t/(4 √p), which does not depend on x₀, and r_x₀ = 1/(2 √x₀).
    let (p, x0, t) = (0.9_f64, 1.5_f64, 1.2);
    let exact = 2.0 * (-0.25 * t / p.sqrt()) * (0.5 / x0.sqrt());
    let found = value(&run, "d(d(x)/d(p))/d(x0)", 0);
    assert!((found - exact).abs() < 1e-9, "{found} for {exact}");
}
