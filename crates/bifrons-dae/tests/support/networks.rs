//! Networks with iterations, switches, events and changing states.
#![allow(dead_code, reason = "not every test uses everything")]

use bifrons_dae::library::electrical::{
    Capacitor, Diode, Ground, IdealDiode, Resistor, SineVoltage, VoltageSource,
};
use bifrons_dae::library::planar::{Pivot, PointMass, RigidRod};
use bifrons_dae::library::translational::{
    Fixed, ForceSource, Mass, SpeedSource, Spring, StickSlip,
};
use bifrons_dae::{ComponentSpec, Direction, Domain, NetworkBuilder, Range, ReducedModel, der};
use bifrons_expr::Expr;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub(crate) const G: f64 = 9.81;

/// Half-wave rectifier with an exponential diode: one iterated unknown.
pub(crate) fn rectifier() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("rectifier");
    let source = net.add("source", SineVoltage::new(10.0, 50.0, 0.0, 0.0))?;
    let diode = net.add("diode", Diode::new(1e-6, 0.04, 1e8))?;
    let inner = net.add("inner", Resistor::new(1.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let c = net.add("c", Capacitor::new(1e-3).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), inner.pin("p"))?;
    net.connect(inner.pin("n"), diode.pin("p"))?;
    net.join([diode.pin("n"), load.pin("p"), c.pin("p")])?;
    net.join([source.pin("n"), load.pin("n"), c.pin("n"), ground.pin("p")])?;
    Ok(net.build().flatten()?.reduce()?)
}

/// Bridge of four ideal diodes whose load has a capacitor behind a resistor.
pub(crate) fn bridge() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("bridge");
    let source = net.add("source", SineVoltage::new(10.0, 50.0, 0.0, 0.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let r = net.add("r", Resistor::new(10.0))?;
    let c = net.add("c", Capacitor::new(1e-4).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    let mut diode = |name: &str| net.add(name, IdealDiode::new(0.0, 1e-6, 1e-9));
    let [d1, d2, d3, d4] = [diode("d1")?, diode("d2")?, diode("d3")?, diode("d4")?];
    net.join([source.pin("p"), d1.pin("p"), d3.pin("n")])?;
    net.join([source.pin("n"), d2.pin("p"), d4.pin("n")])?;
    net.join([d1.pin("n"), d2.pin("n"), load.pin("p"), r.pin("p")])?;
    net.connect(r.pin("n"), c.pin("p"))?;
    let low = [d3.pin("p"), d4.pin("p"), load.pin("n"), c.pin("n")];
    net.join(low.into_iter().chain([ground.pin("p")]))?;
    Ok(net.build().flatten()?.reduce()?)
}

/// A pendulum in Cartesian coordinates that starts from the horizontal.
pub(crate) fn pendulum() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("pendulum");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rod = net.add("rod", RigidRod::new(1.0))?;
    let mass = net.add("mass", PointMass::new(1.0, G).x(1.0).y(0.0).vx(0.0).vy(0.0))?;
    net.connect(pivot.pin("a"), rod.pin("a"))?;
    net.connect(rod.pin("b"), mass.pin("a"))?;
    Ok(net.build().flatten()?.reduce()?)
}

/// A ball that falls from 1 m and returns with the share `e` of its speed.
pub(crate) fn ball() -> Result<ReducedModel> {
    let s = |name: &str| Expr::symbol(name);
    let ball = ComponentSpec::builder("Ball")
        .parameter("e", 0.8, Range::between(0.0, 1.0))
        .variable("h")
        .variable("v")
        .equation(der("h"), s("v"))
        .equation(der("v"), -G)
        .fixed(s("h"), 1.0)
        .fixed(s("v"), 0.0)
        .when(
            "bounce",
            s("h"),
            Direction::Falling,
            [("v", -(s("e") * s("v")))],
        )
        .build()?;
    let mut net = NetworkBuilder::new("ball");
    net.add("ball", ball)?;
    Ok(net.build().flatten()?.reduce()?)
}

/// A rail that a mass cannot leave below, with a condition at the start about no state.
pub(crate) fn thorough() -> Result<ReducedModel> {
    let s = |name: &str| Expr::symbol(name);
    let cubic = ComponentSpec::builder("Cubic")
        .pin("a", Domain::Translational)
        .parameter("k", 2.0, Range::POSITIVE)
        .variable("s")
        .equation(s("s"), s("a.s"))
        .equation(s("a.f"), s("k") * s("s").powi(3))
        .build()?;
    let mut net = NetworkBuilder::new("cubic");
    let spring = net.add("spring", cubic)?;
    let mass = net.add("mass", Mass::new(1.0).speed(0.0))?;
    let force = net.add("force", ForceSource::new(0.5))?;
    net.join([spring.pin("a"), mass.pin("a"), force.pin("a")])?;
    net.guess("spring.s", 1.0);
    net.fix(s("spring.a.f"), 16.0);
    Ok(net.build().flatten()?.reduce()?)
}

/// A pendulum that keeps close to its lowest point.
pub(crate) fn small_swing() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("pendulum");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rod = net.add("rod", RigidRod::new(1.0))?;
    let mass = PointMass::new(1.0, G).x(0.1).vx(0.0);
    let mass = net.add("mass", mass)?;
    net.guess("mass.y", -1.0);
    net.connect(pivot.pin("a"), rod.pin("a"))?;
    net.connect(rod.pin("b"), mass.pin("a"))?;
    Ok(net.build().flatten()?.reduce()?)
}

/// A source and `n` sections of a resistor in series and a capacitor to ground, all of one.
pub(crate) fn ladder(n: usize) -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("ladder");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("n"), ground.pin("p"))?;
    let mut last = source.pin("p");
    for k in 0..n {
        let r = net.add(format!("r{k}"), Resistor::new(1.0))?;
        let c = net.add(format!("c{k}"), Capacitor::new(1.0).voltage(0.0))?;
        net.connect(last, r.pin("p"))?;
        net.connect(r.pin("n"), c.pin("p"))?;
        net.connect(c.pin("n"), ground.pin("p"))?;
        last = r.pin("n");
    }
    Ok(net.build().flatten()?.reduce()?)
}

/// A mass on a belt, held by a spring, with dry friction.
pub(crate) fn stick_slip() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("dry");
    let belt = net.add("belt", SpeedSource::new(0.1).position(0.0))?;
    let friction = net.add("friction", StickSlip::new(1.0, 1.5))?;
    let mass = net.add("mass", Mass::new(1.0).position(0.0).speed(0.1))?;
    let spring = net.add("spring", Spring::new(10.0, 0.0))?;
    let wall = net.add("wall", Fixed::new(0.0))?;
    net.connect(belt.pin("a"), friction.pin("a"))?;
    net.join([friction.pin("b"), mass.pin("a"), spring.pin("b")])?;
    net.connect(spring.pin("a"), wall.pin("a"))?;
    Ok(net.build().flatten()?.reduce()?)
}

/// Two rods with masses.
pub(crate) fn double_pendulum() -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("double");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let one = net.add("one", RigidRod::new(1.0))?;
    let two = net.add("two", RigidRod::new(1.0))?;
    let (x, y) = (0.6, -0.8);
    let first = net.add("first", PointMass::new(1.0, G).x(x).y(y).vx(0.0).vy(0.0))?;
    let second = PointMass::new(1.0, G).x(x + 0.8).y(y - 0.6).vx(0.0).vy(0.0);
    let second = net.add("second", second)?;
    net.connect(pivot.pin("a"), one.pin("a"))?;
    net.join([one.pin("b"), first.pin("a"), two.pin("a")])?;
    net.connect(two.pin("b"), second.pin("a"))?;
    Ok(net.build().flatten()?.reduce()?)
}
