//! Blocks with memory in runs, against closed forms.

use bifrons_blocks::{
    Backlash, Chirp, CrossingCounter, Derivative, Distribution, Expression, FirstOrderHold,
    Friction, Integrator, Latch, MovingAverage, Noise, PadeDelay, Pid, Pulse, Rate, RateLimiter,
    SampleAndHold, SampledDelay, Saturation, Sawtooth, Stop, Time, ZeroPole, control,
};
use bifrons_expr::Expr;
use bifrons_hybrid::{Block, DiagramBuilder, TapeSystem};
use bifrons_sim::{BuildError, Recording, Run, Simulation};

fn compile(builder: DiagramBuilder) -> TapeSystem {
    let equations = builder.build().expect("complete").flatten();
    equations.expect("causal").compile().expect("compiled")
}

/// A block whose inputs are the given texts over `time`, all outputs exported.
fn driven(block: impl Block, inputs: &[&str]) -> TapeSystem {
    let component = block.into_component().expect("a block");
    let names: Vec<String> = component.input_names().map(str::to_owned).collect();
    let outputs: Vec<String> = component.output_names().map(str::to_owned).collect();
    assert_eq!(names.len(), inputs.len(), "one text per input");
    let mut builder = DiagramBuilder::new("bench");
    let block = builder.add("block", component).expect("added");
    for (name, text) in names.iter().zip(inputs) {
        let source = builder.add(format!("source_{name}"), Expression::new(*text));
        let source = source.expect("added");
        builder
            .connect(source.output("y"), block.input(name))
            .expect("connected");
    }
    for name in &outputs {
        builder
            .export_output(name.as_str(), block.output(name))
            .expect("exported");
    }
    compile(builder)
}

fn run(system: &TapeSystem, t_end: f64, times: &[f64]) -> Run {
    let simulation = Simulation::builder(system)
        .span(0.0, t_end)
        .tolerance(1e-9, 1e-12)
        .record(Recording::times(times.to_vec()));
    simulation.build().expect("valid").run().expect("runs")
}

fn values(block: impl Block, inputs: &[&str], times: &[f64]) -> Vec<f64> {
    let system = driven(block, inputs);
    let end = times.last().copied().unwrap_or(0.0) + 0.01;
    let run = run(&system, end, times);
    let name = run.names().next().expect("an output").to_owned();
    run.signal(&name).expect("recorded").to_vec()
}

fn close(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len(), "numbers of values");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= bound, "{found:?} for {expected:?}");
    }
}

const TICKS: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];

#[test]
fn periodic_sources_have_exact_edges() {
    let pulse = Pulse::new(1.0, 0.25).delay(0.5).values(-1.0, 2.0);
    let times = [0.0, 0.49, 0.5, 0.74, 0.75, 1.49, 1.5, 1.7, 1.75, 2.0];
    let expected = [-1.0, -1.0, 2.0, 2.0, -1.0, -1.0, 2.0, 2.0, -1.0, -1.0];
    close(&values(pulse, &[], &times), &expected, 0.0);
    let saw = Sawtooth::new(3.0, 2.0).delay(0.5);
    let times = [0.0, 0.25, 0.5, 1.5, 2.25, 2.5, 3.5];
    let expected = [2.25, 2.625, 0.0, 1.5, 2.625, 0.0, 1.5];
    close(&values(saw, &[], &times), &expected, 1e-14);
    close(&values(Time, &[], &[0.0, 0.5]), &[0.0, 0.5], 0.0);
    let chirp = Chirp::new(2.0, 1.0, 3.0, 4.0).phase(0.1);
    let exact = |t: f64| 2.0 * (0.1 + t + 0.25 * t * t).sin();
    close(
        &values(chirp, &[], &[0.0, 1.3, 4.0]),
        &[exact(0.0), exact(1.3), exact(4.0)],
        1e-15,
    );
}

/// The integral of a pulse train is exact to the tolerance, because no step crosses an edge.
#[test]
fn the_integral_of_pulses_is_their_area() {
    let mut builder = DiagramBuilder::new("area");
    let pulse = builder.add("pulse", Pulse::new(0.3, 0.1)).expect("added");
    let sum = builder.add("sum", Integrator::new(0.0)).expect("added");
    builder
        .connect(pulse.output("y"), sum.input("u"))
        .expect("connected");
    builder
        .export_output("area", sum.output("y"))
        .expect("exported");
    let system = compile(builder);
    let run = run(&system, 3.0, &[0.05, 0.2, 3.0]);
    close(
        run.signal("area").expect("recorded"),
        &[0.05, 0.1, 1.0],
        1e-12,
    );
}

#[test]
fn noise_is_a_function_of_seed_and_tick() {
    let noise = |seed| Noise::new(Rate::every(1.0), seed);
    let first = values(noise(7), &[], &TICKS);
    assert_eq!(first, values(noise(7), &[], &TICKS), "repeats");
    assert_ne!(first, values(noise(8), &[], &TICKS), "another seed");
    let scaled = values(noise(7).scaled(10.0, 2.0), &[], &TICKS);
    let expected: Vec<f64> = first.iter().map(|v| 10.0 + 2.0 * v).collect();
    close(&scaled, &expected, 1e-14);
    let many: Vec<f64> = (0..4000).map(f64::from).collect();
    let uniform = values(noise(3).distribution(Distribution::Uniform), &[], &many);
    let mean = uniform.iter().sum::<f64>() / 4000.0;
    // Fixed draws: four standard errors of 1/√12/√4000.
    assert!((mean - 0.5).abs() < 0.019, "mean {mean}");
    assert!(
        uniform.iter().all(|u| (0.0..1.0).contains(u)),
        "in the interval"
    );
}

#[test]
fn delays_and_averages_follow_their_difference_equations() {
    let rate = Rate::every(1.0);
    let delayed = values(
        SampledDelay::new(rate, 2.0).initial(-1.0),
        &["time^2"],
        &TICKS,
    );
    close(&delayed, &[-1.0, -1.0, 0.0, 1.0, 4.0, 9.0], 0.0);
    let between = values(SampledDelay::new(rate, 1.25), &["4*time"], &TICKS);
    close(&between, &[0.0, 0.0, 3.0, 7.0, 11.0, 15.0], 1e-14);
    let registers = |delay| SampledDelay::new(rate, delay).register_count();
    assert_eq!(registers(2.0), Some(2), "whole periods");
    assert_eq!(registers(1.25), Some(2), "one more for the line between");
    assert_eq!(registers(-1.0), None, "refused");
    let none = values(SampledDelay::new(rate, 0.0), &["time^2"], &TICKS);
    close(&none, &[0.0, 1.0, 4.0, 9.0, 16.0, 25.0], 0.0);
    let decimal = values(
        SampledDelay::new(Rate::every(0.1), 0.3),
        &["time"],
        &[0.35, 0.55],
    );
    close(&decimal, &[0.0, 0.2], 1e-15);
    let mean = values(
        MovingAverage::new(rate, 3).initial(3.0),
        &["time^2"],
        &TICKS,
    );
    close(
        &mean,
        &[
            2.0,
            4.0 / 3.0,
            5.0 / 3.0,
            14.0 / 3.0,
            29.0 / 3.0,
            50.0 / 3.0,
        ],
        1e-14,
    );
    let line = values(
        FirstOrderHold::new(rate),
        &["time^2"],
        &[0.0, 0.5, 1.0, 1.5, 2.5, 3.0],
    );
    // From tick k on u[k] + (u[k] - u[k-1])(t - k).
    close(&line, &[0.0, 0.0, 1.0, 1.5, 5.5, 9.0], 1e-14);
    let play = Backlash::new(rate, 2.0).initial(0.0);
    let played = values(play, &["if time < 3 then 2*time else 8 - time"], &TICKS);
    close(&played, &[0.0, 1.0, 3.0, 4.0, 4.0, 4.0], 0.0);
}

#[test]
fn linear_blocks_have_their_step_and_frequency_responses() {
    let times = [0.5, 1.0, 2.0];
    // 1/(s + 2)(s + 1): 1/2 - e^-t + e^-2t / 2.
    let zeros: [(f64, f64); 0] = [];
    let block = ZeroPole::new(zeros, [(-1.0, 0.0), (-2.0, 0.0)], 1.0);
    let exact = times.map(|t: f64| 0.5 - (-t).exp() + 0.5 * (-2.0 * t).exp());
    close(&values(block, &["1"], &times), &exact, 1e-8);
    // 5/(s² + 2 s + 5): 1 - e^-t (cos 2t + sin 2t / 2).
    let block = ZeroPole::new(zeros, [(-1.0, 2.0)], 5.0);
    let exact = times.map(|t| 1.0 - (-t).exp() * ((2.0 * t).cos() + 0.5 * (2.0 * t).sin()));
    close(&values(block, &["1"], &times), &exact, 1e-8);
    // s/(0.1 s + 1) of a ramp: 1 - e^(-10 t).
    let exact = times.map(|t| 1.0 - (-10.0 * t).exp());
    close(
        &values(Derivative::new(0.1), &["time"], &times),
        &exact,
        1e-8,
    );
    // A ramp behind the bound: slope 0.5 for ever, as 2 t runs away.
    let limited = values(RateLimiter::new(0.5, 1.0, 0.01), &["2*time"], &[2.0, 4.0]);
    let rise = limited[1] - limited[0];
    assert!((rise - 1.0).abs() < 1e-8, "slope of the bound: {rise}");
    // A slow ramp is followed with the lag: 0.1 (t - lag).
    let followed = values(RateLimiter::new(0.5, 1.0, 0.01), &["0.1*time"], &[2.0]);
    close(&followed, &[0.1 * 1.99], 1e-8);
}

#[test]
fn a_pade_delay_shifts_slow_sines() {
    // After the start has died out the all-pass shifts by the phase; error of order (ω τ)^(2n+1).
    let times = [20.0, 21.3];
    for (order, bound) in [(1, 2e-2), (2, 3e-4), (4, 1e-7)] {
        let found = values(PadeDelay::new(0.5, order), &["sin(time)"], &times);
        let exact = times.map(|t| (t - 0.5).sin());
        close(&found, &exact, bound);
    }
}

#[test]
fn latches_holds_and_counters_wait_for_crossings() {
    let times = [0.5, 1.5, 2.5, 3.5];
    let latch = values(Latch::new(), &["time - 1", "time - 2"], &times);
    close(&latch, &[0.0, 1.0, 0.0, 0.0], 0.0);
    let both = values(
        Latch::new().starting_on(),
        &["time - 1", "time - 1"],
        &times,
    );
    close(&both, &[1.0, 0.0, 0.0, 0.0], 0.0);
    let held = values(SampleAndHold::new(-7.0), &["time^2", "time - 2"], &times);
    close(&held, &[-7.0, -7.0, 4.0, 4.0], 1e-12);
    let count = values(
        CrossingCounter,
        &["sin(6.283185307179586*time) - 0.5"],
        &times,
    );
    close(&count, &[1.0, 2.0, 3.0, 4.0], 0.0);
    let system = driven(Stop, &["time - 1.25"]);
    let ending = Simulation::builder(&system).span(0.0, 9.0).log_events(4);
    let run = ending.build().expect("valid").run().expect("runs");
    assert!(
        (run.events()[0].t - 1.25).abs() < 1e-14,
        "ends at {}",
        run.events()[0].t
    );
}

/// A mass under friction: `m = 1`, spring `k`, friction block; outputs position and mode.
fn mass(friction: Friction, spring: f64, start: (f64, f64)) -> TapeSystem {
    let mut builder = DiagramBuilder::new("mass");
    let friction = builder.add("friction", friction).expect("added");
    let v = builder.add("v", Integrator::new(start.1)).expect("added");
    let x = builder.add("x", Integrator::new(start.0)).expect("added");
    let pull = Expression::new("-k*x").input("x").parameter("k", spring);
    let pull = builder.add("pull", pull).expect("added");
    let total = Expression::new("f + g").input("f").input("g");
    let total = builder.add("total", total).expect("added");
    for (from, to) in [
        (v.output("y"), x.input("u")),
        (x.output("y"), pull.input("x")),
        (pull.output("y"), friction.input("f")),
        (v.output("y"), friction.input("v")),
        (pull.output("y"), total.input("f")),
        (friction.output("y"), total.input("g")),
        (total.output("y"), v.input("u")),
    ] {
        builder.connect(from, to).expect("connected");
    }
    builder.export_output("x", x.output("y")).expect("exported");
    builder
        .export_output("mode", friction.output("mode"))
        .expect("exported");
    compile(builder)
}

#[test]
fn a_sliding_mass_stops_and_sticks() {
    // No spring: it stops after v/μ at v²/(2 μ).
    let system = mass(Friction::coulomb(2.0).starting_at(3.0), 0.0, (0.0, 3.0));
    let found = run(&system, 10.0, &[0.75, 1.4, 10.0]);
    let position = found.signal("x").expect("recorded");
    let moving = |t: f64| 3.0 * t - t * t;
    close(position, &[moving(0.75), moving(1.4), 2.25], 1e-9);
    close(
        found.signal("mode").expect("recorded"),
        &[1.0, 1.0, 0.0],
        0.0,
    );
}

#[test]
fn a_rubbed_spring_loses_the_same_amplitude_each_half_period() {
    // k = m = 1, friction 0.11: from x it swings to 2·0.11 - x, until |x| <= 0.11.
    let system = mass(Friction::coulomb(0.11).starting_at(-1.0), 1.0, (1.0, 0.0));
    let half = std::f64::consts::PI;
    let found = run(&system, 30.0, &[half, 2.0 * half, 3.0 * half, 30.0]);
    let position = found.signal("x").expect("recorded");
    // 1, -0.78, 0.56, -0.34, 0.12, 0.10, and there it sticks.
    close(position, &[-0.78, 0.56, -0.34, 0.10], 1e-8);
    assert_eq!(found.last_discrete(), [0.0], "sticks");
}

#[test]
fn a_pid_controller_leaves_no_error_and_does_not_wind_up() {
    // PI on an integrator-free first-order process with pole cancelled: kp = ti' = 1, closed loop
    // 1/(s + 1): y = 1 - e^-t.
    let mut builder = DiagramBuilder::new("loop");
    let pid = Pid::new(1.0, 1.0, 0.0, 1.0);
    let pid = builder.add("pid", pid).expect("added");
    let plant = Expression::new("u - x").input("u").input("x");
    let plant = builder.add("plant", plant).expect("added");
    let x = builder.add("x", Integrator::new(0.0)).expect("added");
    builder
        .connect(pid.output("u"), plant.input("u"))
        .expect("connected");
    builder
        .connect(x.output("y"), plant.input("x"))
        .expect("connected");
    builder
        .connect(plant.output("y"), x.input("u"))
        .expect("connected");
    builder
        .connect(x.output("y"), pid.input("y"))
        .expect("connected");
    builder.constant(pid.input("r"), 1.0).expect("connected");
    builder.export_output("y", x.output("y")).expect("exported");
    let system = compile(builder);
    let run = run(&system, 10.0, &[1.0, 3.0, 10.0]);
    let exact = [1.0_f64, 3.0, 10.0].map(|t| 1.0 - (-t).exp());
    close(run.signal("y").expect("recorded"), &exact, 1e-8);
    // Open loop at a limit: i' = ki e + kt (u - v) holds v at u + ki e / kt.
    let limited = Pid::new(1.0, 2.0, 0.0, 1.0).limits(-1.0, 1.0, 10.0);
    let system = driven(limited, &["1", "0"]);
    let run = Simulation::builder(&system)
        .span(0.0, 20.0)
        .record(Recording::final_values());
    let run = run.build().expect("valid").run().expect("runs");
    // v = kp e + i = 1 + i → 1 + 2/10.
    let states = run.last_state();
    assert!(
        (states[0] - 0.2).abs() < 1e-6,
        "the integral stands: {states:?}"
    );
}

#[test]
fn limits_that_are_infinite_are_no_parameters() {
    let inf = f64::INFINITY;
    let found = values(Saturation::new(0.0, inf), &["time - 2"], &[1.0, 5.0]);
    close(&found, &[0.0, 3.0], 1e-14);
    let found = values(
        bifrons_blocks::LimitedIntegrator::new(1.0),
        &["1", "-1"],
        &[2.0],
    );
    close(&found, &[3.0], 1e-9);
    let pid = bifrons_blocks::DiscretePid::new(Rate::every(1.0), 2.0, 0.0, 0.0);
    close(&values(pid, &["time", "0"], &[3.0]), &[6.0], 0.0);
}

#[test]
fn a_kalman_filter_settles_to_the_steady_gain() {
    let (a, q, r) = (0.9, 0.5, 2.0);
    let filter = control::KalmanFilter::new(Rate::every(1.0))
        .state("z", a * Expr::symbol("z"), q)
        .start("z", 0.0, 10.0)
        .measurement(Expr::symbol("z"), r);
    let times: Vec<f64> = (0..60).map(f64::from).collect();
    let system = driven(filter, &["sin(time)"]);
    let run = run(&system, 60.0, &times);
    // Slow sibling: the scalar recursion.
    let (mut x, mut p) = (0.0, 10.0);
    for (k, t) in times.iter().enumerate() {
        let gain = p / (p + r);
        x += gain * (t.sin() - x);
        p -= gain * p;
        close(&[run.signal("z").expect("recorded")[k]], &[x], 1e-12);
        close(&[run.signal("p1").expect("recorded")[k]], &[p], 1e-12);
        (x, p) = (a * x, a * a * p + q);
    }
    let steady = control::discrete_estimator(&[a], &[1.0], &[q], &[r], [1, 1]).expect("detectable");
    close(&[p], &[steady.covariance[0]], 1e-12);
}

#[test]
fn an_extended_filter_uses_the_slope_at_the_estimate() {
    // Measurement z², state constant: H = 2 z.
    let z = Expr::symbol("z");
    let filter = control::KalmanFilter::new(Rate::every(1.0))
        .state("z", z.clone(), 0.0)
        .start("z", 1.0, 1.0)
        .measurement(z.powi(2), 0.1);
    let system = driven(filter, &["4"]);
    let run = run(&system, 5.0, &TICKS[..5]);
    let (mut x, mut p): (f64, f64) = (1.0, 1.0);
    for k in 0..5 {
        let h = 2.0 * x;
        let gain = p * h / (h * p * h + 0.1);
        (x, p) = (x + gain * (4.0 - x * x), p - gain * h * p);
        close(&[run.signal("z").expect("recorded")[k]], &[x], 1e-12);
    }
    assert!((x - 2.0).abs() < 0.1, "near the root: {x}");
}

/// A limit may be infinite in a run, away from the signal; nothing else may.
#[test]
fn limits_of_a_run_may_be_infinite_where_that_means_none() {
    let system = driven(Saturation::new(-1.0, 2.0), &["4 * time - 3"]);
    let times = [0.0, 0.5, 1.0, 3.0];
    let with = |changes: &[(&str, f64)]| {
        let mut simulation = Simulation::builder(&system).span(0.0, 3.0);
        for (name, value) in changes {
            simulation = simulation.parameter(*name, *value);
        }
        simulation.record(Recording::times(times.to_vec())).build()
    };
    let recorded = |changes: &[(&str, f64)]| {
        let run = with(changes).expect("in range").run().expect("runs");
        run.signal("y").expect("recorded").to_vec()
    };
    close(&recorded(&[]), &[-1.0, -1.0, 1.0, 2.0], 0.0);
    let upper = ("block.upper", f64::INFINITY);
    let lower = ("block.lower", f64::NEG_INFINITY);
    close(&recorded(&[upper]), &[-1.0, -1.0, 1.0, 9.0], 0.0);
    close(&recorded(&[lower]), &[-3.0, -1.0, 1.0, 2.0], 0.0);
    close(&recorded(&[lower, upper]), &[-3.0, -1.0, 1.0, 9.0], 0.0);
    for (name, value, text) in [
        (
            "block.upper",
            f64::NEG_INFINITY,
            "parameter `block.upper` must be finite or inf, got -inf",
        ),
        (
            "block.lower",
            f64::INFINITY,
            "parameter `block.lower` must be finite or -inf, got inf",
        ),
        (
            "block.lower",
            f64::NAN,
            "parameter `block.lower` must be finite or -inf, got NaN",
        ),
    ] {
        let error = with(&[(name, value)]).map(drop).expect_err("out of range");
        let BuildError::Parameter { name: own, .. } = &error else {
            panic!("{error:?}");
        };
        assert_eq!((own.as_str(), error.to_string()), (name, text.to_owned()));
    }
}
