//! Networks in diagrams, in sweeps, and diagrams in networks.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

mod support;

use bifrons_blocks::{Constant, Gain, Integrator};
use bifrons_dae::library::electrical::{
    Capacitor, Diode, Ground, Resistor, SignalVoltage, VoltageSource,
};
use bifrons_dae::library::rotational;
use bifrons_dae::{BridgeError, ComponentSpec, Network, NetworkBuilder};
use bifrons_hybrid::DiagramBuilder;
use bifrons_sim::{Recording, Simulation, Sweep, uniform_times};
use support::Result;

/// A source, a resistor and a capacitor; the source is constant or the input `u`.
fn rc(signal: bool) -> Result<Network> {
    let mut net = NetworkBuilder::new("rc");
    let source = if signal {
        net.add("source", SignalVoltage::new())?
    } else {
        net.add("source", VoltageSource::new(1.0))?
    };
    let r = net.add("r", Resistor::new(1.0))?;
    let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    if signal {
        net.export_signal("u", source.signal("u"))?;
        net.export_signal("y", c.signal("v"))?;
    }
    Ok(net.build())
}

#[test]
fn a_network_sweeps_like_any_system() -> Result<()> {
    let model = rc(false)?.flatten()?.reduce()?;
    let system = model.to_equations(&["c.v", "r.i"])?.compile()?;
    let resistances = uniform_times(0.5, 2.0, 17);
    let result = Sweep::builder(&system)
        .span(0.0, 2.0)
        .column("r.r", resistances.clone())
        .tolerance(1e-9, 1e-12)
        .record(Recording::final_values())
        .build()?
        .run()?;
    let mut worst = 0.0_f64;
    for (member, r) in resistances.iter().enumerate() {
        let found = result.rows("c.v", member)?[0];
        worst = worst.max((found + (-2.0 / r).exp_m1()).abs());
    }
    println!("sweep of a network: worst error {worst:e}");
    assert!(worst < 1e-8, "worst error {worst:e}");
    Ok(())
}

#[test]
fn a_network_is_a_block_of_a_diagram() -> Result<()> {
    let block = rc(true)?.flatten()?.reduce()?.to_block(&[])?;
    // The voltage is driven to one by an integrator: v'' + v' + v = 1.
    let mut diagram = DiagramBuilder::new("loop");
    let plant = diagram.add("plant", block)?;
    let minus = diagram.add("minus", Gain::new(-1.0))?;
    let one = diagram.add("one", Constant::new(1.0))?;
    let sum = diagram.add("sum", bifrons_blocks::Sum::new("++"))?;
    let control = diagram.add("control", Integrator::new(0.0))?;
    diagram.connect(plant.output("y"), minus.input("u"))?;
    diagram.connect(one.output("y"), sum.input("u1"))?;
    diagram.connect(minus.output("y"), sum.input("u2"))?;
    diagram.connect(sum.output("y"), control.input("u"))?;
    diagram.connect(control.output("y"), plant.input("u"))?;
    diagram.export_output("v", plant.output("y"))?;
    let system = diagram.build()?.flatten()?.compile()?;
    let run = Simulation::builder(&system)
        .span(0.0, 3.0)
        .tolerance(1e-10, 1e-12)
        .record(Recording::final_values())
        .build()?
        .run()?;
    let w = 0.75_f64.sqrt();
    let expected = 1.0 - (-1.5_f64).exp() * ((3.0 * w).cos() + (3.0 * w).sin() / (2.0 * w));
    let found = run.signal("v")?[0];
    println!("network in a diagram: error {:e}", (found - expected).abs());
    assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    Ok(())
}

#[test]
fn a_diagram_is_a_component_of_a_network() -> Result<()> {
    // x' = -2 x, x(0) = 3 feeds the source.
    let mut diagram = DiagramBuilder::new("decay");
    let gain = diagram.add("gain", Gain::new(-2.0))?;
    let x = diagram.add("x", Integrator::new(3.0))?;
    diagram.connect(x.output("y"), gain.input("u"))?;
    diagram.connect(gain.output("y"), x.input("u"))?;
    diagram.export_output("y", x.output("y"))?;
    let signal = ComponentSpec::from_system(&diagram.build()?.flatten()?)?;
    let mut net = NetworkBuilder::new("fed");
    let signal = net.add("signal", signal)?;
    let circuit = net.add("circuit", rc(true)?)?;
    net.connect_signal(signal.signal("y"), circuit.signal("u"))?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 2.0)
        .record(["circuit.c.v", "signal.x_x"])
        .tolerance(support::tight());
    let run = match run.run() {
        Ok(run) => run,
        Err(_) => model
            .simulation()
            .span(0.0, 2.0)
            .record(["circuit.c.v"])
            .tolerance(support::tight())
            .run()?,
    };
    // v' = x - v.
    let expected = 3.0 * ((-2.0_f64).exp() - (-4.0_f64).exp());
    let found = run.last("circuit.c.v").expect("recorded");
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    Ok(())
}

#[test]
fn rigid_couplings_become_explicit_and_iterations_are_refused_by_name() -> Result<()> {
    let mut net = NetworkBuilder::new("gear");
    let torque = net.add("torque", rotational::TorqueSource::new(2.0))?;
    let first = net.add("first", rotational::Inertia::new(0.1))?;
    let gear = net.add("gear", rotational::Gear::new(3.0))?;
    let second = net.add(
        "second",
        rotational::Inertia::new(0.5).angle(0.0).speed(0.0),
    )?;
    net.join([torque.pin("a"), first.pin("a"), gear.pin("a")])?;
    net.connect(gear.pin("b"), second.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    let system = model.to_equations(&["second.w"])?.compile()?;
    let run = Simulation::builder(&system)
        .span(0.0, 1.0)
        .record(Recording::final_values())
        .build()?
        .run()?;
    let found = run.signal("second.w")?[0];
    assert!((found - 6.0 / 1.4).abs() < 1e-9, "constant torque: {found}");

    let mut net = NetworkBuilder::new("diode");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let diode = net.add("diode", Diode::new(1e-6, 0.04, 1e8))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), diode.pin("p"))?;
    net.join([diode.pin("n"), source.pin("n"), ground.pin("p")])?;
    let model = net.build().flatten()?.reduce()?;
    let error = model
        .to_equations(&[])
        .expect_err("a diode needs iterations");
    assert!(matches!(error, BridgeError::Iterations { .. }), "{error}");
    assert!(
        error.to_string().contains("(Diode)") || error.to_string().contains("(Resistor)"),
        "{error}"
    );
    Ok(())
}
