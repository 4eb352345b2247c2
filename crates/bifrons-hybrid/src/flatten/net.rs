//! All blocks of a diagram at every level, and the nodes that their ports and quantities are.

use bifrons_expr::Symbol;

use crate::block::{BlockSpec, Part, Role};
use crate::diagram::{Content, Diagram, Source};
use crate::graph::Digraph;

/// A diagram with its nested diagrams unfolded.
///
/// Nodes are numbered block by block in the order of a depth-first walk; the nodes of a block are
/// its locals, those of a diagram its exported inputs followed by its exported outputs. The root
/// comes first, so that its input `i` is node `i`.
pub(super) struct Net<'d> {
    instances: Vec<Instance<'d>>,
    /// Instance of each member of each diagram instance.
    children: Vec<usize>,
    pub(super) nodes: Vec<Node>,
    /// Instance of each node.
    owners: Vec<usize>,
}

struct Instance<'d> {
    name: &'d str,
    parent: Option<usize>,
    body: Body<'d>,
    first_node: usize,
    first_child: usize,
}

#[derive(Clone, Copy)]
enum Body<'d> {
    Block(&'d BlockSpec),
    Diagram(&'d Content),
}

/// What a port or quantity is once everything is connected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    /// An input of the root without a value.
    Input,
    /// A parameter or an input with a constant.
    Parameter(f64),
    State,
    /// A discrete state.
    Discrete,
    /// The same as another node.
    Alias(usize),
    /// Defined by the equation of its local.
    Equation,
}

impl<'d> Net<'d> {
    /// Unfolds and connects; where `closed`, inputs of the root have their defaults.
    ///
    /// Cost: linear in blocks, ports and connections; no recursion.
    pub(super) fn expand(diagram: &'d Diagram, closed: bool) -> Self {
        let blocks = diagram.block_count().min(1 << 20) + 1;
        let mut net = Self {
            instances: Vec::with_capacity(blocks),
            children: Vec::with_capacity(blocks),
            nodes: Vec::with_capacity(2 * blocks),
            owners: Vec::with_capacity(2 * blocks),
        };
        let mut open = vec![(diagram.name(), None, Body::Diagram(&diagram.0))];
        while let Some((name, place, body)) = open.pop() {
            let index = net.instances.len();
            let parent = place.map(|(parent, slot): (usize, usize)| {
                net.children[slot] = index;
                parent
            });
            let (first_node, first_child) = (net.nodes.len(), net.children.len());
            net.instances.push(Instance {
                name,
                parent,
                body,
                first_node,
                first_child,
            });
            match body {
                Body::Block(block) => net.add_block(block),
                Body::Diagram(content) => {
                    let exports = content.inputs.len() + content.outputs.len();
                    net.nodes.resize(first_node + exports, Node::Input);
                    net.children.resize(first_child + content.members.len(), 0);
                    for (position, member) in content.members.iter().enumerate().rev() {
                        let place = Some((index, first_child + position));
                        open.push((&member.name, place, Body::of(&member.part)));
                    }
                }
            }
            net.owners.resize(net.nodes.len(), index);
        }
        for index in 0..net.instances.len() {
            net.connect(index);
        }
        if closed {
            net.default_root_inputs();
        }
        net
    }

    fn add_block(&mut self, block: &BlockSpec) {
        let first = self.nodes.len();
        self.nodes
            .extend(block.form.locals.iter().map(|local| match &local.role {
                Role::Input => Node::Input,
                Role::Parameter { default, .. } => Node::Parameter(block.defaults[*default]),
                Role::State { .. } => Node::State,
                Role::Discrete { .. } => Node::Discrete,
                Role::Equation { expression, uses } => match (expression.as_symbol(), &uses[..]) {
                    (Some(_), &[target]) => Node::Alias(first + target),
                    _ => Node::Equation,
                },
            }));
    }

    /// Points the inputs of the members of a diagram and its exported outputs to their sources.
    fn connect(&mut self, index: usize) {
        let Instance {
            body: Body::Diagram(content),
            first_node,
            first_child,
            ..
        } = self.instances[index]
        else {
            return;
        };
        for (position, member) in content.members.iter().enumerate() {
            let child = self.children[first_child + position];
            for (input, source) in member.sources.iter().enumerate() {
                let node = self.input_node(child, input);
                self.nodes[node] = match *source {
                    Source::Wire { member, output } => {
                        let from = self.children[first_child + member];
                        Node::Alias(self.output_node(from, output))
                    }
                    Source::Exported { input } => Node::Alias(first_node + input),
                    Source::Constant(value) => Node::Parameter(value),
                    Source::Open => self.default_of(child, input),
                };
            }
        }
        for (position, output) in content.outputs.iter().enumerate() {
            let from = self.children[first_child + output.member];
            let node = first_node + content.inputs.len() + position;
            self.nodes[node] = Node::Alias(self.output_node(from, output.output));
        }
    }

    fn default_root_inputs(&mut self) {
        if let Body::Diagram(content) = self.instances[0].body {
            for input in 0..content.inputs.len() {
                self.nodes[input] = self.default_of(0, input);
            }
        }
    }

    fn default_of(&self, instance: usize, input: usize) -> Node {
        match self.instances[instance].body {
            Body::Diagram(content) => content.inputs[input]
                .default
                .map_or(Node::Input, Node::Parameter),
            Body::Block(_) => Node::Input,
        }
    }

    fn input_node(&self, instance: usize, input: usize) -> usize {
        let Instance {
            body, first_node, ..
        } = &self.instances[instance];
        match body {
            Body::Block(block) => first_node + block.form.inputs[input],
            Body::Diagram(_) => first_node + input,
        }
    }

    fn output_node(&self, instance: usize, output: usize) -> usize {
        let Instance {
            body, first_node, ..
        } = &self.instances[instance];
        match body {
            Body::Block(block) => first_node + block.form.outputs[output],
            Body::Diagram(content) => first_node + content.inputs.len() + output,
        }
    }

    /// Node of an exported output of the root.
    pub(super) fn root_output(&self, output: usize) -> usize {
        self.output_node(0, output)
    }

    /// Name of the root.
    pub(super) fn name(&self) -> &str {
        self.instances[0].name
    }

    /// Edges from each node to those that it is computed from.
    pub(super) fn dependencies(&self) -> Digraph {
        let mut graph = Digraph::with_capacity(self.nodes.len(), self.nodes.len());
        for instance in &self.instances {
            let first = instance.first_node;
            let count = match instance.body {
                Body::Block(block) => block.form.locals.len(),
                Body::Diagram(content) => content.inputs.len() + content.outputs.len(),
            };
            for node in first..first + count {
                match (self.nodes[node], instance.body) {
                    (Node::Alias(target), _) => graph.push_node([target]),
                    (Node::Equation, Body::Block(block)) => {
                        let uses = match &block.form.locals[node - first].role {
                            Role::Equation { uses, .. } => &uses[..],
                            _ => &[],
                        };
                        graph.push_node(uses.iter().map(|&local| first + local));
                    }
                    _ => graph.push_node([]),
                }
            }
        }
        graph
    }

    /// Role of the local that a node of a block is.
    pub(super) fn role(&self, node: usize) -> Option<&'d Role> {
        let instance = self.owner(node);
        match instance.body {
            Body::Block(block) => Some(&block.form.locals[node - instance.first_node].role),
            Body::Diagram(_) => None,
        }
    }

    /// The node of another local of the block that owns `node`.
    pub(super) fn sibling(&self, node: usize, name: &str) -> Option<usize> {
        let instance = self.owner(node);
        match instance.body {
            Body::Block(block) => block.find(name).map(|local| instance.first_node + local),
            Body::Diagram(_) => None,
        }
    }

    /// Every block with its first node.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &'d BlockSpec)> {
        self.instances
            .iter()
            .filter_map(|instance| match instance.body {
                Body::Block(block) => Some((instance.first_node, block)),
                Body::Diagram(_) => None,
            })
    }

    /// Full path of a clock or guard of the block whose first node is `node`.
    pub(super) fn event_path(&self, node: usize, name: &str) -> String {
        let (mut path, mut levels) = (String::new(), Vec::new());
        self.write_levels(self.owner(node), &mut path, &mut levels);
        path.push_str(name);
        path
    }

    /// Full path of a node: `plant.gain.k`. The name of the root is left out.
    pub(super) fn path(&self, node: usize) -> String {
        let mut path = String::new();
        self.write_path(node, &mut path, &mut Vec::new());
        path
    }

    /// Symbols of the nodes that have a value of their own, not those that stand for another node.
    pub(super) fn symbols(&self) -> Vec<Option<Symbol>> {
        let (mut path, mut levels) = (String::new(), Vec::new());
        let name = |(node, kind): (usize, &Node)| match kind {
            Node::Alias(_) => None,
            Node::Input | Node::Parameter(_) | Node::State | Node::Discrete | Node::Equation => {
                self.write_path(node, &mut path, &mut levels);
                Some(Symbol::new(&path))
            }
        };
        self.nodes.iter().enumerate().map(name).collect()
    }

    /// Writes the path into `path`; `levels` is a buffer.
    fn write_path(&self, node: usize, path: &mut String, levels: &mut Vec<&'d str>) {
        let instance = self.owner(node);
        self.write_levels(instance, path, levels);
        let local = node - instance.first_node;
        path.push_str(match instance.body {
            Body::Block(block) => block.form.locals[local].symbol.name(),
            Body::Diagram(content) => match content.inputs.get(local) {
                Some(input) => &input.name,
                None => &content.outputs[local - content.inputs.len()].name,
            },
        });
    }

    /// Writes the path of an instance with a dot behind each level.
    fn write_levels(&self, instance: &Instance<'d>, path: &mut String, levels: &mut Vec<&'d str>) {
        let mut current = instance;
        while let Some(parent) = current.parent {
            levels.push(current.name);
            current = &self.instances[parent];
        }
        path.clear();
        for level in levels.drain(..).rev() {
            path.push_str(level);
            path.push('.');
        }
    }

    fn owner(&self, node: usize) -> &Instance<'d> {
        &self.instances[self.owners[node]]
    }
}

impl<'d> Body<'d> {
    fn of(part: &'d Part) -> Self {
        match part {
            Part::Block(block) => Self::Block(block),
            Part::Diagram(diagram) => Self::Diagram(&diagram.0),
        }
    }
}
