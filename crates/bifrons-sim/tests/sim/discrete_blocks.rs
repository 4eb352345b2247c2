//! Discrete and switching blocks in diagrams, against difference equations and closed forms.

use bifrons_blocks::{
    Constant, Counter, DiscreteDerivative, DiscreteIntegrator, DiscretePid, DiscreteRateLimiter,
    DiscreteStateSpace, DiscreteTransferFunction, Edge, EdgeDetector, Expression, Gain, Integrator,
    LimitedIntegrator, Rate, Relay, StateSpace, Sum, SumRule, UnitDelay, ZeroOrderHold, zoh,
};
use bifrons_hybrid::{Block, DiagramBuilder, TapeSystem};
use bifrons_sim::{Recording, Simulation};

/// A block whose only input is `u(time)`, with its first output as `y`.
fn driven(block: impl Block, input: &str) -> TapeSystem {
    let component = block.into_component().expect("a block");
    let names: Vec<String> = component.input_names().map(str::to_owned).collect();
    let output = component
        .output_names()
        .next()
        .expect("an output")
        .to_owned();
    let mut builder = DiagramBuilder::new("bench");
    let source = Expression::new(input);
    let source = builder.add("source", source).expect("added");
    let block = builder.add("block", component).expect("added");
    for name in names {
        builder
            .connect(source.output("y"), block.input(name))
            .expect("connected");
    }
    builder
        .export_output("y", block.output(output))
        .expect("exported");
    compile(builder)
}

fn compile(builder: DiagramBuilder) -> TapeSystem {
    let diagram = builder.build().expect("complete");
    diagram
        .flatten()
        .expect("causal")
        .compile()
        .expect("compiled")
}

fn values(system: &TapeSystem, t_end: f64, times: Vec<f64>) -> Vec<f64> {
    let simulation = Simulation::builder(system)
        .span(0.0, t_end)
        .record(Recording::times(times));
    let run = simulation.build().expect("valid").run().expect("runs");
    run.signal("y").expect("recorded").to_vec()
}

/// Values at the ticks 0, 1, 2, … of a block with period 1.
fn ticks(block: impl Block, input: &str, count: u32) -> Vec<f64> {
    let times: Vec<f64> = (0..count).map(f64::from).collect();
    values(&driven(block, input), f64::from(count), times)
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "numbers of values");
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() <= 1e-13 * b.abs().max(1.0),
            "{found:?} for {expected:?}"
        );
    }
}

#[test]
fn hold_and_delay() {
    let rate = Rate::every(1.0);
    close(
        &ticks(ZeroOrderHold::new(rate), "time^2", 4),
        &[0.0, 1.0, 4.0, 9.0],
    );
    close(
        &ticks(UnitDelay::new(rate, 7.0), "time^2", 4),
        &[7.0, 0.0, 1.0, 4.0],
    );
    let late = ZeroOrderHold::new(Rate::with_offset(1.0, 0.5)).initial(-1.0);
    close(&ticks(late, "time", 3), &[-1.0, 0.5, 1.5]);
}

#[test]
fn integrals_of_a_ramp_follow_their_rules() {
    let integral = |rule| {
        let block = DiscreteIntegrator::new(Rate::every(1.0), 1.0).rule(rule);
        ticks(block, "time", 5)
    };
    close(&integral(SumRule::Forward), &[1.0, 1.0, 2.0, 4.0, 7.0]);
    close(&integral(SumRule::Backward), &[1.0, 2.0, 4.0, 7.0, 11.0]);
    close(&integral(SumRule::Trapezoidal), &[1.0, 1.5, 3.0, 5.5, 9.0]);
}

#[test]
fn difference_limiter_counter_and_edges() {
    let rate = Rate::every(1.0);
    close(
        &ticks(DiscreteDerivative::new(rate, 0.0), "time^2", 4),
        &[0.0, 1.0, 3.0, 5.0],
    );
    let limiter = DiscreteRateLimiter::new(rate, 2.0, 1.0);
    close(
        &ticks(limiter, "if time < 3 then 10 else 0", 6),
        &[2.0, 4.0, 6.0, 5.0, 4.0, 3.0],
    );
    close(
        &ticks(Counter::new(rate), "time - 1.5", 5),
        &[0.0, 0.0, 1.0, 2.0, 3.0],
    );
    let pulse = "if time >= 1 and time < 3 then 1 else 0";
    let edges = |edge| ticks(EdgeDetector::new(rate, edge), pulse, 5);
    close(&edges(Edge::Rising), &[0.0, 1.0, 0.0, 0.0, 0.0]);
    close(&edges(Edge::Falling), &[0.0, 0.0, 0.0, 1.0, 0.0]);
    close(&edges(Edge::Either), &[0.0, 1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn a_filter_follows_its_difference_equation() {
    let (b, a) = ([1.0, 0.5, -0.25], [2.0, -0.6, 0.1]);
    let found = ticks(
        DiscreteTransferFunction::new(Rate::every(1.0), b, a),
        "sin(time)",
        12,
    );
    let u = |k: i32| if k < 0 { 0.0 } else { f64::from(k).sin() };
    let mut y = vec![0.0; 12];
    for k in 0..12_i32 {
        let past = |j: i32| {
            if k < j {
                0.0
            } else {
                y[usize::try_from(k - j).expect("k >= j")]
            }
        };
        let sum = b[0] * u(k) + b[1] * u(k - 1) + b[2] * u(k - 2) - a[1] * past(1) - a[2] * past(2);
        y[usize::try_from(k).expect("k >= 0")] = sum / a[0];
    }
    close(&found, &y);
    let mean = DiscreteTransferFunction::new(Rate::every(1.0), [0.5, 0.5], [1.0]);
    close(&ticks(mean, "time", 4), &[0.0, 0.5, 1.5, 2.5]);
}

#[test]
fn a_sampled_plant_agrees_with_the_continuous_one_behind_a_hold() {
    let (a, b) = ([0.0, 1.0, -4.0, -0.4], [0.0, 1.0]);
    let [ad, bd] = zoh(&a, &b, 2, 1, 0.1).expect("a period");
    let discrete =
        DiscreteStateSpace::from_rows(Rate::every(0.1), [2, 1, 1], [&ad, &bd, &[1.0, 0.0], &[0.0]]);
    let times: Vec<f64> = (0..=30).map(|k| f64::from(k) / 10.0).collect();
    let sampled = values(&driven(discrete, "cos(3 * time)"), 3.0, times.clone());
    let mut builder = DiagramBuilder::new("continuous");
    let source = builder
        .add("source", Expression::new("cos(3 * time)"))
        .expect("added");
    let hold = builder
        .add("hold", ZeroOrderHold::new(Rate::every(0.1)))
        .expect("added");
    let plant = StateSpace::new(
        &[[0.0, 1.0], [-4.0, -0.4]],
        &[[0.0], [1.0]],
        &[[1.0, 0.0]],
        &[[0.0]],
    );
    let plant = builder.add("plant", plant).expect("added");
    builder
        .connect(source.output("y"), hold.input("u"))
        .expect("connected");
    builder
        .connect(hold.output("y"), plant.input("u"))
        .expect("connected");
    builder
        .export_output("y", plant.output("y"))
        .expect("exported");
    let continuous = compile(builder);
    let run = Simulation::builder(&continuous)
        .span(0.0, 3.0)
        .tolerance(1e-11, 1e-13)
        .record(Recording::times(times))
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    for (a, b) in sampled.iter().zip(run.signal("y").expect("y")) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}

#[test]
fn a_discrete_pid_follows_its_recursion_and_does_not_wind_up() {
    let (kp, ki, kd, tf, kt, h) = (2.0, 1.5, 0.3, 0.05, 4.0, 0.1);
    let mut builder = DiagramBuilder::new("loop");
    let pid = DiscretePid::new(Rate::every(h), kp, ki, kd)
        .filter(tf)
        .limits(-1.0, 1.0, kt);
    let pid = builder.add("pid", pid).expect("added");
    let set_point = builder.add("r", Constant::new(1.0)).expect("added");
    let plant = builder.add("plant", Integrator::new(0.0)).expect("added");
    builder
        .connect(set_point.output("y"), pid.input("r"))
        .expect("connected");
    builder
        .connect(plant.output("y"), pid.input("y"))
        .expect("connected");
    builder
        .connect(pid.output("u"), plant.input("u"))
        .expect("connected");
    builder
        .export_output("y", plant.output("y"))
        .expect("exported");
    let times: Vec<f64> = (0..=40).map(|k| f64::from(k) / 10.0).collect();
    let found = values(&compile(builder), 4.0, times);
    let (mut y, mut i, mut d, mut last) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for (k, found) in found.into_iter().enumerate() {
        assert!((found - y).abs() < 1e-9, "step {k}: {found} for {y}");
        d = (tf * d - kd * (y - last)) / (tf + h);
        let v = kp * (1.0 - y) + i + d;
        let u = v.clamp(-1.0, 1.0);
        i += h * (ki * (1.0 - y) + kt * (u - v));
        last = y;
        y += h * u;
    }
}

#[test]
fn a_thermostat_switches_at_its_thresholds() {
    // T' = (10 - T)/10 + 2 on: from 15 upwards until 20.5, then down to 19.5.
    let mut builder = DiagramBuilder::new("thermostat");
    let relay = Relay::new(-20.5, -19.5).starting_on();
    let relay = builder.add("relay", relay).expect("added");
    let minus = builder.add("minus", Gain::new(-1.0)).expect("added");
    let room = StateSpace::new(&[[-0.1]], &[[1.0]], &[[1.0]], &[[0.0]]).start([15.0]);
    let room = builder.add("room", room).expect("added");
    let heat = builder.add("heat", Gain::new(2.0)).expect("added");
    let ambient = builder.add("ambient", Constant::new(1.0)).expect("added");
    let sum = builder.add("sum", Sum::new("++")).expect("added");
    builder
        .connect(room.output("y"), minus.input("u"))
        .expect("connected");
    builder
        .connect(minus.output("y"), relay.input("u"))
        .expect("connected");
    builder
        .connect(relay.output("y"), heat.input("u"))
        .expect("connected");
    builder
        .connect(heat.output("y"), sum.input("u1"))
        .expect("connected");
    builder
        .connect(ambient.output("y"), sum.input("u2"))
        .expect("connected");
    builder
        .connect(sum.output("y"), room.input("u"))
        .expect("connected");
    builder
        .export_output("y", room.output("y"))
        .expect("exported");
    let run = Simulation::builder(&compile(builder))
        .span(0.0, 10.0)
        .tolerance(1e-9, 1e-12)
        .log_events(99)
        .build()
        .expect("valid")
        .run()
        .expect("runs");
    let first = -10.0 * ((30.0 - 20.5_f64) / 15.0).ln();
    let cool = -10.0 * (9.5_f64 / 10.5).ln();
    let heat = -10.0 * (9.5_f64 / 10.5).ln();
    let mut expected = first;
    for (k, event) in run.events().iter().enumerate() {
        assert!(
            (event.t - expected).abs() < 1e-7,
            "{k}: {} for {expected}",
            event.t
        );
        expected += if k % 2 == 0 { cool } else { heat };
    }
    assert!(run.events().len() >= 5);
}

#[test]
fn a_limited_integral_waits_at_its_limit() {
    // u = cos t: x = sin t up to 0.5, waits until u turns at π/2, then 0.5 + sin t - 1.
    let mut builder = DiagramBuilder::new("limited");
    let source = builder
        .add("source", Expression::new("cos(time)"))
        .expect("added");
    let x = builder
        .add("x", LimitedIntegrator::new(0.0).limits(-10.0, 0.5))
        .expect("added");
    builder
        .connect(source.output("y"), x.input("u"))
        .expect("connected");
    builder.constant(x.input("reset"), -1.0).expect("constant");
    builder.export_output("y", x.output("y")).expect("exported");
    let found = values(&compile(builder), 3.0, vec![0.25, 1.0, 1.5, 2.0, 3.0]);
    let expected = [
        0.25_f64.sin(),
        0.5,
        0.5,
        2.0_f64.sin() - 0.5,
        3.0_f64.sin() - 0.5,
    ];
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 2e-6, "{a} for {b}");
    }
}
