//! Containers in runs: held and begun anew, triggered, nested, one for each element.

use std::f64::consts::PI;

use bifrons_expr::Expr;
use bifrons_hybrid::{
    Block as _, BlockError, BlockSpec, Clock, Diagram, DiagramBuilder, DiagramError, Direction,
    Enabled, ForEach, Guard, HybridSystem, TapeSystem, Triggered,
};
use bifrons_sim::{Outcome, Recording, Run, Simulation, Sweep, uniform_times};

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// One output `y`, an equation of `time`, and of the parameters `a` and `b`.
fn source(y: Expr) -> BlockSpec {
    let block = BlockSpec::builder("Source");
    let block = block.parameter("a", 1.0).parameter("b", 0.0);
    block.output("y", y).build().expect("block")
}

/// `sin(2π (a time + b))`
fn wave() -> BlockSpec {
    source((2.0 * PI * (s("a") * s("time") + s("b"))).sin())
}

/// `x' = u`, `y = x`.
fn integrator(start: f64) -> BlockSpec {
    let block = BlockSpec::builder("Integrator").input("u");
    let block = block.parameter("x0", start).state("x", s("u"), s("x0"));
    block.output("y", s("x")).build().expect("block")
}

/// `n := n + 1` at each tick of a clock.
fn counter(period: &str, offset: &str) -> BlockSpec {
    let (period, offset) = (
        period.parse().expect("period"),
        offset.parse().expect("offset"),
    );
    BlockSpec::builder("Counter")
        .discrete("n", 0.0)
        .clock(Clock::new("ticks", period, offset))
        .update("ticks", "n", s("n") + 1.0)
        .output("y", s("n"))
        .build()
        .expect("block")
}

/// One block as a diagram with the output `y` and, if it has one, the input `u`.
fn alone(block: BlockSpec) -> Diagram {
    let mut builder = DiagramBuilder::new("inside");
    let has_input = block.input_names().count() > 0;
    let id = builder.add("core", block).expect("block");
    if has_input {
        builder.export_input("u", id.input("u")).expect("input");
    }
    builder.export_output("y", id.output("y")).expect("output");
    builder.build().expect("diagram")
}

/// `container` switched by `control`, its input `u` the constant 1 if it has one.
fn switched(
    container: impl bifrons_hybrid::Block,
    port: &str,
    control: BlockSpec,
    has_input: bool,
) -> Diagram {
    let mut builder = DiagramBuilder::new("switched");
    let control = builder.add("control", control).expect("block");
    let box_ = builder.add("box", container).expect("container");
    builder
        .connect(control.output("y"), box_.input(port))
        .expect("connection");
    if has_input {
        builder.constant(box_.input("u"), 1.0).expect("constant");
    }
    builder
        .export_output("y", box_.output("y"))
        .expect("output");
    builder.build().expect("diagram")
}

fn compile(diagram: &Diagram) -> TapeSystem {
    diagram
        .flatten()
        .expect("equations")
        .compile()
        .expect("tape")
}

fn run(system: &TapeSystem, end: f64, rows: usize) -> Run {
    Simulation::builder(system)
        .span(0.0, end)
        .tolerance(1e-10, 1e-12)
        .record(Recording::times(uniform_times(0.0, end, rows)))
        .log_events(1000)
        .build()
        .expect("valid")
        .run()
        .expect("run")
}

fn close(run: &Run, expected: impl Fn(f64) -> f64, tolerance: f64) {
    let y = run.signal("y").expect("signal");
    assert!(!y.is_empty(), "no rows");
    for (&t, &y) in run.times().iter().zip(y) {
        let expected = expected(t);
        assert!(
            (y - expected).abs() <= tolerance,
            "y({t}) = {y} for {expected}"
        );
    }
}

/// How long `sin(2π (a t + b))`, `a > 0`, has been positive between 0 and `t`.
fn time_above(a: f64, b: f64, t: f64) -> f64 {
    let above = |phase: f64| {
        let whole = phase.floor();
        0.5 * whole + (phase - whole).min(0.5)
    };
    (above(a * t + b) - above(b)) / a
}

#[test]
fn states_and_outputs_are_held_while_off() {
    // Zero is not positive: at the very start the output is what it is before.
    let container = Enabled::new(alone(integrator(2.0))).output_before(2.0);
    let diagram = switched(container, "enable", wave(), true);
    let run = run(&compile(&diagram), 3.3, 34);
    close(&run, |t| 2.0 + time_above(1.0, 0.0, t), 1e-12);
}

#[test]
fn an_output_of_time_is_held_at_its_last_value() {
    // Positive at first; what is before the first time on is `off`.
    let inside = alone(source(s("time")));
    let container = Enabled::new(inside).output_before(-7.0);
    let diagram = switched(container, "enable", wave(), false);
    let system = compile(&diagram);
    let late = Simulation::builder(&system)
        .span(0.0, 3.0)
        .parameter("control.b", 0.6)
        .record(Recording::times(uniform_times(0.0, 3.0, 61)))
        .build()
        .expect("valid")
        .run()
        .expect("run");
    // On from 0.4 to 0.9, 1.4 to 1.9, 2.4 to 2.9.
    let expected = |t: f64| {
        let cycle = (t - 0.4).floor();
        if t < 0.4 { -7.0 } else { t.min(0.9 + cycle) }
    };
    let away = |t: f64| ((2.0 * (t - 0.4)).round() - 2.0 * (t - 0.4)).abs() > 1e-9;
    for (&t, &y) in late.times().iter().zip(late.signal("y").expect("y")) {
        assert!(!away(t) || (y - expected(t)).abs() < 1e-12, "{y} at {t}");
    }
}

#[test]
fn states_begin_anew_at_each_switching_on() {
    let container = Enabled::new(alone(integrator(2.0)))
        .reset_states()
        .output_off(-1.0);
    let diagram = switched(container, "enable", wave(), true);
    let system = compile(&diagram);
    let run = run(&system, 3.3, 34);
    for (&t, &y) in run.times().iter().zip(run.signal("y").expect("y")) {
        let phase = t - t.floor();
        // Rows at the very instants show one side or the other.
        let twice: f64 = 2.0 * t;
        if (twice - twice.round()).abs() < 1e-9 {
            continue;
        }
        let expected = if phase < 0.5 { 2.0 + phase } else { -1.0 };
        assert!((y - expected).abs() < 1e-12, "{y} for {expected} at {t}");
    }
}

#[test]
fn a_tick_at_the_instant_of_switching_on_counts() {
    // Ticks at 0, 0.1, …; the control is sampled by a clock of 1 and alternates 1, 0, 1, …
    let control = BlockSpec::builder("Alternating")
        .discrete("k", 0.0)
        .clock(Clock::new(
            "slow",
            "1".parse().expect("period"),
            "0".parse().expect("offset"),
        ))
        .sample("on", "slow", 1.0 - s("pre(on)"), 0.0)
        .output("y", s("on"))
        .build()
        .expect("block");
    let held = Enabled::new(alone(counter("0.1", "0")));
    let diagram = switched(held.clone(), "enable", control.clone(), false);
    let run_held = run(&compile(&diagram), 2.95, 60);
    // On in [0, 1) with ten ticks and in [2, 3); off in [1, 2), the tick at 1 included.
    let count = |t: f64| ((t * 10.0 + 1e-6).floor() + 1.0).min(10.0);
    close(
        &run_held,
        |t| count(t) + if t >= 2.0 { count(t - 2.0) } else { 0.0 },
        0.0,
    );
    let anew = held.reset_states();
    let diagram = switched(anew, "enable", control, false);
    let run_anew = run(&compile(&diagram), 2.95, 60);
    close(
        &run_anew,
        |t| if t >= 2.0 { count(t - 2.0) } else { count(t) },
        0.0,
    );
}

/// A ball dropped from 1 that keeps half its speed, with its height as `y`.
fn ball() -> BlockSpec {
    BlockSpec::builder("Ball")
        .state("h", s("v"), 1.0)
        .state("v", -9.8, 0.0)
        .guard(Guard::new("floor", Direction::Falling), s("h"))
        .update("floor", "v", -0.5 * s("v"))
        .output("y", s("h"))
        .build()
        .expect("block")
}

#[test]
fn guards_inside_wait_while_off() {
    // Off between 0.3 and 0.5: everything happens 0.2 later.
    let control = source((s("time") - 0.3) * (s("time") - 0.5));
    let diagram = switched(Enabled::new(alone(ball())), "enable", control, false);
    let paused = run(&compile(&diagram), 1.2, 25);
    let free = run(&compile(&alone(ball())), 1.2, 2);
    let names = |run: &Run, index: usize| run.events()[index].t;
    let first = (2.0_f64 / 9.8).sqrt();
    assert!((names(&free, 0) - first).abs() < 1e-12, "first impact");
    // On at the start, off, on, impacts.
    assert_eq!(paused.events().len(), 3 + free.events().len() - 1);
    assert_eq!(names(&paused, 0), 0.0);
    assert!(
        (names(&paused, 3) - (first + 0.2)).abs() < 1e-12,
        "delayed impact"
    );
    assert!(
        (names(&paused, 4) - (2.0 * first + 0.2)).abs() < 1e-11,
        "second"
    );
}

#[test]
fn what_a_guard_missed_while_off_does_not_fire() {
    // The guard watches an outside ramp that passes 1 while the box is off.
    let watcher = BlockSpec::builder("Watcher")
        .input("u")
        .discrete("n", 0.0)
        .guard(
            Guard::new("passes", Direction::Either),
            s("u") * (s("time") - 1.0),
        )
        .update("passes", "n", s("n") + 1.0)
        .output("y", s("n"))
        .build()
        .expect("block");
    let off_then = |from: f64, to: f64| {
        let control = source((s("time") - from) * (s("time") - to));
        let diagram = switched(
            Enabled::new(alone(watcher.clone())),
            "enable",
            control,
            true,
        );
        let run = run(&compile(&diagram), 2.0, 2);
        run.signal("y").expect("y")[1]
    };
    assert_eq!(off_then(0.8, 1.5), 0.0);
    assert_eq!(off_then(1.2, 1.5), 1.0);
}

#[test]
fn containers_nest() {
    // The inner one is on where the wave of period 1 is positive, the outer one that of period 0.4.
    let mut inside = DiagramBuilder::new("inside");
    let inner = Enabled::new(alone(integrator(0.0)));
    let inner = inside.add("inner", inner).expect("container");
    let control = inside.add("control", wave()).expect("block");
    inside
        .connect(control.output("y"), inner.input("enable"))
        .expect("connection");
    inside.export_input("u", inner.input("u")).expect("input");
    inside
        .export_output("y", inner.output("y"))
        .expect("output");
    let inside = inside.build().expect("diagram");
    let fast = source((5.0 * PI * (s("time") - 0.05)).sin());
    for reset in [false, true] {
        let outer = Enabled::new(inside.clone());
        let outer = if reset { outer.reset_states() } else { outer };
        let system = compile(&switched(outer, "enable", fast.clone(), true));
        assert!(
            system.schema().parameter("box.inner.core.x0").is_ok(),
            "path"
        );
        let run = run(&system, 1.9, 39);
        let both = |t: f64| {
            let (slow, phase) = (t - t.floor(), (t - 0.05) / 0.4 - ((t - 0.05) / 0.4).floor());
            slow < 0.5 && phase < 0.5
        };
        // Ends of the pieces are multiples of 0.05.
        let expected = |t: f64| {
            let mut sum = 0.0;
            for k in 0..38 {
                let left = 0.05 * f64::from(k);
                let middle = left + 0.025;
                let phase = (left - 0.05) / 0.4;
                if reset && k > 0 && (phase - phase.round()).abs() < 1e-9 && left < t + 1e-9 {
                    sum = 0.0;
                }
                if both(middle) && middle < t {
                    sum += 0.05;
                }
            }
            sum
        };
        for (&t, &y) in run.times().iter().zip(run.signal("y").expect("y")) {
            // Begun anew within its box, the output shows the last value until it is on again.
            if !reset || both(t + 1e-6) && both(t - 1e-6) {
                assert!(
                    (y - expected(t)).abs() < 1e-11,
                    "{y} for {} at {t}",
                    expected(t)
                );
            }
        }
    }
}

#[test]
fn a_triggered_diagram_runs_once_at_each_edge() {
    for (direction, edges) in [
        (Direction::Rising, vec![1.0, 2.0, 3.0]),
        (Direction::Falling, vec![0.5, 1.5, 2.5]),
        (Direction::Either, vec![0.5, 1.0, 1.5, 2.0, 2.5, 3.0]),
    ] {
        // The wave starts at zero, which is not positive, so it is moved a little.
        let wave = source((2.0 * PI * (s("time") + 1e-3)).sin());
        let inside = alone(counter("0.001", "0"));
        let container = Triggered::new(inside, direction).output_before(-1.0);
        let run = run(
            &compile(&switched(container, "trigger", wave, false)),
            3.3,
            34,
        );
        // The output reads the register before the edge.
        close(
            &run,
            |t| edges.iter().filter(|&&e| e - 1e-3 <= t).count() as f64 - 1.0,
            0.0,
        );
    }
}

#[test]
fn what_cannot_be_triggered_is_refused_by_name() {
    let refused = |diagram: Diagram| {
        let mut builder = DiagramBuilder::new("d");
        let added = builder.add("box", Triggered::new(diagram, Direction::Rising));
        match added.expect_err("refused") {
            DiagramError::Block { source, .. } => match *source {
                BlockError::Content { name, .. } => name,
                other => panic!("{other}"),
            },
            other => panic!("{other}"),
        }
    };
    assert_eq!(refused(alone(integrator(0.0))), "core.x");
    let watcher = BlockSpec::builder("W")
        .guard(Guard::new("g", Direction::Rising), s("time") - 1.0)
        .output("y", 1.0);
    assert_eq!(refused(alone(watcher.build().expect("block"))), "core.g");
    let mut two = DiagramBuilder::new("two");
    two.add("a", counter("0.1", "0")).expect("block");
    two.add("b", counter("0.2", "0")).expect("block");
    assert_eq!(refused(two.build().expect("diagram")), "b.ticks");
}

#[test]
fn each_element_has_states_and_parameters_of_its_own() {
    // Switched decays within a container for each element.
    let element = |k: usize| {
        let rate = 0.5 * k as f64;
        let block = BlockSpec::builder("Decay")
            .input("u")
            .parameter("rate", rate)
            .state("x", -(s("rate") * s("x")) * s("u"), 1.0)
            .output("y", s("x"));
        Enabled::new(alone(block.build()?))
            .output_before(1.0)
            .into_component()
    };
    let each = ForEach::new(3, element).expect("elements").shared("enable");
    let mut builder = DiagramBuilder::new("d");
    let each = builder.add("each", each).expect("container");
    let control = builder.add("control", wave()).expect("block");
    builder
        .connect(control.output("y"), each.input("enable"))
        .expect("connection");
    for k in 1..=3 {
        builder
            .constant(each.input(format!("u_{k}")), 1.0)
            .expect("constant");
        let (name, port) = (format!("y{k}"), format!("y_{k}"));
        builder
            .export_output(name, each.output(port))
            .expect("output");
    }
    let system = compile(&builder.build().expect("diagram"));
    let name = "each.each_2.core.rate";
    assert!(system.schema().parameter(name).is_ok(), "{name}");
    let run = run(&system, 2.2, 23);
    for k in 1..=3 {
        let values = run.signal(&format!("y{k}")).expect("signal");
        for (&t, &y) in run.times().iter().zip(values) {
            let expected = (-0.5 * f64::from(k) * time_above(1.0, 0.0, t)).exp();
            assert!(
                (y - expected).abs() < 1e-9,
                "y{k}({t}) = {y} for {expected}"
            );
        }
    }
}

#[test]
fn members_of_a_sweep_have_the_bits_of_the_run_alone() {
    let container = Enabled::new(alone(integrator(0.0)));
    let system = compile(&switched(container, "enable", wave(), true));
    let members = 40;
    let a: Vec<f64> = (0..members).map(|i| 0.3 + 0.05 * i as f64).collect();
    let b: Vec<f64> = (0..members).map(|i| 0.13 * i as f64).collect();
    let recording = Recording::times(uniform_times(0.0, 3.0, 31));
    let sweep = Sweep::builder(&system)
        .span(0.0, 3.0)
        .column("control.a", a.clone())
        .column("control.b", b.clone())
        .record(recording.clone())
        .build()
        .expect("valid")
        .run()
        .expect("sweep");
    for member in 0..members {
        let alone = Simulation::builder(&system)
            .span(0.0, 3.0)
            .parameter("control.a", a[member])
            .parameter("control.b", b[member])
            .record(recording.clone())
            .build()
            .expect("valid")
            .run()
            .expect("run");
        assert_eq!(alone.outcome(), &Outcome::Reached);
        let (own, rows) = (alone.signal("y").expect("y"), sweep.rows("y", member));
        let bits = |values: &[f64]| values.iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(own), bits(rows.expect("y")), "member {member}");
        for (&t, &y) in alone.times().iter().zip(own) {
            let expected = time_above(a[member], b[member], t);
            assert!((y - expected).abs() < 1e-11, "{y} for {expected} at {t}");
        }
    }
}

/// `x'' = -x` from `x = sin(1/2)`, `y = x`.
fn oscillator() -> BlockSpec {
    BlockSpec::builder("Oscillator")
        .state("x", s("v"), 0.5_f64.sin())
        .state("v", -s("x"), 0.5_f64.cos())
        .output("y", s("x"))
        .build()
        .expect("block")
}

/// Each switching mirrors what is watched: far apart, and not a surface that turns the run back.
#[test]
fn a_state_may_switch_a_container_as_often_as_it_likes() {
    let periods = 30.0;
    let inside = Enabled::new(alone(integrator(0.0)));
    let system = switched(inside, "enable", oscillator(), true);
    let system = system.flatten().expect("flat").compile().expect("tape");
    let run = Simulation::builder(&system)
        .span(0.0, 2.0 * PI * periods)
        .tolerance(1e-10, 1e-12)
        .build()
        .expect("valid")
        .run()
        .expect("run");
    assert_eq!(run.outcome(), &Outcome::Reached);
    // It counts half of the time.
    let elapsed = run.signal("y").expect("y")[0];
    assert!((elapsed - PI * periods).abs() < 1e-6, "{elapsed}");
}
