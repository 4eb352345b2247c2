//! Fluids that carry enthalpy: balances of mass and energy, mixing, flows that turn round.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "tests show their errors"
)]

mod support;

use bifrons_dae::NetworkBuilder;
use bifrons_dae::library::fluid::{
    Boundary, GasVolume, HeatedPipe, MassFlowBoundary, Pipe, Tank, Volume,
};
use bifrons_dae::library::thermal::Conductor;
use support::{Result, grid, tight, worst};

#[test]
fn streams_mix_by_their_flows() -> Result<()> {
    let mut net = NetworkBuilder::new("mix");
    let warm = net.add("warm", MassFlowBoundary::new(1.0, 4e5))?;
    let cold = net.add("cold", MassFlowBoundary::new(2.0, 1e5))?;
    let pipe = net.add("pipe", Pipe::new(100.0))?;
    let sink = net.add("sink", Boundary::new(1e5, 9e9))?;
    net.join([warm.pin("a"), cold.pin("a"), pipe.pin("a")])?;
    net.connect(pipe.pin("b"), sink.pin("a"))?;
    let run = net
        .build()
        .flatten()?
        .reduce()?
        .simulation()
        .record(["sink.a.h_in", "pipe.a.p", "sink.a.m"])
        .run()?;
    // The weights of 1e-8 kg/s leave 1e-8 of the span of the enthalpies.
    let error = (run.last[0] - 2e5).abs();
    println!("mixture: error {error:e} of 2e5");
    assert!(error < 0.01, "{:?}", run.last);
    assert!((run.last[1] - 1e5 - 300.0).abs() < 1e-6, "{:?}", run.last);
    assert!((run.last[2] - 3.0).abs() < 1e-12, "{:?}", run.last);
    Ok(())
}

#[test]
fn a_volume_is_flushed_exponentially() -> Result<()> {
    let mut net = NetworkBuilder::new("flush");
    let source = net.add("source", MassFlowBoundary::new(0.5, 3e5))?;
    let volume = net.add("volume", Volume::new(2.0, 4000.0).enthalpy(1e5))?;
    let sink = net.add("sink", Boundary::new(1e5, 0.0))?;
    net.connect(source.pin("a"), volume.pin("a"))?;
    net.connect(volume.pin("b"), sink.pin("a"))?;
    let model = net.build().flatten()?.reduce()?;
    assert_eq!(model.freedom(), 1, "the enthalpy: {model}");
    let times = grid(0.0, 10.0, 11);
    let run = model
        .simulation()
        .span(0.0, 10.0)
        .times(times.clone())
        .record(["volume.h", "volume.heat.t"])
        .tolerance(tight())
        .run()?;
    let h = |t: f64| 3e5 - 2e5 * (-0.25 * t).exp();
    worst(
        "flushed",
        &run.column("volume.h").expect("recorded"),
        &times,
        h,
        1e-4,
    );
    let t = run.column("volume.heat.t").expect("recorded");
    worst("its temperature", &t, &times, |t| h(t) / 4000.0, 1e-7);
    Ok(())
}

#[test]
fn a_tank_keeps_mass_and_energy() -> Result<()> {
    let (area, density, m, h0, h1) = (0.5, 1000.0, 2.0, 1e5, 3e5);
    let mut net = NetworkBuilder::new("tank");
    let source = net.add("source", MassFlowBoundary::new(m, h1))?;
    let tank = Tank::new(area, density, 9.81, 1e5).level(1.0).enthalpy(h0);
    let tank = net.add("tank", tank)?;
    net.connect(source.pin("a"), tank.pin("a"))?;
    let times = grid(0.0, 500.0, 11);
    let run = net
        .build()
        .flatten()?
        .reduce()?
        .simulation()
        .span(0.0, 500.0)
        .times(times.clone())
        .record(["tank.level", "tank.h"])
        .tolerance(tight())
        .run()?;
    let mass = |t: f64| area * density + m * t;
    let level = run.column("tank.level").expect("recorded");
    worst(
        "level",
        &level,
        &times,
        |t| mass(t) / (area * density),
        1e-9,
    );
    let h = run.column("tank.h").expect("recorded");
    let mixed = |t: f64| (area * density * h0 + m * t * h1) / mass(t);
    worst("enthalpy of a tank", &h, &times, mixed, 1e-3);
    Ok(())
}

#[test]
fn tanks_exchange_and_keep_mass_and_energy_when_the_flow_turns_round() -> Result<()> {
    // A source fills the lower tank beyond the other one, then the flow between them turns.
    let mut net = NetworkBuilder::new("tanks");
    let tank = |level, h| Tank::new(0.1, 1000.0, 10.0, 0.0).level(level).enthalpy(h);
    let a = net.add("a", tank(2.0, 4e5))?;
    let b = net.add("b", tank(1.0, 1e5))?;
    let pipe = net.add("pipe", Pipe::new(2000.0))?;
    let source = net.add("source", MassFlowBoundary::new(3.0, 2e5))?;
    net.connect(a.pin("a"), pipe.pin("a"))?;
    net.join([b.pin("a"), pipe.pin("b"), source.pin("a")])?;
    let model = net.build().flatten()?.reduce()?;
    let times = grid(0.0, 60.0, 61);
    let run = model
        .simulation()
        .span(0.0, 60.0)
        .times(times.clone())
        .record(["a.level", "b.level", "a.energy", "b.energy", "pipe.m"])
        .tolerance(tight())
        .run()?;
    let flows = run.column("pipe.m").expect("recorded");
    assert!(flows[0] > 1.0 && flows[60] < -0.5, "it turns: {flows:?}");
    let (mut mass, mut energy) = (0.0_f64, 0.0_f64);
    for (row, t) in run.rows.chunks_exact(5).zip(&times) {
        mass = mass.max((100.0 * (row[0] + row[1]) - 300.0 - 3.0 * t).abs());
        energy = energy.max((row[2] + row[3] - 9e7 - 3.0 * 2e5 * t).abs());
    }
    println!("two tanks: mass {mass:e} of 300 kg, energy {energy:e} of 9e7 J");
    // Mixing at the node of three leaves 1e-8 kg/s times the span of the enthalpies.
    assert!(
        mass < 1e-7 && energy < 2.0,
        "mass {mass:e}, energy {energy:e}"
    );
    Ok(())
}

#[test]
fn a_vessel_that_is_filled_becomes_warmer_than_what_fills_it() -> Result<()> {
    let (volume, gas, cp, t0, m) = (0.1, 287.0, 1005.0, 300.0, 1e-3);
    let mut net = NetworkBuilder::new("vessel");
    let source = net.add("source", MassFlowBoundary::new(m, cp * t0))?;
    let vessel = GasVolume::new(volume, gas, cp)
        .pressure(1e4)
        .temperature(t0);
    let vessel = net.add("vessel", vessel)?;
    net.connect(source.pin("a"), vessel.pin("a"))?;
    let times = grid(0.0, 100.0, 11);
    let run = net
        .build()
        .flatten()?
        .reduce()?
        .simulation()
        .span(0.0, 100.0)
        .times(times.clone())
        .record(["vessel.t", "vessel.a.p", "vessel.mass"])
        .tolerance(tight())
        .run()?;
    let (first, cv) = (1e4 * volume / (gas * t0), cp - gas);
    let mass = |t: f64| first + m * t;
    let temperature = |t: f64| (first * cv * t0 + m * t * cp * t0) / (mass(t) * cv);
    let found = run.column("vessel.t").expect("recorded");
    worst("vessel", &found, &times, temperature, 1e-6);
    let p = |t: f64| mass(t) * gas * temperature(t) / volume;
    worst(
        "its pressure",
        &run.column("vessel.a.p").expect("recorded"),
        &times,
        p,
        1e-2,
    );
    assert!(found[10] > 1.35 * t0, "towards cp/cv: {}", found[10]);
    Ok(())
}

#[test]
fn an_exchanger_gives_what_it_takes() -> Result<()> {
    let (cp, ua) = (4000.0, 800.0);
    let mut net = NetworkBuilder::new("exchanger");
    let hot = net.add("hot", MassFlowBoundary::new(0.2, cp * 360.0))?;
    let cold = net.add("cold", MassFlowBoundary::new(0.1, cp * 300.0))?;
    let sinks = [
        net.add("s1", Boundary::new(1e5, 0.0))?,
        net.add("s2", Boundary::new(1e5, 0.0))?,
    ];
    let side = || HeatedPipe::new(1e3, 1.0, cp).enthalpy(cp * 300.0);
    let (one, two) = (net.add("one", side())?, net.add("two", side())?);
    let wall = net.add("wall", Conductor::new(ua))?;
    for (source, pipe, sink) in [(hot, one, sinks[0]), (cold, two, sinks[1])] {
        net.connect(source.pin("a"), pipe.pin("a"))?;
        net.connect(pipe.pin("b"), sink.pin("a"))?;
    }
    net.connect(one.pin("heat"), wall.pin("a"))?;
    net.connect(wall.pin("b"), two.pin("heat"))?;
    let run = net
        .build()
        .flatten()?
        .reduce()?
        .simulation()
        .span(0.0, 200.0)
        .record(["one.heat.t", "two.heat.t", "wall.a.q"])
        .tolerance(tight())
        .run()?;
    // In the end: 800 (360 - t1) = q, 400 (t2 - 300) = q, q = 800 (t1 - t2).
    let q = 60.0 / (1.0 / 800.0 + 1.0 / 400.0 + 1.0 / 800.0);
    let ends = [360.0 - q / 800.0, 300.0 + q / 400.0, q];
    for (found, expected) in run.last.iter().zip(ends) {
        assert!(
            (found - expected).abs() < 1e-4 * expected,
            "{:?} {ends:?}",
            run.last
        );
    }
    Ok(())
}
