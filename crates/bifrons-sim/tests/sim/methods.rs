//! The choice of the method: by default, by name, through events, pauses and sweeps.

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Clock, Direction, EquationSystem, EquationSystemBuilder, Guard, HybridSystem, TapeSystem,
};
use bifrons_ode::{Failure, InputError, Method, Options};
use bifrons_parallel::Threads;
use bifrons_sim::{
    Advance, BuildError, Checkpoint, MemberFailure, Recording, Reduction, Run, RunMethod,
    Simulation, SimulationBuilder, Sweep, uniform_times,
};

use crate::reference::numbers;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

fn compile(builder: EquationSystemBuilder) -> TapeSystem {
    builder.build().expect("equations").compile().expect("tape")
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn methods(run: &Run) -> Vec<Method> {
    run.phases().iter().map(|phase| phase.method).collect()
}

/// `y' = -k (y - cos t)`, whose integral `x` starts again from 0 at 0.4, beside a counter.
fn attracted() -> TapeSystem {
    compile(
        EquationSystem::builder("attracted")
            .parameter("k", 1e5)
            .state("y", -s("k") * (s("y") - s("time").cos()), 2.0)
            .state("x", s("y") * s("y"), 0.0)
            .discrete("n", 0.0)
            .discrete("seen", 0.0)
            .clock(Clock::new(
                "tick",
                "0.3".parse().expect("period"),
                "0".parse().expect("offset"),
            ))
            .update("tick", "n", s("n") + 1.0)
            .guard(Guard::new("full", Direction::Rising), s("x") - 0.4)
            .update("full", "x", Expr::constant(0.0))
            .update("full", "seen", s("seen") + s("y"))
            .output("y", s("y"))
            .output("x", s("x")),
    )
}

fn to_two(system: &TapeSystem) -> SimulationBuilder<'_, TapeSystem> {
    Simulation::builder(system).span(0.0, 2.0).log_events(100)
}

/// `y` of `attracted`.
fn exact(k: f64, t: f64) -> f64 {
    let forced = |t: f64| (k * k * t.cos() + k * t.sin()) / (1.0 + k * k);
    forced(t) + (2.0 - forced(0.0)) * (-k * t).exp()
}

#[test]
fn robertsons_reactions_need_few_steps_by_default() {
    let text = include_str!("../data/jx/robertson.json");
    let slow = 0.04 * s("y1");
    let back = 1e4 * s("y2") * s("y3");
    let fast = 3e7 * s("y2") * s("y2");
    let system = compile(
        EquationSystem::builder("robertson")
            .state("y1", &back - &slow, 1.0)
            .state("y2", slow - back - &fast, 0.0)
            .state("y3", fast, 0.0)
            .output("y1", s("y1"))
            .output("y2", s("y2"))
            .output("y3", s("y3")),
    );
    let times = numbers(text, &["sample_times"]);
    let run = Simulation::builder(&system)
        .span(0.0, *times.last().expect("times"))
        .tolerances(1e-6, &[1e-9, 1e-12, 1e-9])
        .record(Recording::times(times.clone()))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    let expected = numbers(text, &["reference", "values"]);
    for row in 0..times.len() {
        for (i, name) in ["y1", "y2", "y3"].into_iter().enumerate() {
            let found = run.signal(name).expect("signal")[row];
            let wanted = expected[3 * row + i];
            let error = (found - wanted).abs();
            // Thirty times the tolerance, the bound of all stiff methods.
            assert!(
                error <= 30.0 * (1e-6 * wanted.abs() + 1e-9),
                "{name} at {}: {found} for {wanted}",
                times[row]
            );
        }
    }
    assert_eq!(methods(&run), [Method::Dopri5, Method::Rodas5P]);
    let steps = run.report().accepted + run.report().rejected;
    assert!(steps < 1000, "{steps} steps");
    assert!(run.report().turned_stiff, "told");
}

#[test]
fn the_stiff_oscillator_needs_few_steps_by_default() {
    let text = include_str!("../data/jx/van_der_pol_mu1000.json");
    let slope = s("mu") * (1.0 - s("x") * s("x")) * s("y") - s("x");
    let system = compile(
        EquationSystem::builder("van_der_pol")
            .parameter("mu", 1000.0)
            .state("x", s("y"), 2.0)
            .state("y", slope, 0.0)
            .output("x", s("x")),
    );
    let times = numbers(text, &["sample_times"]);
    let run = Simulation::builder(&system)
        .span(0.0, *times.last().expect("times"))
        .record(Recording::times(times.clone()))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    let expected = numbers(text, &["reference", "values"]);
    let found = run.signal("x").expect("signal");
    for (row, &found) in found.iter().enumerate() {
        let wanted = expected[2 * row];
        // Where the solution jumps, errors of its time weigh more.
        let error = (found - wanted).abs();
        assert!(
            error <= 1e-3 * wanted.abs(),
            "at {}: {found} for {wanted}",
            times[row]
        );
    }
    assert_eq!(methods(&run), [Method::Dopri5, Method::Rodas5P]);
    let steps = run.report().accepted + run.report().rejected;
    assert!(steps < 2000, "{steps} steps");
}

#[test]
fn a_run_that_is_not_stiff_has_the_bits_of_the_explicit_method() {
    let system = compile(
        EquationSystem::builder("lorenz")
            .state("x", 10.0 * (s("y") - s("x")), 1.0)
            .state("y", s("x") * (28.0 - s("z")) - s("y"), 0.0)
            .state("z", s("x") * s("y") - 8.0 / 3.0 * s("z"), 0.0)
            .output("x", s("x")),
    );
    for rtol in [1e-3, 1e-6, 1e-9] {
        let by = |method| {
            Simulation::builder(&system)
                .span(0.0, 20.0)
                .tolerance(rtol, rtol)
                .method(method)
                .record(Recording::every_step())
                .build()
                .expect("valid")
                .run()
                .expect("run")
        };
        let (automatic, plain) = (by(RunMethod::Automatic), by(RunMethod::Dopri5));
        assert_eq!(automatic, plain, "{rtol:e}");
        assert_eq!(methods(&automatic), [Method::Dopri5], "{rtol:e}");
    }
}

#[test]
fn events_go_on_behind_the_change() {
    let system = attracted();
    let run = |recording| {
        to_two(&system)
            .record(recording)
            .build()
            .expect("valid")
            .run()
            .expect("run")
    };
    let times = uniform_times(0.0, 2.0, 41);
    let rows = run(Recording::times(times.clone()));
    assert_eq!(methods(&rows), [Method::Dopri5, Method::Rodas5P]);
    for (&t, &y) in times.iter().zip(rows.signal("y").expect("signal")) {
        let error = (y - exact(1e5, t)).abs();
        assert!(error < 1e-5, "at {t}: {error:e}");
    }
    // x = ∫ cos², which passes 0.4 and then 0.8.
    let area = |t: f64| 0.5 * t + 0.25 * (2.0 * t).sin();
    let fired: Vec<f64> = rows.events().iter().map(|event| event.t).collect();
    let full: Vec<f64> = fired
        .iter()
        .copied()
        .filter(|t| (t / 0.3 - (t / 0.3).round()).abs() > 1e-9)
        .collect();
    assert_eq!(full.len(), 2, "{fired:?}");
    for (k, &t) in full.iter().enumerate() {
        // The transient adds ∫ (y² - cos²) = 2/k + 1/(2k) at the first one.
        let error = (area(t) + 2.5e-5 - 0.4 * (k + 1) as f64).abs();
        assert!(error < 1e-5, "firing {k} at {t}: {error:e}");
    }
    assert_eq!(
        rows.last_discrete()[0].to_bits(),
        7.0_f64.to_bits(),
        "ticks"
    );
    assert!(rows.report().accepted < 400, "{:?}", rows.report());
    // What is recorded changes no step.
    for recording in [Recording::final_values(), Recording::every_step()] {
        let other = run(recording);
        assert_eq!(bits(other.last_state()), bits(rows.last_state()), "state");
        assert_eq!(other.phases(), rows.phases(), "phases");
        assert_eq!(other.rhs_count(), rows.rhs_count(), "evaluations");
    }
}

#[test]
fn a_pause_at_every_step_changes_nothing() {
    let system = attracted();
    for method in [RunMethod::Automatic, RunMethod::Rodas5P] {
        for recording in [
            Recording::every_step(),
            Recording::reduce(uniform_times(0.0, 2.0, 20), &[Reduction::Integral]),
        ] {
            let simulation = to_two(&system)
                .method(method)
                .record(recording)
                .build()
                .expect("valid");
            let whole = simulation.run().expect("run");
            let mut advance = simulation.run_until(|_, _| true).expect("run");
            let mut pauses = 0;
            let parts = loop {
                match advance {
                    Advance::Ended(run) => break run,
                    Advance::Paused(checkpoint) => {
                        pauses += 1;
                        let bytes = checkpoint.to_bytes();
                        let checkpoint = Checkpoint::from_bytes(&bytes).expect("bytes");
                        advance = simulation
                            .resume_until(&checkpoint, |_, _| true)
                            .expect("run");
                    }
                }
            };
            assert!(pauses > 30, "{pauses} pauses");
            assert_eq!(parts, whole, "{method:?}");
        }
    }
}

#[test]
fn members_that_turn_stiff_have_the_bits_of_the_runs_alone() {
    let system = attracted();
    let k: Vec<f64> = (0..21).map(|i| 10.0_f64.powf(0.3 * f64::from(i))).collect();
    let times = uniform_times(0.0, 2.0, 17);
    for method in [RunMethod::Automatic, RunMethod::Rodas5P] {
        for (lanes, threads, chunk) in [(16, 1, 1024), (1, 1, 5), (16, 2, 7)] {
            let result = Sweep::builder(&system)
                .span(0.0, 2.0)
                .column("k", k.clone())
                .method(method)
                .record(Recording::times(times.clone()))
                .threads(Threads::new(threads).expect("threads"))
                .lanes(lanes)
                .chunk(chunk)
                .build()
                .expect("valid")
                .run()
                .expect("sweep");
            let mut stiff = 0;
            for (member, &k) in k.iter().enumerate() {
                let alone = Simulation::builder(&system)
                    .span(0.0, 2.0)
                    .parameter("k", k)
                    .method(method)
                    .record(Recording::times(times.clone()))
                    .build()
                    .expect("valid")
                    .run()
                    .expect("run");
                for name in ["x", "y"] {
                    let rows = result.rows(name, member).expect("rows");
                    let single = alone.signal(name).expect("signal");
                    assert_eq!(bits(rows), bits(single), "k = {k}, {method:?}, {lanes}");
                }
                assert_eq!(&result.reports()[member], alone.report(), "k = {k}");
                stiff += usize::from(alone.report().turned_stiff);
            }
            let expected = method == RunMethod::Automatic;
            assert_eq!(stiff > 5 && stiff < 20, expected, "{stiff} turn stiff");
        }
    }
}

#[test]
fn the_budget_counts_the_steps_of_both_methods() {
    let system = attracted();
    let run = |most| {
        let mut options = Options::default();
        options.max_steps = most;
        to_two(&system).options(options).build().expect("valid")
    };
    let steps = |run: &Run| u64::from(run.report().accepted + run.report().rejected);
    let needed = steps(&run(1_000_000).run().expect("run"));
    let error = run(needed - 1).run().expect_err("budget");
    assert!(
        matches!(
            error.failure,
            MemberFailure::Solver(Failure::StepBudget { budget, .. }) if budget == needed - 1
        ),
        "{error:?}"
    );
    assert_eq!(steps(&error.partial), needed - 1, "steps");
    assert!(error.partial.report().turned_stiff, "in the second method");
}

#[test]
fn the_implicit_method_has_room_for_64_states() {
    let chain = |n: usize| {
        let mut builder = EquationSystem::builder("chain");
        for i in 0..n {
            builder = builder.state(format!("x{i}"), -s(&format!("x{i}")), 1.0);
        }
        compile(builder)
    };
    let build = |system: &TapeSystem, method| {
        let builder = Simulation::builder(system).method(method);
        builder
            .build()
            .map(|simulation| simulation.run().expect("run"))
    };
    let wide = chain(65);
    assert_eq!(wide.schema().state_count(), 65, "states");
    assert_eq!(
        build(&wide, RunMethod::Rodas5P).expect_err("too many"),
        BuildError::Solver(InputError::LaneDimension {
            found: 65,
            most: 64
        })
    );
    build(&wide, RunMethod::Automatic).expect("explicit");
    let run = build(&chain(64), RunMethod::Rodas5P).expect("64");
    assert_eq!(methods(&run), [Method::Rodas5P], "by name");
    let error = (run.last_state()[63] - (-1.0_f64).exp()).abs();
    assert!(error < 1e-6, "{error:e}");
}
