//! Systems against closed forms and reference values; worst errors are printed.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "tests show their errors and panic"
)]

mod support;

use bifrons_dae::NetworkBuilder;
use bifrons_dae::library::electrical::{
    Capacitor, DcMotor, Diode, Ground, Inductor, Resistor, SineVoltage, VoltageSource,
};
use bifrons_dae::library::{hydraulic, rotational, thermal, translational};
use support::{Result, grid, tight, worst};

#[test]
fn rc_follows_its_exponential() -> Result<()> {
    let mut net = NetworkBuilder::new("rc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    let model = net.build().flatten()?.reduce()?;
    assert_eq!(model.freedom(), 1, "the voltage of the capacitor");
    let times = grid(0.0, 5.0, 11);
    let run = model
        .simulation()
        .span(0.0, 5.0)
        .times(times.clone())
        .record(["c.v", "r.i", "source.p.i"])
        .tolerance(tight())
        .run()?;
    let v = |t: f64| -(-t).exp_m1();
    let i = |t: f64| (-t).exp();
    worst("rc v", &run.column("c.v").unwrap(), &times, v, 4e-10);
    worst("rc i", &run.column("r.i").unwrap(), &times, i, 4e-10);
    let source = run.column("source.p.i").unwrap();
    worst("rc source", &source, &times, |t| -i(t), 4e-10);
    Ok(())
}

#[test]
fn rlc_follows_its_damped_oscillation() -> Result<()> {
    let (v, r, l, c) = (1.0, 0.5, 0.2, 0.1);
    let mut net = NetworkBuilder::new("rlc");
    let source = net.add("source", VoltageSource::new(v))?;
    let resistor = net.add("r", Resistor::new(r))?;
    let inductor = net.add("l", Inductor::new(l).current(0.0))?;
    let capacitor = net.add("c", Capacitor::new(c).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), resistor.pin("p"))?;
    net.connect(resistor.pin("n"), inductor.pin("p"))?;
    net.connect(inductor.pin("n"), capacitor.pin("p"))?;
    net.join([capacitor.pin("n"), source.pin("n"), ground.pin("p")])?;
    let model = net.build().flatten()?.reduce()?;
    let times = grid(0.0, 3.0, 31);
    let run = model
        .simulation()
        .span(0.0, 3.0)
        .times(times.clone())
        .record(["l.i", "c.v"])
        .tolerance(tight())
        .run()?;
    let a = r / (2.0 * l);
    let w = (1.0 / (l * c) - a * a).sqrt();
    let i = |t: f64| v / (w * l) * (-a * t).exp() * (w * t).sin();
    let u = |t: f64| v * (1.0 - (-a * t).exp() * ((w * t).cos() + a / w * (w * t).sin()));
    worst("rlc i", &run.column("l.i").unwrap(), &times, i, 2e-9);
    worst("rlc v", &run.column("c.v").unwrap(), &times, u, 2e-9);
    Ok(())
}

#[test]
fn gear_joins_two_inertias() -> Result<()> {
    let (tau, i1, i2, ratio, d) = (2.0, 0.1, 0.5, 3.0, 0.05);
    let mut net = NetworkBuilder::new("gear");
    let torque = net.add("torque", rotational::TorqueSource::new(tau))?;
    let first = net.add("first", rotational::Inertia::new(i1))?;
    let gear = net.add("gear", rotational::Gear::new(ratio))?;
    let second = net.add("second", rotational::Inertia::new(i2).angle(0.0).speed(0.0))?;
    let damper = net.add("damper", rotational::Damper::new(d))?;
    let wall = net.add("wall", rotational::Fixed::new(0.0))?;
    net.join([torque.pin("a"), first.pin("a"), gear.pin("a")])?;
    net.join([gear.pin("b"), second.pin("a"), damper.pin("b")])?;
    net.connect(damper.pin("a"), wall.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    assert_eq!(model.structural_index(), 3, "rigid coupling");
    assert_eq!(model.freedom(), 2, "angle and speed");
    let times = grid(0.0, 10.0, 11);
    let run = model
        .simulation()
        .span(0.0, 10.0)
        .times(times.clone())
        .record(["first.w", "second.w"])
        .tolerance(tight())
        .run()?;
    let inertia = i1 * ratio * ratio + i2;
    let w2 = |t: f64| -ratio * tau / d * (-d / inertia * t).exp_m1();
    worst(
        "gear w2",
        &run.column("second.w").unwrap(),
        &times,
        w2,
        3e-9,
    );
    worst(
        "gear w1",
        &run.column("first.w").unwrap(),
        &times,
        |t| ratio * w2(t),
        8e-9,
    );
    Ok(())
}

#[test]
fn dc_motor_reaches_its_reference() -> Result<()> {
    let mut net = NetworkBuilder::new("motor");
    let source = net.add("source", VoltageSource::new(24.0))?;
    let motor = DcMotor::new(1.0, 0.01, 0.5, 0.1)
        .current(0.0)
        .speed(0.0)
        .angle(0.0);
    let motor = net.add("motor", motor)?;
    let load = net.add("load", rotational::Inertia::new(0.05))?;
    let damper = net.add("damper", rotational::Damper::new(0.02))?;
    let wall = net.add("wall", rotational::Fixed::new(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), motor.pin("p"))?;
    net.join([source.pin("n"), motor.pin("n"), ground.pin("p")])?;
    net.join([motor.pin("flange"), load.pin("a"), damper.pin("b")])?;
    net.connect(damper.pin("a"), wall.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 3.0)
        .times(vec![0.25, 3.0])
        .record(["motor.i", "load.w", "load.phi"])
        .tolerance(tight())
        .run()?;
    let expected = [
        [16.371687914967215, 15.791078656565988, 2.035110229408409],
        MOTOR_AT_3,
    ];
    let pairs = run.rows.iter().zip(expected.as_flattened());
    let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("motor: worst error {error:e}");
    assert!(error < 1e-8, "worst error {error:e}");
    Ok(())
}

#[test]
fn thermal_network_reaches_its_reference() -> Result<()> {
    let mut net = NetworkBuilder::new("thermal");
    let heat = net.add("heat", thermal::HeatFlowSource::new(50.0))?;
    let c1 = net.add("c1", thermal::HeatCapacitor::new(10.0).temperature(300.0))?;
    let c2 = net.add("c2", thermal::HeatCapacitor::new(20.0).temperature(300.0))?;
    let inner = net.add("inner", thermal::Conductor::new(2.0))?;
    let outer = net.add("outer", thermal::Conductor::new(1.0))?;
    let air = net.add("air", thermal::TemperatureSource::new(300.0))?;
    net.join([heat.pin("a"), c1.pin("a"), inner.pin("a")])?;
    net.join([inner.pin("b"), c2.pin("a"), outer.pin("a")])?;
    net.connect(outer.pin("b"), air.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 100.0)
        .times(vec![10.0, 100.0])
        .record(["c1.a.t", "c2.a.t"])
        .tolerance(tight())
        .run()?;
    let expected = THERMAL;
    let pairs = run.rows.iter().zip(expected);
    let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("thermal: worst error {error:e}");
    assert!(error < 2e-7, "worst error {error:e}");
    Ok(())
}

#[test]
fn two_accumulators_equalise() -> Result<()> {
    let (rho, k, area, r) = (1000.0, 2.0, 1.0, 0.001);
    let mut net = NetworkBuilder::new("tanks");
    let a = net.add("a", hydraulic::Accumulator::new(area, k, rho).pressure(3.0))?;
    let b = net.add("b", hydraulic::Accumulator::new(area, k, rho).pressure(1.0))?;
    let pipe = net.add("pipe", hydraulic::LaminarPipe::new(r))?;
    net.connect(a.pin("a"), pipe.pin("a"))?;
    net.connect(b.pin("a"), pipe.pin("b"))?;
    let model = net.build().flatten()?.reduce()?;
    let times = grid(0.0, 2.0, 9);
    let run = model
        .simulation()
        .span(0.0, 2.0)
        .times(times.clone())
        .record(["a.a.p", "b.a.p"])
        .tolerance(tight())
        .run()?;
    let rate = 2.0 * k / (area * area * rho * r);
    worst(
        "tank a",
        &run.column("a.a.p").unwrap(),
        &times,
        |t| 2.0 + (-rate * t).exp(),
        1e-9,
    );
    worst(
        "tank b",
        &run.column("b.a.p").unwrap(),
        &times,
        |t| 2.0 - (-rate * t).exp(),
        1e-9,
    );
    Ok(())
}

#[test]
fn a_chain_of_masses_reaches_its_reference() -> Result<()> {
    let start = [0.1, -0.05, 0.2];
    let mut net = NetworkBuilder::new("chain");
    let wall = net.add("wall", translational::Fixed::new(0.0))?;
    let mut last = wall.pin("a");
    for (k, x) in start.iter().enumerate() {
        let spring = translational::SpringDamper::new(10.0, 0.4, 0.0);
        let spring = net.add(format!("spring{k}"), spring)?;
        let mass = translational::Mass::new(1.0).position(*x).speed(0.0);
        let mass = net.add(format!("mass{k}"), mass)?;
        net.connect(last, spring.pin("a"))?;
        net.connect(spring.pin("b"), mass.pin("a"))?;
        last = mass.pin("a");
    }
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 10.0)
        .times(vec![1.0, 10.0])
        .record([
            "mass0.s", "mass1.s", "mass2.s", "mass0.v", "mass1.v", "mass2.v",
        ])
        .tolerance(tight())
        .run()?;
    let pairs = run.rows.iter().zip(CHAIN);
    let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("chain: worst error {error:e}");
    assert!(error < 1e-8, "worst error {error:e}");
    Ok(())
}

#[test]
fn a_diode_rectifies_as_the_reference_says() -> Result<()> {
    let mut net = NetworkBuilder::new("rectifier");
    let source = net.add("source", SineVoltage::new(5.0, 50.0, 0.0, 0.0))?;
    let rs = net.add("rs", Resistor::new(1.0))?;
    let diode = net.add("diode", Diode::new(1e-6, 0.04, 1e8))?;
    let c = net.add("c", Capacitor::new(1e-4).voltage(0.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), rs.pin("p"))?;
    net.connect(rs.pin("n"), diode.pin("p"))?;
    net.join([diode.pin("n"), c.pin("p"), load.pin("p")])?;
    net.join([source.pin("n"), c.pin("n"), load.pin("n"), ground.pin("p")])?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 0.06)
        .times(vec![0.001, 0.004, 0.01, 0.025, 0.06])
        .record(["c.v", "diode.i"])
        .tolerance(tight())
        .run()?;
    let pairs = run.rows.iter().zip(RECTIFIER);
    let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("rectifier: worst error {error:e}, {:?}", run.statistics);
    assert!(error < 3e-9, "worst error {error:e}");
    Ok(())
}

/// Current, speed and angle at 3 s from the matrix exponential.
const MOTOR_AT_3: [f64; 3] = [1.8726821112916165, 44.2581113399262, 108.71081440168432];

/// Temperatures at 10 s and 100 s from the matrix exponential.
const THERMAL: [f64; 4] = [
    326.5533742891088,
    309.7029087039516,
    372.1485196592097,
    347.596001525785,
];

/// Positions and speeds at 1 s and 10 s from the matrix exponential.
const CHAIN: [f64; 12] = [
    0.07127777568971477,
    -0.018903763869908767,
    0.020974121634205947,
    0.008368140837982336,
    -0.36782442603115684,
    0.018351234543497956,
    0.0033030874520829892,
    0.005614864245693248,
    0.0074133999931725635,
    -0.03883677411537538,
    -0.08056113137584946,
    -0.11130404737274699,
];

/// Voltage and current from a scalar solution of the diode and an integration to 1e-11.
const RECTIFIER: [f64; 10] = [
    0.9086491564774873,
    0.1576980632876989,
    4.200192211261305,
    0.09614531509452075,
    2.9481829552612693,
    -1.0294818192577945e-06,
    4.51174886598065,
    0.053073250614784045,
    1.08450962468935,
    -1.0108450861367634e-06,
];
