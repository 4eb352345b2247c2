//! Islands of a network whose potentials nothing fixes.

use std::collections::BTreeMap;

use bifrons_expr::{Expr, Jacobian, Symbol};

use crate::error::{Flaw, StructuralError};
use crate::flat::{FlatModel, Origin};

/// Refuses a network with an island of nodes whose potentials may all be shifted together.
///
/// An equation that reads potentials only through differences (its slopes sum to zero) joins the
/// nodes that it reads; one that does not gives all of them a reference. `jacobian` has one row per
/// equation and the variables as its first columns.
pub(crate) fn check(model: &FlatModel, jacobian: &Jacobian) -> Result<(), StructuralError> {
    let mut node_of = BTreeMap::new();
    for (node, flat) in model.nodes.iter().enumerate() {
        if flat.domain.reference().is_some() {
            for &potential in &flat.potentials {
                node_of.insert(potential, node);
            }
        }
    }
    if node_of.is_empty() {
        return Ok(());
    }
    let mut parent: Vec<usize> = (0..model.nodes.len()).collect();
    let mut fixed = vec![false; model.nodes.len()];
    let defaults = Defaults::of(model);
    let mut first = 0;
    for (row, equation) in model.equations.iter().enumerate() {
        let columns = jacobian.pattern().row(row);
        let slopes = &jacobian.entries()[first..first + columns.len()];
        first += columns.len();
        if !matches!(equation.origin, Origin::Component { .. }) {
            continue;
        }
        let pairs = columns.iter().zip(slopes);
        let read: Vec<(usize, &Expr)> = pairs
            .filter_map(|(column, slope)| node_of.get(column).map(|node| (*node, slope)))
            .collect();
        let Some(&(start, _)) = read.first() else {
            continue;
        };
        let balanced = defaults.is_balanced(read.iter().map(|(_, slope)| *slope));
        for (node, _) in read {
            unite(&mut parent, start, node);
        }
        fixed[start] |= !balanced;
    }
    for node in 0..fixed.len() {
        let root = find(&mut parent, node);
        fixed[root] |= fixed[node];
    }
    let floating = |node: &usize| {
        let root = parent_of(&parent, *node);
        !fixed[root] && model.nodes[*node].domain.reference().is_some()
    };
    match (0..fixed.len()).find(|node| floating(node)) {
        None => Ok(()),
        Some(first) => {
            let root = parent_of(&parent, first);
            let island = (0..fixed.len()).filter(|n| parent_of(&parent, *n) == root);
            Err(report(model, &island.collect::<Vec<_>>()))
        }
    }
}

fn report(model: &FlatModel, island: &[usize]) -> StructuralError {
    let domain = model.nodes[island[0]].domain;
    let nodes = island.iter().map(|node| &model.nodes[*node]);
    let pins: Vec<String> = nodes
        .flat_map(|node| node.pins.iter().map(ToString::to_string))
        .collect();
    let owner = |pin: &String| {
        pin.rsplit_once('.')
            .map_or(String::new(), |(c, _)| c.to_owned())
    };
    let mut components: Vec<String> = pins.iter().map(owner).collect();
    components.sort();
    components.dedup();
    let reference = domain.reference().unwrap_or("reference");
    StructuralError {
        flaw: Flaw::NoReference,
        network: Box::from(&*model.name),
        proposal: format!("connect a {reference} to one of these {domain} pins").into(),
        components: components.into(),
        pins: pins.into(),
        equations: Box::default(),
        unknowns: Box::default(),
    }
}

/// Default values of the parameters, looked up only for slopes that are no constants.
struct Defaults<'m>(BTreeMap<&'m Symbol, f64>);

impl<'m> Defaults<'m> {
    fn of(model: &'m FlatModel) -> Self {
        let pairs = model.parameters.iter().map(|p| (&p.symbol, p.default));
        Self(pairs.collect())
    }

    /// Whether the slopes sum to zero.
    fn is_balanced<'e>(&self, slopes: impl Iterator<Item = &'e Expr>) -> bool {
        let (mut sum, mut size) = (0.0, 0.0);
        for slope in slopes {
            let value = slope.as_constant().or_else(|| {
                let value = slope.evaluate(&mut |symbol| self.0.get(symbol).copied());
                value.ok()
            });
            let Some(value) = value else {
                return false;
            };
            sum += value;
            size += value.abs();
        }
        sum.abs() <= 1e-12 * size
    }
}

fn unite(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parent, a), find(parent, b));
    parent[a.max(b)] = a.min(b);
}

fn find(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

fn parent_of(parent: &[usize], mut node: usize) -> usize {
    while parent[node] != node {
        node = parent[node];
    }
    node
}
