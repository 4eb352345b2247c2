//! Guards and updates of equations, compiled to tapes.

use std::slice;
use std::sync::Arc;

use bifrons_expr::{Expr, Symbol};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, Meaning};
use crate::error::EquationError;
use crate::event::{Course, EventTable, Guard, Instant, TimeGrid, Trigger};
use crate::name::TIME;
use crate::program::{Program, ProgramRegisters};
use crate::system::LoopFailure;
use crate::time_guards::{TimeGuardMemory, TimeGuards};
use crate::update_program::{UpdateProgram, UpdateRegisters};

/// What a system does at instants.
#[derive(Debug, Clone)]
pub(crate) struct TapeEvents {
    table: EventTable,
    /// Values of the guards and their time derivatives, if there are guards.
    guards: Option<(Program, Program)>,
    /// What is known of guards of time alone, if there are guards.
    time_guards: Option<TimeGuards>,
    /// One per clock, then one per guard; `None` for one without updates.
    alone: Vec<Option<UpdateProgram>>,
    /// For triggers that are due at once.
    together: Option<UpdateProgram>,
}

/// Working memory of a [`TapeEvents`].
#[derive(Debug, Clone)]
pub(crate) struct EventRegisters {
    guards: Option<(ProgramRegisters<1>, ProgramRegisters<1>)>,
    time_guards: Option<TimeGuardMemory>,
    alone: Vec<Option<UpdateRegisters>>,
    together: Option<UpdateRegisters>,
}

impl TapeEvents {
    pub(crate) fn new(system: &EquationSystem, states: &[Symbol]) -> Result<Self, EquationError> {
        TimeGrid::new(system.clocks()).map_err(|source| EquationError::Clocks {
            system: system.name().to_owned(),
            source,
        })?;
        let tape = |source| EquationError::Tape {
            system: system.name().to_owned(),
            source,
        };
        let roots = system.guards().iter().map(|g| g.expression.clone());
        let inserted = system.inserted(roots.collect());
        let guards = if system.guards().is_empty() {
            None
        } else {
            let values = system.guards().iter().map(|g| g.expression.clone());
            let values = Program::new(system, states, values.collect()).map_err(tape)?;
            let rates = if table(system).has_rates() {
                inserted.iter().map(|guard| rate(system, guard)).collect()
            } else {
                vec![Expr::constant(0.0); system.guards().len()]
            };
            let rates = Program::new(system, states, rates).map_err(tape)?;
            Some((values, rates))
        };
        let time_guards = guards.is_some().then(|| TimeGuards::new(system, &inserted));
        let clocks = (0..system.clocks().len()).map(Trigger::Clock);
        let triggers = clocks.chain((0..system.guards().len()).map(Trigger::Guard));
        let alone = triggers
            .map(|trigger| UpdateProgram::alone(system, trigger).map_err(tape))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            table: table(system),
            guards,
            time_guards,
            alone,
            together: UpdateProgram::together(system).map_err(tape)?,
        })
    }

    pub(crate) fn table(&self) -> &EventTable {
        &self.table
    }

    /// `None` if nothing ever happens.
    pub(crate) fn registers(&self) -> Option<Box<EventRegisters>> {
        if self.table.is_empty() {
            return None;
        }
        let guards = self.guards.as_ref();
        Some(Box::new(EventRegisters {
            guards: guards.map(|(values, rates)| (values.registers(), rates.registers())),
            time_guards: self.time_guards.as_ref().map(TimeGuards::memory),
            alone: self
                .alone
                .iter()
                .map(|program| program.as_ref().map(UpdateProgram::registers))
                .collect(),
            together: self.together.as_ref().map(UpdateProgram::registers),
        }))
    }

    pub(crate) fn footprint(&self, lanes: usize) -> Footprint {
        if lanes != 1 || self.table.is_empty() {
            return Footprint::ZERO;
        }
        let mut all = Footprint::of::<EventRegisters>(1)
            .beside(Footprint::of::<Option<UpdateRegisters>>(self.alone.len()));
        if let Some((values, rates)) = &self.guards {
            all = all.beside(values.footprint(1)).beside(rates.footprint(1));
        }
        if let Some(guards) = &self.time_guards {
            all = all.beside(guards.footprint());
        }
        for program in self.alone.iter().chain([&self.together]).flatten() {
            all = all.beside(program.footprint());
        }
        all
    }

    /// Updates get their values when they run.
    pub(crate) fn set_values(
        &self,
        memory: &mut EventRegisters,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        if let (Some((values, rates)), Some((value_memory, rate_memory))) =
            (&self.guards, &mut memory.guards)
        {
            values.set_values(value_memory, 0, parameters, discrete);
            rates.set_values(rate_memory, 0, parameters, discrete);
        }
        if let (Some(guards), Some(memory)) = (&self.time_guards, &mut memory.time_guards) {
            guards.set_values(memory, parameters, discrete);
        }
    }

    pub(crate) fn course(
        &self,
        memory: &mut EventRegisters,
        guard: usize,
        span: (f64, f64),
    ) -> Option<Course> {
        let guards = self.time_guards.as_ref()?;
        guards.course(memory.time_guards.as_mut()?, guard, span)
    }

    pub(crate) fn guards(
        &self,
        level: Level,
        memory: &mut EventRegisters,
        t: f64,
        x: &[f64],
        guards: &mut [f64],
    ) {
        if let (Some((program, _)), Some((registers, _))) = (&self.guards, &mut memory.guards) {
            evaluate(program, level, registers, t, x, guards);
        }
    }

    pub(crate) fn rates(
        &self,
        level: Level,
        memory: &mut EventRegisters,
        t: f64,
        x: &[f64],
        rates: &mut [f64],
    ) {
        if let (Some((_, program)), Some((_, registers))) = (&self.guards, &mut memory.guards) {
            evaluate(program, level, registers, t, x, rates);
        }
    }

    pub(crate) fn update(
        &self,
        level: Level,
        memory: &mut EventRegisters,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        let due = instant.clocks.iter().chain(instant.guards);
        let mut due = due.enumerate().filter(|(_, due)| **due);
        let (first, second) = (due.next(), due.next());
        let (program, registers) = match (first, second) {
            (None, _) => return,
            (Some((only, _)), None) => (&self.alone[only], &mut memory.alone[only]),
            // Without a program for several, at most one of them has updates.
            (Some((one, _)), Some((two, _))) => match &self.together {
                Some(_) => (&self.together, &mut memory.together),
                None => {
                    let rest = due.map(|(position, _)| position);
                    let mut all = [one, two].into_iter().chain(rest);
                    let Some(found) = all.find(|&position| self.alone[position].is_some()) else {
                        return;
                    };
                    (&self.alone[found], &mut memory.alone[found])
                }
            },
        };
        if let (Some(program), Some(registers)) = (program, registers) {
            program.run(level, registers, instant, state, discrete);
        }
    }
}

impl EventRegisters {
    /// The last loop without solution in guards or updates.
    pub(crate) fn loop_failure(&self) -> Option<LoopFailure> {
        let guards = self.guards.as_ref();
        let guards = guards.and_then(|(values, _)| values.loop_failure(0));
        let mut updates = self.alone.iter().chain([&self.together]).flatten();
        guards.or_else(|| updates.find_map(UpdateRegisters::loop_failure))
    }
}

fn evaluate(
    program: &Program,
    level: Level,
    registers: &mut ProgramRegisters<1>,
    t: f64,
    x: &[f64],
    results: &mut [f64],
) {
    let (x, results) = (x.as_chunks::<1>().0, results.as_chunks_mut::<1>().0);
    program.evaluate(level, registers, &[slice::from_ref(&[t]), x], results);
}

fn table(system: &EquationSystem) -> EventTable {
    let discretes = system.discretes().iter();
    let discretes = discretes.map(|d| Arc::from(d.symbol.name())).collect();
    let guards: Vec<Guard> = system.guards().iter().map(|g| g.guard.clone()).collect();
    let values: Vec<Expr> = system
        .guards()
        .iter()
        .map(|g| g.expression.clone())
        .collect();
    let needed = system.needed(&values);
    let table = EventTable::new(discretes, system.clocks().to_vec(), guards);
    let table = table.with_rivals(system.rivals());
    // The slope of an unknown of a loop is not an expression.
    if needed.unknowns.contains(&true) {
        table
    } else {
        table.with_rates()
    }
}

/// Time derivative along the solution of a guard with definitions inserted.
fn rate(system: &EquationSystem, guard: &Expr) -> Expr {
    let mut sum = guard.derivative(&Symbol::new(TIME));
    for symbol in guard.dependencies() {
        if let Some(Meaning::State(index)) = system.meaning(&symbol) {
            let slope = guard.derivative(&symbol);
            sum += slope * &system.states()[index].derivative;
        }
    }
    sum
}
