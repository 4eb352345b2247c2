//! From a diagram to equations: every level of nesting at once.

mod net;
mod order;

use std::collections::BTreeMap;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use crate::algebraic::{self, Defaults, Known};
use crate::block::Role;
use crate::diagram::Diagram;
use crate::equations::{
    ContinuousState, Definition, DiscreteState, EquationSystem, GuardEquation, LoopEquations,
    Output, Parameter, Parts, Update, base_name, pre_symbol,
};
use crate::error::{EquationError, LoopKind};
use crate::event::{Clock, Trigger};
use crate::graph::Digraph;
use crate::range::ParameterRange;
use net::{Net, Node};

/// Whether the exported output depends on the exported input without a state between them.
pub(crate) fn depends(diagram: &Diagram, output: usize, input: usize) -> bool {
    let net = Net::expand(diagram, false);
    let graph = net.dependencies();
    let mut seen = vec![false; graph.node_count()];
    let mut open = vec![net.root_output(output)];
    while let Some(node) = open.pop() {
        if node == input {
            return true;
        }
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(graph.successors(node));
        }
    }
    false
}

/// The equations; where not `closed`, all exported inputs stay inputs, defaults or not.
pub(crate) fn flatten(diagram: &Diagram, closed: bool) -> Result<EquationSystem, EquationError> {
    let net = Net::expand(diagram, closed);
    let mut emitter = Emitter::new(&net);
    if let Some(order) = order::without_loops(&net) {
        for node in order {
            emitter.assign(node as usize);
        }
        return emitter.finish(diagram);
    }
    let graph = net.dependencies();
    for component in graph.strong_components().iter() {
        match component {
            [node] if !graph.successors(*node).contains(node) => emitter.assign(*node),
            members => emitter.solve(members, &graph)?,
        }
    }
    emitter.finish(diagram)
}

/// What happens at instants in all blocks.
#[derive(Default)]
struct Events {
    discretes: Vec<DiscreteState>,
    clocks: Vec<Clock>,
    guards: Vec<GuardEquation>,
    updates: Vec<Update>,
}

impl Events {
    /// Blocks with equal clocks share one, which has the name of the first.
    fn clock(&mut self, clock: &Clock, path: impl FnOnce() -> String) -> usize {
        let equal = |own: &Clock| own.period == clock.period && own.offset == clock.offset;
        self.clocks.iter().position(equal).unwrap_or_else(|| {
            let mut own = clock.clone();
            own.name = path().into();
            self.clocks.push(own);
            self.clocks.len() - 1
        })
    }
}

/// Turns nodes into symbols and equations, dependencies first.
struct Emitter<'n, 'd> {
    net: &'n Net<'d>,
    paths: Paths<'d>,
    /// What a user of the node reads: a symbol, or a constant. Nodes that stand for no other node
    /// have their own symbols.
    values: Vec<Option<Expr>>,
    parameters: Vec<Parameter>,
    inputs: Vec<Symbol>,
    definitions: Vec<Definition>,
    loops: Vec<LoopEquations>,
    defaults: Defaults,
    guesses: BTreeMap<Symbol, Expr>,
}

/// Buffers for the paths of nodes.
#[derive(Default)]
struct Paths<'d> {
    path: String,
    levels: Vec<&'d str>,
}

impl<'d> Paths<'d> {
    fn symbol(&mut self, net: &Net<'d>, node: usize) -> Symbol {
        net.write_path(node, &mut self.path, &mut self.levels);
        Symbol::new(&self.path)
    }
}

impl<'n, 'd> Emitter<'n, 'd> {
    /// Names the nodes; those that depend on nothing get their values.
    fn new(net: &'n Net<'d>) -> Self {
        let mut paths = Paths::default();
        let mut values = vec![None; net.nodes.len()];
        let count = |own: fn(&Node) -> bool| net.nodes.iter().filter(|node| own(node)).count();
        let parameter_count = count(|node| matches!(node, Node::Parameter(_)));
        let equation_count = count(|node| matches!(node, Node::Equation));
        let mut parameters = Vec::with_capacity(parameter_count);
        let mut inputs = Vec::new();
        for (node, kind) in net.nodes.iter().enumerate() {
            if matches!(kind, Node::Alias(_) | Node::Equation) {
                continue;
            }
            let symbol = paths.symbol(net, node);
            match *kind {
                Node::Alias(_) | Node::Equation | Node::State | Node::Discrete => {}
                Node::Input => inputs.push(symbol.clone()),
                Node::Parameter(default) => {
                    let range = match net.role(node) {
                        Some(Role::Parameter { range, .. }) => *range,
                        _ => ParameterRange::FINITE,
                    };
                    parameters.push(Parameter {
                        symbol: symbol.clone(),
                        default,
                        range,
                    });
                }
            }
            values[node] = Some(Expr::symbol(symbol));
        }
        let mut emitter = Self {
            net,
            paths,
            values,
            parameters,
            inputs,
            definitions: Vec::with_capacity(equation_count),
            loops: Vec::new(),
            defaults: Defaults::default(),
            guesses: BTreeMap::new(),
        };
        let mut guesses = BTreeMap::new();
        for (first, block) in net.blocks() {
            for (local, guess) in &block.form.guesses {
                let guess = emitter.globalise(first, guess);
                guesses.insert(emitter.symbol(first + local), guess);
            }
        }
        emitter.guesses = guesses;
        emitter
    }

    /// A node that depends on finished nodes only.
    fn assign(&mut self, node: usize) {
        match self.net.nodes[node] {
            Node::Alias(target) => self.values[node] = self.values[target as usize].clone(),
            Node::Equation => {
                let symbol = self.paths.symbol(self.net, node);
                let definition = self.define(node, symbol);
                self.values[node] = Some(Expr::symbol(&definition.symbol));
                self.definitions.push(definition);
            }
            Node::Input | Node::Parameter(_) | Node::State | Node::Discrete => {}
        }
    }

    /// Nodes that depend on each other.
    fn solve(&mut self, members: &[usize], graph: &Digraph) -> Result<(), EquationError> {
        let equations: Vec<usize> = members
            .iter()
            .copied()
            .filter(|&node| matches!(self.net.nodes[node], Node::Equation))
            .collect();
        if equations.is_empty() {
            let variable = self.net.path(members[0]);
            let kind = LoopKind::Singular { variable };
            return Err(self.unsolved(members, graph, members[0], kind));
        }
        for &node in &equations {
            self.values[node] = Some(Expr::symbol(self.symbol(node)));
        }
        self.resolve_aliases(members);
        let define = |&node: &usize| (node, self.define(node, self.symbol(node)));
        let mut unknowns: Vec<(usize, Definition)> = equations.iter().map(define).collect();
        unknowns.sort_by(|a, b| a.1.symbol.cmp(&b.1.symbol));
        let start = unknowns[0].0;
        let unknowns = unknowns.into_iter().map(|(_, unknown)| unknown).collect();
        let known = Known {
            default: &|symbol| self.defaults.get(&self.parameters, symbol),
            guess: &|symbol| self.guesses.get(symbol).cloned(),
        };
        match algebraic::solve(unknowns, &known) {
            Ok(solved) => {
                self.definitions.extend(solved.definitions);
                self.loops.extend(solved.equations);
                Ok(())
            }
            Err(kind) => Err(self.unsolved(members, graph, start, kind)),
        }
    }

    /// Gives each alias of a loop the symbol of the equation that it stands for.
    fn resolve_aliases(&mut self, members: &[usize]) {
        let mut chain = Vec::new();
        for &member in members {
            let mut node = member;
            while self.values[node].is_none()
                && let Node::Alias(target) = self.net.nodes[node]
            {
                chain.push(node);
                node = target as usize;
            }
            let value = self.values[node].clone();
            for alias in chain.drain(..) {
                self.values[alias].clone_from(&value);
            }
        }
    }

    fn unsolved(
        &self,
        members: &[usize],
        graph: &Digraph,
        start: usize,
        kind: LoopKind,
    ) -> EquationError {
        let (system, path) = (self.net.name(), |node| self.net.path(node));
        algebraic::report(system, graph, members, start, kind, path).into()
    }

    /// The equation of a node over global symbols.
    fn define(&self, node: usize, symbol: Symbol) -> Definition {
        let expression = match self.net.role(node) {
            Some(Role::Equation { expression, .. }) => self.globalise(node, expression),
            _ => Expr::constant(f64::NAN),
        };
        Definition { symbol, expression }
    }

    /// The symbol of a node by its own path, also of one that stands for another node.
    fn symbol(&self, node: usize) -> Symbol {
        let known = match self.net.nodes[node] {
            Node::Alias(_) => None,
            _ => self.values[node].as_ref().and_then(Expr::as_symbol),
        };
        known.map_or_else(|| Symbol::from(self.net.path(node)), Symbol::clone)
    }

    /// Replaces the local names of the block that owns `node`.
    fn globalise(&self, node: usize, expression: &Expr) -> Expr {
        expression.substitute(&mut |symbol| {
            let base = base_name(symbol.name());
            let value = self.values[self.net.sibling(node, base)?].clone()?;
            if base.len() == symbol.name().len() {
                return Some(value);
            }
            let before = value.as_symbol().map(pre_symbol);
            Some(before.map_or(value, Expr::symbol))
        })
    }

    /// Discrete states, clocks, guards and updates of all blocks.
    fn events(&self) -> Events {
        let mut events = Events::default();
        for (first, block) in self.net.blocks() {
            for (local, part) in block.form.locals.iter().enumerate() {
                if let Role::Discrete { start } = &part.role {
                    events.discretes.push(DiscreteState {
                        symbol: self.symbol(first + local),
                        start: self.globalise(first, start),
                    });
                }
            }
            let guards = events.guards.len();
            let clocks: Vec<usize> = block
                .form
                .clocks
                .iter()
                .map(|clock| events.clock(clock, || self.net.event_path(first, &clock.name)))
                .collect();
            for equation in &block.form.guards {
                let mut guard = equation.guard.clone();
                guard.name = self.net.event_path(first, &guard.name).into();
                events.guards.push(GuardEquation {
                    guard,
                    expression: self.globalise(first, &equation.expression),
                });
            }
            for update in &block.form.updates {
                events.updates.push(Update {
                    trigger: match update.trigger {
                        Trigger::Clock(index) => Trigger::Clock(clocks[index]),
                        Trigger::Guard(index) => Trigger::Guard(guards + index),
                    },
                    target: self.symbol(first + update.target),
                    expression: self.globalise(first, &update.expression),
                    priority: update.priority,
                    sample: update.sample,
                });
            }
        }
        events
    }

    fn finish(self, diagram: &Diagram) -> Result<EquationSystem, EquationError> {
        let mut states = Vec::new();
        let is_state = |node: &usize| self.net.nodes[*node] == Node::State;
        for node in (0..self.net.nodes.len()).filter(is_state) {
            if let Some(Role::State { derivative, start }) = self.net.role(node) {
                states.push(ContinuousState {
                    symbol: self.symbol(node),
                    derivative: self.globalise(node, derivative),
                    start: self.globalise(node, start),
                });
            }
        }
        let outputs = diagram
            .output_names()
            .enumerate()
            .filter_map(|(output, name)| {
                let expression = self.values[self.net.root_output(output)].clone()?;
                Some(Output {
                    name: Symbol::new(name),
                    expression,
                })
            });
        let outputs = outputs.collect();
        let events = self.events();
        EquationSystem::from_parts(Parts {
            name: Arc::clone(&diagram.0.name),
            parameters: self.parameters,
            inputs: self.inputs,
            states,
            definitions: self.definitions,
            outputs,
            discretes: events.discretes,
            clocks: events.clocks,
            guards: events.guards,
            updates: events.updates,
            loops: self.loops,
            slides: Vec::new(),
        })
    }
}
