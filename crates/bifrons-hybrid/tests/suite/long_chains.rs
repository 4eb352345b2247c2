//! Very many blocks and very deep nesting on a thread with 2 MiB of stack.
#![expect(clippy::float_cmp, reason = "sums of small integers are exact")]

use std::sync::Arc;
use std::thread;

use crate::blocks::{constant, function, increment, integrator, outputs, s, sum};
use bifrons_hybrid::{BlockSpec, Diagram, DiagramBuilder, EquationError, HybridSystem};
use bifrons_lanes::Level;

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

/// Outputs of two members of an ensemble that differ in the first parameter.
fn sweep_of_two(diagram: &Diagram) -> [f64; 2] {
    let system = diagram.flatten().unwrap().compile().unwrap();
    let mut workspace = system.workspace::<2>(Level::detect());
    let mut parameters = system.schema().defaults().to_vec();
    parameters[0] = 5.0;
    system.set_parameters(&mut workspace, 1, &parameters);
    let mut y = [[0.0; 2]];
    let x = vec![[0.0; 2]; system.schema().state_count()];
    system.outputs(&mut workspace, &[0.0; 2], &x, &mut y);
    y[0]
}

#[test]
fn a_chain_of_a_hundred_thousand_blocks_builds_runs_and_drops() {
    on_a_small_stack(|| {
        let mut builder = DiagramBuilder::new("chain");
        let mut last = builder.add("source", constant(0.0)).unwrap();
        let block = Arc::new(increment());
        for index in 0..100_000 {
            let next = builder
                .add(format!("block{index}"), Arc::clone(&block))
                .unwrap();
            builder.connect(last.output("y"), next.input("u")).unwrap();
            last = next;
        }
        builder.export_output("y", last.output("y")).unwrap();
        let diagram = builder.build().unwrap();
        let copy = diagram.clone();
        drop(diagram);
        assert_eq!(copy.block_count(), 100_001, "all blocks");
        assert_eq!(
            sweep_of_two(&copy),
            [100_000.0, 100_005.0],
            "one more per block"
        );
    });
}

#[test]
fn a_loop_at_the_tail_names_only_its_own_blocks() {
    on_a_small_stack(|| {
        let mut builder = DiagramBuilder::new("chain");
        let mut last = builder.add("source", constant(0.0)).unwrap();
        let mut adder = None;
        for index in 0..20_000 {
            if index == 19_991 {
                let add = builder.add("adder", sum('+')).unwrap();
                builder.connect(last.output("y"), add.input("u1")).unwrap();
                last = add.clone();
                adder = Some(add);
            }
            let block = function(s("u") + 1.0);
            let next = builder.add(format!("block{index}"), block).unwrap();
            builder.connect(last.output("y"), next.input("u")).unwrap();
            last = next;
        }
        builder
            .connect(last.output("y"), adder.unwrap().input("u2"))
            .unwrap();
        let error = builder.build().unwrap().flatten().unwrap_err();
        let EquationError::AlgebraicLoop(algebraic) = &error else {
            panic!("{error}")
        };
        assert_eq!(algebraic.port_count, 20, "two ports of ten blocks");
        let text = error.to_string();
        for index in 19_991..20_000 {
            assert!(
                text.contains(&format!("block{index}.y")),
                "block{index} in {text}"
            );
        }
        assert!(
            text.contains("`adder.y -> block19991.u"),
            "from the adder in {text}"
        );
        assert!(
            text.contains("block19999.y -> adder.u2`"),
            "to the adder in {text}"
        );
        assert!(
            !text.contains("block19990."),
            "nothing before the loop in {text}"
        );
    });
}

/// Depth 2000, each level adds one to what its inner diagram gives.
#[test]
fn nesting_of_depth_two_thousand_builds_runs_and_drops() {
    on_a_small_stack(|| {
        let mut diagram = {
            let mut builder = DiagramBuilder::new("core");
            let x = builder.add("x", integrator(3.0)).unwrap();
            builder.export_input("u", x.input("u")).unwrap();
            builder.export_output("y", x.output("y")).unwrap();
            builder.build().unwrap()
        };
        for _ in 1..2000 {
            let mut builder = DiagramBuilder::new("level");
            let inner = builder.add("d", diagram).unwrap();
            let add = builder.add("a", increment()).unwrap();
            builder.export_input("u", inner.input("u")).unwrap();
            builder.connect(inner.output("y"), add.input("u")).unwrap();
            builder.export_output("y", add.output("y")).unwrap();
            diagram = builder.build().unwrap();
        }
        assert_eq!(diagram.depth(), 2000, "depth");
        assert!(
            format!("{diagram:?}").len() < 200,
            "printing does not descend"
        );
        assert_eq!(
            diagram.feedthrough("u", "y"),
            Ok(false),
            "the state at the core is between"
        );
        let mut root = DiagramBuilder::new("root");
        let part = root.add("part", diagram.clone()).unwrap();
        root.constant(part.input("u"), 0.5).unwrap();
        root.export_output("y", part.output("y")).unwrap();
        let system = root.build().unwrap().flatten().unwrap().compile().unwrap();
        assert_eq!(outputs(&system, 0.0, &[3.0]), [2002.0], "3 + 1999");
        assert_eq!(
            crate::blocks::derivatives(&system, 0.0, &[3.0]),
            [0.5],
            "the input reaches the core"
        );
    });
}

/// A builder that fails half-way also lets go of what it holds without recursion.
#[test]
fn a_dropped_builder_takes_deep_diagrams_apart() {
    on_a_small_stack(|| {
        let mut diagram = DiagramBuilder::new("core").build().unwrap();
        for _ in 0..50_000 {
            let mut builder = DiagramBuilder::new("level");
            builder.add("d", diagram).unwrap();
            diagram = builder.build().unwrap();
        }
        let mut builder = DiagramBuilder::new("top");
        builder.add("d", diagram).unwrap();
        drop(builder.clone());
        drop(builder);
    });
}

#[test]
fn a_hundred_thousand_definitions_of_one_block_are_sorted() {
    on_a_small_stack(|| {
        let count = 100_000;
        let mut block = BlockSpec::builder("Long").input("u");
        // Declared backwards: each uses the next one.
        for index in 0..count {
            let next = if index + 1 < count {
                format!("v{}", index + 1)
            } else {
                "u".to_owned()
            };
            block = block.definition(format!("v{index}"), s(&next) + 1.0);
        }
        let block = block.output("y", s("v0")).build().unwrap();
        assert_eq!(
            block.feedthrough("u", "y"),
            Ok(true),
            "through all definitions"
        );
        let mut builder = DiagramBuilder::new("root");
        let long = builder.add("long", block).unwrap();
        builder.constant(long.input("u"), 0.0).unwrap();
        builder.export_output("y", long.output("y")).unwrap();
        let diagram = builder.build().unwrap();
        assert_eq!(sweep_of_two(&diagram), [100_000.0, 100_005.0], "sum");
    });
}
