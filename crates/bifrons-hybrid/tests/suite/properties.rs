//! Random diagrams against a slow evaluation that follows the wires.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Symbol};
use bifrons_hybrid::{
    BlockSpec, Diagram, DiagramBuilder, EquationError, EquationSystem, HybridSystem,
};
use bifrons_lanes::Level;
use proptest::prelude::*;

use crate::blocks::s;

/// A block with two inputs, a state and two outputs, one of them without feedthrough of `u2`.
#[derive(Debug, Clone)]
struct Node {
    k: f64,
    x0: f64,
    /// Sources of both inputs: a node and one of its outputs.
    sources: [(usize, usize); 2],
}

fn spec(node: &Node) -> BlockSpec {
    BlockSpec::builder("Node")
        .input("u1")
        .input("u2")
        .parameter("k", node.k)
        .parameter("x0", node.x0)
        .definition("v", (s("u1") * s("k")).sin() + s("x"))
        .state("x", s("u2") - s("v") * s("time"), s("x0") * s("k"))
        .output("y1", s("v") - 0.5 * s("u2"))
        .output("y2", s("v") + s("x"))
        .build()
        .unwrap()
}

/// Networks whose inputs come from earlier nodes, and an order in which to add the nodes.
fn networks() -> impl Strategy<Value = (Vec<Node>, Vec<usize>)> {
    let node = |i: usize| {
        let source = (0..i.max(1), 0_usize..2);
        (0.1_f64..2.0, -1.0_f64..1.0, source.clone(), source).prop_map(|(k, x0, a, b)| Node {
            k,
            x0,
            sources: [a, b],
        })
    };
    (2_usize..9).prop_flat_map(move |count| {
        let nodes: Vec<_> = (1..count).map(node).collect();
        let order = Just((1..count).collect::<Vec<_>>()).prop_shuffle();
        (nodes, order)
    })
}

/// Node 0 is a source; the others are added in `order`.
fn diagram(nodes: &[Node], order: &[usize]) -> Diagram {
    let mut builder = DiagramBuilder::new("random");
    let source = BlockSpec::builder("Source")
        .parameter("value", 0.75)
        .output("y1", s("value"))
        .output("y2", s("value") * s("time"));
    builder.add("n0", source.build().unwrap()).unwrap();
    for &index in order {
        builder
            .add(format!("n{index}"), spec(&nodes[index - 1]))
            .unwrap();
    }
    for &index in order {
        for (input, (from, output)) in nodes[index - 1].sources.iter().enumerate() {
            let (from, to) = (
                format!("n{from}.y{}", output + 1),
                format!("n{index}.u{}", input + 1),
            );
            builder.connect(from.as_str(), to.as_str()).unwrap();
        }
        for output in ["y1", "y2"] {
            let (name, port) = (format!("n{index}_{output}"), format!("n{index}.{output}"));
            builder.export_output(name, port.as_str()).unwrap();
        }
    }
    builder.build().unwrap()
}

/// Values of the nodes in order of their numbers: outputs and derivative of each.
fn naive(nodes: &[Node], t: f64, states: &[f64]) -> Vec<[f64; 3]> {
    let value = |expression: Expr, at: &BTreeMap<&str, f64>| {
        expression
            .evaluate(&mut |symbol: &Symbol| at.get(symbol.name()).copied())
            .unwrap()
    };
    let mut rows = vec![[0.75, 0.75 * t, 0.0]];
    for (node, x) in nodes.iter().zip(states) {
        let [u1, u2] = node.sources.map(|(from, output)| rows[from][output]);
        let mut at = BTreeMap::from([
            ("u1", u1),
            ("u2", u2),
            ("k", node.k),
            ("x", *x),
            ("time", t),
        ]);
        let v = value((s("u1") * s("k")).sin() + s("x"), &at);
        at.insert("v", v);
        rows.push([
            value(s("v") - 0.5 * s("u2"), &at),
            value(s("v") + s("x"), &at),
            value(s("u2") - s("v") * s("time"), &at),
        ]);
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Flattened and compiled diagrams have the bits of following the wires by hand, whatever the
    /// order in which the blocks were added.
    #[test]
    fn compiled_diagrams_evaluate_like_their_wires(
        (nodes, order) in networks(),
        t in -2.0_f64..2.0,
        values in prop::collection::vec(-2.0_f64..2.0, 8),
    ) {
        let states = &values[..nodes.len()];
        let expected = naive(&nodes, t, states);
        let system = diagram(&nodes, &order).flatten().unwrap().compile().unwrap();
        let schema = system.schema();
        let mut workspace = system.workspace::<4>(Level::detect());
        let mut x = vec![[0.0; 4]; nodes.len()];
        for index in 1..=nodes.len() {
            x[schema.state(&format!("n{index}.x")).unwrap()] = [states[index - 1]; 4];
        }
        let (mut dx, mut y) = (vec![[0.0; 4]; nodes.len()], vec![[0.0; 4]; 2 * nodes.len()]);
        system.derivatives(&mut workspace, &[t; 4], &x, &mut dx);
        system.outputs(&mut workspace, &[t; 4], &x, &mut y);
        let mut start = vec![0.0; nodes.len()];
        system.initial_state(&mut workspace, t, schema.defaults(), &mut start);
        for (index, node) in nodes.iter().enumerate() {
            let row = expected[index + 1];
            let state = schema.state(&format!("n{}.x", index + 1)).unwrap();
            prop_assert_eq!(dx[state].map(f64::to_bits), [row[2].to_bits(); 4], "derivative");
            prop_assert_eq!(start[state].to_bits(), (node.x0 * node.k).to_bits(), "start");
            for (output, name) in ["y1", "y2"].into_iter().enumerate() {
                let found = y[schema.output(&format!("n{}_{name}", index + 1)).unwrap()];
                prop_assert_eq!(found.map(f64::to_bits), [row[output].to_bits(); 4], "{}", name);
            }
        }
    }

    /// A random linear network with any loops is solved, or refused by a typed error.
    #[test]
    fn linear_loops_satisfy_their_equations(
        weights in prop::collection::vec((0_usize..5, 0_usize..5, -0.9_f64..0.9), 1..8),
    ) {
        let count = 5;
        let own = |i: usize| f64::from(u32::try_from(i).unwrap()) + 1.0;
        let mut builder = EquationSystem::builder("network");
        for i in 0..count {
            let terms = weights.iter().filter(|(to, ..)| *to == i);
            let sum = terms.fold(Expr::constant(own(i)), |sum, (_, from, weight)| {
                sum + *weight * s(&format!("v{from}"))
            });
            builder = builder.definition(format!("v{i}"), sum).output(format!("v{i}"), s(&format!("v{i}")));
        }
        match builder.build() {
            Err(error) => prop_assert!(
                matches!(error, EquationError::AlgebraicLoop(_)), "{}", error
            ),
            Ok(system) => {
                let compiled = system.compile().unwrap();
                let v = crate::blocks::outputs(&compiled, 0.0, &[]);
                let largest = v.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
                for i in 0..count {
                    let terms = weights.iter().filter(|(to, ..)| *to == i);
                    let right = terms.fold(own(i), |sum, (_, from, weight)| {
                        sum + weight * v[*from]
                    });
                    let error = (v[i] - right).abs();
                    prop_assert!(error <= 1e-10 * largest, "v{}: {} for {}", i, v[i], right);
                }
            }
        }
    }
}

/// `z_i = b_i + x + 0.4 Σ a_ij sin(z_j)` with rows of `a` that add up to 1 at most in size.
fn contraction(a: &[Vec<f64>], b: &[f64]) -> EquationSystem {
    let mut builder = EquationSystem::builder("contraction").state("x", 0.0, 0.0);
    for (i, (row, b)) in a.iter().zip(b).enumerate() {
        let size: f64 = row.iter().map(|a| a.abs()).sum::<f64>().max(1.0);
        let sum = (0..row.len()).fold(*b + s("x"), |sum, j| {
            sum + 0.4 * (row[j] / size) * s(&format!("z{j}")).sin()
        });
        let name = format!("z{i}");
        builder = builder.definition(&name, sum).output(&name, s(&name));
    }
    builder.build().unwrap()
}

proptest! {
    /// Newton's method against 200 rounds of insertion.
    ///
    /// Insertion ends within `0.4^200` of the fixed point, apart from round-off of some units of
    /// the sum: eight additions of partial sums below 5.4 give 22 units, which the contraction
    /// multiplies by 1 / (1 - 0.4), in both methods, and sines that differ by a unit. Newton's
    /// last step is at most 1e-11 long, so that its end is off by round-off only.
    #[test]
    fn loops_are_solved_like_by_insertion(
        (a, b) in (1_usize..7).prop_flat_map(|n| (
            prop::collection::vec(prop::collection::vec(-1.0_f64..1.0, n), n),
            prop::collection::vec(-3.0_f64..3.0, n),
        )),
        x in -2.0_f64..2.0,
    ) {
        let system = contraction(&a, &b).compile().unwrap();
        let found = crate::blocks::outputs(&system, 0.0, &[x]);
        let mut z = vec![0.0_f64; b.len()];
        for _ in 0..200 {
            z = a.iter().zip(&b).map(|(row, b)| {
                let size: f64 = row.iter().map(|a| a.abs()).sum::<f64>().max(1.0);
                let terms = row.iter().zip(&z).map(|(a, z)| 0.4 * (a / size) * z.sin());
                b + x + terms.sum::<f64>()
            }).collect();
        }
        for (found, expected) in found.iter().zip(&z) {
            let bound = 256.0 * f64::EPSILON * (1.0 + expected.abs());
            prop_assert!((found - expected).abs() <= bound, "{found} for {expected}");
        }
    }
}
