//! Integrator and oscillator: starts, derivatives, outputs, missing feedthrough.

use bifrons_blocks::{Integrator, SecondOrder};
use bifrons_hybrid::{BlockError, DiagramBuilder, HybridSystem};

use crate::bench::{Bench, refusal};

#[test]
fn integrator_has_its_input_as_slope() {
    let bench = Bench::new(Integrator::new(2.5), &[-4.0]);
    assert_eq!(bench.start(), [2.5], "start");
    assert_eq!(bench.derivatives(0.0, &[7.0]), [-4.0], "slope");
    assert_eq!(bench.outputs(0.0, &[7.0]), [7.0], "output");
    assert_eq!(
        bench.system.output_state(0),
        Some(0),
        "the output is the state"
    );
    assert_eq!(bench.parameter_names(), ["block.u", "block.x0"], "names");
}

#[test]
fn second_order_follows_its_equations() {
    let block = SecondOrder::new(3.0, 0.2).gain(1.5).start(0.5, -1.0);
    let bench = Bench::new(block, &[2.0]);
    assert_eq!(bench.start(), [0.5, -1.0], "start");
    let (x, v) = (0.25, 4.0);
    let found = bench.derivatives(0.0, &[x, v]);
    assert_eq!(
        found,
        [v, 9.0 * (1.5 * 2.0 - x) - 2.0 * 0.2 * 3.0 * v],
        "derivatives"
    );
    assert_eq!(bench.outputs(0.0, &[x, v]), [x, v], "outputs");
    assert_eq!(
        bench.derivatives(0.0, &[3.0, 0.0]),
        [0.0, 0.0],
        "rest at gain · u"
    );
}

#[test]
fn states_separate_inputs_from_outputs() {
    let mut builder = DiagramBuilder::new("bench");
    let a = builder.add("a", Integrator::new(0.0)).unwrap();
    let b = builder.add("b", SecondOrder::new(1.0, 1.0)).unwrap();
    builder.export_input("ua", a.input("u")).unwrap();
    builder.export_input("ub", b.input("u")).unwrap();
    builder.export_output("ya", a.output("y")).unwrap();
    builder.export_output("yb", b.output("dy")).unwrap();
    let diagram = builder.build().unwrap();
    for (input, output) in [("ua", "ya"), ("ub", "yb")] {
        assert_eq!(
            diagram.feedthrough(input, output),
            Ok(false),
            "{input} to {output}"
        );
    }
}

#[test]
fn settings_must_be_finite() {
    for (error, expected) in [
        (refusal(Integrator::new(f64::NAN)), "x0"),
        (refusal(SecondOrder::new(f64::INFINITY, 0.0)), "frequency"),
        (refusal(SecondOrder::new(1.0, f64::NAN)), "damping"),
        (
            refusal(SecondOrder::new(1.0, 0.0).start(0.0, f64::NAN)),
            "v0",
        ),
    ] {
        let BlockError::Value { setting, .. } = &error else {
            panic!("variant: {error}")
        };
        assert_eq!(setting, expected, "{error}");
    }
}
