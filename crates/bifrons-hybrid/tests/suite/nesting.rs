//! Diagrams in diagrams: paths, exported ports, constants, defaults, feedthrough.

use crate::blocks::{derivatives, gain, integrator, outputs, s, sum};
use bifrons_hybrid::{
    BlockSpec, Diagram, DiagramBuilder, EquationError, HybridSystem, UnknownName,
};

/// x' = k (u - x), y = x; `error` shows u - x.
fn lag() -> Diagram {
    let mut builder = DiagramBuilder::new("lag");
    let error = builder.add("difference", sum('-')).unwrap();
    let gain = builder.add("gain", gain(4.0)).unwrap();
    let x = builder.add("integrator", integrator(0.5)).unwrap();
    builder.export_input("u", error.input("u1")).unwrap();
    builder.connect(x.output("y"), error.input("u2")).unwrap();
    builder.connect(error.output("y"), gain.input("u")).unwrap();
    builder.connect(gain.output("y"), x.input("u")).unwrap();
    builder.export_output("y", x.output("y")).unwrap();
    builder.export_output("error", error.output("y")).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_diagram_is_used_twice_with_paths_of_its_own() {
    let lag = lag();
    let mut builder = DiagramBuilder::new("chain");
    let first = builder.add("first", lag.clone()).unwrap();
    let second = builder.add("second", lag).unwrap();
    builder.constant(first.input("u"), 1.5).unwrap();
    builder
        .connect(first.output("y"), second.input("u"))
        .unwrap();
    builder.export_output("y", second.output("y")).unwrap();
    let diagram = builder.build().unwrap();
    assert_eq!(
        (diagram.block_count(), diagram.depth()),
        (6, 2),
        "six blocks on two levels"
    );
    let system = diagram.flatten().unwrap().compile().unwrap();
    let schema = system.schema();
    assert_eq!(
        schema.state_names().collect::<Vec<_>>(),
        ["first.integrator.x", "second.integrator.x"],
        "states"
    );
    assert_eq!(
        schema.parameter_names().collect::<Vec<_>>(),
        [
            "first.u",
            "first.gain.k",
            "first.integrator.x0",
            "second.gain.k",
            "second.integrator.x0"
        ],
        "the constant is a parameter with the path of the input"
    );
    assert_eq!(
        derivatives(&system, 0.0, &[0.5, 0.25]),
        [4.0, 1.0],
        "k (u - x) each"
    );
    assert_eq!(
        outputs(&system, 0.0, &[0.5, 0.25]),
        [0.25],
        "the second state"
    );
    assert_eq!(
        system.output_state(0),
        Some(1),
        "found through three levels of names"
    );
}

#[test]
fn feedthrough_of_a_diagram_is_read_off_its_equations() {
    let lag = lag();
    assert_eq!(lag.feedthrough("u", "y"), Ok(false), "a state is between");
    assert_eq!(lag.feedthrough("u", "error"), Ok(true), "u - x");
    let unknown = lag.feedthrough("u", "errors").unwrap_err();
    let UnknownName { what, nearest, .. } = unknown;
    assert_eq!(
        (what, nearest.as_deref()),
        ("output", Some("error")),
        "unknown output"
    );
    assert!(lag.feedthrough("v", "y").is_err(), "unknown input");
}

#[test]
fn feedthrough_of_a_block_is_per_pair_and_sees_through_definitions() {
    let block = BlockSpec::builder("M")
        .input("u1")
        .input("u2")
        .definition("twice", 2.0 * s("u1"))
        .state("x", s("u2") - s("x"), 1.0)
        .output("y1", -s("twice"))
        .output("y2", s("x"))
        .build()
        .unwrap();
    let pairs = [
        ("u1", "y1", true),
        ("u2", "y1", false),
        ("u1", "y2", false),
        ("u2", "y2", false),
    ];
    for (input, output, expected) in pairs {
        assert_eq!(
            block.feedthrough(input, output),
            Ok(expected),
            "{input} to {output}"
        );
    }
    assert!(block.feedthrough("x", "y1").is_err(), "a state is no input");
}

#[test]
fn an_exported_input_feeds_several_blocks_and_passes_levels() {
    let mut inner = DiagramBuilder::new("inner");
    let (a, b) = (
        inner.add("a", gain(2.0)).unwrap(),
        inner.add("b", gain(3.0)).unwrap(),
    );
    let add = inner.add("add", sum('+')).unwrap();
    inner.export_input("u", a.input("u")).unwrap();
    inner.export_input("u", b.input("u")).unwrap();
    inner.connect(a.output("y"), add.input("u1")).unwrap();
    inner.connect(b.output("y"), add.input("u2")).unwrap();
    inner.export_output("y", add.output("y")).unwrap();
    let mut outer = DiagramBuilder::new("outer");
    let part = outer.add("part", inner.build().unwrap()).unwrap();
    outer.export_input("u", part.input("u")).unwrap();
    outer.export_output("y", part.output("y")).unwrap();
    outer.default_input("u", 7.0).unwrap();
    let diagram = outer.build().unwrap();
    let system = diagram.flatten().unwrap().compile().unwrap();
    assert_eq!(
        system.schema().parameter("u"),
        Ok(0),
        "the default is a parameter of the root"
    );
    assert_eq!(outputs(&system, 0.0, &[]), [35.0], "2·7 + 3·7");
}

#[test]
fn a_default_holds_only_until_somebody_connects() {
    let with_default = || {
        let mut builder = DiagramBuilder::new("part");
        let gain = builder.add("gain", gain(2.0)).unwrap();
        builder.export_input("u", gain.input("u")).unwrap();
        builder.default_input("u", 5.0).unwrap();
        builder.export_output("y", gain.output("y")).unwrap();
        builder.build().unwrap()
    };
    let mut builder = DiagramBuilder::new("root");
    let open = builder.add("open", with_default()).unwrap();
    let fed = builder.add("fed", with_default()).unwrap();
    builder.connect(open.output("y"), fed.input("u")).unwrap();
    builder.export_output("open", open.output("y")).unwrap();
    builder.export_output("fed", fed.output("y")).unwrap();
    let system = builder
        .build()
        .unwrap()
        .flatten()
        .unwrap()
        .compile()
        .unwrap();
    assert_eq!(outputs(&system, 0.0, &[]), [10.0, 20.0], "2·5 and 2·10");
    assert_eq!(
        system.schema().parameter_names().collect::<Vec<_>>(),
        ["open.u", "open.gain.k", "fed.gain.k"],
        "a parameter only where nothing is connected"
    );
}

#[test]
fn an_input_without_value_flattens_but_does_not_compile() {
    let equations = lag().flatten().unwrap();
    assert_eq!(equations.inputs().len(), 1, "the exported input");
    let error = equations.compile().unwrap_err();
    let expected = EquationError::OpenInputs {
        system: "lag".to_owned(),
        inputs: vec!["u".to_owned()],
    };
    assert_eq!(error, expected, "named");
}

#[test]
fn a_start_must_not_depend_on_a_signal() {
    let block = |start| {
        BlockSpec::builder("Follower")
            .input("u")
            .parameter("p", 3.0)
            .definition("offset", s("p") + s("time"))
            .state("x", s("u") - s("x"), start)
            .output("y", s("x"))
            .build()
            .unwrap()
    };
    let root = |start| {
        let mut builder = DiagramBuilder::new("root");
        let source = builder.add("source", integrator(0.0)).unwrap();
        let follower = builder.add("follower", block(start)).unwrap();
        builder
            .connect(follower.output("y"), source.input("u"))
            .unwrap();
        builder
            .connect(source.output("y"), follower.input("u"))
            .unwrap();
        builder.build().unwrap()
    };
    let error = root(s("u")).flatten().unwrap_err();
    let expected = EquationError::Start {
        system: "root".to_owned(),
        state: "follower.x".to_owned(),
        symbol: "source.x".to_owned(),
    };
    assert_eq!(error, expected, "the signal is the state of another block");
    let system = root(s("offset")).flatten().unwrap().compile().unwrap();
    assert_eq!(
        crate::blocks::start(&system, 10.0),
        [0.0, 13.0],
        "parameters and the start time are fine"
    );
}

#[test]
fn an_empty_diagram_is_a_system_of_nothing() {
    let system = DiagramBuilder::new("empty")
        .build()
        .unwrap()
        .flatten()
        .unwrap()
        .compile()
        .unwrap();
    let schema = system.schema();
    let counts = (
        schema.state_count(),
        schema.parameter_count(),
        schema.output_count(),
    );
    assert_eq!(counts, (0, 0, 0), "nothing");
    assert!(derivatives(&system, 0.0, &[]).is_empty(), "no derivatives");
}
