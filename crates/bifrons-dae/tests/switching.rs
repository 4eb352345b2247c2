//! Switches and diodes: instants, modes, complementarity.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "tests show their errors and panic"
)]

mod support;

use bifrons_dae::library::electrical::{
    Capacitor, Diode, Ground, IdealDiode, IdealSwitch, Inductor, Resistor, SineVoltage,
    VoltageSource,
};
use bifrons_dae::library::translational::{Fixed, HardStop, Mass};
use bifrons_dae::{ComponentSpec, EventKind, NetworkBuilder, ReducedModel};
use bifrons_expr::Expr;
use bifrons_ode::{Method, Tolerance};
use support::{Result, tight};

/// Four diodes, a sine of 10 V and 50 Hz, a load of 100 Ω.
fn bridge(ideal: bool) -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("bridge");
    let source = net.add("source", SineVoltage::new(10.0, 50.0, 0.0, 0.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let ground = net.add("ground", Ground::new())?;
    let mut diode = |name: &str| {
        if ideal {
            net.add(name, IdealDiode::new(0.0, 1e-6, 1e-9))
        } else {
            net.add(name, Diode::new(1e-9, 0.025, 1e9))
        }
    };
    let [d1, d2, d3, d4] = [diode("d1")?, diode("d2")?, diode("d3")?, diode("d4")?];
    net.join([source.pin("p"), d1.pin("p"), d3.pin("n")])?;
    net.join([source.pin("n"), d2.pin("p"), d4.pin("n")])?;
    net.join([d1.pin("n"), d2.pin("n"), load.pin("p")])?;
    net.join([d3.pin("p"), d4.pin("p"), load.pin("n"), ground.pin("p")])?;
    Ok(net.build().flatten()?.reduce()?)
}

#[test]
fn an_ideal_bridge_rectifies_exactly_and_switches_at_the_zeros() -> Result<()> {
    let model = bridge(true)?;
    let times = support::grid(0.0, 0.04, 401);
    let run = model
        .simulation()
        .span(0.0, 0.04)
        .times(times.clone())
        .record(["load.v"])
        .run()?;
    let v = |t: f64| 10.0 * (std::f64::consts::TAU * 50.0 * t).sin().abs();
    support::worst(
        "ideal bridge",
        &run.column("load.v").unwrap(),
        &times,
        v,
        2e-6,
    );
    let mut instants: Vec<f64> = run.events.iter().map(|event| event.time).collect();
    instants.dedup();
    for k in 1..=3 {
        let zero = 0.01 * f64::from(k);
        assert!(
            instants.iter().any(|t| (t - zero).abs() < 1e-9),
            "{instants:?}"
        );
    }
    Ok(())
}

#[test]
fn an_exponential_bridge_solves_its_equations() -> Result<()> {
    let model = bridge(false)?;
    let names = ["load.v", "d1.v", "d1.i", "d4.v", "d4.i", "source.v"];
    let times = support::grid(0.0, 0.02, 41);
    let run = model
        .simulation()
        .span(0.0, 0.02)
        .times(times)
        .record(names)
        .run()?;
    let mut worst = 0.0_f64;
    for row in run.rows.chunks_exact(6) {
        for [v, i] in [[row[1], row[2]], [row[3], row[4]]] {
            let expected = 1e-9 * (v / 0.025).exp_m1() + v / 1e9;
            worst = worst.max((expected - i).abs() / (1e-6 + i.abs()));
        }
        // The drop over two diodes at up to 0.1 A.
        assert!(
            row[0] <= row[5].abs() && row[0] >= row[5].abs() - 1.0,
            "{row:?}"
        );
    }
    println!("exponential bridge: worst relative residual {worst:e}");
    assert!(worst < 1e-8, "worst residual {worst:e}");
    Ok(())
}

/// A diode and a capacitor behind a sine: the peak is held, then falls with the load.
fn peak(method: Method) -> Result<f64> {
    let (r, c, f) = (1000.0, 1e-4, 50.0);
    let mut net = NetworkBuilder::new("peak");
    let source = net.add("source", SineVoltage::new(5.0, f, 0.0, 0.0))?;
    let inner = net.add("inner", Resistor::new(1.0))?;
    let diode = net.add("diode", IdealDiode::new(0.0, 0.0, 0.0))?;
    let cap = net.add("c", Capacitor::new(c).voltage(0.0))?;
    let load = net.add("load", Resistor::new(r))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), inner.pin("p"))?;
    net.connect(inner.pin("n"), diode.pin("p"))?;
    net.join([diode.pin("n"), cap.pin("p"), load.pin("p")])?;
    net.join([
        source.pin("n"),
        cap.pin("n"),
        load.pin("n"),
        ground.pin("p"),
    ])?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 0.015)
        .times(vec![0.004, 0.008, 0.015])
        .record(["c.v"])
        .method(method)
        .tolerance(tight())
        .run()?;
    assert_eq!(run.events.len(), 1, "it opens once: {:?}", run.events);
    assert_eq!(
        run.events[0].kind,
        EventKind::Switch { on: true },
        "blocking"
    );
    // Conducting: c v' = (u - v)/ri - v/r, linear with a sine; then an exponential.
    let (w, a) = (std::f64::consts::TAU * f, (1.0 + 1.0 / r) / c);
    let b = 5.0 / c;
    let scale = b / (a * a + w * w);
    let v = |t: f64| scale * (a * (w * t).sin() - w * (w * t).cos() + w * (-a * t).exp());
    let opened = run.events[0].time;
    let fall = |t: f64| v(opened) * (-(t - opened) / (r * c)).exp();
    let expected = [v(0.004), fall(0.008), fall(0.015)];
    let current = 5.0 * (w * opened).sin() - v(opened);
    assert!(
        current.abs() < 1e-7,
        "the current is zero when it opens: {current:e}"
    );
    let pairs = run.rows.iter().zip(expected);
    Ok(pairs
        .map(|(found, expected)| (found - expected).abs())
        .fold(0.0, f64::max))
}

#[test]
fn a_perfect_diode_holds_the_peak() -> Result<()> {
    for (method, allowed) in [
        (Method::Dopri5, 1e-8),
        (Method::Bdf, 1e-7),
        (Method::Radau, 1e-7),
    ] {
        let error = peak(method)?;
        println!("peak with {}: worst error {error:e}", method.name());
        assert!(error < allowed, "{}: worst error {error:e}", method.name());
    }
    Ok(())
}

#[test]
fn a_switch_opens_at_the_instant_of_its_signal() -> Result<()> {
    let clock = ComponentSpec::builder("Clock")
        .variable("u")
        .equation(Expr::symbol("u"), 0.3 - Expr::symbol("time"));
    let mut net = NetworkBuilder::new("switch");
    let clock = net.add("clock", clock.build()?)?;
    let source = net.add("source", VoltageSource::new(2.0))?;
    let switch = net.add("switch", IdealSwitch::new(0.0, 0.0, 0.0))?;
    let r = net.add("r", Resistor::new(4.0))?;
    let l = net.add("l", Inductor::new(2.0).current(0.0))?;
    let free = net.add("free", Resistor::new(1.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect_signal(clock.signal("u"), switch.signal("control"))?;
    net.connect(source.pin("p"), switch.pin("p"))?;
    net.join([switch.pin("n"), r.pin("p"), free.pin("p")])?;
    net.connect(r.pin("n"), l.pin("p"))?;
    net.join([l.pin("n"), free.pin("n"), source.pin("n"), ground.pin("p")])?;
    let model = net.build().flatten()?.reduce()?;
    let times = support::grid(0.0, 1.0, 21);
    let run = model
        .simulation()
        .times(times.clone())
        .record(["l.i", "switch.i"])
        .tolerance(tight())
        .run()?;
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!((run.events[0].time - 0.3).abs() < 1e-9, "{:?}", run.events);
    let i = |t: f64| {
        if t < 0.3 {
            -0.5 * (-2.0 * t).exp_m1()
        } else {
            -0.5 * (-0.6_f64).exp_m1() * (-2.5 * (t - 0.3)).exp()
        }
    };
    support::worst(
        "switched coil",
        &run.column("l.i").unwrap(),
        &times,
        i,
        1e-9,
    );
    Ok(())
}

#[test]
fn a_mass_rebounds_from_a_hard_stop_with_its_energy() -> Result<()> {
    let mut net = NetworkBuilder::new("stop");
    let wall = net.add("wall", Fixed::new(0.0))?;
    let stop = net.add("stop", HardStop::new(1e4, 0.0, 0.0))?;
    let mass = net.add("mass", Mass::new(1.0).position(1.0).speed(-2.0))?;
    net.connect(wall.pin("a"), stop.pin("a"))?;
    net.connect(stop.pin("b"), mass.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 1.0)
        .record(["mass.s", "mass.v"])
        .tolerance(Tolerance::new(1e-10, 1e-12)?)
        .run()?;
    let contact = std::f64::consts::PI / 100.0;
    let times: Vec<f64> = run.events.iter().map(|event| event.time).collect();
    assert_eq!(times.len(), 2, "{times:?}");
    assert!((times[0] - 0.5).abs() < 1e-9, "touches: {times:?}");
    assert!((times[1] - 0.5 - contact).abs() < 1e-9, "leaves: {times:?}");
    assert!(
        (run.last[1] - 2.0).abs() < 1e-8,
        "the speed is turned: {:?}",
        run.last
    );
    assert!(
        (run.last[0] - 2.0 * (0.5 - contact)).abs() < 1e-8,
        "{:?}",
        run.last
    );
    Ok(())
}
