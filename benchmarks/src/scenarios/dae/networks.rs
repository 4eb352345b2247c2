//! The networks of `dae/…` and their closed forms.

use bifrons_dae::library::electrical::{
    Capacitor, DcMotor, Ground, IdealDiode, Inductor, Resistor, SineVoltage, VoltageSource,
};
use bifrons_dae::library::planar::{Pivot, PointMass, RigidRod};
use bifrons_dae::library::translational::{Fixed, Mass, Spring};
use bifrons_dae::library::{hydraulic, rotational, thermal as heat};
use bifrons_dae::{Network, NetworkBuilder, Run};

use super::deviation;

type Built = anyhow::Result<Network>;

const G: f64 = 9.81;
/// Period of a pendulum of 1 m released from the horizontal, from an elliptic integral.
pub(super) const PERIOD: f64 = 2.367_841_947_576_237_3;

pub(super) fn rc(_: usize) -> Built {
    let mut net = NetworkBuilder::new("rc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    Ok(net.build())
}

/// A source and `n` sections of a resistor in series and a capacitor to ground, all of one.
pub(super) fn ladder(n: usize) -> Built {
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
    Ok(net.build())
}

/// Modes of the ladder: angles `(2j+1)π/(2n+1)`, rates `2 - 2 cos`.
pub(super) fn ladder_error(run: &Run, n: usize) -> f64 {
    let whole = 2.0 * n as f64 + 1.0;
    deviation(run, "c0.v", |t| {
        let mode = |j: usize| {
            let angle = (2.0 * j as f64 + 1.0) * std::f64::consts::PI / whole;
            let rate = 2.0 - 2.0 * angle.cos();
            4.0 / whole * angle.sin().powi(2) / rate * -(-rate * t).exp_m1()
        };
        (0..n).map(mode).sum()
    })
}

pub(super) fn rlc(_: usize) -> Built {
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
    Ok(net.build())
}

pub(super) fn rlc_error(run: &Run) -> f64 {
    let (a, l): (f64, f64) = (0.5 / 0.4, 0.2);
    let w = (1.0 / (l * 0.1) - a * a).sqrt();
    deviation(run, "l.i", |t| (-a * t).exp() * (w * t).sin() / (w * l))
}

pub(super) fn bridge(_: usize) -> Built {
    let mut net = NetworkBuilder::new("bridge");
    let source = net.add("source", SineVoltage::new(10.0, 50.0, 0.0, 0.0))?;
    let load = net.add("load", Resistor::new(100.0))?;
    let ground = net.add("ground", Ground::new())?;
    let mut diode = |name: &str| net.add(name, IdealDiode::new(0.0, 1e-6, 1e-9));
    let [d1, d2, d3, d4] = [diode("d1")?, diode("d2")?, diode("d3")?, diode("d4")?];
    net.join([source.pin("p"), d1.pin("p"), d3.pin("n")])?;
    net.join([source.pin("n"), d2.pin("p"), d4.pin("n")])?;
    net.join([d1.pin("n"), d2.pin("n"), load.pin("p")])?;
    net.join([d3.pin("p"), d4.pin("p"), load.pin("n"), ground.pin("p")])?;
    Ok(net.build())
}

pub(super) fn motor(_: usize) -> Built {
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
    Ok(net.build())
}

/// Speed of a system of two real modes.
pub(super) fn motor_error(run: &Run) -> f64 {
    let (v, r, l, k, j, d) = (24.0, 1.0, 0.01, 0.5, 0.15, 0.02);
    let (trace, product): (f64, f64) = (r / l + d / j, (r * d + k * k) / (l * j));
    let root = (trace * trace / 4.0 - product).sqrt();
    let (fast, slow) = (-trace / 2.0 - root, -trace / 2.0 + root);
    let end = k * v / (r * d + k * k);
    deviation(run, "load.w", |t| {
        end * (1.0 + (slow * (fast * t).exp() - fast * (slow * t).exp()) / (fast - slow))
    })
}

/// A wall and `n` masses of one with springs of ten, in the first mode.
pub(super) fn chain(n: usize) -> Built {
    let mut net = NetworkBuilder::new("chain");
    let wall = net.add("wall", Fixed::new(0.0))?;
    let mut last = wall.pin("a");
    let angle = std::f64::consts::PI / (2.0 * n as f64 + 1.0);
    for k in 0..n {
        let spring = net.add(format!("spring{k}"), Spring::new(10.0, 0.0))?;
        let x = (angle * (k as f64 + 1.0)).sin();
        let mass = net.add(format!("mass{k}"), Mass::new(1.0).position(x).speed(0.0))?;
        net.connect(last, spring.pin("a"))?;
        net.connect(spring.pin("b"), mass.pin("a"))?;
        last = mass.pin("a");
    }
    Ok(net.build())
}

pub(super) fn chain_error(run: &Run, n: usize) -> f64 {
    let angle = std::f64::consts::PI / (2.0 * n as f64 + 1.0);
    let frequency = 2.0 * 10.0_f64.sqrt() * (angle / 2.0).sin();
    let amplitude = (angle * n as f64).sin();
    let name = format!("mass{}.s", n - 1);
    deviation(run, &name, |t| amplitude * (frequency * t).cos())
}

pub(super) fn pendulum(_: usize) -> Built {
    let mut net = NetworkBuilder::new("pendulum");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rod = net.add("rod", RigidRod::new(1.0))?;
    let mass = net.add("mass", PointMass::new(1.0, G).x(1.0).y(0.0).vx(0.0).vy(0.0))?;
    net.connect(pivot.pin("a"), rod.pin("a"))?;
    net.connect(rod.pin("b"), mass.pin("a"))?;
    Ok(net.build())
}

pub(super) fn energy_error(run: &Run) -> f64 {
    let rows = run.rows.chunks_exact(4);
    let energy = |row: &[f64]| 0.5 * (row[2] * row[2] + row[3] * row[3]) + G * row[1];
    rows.map(|row| energy(row).abs() / G).fold(0.0, f64::max)
}

pub(super) fn double_pendulum(_: usize) -> Built {
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
    Ok(net.build())
}

/// Positions at 5 s from an integration in angles to 1e-13.
pub(super) fn double_pendulum_error(run: &Run) -> f64 {
    let expected = [
        0.357_045_485_483_442_06,
        -0.934_086_998_783_246_7,
        0.821_492_477_402_576_6,
        -1.819_687_920_021_062,
    ];
    let pairs = run.last.iter().zip(expected);
    pairs
        .map(|(found, e)| (found - e).abs())
        .fold(0.0, f64::max)
}

pub(super) fn two_tanks(_: usize) -> Built {
    let mut net = NetworkBuilder::new("tanks");
    let a = net.add(
        "a",
        hydraulic::Accumulator::new(1.0, 2.0, 1000.0).pressure(3.0),
    )?;
    let b = net.add(
        "b",
        hydraulic::Accumulator::new(1.0, 2.0, 1000.0).pressure(1.0),
    )?;
    let pipe = net.add("pipe", hydraulic::LaminarPipe::new(0.001))?;
    net.connect(a.pin("a"), pipe.pin("a"))?;
    net.connect(b.pin("a"), pipe.pin("b"))?;
    Ok(net.build())
}

pub(super) fn thermal(_: usize) -> Built {
    let mut net = NetworkBuilder::new("thermal");
    let source = net.add("heat", heat::HeatFlowSource::new(50.0))?;
    let c1 = net.add("c1", heat::HeatCapacitor::new(10.0).temperature(300.0))?;
    let c2 = net.add("c2", heat::HeatCapacitor::new(20.0).temperature(300.0))?;
    let inner = net.add("inner", heat::Conductor::new(2.0))?;
    let outer = net.add("outer", heat::Conductor::new(1.0))?;
    let air = net.add("air", heat::TemperatureSource::new(300.0))?;
    net.join([source.pin("a"), c1.pin("a"), inner.pin("a")])?;
    net.join([inner.pin("b"), c2.pin("a"), outer.pin("a")])?;
    net.connect(outer.pin("b"), air.pin("a"))?;
    Ok(net.build())
}

/// Temperatures at 100 s from the matrix exponential.
pub(super) fn thermal_error(run: &Run) -> f64 {
    let expected = [372.148_519_659_209_7, 347.596_001_525_785];
    let pairs = run.last.iter().zip(expected);
    pairs
        .map(|(found, e)| (found - e).abs())
        .fold(0.0, f64::max)
}
