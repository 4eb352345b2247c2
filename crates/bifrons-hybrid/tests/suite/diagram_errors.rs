//! Every way in which a diagram can be put together wrongly.

use crate::blocks::{gain, integrator, s, sum};
use bifrons_hybrid::{
    Block, BlockError, BlockSpec, Component, DiagramBuilder, DiagramError, NameProblem,
};

#[test]
fn names_must_be_identifiers_and_unique() {
    let mut builder = DiagramBuilder::new("plant");
    builder.add("motor", gain(1.0)).unwrap();
    for (name, problem) in [
        ("motor", NameProblem::Duplicate),
        ("2nd", NameProblem::Malformed),
        ("a.b", NameProblem::Malformed),
        ("time", NameProblem::Reserved),
    ] {
        let error = builder.add(name, gain(1.0)).unwrap_err();
        let expected = DiagramError::Name {
            diagram: "plant".to_owned(),
            name: name.to_owned(),
            problem,
        };
        assert_eq!(error, expected, "{name}");
    }
    assert_eq!(
        builder.add("motor", gain(1.0)).unwrap_err().to_string(),
        "name `motor` in diagram `plant` is already taken, names must be unique",
        "text"
    );
}

#[test]
fn unknown_blocks_and_ports_name_the_nearest() {
    let mut builder = DiagramBuilder::new("plant");
    let motor = builder.add("motor", gain(1.0)).unwrap();
    builder.add("adder", sum('+')).unwrap();
    let error = builder.connect("moter.y", "motor.u").unwrap_err();
    assert_eq!(
        error.to_string(),
        "diagram `plant` has no block `moter`; did you mean `motor`?",
        "block"
    );
    let DiagramError::UnknownBlock { nearest, .. } = error else {
        panic!("variant: {error:?}")
    };
    assert_eq!(nearest.as_deref(), Some("motor"), "nearest block");
    let error = builder.connect(motor.output("y"), "adder.u3").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`adder` (Sum) of diagram `plant` has no input `u3`; it has `u1`, `u2`; \
         did you mean `u1`?",
        "port"
    );
    let DiagramError::UnknownPort(port) = error else {
        panic!("variant: {error:?}")
    };
    assert_eq!(
        (port.block.as_str(), port.port.as_str()),
        ("adder", "u3"),
        "fields"
    );
    // A parameter and a state are no ports; an output is no input.
    for (from, to) in [
        ("motor.k", "motor.u"),
        ("motor.u", "motor.u"),
        ("motor.y", "motor.y"),
    ] {
        let error = builder.connect(from, to).unwrap_err();
        assert!(
            matches!(error, DiagramError::UnknownPort(_)),
            "{from} to {to}: {error}"
        );
    }
    let error = builder.export_output("z", "motor.yy").unwrap_err();
    assert!(
        matches!(error, DiagramError::UnknownPort(_)),
        "export: {error}"
    );
    let error = builder.connect("y", "motor.u").unwrap_err();
    assert!(
        matches!(error, DiagramError::UnknownBlock { .. }),
        "no dot: {error}"
    );
}

#[test]
fn an_input_has_one_source() {
    let mut builder = DiagramBuilder::new("plant");
    let a = builder.add("a", gain(1.0)).unwrap();
    let b = builder.add("b", gain(1.0)).unwrap();
    builder.connect(a.output("y"), b.input("u")).unwrap();
    let error = builder.connect(b.output("y"), b.input("u")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "input `b.u` of diagram `plant` already has the source `a.y`, `b.y` cannot be connected \
         as well",
        "two wires"
    );
    let error = builder.constant(b.input("u"), 3.0).unwrap_err();
    let DiagramError::SecondSource { second, .. } = error else {
        panic!("variant: {error:?}")
    };
    assert_eq!(second, "constant 3", "wire and constant");
    builder.export_input("u", a.input("u")).unwrap();
    let error = builder.connect(b.output("y"), a.input("u")).unwrap_err();
    let DiagramError::SecondSource { first, .. } = error else {
        panic!("variant: {error:?}")
    };
    assert_eq!(first, "exported input u", "export and wire");
    builder.build().unwrap();
}

#[test]
fn every_unconnected_input_is_listed() {
    let mut builder = DiagramBuilder::new("plant");
    builder.add("adder", sum('+')).unwrap();
    let x = builder.add("x", integrator(0.0)).unwrap();
    builder.connect(x.output("y"), "adder.u2").unwrap();
    let error = builder.build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "diagram `plant` leaves `adder.u1`, `x.u` without a source; connect them, export them or \
         give them a constant",
        "text"
    );
}

#[test]
fn identifiers_belong_to_their_builder() {
    let mut other = DiagramBuilder::new("other");
    let foreign = other.add("a", gain(1.0)).unwrap();
    let mut builder = DiagramBuilder::new("plant");
    let own = builder.add("a", gain(1.0)).unwrap();
    let error = builder
        .connect(foreign.output("y"), own.input("u"))
        .unwrap_err();
    let expected = DiagramError::ForeignBlock {
        diagram: "plant".to_owned(),
        block: "a".to_owned(),
    };
    assert_eq!(error, expected, "same name and position, another builder");
    let mut copy = builder.clone();
    copy.connect(own.output("y"), own.input("u")).unwrap();
}

#[test]
fn constants_and_defaults_are_numbers() {
    let mut builder = DiagramBuilder::new("plant");
    let a = builder.add("a", gain(1.0)).unwrap();
    let error = builder.constant(a.input("u"), f64::NAN).unwrap_err();
    assert!(
        matches!(error, DiagramError::Constant { ref input, .. } if input == "a.u"),
        "{error}"
    );
    builder.export_input("u", a.input("u")).unwrap();
    let error = builder.default_input("u", f64::NAN).unwrap_err();
    assert!(
        matches!(error, DiagramError::Constant { ref input, .. } if input == "u"),
        "{error}"
    );
    let error = builder.default_input("v", 1.0).unwrap_err();
    assert!(matches!(error, DiagramError::UnknownPort(_)), "{error}");
}

#[test]
fn exported_names_are_unique() {
    let mut builder = DiagramBuilder::new("plant");
    let a = builder.add("a", gain(1.0)).unwrap();
    builder.export_input("u", a.input("u")).unwrap();
    builder.export_output("y", a.output("y")).unwrap();
    for error in [
        builder.export_output("y", a.output("y")).unwrap_err(),
        builder.export_output("u", a.output("y")).unwrap_err(),
        builder.export_input("y", a.input("u")).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                DiagramError::Name {
                    problem: NameProblem::Duplicate,
                    ..
                }
            ),
            "{error}"
        );
    }
}

/// A block that cannot describe itself.
struct Broken;

impl Block for Broken {
    fn into_component(self) -> Result<Component, BlockError> {
        let block = BlockSpec::builder("Broken")
            .input("speed")
            .output("y", s("sped"));
        Ok(block.build()?.into())
    }
}

#[test]
fn errors_of_a_block_are_the_source() {
    let mut builder = DiagramBuilder::new("plant");
    let error = builder.add("broken", Broken).unwrap_err();
    assert_eq!(
        error.to_string(),
        "block `broken` cannot be added to diagram `plant`",
        "outer error"
    );
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(
        source,
        "equation of `y` in block kind Broken uses the undeclared name `sped`; did you mean `speed`?",
        "inner error"
    );
    builder
        .add("broken", gain(1.0))
        .expect("the failed call took no name");
}

#[test]
fn block_descriptions_are_checked() {
    let taken = BlockSpec::builder("B")
        .input("u")
        .parameter("u", 1.0)
        .build()
        .unwrap_err();
    assert!(
        matches!(
            taken,
            BlockError::Name {
                problem: NameProblem::Duplicate,
                ..
            }
        ),
        "duplicate: {taken}"
    );
    let reserved = BlockSpec::builder("B").input("time").build().unwrap_err();
    assert!(
        matches!(
            reserved,
            BlockError::Name {
                problem: NameProblem::Reserved,
                ..
            }
        ),
        "reserved: {reserved}"
    );
    let nan = BlockSpec::builder("B")
        .parameter("k", f64::NAN)
        .build()
        .unwrap_err();
    assert!(
        matches!(nan, BlockError::Value { ref setting, .. } if setting == "k"),
        "NaN: {nan}"
    );
    BlockSpec::builder("B")
        .parameter("k", f64::INFINITY)
        .build()
        .expect("infinity is a limit");
    let start = BlockSpec::builder("B")
        .state("x", 0.0, s("y"))
        .build()
        .unwrap_err();
    assert!(
        matches!(start, BlockError::UnknownSymbol { .. }),
        "start: {start}"
    );
}
