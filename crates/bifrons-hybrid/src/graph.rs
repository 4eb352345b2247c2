//! Directed graphs in compressed rows and their strong components.

/// Directed graph over the nodes `0..node_count`, stored as compressed rows.
///
/// Parallel edges and self-loops are kept. Memory: one `usize` per edge and per node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digraph {
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl Digraph {
    /// Collects edges `(from, to)`; the successors of a node keep the order of the edges.
    ///
    /// Edges with an end outside `0..node_count` are left out. Cost: linear in nodes and edges.
    #[must_use]
    pub fn from_edges(node_count: usize, edges: &[(usize, usize)]) -> Self {
        let inside = || {
            edges
                .iter()
                .filter(|(from, to)| *from < node_count && *to < node_count)
        };
        let mut starts = vec![0; node_count + 1];
        for (from, _) in inside() {
            starts[from + 1] += 1;
        }
        for node in 0..node_count {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; starts[node_count]];
        for (from, to) in inside() {
            targets[next[*from]] = *to;
            next[*from] += 1;
        }
        Self { starts, targets }
    }

    /// A graph without nodes, with room for some nodes and edges.
    pub(crate) fn with_capacity(nodes: usize, edges: usize) -> Self {
        let mut starts = Vec::with_capacity(nodes + 1);
        starts.push(0);
        Self {
            starts,
            targets: Vec::with_capacity(edges),
        }
    }

    /// Adds the next node with its successors, each of which must be a node in the end.
    pub(crate) fn push_node(&mut self, successors: impl IntoIterator<Item = usize>) {
        self.targets.extend(successors);
        self.starts.push(self.targets.len());
    }

    /// Number of nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// Ends of the edges that leave `node`; empty for a node outside the graph.
    #[must_use]
    pub fn successors(&self, node: usize) -> &[usize] {
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(&start), Some(&end)) => &self.targets[start..end],
            _ => &[],
        }
    }

    /// Strong components, each after every component that it has an edge to.
    ///
    /// With edges from a quantity to what it depends on, the order is an order of evaluation.
    /// The nodes of one component are sorted. Cost: linear in nodes and edges; no recursion.
    ///
    /// # References
    ///
    /// R. Tarjan (1972), *Depth-first search and linear graph algorithms*, SIAM Journal on
    /// Computing 1(2), 146–160, with an explicit stack in place of the recursion.
    #[must_use]
    pub fn strong_components(&self) -> StrongComponents {
        Search::new(self).run()
    }

    /// A shortest cycle through `node` that stays among the nodes for which `within` holds.
    ///
    /// The result starts with `node` and follows the edges; `None` if there is no such cycle.
    /// Cost: linear in the nodes and edges of the part that is searched, plus one `usize` per node.
    #[must_use]
    pub fn cycle_through(&self, node: usize, within: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        const UNSEEN: usize = usize::MAX;
        let mut reached_from = vec![UNSEEN; self.node_count()];
        let mut queue = vec![node];
        let mut head = 0;
        while head < queue.len() {
            let current = queue[head];
            head += 1;
            for &next in self.successors(current) {
                if next == node {
                    let mut cycle = vec![current];
                    while let Some(&last) = cycle.last()
                        && last != node
                    {
                        cycle.push(reached_from[last]);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if reached_from[next] == UNSEEN && within(next) {
                    reached_from[next] = current;
                    queue.push(next);
                }
            }
        }
        None
    }
}

/// Strong components of a [`Digraph`], dependencies first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrongComponents {
    nodes: Vec<usize>,
    bounds: Vec<usize>,
}

impl StrongComponents {
    /// Number of components.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether the graph had no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The components as sorted lists of nodes, each after those that it has edges to.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.bounds
            .windows(2)
            .map(|bound| &self.nodes[bound[0]..bound[1]])
    }
}

const UNVISITED: usize = usize::MAX;
const FINISHED: usize = usize::MAX;

struct Search<'a> {
    graph: &'a Digraph,
    /// Order of discovery; `UNVISITED` before.
    index: Vec<usize>,
    /// Smallest index known to be reachable; `FINISHED` once the component is closed.
    low: Vec<usize>,
    /// Position of the next edge to follow from each node of the path.
    cursor: Vec<usize>,
    path: Vec<usize>,
    open: Vec<usize>,
    found: StrongComponents,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Digraph) -> Self {
        let count = graph.node_count();
        Self {
            graph,
            index: vec![UNVISITED; count],
            low: vec![0; count],
            cursor: graph.starts[..count].to_vec(),
            path: Vec::new(),
            open: Vec::new(),
            found: StrongComponents {
                nodes: Vec::with_capacity(count),
                bounds: vec![0],
            },
        }
    }

    fn run(mut self) -> StrongComponents {
        let mut discovered = 0;
        for root in 0..self.graph.node_count() {
            if self.index[root] == UNVISITED {
                self.discover(root, &mut discovered);
            }
            while let Some(&node) = self.path.last() {
                let Some(next) = self.follow(node) else {
                    self.leave(node);
                    continue;
                };
                if self.index[next] == UNVISITED {
                    self.discover(next, &mut discovered);
                } else if self.low[next] != FINISHED {
                    self.low[node] = self.low[node].min(self.index[next]);
                }
            }
        }
        self.found
    }

    fn discover(&mut self, node: usize, discovered: &mut usize) {
        self.index[node] = *discovered;
        self.low[node] = *discovered;
        *discovered += 1;
        self.path.push(node);
        self.open.push(node);
    }

    fn follow(&mut self, node: usize) -> Option<usize> {
        let position = self.cursor[node];
        if position == self.graph.starts[node + 1] {
            return None;
        }
        self.cursor[node] += 1;
        Some(self.graph.targets[position])
    }

    /// Closes the node on top of the path, and its component if it is the root of one.
    fn leave(&mut self, node: usize) {
        self.path.pop();
        if let Some(&parent) = self.path.last() {
            self.low[parent] = self.low[parent].min(self.low[node]);
        }
        if self.low[node] != self.index[node] {
            return;
        }
        let first = self.found.nodes.len();
        while let Some(member) = self.open.pop() {
            self.low[member] = FINISHED;
            self.found.nodes.push(member);
            if member == node {
                break;
            }
        }
        self.found.nodes[first..].sort_unstable();
        self.found.bounds.push(self.found.nodes.len());
    }
}
