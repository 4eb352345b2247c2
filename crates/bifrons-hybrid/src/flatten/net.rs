//! All blocks of a diagram at every level, and the nodes that their ports and quantities are.

use crate::block::{BlockSpec, Part, Role};
use crate::diagram::{Content, Diagram, Source, narrow};
use crate::graph::Digraph;

/// A diagram with its nested diagrams unfolded.
///
/// Nodes are numbered block by block in the order of a depth-first walk; the nodes of a block are
/// its locals, those of a diagram its exported inputs followed by its exported outputs. The root
/// comes first, so that its input `i` is node `i`.
pub(super) struct Net<'d> {
    instances: Vec<Instance<'d>>,
    /// Instance of each member of each diagram instance.
    children: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    /// Instance of each node.
    owners: Vec<u32>,
    root: &'d str,
}

struct Instance<'d> {
    /// Instance of the diagram that it is a member of, and which of its members it is; without a
    /// meaning for the root.
    parent: u32,
    member: u32,
    first_node: u32,
    first_child: u32,
    body: Body<'d>,
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
    Alias(u32),
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
            root: diagram.name(),
        };
        let mut open = vec![(0, 0, Body::Diagram(&diagram.0))];
        while let Some((parent, member, body)) = open.pop() {
            let index = narrow(net.instances.len());
            if index > 0 {
                let siblings = net.instances[parent as usize].first_child;
                net.children[(siblings + member) as usize] = index;
            }
            let (first_node, first_child) = (net.nodes.len(), net.children.len());
            net.instances.push(Instance {
                parent,
                member,
                first_node: narrow(first_node),
                first_child: narrow(first_child),
                body,
            });
            match body {
                Body::Block(block) => net.add_block(block),
                Body::Diagram(content) => {
                    let exports = content.inputs.len() + content.outputs.len();
                    net.nodes.resize(first_node + exports, Node::Input);
                    net.children.resize(first_child + content.members.len(), 0);
                    for (position, member) in content.members.iter().enumerate().rev() {
                        open.push((index, narrow(position), Body::of(&member.part)));
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
                    (Some(_), &[target]) => Node::Alias(narrow(first + target)),
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
        let (first_node, first_child) = (first_node as usize, first_child as usize);
        for (position, member) in content.members.iter().enumerate() {
            let child = self.children[first_child + position] as usize;
            for (input, source) in content.sources_of(member).iter().enumerate() {
                let node = self.input_node(child, input);
                self.nodes[node] = match *source {
                    Source::Wire { member, output } => {
                        let from = self.children[first_child + member as usize] as usize;
                        Node::Alias(narrow(self.output_node(from, output as usize)))
                    }
                    Source::Exported { input } => Node::Alias(narrow(first_node + input as usize)),
                    Source::Constant(value) => Node::Parameter(value),
                    Source::Open => self.default_of(child, input),
                };
            }
        }
        for (position, output) in content.outputs.iter().enumerate() {
            let from = self.children[first_child + output.member] as usize;
            let node = first_node + content.inputs.len() + position;
            self.nodes[node] = Node::Alias(narrow(self.output_node(from, output.output)));
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
        let instance = &self.instances[instance];
        let first_node = instance.first_node as usize;
        match instance.body {
            Body::Block(block) => first_node + block.form.inputs[input],
            Body::Diagram(_) => first_node + input,
        }
    }

    fn output_node(&self, instance: usize, output: usize) -> usize {
        let instance = &self.instances[instance];
        let first_node = instance.first_node as usize;
        match instance.body {
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
        self.root
    }

    /// Edges from each node to those that it is computed from.
    pub(super) fn dependencies(&self) -> Digraph {
        let mut graph = Digraph::with_capacity(self.nodes.len(), self.nodes.len());
        for node in 0..self.nodes.len() {
            graph.push_node((0..).map_while(|edge| self.dependency(node, edge)));
        }
        graph
    }

    /// The node at a place in the list of those that a node is computed from.
    pub(super) fn dependency(&self, node: usize, place: usize) -> Option<usize> {
        match self.nodes[node] {
            Node::Alias(target) => (place == 0).then_some(target as usize),
            Node::Equation => {
                let instance = self.owner(node);
                let Body::Block(block) = instance.body else {
                    return None;
                };
                let first = instance.first_node as usize;
                match &block.form.locals[node - first].role {
                    Role::Equation { uses, .. } => uses.get(place).map(|local| first + local),
                    _ => None,
                }
            }
            Node::Input | Node::Parameter(_) | Node::State | Node::Discrete => None,
        }
    }

    /// Role of the local that a node of a block is.
    pub(super) fn role(&self, node: usize) -> Option<&'d Role> {
        let instance = self.owner(node);
        match instance.body {
            Body::Block(block) => {
                Some(&block.form.locals[node - instance.first_node as usize].role)
            }
            Body::Diagram(_) => None,
        }
    }

    /// The node of another local of the block that owns `node`.
    pub(super) fn sibling(&self, node: usize, name: &str) -> Option<usize> {
        let instance = self.owner(node);
        match instance.body {
            Body::Block(block) => block
                .find(name)
                .map(|local| instance.first_node as usize + local),
            Body::Diagram(_) => None,
        }
    }

    /// Every block with its first node.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, &'d BlockSpec)> {
        self.instances
            .iter()
            .filter_map(|instance| match instance.body {
                Body::Block(block) => Some((instance.first_node as usize, block)),
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

    /// Writes the path into `path`; `levels` is a buffer.
    pub(super) fn write_path(&self, node: usize, path: &mut String, levels: &mut Vec<&'d str>) {
        let instance = self.owner(node);
        self.write_levels(instance, path, levels);
        let local = node - instance.first_node as usize;
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
        while !std::ptr::eq(current, &self.instances[0]) {
            let parent = &self.instances[current.parent as usize];
            if let Body::Diagram(content) = parent.body {
                levels.push(&content.members[current.member as usize].name);
            }
            current = parent;
        }
        path.clear();
        for level in levels.drain(..).rev() {
            path.push_str(level);
            path.push('.');
        }
    }

    fn owner(&self, node: usize) -> &Instance<'d> {
        &self.instances[self.owners[node] as usize]
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
