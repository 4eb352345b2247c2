//! The nodes below a node.

use crate::graph::Graph;
use crate::node::NONE;

/// Finds the nodes below one root after the other, each in time proportional to their number.
pub(crate) struct Cones {
    /// Number of the last root that met a node.
    met: Vec<u32>,
    count: u32,
    stack: Vec<u32>,
}

impl Cones {
    pub(crate) fn new(graph: &Graph) -> Self {
        Self {
            met: vec![0; graph.nodes.len()],
            count: 0,
            stack: vec![],
        }
    }

    /// `root` and all nodes below it, operands first.
    pub(crate) fn below(&mut self, graph: &Graph, root: u32) -> Vec<u32> {
        self.below_all(graph, &[root])
    }

    /// The roots and all nodes below them, operands first; the graph may have grown.
    pub(crate) fn below_all(&mut self, graph: &Graph, roots: &[u32]) -> Vec<u32> {
        self.met.resize(graph.nodes.len(), 0);
        self.count += 1;
        let mut cone = vec![];
        self.stack.extend(roots);
        while let Some(id) = self.stack.pop() {
            let met = &mut self.met[id as usize];
            if *met == self.count {
                continue;
            }
            *met = self.count;
            cone.push(id);
            let operands = graph.nodes[id as usize].operands;
            self.stack
                .extend(operands.into_iter().filter(|operand| *operand != NONE));
        }
        cone.sort_unstable();
        cone
    }
}
