//! Systems written by hand, and the same equations as a tape.
#![expect(clippy::float_cmp, reason = "results are compared bit by bit")]

use crate::blocks::s;
use bifrons_hybrid::{
    EquationSystem, HybridSystem, ScalarLanes, ScalarSystem, Schema, SchemaError,
};
use bifrons_lanes::Level;

/// x' = v, v' = -k x - c v + sin(t) with the energy as output.
#[derive(Debug)]
struct Oscillator(Schema);

impl Oscillator {
    fn new() -> Self {
        let parameters = [("k", 4.0), ("c", 0.25), ("x0", 1.0)];
        Self(Schema::new("oscillator", ["x", "v"], parameters, ["energy", "x", "v"]).unwrap())
    }
}

impl ScalarSystem for Oscillator {
    fn schema(&self) -> &Schema {
        &self.0
    }

    fn initial_state(&self, t0: f64, p: &[f64], x: &mut [f64]) {
        (x[0], x[1]) = (p[2], t0);
    }

    fn derivatives(&self, t: f64, x: &[f64], p: &[f64], dx: &mut [f64]) {
        dx[0] = x[1];
        dx[1] = -p[0] * x[0] - p[1] * x[1] + bifrons_lanes::math::sin(t);
    }

    fn outputs(&self, _t: f64, x: &[f64], p: &[f64], y: &mut [f64]) {
        y[0] = 0.5 * (p[0] * x[0] * x[0] + x[1] * x[1]);
        (y[1], y[2]) = (x[0], x[1]);
    }

    fn output_state(&self, output: usize) -> Option<usize> {
        output.checked_sub(1)
    }
}

fn equations() -> EquationSystem {
    EquationSystem::builder("oscillator")
        .parameter("k", 4.0)
        .parameter("c", 0.25)
        .parameter("x0", 1.0)
        .state("x", s("v"), s("x0"))
        .state(
            "v",
            -s("k") * s("x") - s("c") * s("v") + s("time").sin(),
            s("time"),
        )
        .output("energy", 0.5 * (s("k") * s("x") * s("x") + s("v") * s("v")))
        .output("x", s("x"))
        .output("v", s("v"))
        .build()
        .unwrap()
}

fn member(i: usize) -> ([f64; 3], f64, [f64; 2]) {
    let i = f64::from(u32::try_from(i).unwrap());
    (
        [1.0 + i, 0.1 / (1.0 + i), i],
        0.3 * i,
        [1.0 / (1.0 + i), i.sqrt()],
    )
}

/// Start, derivatives and outputs of sixteen members, `W` at a time.
fn bits<const W: usize>(system: &impl HybridSystem, level: Level) -> Vec<Vec<u64>> {
    let mut workspace = system.workspace::<W>(level);
    let mut results = Vec::new();
    for first in (0..16).step_by(W) {
        let (mut t, mut x) = ([0.0; W], [[0.0; W]; 2]);
        let mut starts = [[0.0; 2]; W];
        for lane in 0..W {
            let (parameters, own_t, own_x) = member(first + lane);
            system.set_parameters(&mut workspace, lane, &parameters);
            system.initial_state(&mut workspace, own_t, &parameters, &mut starts[lane]);
            (t[lane], x[0][lane], x[1][lane]) = (own_t, own_x[0], own_x[1]);
        }
        let (mut dx, mut y) = ([[0.0; W]; 2], [[0.0; W]; 3]);
        system.derivatives(&mut workspace, &t, &x, &mut dx);
        system.outputs(&mut workspace, &t, &x, &mut y);
        for lane in 0..W {
            let values = starts[lane]
                .into_iter()
                .chain(dx.map(|d| d[lane]))
                .chain(y.map(|y| y[lane]));
            results.push(values.map(f64::to_bits).collect());
        }
    }
    results
}

#[test]
fn every_width_and_level_gives_the_same_bits_in_both_forms() {
    let by_hand = ScalarLanes(Oscillator::new());
    let tape = equations().compile().unwrap();
    let expected = bits::<1>(&by_hand, Level::Baseline);
    assert_eq!(expected.len(), 16, "one row per member");
    assert_eq!(bits::<2>(&by_hand, Level::Baseline), expected, "two lanes");
    assert_eq!(
        bits::<16>(&by_hand, Level::detect()),
        expected,
        "sixteen lanes"
    );
    for level in Level::available() {
        assert_eq!(
            bits::<1>(&tape, level),
            expected,
            "tape, one lane, {}",
            level.name()
        );
        assert_eq!(
            bits::<4>(&tape, level),
            expected,
            "tape, four lanes, {}",
            level.name()
        );
        assert_eq!(
            bits::<16>(&tape, level),
            expected,
            "tape, sixteen lanes, {}",
            level.name()
        );
    }
    assert_eq!(by_hand.schema(), tape.schema(), "the same names");
    for output in 0..3 {
        assert_eq!(
            by_hand.output_state(output),
            tape.output_state(output),
            "output {output}"
        );
    }
}

#[test]
fn a_new_workspace_has_the_default_parameters_in_every_lane() {
    let system = ScalarLanes(Oscillator::new());
    let mut workspace = system.workspace::<3>(Level::Baseline);
    let mut dx = [[0.0; 3]; 2];
    system.derivatives(&mut workspace, &[0.0; 3], &[[1.0; 3], [0.0; 3]], &mut dx);
    assert_eq!(dx[1], [-4.0; 3], "-k x");
    assert_eq!(
        system.workspace_footprint(3).peak(),
        8 * (3 * 3 + 2 + 3),
        "vectors of the workspace"
    );
}

#[test]
fn schemas_refuse_duplicates_and_missing_numbers() {
    let none: [&str; 0] = [];
    let error = Schema::new("s", ["x", "x"], [("p", 1.0)], none).unwrap_err();
    let expected = SchemaError::Duplicate {
        system: "s".to_owned(),
        what: "state",
        name: "x".to_owned(),
    };
    assert_eq!(error, expected, "duplicate state");
    let error = Schema::new("s", ["x"], [("p", f64::NAN)], none).unwrap_err();
    let expected = SchemaError::Default {
        system: "s".to_owned(),
        parameter: "p".to_owned(),
    };
    assert_eq!(error, expected, "NaN");
    Schema::new("s", ["x"], [("x", 1.0)], ["x"]).expect("groups have namespaces of their own");
}
