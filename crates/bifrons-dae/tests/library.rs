//! Components against closed forms, each in the smallest network that shows its law.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

mod support;

use bifrons_dae::library::electrical::{
    Battery, Capacitor, CoupledInductors, CurrentControlledCurrent, CurrentSensor, CurrentSource,
    Emf, Ground, HeatingResistor, IdealOpAmp, IdealTransformer, OpAmp, Resistor, SineVoltage,
    VoltageControlledCurrent, VoltageSensor, VoltageSource,
};
use bifrons_dae::library::{hydraulic, rotational, thermal, translational};
use bifrons_dae::{NetworkBuilder, PartId, ReducedModel, Run};
use support::{Result, tight};

fn finish(net: NetworkBuilder) -> Result<ReducedModel> {
    Ok(net.build().flatten()?.reduce()?)
}

/// Values at the end of a run to `t_end`.
fn run(net: NetworkBuilder, t_end: f64, names: &[&str]) -> Result<Run> {
    let model = finish(net)?;
    let simulation = model.simulation().span(0.0, t_end);
    Ok(simulation
        .record(names.iter().copied())
        .tolerance(tight())
        .run()?)
}

fn close(run: &Run, expected: &[f64], allowed: f64) {
    for ((name, found), expected) in run.names.iter().zip(&run.last).zip(expected) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= allowed, "{name}: {found}, expected {expected}");
    }
}

/// A source of `v` between a node and ground.
fn supply(net: &mut NetworkBuilder, v: f64) -> Result<PartId> {
    let source = net.add("source", VoltageSource::new(v))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("n"), ground.pin("p"))?;
    Ok(source)
}

#[test]
fn transformer_and_sensors() -> Result<()> {
    let mut net = NetworkBuilder::new("transformer");
    let source = supply(&mut net, 12.0)?;
    let t = net.add("t", IdealTransformer::new(-3.0))?;
    let r = net.add("r", Resistor::new(4.0))?;
    let amp = net.add("amp", CurrentSensor::new())?;
    let volt = net.add("volt", VoltageSensor::new())?;
    net.connect(source.pin("p"), amp.pin("p"))?;
    net.connect(amp.pin("n"), t.pin("p1"))?;
    net.join([
        source.pin("n"),
        t.pin("n1"),
        t.pin("n2"),
        r.pin("n"),
        volt.pin("n"),
    ])?;
    net.join([t.pin("p2"), r.pin("p"), volt.pin("p")])?;
    let run = run(net, 1.0, &["volt.v", "amp.i", "volt.i"])?;
    close(&run, &[-36.0, 27.0, 0.0], 1e-12);
    Ok(())
}

#[test]
fn coupled_inductors_share_their_flux() -> Result<()> {
    // The second winding is open: i1' = v/l1, v2 = m/l1 v.
    let mut net = NetworkBuilder::new("coupled");
    let source = supply(&mut net, 2.0)?;
    let l = CoupledInductors::new(0.5, 2.0, 0.3)
        .current1(0.0)
        .current2(0.0);
    let l = net.add("l", l)?;
    let open = net.add("open", Resistor::new(1e12))?;
    net.connect(source.pin("p"), l.pin("p1"))?;
    net.join([source.pin("n"), l.pin("n1"), l.pin("n2"), open.pin("n")])?;
    net.connect(l.pin("p2"), open.pin("p"))?;
    let model = finish(net)?;
    let run = model
        .simulation()
        .record(["l.i1", "l.v2"])
        .method(bifrons_ode::Method::Radau)
        .tolerance(tight())
        .run()?;
    close(&run, &[4.0, 1.2], 1e-8);
    Ok(())
}

#[test]
fn amplifiers_and_controlled_sources() -> Result<()> {
    for (gain, expected) in [(None, -5.0), (Some(1000.0), -5.0 / (1.0 + 6.0 / 1000.0))] {
        let mut net = NetworkBuilder::new("inverting");
        let source = supply(&mut net, 1.0)?;
        let input = net.add("input", Resistor::new(1.0))?;
        let back = net.add("back", Resistor::new(5.0))?;
        let amp = match gain {
            None => net.add("amp", IdealOpAmp::new())?,
            Some(gain) => net.add("amp", OpAmp::new(gain))?,
        };
        net.connect(source.pin("p"), input.pin("p"))?;
        net.join([input.pin("n"), back.pin("p"), amp.pin("minus")])?;
        net.join([back.pin("n"), amp.pin("out")])?;
        net.connect(amp.pin("plus"), source.pin("n"))?;
        close(&run(net, 1.0, &["amp.out.v"])?, &[expected], 1e-12);
    }
    let mut net = NetworkBuilder::new("controlled");
    let source = supply(&mut net, 2.0)?;
    let g = net.add("g", VoltageControlledCurrent::new(-0.5))?;
    let mirror = net.add("mirror", CurrentControlledCurrent::new(-3.0))?;
    let load = net.add("load", Resistor::new(10.0))?;
    net.connect(source.pin("p"), g.pin("p1"))?;
    net.connect(g.pin("p2"), mirror.pin("p1"))?;
    net.connect(mirror.pin("p2"), load.pin("p"))?;
    let low = ["n1", "n2"].map(|pin| [g.pin(pin), mirror.pin(pin)]);
    net.join(
        low.into_iter()
            .flatten()
            .chain([load.pin("n"), source.pin("n")]),
    )?;
    // 1 A out of g, through the mirror's input, three times that through the load.
    close(
        &run(net, 1.0, &["g.i2", "mirror.i1", "load.v"])?,
        &[-1.0, 1.0, 30.0],
        1e-12,
    );
    Ok(())
}

#[test]
fn a_battery_discharges_along_its_table() -> Result<()> {
    let mut net = NetworkBuilder::new("battery");
    let cell = Battery::new(2.0, 0.02, [(0.0, 3.0), (0.5, 3.6), (1.0, 4.2)])
        .pair(0.01, 1000.0)
        .charge(1.0);
    let cell = net.add("cell", cell)?;
    let load = net.add("load", CurrentSource::new(10.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(cell.pin("p"), load.pin("p"))?;
    net.join([cell.pin("n"), load.pin("n"), ground.pin("p")])?;
    let t = 500.0;
    let soc = 1.0 - 10.0 * t / 7200.0;
    let u = 0.1 * (-t / 10.0_f64).exp_m1();
    let run = run(net, t, &["cell.soc", "cell.u1", "cell.v"])?;
    close(&run, &[soc, u, 3.0 + 1.2 * soc - 0.2 + u], 1e-9);
    Ok(())
}

#[test]
fn heat_of_a_resistor_reaches_its_capacity() -> Result<()> {
    let mut net = NetworkBuilder::new("heating");
    let source = supply(&mut net, 10.0)?;
    let r = net.add("r", HeatingResistor::new(5.0))?;
    let c = net.add("c", thermal::HeatCapacitor::new(40.0).temperature(300.0))?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(source.pin("n"), r.pin("n"))?;
    net.connect(r.pin("heat"), c.pin("a"))?;
    close(&run(net, 8.0, &["c.a.t"])?, &[304.0], 1e-12);
    Ok(())
}

#[test]
fn radiation_balances_a_source() -> Result<()> {
    let mut net = NetworkBuilder::new("radiation");
    let heat = net.add("heat", thermal::HeatFlowSource::new(100.0))?;
    let radiation = net.add("radiation", thermal::Radiation::new(0.5))?;
    let space = net.add("space", thermal::TemperatureSource::new(4.0))?;
    let sensor = net.add("sensor", thermal::TemperatureSensor::new())?;
    net.join([heat.pin("a"), radiation.pin("a"), sensor.pin("a")])?;
    net.connect(radiation.pin("b"), space.pin("a"))?;
    let expected = (100.0 / (0.5 * 5.670_374_419e-8) + 256.0_f64).powf(0.25);
    close(&run(net, 1.0, &["sensor.t"])?, &[expected], 1e-10);
    Ok(())
}

#[test]
fn gears_screws_and_machines_convert() -> Result<()> {
    // A planetary gear with a fixed ring turns the carrier by 1/(1 + ratio).
    let mut net = NetworkBuilder::new("planetary");
    let drive = net.add("drive", rotational::SpeedSource::new(6.0).angle(0.0))?;
    let gear = net.add("gear", rotational::PlanetaryGear::new(2.0))?;
    let ring = net.add("ring", rotational::Fixed::new(0.0))?;
    let load = net.add("load", rotational::Inertia::new(1.0))?;
    net.connect(drive.pin("a"), gear.pin("sun"))?;
    net.connect(gear.pin("ring"), ring.pin("a"))?;
    net.connect(gear.pin("carrier"), load.pin("a"))?;
    close(&run(net, 2.0, &["load.w", "load.phi"])?, &[2.0, 4.0], 1e-12);

    // A torque on a rack of 0.1 m moves 2 kg: a = tau/(radius m).
    let mut net = NetworkBuilder::new("rack");
    let torque = net.add("torque", rotational::TorqueSource::new(0.4))?;
    let rack = net.add("rack", rotational::RackAndPinion::new(0.1))?;
    let mass = net.add(
        "mass",
        translational::Mass::new(2.0).position(0.0).speed(0.0),
    )?;
    net.connect(torque.pin("a"), rack.pin("a"))?;
    net.connect(rack.pin("b"), mass.pin("a"))?;
    close(&run(net, 3.0, &["mass.v", "mass.s"])?, &[6.0, 9.0], 1e-10);

    // A machine that turns at 20 rad/s without load gives k w.
    let mut net = NetworkBuilder::new("generator");
    let drive = net.add("drive", rotational::SpeedSource::new(20.0).angle(0.0))?;
    let emf = net.add("emf", Emf::new(0.25))?;
    let r = net.add("r", Resistor::new(10.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(drive.pin("a"), emf.pin("flange"))?;
    net.connect(emf.pin("p"), r.pin("p"))?;
    net.join([emf.pin("n"), r.pin("n"), ground.pin("p")])?;
    close(
        &run(net, 1.0, &["r.v", "emf.flange.tau"])?,
        &[5.0, 0.125],
        1e-12,
    );
    Ok(())
}

#[test]
fn a_tank_drains_through_an_orifice_after_torricelli() -> Result<()> {
    let (area, hole, rho, g, h0) = (0.5, 1e-3, 1000.0, 9.81, 1.0);
    let mut net = NetworkBuilder::new("tank");
    let tank = net.add("tank", hydraulic::Tank::new(area, rho, g, 1e5).level(h0))?;
    let orifice = net.add("orifice", hydraulic::Orifice::new(hole, 1.0, rho, 1e-3))?;
    let outside = net.add("outside", hydraulic::PressureSource::new(1e5))?;
    net.connect(tank.pin("a"), orifice.pin("a"))?;
    net.connect(orifice.pin("b"), outside.pin("a"))?;
    let t = 100.0;
    let root = f64::sqrt(h0) - hole / area * f64::sqrt(2.0 * g) / 2.0 * t;
    close(&run(net, t, &["tank.level"])?, &[root * root], 1e-9);
    Ok(())
}

#[test]
fn a_pipe_follows_poiseuille_and_its_friction_factor() -> Result<()> {
    for (flow, expected) in [(1e-4, None), (0.5, Some(0.0268))] {
        let (length, d, rho, mu) = (10.0, 0.02, 1000.0, 1e-3);
        let mut net = NetworkBuilder::new("pipe");
        let source = net.add("source", hydraulic::MassFlowSource::new(flow))?;
        let pipe = hydraulic::DarcyPipe::new(length, d, 4e-6, rho, mu);
        let pipe = net.add("pipe", pipe)?;
        let outside = net.add("outside", hydraulic::PressureSource::new(0.0))?;
        net.connect(source.pin("a"), pipe.pin("a"))?;
        net.connect(pipe.pin("b"), outside.pin("a"))?;
        let run = run(net, 1.0, &["pipe.dp"])?;
        let area = std::f64::consts::PI * d * d / 4.0;
        let speed = flow / (rho * area);
        let factor = run.last[0] / (length / d * 0.5 * rho * speed * speed);
        let re = rho * speed * d / mu;
        match expected {
            None => {
                let error = (factor * re / 64.0 - 1.0).abs();
                assert!(error < 1e-9, "laminar: {factor} at {re}");
            }
            Some(_) => {
                // Colebrook and White by iteration; Churchill's formula stays within 3 %.
                let mut root = 8.0_f64;
                for _ in 0..50 {
                    root = -2.0 * (2e-4 / 3.7 + 2.51 / re * root).log10();
                }
                let error = (factor * root * root - 1.0).abs();
                println!("friction factor {factor} at {re}: {error:e} from Colebrook");
                assert!(error < 0.03, "turbulent: {factor} at {re}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_cylinder_lifts_its_load_with_the_flow_of_a_pump() -> Result<()> {
    let mut net = NetworkBuilder::new("cylinder");
    let flow = net.add("flow", hydraulic::MassFlowSource::new(0.2))?;
    let cylinder = hydraulic::Cylinder::new(0.01, 1000.0, 0.0).position(0.0);
    let cylinder = net.add("cylinder", cylinder)?;
    let force = net.add("force", translational::ForceSource::new(-500.0))?;
    let sensor = net.add("sensor", hydraulic::PressureSensor::new())?;
    net.join([flow.pin("a"), cylinder.pin("a"), sensor.pin("a")])?;
    net.connect(cylinder.pin("flange"), force.pin("a"))?;
    close(
        &run(net, 5.0, &["cylinder.flange.s", "sensor.p"])?,
        &[0.1, 5e4],
        1e-10,
    );
    Ok(())
}

#[test]
fn friction_holds_a_driven_mass_at_its_equilibrium() -> Result<()> {
    // Steady sliding: f0 = coulomb tanh(10 v/vs) + ... + viscous v, solved for f0 at v = 0.5.
    let (coulomb, peak, vs, viscous, v): (f64, f64, f64, f64, f64) = (1.0, 1.5, 0.1, 0.4, 0.5);
    let x: f64 = v / (std::f64::consts::SQRT_2 * vs);
    let f0 = coulomb * (10.0 * v / vs).tanh()
        + (2.0 * std::f64::consts::E).sqrt() * (peak - coulomb) * (-x * x).exp() * x
        + viscous * v;
    let mut net = NetworkBuilder::new("friction");
    let force = net.add("force", translational::ForceSource::new(f0))?;
    let mass = net.add(
        "mass",
        translational::Mass::new(0.1).position(0.0).speed(0.5),
    )?;
    let friction = translational::Friction::new(coulomb, peak, vs, viscous);
    let friction = net.add("friction", friction)?;
    let wall = net.add("wall", translational::Fixed::new(0.0))?;
    net.join([force.pin("a"), mass.pin("a"), friction.pin("b")])?;
    net.connect(friction.pin("a"), wall.pin("a"))?;
    close(&run(net, 2.0, &["mass.v"])?, &[v], 1e-9);
    Ok(())
}

#[test]
fn an_alternating_source_meets_an_impedance() -> Result<()> {
    let (r, c, f): (f64, f64, f64) = (10.0, 1e-3, 50.0);
    let mut net = NetworkBuilder::new("impedance");
    let source = net.add("source", SineVoltage::new(3.0, f, 0.0, 0.0))?;
    let ground = net.add("ground", Ground::new())?;
    let resistor = net.add("r", Resistor::new(r))?;
    let cap = net.add("c", Capacitor::new(c).voltage(0.0))?;
    net.connect(source.pin("p"), resistor.pin("p"))?;
    net.connect(resistor.pin("n"), cap.pin("p"))?;
    net.join([cap.pin("n"), source.pin("n"), ground.pin("p")])?;
    let (w, t) = (std::f64::consts::TAU * f, 0.057);
    let q = w * r * c;
    let v = 3.0 / (1.0 + q * q) * ((w * t).sin() - q * (w * t).cos() + q * (-t / (r * c)).exp());
    close(&run(net, t, &["c.v"])?, &[v], 1e-9);
    Ok(())
}
