//! Equations of instants: discrete states, guards, updates, and their order of evaluation.

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use super::{Meaning, Parts, SymbolTable};
use crate::algebraic;
use crate::error::{EquationError, LoopKind};
use crate::event::{Guard, Rivals, Trigger};
use crate::graph::Digraph;

/// A value that changes at instants only.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DiscreteState {
    /// Its name, with the path of the block that it belongs to.
    pub symbol: Symbol,
    /// Its value before the first instant, over parameters and the start `time`.
    pub start: Expr,
}

/// A guard and the function that it watches.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GuardEquation {
    /// Name, direction, what a crossing means.
    pub guard: Guard,
    /// The function whose zero is watched.
    pub expression: Expr,
}

/// What happens to one variable at an instant.
///
/// All updates read the values just before the instant and write those just after it, so that
/// two registers can swap. A *sample* is a signal that is held between instants: it is evaluated
/// at the instant itself, in the order of dependencies, and whoever reads it at this instant,
/// updates included, reads the new value. `pre(x)` reads the value before the instant always.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Update {
    /// When it is due.
    pub trigger: Trigger,
    /// The discrete or continuous state that is written.
    pub target: Symbol,
    /// The new value.
    pub expression: Expr,
    /// Of several updates of one variable that are due at once the one with the largest priority
    /// counts; equal priorities are an error.
    pub priority: i32,
    /// Whether the target is a sample.
    pub sample: bool,
}

/// Something that is evaluated at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstantNode {
    /// Position among the definitions.
    Definition(usize),
    /// Position among the discrete states: a sample.
    Sample(usize),
}

const PRE: &str = "pre(";

/// The symbol that reads a variable just before an instant.
pub(crate) fn pre_symbol(symbol: &Symbol) -> Symbol {
    Symbol::from(format!("{PRE}{})", symbol.name()))
}

/// The name of the variable that a symbol reads, whether or not before the instant.
pub(crate) fn base_name(name: &str) -> &str {
    name.strip_prefix(PRE)
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(name)
}

pub(super) fn trigger_name(parts: &Parts, trigger: Trigger) -> &str {
    match trigger {
        Trigger::Clock(index) => &parts.clocks[index].name,
        Trigger::Guard(index) => &parts.guards[index].guard.name,
    }
}

/// Marks the discrete states that are samples.
pub(crate) fn samples(parts: &Parts, table: &SymbolTable) -> Vec<bool> {
    let mut samples = vec![false; parts.discretes.len()];
    for update in parts.updates.iter().filter(|update| update.sample) {
        if let Some(Meaning::Discrete(index)) = table.find(parts, update.target.name()) {
            samples[index] = true;
        }
    }
    samples
}

/// Definitions and samples, each after those that it reads at the instant; empty without samples,
/// where the order is that of the definitions.
pub(crate) fn instant_order(
    parts: &Parts,
    table: &SymbolTable,
) -> Result<Vec<InstantNode>, EquationError> {
    let samples = samples(parts, table);
    let definitions = parts.definitions.len();
    if !samples.contains(&true) {
        return Ok(Vec::new());
    }
    let loops = definitions + parts.discretes.len();
    let node = |symbol: &Symbol| match table.find(parts, symbol.name()) {
        Some(Meaning::Definition(index)) => Some(index),
        Some(Meaning::Discrete(index)) if samples[index] => Some(definitions + index),
        Some(Meaning::Unknown { of, .. }) => Some(loops + of),
        _ => None,
    };
    let mut edges = Vec::new();
    for (index, definition) in parts.definitions.iter().enumerate() {
        let uses = definition.expression.dependencies();
        edges.extend(uses.iter().filter_map(node).map(|target| (index, target)));
    }
    for update in parts.updates.iter().filter(|update| update.sample) {
        if let Some(own) = node(&update.target) {
            let uses = update.expression.dependencies();
            edges.extend(uses.iter().filter_map(node).map(|target| (own, target)));
        }
    }
    for (index, equations) in parts.loops.iter().enumerate() {
        let own = loops + index;
        let uses = equations.dependencies();
        let uses = uses.iter().filter_map(node).filter(|&used| used != own);
        edges.extend(uses.map(|used| (own, used)));
    }
    let graph = Digraph::from_edges(loops + parts.loops.len(), &edges);
    let name = |node: usize| match (node.checked_sub(definitions), node.checked_sub(loops)) {
        (None, _) => parts.definitions[node].symbol.name().to_owned(),
        (_, Some(index)) => parts.loops[index].names(),
        (Some(index), None) => parts.discretes[index].symbol.name().to_owned(),
    };
    let mut order = Vec::with_capacity(definitions);
    for component in graph.strong_components().iter() {
        let first = component[0];
        if component.len() > 1 || graph.successors(first).contains(&first) {
            let kind = LoopKind::Samples;
            return Err(
                algebraic::report(&parts.name, &graph, component, first, kind, name).into(),
            );
        }
        match first.checked_sub(definitions) {
            None => order.push(InstantNode::Definition(first)),
            Some(index) if samples.get(index) == Some(&true) => {
                order.push(InstantNode::Sample(index));
            }
            Some(_) => {}
        }
    }
    Ok(order)
}

/// Pairs of updates of one variable with equal priority and different triggers.
pub(crate) fn rivals(parts: &Parts) -> Vec<Rivals> {
    pairs(parts)
        .into_iter()
        .map(|(first, second)| {
            let (a, b) = (first.trigger, second.trigger);
            Rivals {
                variable: Arc::from(first.target.name()),
                triggers: (a.min(b), a.max(b)),
            }
        })
        .collect()
}

/// Refuses two updates of one variable by one trigger with equal priority.
pub(super) fn check_rivals(parts: &Parts) -> Result<(), EquationError> {
    let twice = pairs(parts)
        .into_iter()
        .find(|(first, second)| first.trigger == second.trigger);
    match twice {
        None => Ok(()),
        Some((first, _)) => Err(EquationError::SecondUpdate {
            system: parts.name.to_string(),
            variable: first.target.name().to_owned(),
            trigger: trigger_name(parts, first.trigger).to_owned(),
        }),
    }
}

/// Pairs of updates with equal target and priority.
fn pairs(parts: &Parts) -> Vec<(&Update, &Update)> {
    let mut sorted: Vec<&Update> = parts.updates.iter().collect();
    sorted.sort_by(|a, b| (&a.target, a.priority).cmp(&(&b.target, b.priority)));
    let equal = |a: &&Update, b: &&Update| a.target == b.target && a.priority == b.priority;
    let mut pairs = Vec::new();
    for group in sorted.chunk_by(equal) {
        for (position, &first) in group.iter().enumerate() {
            pairs.extend(group[position + 1..].iter().map(|&second| (first, second)));
        }
    }
    pairs
}
