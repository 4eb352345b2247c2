//! Units of ports: what fits, what is refused, and the conversion between.

use std::error::Error;

use crate::blocks::{outputs, s};
use bifrons_expr::Unit;
use bifrons_hybrid::{
    BlockError, BlockSpec, Diagram, DiagramBuilder, DiagramError, Enabled, ForEach, UnitConversion,
};

fn unit(text: &str) -> Unit {
    Unit::parse(text).unwrap()
}

/// A source of 90 in a unit.
fn source(text: &str) -> BlockSpec {
    let block = BlockSpec::builder("Source").parameter("value", 90.0);
    let block = block.unit("value", unit(text)).unit("y", unit(text));
    block.output("y", s("value")).build().unwrap()
}

/// `y = mass speed² / 2`, with the input in m/s.
fn energy() -> BlockSpec {
    BlockSpec::builder("Energy")
        .input("speed")
        .parameter("mass", 2.0)
        .unit("speed", unit("m/s"))
        .unit("mass", unit("kg"))
        .output("y", 0.5 * s("mass") * s("speed") * s("speed"))
        .unit("y", unit("J"))
        .build()
        .unwrap()
}

fn refused(from: &str) -> DiagramError {
    let mut builder = DiagramBuilder::new("d");
    let source = builder.add("source", source(from)).unwrap();
    let energy = builder.add("energy", energy()).unwrap();
    let connected = builder.connect(source.output("y"), energy.input("speed"));
    let error = connected.unwrap_err();
    // A call that fails changes nothing.
    builder.constant(energy.input("speed"), 3.0).unwrap();
    error
}

#[test]
fn other_dimensions_are_refused_with_both_ports_and_units() {
    assert_eq!(
        refused("kg").to_string(),
        "`source.y` in `kg` cannot feed input `energy.speed` in `m/s` of diagram `d`; they \
         measure different things"
    );
}

#[test]
fn other_scales_are_refused_with_the_factor_and_converted_on_purpose() {
    let text = refused("km/h").to_string();
    assert!(
        text.contains("`UnitConversion` between, of the factor 0.27"),
        "{text}"
    );
    let mut builder = DiagramBuilder::new("d");
    let source = builder.add("source", source("km/h")).unwrap();
    let conversion = UnitConversion::new(unit("km/h"), unit("m/s"));
    let conversion = builder.add("conversion", conversion).unwrap();
    let energy = builder.add("energy", energy()).unwrap();
    builder
        .connect(source.output("y"), conversion.input("u"))
        .unwrap();
    builder
        .connect(conversion.output("y"), energy.input("speed"))
        .unwrap();
    builder.export_output("y", energy.output("y")).unwrap();
    let system = builder
        .build()
        .unwrap()
        .flatten()
        .unwrap()
        .compile()
        .unwrap();
    let y = outputs(&system, 0.0, &[])[0];
    assert!((y - 625.0).abs() < 1e-10, "25 m/s: {y}");
}

#[test]
fn temperatures_are_converted_with_their_offset() {
    let mut builder = DiagramBuilder::new("d");
    let conversion = UnitConversion::new(unit("degC"), unit("K"));
    let conversion = builder.add("conversion", conversion).unwrap();
    builder.constant(conversion.input("u"), 20.0).unwrap();
    builder.export_output("y", conversion.output("y")).unwrap();
    let system = builder
        .build()
        .unwrap()
        .flatten()
        .unwrap()
        .compile()
        .unwrap();
    let y = outputs(&system, 0.0, &[])[0];
    assert!((y - 293.15).abs() < 1e-12, "{y}");
    let none = UnitConversion::new(unit("m"), unit("s"));
    let error = builder_error(none);
    assert!(matches!(error, BlockError::Conversion { .. }), "{error}");
}

fn builder_error(block: impl bifrons_hybrid::Block) -> BlockError {
    match block.into_component() {
        Err(error) => error,
        Ok(_) => panic!("accepted"),
    }
}

/// The energy block with its ports exported as `v` and `e`.
fn nested() -> Diagram {
    let mut builder = DiagramBuilder::new("nested");
    let energy = builder.add("energy", energy()).unwrap();
    builder.export_input("v", energy.input("speed")).unwrap();
    builder.export_output("e", energy.output("y")).unwrap();
    builder.build().unwrap()
}

#[test]
fn exported_ports_and_containers_keep_their_units() {
    let each = ForEach::new(2, |_| Ok(nested().into())).unwrap();
    let mut builder = DiagramBuilder::new("d");
    let source = builder.add("source", source("kg")).unwrap();
    builder.add("plain", nested()).unwrap();
    builder.add("enabled", Enabled::new(nested())).unwrap();
    builder.add("each", each).unwrap();
    for (port, output) in [
        ("plain.v", "plain.e"),
        ("enabled.v", "enabled.e"),
        ("each.v_2", "each.e_2"),
    ] {
        let error = builder.connect(source.output("y"), port).unwrap_err();
        assert!(matches!(error, DiagramError::Units(_)), "{port}: {error}");
        let sink = BlockSpec::builder("Sink").input("u").unit("u", unit("m"));
        let name = output.replace('.', "_");
        let sink = builder.add(name, sink.build().unwrap()).unwrap();
        let error = builder.connect(output, sink.input("u")).unwrap_err();
        assert!(error.to_string().contains("in `J`"), "{output}: {error}");
    }
    // One exported input feeds inputs of one unit only.
    let mut builder = DiagramBuilder::new("d");
    let energy = builder.add("energy", energy()).unwrap();
    let sink = BlockSpec::builder("Sink").input("u").unit("u", unit("m"));
    let sink = builder.add("sink", sink.build().unwrap()).unwrap();
    builder.export_input("v", energy.input("speed")).unwrap();
    let error = builder.export_input("v", sink.input("u")).unwrap_err();
    assert!(
        error.to_string().contains("`exported input v` in `m/s`"),
        "{error}"
    );
}

#[test]
fn what_has_no_unit_fits_everything() {
    let mut builder = DiagramBuilder::new("d");
    let source = builder.add("source", source("kg")).unwrap();
    let gain = BlockSpec::builder("Gain")
        .input("u")
        .output("y", 2.0 * s("u"));
    let gain = builder.add("gain", gain.build().unwrap()).unwrap();
    let energy = builder.add("energy", energy()).unwrap();
    builder
        .connect(source.output("y"), gain.input("u"))
        .unwrap();
    builder
        .connect(gain.output("y"), energy.input("speed"))
        .unwrap();
}

#[test]
fn equations_of_a_block_are_checked_part_by_part() {
    let moving = |rate: &str| {
        BlockSpec::builder("Moving")
            .input("u")
            .unit("u", unit(rate))
            .state("x", s("u"), 0.0)
            .unit("x", unit("m"))
            .output("y", s("x"))
            .build()
    };
    assert!(moving("m/s").is_ok(), "m/s");
    let error = moving("m").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("equation of `x` in block kind Moving"),
        "{error}"
    );
    let cause = error.source().unwrap().to_string();
    assert!(cause.contains('m') && cause.contains("m/s"), "{cause}");
    let mixed = BlockSpec::builder("Mixed")
        .input("u")
        .unit("u", unit("kg"))
        .output("y", s("u") + s("time"));
    let error = mixed.build().unwrap_err();
    assert!(matches!(error, BlockError::Unit { .. }), "{error}");
    let unknown = BlockSpec::builder("B")
        .input("speed")
        .unit("sped", unit("m"));
    let error = unknown.build().unwrap_err();
    assert!(error.to_string().contains("`speed`"), "{error}");
}
