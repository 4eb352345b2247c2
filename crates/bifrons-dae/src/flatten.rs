//! From nested networks to one list of equations, without recursion.

mod streams;
mod units;

use std::collections::BTreeMap;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use crate::component::{ComponentSpec, Kind, Role};
use crate::domain::Domain;
use crate::error::FlattenError;
use crate::flat::{
    FlatEquation, FlatEvent, FlatModel, FlatNode, FlatParameter, FlatSwitch, FlatVariable, Origin,
    StartCondition,
};
use crate::name::{derivative_symbol, differentiated, nearest};
use crate::network::{Inner, Network};

impl Network {
    /// Writes all equations of the network: those of its components, equal potentials and sums of
    /// flows at every node, signals.
    ///
    /// Cost: `O(n log n)`; no recursion, so nesting may be of any depth.
    ///
    /// # Errors
    ///
    /// [`FlattenError`]: an input without a source, two sources for one input, an unknown path.
    pub fn flatten(&self) -> Result<FlatModel, FlattenError> {
        Flattening::of(self).finish()
    }
}

/// A component with equations in the tree of parts.
struct Leaf<'n> {
    path: Arc<str>,
    spec: &'n ComponentSpec,
    /// Position in `variables`, `parameters` or `switches` of each local, by its role.
    symbols: Vec<Symbol>,
    /// Position in `variables` of each local that is one.
    variables: Vec<usize>,
    /// Number of its first pin.
    first_pin: usize,
}

/// A network in the tree of parts.
struct Branch<'n> {
    path: Arc<str>,
    network: &'n Inner,
    /// Each part: a leaf or a branch.
    parts: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Leaf(usize),
    Branch(usize),
}

struct Flattening<'n> {
    leaves: Vec<Leaf<'n>>,
    branches: Vec<Branch<'n>>,
    /// Leaf and connector of each pin.
    pins: Vec<(usize, usize)>,
    model: FlatModel,
    /// Variables and parameters by their paths.
    names: BTreeMap<Symbol, ()>,
}

impl<'n> Flattening<'n> {
    fn of(network: &'n Network) -> Self {
        let mut this = Self {
            leaves: Vec::new(),
            branches: Vec::new(),
            pins: Vec::new(),
            model: FlatModel {
                name: network.0.name.clone(),
                parameters: Vec::new(),
                inputs: Vec::new(),
                variables: Vec::new(),
                equations: Vec::new(),
                starts: Vec::new(),
                switches: Vec::new(),
                events: Vec::new(),
                outputs: Vec::new(),
                nodes: Vec::new(),
            },
            names: BTreeMap::new(),
        };
        this.branches.push(Branch {
            path: Arc::from(""),
            network: &network.0,
            parts: Vec::new(),
        });
        let mut next = 0;
        while next < this.branches.len() {
            this.expand(next);
            next += 1;
        }
        this
    }

    fn expand(&mut self, branch: usize) {
        let (prefix, network) = (
            self.branches[branch].path.clone(),
            self.branches[branch].network,
        );
        for member in &network.parts {
            let path: Arc<str> = Arc::from(join(&prefix, &member.name));
            let place = match &member.kind {
                Kind::Spec(spec) => {
                    self.add_leaf(path, spec);
                    Place::Leaf(self.leaves.len() - 1)
                }
                Kind::Network(network) => {
                    self.branches.push(Branch {
                        path,
                        network: &network.0,
                        parts: Vec::new(),
                    });
                    Place::Branch(self.branches.len() - 1)
                }
            };
            self.branches[branch].parts.push(place);
        }
    }

    fn add_leaf(&mut self, path: Arc<str>, spec: &'n ComponentSpec) {
        let mut symbols = Vec::with_capacity(spec.locals.len());
        let mut variables = vec![usize::MAX; spec.locals.len()];
        for (position, local) in spec.locals.iter().enumerate() {
            let symbol = Symbol::from(join(&path, local.symbol.name()));
            symbols.push(symbol.clone());
            self.names.insert(symbol.clone(), ());
            match &local.role {
                Role::Parameter { default, range } => self.model.parameters.push(FlatParameter {
                    symbol,
                    default: *default,
                    range: *range,
                    unit: spec.unit_of(position).map(Arc::from),
                }),
                Role::Switch { .. } => {}
                Role::Variable
                | Role::Input { .. }
                | Role::Potential
                | Role::Flow
                | Role::Outflow
                | Role::Inflow => {
                    variables[position] = self.model.variables.len();
                    self.model.variables.push(FlatVariable {
                        symbol,
                        component: path.clone(),
                        is_flow: matches!(local.role, Role::Flow),
                    });
                }
            }
        }
        let first_pin = self.pins.len();
        let leaf = self.leaves.len();
        self.pins
            .extend((0..spec.connectors.len()).map(|c| (leaf, c)));
        self.leaves.push(Leaf {
            path,
            spec,
            symbols,
            variables,
            first_pin,
        });
    }

    fn finish(mut self) -> Result<FlatModel, FlattenError> {
        for leaf in 0..self.leaves.len() {
            self.component_equations(leaf);
        }
        self.nodes();
        self.signals()?;
        self.conditions()?;
        self.parameters()?;
        Ok(self.model)
    }

    fn component_equations(&mut self, index: usize) {
        let leaf = &self.leaves[index];
        let spec = leaf.spec;
        let globalise = |expression: &Expr| leaf.globalise(expression);
        let origin = Origin::Component {
            path: leaf.path.clone(),
            kind: spec.kind.clone(),
        };
        for (left, right) in &spec.equations {
            self.model.equations.push(FlatEquation {
                left: globalise(left),
                right: globalise(right),
                origin: origin.clone(),
            });
        }
        for condition in &spec.conditions {
            self.model.starts.push(StartCondition {
                quantity: globalise(&condition.quantity),
                value: globalise(&condition.value),
                fixed: condition.fixed,
            });
        }
        for (position, local) in spec.locals.iter().enumerate() {
            if let Role::Switch { surface } = &local.role {
                self.model.switches.push(FlatSwitch {
                    symbol: leaf.symbols[position].clone(),
                    surface: globalise(surface),
                });
            }
        }
        for event in &spec.events {
            let resets = event.resets.iter().map(|(symbol, value)| {
                let target = globalise(&Expr::symbol(symbol));
                let target = target.as_symbol().cloned();
                (target.unwrap_or_else(|| symbol.clone()), globalise(value))
            });
            self.model.events.push(FlatEvent {
                name: Arc::from(join(&leaf.path, &event.name)),
                surface: globalise(&event.surface),
                crossing: event.crossing,
                resets: resets.collect(),
                limit: event.limit,
            });
        }
    }

    /// Pin of a connection or export, followed through exports of sub-networks.
    fn pin(&self, mut branch: usize, mut part: usize, mut index: usize) -> usize {
        loop {
            match self.branches[branch].parts[part] {
                Place::Leaf(leaf) => return self.leaves[leaf].first_pin + index,
                Place::Branch(inner) => {
                    let exported = &self.branches[inner].network.pins[index];
                    (branch, part, index) = (inner, exported.inner.part, exported.inner.index);
                }
            }
        }
    }

    /// Leaf and local of a signal, followed through exports of sub-networks.
    fn signal(&self, mut branch: usize, mut part: usize, mut index: usize) -> (usize, usize) {
        loop {
            match self.branches[branch].parts[part] {
                Place::Leaf(leaf) => return (leaf, index),
                Place::Branch(inner) => {
                    let exported = &self.branches[inner].network.exported[index];
                    (branch, part, index) = (inner, exported.inner.part, exported.inner.index);
                }
            }
        }
    }

    /// Joins connected pins to nodes and writes the equations of each.
    fn nodes(&mut self) {
        let mut parent: Vec<usize> = (0..self.pins.len()).collect();
        for branch in 0..self.branches.len() {
            for [a, b] in &self.branches[branch].network.connections {
                let a = find(&mut parent, self.pin(branch, a.part, a.index));
                let b = find(&mut parent, self.pin(branch, b.part, b.index));
                let (low, high) = (a.min(b), a.max(b));
                parent[high] = low;
            }
        }
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.pins.len()];
        for pin in 0..self.pins.len() {
            let root = find(&mut parent, pin);
            members[root].push(pin);
        }
        for pins in members.iter().filter(|pins| !pins.is_empty()) {
            self.node(pins);
        }
    }

    fn node(&mut self, pins: &[usize]) {
        let (leaf, connector) = self.pins[pins[0]];
        let domain: Domain = self.leaves[leaf].spec.connectors[connector].domain;
        let names: Vec<Arc<str>> = pins.iter().map(|&pin| self.pin_name(pin)).collect();
        for pair in 0..domain.pairs().len() {
            let symbol = |pin: usize, flow: usize| {
                let (leaf, connector) = self.pins[pin];
                let leaf = &self.leaves[leaf];
                let first = leaf.spec.connectors[connector].first;
                Expr::symbol(&leaf.symbols[first + 2 * pair + flow])
            };
            let mut equations = Vec::with_capacity(pins.len());
            for (&pin, name) in pins.iter().zip(&names).skip(1) {
                equations.push(FlatEquation {
                    left: symbol(pin, 0),
                    right: symbol(pins[0], 0),
                    origin: Origin::Potential {
                        pins: [name.clone(), names[0].clone()],
                    },
                });
            }
            let flows = pins.iter().map(|&pin| symbol(pin, 1));
            let sum = flows.reduce(|sum, flow| sum + flow);
            let origin = if pins.len() == 1 {
                Origin::Unconnected {
                    pin: names[0].clone(),
                }
            } else {
                Origin::Node {
                    pins: names.clone(),
                }
            };
            equations.push(FlatEquation {
                left: sum.unwrap_or_else(|| Expr::constant(0.0)),
                right: Expr::constant(0.0),
                origin,
            });
            self.model.equations.append(&mut equations);
        }
        if domain.has_stream() {
            self.streams(pins, &names);
        }
        let potential = |&pin: &usize| {
            let (leaf, connector) = self.pins[pin];
            let leaf = &self.leaves[leaf];
            leaf.variables[leaf.spec.connectors[connector].first]
        };
        let potentials = pins.iter().map(potential).collect();
        self.model.nodes.push(FlatNode {
            domain,
            pins: names,
            potentials,
        });
    }

    fn pin_name(&self, pin: usize) -> Arc<str> {
        let (leaf, connector) = self.pins[pin];
        let leaf = &self.leaves[leaf];
        Arc::from(join(&leaf.path, &leaf.spec.connectors[connector].name))
    }

    fn signals(&mut self) -> Result<(), FlattenError> {
        let mut sources: BTreeMap<(usize, usize), Symbol> = BTreeMap::new();
        for branch in 0..self.branches.len() {
            for [from, to] in &self.branches[branch].network.signals {
                let (leaf, local) = self.signal(branch, from.part, from.index);
                let source = self.leaves[leaf].symbols[local].clone();
                let target = self.signal(branch, to.part, to.index);
                units::check_signal(&self.leaves, (leaf, local), target)?;
                if let Some(other) = sources.insert(target, source.clone()) {
                    return Err(FlattenError::TwoSources {
                        input: self.leaves[target.0].symbols[target.1].name().to_owned(),
                        sources: [other.name().to_owned(), source.name().to_owned()],
                    });
                }
            }
        }
        let external = self.exported(&sources);
        for leaf in 0..self.leaves.len() {
            for local in 0..self.leaves[leaf].spec.locals.len() {
                let Role::Input { default } = self.leaves[leaf].spec.locals[local].role else {
                    continue;
                };
                let place = (leaf, local);
                let symbol = self.leaves[leaf].symbols[local].clone();
                let value = match (sources.get(&place), external.get(&place), default) {
                    (Some(source), _, _) | (None, Some(source), _) => Expr::symbol(source),
                    (None, None, Some(default)) => Expr::constant(default),
                    (None, None, None) => {
                        return Err(FlattenError::OpenInput {
                            input: symbol.name().to_owned(),
                        });
                    }
                };
                self.model.equations.push(FlatEquation {
                    left: Expr::symbol(&symbol),
                    right: value,
                    origin: Origin::Signal {
                        target: Arc::from(symbol.name()),
                    },
                });
            }
        }
        Ok(())
    }

    /// Signals that the outermost network exports: inputs become inputs of the model.
    fn exported(
        &mut self,
        sources: &BTreeMap<(usize, usize), Symbol>,
    ) -> BTreeMap<(usize, usize), Symbol> {
        let mut external = BTreeMap::new();
        let network = self.branches[0].network;
        for exported in &network.exported {
            let place = self.signal(0, exported.inner.part, exported.inner.index);
            let name = Symbol::new(&*exported.name);
            if exported.is_input && !sources.contains_key(&place) {
                self.model.inputs.push(name.clone());
                external.insert(place, name);
            } else {
                let variable = self.leaves[place.0].symbols[place.1].clone();
                self.model.outputs.push((name, variable));
            }
        }
        external
    }

    /// Conditions of the networks, inner ones first so that outer ones are read last.
    fn conditions(&mut self) -> Result<(), FlattenError> {
        for branch in (0..self.branches.len()).rev() {
            let (path, network) = (
                self.branches[branch].path.clone(),
                self.branches[branch].network,
            );
            for condition in &network.conditions {
                let mut unknown = None;
                let quantity = condition.quantity.substitute(&mut |symbol| {
                    let name = symbol.name();
                    let base = differentiated(name).unwrap_or(name);
                    let full = Symbol::from(join(&path, base));
                    if !self.names.contains_key(&full) {
                        unknown = Some(base.to_owned());
                    }
                    Some(Expr::symbol(if base.len() == name.len() {
                        full
                    } else {
                        derivative_symbol(full.name())
                    }))
                });
                if let Some(name) = unknown {
                    return Err(self.unknown_path("variable", &path, &name));
                }
                self.model.starts.push(StartCondition {
                    quantity,
                    value: Expr::constant(condition.value),
                    fixed: condition.fixed,
                });
            }
        }
        Ok(())
    }

    /// Values that networks give to parameters, inner ones first so that outer ones win.
    fn parameters(&mut self) -> Result<(), FlattenError> {
        let mut changes = BTreeMap::new();
        for branch in self.branches.iter().rev() {
            for (name, value, unit) in &branch.network.parameters {
                let full = Symbol::from(join(&branch.path, name));
                if !self.names.contains_key(&full) {
                    return Err(self.unknown_path("parameter", &branch.path, name));
                }
                changes.insert(full, (*value, unit.as_deref()));
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        for parameter in &mut self.model.parameters {
            if let Some(&(value, unit)) = changes.get(&parameter.symbol) {
                let value = match unit {
                    Some(unit) => units::convert(parameter, value, unit)?,
                    None => value,
                };
                if !parameter.range.contains(value) {
                    return Err(FlattenError::Parameter {
                        parameter: parameter.symbol.name().to_owned(),
                        range: parameter.range,
                        value,
                    });
                }
                parameter.default = value;
            }
        }
        Ok(())
    }

    fn unknown_path(&self, what: &'static str, path: &str, name: &str) -> FlattenError {
        let full = join(path, name);
        let known = self.names.keys().map(Symbol::name);
        FlattenError::UnknownPath {
            what,
            nearest: nearest(&full, known).map(str::to_owned),
            name: full,
        }
    }
}

impl Leaf<'_> {
    /// An expression over local names as one over paths.
    fn globalise(&self, expression: &Expr) -> Expr {
        expression.substitute(&mut |symbol| {
            let name = symbol.name();
            match differentiated(name) {
                Some(base) => {
                    let local = self.spec.find(base)?;
                    Some(Expr::symbol(derivative_symbol(self.symbols[local].name())))
                }
                None => {
                    let local = self.spec.find(name)?;
                    Some(Expr::symbol(&self.symbols[local]))
                }
            }
        })
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        [path, ".", name].concat()
    }
}

/// Root of a set, with path halving.
fn find(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}
