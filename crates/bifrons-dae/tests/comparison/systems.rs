//! The systems of the comparison, as networks.

use bifrons_dae::library::electrical::{
    Battery, Capacitor, CurrentSource, DcMotor, Diode, Ground, Inductor, Resistor, SineVoltage,
    VoltageSource,
};
use bifrons_dae::library::planar::{Pivot, PointMass, RigidRod};
use bifrons_dae::library::{hydraulic, rotational, thermal, translational};
use bifrons_dae::{NetworkBuilder, ReducedModel};

use crate::support::Result;

const G: f64 = 9.81;

fn done(net: NetworkBuilder) -> Result<ReducedModel> {
    Ok(net.build().flatten()?.reduce()?)
}

pub(crate) fn rc() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("rc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    done(net)
}

pub(crate) fn rlc() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("rlc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(0.5))?;
    let l = net.add("l", Inductor::new(0.2).current(0.0))?;
    let c = net.add("c", Capacitor::new(0.1).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), l.pin("p"))?;
    net.connect(l.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    done(net)
}

/// `V = 5`, `R1 = 1`, `C1 = 0.5`, `R2 = 2`, `C2 = 1.5`.
pub(crate) fn ladder() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("ladder");
    let source = net.add("source", VoltageSource::new(5.0))?;
    let ground = net.add("ground", Ground::new())?;
    let r1 = net.add("r1", Resistor::new(1.0))?;
    let c1 = net.add("c1", Capacitor::new(0.5).voltage(0.0))?;
    let r2 = net.add("r2", Resistor::new(2.0))?;
    let c2 = net.add("c2", Capacitor::new(1.5).voltage(0.0))?;
    net.connect(source.pin("p"), r1.pin("p"))?;
    net.join([r1.pin("n"), c1.pin("p"), r2.pin("p")])?;
    net.connect(r2.pin("n"), c2.pin("p"))?;
    net.join([c1.pin("n"), c2.pin("n"), source.pin("n"), ground.pin("p")])?;
    done(net)
}

pub(crate) fn motor() -> Result<ReducedModel> {
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
    done(net)
}

pub(crate) fn gears() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("gear");
    let torque = net.add("torque", rotational::TorqueSource::new(2.0))?;
    let first = net.add("first", rotational::Inertia::new(0.1))?;
    let gear = net.add("gear", rotational::Gear::new(3.0))?;
    let second = net.add(
        "second",
        rotational::Inertia::new(0.5).angle(0.0).speed(0.0),
    )?;
    let damper = net.add("damper", rotational::Damper::new(0.05))?;
    let wall = net.add("wall", rotational::Fixed::new(0.0))?;
    net.join([torque.pin("a"), first.pin("a"), gear.pin("a")])?;
    net.join([gear.pin("b"), second.pin("a"), damper.pin("b")])?;
    net.connect(damper.pin("a"), wall.pin("a"))?;
    done(net)
}

pub(crate) fn chain() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("chain");
    let wall = net.add("wall", translational::Fixed::new(0.0))?;
    let mut last = wall.pin("a");
    for (k, x) in [0.1, -0.05, 0.2].into_iter().enumerate() {
        let link = translational::SpringDamper::new(10.0, 0.4, 0.0);
        let link = net.add(format!("link{k}"), link)?;
        let mass = translational::Mass::new(1.0).position(x).speed(0.0);
        let mass = net.add(format!("mass{k}"), mass)?;
        net.connect(last, link.pin("a"))?;
        net.connect(link.pin("b"), mass.pin("a"))?;
        last = mass.pin("a");
    }
    done(net)
}

pub(crate) fn heat() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("thermal");
    let source = net.add("heat", thermal::HeatFlowSource::new(50.0))?;
    let c1 = net.add("c1", thermal::HeatCapacitor::new(10.0).temperature(300.0))?;
    let c2 = net.add("c2", thermal::HeatCapacitor::new(20.0).temperature(300.0))?;
    let inner = net.add("inner", thermal::Conductor::new(2.0))?;
    let outer = net.add("outer", thermal::Conductor::new(1.0))?;
    let air = net.add("air", thermal::TemperatureSource::new(300.0))?;
    net.join([source.pin("a"), c1.pin("a"), inner.pin("a")])?;
    net.join([inner.pin("b"), c2.pin("a"), outer.pin("a")])?;
    net.connect(outer.pin("b"), air.pin("a"))?;
    done(net)
}

pub(crate) fn tanks() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("tanks");
    let tank = |p| hydraulic::Accumulator::new(1.0, 2.0, 1000.0).pressure(p);
    let a = net.add("a", tank(3.0))?;
    let b = net.add("b", tank(1.0))?;
    let pipe = net.add("pipe", hydraulic::LaminarPipe::new(0.001))?;
    net.connect(a.pin("a"), pipe.pin("a"))?;
    net.connect(b.pin("a"), pipe.pin("b"))?;
    done(net)
}

pub(crate) fn rectifier() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("rectifier");
    let source = net.add("source", SineVoltage::new(5.0, 50.0, 0.0, 0.0))?;
    let inner = net.add("inner", Resistor::new(1.0))?;
    let diode = net.add("diode", Diode::new(1e-6, 0.04, 1e8))?;
    let c = net.add("c", Capacitor::new(1e-4).voltage(0.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), inner.pin("p"))?;
    net.connect(inner.pin("n"), diode.pin("p"))?;
    net.join([diode.pin("n"), c.pin("p"), load.pin("p")])?;
    net.join([source.pin("n"), c.pin("n"), load.pin("n"), ground.pin("p")])?;
    done(net)
}

/// A mass on a belt, held by a spring.
pub(crate) fn stribeck() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("stribeck");
    let belt = net.add("belt", translational::SpeedSource::new(0.1).position(0.0))?;
    let friction = net.add(
        "friction",
        translational::Friction::new(1.0, 1.5, 0.01, 0.0),
    )?;
    let mass = net.add(
        "mass",
        translational::Mass::new(1.0).position(0.0).speed(0.0),
    )?;
    let spring = net.add("spring", translational::Spring::new(10.0, 0.0))?;
    let wall = net.add("wall", translational::Fixed::new(0.0))?;
    net.connect(belt.pin("a"), friction.pin("a"))?;
    net.join([friction.pin("b"), mass.pin("a"), spring.pin("b")])?;
    net.connect(spring.pin("a"), wall.pin("a"))?;
    done(net)
}

/// The same with dry friction that sticks and slips.
pub(crate) fn dry() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("dry");
    let belt = net.add("belt", translational::SpeedSource::new(0.1).position(0.0))?;
    let friction = net.add("friction", translational::StickSlip::new(1.0, 1.5))?;
    let mass = net.add(
        "mass",
        translational::Mass::new(1.0).position(0.0).speed(0.1),
    )?;
    let spring = net.add("spring", translational::Spring::new(10.0, 0.0))?;
    let wall = net.add("wall", translational::Fixed::new(0.0))?;
    net.connect(belt.pin("a"), friction.pin("a"))?;
    net.join([friction.pin("b"), mass.pin("a"), spring.pin("b")])?;
    net.connect(spring.pin("a"), wall.pin("a"))?;
    done(net)
}

fn pendulum(angle: f64) -> Result<ReducedModel> {
    let (y, x) = angle.sin_cos();
    let mut net = NetworkBuilder::new("pendulum");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rod = net.add("rod", RigidRod::new(1.0))?;
    let mass = net.add("mass", PointMass::new(1.0, G).x(x).y(y).vx(0.0).vy(0.0))?;
    net.connect(pivot.pin("a"), rod.pin("a"))?;
    net.connect(rod.pin("b"), mass.pin("a"))?;
    done(net)
}

pub(crate) fn small_swing() -> Result<ReducedModel> {
    pendulum(-1.070_796_326_794_896_6)
}

pub(crate) fn large_swing() -> Result<ReducedModel> {
    pendulum(0.3)
}

pub(crate) fn double_pendulum() -> Result<ReducedModel> {
    let (a, b) = (0.5_f64, 0.8_f64);
    let (x1, y1) = (a.sin(), -a.cos());
    let (x2, y2) = (x1 + b.sin(), y1 - b.cos());
    let mut net = NetworkBuilder::new("double");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rods = [
        net.add("rod1", RigidRod::new(1.0))?,
        net.add("rod2", RigidRod::new(1.0))?,
    ];
    let first = net.add("first", PointMass::new(1.0, G).x(x1).y(y1).vx(0.0).vy(0.0))?;
    let second = net.add("second", PointMass::new(1.0, G).x(x2).y(y2).vx(0.0).vy(0.0))?;
    net.connect(pivot.pin("a"), rods[0].pin("a"))?;
    net.join([rods[0].pin("b"), first.pin("a"), rods[1].pin("a")])?;
    net.connect(rods[1].pin("b"), second.pin("a"))?;
    done(net)
}

/// A cell that is discharged by 10 A: `u1' = i/C1 - u1/(R1 C1)`, `soc' = i/(3600 Ah)`.
pub(crate) fn cell() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("cell");
    let cell = Battery::new(2.0, 0.02, [(0.0, 3.0), (1.0, 4.2)])
        .pair(0.01, 1000.0)
        .charge(1.0);
    let cell = net.add("cell", cell)?;
    let load = net.add("load", CurrentSource::new(10.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(cell.pin("p"), load.pin("p"))?;
    net.join([cell.pin("n"), load.pin("n"), ground.pin("p")])?;
    done(net)
}
