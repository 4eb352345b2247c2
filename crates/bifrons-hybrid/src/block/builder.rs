//! Builder and validation of a [`BlockSpec`].

use std::sync::Arc;

use bifrons_expr::{Expr, Symbol, Unit};

use super::template::is_default;
use super::{BlockSpec, BlockUpdate, Form, Local, Numbers, Role, units};
use crate::equations::{GuardEquation, base_name};
use crate::error::BlockError;
use crate::event::{Clock, Guard, Trigger};
use crate::name::{NameProblem, TIME, check_name, nearest};
use crate::range::ParameterRange;

/// Collects the description of a block; made by [`BlockSpec::builder`].
///
/// The order of the calls is the order of ports, parameters and states. Nothing is checked before
/// [`build`](Self::build).
#[derive(Debug, Clone)]
#[must_use]
pub struct BlockSpecBuilder {
    kind: Arc<str>,
    locals: Vec<Local>,
    defaults: Vec<f64>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    clocks: Vec<Clock>,
    guards: Vec<GuardEquation>,
    updates: Vec<NamedUpdate>,
    guesses: Vec<(Symbol, Expr)>,
    units: Vec<(Symbol, Unit)>,
}

/// An update whose trigger and target are still names.
#[derive(Debug, Clone)]
struct NamedUpdate {
    trigger: Arc<str>,
    target: Symbol,
    expression: Expr,
    priority: i32,
    sample: bool,
}

impl BlockSpecBuilder {
    pub(super) fn new(kind: Arc<str>) -> Self {
        Self {
            kind,
            locals: Vec::with_capacity(4),
            defaults: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            clocks: Vec::new(),
            guards: Vec::new(),
            updates: Vec::new(),
            guesses: Vec::new(),
            units: Vec::new(),
        }
    }

    /// Declares the unit of an input, output, parameter, state, discrete state or definition.
    ///
    /// Units are optional: what has none fits everything. [`build`](Self::build) checks the
    /// equations, where `time` is in seconds, and connections are checked when they are made.
    pub fn unit(mut self, name: impl AsRef<str>, unit: Unit) -> Self {
        self.units.push((Symbol::new(name), unit));
        self
    }

    /// Says where the iteration for a definition or output begins if it is a variable of an
    /// algebraic loop, and prefers it as one. The guess may read parameters, states, discrete
    /// states and `time`. Default: 0.
    pub fn guess(mut self, name: impl AsRef<str>, guess: impl Into<Expr>) -> Self {
        self.guesses.push((Symbol::new(name), guess.into()));
        self
    }

    /// Declares a discrete state with its value before the first instant.
    pub fn discrete(self, name: impl AsRef<str>, start: impl Into<Expr>) -> Self {
        let start = start.into();
        self.push(name.as_ref(), Role::Discrete { start })
    }

    /// Declares a clock; its name is local to the block.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clocks.push(clock);
        self
    }

    /// Declares a guard and the function that it watches; its name is local to the block.
    pub fn guard(mut self, guard: Guard, expression: impl Into<Expr>) -> Self {
        self.guards.push(GuardEquation {
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
        self.updates.push(NamedUpdate {
            trigger: trigger.into(),
            target: Symbol::new(target),
            expression: expression.into(),
            priority,
            sample: false,
        });
        self
    }

    /// Declares a sample: a signal that is evaluated at the clock or guard `trigger` and held in
    /// between, see [`Update`](crate::Update).
    pub fn sample(
        mut self,
        name: impl AsRef<str>,
        trigger: impl Into<Arc<str>>,
        expression: impl Into<Expr>,
        start: impl Into<Expr>,
    ) -> Self {
        let target = Symbol::new(name.as_ref());
        self = self.discrete(name, start);
        self.updates.push(NamedUpdate {
            trigger: trigger.into(),
            target,
            expression: expression.into(),
            priority: 0,
            sample: true,
        });
        self
    }

    /// Declares an input.
    pub fn input(mut self, name: impl AsRef<str>) -> Self {
        self.inputs.push(self.locals.len());
        self.push(name.as_ref(), Role::Input)
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
        self.defaults.push(default);
        let default = self.defaults.len() - 1;
        self.push(name.as_ref(), Role::Parameter { default, range })
    }

    /// Declares a continuous state with its derivative and its value at the start.
    ///
    /// The start may depend on parameters and on `time` (the start time).
    pub fn state(
        self,
        name: impl AsRef<str>,
        derivative: impl Into<Expr>,
        start: impl Into<Expr>,
    ) -> Self {
        let role = Role::State {
            derivative: derivative.into(),
            start: start.into(),
        };
        self.push(name.as_ref(), role)
    }

    /// Declares a local quantity that other equations of the block use by name.
    pub fn definition(self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        self.push(name.as_ref(), equation(expression.into()))
    }

    /// Declares an output.
    pub fn output(mut self, name: impl AsRef<str>, expression: impl Into<Expr>) -> Self {
        self.outputs.push(self.locals.len());
        self.push(name.as_ref(), equation(expression.into()))
    }

    fn push(mut self, name: &str, role: Role) -> Self {
        self.locals.push(Local {
            symbol: Symbol::new(name),
            role,
            unit: None,
        });
        self
    }

    /// Checks and finishes the description.
    ///
    /// Cost: linear in the equations, plus sorting the names.
    ///
    /// # Errors
    ///
    /// [`BlockError::Name`] for a name that is malformed, reserved or taken;
    /// [`BlockError::UnknownSymbol`] for an equation that uses an undeclared name;
    /// [`BlockError::Value`] for a parameter that is NaN; [`BlockError::Update`] for an update
    /// without trigger or target; [`BlockError::Unit`] for an equation whose units do not fit.
    pub fn build(self) -> Result<BlockSpec, BlockError> {
        let Self {
            kind,
            mut locals,
            defaults,
            inputs,
            outputs,
            clocks,
            guards,
            updates,
            guesses,
            units,
        } = self;
        for local in &locals {
            check_name(local.symbol.name())
                .map_err(|problem| refuse_name(&kind, local, problem))?;
        }
        let by_name = sort_names(&kind, &locals)?;
        check_parameters(&kind, &locals, &defaults)?;
        find_uses(&kind, &mut locals, &by_name)?;
        check_triggers(&kind, &clocks, &guards)?;
        let mut own = Vec::with_capacity(updates.len());
        for update in updates {
            own.push(resolve(
                &kind,
                &locals,
                &by_name,
                (&clocks, &guards),
                update,
            )?);
        }
        for equation in &guards {
            let name = Symbol::new(&equation.guard.name);
            check_event(&kind, &locals, &by_name, &name, &equation.expression)?;
        }
        take_units(&kind, &mut locals, &by_name, &units)?;
        if !units.is_empty() {
            units::check(&kind, &locals, &by_name, (&guards, &own))?;
        }
        let guesses = check_guesses(&kind, &locals, &by_name, guesses)?;
        let form = Form {
            kind,
            guesses,
            locals,
            by_name,
            inputs,
            outputs,
            clocks,
            guards,
            updates: own,
        };
        Ok(BlockSpec {
            form: Arc::new(form),
            defaults: Numbers::from(&defaults[..]),
        })
    }
}

/// Parts of a block whose equations are known to be complete; names are paths.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub(crate) kind: &'static str,
    pub(crate) locals: Vec<Local>,
    pub(crate) defaults: Vec<f64>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) guards: Vec<GuardEquation>,
    pub(crate) updates: Vec<BlockUpdate>,
    /// Positions in `locals`, ascending.
    pub(crate) outputs: Vec<usize>,
    /// By position in `locals`.
    pub(crate) guesses: Vec<(usize, Expr)>,
}

impl Assembly {
    /// Sorts the names and finds what equations use.
    pub(crate) fn build(self) -> Result<BlockSpec, BlockError> {
        let mut locals = self.locals;
        let by_name = sort_names(self.kind, &locals)?;
        let uses = |local: &Local| -> Vec<usize> {
            let Role::Equation { expression, .. } = &local.role else {
                return Vec::new();
            };
            let symbols = expression.dependencies();
            let uses = symbols.iter().map(|symbol| base_name(symbol.name()));
            uses.filter_map(|name| find(&locals, &by_name, name))
                .collect()
        };
        let all: Vec<Vec<usize>> = locals.iter().map(uses).collect();
        for (local, found) in locals.iter_mut().zip(all) {
            if let Role::Equation { uses, .. } = &mut local.role {
                *uses = found;
            }
        }
        let inputs = (0..locals.len()).filter(|&i| matches!(locals[i].role, Role::Input));
        let form = Form {
            kind: self.kind.into(),
            inputs: inputs.collect(),
            locals,
            by_name,
            outputs: self.outputs,
            clocks: self.clocks,
            guards: self.guards,
            updates: self.updates,
            guesses: self.guesses,
        };
        Ok(BlockSpec {
            form: Arc::new(form),
            defaults: Numbers::from(&self.defaults[..]),
        })
    }
}

impl Role {
    fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Self::Input | Self::Parameter { .. } => (None, None),
            Self::State { derivative, start } => (Some(derivative), Some(start)),
            Self::Discrete { start } => (Some(start), None),
            Self::Equation { expression, .. } => (Some(expression), None),
        };
        first.into_iter().chain(second)
    }
}

/// Finds what each equation uses; every name must be declared.
fn find_uses(kind: &str, locals: &mut [Local], by_name: &[usize]) -> Result<(), BlockError> {
    for position in 0..locals.len() {
        let local = &locals[position];
        let (mut found, mut symbols) = (Vec::new(), Vec::new());
        for expression in local.role.expressions() {
            expression.dependencies_into(&mut symbols);
            for symbol in &symbols {
                match find(locals, by_name, symbol.name()) {
                    Some(position) => found.push(position),
                    None if symbol.name() == TIME => {}
                    None => return Err(unknown_symbol(kind, local, symbol, locals)),
                }
            }
        }
        if let Role::Equation { uses, .. } = &mut locals[position].role {
            *uses = found;
        }
    }
    Ok(())
}

/// Gives the quantities their units.
fn take_units(
    kind: &str,
    locals: &mut [Local],
    by_name: &[usize],
    units: &[(Symbol, Unit)],
) -> Result<(), BlockError> {
    for (name, unit) in units {
        match find(locals, by_name, name.name()) {
            Some(position) => locals[position].unit = Some(unit.clone()),
            None => return Err(unknown_unit(kind, name, locals)),
        }
    }
    Ok(())
}

/// Defaults are numbers, in ranges that are not empty.
fn check_parameters(kind: &str, locals: &[Local], defaults: &[f64]) -> Result<(), BlockError> {
    for local in locals {
        let Role::Parameter { default, range } = local.role else {
            continue;
        };
        let value = defaults[default];
        if !is_default(value, range) {
            return Err(BlockError::Value {
                kind: kind.to_owned(),
                setting: local.symbol.name().to_owned(),
                value,
                requirement: if range != ParameterRange::FINITE {
                    "must be in the range that is declared for the parameter"
                } else {
                    "must be a number"
                },
            });
        }
    }
    Ok(())
}

/// Names of clocks and guards are names, and different.
fn check_triggers(
    kind: &str,
    clocks: &[Clock],
    guards: &[GuardEquation],
) -> Result<(), BlockError> {
    let refuse = |name: &str, problem| BlockError::Name {
        kind: kind.to_owned(),
        name: name.to_owned(),
        problem,
    };
    let clocks = clocks.iter().map(|clock| &clock.name);
    let mut names: Vec<&Arc<str>> = clocks
        .chain(guards.iter().map(|equation| &equation.guard.name))
        .collect();
    for name in &names {
        check_name(name).map_err(|problem| refuse(name, problem))?;
    }
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refuse(pair[0], NameProblem::Duplicate)),
        None => Ok(()),
    }
}

/// Symbols of an equation of events; `pre(x)` counts as `x`.
fn check_event(
    kind: &str,
    locals: &[Local],
    by_name: &[usize],
    equation: &Symbol,
    expression: &Expr,
) -> Result<(), BlockError> {
    for symbol in expression.dependencies() {
        let name = base_name(symbol.name());
        if find(locals, by_name, name).is_none() && name != TIME {
            let local = Local {
                symbol: equation.clone(),
                role: Role::Input,
                unit: None,
            };
            return Err(unknown_symbol(kind, &local, &symbol, locals));
        }
    }
    Ok(())
}

/// Guesses are of equations and read what is known before any equation.
fn check_guesses(
    kind: &str,
    locals: &[Local],
    by_name: &[usize],
    guesses: Vec<(Symbol, Expr)>,
) -> Result<Vec<(usize, Expr)>, BlockError> {
    let role = |name: &str| find(locals, by_name, name).map(|local| &locals[local].role);
    let mut found = Vec::with_capacity(guesses.len());
    for (target, guess) in guesses {
        let own = find(locals, by_name, target.name())
            .filter(|&local| matches!(locals[local].role, Role::Equation { .. }));
        let symbols = guess.dependencies();
        let bad = symbols.iter().find(|symbol| {
            let role = role(symbol.name());
            symbol.name() != TIME
                && matches!(role, None | Some(Role::Input | Role::Equation { .. }))
        });
        let refuse = |symbol: &Symbol| BlockError::Guess {
            kind: kind.to_owned(),
            equation: target.name().to_owned(),
            symbol: symbol.name().to_owned(),
        };
        match (own, bad) {
            (Some(own), None) => found.push((own, guess)),
            (_, Some(symbol)) => return Err(refuse(symbol)),
            (None, None) => return Err(refuse(&target)),
        }
    }
    Ok(found)
}

fn resolve(
    kind: &str,
    locals: &[Local],
    by_name: &[usize],
    (clocks, guards): (&[Clock], &[GuardEquation]),
    update: NamedUpdate,
) -> Result<BlockUpdate, BlockError> {
    check_event(kind, locals, by_name, &update.target, &update.expression)?;
    let clock = clocks.iter().position(|clock| clock.name == update.trigger);
    let guard = guards
        .iter()
        .position(|equation| equation.guard.name == update.trigger);
    let trigger = clock
        .map(Trigger::Clock)
        .or_else(|| guard.map(Trigger::Guard));
    let target = find(locals, by_name, update.target.name()).filter(|&local| {
        matches!(
            (&locals[local].role, update.sample),
            (Role::State { .. }, false) | (Role::Discrete { .. }, _)
        )
    });
    let (Some(trigger), Some(target)) = (trigger, target) else {
        return Err(BlockError::Update {
            kind: kind.to_owned(),
            variable: update.target.name().to_owned(),
            trigger: update.trigger.to_string(),
        });
    };
    Ok(BlockUpdate {
        trigger,
        target,
        expression: update.expression,
        priority: update.priority,
        sample: update.sample,
    })
}

pub(crate) fn equation(expression: Expr) -> Role {
    Role::Equation {
        expression,
        uses: Vec::new(),
    }
}

fn sort_names(kind: &str, locals: &[Local]) -> Result<Vec<usize>, BlockError> {
    let mut by_name: Vec<usize> = (0..locals.len()).collect();
    by_name.sort_by(|&a, &b| locals[a].symbol.name().cmp(locals[b].symbol.name()));
    for pair in by_name.windows(2) {
        if locals[pair[0]].symbol.name() == locals[pair[1]].symbol.name() {
            let second = &locals[pair[1]];
            return Err(refuse_name(kind, second, NameProblem::Duplicate));
        }
    }
    Ok(by_name)
}

fn refuse_name(kind: &str, local: &Local, problem: NameProblem) -> BlockError {
    BlockError::Name {
        kind: kind.to_owned(),
        name: local.symbol.name().to_owned(),
        problem,
    }
}

pub(super) fn find(locals: &[Local], by_name: &[usize], name: &str) -> Option<usize> {
    by_name
        .binary_search_by(|&local| locals[local].symbol.name().cmp(name))
        .ok()
        .map(|position| by_name[position])
}

fn unknown_unit(kind: &str, name: &Symbol, locals: &[Local]) -> BlockError {
    let known = locals.iter().map(|local| local.symbol.name());
    BlockError::UnknownSymbol {
        kind: kind.to_owned(),
        equation: "unit".to_owned(),
        symbol: name.name().to_owned(),
        nearest: nearest(name.name(), known).map(str::to_owned),
    }
}

fn unknown_symbol(kind: &str, local: &Local, symbol: &Symbol, locals: &[Local]) -> BlockError {
    let known = locals.iter().map(|local| local.symbol.name()).chain([TIME]);
    BlockError::UnknownSymbol {
        kind: kind.to_owned(),
        equation: local.symbol.name().to_owned(),
        symbol: symbol.name().to_owned(),
        nearest: nearest(symbol.name(), known).map(str::to_owned),
    }
}
