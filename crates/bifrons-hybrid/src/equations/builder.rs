//! Builder of a hand-written [`EquationSystem`]: checks names and sorts the definitions.

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use super::table::SymbolTable;
use super::{ContinuousState, Definition, EquationSystem, Meaning, Output, Parameter, Parts};
use crate::algebraic::{self, Defaults};
use crate::error::EquationError;
use crate::graph::Digraph;
use crate::name::{NameProblem, check_path, nearest};

/// Collects equations; made by [`EquationSystem::builder`].
///
/// Names are paths: parts of letters, digits and `_`, joined by dots. Definitions may come in any
/// order. Nothing is checked before [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct EquationSystemBuilder(Parts);

impl EquationSystemBuilder {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self(Parts {
            name,
            parameters: Vec::new(),
            inputs: Vec::new(),
            states: Vec::new(),
            definitions: Vec::new(),
            outputs: Vec::new(),
        })
    }

    /// Declares a parameter with its default value; infinite is allowed, NaN is not.
    pub fn parameter(mut self, name: impl AsRef<str>, default: f64) -> Self {
        self.0.parameters.push(Parameter {
            symbol: Symbol::new(name),
            default,
        });
        self
    }

    /// Declares a state with its derivative and its value at the start.
    pub fn state(
        mut self,
        name: impl AsRef<str>,
        derivative: impl Into<Expr>,
        start: impl Into<Expr>,
    ) -> Self {
        let (derivative, start) = (derivative.into(), start.into());
        self.0.states.push(ContinuousState {
            symbol: Symbol::new(name),
            derivative,
            start,
        });
        self
    }

    /// Declares a quantity that other equations use by name.
    pub fn definition(mut self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        let expression = expression.into();
        self.0.definitions.push(Definition {
            symbol: Symbol::new(name),
            expression,
        });
        self
    }

    /// Declares an output.
    pub fn output(mut self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        self.0.outputs.push(Output {
            name: Symbol::new(name),
            expression: expression.into(),
        });
        self
    }

    /// Checks the names, sorts the definitions and solves linear algebraic loops.
    ///
    /// Cost: `O(n log n)` in the equations; no recursion.
    ///
    /// # Errors
    ///
    /// [`EquationError::Name`], [`EquationError::Value`], [`EquationError::UnknownSymbol`],
    /// [`EquationError::AlgebraicLoop`] or [`EquationError::Start`].
    pub fn build(self) -> Result<EquationSystem, EquationError> {
        let mut parts = self.0;
        let table = check_names(&parts)?;
        if let Some(parameter) = parts.parameters.iter().find(|p| p.default.is_nan()) {
            return Err(EquationError::Value {
                system: parts.name.to_string(),
                parameter: parameter.symbol.name().to_owned(),
                value: parameter.default,
            });
        }
        for state in &parts.states {
            check_symbols(&parts, &table, &state.symbol, &state.derivative)?;
            check_symbols(&parts, &table, &state.symbol, &state.start)?;
        }
        for output in &parts.outputs {
            check_symbols(&parts, &table, &output.name, &output.expression)?;
        }
        parts.definitions = sort(&parts, &table)?;
        EquationSystem::from_parts(parts)
    }
}

fn check_names(parts: &Parts) -> Result<SymbolTable, EquationError> {
    let refuse = |name: &Symbol, problem| EquationError::Name {
        system: parts.name.to_string(),
        name: name.name().to_owned(),
        problem,
    };
    let parameters = parts.parameters.iter().map(|parameter| &parameter.symbol);
    let states = parts.states.iter().map(|state| &state.symbol);
    let definitions = parts
        .definitions
        .iter()
        .map(|definition| &definition.symbol);
    let outputs = parts.outputs.iter().map(|output| &output.name);
    for name in parameters
        .chain(states)
        .chain(definitions)
        .chain(outputs.clone())
    {
        check_path(name.name()).map_err(|problem| refuse(name, problem))?;
    }
    let mut sorted: Vec<&Symbol> = outputs.collect();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(pair[0], NameProblem::Duplicate));
    }
    SymbolTable::of(parts).map_err(|(name, problem)| refuse(&name, problem))
}

/// Positions of the definitions that an expression uses, or the name that nobody declares.
fn check_symbols(
    parts: &Parts,
    table: &SymbolTable,
    equation: &Symbol,
    expression: &Expr,
) -> Result<Vec<usize>, EquationError> {
    let mut uses = Vec::new();
    for symbol in expression.dependencies() {
        match table.find(symbol.name()) {
            Some(Meaning::Definition(index)) => uses.push(index),
            Some(_) => {}
            None => {
                return Err(EquationError::UnknownSymbol {
                    system: parts.name.to_string(),
                    equation: equation.name().to_owned(),
                    symbol: symbol.name().to_owned(),
                    nearest: nearest(symbol.name(), table.names()).map(str::to_owned),
                });
            }
        }
    }
    Ok(uses)
}

fn sort(parts: &Parts, table: &SymbolTable) -> Result<Vec<Definition>, EquationError> {
    let mut edges = Vec::new();
    for (index, definition) in parts.definitions.iter().enumerate() {
        let uses = check_symbols(parts, table, &definition.symbol, &definition.expression)?;
        edges.extend(uses.into_iter().map(|target| (index, target)));
    }
    let graph = Digraph::from_edges(parts.definitions.len(), &edges);
    let mut sorted = Vec::with_capacity(parts.definitions.len());
    let defaults = Defaults::default();
    for component in graph.strong_components().iter() {
        if let [single] = component
            && !graph.successors(*single).contains(single)
        {
            sorted.push(parts.definitions[*single].clone());
        } else {
            sorted.extend(solve(parts, &graph, component, &defaults)?);
        }
    }
    Ok(sorted)
}

fn solve(
    parts: &Parts,
    graph: &Digraph,
    members: &[usize],
    defaults: &Defaults,
) -> Result<Vec<Definition>, EquationError> {
    let mut sorted = members.to_vec();
    sorted.sort_by(|&a, &b| {
        parts.definitions[a]
            .symbol
            .cmp(&parts.definitions[b].symbol)
    });
    let unknowns = sorted
        .iter()
        .map(|&member| parts.definitions[member].clone())
        .collect();
    let default = |symbol: &Symbol| defaults.get(&parts.parameters, symbol);
    algebraic::solve(unknowns, &default).map_err(|kind| {
        let name = |member: usize| parts.definitions[member].symbol.name().to_owned();
        algebraic::report(&parts.name, graph, members, sorted[0], kind, name).into()
    })
}
