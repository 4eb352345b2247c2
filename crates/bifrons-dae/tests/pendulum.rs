//! Systems of index 3 through points where no fixed choice of states works.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "tests show their errors and panic"
)]

mod support;

use bifrons_dae::library::planar::{Crank, Pivot, PointMass, RigidRod, Slider};
use bifrons_dae::library::rotational::SpeedSource;
use bifrons_dae::{NetworkBuilder, ReducedModel};
use bifrons_ode::Method;
use support::{Result, tight};

const G: f64 = 9.81;

fn pendulum(x: f64, y: f64) -> Result<ReducedModel> {
    let mut net = NetworkBuilder::new("pendulum");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rod = net.add("rod", RigidRod::new(1.0))?;
    let mass = PointMass::new(1.0, G).x(x).y(y).vx(0.0).vy(0.0);
    let mass = net.add("mass", mass)?;
    net.connect(pivot.pin("a"), rod.pin("a"))?;
    net.connect(rod.pin("b"), mass.pin("a"))?;
    Ok(net.build().flatten()?.reduce()?)
}

#[test]
fn dae_01_positions_energy_and_constraints() -> Result<()> {
    let model = pendulum(1.0, 0.0)?;
    assert_eq!(model.structural_index(), 3, "{model}");
    assert_eq!(model.freedom(), 2, "angle and speed");
    let mut times = vec![0.5, 1.0];
    times.extend((2..=1000).map(|k| 0.1 * f64::from(k)).filter(|t| *t > 1.0));
    let run = model
        .simulation()
        .span(0.0, 100.0)
        .times(times.clone())
        .record(["mass.x", "mass.y", "mass.vx", "mass.vy", "rod.lambda"])
        .tolerance(bifrons_ode::Tolerance::new(1e-9, 1e-11)?)
        .run()?;
    let row = |time: f64| {
        let k = times.iter().position(|t| (t - time).abs() < 1e-9).unwrap();
        &run.rows[5 * k..5 * k + 5]
    };
    let expected = [
        (0.5, [0.3910487915505464, -0.9203699487851922]),
        (1.0, [-0.9862917511318753, -0.16501085312554117]),
        (10.0, [0.2750874625761169, -0.961419205099125]),
    ];
    for (t, xy) in expected {
        let error = (row(t)[0] - xy[0]).abs().max((row(t)[1] - xy[1]).abs());
        println!("pendulum at {t}: error {error:e}");
        assert!(error < 2e-7, "at {t}: {error:e}");
    }
    // The force per length that pulls the ends together is -3 g y at unit mass.
    assert!(
        (row(1.0)[4] - 4.856269407484676).abs() < 1e-5,
        "force {}",
        row(1.0)[4]
    );
    let [mut position, mut speed, mut energy] = [0.0_f64; 3];
    for row in run.rows.chunks_exact(5) {
        let [x, y, vx, vy] = [row[0], row[1], row[2], row[3]];
        position = position.max((x * x + y * y - 1.0).abs());
        speed = speed.max((x * vx + y * vy).abs());
        energy = energy.max((0.5 * (vx * vx + vy * vy) + G * y).abs());
    }
    println!("pendulum over 100 s: position {position:e}, speed {speed:e}, energy {energy:e}");
    println!("{} choices of states, {:?}", run.selections, run.statistics);
    assert!(
        position < 1e-9 && speed < 1e-9,
        "constraints {position:e} {speed:e}"
    );
    assert!(energy < 1e-5, "energy {energy:e}");
    Ok(())
}

#[test]
fn implicit_methods_keep_the_constraints_through_full_swings() -> Result<()> {
    for (method, allowed) in [(Method::Bdf, 1e-4), (Method::Radau, 1e-6)] {
        full_swings(method, 20.0, 201, allowed)?;
    }
    Ok(())
}

/// Position, constraint and energy of a pendulum released from the horizontal; ten rows a second.
fn full_swings(method: Method, t_end: f64, rows: usize, allowed: f64) -> Result<()> {
    let model = pendulum(1.0, 0.0)?;
    let run = model
        .simulation()
        .span(0.0, t_end)
        .times(support::grid(0.0, t_end, rows))
        .record(["mass.x", "mass.y", "mass.vx", "mass.vy"])
        .method(method)
        .tolerance(bifrons_ode::Tolerance::new(1e-10, 1e-12)?)
        .run()?;
    let row = &run.rows[400..402];
    let error = (row[0] - 0.2750874625761169)
        .abs()
        .max((row[1] + 0.961419205099125).abs());
    let [mut position, mut energy] = [0.0_f64; 2];
    for row in run.rows.chunks_exact(4) {
        let [x, y, vx, vy] = [row[0], row[1], row[2], row[3]];
        position = position.max((x * x + y * y - 1.0).abs());
        energy = energy.max((0.5 * (vx * vx + vy * vy) + G * y).abs());
    }
    println!(
        "pendulum, {} to {t_end}: error at 10 s {error:e}, position {position:e}, energy {energy:e}, \
         {} choices, {:?}",
        method.name(),
        run.selections,
        run.statistics
    );
    assert!(error < allowed, "{}: error {error:e}", method.name());
    assert!(position < 1e-9, "{}: position {position:e}", method.name());
    assert!(energy / G < allowed, "{}: energy {energy:e}", method.name());
    Ok(())
}

#[test]
fn small_swings_pass_the_lowest_point() -> Result<()> {
    let model = pendulum(0.47942553860420306, -0.8775825618903726)?;
    let run = model
        .simulation()
        .span(0.0, 10.0)
        .times(vec![1.0, 5.0, 10.0])
        .record(["mass.x", "mass.y"])
        .tolerance(tight())
        .run()?;
    let expected = [
        -0.478685730356203,
        -0.877986316267713,
        -0.4609449524562566,
        -0.8874287299863011,
        0.40580718290032197,
        -0.9139587136772124,
    ];
    let error = run
        .rows
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    println!("pendulum, small swing: worst error {error:e}");
    assert!(error < 1e-8, "worst error {error:e}");
    Ok(())
}

#[test]
fn double_pendulum_reaches_its_reference() -> Result<()> {
    let (a, b) = (0.5_f64, 0.8_f64);
    let mut net = NetworkBuilder::new("double");
    let pivot = net.add("pivot", Pivot::new(0.0, 0.0))?;
    let rods = [
        net.add("rod1", RigidRod::new(1.0))?,
        net.add("rod2", RigidRod::new(1.0))?,
    ];
    let (x1, y1) = (a.sin(), -a.cos());
    let (x2, y2) = (x1 + b.sin(), y1 - b.cos());
    let first = PointMass::new(1.0, G).x(x1).y(y1).vx(0.0).vy(0.0);
    let first = net.add("first", first)?;
    let second = PointMass::new(1.0, G).x(x2).y(y2).vx(0.0).vy(0.0);
    let second = net.add("second", second)?;
    net.connect(pivot.pin("a"), rods[0].pin("a"))?;
    net.join([rods[0].pin("b"), first.pin("a"), rods[1].pin("a")])?;
    net.connect(rods[1].pin("b"), second.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    assert_eq!(model.freedom(), 4, "two angles and their speeds");
    let run = model
        .simulation()
        .span(0.0, 5.0)
        .times(vec![2.0, 5.0])
        .record(["first.x", "first.y", "second.x", "second.y"])
        .tolerance(tight())
        .run()?;
    let expected = [
        -0.0420008529653405,
        -0.9991175748380087,
        -0.02798640045073529,
        -1.9990193675760335,
        0.35704548548344206,
        -0.9340869987832467,
        0.8214924774025766,
        -1.819687920021062,
    ];
    let error = run
        .rows
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    println!(
        "double pendulum: worst error {error:e}, {} choices",
        run.selections
    );
    assert!(error < 1e-8, "worst error {error:e}");
    Ok(())
}

#[test]
fn a_slider_crank_moves_as_its_geometry_says() -> Result<()> {
    let (radius, length, w) = (0.3, 1.0, 5.0);
    let mut net = NetworkBuilder::new("slider");
    let drive = net.add("drive", SpeedSource::new(w).angle(0.4))?;
    let crank = net.add("crank", Crank::new(radius))?;
    let rod = net.add("rod", RigidRod::new(length))?;
    let slider = net.add("slider", Slider::new(0.0))?;
    let mass = net.add("mass", PointMass::new(1.0, 0.0))?;
    net.connect(drive.pin("a"), crank.pin("a"))?;
    net.connect(crank.pin("b"), rod.pin("a"))?;
    net.join([rod.pin("b"), slider.pin("a"), mass.pin("a")])?;
    net.guess("mass.x", 1.3);
    let model = net.build().flatten()?.reduce()?;
    let times = support::grid(0.0, 3.0, 31);
    let run = model
        .simulation()
        .span(0.0, 3.0)
        .times(times.clone())
        .record(["mass.x"])
        .tolerance(tight())
        .run()?;
    let x = |t: f64| {
        let phi: f64 = 0.4 + w * t;
        radius * phi.cos() + (length * length - (radius * phi.sin()).powi(2)).sqrt()
    };
    support::worst(
        "slider-crank",
        &run.column("mass.x").unwrap(),
        &times,
        x,
        1e-9,
    );
    Ok(())
}
