//! Cases about structure: floating islands, parallel sources, connect cycles.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::panic,
    reason = "tests show their errors and panic"
)]

use bifrons_dae::library::electrical::{Capacitor, CurrentSource, Ground, Resistor, VoltageSource};
use bifrons_dae::{FlatModel, Flaw, NetworkBuilder, NetworkError, StructuralError};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Source of 10 V in series with 5 Ω.
fn loop_of(grounds: &[&str]) -> Result<NetworkBuilder> {
    let mut net = NetworkBuilder::new("loop");
    let source = net.add("source", VoltageSource::new(10.0))?;
    let r = net.add("r", Resistor::new(5.0))?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(source.pin("n"), r.pin("n"))?;
    for (k, pin) in grounds.iter().enumerate() {
        let ground = net.add(format!("ground{k}"), Ground::new())?;
        net.connect(source.pin(*pin), ground.pin("p"))?;
    }
    Ok(net)
}

fn refused(model: &FlatModel) -> StructuralError {
    model.reduce().expect_err("the structure is wrong")
}

#[test]
fn dae_05_a_network_without_ground_is_refused_by_name() -> Result<()> {
    let error = refused(&loop_of(&[])?.build().flatten()?);
    assert_eq!(error.flaw, Flaw::NoReference, "{error}");
    assert_eq!(*error.components, ["r", "source"], "the island");
    assert!(error.to_string().contains("Ground"), "{error}");
    Ok(())
}

#[test]
fn dae_05_grounds_at_either_pin() -> Result<()> {
    let names = ["source.p.v", "source.n.v", "r.i", "ground0.p.i"];
    for (pin, expected) in [("n", [10.0, 0.0, 2.0, 0.0]), ("p", [0.0, -10.0, 2.0, 0.0])] {
        let model = loop_of(&[pin])?.build().flatten()?.reduce()?;
        let run = model.simulation().record(names).run()?;
        for (name, expected) in names.iter().zip(expected) {
            let found = run.last(name).unwrap();
            assert!(
                (found - expected).abs() < 1e-12,
                "{name} = {found}, ground at {pin}"
            );
        }
    }
    Ok(())
}

#[test]
fn dae_05_a_second_island_and_a_second_ground_are_refused_by_name() -> Result<()> {
    let mut net = loop_of(&["n"])?;
    let source = net.add("second", VoltageSource::new(3.0))?;
    let r = net.add("load", Resistor::new(1.0))?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(source.pin("n"), r.pin("n"))?;
    let error = refused(&net.build().flatten()?);
    assert_eq!(error.flaw, Flaw::NoReference, "{error}");
    assert_eq!(*error.components, ["load", "second"], "the island");

    let error = refused(&loop_of(&["n", "n"])?.build().flatten()?);
    assert_eq!(error.flaw, Flaw::Singular, "{error}");
    for ground in ["ground0", "ground1"] {
        assert!(
            error.components.iter().any(|c| c == ground),
            "{ground}: {error}"
        );
    }
    Ok(())
}

#[test]
fn dae_05_a_pin_that_is_not_connected_carries_nothing() -> Result<()> {
    let mut net = loop_of(&["n"])?;
    let r = net.add("dangling", Resistor::new(7.0))?;
    let other = net.add("other", Resistor::new(1.0))?;
    net.connect(r.pin("p"), other.pin("p"))?;
    net.connect(other.pin("n"), other.pin("n"))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(other.pin("n"), ground.pin("p"))?;
    let model = net.build().flatten()?.reduce()?;
    let run = model
        .simulation()
        .record(["dangling.i", "dangling.v"])
        .run()?;
    assert_eq!(run.last, [0.0, 0.0], "no current, no voltage");
    Ok(())
}

/// Two one-ports in parallel with a ground at `n`.
fn parallel(a: f64, b: f64) -> Result<FlatModel> {
    let mut net = NetworkBuilder::new("parallel");
    let a = net.add("a", VoltageSource::new(a))?;
    let b = net.add("b", VoltageSource::new(b))?;
    let ground = net.add("ground", Ground::new())?;
    net.join([a.pin("p"), b.pin("p")])?;
    net.join([a.pin("n"), b.pin("n"), ground.pin("p")])?;
    Ok(net.build().flatten()?)
}

#[test]
fn dae_06_parallel_sources_are_refused_by_name() -> Result<()> {
    for (a, b) in [(10.0, 5.0), (5.0, 5.0)] {
        let error = refused(&parallel(a, b)?);
        assert_eq!(error.flaw, Flaw::Singular, "{error}");
        assert!(
            error.to_string().starts_with("structurally singular"),
            "{error}"
        );
        for source in ["a", "b"] {
            assert!(
                error.components.iter().any(|c| c == source),
                "{source}: {error}"
            );
        }
        assert_eq!(error.equations.len(), 2, "both fix the voltage: {error}");
        assert!(!error.unknowns.is_empty(), "the currents are open: {error}");
    }
    Ok(())
}

#[test]
fn dae_06_current_sources_in_series_are_refused_by_name() -> Result<()> {
    let mut net = NetworkBuilder::new("series");
    let a = net.add("a", CurrentSource::new(1.0))?;
    let b = net.add("b", CurrentSource::new(2.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(a.pin("n"), b.pin("p"))?;
    net.connect(b.pin("n"), r.pin("p"))?;
    net.join([r.pin("n"), a.pin("p"), ground.pin("p")])?;
    let error = refused(&net.build().flatten()?);
    assert_eq!(error.flaw, Flaw::Singular, "{error}");
    for source in ["a", "b"] {
        assert!(
            error.components.iter().any(|c| c == source),
            "{source}: {error}"
        );
    }
    Ok(())
}

#[test]
fn dae_06_cycles_and_repetitions_of_connections_are_one_node() -> Result<()> {
    for repeats in [1, 2] {
        let mut net = NetworkBuilder::new("star");
        let source = net.add("source", VoltageSource::new(6.0))?;
        let ground = net.add("ground", Ground::new())?;
        let r: Vec<_> = (0..3)
            .map(|k| net.add(format!("r{k}"), Resistor::new(f64::from(k + 1))))
            .collect::<std::result::Result<_, _>>()?;
        for _ in 0..repeats {
            net.connect(r[0].pin("n"), r[1].pin("p"))?;
        }
        net.connect(r[1].pin("p"), r[2].pin("p"))?;
        net.connect(r[2].pin("p"), r[0].pin("n"))?;
        net.connect(source.pin("p"), r[0].pin("p"))?;
        let low = [
            source.pin("n"),
            r[1].pin("n"),
            r[2].pin("n"),
            ground.pin("p"),
        ];
        net.join(low)?;
        let model = net.build().flatten()?.reduce()?;
        let run = model.simulation().record(["r1.p.v", "r0.i"]).run()?;
        let found = [run.last[0] - 36.0 / 11.0, run.last[1] - 30.0 / 11.0];
        assert!(found.iter().all(|d| d.abs() < 1e-12), "{found:?}");
    }
    Ok(())
}

#[test]
fn dae_09_different_domains_are_refused_at_connect() -> Result<()> {
    use bifrons_dae::library::thermal::HeatCapacitor;
    let mut net = NetworkBuilder::new("mixed");
    let r = net.add("r", Resistor::new(1.0))?;
    let heat = net.add("heat", HeatCapacitor::new(1.0))?;
    let error = net.connect(r.pin("p"), heat.pin("a")).expect_err("mixed");
    let NetworkError::Domains { pins, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(
        pins,
        &["r.p".to_owned(), "heat.a".to_owned()],
        "both are named"
    );
    Ok(())
}

#[test]
fn a_resistance_that_is_not_positive_is_refused() {
    let mut net = NetworkBuilder::new("r");
    for r in [0.0, -1.0, f64::NAN] {
        let error = net.add("r", Resistor::new(r)).expect_err("not positive");
        assert!(matches!(error, NetworkError::Component { .. }), "{error}");
        net = NetworkBuilder::new("r");
    }
}

#[test]
fn nesting_of_any_depth_is_flattened_and_dropped() -> Result<()> {
    let mut inner = NetworkBuilder::new("cell");
    let r = inner.add("r", Resistor::new(1.0))?;
    let c = inner.add("c", Capacitor::new(1.0))?;
    inner.connect(r.pin("n"), c.pin("p"))?;
    inner.export_pin("p", r.pin("p"))?;
    inner.export_pin("n", c.pin("n"))?;
    let mut network = inner.build();
    for _ in 0..3_000 {
        let mut outer = NetworkBuilder::new("shell");
        let cell = outer.add("x", network)?;
        outer.export_pin("p", cell.pin("p"))?;
        outer.export_pin("n", cell.pin("n"))?;
        network = outer.build();
    }
    let mut top = NetworkBuilder::new("top");
    let cell = top.add("cell", network)?;
    let ground = top.add("ground", Ground::new())?;
    let source = top.add("source", VoltageSource::new(1.0))?;
    top.connect(source.pin("p"), cell.pin("p"))?;
    top.join([source.pin("n"), cell.pin("n"), ground.pin("p")])?;
    let model = top.build().flatten()?.reduce()?;
    assert_eq!(model.freedom(), 1, "the capacitor");
    Ok(())
}
