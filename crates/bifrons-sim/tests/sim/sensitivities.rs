//! Derivatives of runs by parameters, through events.

use bifrons_expr::Expr;
use bifrons_hybrid::{Clock, Direction, EquationSystem, Guard, SensitivityError, TapeSystem};
use bifrons_sim::{Recording, Run, Simulation, Sweep, uniform_times};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

pub(crate) fn with(system: &EquationSystem, parameters: &[&str]) -> TapeSystem {
    let system = system.with_sensitivities(parameters).expect("derivatives");
    system.compile().expect("tape")
}

pub(crate) fn run(system: &TapeSystem, values: &[(&str, f64)], times: Vec<f64>) -> Run {
    let end = *times.last().expect("times");
    let mut builder = Simulation::builder(system)
        .span(0.0, end)
        .tolerance(1e-10, 1e-12)
        .record(Recording::times(times));
    for (name, value) in values {
        builder = builder.parameter(*name, *value);
    }
    builder.build().expect("valid").run().expect("run")
}

/// Compares `d(y)/d(p)` with central differences of runs at `p ± step`.
pub(crate) fn against_differences(
    system: &EquationSystem,
    parameters: &[(&str, f64)],
    outputs: &[&str],
    times: &[f64],
    (step, bound): (f64, f64),
) {
    let plain = system.compile().expect("tape");
    let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
    let exact = run(&with(system, &names), &[], times.to_vec());
    for (name, value) in parameters {
        let at = |value| run(&plain, &[(name, value)], times.to_vec());
        let (above, below) = (at(value + step), at(value - step));
        for output in outputs {
            let column = |run: &Run| run.signal(output).expect("output").to_vec();
            let (above, below) = (column(&above), column(&below));
            let found = format!("d({output})/d({name})");
            let found = exact.signal(&found).expect("derivative");
            for (k, &t) in times.iter().enumerate() {
                let expected = (above[k] - below[k]) / (2.0 * step);
                let error = (found[k] - expected).abs();
                let what = format!("d({output})/d({name}) at {t}");
                assert!(
                    error <= bound * (1.0 + expected.abs()),
                    "{what}: {} for {expected}",
                    found[k]
                );
            }
        }
    }
}

fn ball() -> EquationSystem {
    EquationSystem::builder("ball")
        .parameter("g", 9.8)
        .parameter("e", 0.8)
        .parameter("h0", 1.0)
        .state("h", s("v"), s("h0"))
        .state("v", -s("g"), 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("h"))
        .update("floor", "v", -(s("e") * s("v")))
        .output("h", s("h"))
        .output("v", s("v"))
        .build()
        .expect("equations")
}

/// Height of the ball of the closed form after any number of bounces.
fn height(g: f64, e: f64, h0: f64, t: f64) -> f64 {
    let fall = (2.0 * h0 / g).sqrt();
    if t < fall {
        return h0 - 0.5 * g * t * t;
    }
    let (mut start, mut speed) = (fall, e * g * fall);
    while t >= start + 2.0 * speed / g {
        start += 2.0 * speed / g;
        speed *= e;
    }
    speed * (t - start) - 0.5 * g * (t - start) * (t - start)
}

#[test]
fn a_bouncing_ball_has_the_derivatives_of_the_closed_form() {
    let system = with(&ball(), &["g", "e", "h0"]);
    let times = vec![0.3, 0.6, 1.0, 1.45, 1.9, 2.3, 2.6];
    let run = run(&system, &[], times.clone());
    // Central differences of the closed form: error below 1e-8.
    let step = 1e-5;
    let (g, e, h0) = (9.8, 0.8, 1.0);
    for (k, &t) in times.iter().enumerate() {
        let slope = |plus: f64, minus: f64| (plus - minus) / (2.0 * step);
        let expected = [
            slope(height(g + step, e, h0, t), height(g - step, e, h0, t)),
            slope(height(g, e + step, h0, t), height(g, e - step, h0, t)),
            slope(height(g, e, h0 + step, t), height(g, e, h0 - step, t)),
        ];
        for (name, expected) in ["g", "e", "h0"].iter().zip(expected) {
            let found = run.signal(&format!("d(h)/d({name})")).expect("signal")[k];
            let error = (found - expected).abs();
            assert!(
                error < 1e-7,
                "d(h)/d({name}) at {t}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn a_thermostat_changes_its_slope_at_events_that_move() {
    // Nothing jumps but the right-hand side.
    let heat = Expr::select(s("on").gt(0.5), s("power"), 0.0);
    let system = EquationSystem::builder("thermostat")
        .parameter("low", 19.0)
        .parameter("high", 21.0)
        .parameter("power", 10.0)
        .parameter("k", 0.3)
        .discrete("on", 1.0)
        .definition("heat", heat)
        .state(
            "T",
            s("heat") - s("k") * (s("T") - 5.0 - (0.5 * s("time")).sin()),
            18.0,
        )
        .guard(Guard::new("too_hot", Direction::Rising), s("T") - s("high"))
        .guard(
            Guard::new("too_cold", Direction::Falling),
            s("T") - s("low"),
        )
        .update("too_hot", "on", Expr::constant(0.0))
        .update("too_cold", "on", Expr::constant(1.0))
        .output("T", s("T"))
        .output("flow", s("heat") * s("k"))
        .build()
        .expect("equations");
    against_differences(
        &system,
        &[("low", 19.0), ("high", 21.0), ("power", 10.0), ("k", 0.3)],
        &["T", "flow"],
        &[0.7, 1.4, 2.6, 3.9, 5.2],
        (1e-5, 1e-6),
    );
}

#[test]
fn samples_and_registers_are_differentiated_along() {
    // A sampled controller with an integral part, a hold and a limit that is an event.
    let system = EquationSystem::builder("sampled")
        .parameter("gain", 0.8)
        .parameter("rate", 0.4)
        .parameter("limit", 0.55)
        .discrete("sum", s("gain") * 0.1)
        .discrete("peak", 0.0)
        .clock(Clock::new(
            "c",
            "0.25".parse().expect("period"),
            "0".parse().expect("offset"),
        ))
        .definition("error", 1.0 - s("x"))
        .sample(
            "u",
            "c",
            s("gain") * s("error") + s("sum") - 0.1 * s("pre(u)"),
            0.2,
        )
        .update("c", "sum", s("sum") + s("rate") * s("error") * s("u"))
        .state("x", s("u") - s("x"), 0.0)
        .guard(Guard::new("passes", Direction::Rising), s("x") - s("limit"))
        .update("passes", "x", s("x") * 0.5 + s("u") * s("time"))
        .update("passes", "peak", s("u") + s("time") * s("x"))
        .output("x", s("x"))
        .output("u", s("u"))
        .output("sum", s("sum"))
        .output("peak", s("peak"))
        .build()
        .expect("equations");
    against_differences(
        &system,
        &[("gain", 0.8), ("rate", 0.4), ("limit", 0.55)],
        &["x", "u", "sum", "peak"],
        &[0.1, 0.6, 1.1, 1.9, 3.1],
        (1e-5, 1e-6),
    );
}

#[test]
fn derivatives_sweep_on_lanes_like_any_system() {
    let system = with(&ball(), &["e"]);
    let members = 20;
    let e: Vec<f64> = (0..members).map(|k| 0.6 + 0.015 * k as f64).collect();
    let recording = Recording::times(uniform_times(0.0, 1.0, 5));
    let sweep = Sweep::builder(&system)
        .span(0.0, 1.0)
        .column("e", e.clone())
        .record(recording.clone())
        .build()
        .expect("valid")
        .run()
        .expect("sweep");
    for (member, &e) in e.iter().enumerate() {
        let alone = Simulation::builder(&system)
            .span(0.0, 1.0)
            .parameter("e", e)
            .record(recording.clone())
            .build()
            .expect("valid")
            .run()
            .expect("run");
        let name = "d(h)/d(e)";
        let bits = |values: &[f64]| values.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        let (one, own) = (alone.signal(name), sweep.rows(name, member));
        assert_eq!(
            bits(one.expect("signal")),
            bits(own.expect("rows")),
            "{member}"
        );
    }
}

#[test]
fn what_has_no_derivative_is_refused_by_name() {
    let error = ball().with_sensitivities(&["gg"]).expect_err("unknown");
    assert!(error.to_string().contains("parameter `gg`"), "{error}");
    let error = ball().with_sensitivities(&["g", "g"]).expect_err("twice");
    assert!(matches!(error, SensitivityError::Twice { .. }), "{error}");
}
