//! The order of evaluation of nodes that do not depend on each other.

use super::net::{Net, Node};
use crate::diagram::narrow;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mark {
    New,
    /// On the path from the start of the search.
    Open,
    Done,
}

/// The aliases and equations, each after what it is computed from; `None` if there are loops.
///
/// The order is that of the strong components of [`Net::dependencies`], each of which is one node.
/// Only a net with loops needs that graph and the four lists of the search for its components.
///
/// Cost: linear in nodes and edges, five bytes per node and eight per node of the longest path; no
/// recursion.
pub(super) fn without_loops(net: &Net<'_>) -> Option<Vec<u32>> {
    let computed = |node: usize| matches!(net.nodes[node], Node::Alias(_) | Node::Equation);
    sort(net.nodes.len(), computed, |node, place| {
        net.dependency(node, place)
    })
}

/// The nodes that are `computed`, in the order in which a depth-first search from every node in
/// turn leaves them; `None` if it meets a node of its path again. Other nodes have no dependencies.
fn sort(
    count: usize,
    computed: impl Fn(usize) -> bool,
    dependency: impl Fn(usize, usize) -> Option<usize>,
) -> Option<Vec<u32>> {
    let mut marks = vec![Mark::New; count];
    let mut order = Vec::with_capacity((0..count).filter(|&node| computed(node)).count());
    let mut path: Vec<(u32, u32)> = Vec::new();
    for (root, start) in (0..count).zip(0_u32..) {
        if marks[root] != Mark::New || !computed(root) {
            continue;
        }
        marks[root] = Mark::Open;
        path.push((start, 0));
        while let Some((node, place)) = path.last_mut() {
            let Some(next) = dependency(*node as usize, *place as usize) else {
                marks[*node as usize] = Mark::Done;
                order.push(*node);
                path.pop();
                continue;
            };
            *place += 1;
            match marks[next] {
                Mark::Open => return None,
                Mark::New if computed(next) => {
                    marks[next] = Mark::Open;
                    path.push((narrow(next), 0));
                }
                Mark::New | Mark::Done => {}
            }
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::graph::Digraph;
    use proptest::prelude::*;

    /// The same by strong components: the slow way.
    fn by_components(graph: &Digraph) -> Option<Vec<u32>> {
        let mut order = Vec::new();
        for component in graph.strong_components().iter() {
            let [node] = component else { return None };
            let successors = graph.successors(*node);
            if successors.contains(node) {
                return None;
            }
            if !successors.is_empty() {
                order.extend(u32::try_from(*node));
            }
        }
        Some(order)
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_strong_components(
            rank in Just((0..30_usize).collect::<Vec<_>>()).prop_shuffle(),
            edges in prop::collection::vec((0..30_usize, 0..30_usize), 0..60),
            acyclic in prop::bool::weighted(0.8),
        ) {
            let falls = |&(from, to): &(usize, usize)| !acyclic || rank[from] > rank[to];
            let edges: Vec<(usize, usize)> = edges.into_iter().filter(falls).collect();
            let graph = Digraph::from_edges(30, &edges);
            let computed = |node: usize| !graph.successors(node).is_empty();
            let found = sort(30, computed, |node, place| graph.successors(node).get(place).copied());
            if acyclic {
                prop_assert!(found.is_some(), "no loops among {edges:?}");
            }
            prop_assert_eq!(found, by_components(&graph));
        }
    }
}
