//! Cases about initial values and index reduction.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "tests show their errors and panic"
)]

mod support;

use bifrons_dae::{
    ComponentSpec, ComponentSpecBuilder, Direction, InitialError, NetworkBuilder, Range,
    ReducedModel, RunError, der,
};
use bifrons_expr::Expr;
use bifrons_ode::Tolerance;
use support::Result;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A network of one component without pins, called `m`.
fn model(spec: ComponentSpecBuilder) -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("case");
    net.add("m", spec.build()?)?;
    Ok(net.build().flatten()?.reduce()?)
}

fn initial(error: &RunError) -> &InitialError {
    match error {
        RunError::Initial(error) => error,
        other => panic!("an error of the initial values, got {other}"),
    }
}

/// `x1' = 1 - x1`, `x2' = v`, `x1 = x2`.
fn coupled() -> ComponentSpecBuilder {
    ComponentSpec::builder("Coupled")
        .variable("x1")
        .variable("x2")
        .variable("v")
        .equation(der("x1"), 1.0 - s("x1"))
        .equation(der("x2"), s("v"))
        .equation(s("x1"), s("x2"))
}

#[test]
fn dae_03_redundant_conditions_are_accepted_and_reported() -> Result<()> {
    let a = model(coupled().fixed(der("x1"), 0.0).fixed(der("x2"), 0.0))?;
    let run = a
        .simulation()
        .span(0.0, 2.0)
        .record(["m.x1", "m.x2", "m.v"])
        .run()?;
    for (found, expected) in run.last.iter().zip([1.0, 1.0, 0.0]) {
        assert!((found - expected).abs() < 1e-9, "at rest: {:?}", run.last);
    }
    assert_eq!(run.initial.redundant.len(), 1, "{}", run.initial);

    let b = model(coupled().fixed(s("x1"), 0.0).fixed(s("x2"), 0.0))?;
    let tolerance = Tolerance::new(1e-9, 1e-12)?;
    let simulation = b.simulation().span(0.0, 2.0).times(vec![0.0, 2.0]);
    let run = simulation
        .record(["m.x1", "m.v"])
        .tolerance(tolerance)
        .run()?;
    let expected = [0.0, 1.0, 0.8646647167633873, 0.1353352832366127];
    for (found, expected) in run.rows.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-8, "{:?}", run.rows);
    }
    Ok(())
}

#[test]
fn dae_03_contradictory_conditions_are_refused_by_name() -> Result<()> {
    let cases = [
        (coupled().fixed(s("x1"), 0.0).fixed(s("x2"), 0.5), 0.5),
        (coupled().fixed(s("x1"), 0.0).fixed(der("x2"), 0.0), 1.0),
    ];
    for (spec, expected) in cases {
        let error = model(spec)?.simulation().run().expect_err("contradictory");
        let InitialError::Contradictory {
            condition,
            others,
            residual,
        } = initial(&error)
        else {
            panic!("{error}");
        };
        assert!((residual - expected).abs() < 1e-9, "missed by {residual}");
        assert_eq!(others.len(), 1, "the other condition beside {condition}");
    }
    Ok(())
}

#[test]
fn dae_03_without_conditions_zero_is_used_and_reported() -> Result<()> {
    let model = model(coupled())?;
    let run = model.simulation().record(["m.x1"]).run()?;
    assert!(
        run.initial.to_string().contains("nothing said"),
        "{}",
        run.initial
    );
    Ok(())
}

/// A source `sin t`, a capacitor of 2 F and a resistor of 4 Ω in parallel.
fn on_source() -> ComponentSpecBuilder {
    ComponentSpec::builder("OnSource")
        .variable("v")
        .variable("ic")
        .variable("ir")
        .equation(s("v"), s("time").sin())
        .equation(s("ic"), 2.0 * der("v"))
        .equation(s("ir"), s("v") / 4.0)
}

#[test]
fn dae_07_a_capacitor_on_an_ideal_source() -> Result<()> {
    let a = model(on_source())?;
    assert_eq!(a.freedom(), 0, "nothing is free");
    let run = a
        .simulation()
        .times(vec![0.5, 1.0])
        .record(["m.ic", "m.ir"])
        .run()?;
    assert!(
        (run.last("m.ic").unwrap() - 1.0806046117362795).abs() < 1e-8,
        "2 cos 1"
    );
    assert!(
        (run.last("m.ir").unwrap() - 0.21036774620197413).abs() < 1e-8,
        "sin 1 / 4"
    );

    let error = model(on_source().fixed(s("v"), 1.0))?.simulation().run();
    let error = error.expect_err("the source forces zero");
    let InitialError::Contradictory { residual, .. } = initial(&error) else {
        panic!("{error}");
    };
    assert!((residual - 1.0).abs() < 1e-9, "missed by {residual}");
    Ok(())
}

#[test]
fn dae_07_two_capacitors_across_an_ideal_source() -> Result<()> {
    let tau = std::f64::consts::TAU;
    let spec = ComponentSpec::builder("Series")
        .variable("v1")
        .variable("v2")
        .variable("v3")
        .variable("i")
        .equation(s("v1"), (tau * s("time")).sin())
        .equation(der("v2"), s("i"))
        .equation(der("v3"), s("i"))
        .equation(s("v1") + s("v2") + s("v3"), 0.0)
        .fixed(s("v2"), 0.3);
    let model = model(spec)?;
    assert_eq!(model.freedom(), 1, "one voltage");
    let run = model
        .simulation()
        .span(0.0, 0.1)
        .times(vec![0.0, 0.1])
        .record(["m.v2", "m.v3", "m.i"])
        .tolerance(support::tight())
        .run()?;
    let i = -std::f64::consts::PI;
    assert!((run.rows[2] - i).abs() < 1e-7, "current at the start");
    assert!(
        (run.rows[3] - 0.006107373853763435).abs() < 1e-7,
        "v2 at 0.1"
    );
    assert!((run.rows[4] + 0.5938926261462366).abs() < 1e-7, "v3 at 0.1");
    let sum = run.rows[3] + run.rows[4] + (tau * 0.1).sin();
    assert!(sum.abs() < 1e-12, "the constraint holds: {sum:e}");
    Ok(())
}

/// `x' = slope`, an algebraic `z` from an equation, a surface.
fn crossing(slope: f64, start: f64, direction: Direction) -> ComponentSpecBuilder {
    let none: [(&str, Expr); 0] = [];
    ComponentSpec::builder("Crossing")
        .variable("x")
        .variable("z")
        .fixed(s("x"), start)
        .equation(der("x"), slope)
        .equation(s("z"), s("x").powi(2))
        .when("hit", s("z") - 0.25, direction, none)
}

#[test]
fn dae_11_events_of_an_algebraic_variable_in_each_direction() -> Result<()> {
    let cases = [
        (1.0, 0.0, Direction::Rising),
        (-1.0, 1.0, Direction::Falling),
    ];
    for (slope, start, own) in cases {
        for direction in [Direction::Either, Direction::Rising, Direction::Falling] {
            let model = model(crossing(slope, start, direction))?;
            let run = model.simulation().record(["m.z"]).run()?;
            let expected = usize::from(direction == own || direction == Direction::Either);
            assert_eq!(run.events.len(), expected, "{slope} {direction:?}");
            for event in &run.events {
                assert!((event.time - 0.5).abs() < 1e-7, "time {}", event.time);
                assert!(
                    (event.before[0] - 0.25).abs() < 1e-7,
                    "z {}",
                    event.before[0]
                );
            }
        }
    }
    let none: [(&str, Expr); 0] = [];
    let implicit = ComponentSpec::builder("Implicit")
        .variable("x")
        .variable("z")
        .fixed(s("x"), 0.0)
        .equation(der("x"), 1.0)
        .equation(s("z") + s("z").exp() - 1.0 - s("x"), 0.0)
        .when("hit", s("z") - 0.5, Direction::Rising, none);
    let run = model(implicit)?
        .simulation()
        .span(0.0, 2.0)
        .record(["m.z"])
        .run()?;
    assert_eq!(run.events.len(), 1, "one crossing");
    assert!(
        (run.events[0].time - 1.1487212707001282).abs() < 1e-7,
        "{:?}",
        run.events
    );
    Ok(())
}

#[test]
fn dae_11_after_a_reset_the_algebraic_variable_is_consistent() -> Result<()> {
    let spec = ComponentSpec::builder("Reset")
        .variable("x")
        .variable("z")
        .fixed(s("x"), 0.0)
        .equation(der("x"), 1.0)
        .equation(s("z"), s("x").powi(2))
        .when(
            "hit",
            s("z") - 0.25,
            Direction::Rising,
            [("x", Expr::constant(0.0))],
        );
    let run = model(spec)?.simulation().record(["m.z"]).run()?;
    assert_eq!(run.events.len(), 2, "{:?}", run.events);
    assert!(
        run.events[0].after[0].abs() < 1e-9,
        "z is new: {:?}",
        run.events[0]
    );
    assert!(
        (run.events[1].time - 1.0).abs() < 1e-6,
        "the end is part of the window"
    );
    Ok(())
}

#[test]
fn dae_12_a_start_at_the_solution_stays_there() -> Result<()> {
    for (guess, scale) in [(1.0, 1.0), (1.0 + 1e-15, 1.0), (5.0, 1.0), (1.0, 1e8)] {
        let z = || s("z") / scale;
        let spec = ComponentSpec::builder("Floor")
            .variable("x")
            .variable("z")
            .fixed(s("x"), scale)
            .guess("z", guess * scale)
            .equation(der("x"), s("z") - s("x"))
            .equation(z().powi(3) + z() - 2.0, 0.0);
        let tolerance = Tolerance::new(1e-8, 1e-10 * scale)?;
        let model = model(spec)?;
        let simulation = model.simulation().span(0.0, 1e3).tolerance(tolerance);
        let run = simulation.record(["m.x", "m.z"]).run()?;
        for value in &run.last {
            assert!((value / scale - 1.0).abs() < 1e-9, "{:?}", run.last);
        }
    }
    Ok(())
}

#[test]
fn dae_12_the_branch_follows_the_guess() -> Result<()> {
    let spec = ComponentSpec::builder("Branch")
        .variable("x")
        .variable("z")
        .fixed(s("x"), 0.0)
        .guess("z", 0.9)
        .equation(der("x"), 1.0)
        .equation(s("z").powi(3) - s("z"), 0.0)
        .when(
            "jump",
            s("x") - 1.0,
            Direction::Rising,
            [("z", Expr::constant(-0.9))],
        );
    let model = model(spec)?;
    let run = model
        .simulation()
        .span(0.0, 2.0)
        .times(vec![0.5, 1.5])
        .record(["m.z"])
        .run()?;
    assert!(
        (run.rows[0] - 1.0).abs() < 1e-9 && (run.rows[1] + 1.0).abs() < 1e-9,
        "{:?}",
        run.rows
    );
    Ok(())
}

#[test]
fn non_convergence_names_the_worst_equation() -> Result<()> {
    let spec = ComponentSpec::builder("Impossible")
        .variable("z")
        .equation(s("z").powi(2) + 1.0, 0.0)
        .parameter("unused", 1.0, Range::ANY);
    let error = model(spec)?.simulation().run().expect_err("no real root");
    assert!(
        initial(&error).to_string().contains("m (Impossible)"),
        "{error}"
    );
    Ok(())
}

#[test]
fn hard_conditions_beat_guesses() -> Result<()> {
    // Two states; the sum is fixed, one of them guessed.
    let spec = ComponentSpec::builder("Sum")
        .variable("a")
        .variable("b")
        .equation(der("a"), -s("a"))
        .equation(der("b"), -s("b"))
        .guess("a", 2.0)
        .fixed(s("a") + s("b"), 5.0);
    let run = model(spec)?
        .simulation()
        .span(0.0, 0.0)
        .record(["m.a", "m.b"])
        .run()?;
    assert!(
        (run.last[0] - 2.0).abs() < 1e-12 && (run.last[1] - 3.0).abs() < 1e-12,
        "{run:?}"
    );
    Ok(())
}

#[test]
fn a_run_that_ends_early_keeps_its_rows_and_names_the_equation() -> Result<()> {
    // z² = 1 - t has no solution after t = 1.
    let spec = ComponentSpec::builder("Fold")
        .variable("x")
        .variable("z")
        .fixed(s("x"), 0.0)
        .guess("z", 1.0)
        .equation(der("x"), s("z"))
        .equation(s("z").powi(2), 1.0 - s("time"));
    let model = model(spec)?;
    let simulation = model.simulation().span(0.0, 2.0).times(vec![0.0, 0.5, 1.5]);
    let error = simulation.record(["m.z"]).run().expect_err("a fold");
    let RunError::Ended { partial, cause, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(partial.times, [0.0, 0.5], "rows before the fold");
    assert!(
        (partial.rows[1] - 0.5_f64.sqrt()).abs() < 1e-9,
        "{:?}",
        partial.rows
    );
    assert!(
        partial.end > 0.9 && partial.end <= 1.0,
        "reached {}",
        partial.end
    );
    let RunError::Integration {
        cause: Some(cause), ..
    } = &**cause
    else {
        panic!("{cause}");
    };
    assert!(cause.to_string().contains("m (Fold)"), "{cause}");
    Ok(())
}

#[test]
fn parameters_are_checked_again_for_a_run() -> Result<()> {
    let spec = ComponentSpec::builder("Leak")
        .variable("x")
        .parameter("r", 2.0, Range::POSITIVE)
        .fixed(s("x"), 1.0)
        .equation(s("r") * der("x"), -s("x"));
    let model = model(spec)?;
    let run = |value| {
        model
            .simulation()
            .parameter("m.r", value)
            .record(["m.x"])
            .run()
    };
    let error = run(0.0).expect_err("zero");
    assert!(
        matches!(&error, RunError::Parameter { parameter, .. } if parameter == "m.r"),
        "{error}"
    );
    let error = model
        .simulation()
        .parameter("m.R", 1.0)
        .run()
        .expect_err("unknown");
    assert!(matches!(&error, RunError::UnknownName { .. }), "{error}");
    assert!(
        (run(4.0)?.last[0] - (-0.25_f64).exp()).abs() < 1e-6,
        "the other value is used"
    );
    Ok(())
}

#[test]
fn a_far_guess_is_reached_by_steps() -> Result<()> {
    // Newton's method for atan diverges from far away; damping and steps bring it back.
    let spec = ComponentSpec::builder("Far")
        .variable("z")
        .guess("z", 30.0)
        .equation((s("z") - 1.0).atan() + 0.1 * (s("z") - 1.0), 0.0);
    let run = model(spec)?
        .simulation()
        .span(0.0, 0.0)
        .record(["m.z"])
        .run()?;
    assert!((run.last[0] - 1.0).abs() < 1e-9, "{run:?}");
    Ok(())
}
