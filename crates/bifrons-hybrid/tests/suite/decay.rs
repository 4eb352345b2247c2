//! The smallest model end to end: diagram, equations, tapes, lanes.
#![expect(
    clippy::float_cmp,
    reason = "results are compared bit by bit or are exact"
)]

use crate::blocks::{derivatives, gain, integrator, outputs, start};
use bifrons_hybrid::{Diagram, DiagramBuilder, HybridSystem, TapeSystem};
use bifrons_lanes::Level;

fn decay() -> Diagram {
    let mut builder = DiagramBuilder::new("decay");
    let gain = builder.add("gain", gain(-1.5)).unwrap();
    let integrator = builder.add("integrator", integrator(2.0)).unwrap();
    builder
        .connect(integrator.output("y"), gain.input("u"))
        .unwrap();
    builder
        .connect(gain.output("y"), integrator.input("u"))
        .unwrap();
    builder.export_output("x", integrator.output("y")).unwrap();
    builder.export_output("slope", gain.output("y")).unwrap();
    builder.build().unwrap()
}

fn compiled() -> TapeSystem {
    decay().flatten().unwrap().compile().unwrap()
}

#[test]
fn flattens_to_one_definition_and_one_state() {
    let equations = decay().flatten().unwrap();
    let text = "\
system decay
parameters
  gain.k = -1.5
  integrator.x0 = 2
definitions
  gain.y := gain.k * integrator.x
states
  der(integrator.x) = gain.y, start integrator.x0
outputs
  x = integrator.x
  slope = gain.y
";
    assert_eq!(equations.to_string(), text, "printed equations");
}

#[test]
fn schema_names_everything_by_path() {
    let system = compiled();
    let schema = system.schema();
    assert_eq!(schema.name(), "decay", "name");
    assert_eq!(
        schema.state_names().collect::<Vec<_>>(),
        ["integrator.x"],
        "states"
    );
    assert_eq!(
        schema.parameter_names().collect::<Vec<_>>(),
        ["gain.k", "integrator.x0"],
        "parameters"
    );
    assert_eq!(schema.defaults(), [-1.5, 2.0], "defaults");
    assert_eq!(
        schema.output_names().collect::<Vec<_>>(),
        ["x", "slope"],
        "outputs"
    );
    assert_eq!(schema.parameter("integrator.x0"), Ok(1), "position");
    assert_eq!(
        schema.parameters_with([("gain.k", 3.0)]),
        Ok(vec![3.0, 2.0]),
        "a change"
    );
    let error = schema.parameter("gian.k").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`decay` has no parameter `gian.k`; did you mean `gain.k`?",
        "text of the error"
    );
}

#[test]
fn evaluates_starts_derivatives_and_outputs() {
    let system = compiled();
    assert_eq!(start(&system, 0.0), [2.0], "start");
    assert_eq!(derivatives(&system, 0.0, &[2.0]), [-3.0], "derivative");
    assert_eq!(outputs(&system, 0.0, &[2.0]), [2.0, -3.0], "outputs");
    assert_eq!(
        system.output_state(0),
        Some(0),
        "the first output is the state"
    );
    assert_eq!(system.output_state(1), None, "the second is computed");
    assert_eq!(system.output_state(2), None, "there is no third");
}

/// Every lane of every width and level, and with other members beside it, has the bits of the
/// member alone.
#[test]
fn lanes_have_the_bits_of_one_member() {
    let system = compiled();
    let member = |i: usize| {
        let i = f64::from(u32::try_from(i).unwrap());
        ([-1.0 / (i + 1.0), 0.1 * i], i / 3.0, 0.7 + i / 7.0)
    };
    let alone: Vec<[u64; 3]> = (0..16)
        .map(|i| {
            let (parameters, t, x) = member(i);
            let mut workspace = system.workspace::<1>(Level::Baseline);
            system.set_parameters(&mut workspace, 0, &parameters);
            let (mut dx, mut y) = ([[0.0]], [[0.0]; 2]);
            system.derivatives(&mut workspace, &[t], &[[x]], &mut dx);
            system.outputs(&mut workspace, &[t], &[[x]], &mut y);
            [dx[0][0].to_bits(), y[0][0].to_bits(), y[1][0].to_bits()]
        })
        .collect();
    for level in Level::available() {
        let mut workspace = system.workspace::<16>(level);
        let (mut t, mut x) = ([0.0; 16], [[0.0; 16]]);
        for lane in 0..16 {
            let (parameters, own_t, own_x) = member(15 - lane);
            system.set_parameters(&mut workspace, lane, &parameters);
            (t[lane], x[0][lane]) = (own_t, own_x);
        }
        let (mut dx, mut y) = ([[0.0; 16]], [[0.0; 16]; 2]);
        system.derivatives(&mut workspace, &t, &x, &mut dx);
        system.outputs(&mut workspace, &t, &x, &mut y);
        for lane in 0..16 {
            let bits = [
                dx[0][lane].to_bits(),
                y[0][lane].to_bits(),
                y[1][lane].to_bits(),
            ];
            assert_eq!(
                bits,
                alone[15 - lane],
                "lane {lane} at level {}",
                level.name()
            );
        }
    }
}

#[test]
fn a_new_workspace_has_the_default_parameters_and_starts_leave_them_alone() {
    let system = compiled();
    let mut workspace = system.workspace::<4>(Level::detect());
    let mut state = [0.0];
    system.initial_state(&mut workspace, 0.0, &[7.0, 5.0], &mut state);
    assert_eq!(state, [5.0], "the start is that of the given parameters");
    let mut dx = [[0.0; 4]];
    system.derivatives(&mut workspace, &[0.0; 4], &[[1.0; 4]], &mut dx);
    assert_eq!(
        dx,
        [[-1.5; 4]],
        "the lanes still have the default parameters"
    );
}

#[test]
fn footprint_covers_the_registers_and_grows_with_lanes() {
    let system = compiled();
    let one = system.workspace_footprint(1).peak();
    let sixteen = system.workspace_footprint(16).peak();
    assert!(one >= 8, "at least the start value, got {one}");
    assert!(
        sixteen > 4 * one,
        "registers dominate: {sixteen} bytes against {one}"
    );
}
