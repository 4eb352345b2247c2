//! Builder of a hand-written [`EquationSystem`]: checks names and sorts the definitions.

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};

use super::instant::{samples, trigger_name};
use super::table::SymbolTable;
use super::{
    ContinuousState, Definition, DiscreteState, EquationSystem, GuardEquation, LoopEquations,
    Meaning, Output, Parameter, Parts, Update, base_name,
};
use crate::algebraic::{self, Defaults, Known, Solved};
use crate::error::{EquationError, UnknownName};
use crate::event::{Clock, Guard, Trigger};
use crate::graph::Digraph;
use crate::name::{NameProblem, check_path, nearest};
use crate::range::ParameterRange;

/// Collects equations; made by [`EquationSystem::builder`].
///
/// Names are paths: parts of letters, digits and `_`, joined by dots. Definitions may come in any
/// order. Nothing is checked before [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct EquationSystemBuilder(Parts, Vec<NamedUpdate>, Vec<(Symbol, Expr)>);

/// An update whose trigger is still a name.
#[derive(Debug, Clone)]
struct NamedUpdate {
    trigger: Arc<str>,
    target: Symbol,
    expression: Expr,
    priority: i32,
    sample: bool,
}

impl EquationSystemBuilder {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self(
            Parts {
                name,
                parameters: Vec::new(),
                inputs: Vec::new(),
                states: Vec::new(),
                definitions: Vec::new(),
                outputs: Vec::new(),
                discretes: Vec::new(),
                clocks: Vec::new(),
                guards: Vec::new(),
                updates: Vec::new(),
                loops: Vec::new(),
                slides: Vec::new(),
            },
            Vec::new(),
            Vec::new(),
        )
    }

    /// Says where the iteration for a definition begins if it is a variable of an algebraic loop,
    /// and prefers it as one. The guess may read parameters, inputs, states, discrete states and
    /// `time`. Default: 0.
    pub fn guess(mut self, definition: impl AsRef<str>, guess: impl Into<Expr>) -> Self {
        self.2.push((Symbol::new(definition), guess.into()));
        self
    }

    /// Declares a discrete state with its value before the first instant.
    pub fn discrete(mut self, name: impl AsRef<str>, start: impl Into<Expr>) -> Self {
        self.0.discretes.push(DiscreteState {
            symbol: Symbol::new(name),
            start: start.into(),
        });
        self
    }

    /// Declares a clock.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.0.clocks.push(clock);
        self
    }

    /// Declares a guard and the function that it watches.
    pub fn guard(mut self, guard: Guard, expression: impl Into<Expr>) -> Self {
        self.0.guards.push(GuardEquation {
            guard,
            expression: expression.into(),
        });
        self
    }

    /// At the clock or guard `trigger`, writes a discrete or continuous state.
    pub fn update(
        self,
        trigger: impl Into<Arc<str>>,
        target: impl AsRef<str>,
        expression: impl Into<Expr>,
    ) -> Self {
        self.update_with_priority(trigger, target, expression, 0)
    }

    /// As [`update`](Self::update); of several updates of one variable that are due at once the
    /// one with the largest priority counts.
    pub fn update_with_priority(
        mut self,
        trigger: impl Into<Arc<str>>,
        target: impl AsRef<str>,
        expression: impl Into<Expr>,
        priority: i32,
    ) -> Self {
        self.1.push(NamedUpdate {
            trigger: trigger.into(),
            target: Symbol::new(target),
            expression: expression.into(),
            priority,
            sample: false,
        });
        self
    }

    /// Declares a sample: a signal that is evaluated at the clock or guard `trigger` and held in
    /// between; `start` is its value before the first instant. See [`Update`].
    pub fn sample(
        mut self,
        name: impl AsRef<str>,
        trigger: impl Into<Arc<str>>,
        expression: impl Into<Expr>,
        start: impl Into<Expr>,
    ) -> Self {
        let target = Symbol::new(name.as_ref());
        self = self.discrete(name, start);
        self.1.push(NamedUpdate {
            trigger: trigger.into(),
            target,
            expression: expression.into(),
            priority: 0,
            sample: true,
        });
        self
    }

    /// Declares a parameter with its default value, which is not NaN.
    ///
    /// Runs take finite values only; see [`parameter_in`](Self::parameter_in).
    pub fn parameter(self, name: impl AsRef<str>, default: f64) -> Self {
        self.parameter_in(name, default, ParameterRange::FINITE)
    }

    /// Declares a parameter with its default value and the values that runs may give it.
    ///
    /// The default must be in the range; an infinite default may be outside of
    /// [`ParameterRange::FINITE`], and then every run has to give another value.
    pub fn parameter_in(
        mut self,
        name: impl AsRef<str>,
        default: f64,
        range: ParameterRange,
    ) -> Self {
        self.0.parameters.push(Parameter {
            symbol: Symbol::new(name),
            default,
            range,
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
        let Self(mut parts, updates, guesses) = self;
        let table = check_names(&parts)?;
        parts.updates = resolve(&parts, updates)?;
        check_updates(&parts, &table)?;
        let bad = |p: &&Parameter| {
            let outside = p.range != ParameterRange::FINITE && !p.range.contains(p.default);
            p.default.is_nan() || outside
        };
        if let Some(parameter) = parts.parameters.iter().find(bad) {
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
        for discrete in &parts.discretes {
            check_symbols(&parts, &table, &discrete.symbol, &discrete.start)?;
        }
        for equation in &parts.guards {
            let name = Symbol::new(&equation.guard.name);
            check_symbols(&parts, &table, &name, &equation.expression)?;
        }
        check_guesses(&parts, &table, &guesses)?;
        (parts.definitions, parts.loops) = sort(&parts, &table, &guesses)?;
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
    let discretes = parts.discretes.iter().map(|discrete| &discrete.symbol);
    for name in parameters
        .chain(states)
        .chain(definitions)
        .chain(discretes)
        .chain(outputs.clone())
    {
        check_path(name.name()).map_err(|problem| refuse(name, problem))?;
    }
    let mut sorted: Vec<&Symbol> = outputs.collect();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(pair[0], NameProblem::Duplicate));
    }
    let clocks = parts.clocks.iter().map(|clock| &clock.name);
    let guards = parts.guards.iter().map(|equation| &equation.guard.name);
    let mut triggers: Vec<&Arc<str>> = clocks.chain(guards).collect();
    for name in &triggers {
        check_path(name).map_err(|problem| refuse(&Symbol::new(name), problem))?;
    }
    triggers.sort();
    if let Some(pair) = triggers.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(refuse(&Symbol::new(pair[0]), NameProblem::Duplicate));
    }
    SymbolTable::of(parts).map_err(|(name, problem)| refuse(&name, problem))
}

/// Finds the triggers of updates.
fn resolve(parts: &Parts, updates: Vec<NamedUpdate>) -> Result<Vec<Update>, EquationError> {
    let clocks = parts.clocks.iter().map(|clock| &*clock.name);
    let guards = parts.guards.iter().map(|equation| &*equation.guard.name);
    let known: Vec<&str> = clocks.chain(guards).collect();
    let find = |update: NamedUpdate| {
        let Some(position) = known.iter().position(|name| **name == *update.trigger) else {
            return Err(EquationError::Trigger {
                system: parts.name.to_string(),
                variable: update.target.name().to_owned(),
                source: Box::new(UnknownName {
                    what: "clock or guard",
                    name: update.trigger.to_string(),
                    owner: parts.name.to_string(),
                    nearest: nearest(&update.trigger, known.iter().copied()).map(str::to_owned),
                }),
            });
        };
        Ok(Update {
            trigger: match position.checked_sub(parts.clocks.len()) {
                None => Trigger::Clock(position),
                Some(guard) => Trigger::Guard(guard),
            },
            target: update.target,
            expression: update.expression,
            priority: update.priority,
            sample: update.sample,
        })
    };
    updates.into_iter().map(find).collect()
}

/// Targets are states, samples are written as samples only, clocks have a common unit.
fn check_updates(parts: &Parts, table: &SymbolTable) -> Result<(), EquationError> {
    let samples = samples(parts, table);
    for update in &parts.updates {
        check_symbols(parts, table, &update.target, &update.expression)?;
        let fits = match table.find(parts, update.target.name()) {
            Some(Meaning::State(_)) => !update.sample,
            Some(Meaning::Discrete(index)) => update.sample == samples[index],
            _ => false,
        };
        if !fits {
            return Err(EquationError::UpdateTarget {
                system: parts.name.to_string(),
                variable: update.target.name().to_owned(),
                trigger: trigger_name(parts, update.trigger).to_owned(),
            });
        }
    }
    Ok(())
}

/// Positions of the definitions that an expression uses, or the name that nobody declares.
fn check_symbols(
    parts: &Parts,
    table: &SymbolTable,
    equation: &Symbol,
    expression: &Expr,
) -> Result<Vec<usize>, EquationError> {
    let (mut uses, mut symbols) = (Vec::new(), Vec::new());
    expression.dependencies_into(&mut symbols);
    for symbol in symbols {
        match table.find(parts, base_name(symbol.name())) {
            Some(Meaning::Definition(index)) => uses.push(index),
            Some(_) => {}
            None => {
                return Err(EquationError::UnknownSymbol {
                    system: parts.name.to_string(),
                    equation: equation.name().to_owned(),
                    symbol: symbol.name().to_owned(),
                    nearest: nearest(symbol.name(), table.names(parts)).map(str::to_owned),
                });
            }
        }
    }
    Ok(uses)
}

/// Guesses are of definitions, and read what is known before any definition.
fn check_guesses(
    parts: &Parts,
    table: &SymbolTable,
    guesses: &[(Symbol, Expr)],
) -> Result<(), EquationError> {
    for (target, guess) in guesses {
        let is_definition = matches!(
            table.find(parts, target.name()),
            Some(Meaning::Definition(_))
        );
        let unknown = (!is_definition).then(|| target.clone());
        let symbols = guess.dependencies();
        let fits = |symbol: &&Symbol| {
            !matches!(
                table.find(parts, symbol.name()),
                Some(Meaning::Definition(_)) | None
            )
        };
        let bad = symbols.iter().find(|symbol| !fits(symbol)).cloned();
        if let Some(symbol) = unknown.or(bad) {
            return Err(EquationError::Guess {
                system: parts.name.to_string(),
                definition: target.name().to_owned(),
                symbol: symbol.name().to_owned(),
            });
        }
    }
    Ok(())
}

type Sorted = (Vec<Definition>, Vec<LoopEquations>);

fn sort(
    parts: &Parts,
    table: &SymbolTable,
    guesses: &[(Symbol, Expr)],
) -> Result<Sorted, EquationError> {
    let mut edges = Vec::new();
    for (index, definition) in parts.definitions.iter().enumerate() {
        let uses = check_symbols(parts, table, &definition.symbol, &definition.expression)?;
        edges.extend(uses.into_iter().map(|target| (index, target)));
    }
    let graph = Digraph::from_edges(parts.definitions.len(), &edges);
    let mut sorted = Vec::with_capacity(parts.definitions.len());
    let mut loops = Vec::new();
    let defaults = Defaults::default();
    let known = Known {
        default: &|symbol| defaults.get(&parts.parameters, symbol),
        guess: &|symbol| {
            let found = guesses.iter().rev().find(|(target, _)| target == symbol);
            found.map(|(_, guess)| guess.clone())
        },
    };
    for component in graph.strong_components().iter() {
        if let [single] = component
            && !graph.successors(*single).contains(single)
        {
            sorted.push(parts.definitions[*single].clone());
        } else {
            let solved = solve(parts, &graph, component, &known)?;
            sorted.extend(solved.definitions);
            loops.extend(solved.equations);
        }
    }
    Ok((sorted, loops))
}

fn solve(
    parts: &Parts,
    graph: &Digraph,
    members: &[usize],
    known: &Known<'_>,
) -> Result<Solved, EquationError> {
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
    algebraic::solve(unknowns, known).map_err(|kind| {
        let name = |member: usize| parts.definitions[member].symbol.name().to_owned();
        algebraic::report(&parts.name, graph, members, sorted[0], kind, name).into()
    })
}
