//! A test bench: one block with constants at its inputs and all outputs exported.

use bifrons_hybrid::{Block, BlockError, DiagramBuilder, DiagramError, HybridSystem, TapeSystem};
use bifrons_lanes::Level;

pub(crate) struct Bench {
    pub(crate) system: TapeSystem,
}

impl Bench {
    /// The block is called `block`; its inputs get the constants in order.
    pub(crate) fn new(block: impl Block, inputs: &[f64]) -> Self {
        let component = block.into_component().unwrap();
        let names: Vec<String> = component.input_names().map(str::to_owned).collect();
        let outputs: Vec<String> = component.output_names().map(str::to_owned).collect();
        assert_eq!(names.len(), inputs.len(), "one constant per input");
        let mut builder = DiagramBuilder::new("bench");
        let block = builder.add("block", component).unwrap();
        for (name, value) in names.iter().zip(inputs) {
            builder.constant(block.input(name), *value).unwrap();
        }
        for name in &outputs {
            builder
                .export_output(name.as_str(), block.output(name))
                .unwrap();
        }
        let system = builder
            .build()
            .unwrap()
            .flatten()
            .unwrap()
            .compile()
            .unwrap();
        Self { system }
    }

    pub(crate) fn start(&self) -> Vec<f64> {
        let mut workspace = self.system.workspace::<1>(Level::Baseline);
        let schema = self.system.schema();
        let mut state = vec![f64::NAN; schema.state_count()];
        self.system
            .initial_state(&mut workspace, 0.0, schema.defaults(), &mut state);
        state
    }

    pub(crate) fn outputs(&self, t: f64, state: &[f64]) -> Vec<f64> {
        let mut workspace = self.system.workspace::<1>(Level::Baseline);
        let x: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let mut y = vec![[f64::NAN]; self.system.schema().output_count()];
        self.system.outputs(&mut workspace, &[t], &x, &mut y);
        y.into_iter().map(|[y]| y).collect()
    }

    pub(crate) fn derivatives(&self, t: f64, state: &[f64]) -> Vec<f64> {
        let mut workspace = self.system.workspace::<1>(Level::Baseline);
        let x: Vec<[f64; 1]> = state.iter().map(|x| [*x]).collect();
        let mut dx = vec![[f64::NAN]; state.len()];
        self.system.derivatives(&mut workspace, &[t], &x, &mut dx);
        dx.into_iter().map(|[dx]| dx).collect()
    }

    pub(crate) fn parameter_names(&self) -> Vec<&str> {
        self.system.schema().parameter_names().collect()
    }
}

/// The only output of a block without states.
pub(crate) fn value(block: impl Block, inputs: &[f64]) -> f64 {
    value_at(0.0, block, inputs)
}

/// The same at a time.
pub(crate) fn value_at(t: f64, block: impl Block, inputs: &[f64]) -> f64 {
    let bench = Bench::new(block, inputs);
    assert_eq!(bench.system.schema().state_count(), 0, "no states");
    match bench.outputs(t, &[])[..] {
        [y] => y,
        ref other => panic!("one output expected, got {other:?}"),
    }
}

/// What a block says when it is added to a diagram.
pub(crate) fn refusal(block: impl Block) -> BlockError {
    match DiagramBuilder::new("bench")
        .add("block", block)
        .unwrap_err()
    {
        DiagramError::Block { source, .. } => *source,
        other => panic!("variant: {other}"),
    }
}
