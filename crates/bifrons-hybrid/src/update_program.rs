//! What happens at an instant, compiled.

use std::collections::{BTreeMap, BTreeSet};

use bifrons_expr::{CompileError, Expr, Symbol, TapeBuilder};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, InstantNode, Meaning, Update, base_name, pre_symbol};
use crate::event::{Instant, Trigger};
use crate::loop_program::Loops;
use crate::name::TIME;
use crate::program::{Program, ProgramRegisters};
use crate::system::LoopFailure;

/// What an update writes, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    State(usize),
    Discrete(usize),
}

/// All updates of one trigger, or of any set of triggers that is due together.
#[derive(Debug, Clone)]
pub(crate) struct UpdateProgram {
    program: Program,
    targets: Vec<Target>,
    /// Triggers whose flags follow the states among the variables; empty for one trigger alone.
    flags: Vec<Trigger>,
    states: usize,
}

/// Working memory of an [`UpdateProgram`].
#[derive(Debug, Clone)]
pub(crate) struct UpdateRegisters {
    registers: ProgramRegisters<1>,
    /// States, then flags.
    variables: Vec<[f64; 1]>,
    results: Vec<[f64; 1]>,
}

impl UpdateProgram {
    /// The updates of one trigger alone; `None` if it has none.
    pub(crate) fn alone(
        system: &EquationSystem,
        trigger: Trigger,
    ) -> Result<Option<Self>, CompileError> {
        let due = |update: &Update| update.trigger == trigger;
        if !system.updates().iter().any(due) {
            return Ok(None);
        }
        Self::compile(system, due, Vec::new()).map(Some)
    }

    /// All updates, each where its trigger's flag is set; `None` unless two triggers have some.
    pub(crate) fn together(system: &EquationSystem) -> Result<Option<Self>, CompileError> {
        let triggers: BTreeSet<Trigger> = system.updates().iter().map(|u| u.trigger).collect();
        if triggers.len() < 2 {
            return Ok(None);
        }
        let flags = triggers.into_iter().collect();
        Self::compile(system, |_| true, flags).map(Some)
    }

    fn compile(
        system: &EquationSystem,
        due: impl Fn(&Update) -> bool,
        flags: Vec<Trigger>,
    ) -> Result<Self, CompileError> {
        let values = new_values(system, due, !flags.is_empty());
        let samples = system.sample_marks();
        let mut targets = Vec::with_capacity(values.len());
        let mut roots = Vec::with_capacity(values.len());
        for (symbol, value) in &values {
            match system.meaning(symbol) {
                Some(Meaning::State(index)) => {
                    targets.push(Target::State(index));
                    roots.push(value.clone());
                }
                Some(Meaning::Discrete(index)) => {
                    targets.push(Target::Discrete(index));
                    roots.push(if samples[index] {
                        Expr::symbol(symbol)
                    } else {
                        value.clone()
                    });
                }
                _ => {}
            }
        }
        let program = Loops::program(system, roots, &|roots| {
            bare(system, &values, &samples, &flags, roots)
        })?;
        Ok(Self {
            program,
            targets,
            flags,
            states: system.states().len(),
        })
    }

    pub(crate) fn registers(&self) -> UpdateRegisters {
        UpdateRegisters {
            registers: self.program.registers(),
            variables: vec![[0.0]; self.states + self.flags.len()],
            results: vec![[0.0]; self.targets.len()],
        }
    }

    pub(crate) fn footprint(&self) -> Footprint {
        let numbers = self.states + self.flags.len() + self.targets.len();
        self.program
            .footprint(1)
            .beside(Footprint::of::<f64>(numbers))
    }

    /// Writes the variables that are updated into `state` and `discrete`.
    pub(crate) fn run(
        &self,
        level: Level,
        memory: &mut UpdateRegisters,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        self.program.set_values(
            &mut memory.registers,
            0,
            instant.parameters,
            instant.discrete,
        );
        let flags = self.flags.iter().map(|trigger| match *trigger {
            Trigger::Clock(index) => f64::from(u8::from(instant.clocks[index])),
            Trigger::Guard(index) => f64::from(u8::from(instant.guards[index])),
        });
        let before = instant.state.iter().copied().chain(flags);
        for (variable, value) in memory.variables.iter_mut().zip(before) {
            *variable = [value];
        }
        let inputs: [&[[f64; 1]]; 2] = [&[[instant.t]], &memory.variables];
        self.program
            .evaluate(level, &mut memory.registers, &inputs, &mut memory.results);
        for (target, [value]) in self.targets.iter().zip(&memory.results) {
            match *target {
                Target::State(index) => state[index] = *value,
                Target::Discrete(index) => discrete[index] = *value,
            }
        }
    }
}

impl UpdateRegisters {
    pub(crate) fn loop_failure(&self) -> Option<LoopFailure> {
        self.registers.loop_failure(0)
    }
}

/// The program without the loops that it needs, and marks of their unknowns.
fn bare(
    system: &EquationSystem,
    values: &BTreeMap<Symbol, Expr>,
    samples: &[bool],
    flags: &[Trigger],
    roots: Vec<Expr>,
) -> Result<(Program, Vec<bool>), CompileError> {
    let wanted = reachable(system, values, samples, &roots);
    let unknowns = system.unknowns().map(|symbol| wanted.contains(symbol));
    let unknowns: Vec<bool> = unknowns.collect();
    let tape = assemble(system, values, &wanted, samples, flags, roots)?;
    let offset = system.parameters().len();
    let held = tape.parameters().iter().filter_map(|symbol| {
        match system.meaning(&Symbol::new(base_name(symbol.name())))? {
            Meaning::Parameter(index) => Some(index),
            Meaning::Discrete(index) => Some(offset + index),
            _ => None,
        }
    });
    let held = held.collect();
    let reads_unknowns = unknowns.contains(&true);
    Ok((Program::from_tape(tape, held, reads_unknowns), unknowns))
}

fn flag_symbol(trigger: Trigger) -> Symbol {
    Symbol::from(match trigger {
        Trigger::Clock(index) => format!("due(clock {index})"),
        Trigger::Guard(index) => format!("due(guard {index})"),
    })
}

/// The new value of every variable that some of the updates write: the due one with the largest
/// priority, or the value before.
fn new_values(
    system: &EquationSystem,
    due: impl Fn(&Update) -> bool,
    flagged: bool,
) -> BTreeMap<Symbol, Expr> {
    let mut updates: Vec<&Update> = system.updates().iter().filter(|u| due(u)).collect();
    updates.sort_by_key(|update| update.priority);
    let mut values: BTreeMap<Symbol, Expr> = BTreeMap::new();
    for update in updates {
        let before = values
            .remove(&update.target)
            .unwrap_or_else(|| Expr::symbol(pre_symbol(&update.target)));
        let value = if flagged {
            let flag = Expr::symbol(flag_symbol(update.trigger));
            Expr::select(flag.gt(0.0), &update.expression, before)
        } else {
            update.expression.clone()
        };
        values.insert(update.target.clone(), value);
    }
    values
}

/// The tape: definitions and samples that the roots need, in the order of the instant.
fn assemble(
    system: &EquationSystem,
    values: &BTreeMap<Symbol, Expr>,
    wanted: &BTreeSet<Symbol>,
    samples: &[bool],
    flags: &[Trigger],
    roots: Vec<Expr>,
) -> Result<bifrons_expr::Tape, CompileError> {
    let mut builder = TapeBuilder::new();
    let is_wanted = |symbol: &Symbol| wanted.contains(symbol);
    for parameter in system.parameters() {
        if is_wanted(&parameter.symbol) {
            builder = builder.parameters([parameter.symbol.clone()]);
        }
    }
    let mut aliases = Vec::new();
    for (index, discrete) in system.discretes().iter().enumerate() {
        let (own, before) = (&discrete.symbol, pre_symbol(&discrete.symbol));
        let computed = samples[index] && values.contains_key(own);
        if computed && is_wanted(&before) {
            builder = builder.parameters([before]);
        } else if !computed && (is_wanted(own) || is_wanted(&before)) {
            builder = builder.parameters([own.clone()]);
            if is_wanted(&before) {
                aliases.push((before, Expr::symbol(own)));
            }
        }
    }
    let states = system.states().iter().map(|state| state.symbol.clone());
    let reads_unknowns = system.unknowns().any(is_wanted);
    let unknowns = system.unknowns().filter(|_| reads_unknowns).cloned();
    builder = builder
        .variables([Symbol::new(TIME)])
        .variables(states)
        .variables(flags.iter().map(|&trigger| flag_symbol(trigger)))
        .variables(unknowns);
    for state in system.states() {
        let before = pre_symbol(&state.symbol);
        if is_wanted(&before) {
            aliases.push((before, Expr::symbol(&state.symbol)));
        }
    }
    for (symbol, value) in aliases {
        builder = builder.define(symbol, value);
    }
    define_nodes(system, values, wanted, builder)
        .outputs(roots)
        .build()
}

/// The wanted definitions, and the samples that are due, in the order of the instant.
fn define_nodes(
    system: &EquationSystem,
    values: &BTreeMap<Symbol, Expr>,
    wanted: &BTreeSet<Symbol>,
    mut builder: TapeBuilder,
) -> TapeBuilder {
    for node in system.instant() {
        let (symbol, expression) = match node {
            InstantNode::Definition(index) => {
                let definition = &system.definitions()[index];
                (&definition.symbol, Some(&definition.expression))
            }
            InstantNode::Sample(index) => {
                let symbol = &system.discretes()[index].symbol;
                (symbol, values.get(symbol))
            }
        };
        if let Some(expression) = expression
            && wanted.contains(symbol)
        {
            builder = builder.define(symbol.clone(), expression.clone());
        }
    }
    builder
}

/// Every symbol that the roots read, directly or through definitions and samples that are due.
fn reachable(
    system: &EquationSystem,
    values: &BTreeMap<Symbol, Expr>,
    samples: &[bool],
    roots: &[Expr],
) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    let mut open: Vec<Symbol> = roots.iter().flat_map(Expr::dependencies).collect();
    while let Some(symbol) = open.pop() {
        if !found.insert(symbol.clone()) {
            continue;
        }
        match system.meaning(&symbol) {
            Some(Meaning::Definition(index)) => {
                open.extend(system.definitions()[index].expression.dependencies());
            }
            Some(Meaning::Discrete(index)) if samples[index] => {
                open.extend(
                    values
                        .get(&symbol)
                        .map(Expr::dependencies)
                        .unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    found
}
