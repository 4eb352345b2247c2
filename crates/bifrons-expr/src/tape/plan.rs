//! Which nodes are computed when, and by which instruction.

use crate::external::Positions;
use crate::graph::{FlatHead, Graph};
use crate::node::{NONE, position};
use crate::tape::code::Code;
use crate::tape::fuse::{Fuser, Pick};

/// What a node depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Constant,
    Parameter,
    Variable,
}

/// Instructions of both parts; operands are still nodes.
pub(crate) struct Plan {
    /// Depends on parameters only.
    pub(crate) prologue: Vec<(u32, Pick)>,
    /// Depends on variables.
    pub(crate) main: Vec<(u32, Pick)>,
}

impl Plan {
    /// Operands of the instructions of a part, absent ones left out.
    pub(crate) fn operands<'a>(
        graph: &'a Graph,
        part: &'a [(u32, Pick)],
    ) -> impl Iterator<Item = u32> + 'a {
        part.iter().flat_map(|(id, pick)| {
            let operands = operands(graph, *id, pick);
            (0..operands.len()).map(move |k| operands.as_slice()[k])
        })
    }

    pub(crate) fn new(graph: &Graph, parameters: &[u32], outputs: &[u32]) -> Self {
        let stages = stages(graph, parameters);
        let absorbable = absorbable(graph, &stages, outputs);
        let fuser = Fuser {
            graph,
            absorbable: &absorbable,
        };
        let mut needed = vec![false; graph.nodes.len()];
        for output in outputs {
            needed[*output as usize] = true;
        }
        let (mut prologue, mut main) = (vec![], vec![]);
        for id in (0..graph.nodes.len()).rev() {
            let pick = if needed[id] {
                fuser.pick(position(id))
            } else {
                None
            };
            let Some(pick) = pick else { continue };
            for operand in operands(graph, position(id), &pick).as_slice() {
                needed[*operand as usize] = true;
            }
            let stage = if stages[id] == Stage::Variable {
                &mut main
            } else {
                &mut prologue
            };
            stage.push((position(id), pick));
        }
        prologue.reverse();
        main.reverse();
        Self { prologue, main }
    }
}

/// Operands of one instruction: those of its pick, for a call its arguments.
pub(crate) fn operands(graph: &Graph, id: u32, pick: &Pick) -> Positions {
    let node = graph.nodes[id as usize];
    match graph.call(node.operands) {
        Some((_, arguments)) if pick.code == Code::Call => arguments,
        _ => Positions::of(pick.operands),
    }
}

fn stages(graph: &Graph, parameters: &[u32]) -> Vec<Stage> {
    let mut stages = vec![Stage::Variable; graph.nodes.len()];
    for parameter in parameters {
        stages[*parameter as usize] = Stage::Parameter;
    }
    for (id, node) in graph.nodes.iter().enumerate() {
        match node.head {
            FlatHead::Constant(_) | FlatHead::Function(_) => stages[id] = Stage::Constant,
            FlatHead::Symbol(_) => {}
            FlatHead::Op(_) => {
                let operands = node.operands.iter().filter(|operand| **operand != NONE);
                let latest = operands.map(|operand| stages[*operand as usize]).max();
                stages[id] = latest.unwrap_or(Stage::Constant);
            }
        }
    }
    stages
}

/// Nodes with a single user of their own stage, which are no outputs.
fn absorbable(graph: &Graph, stages: &[Stage], outputs: &[u32]) -> Vec<bool> {
    let needed = graph.reachable(outputs);
    let mut uses = vec![0_u32; graph.nodes.len()];
    for output in outputs {
        uses[*output as usize] = 2;
    }
    for (id, node) in graph.nodes.iter().enumerate().filter(|(id, _)| needed[*id]) {
        for operand in node.operands.into_iter().filter(|operand| *operand != NONE) {
            let weight = if stages[operand as usize] == stages[id] {
                1
            } else {
                2
            };
            let count = &mut uses[operand as usize];
            *count = count.saturating_add(weight);
        }
    }
    uses.iter().map(|count| *count == 1).collect()
}
