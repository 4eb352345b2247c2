//! Formulas of a grid search taken apart by the states and actions that they read.
//!
//! A pair of a state and an action needs utility, feasibility and the value of the future. Mostly
//! none of them reads everything: with savings as an action the future does not know wealth, and
//! income does not know savings. What reads less becomes a table over the actions that it reads,
//! filled anew when a state changes that it reads.

mod layout;

pub(crate) use layout::{Layout, Place};

use std::collections::BTreeMap;

use bifrons_expr::{CompileError, Expr, Operand, Registers, Symbol, Tape, TapeBuilder};
use bifrons_lanes::{LANES, Level};
use bifrons_memory::Footprint;

use crate::edge::{MeshAxis, Producer};
use crate::program::{Lane, Machine, Program};
use crate::regime::Regime;
use crate::scope::{Body, Definitions};
use crate::solver::Solver;
use crate::space::Quantity;
use crate::stage::{Stage, constraint_symbol, on_edge, preference_symbol, probability_symbol};

/// Tables that a formula reads at most; they are passed on the stack.
const MOST_INPUTS: usize = 24;
/// Operations that are worth a table although it is over no fewer actions.
const WORTH_A_TABLE: u32 = 8;

/// Utility, feasibility and future of a regime in parts.
#[derive(Debug, Clone)]
pub(crate) struct Hoisted {
    /// Bits of the states, then of the actions, that the future depends on.
    pub(crate) future: u64,
    /// Operands before users, feasibility last.
    pub(crate) tables: Vec<Table>,
    pub(crate) utility: Table,
}

/// A formula of states, actions and tables before it.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Bits of the states and actions below it.
    pub(crate) reads: u64,
    pub(crate) inputs: Vec<Input>,
    code: Code,
}

/// What a formula reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    State(usize),
    Action(usize),
    Table(usize),
}

#[derive(Debug, Clone)]
enum Code {
    Tape {
        tape: Box<Tape>,
        /// Where each parameter of the tape is among those of the regime.
        parameters: Vec<usize>,
    },
    /// A closure with what its arguments need, as a function of all states and actions.
    Program(Program),
}

/// Working memory of a [`Table`].
#[derive(Debug)]
pub(crate) enum Memory {
    Tape(Registers<LANES>),
    Program(Machine),
}

/// The names of a regime and what they read.
struct Scan<'a> {
    stage: &'a Stage,
    symbols: Vec<&'a Symbol>,
    states: usize,
}

impl Hoisted {
    /// The parts of a regime that is solved by grid search; `None` where every pair has to be
    /// worked on alone.
    pub(crate) fn new(
        regime: &Regime,
        states: &[Quantity],
        actions: &[Quantity],
        stage: &Stage,
    ) -> Result<Option<Self>, CompileError> {
        let quantities = states.len() + actions.len();
        let searched = matches!(regime.solver, Solver::GridSearch) && !regime.is_terminal();
        // Reductions over branches go along rows of the last action.
        let rows = actions.last().is_some_and(|last| last.is_continuous());
        let reducible = regime.taste_shocks.is_none() || rows;
        if !searched
            || actions.is_empty()
            || quantities >= 64
            || !reducible
            || !regime.preferences.is_linear()
        {
            return Ok(None);
        }
        let scan = Scan {
            stage,
            symbols: states
                .iter()
                .chain(actions)
                .map(|own| &own.symbol)
                .collect(),
            states: states.len(),
        };
        let future = scan.future(regime);
        if future == (1 << quantities) - 1 {
            return Ok(None);
        }
        let hoisted = scan.take_apart(regime, future)?;
        let fits = |table: &Table| table.inputs.len() <= MOST_INPUTS;
        Ok(hoisted.filter(|own| own.tables.iter().chain([&own.utility]).all(fits)))
    }
}

impl Scan<'_> {
    /// Bits of a state or an action, or of what a closure needs.
    fn bits(&self, symbol: &Symbol) -> u64 {
        self.bits_in(&self.stage.definitions, symbol)
    }

    fn bits_in(&self, definitions: &Definitions, symbol: &Symbol) -> u64 {
        let own = |symbol: &Symbol| self.symbols.iter().position(|known| *known == symbol);
        let all = definitions.ancestors([symbol.clone()]);
        all.iter().filter_map(own).fold(0, |all, at| all | 1 << at)
    }

    /// What preferences, probabilities and laws read.
    fn future(&self, regime: &Regime) -> u64 {
        let names = regime.preferences.formulas();
        let mut bits = 0;
        for (name, _) in &names {
            bits |= self.bits(&preference_symbol(name));
        }
        if regime.taste_shocks.is_some() {
            bits |= self.bits(&preference_symbol("scale"));
        }
        for (index, edge) in self.stage.edges.iter().enumerate() {
            bits |= self.bits(&probability_symbol(index));
            let definitions = on_edge(&self.stage.definitions, regime, index);
            for law in &edge.plan.laws {
                bits |= self.bits_in(&definitions, law);
            }
            for producer in &edge.plan.producers {
                if let Producer::Fixed(source) = producer {
                    bits |= 1 << source;
                }
            }
            for axis in &edge.plan.axes {
                match axis {
                    MeshAxis::Markov { probabilities, .. } => {
                        for probability in probabilities {
                            bits |= self.bits(probability);
                        }
                    }
                    MeshAxis::Process { source, .. } => {
                        bits |= source.map_or(0, |source| 1 << source);
                    }
                    MeshAxis::Shock(_) => {}
                }
            }
        }
        bits
    }

    /// Parts of feasibility and utility.
    fn take_apart(&self, regime: &Regime, future: u64) -> Result<Option<Hoisted>, CompileError> {
        let definitions = &self.stage.definitions;
        let whole = |symbol: &Symbol| {
            let nothing = std::collections::BTreeSet::new();
            let inlined = definitions.inlined(symbol, &nothing);
            inlined.unwrap_or_else(|| Expr::symbol(symbol))
        };
        let constraints = regime.constraints.iter();
        let all = constraints
            .map(|(name, _)| whole(&constraint_symbol(name)))
            .reduce(|all, one| all * one);
        let feasible = all.unwrap_or_else(|| Expr::constant(1.0));
        let roots = [feasible, whole(&Symbol::new("utility"))];
        let actions = !((1_u64 << self.states) - 1);
        let parts = bifrons_expr::Hoisted::new(
            &roots,
            |symbol| self.bits(symbol),
            |number| Symbol::new(format!("part {number}")),
            |Operand {
                 reads, user, cost, ..
             }| reads & actions != user & actions || cost >= WORTH_A_TABLE,
        );
        let [(feasible, _), (utility, _)] = &*parts.roots else {
            return Ok(None);
        };
        let mut compiler = Compiler {
            scan: self,
            tables: Vec::new(),
            known: BTreeMap::new(),
        };
        for part in &parts.parts {
            compiler.closures(&part.expr)?;
            let table = compiler.table(&part.expr)?;
            compiler.push(part.symbol.clone(), table);
        }
        compiler.closures(utility)?;
        compiler.closures(feasible)?;
        let utility = compiler.table(utility)?;
        let feasible = compiler.table(feasible)?;
        let mut tables = compiler.tables;
        tables.push(feasible);
        Ok(Some(Hoisted {
            future,
            tables,
            utility,
        }))
    }
}

/// Makes tables of expressions.
struct Compiler<'a> {
    scan: &'a Scan<'a>,
    tables: Vec<Table>,
    /// Index of the table of a part or a closure.
    known: BTreeMap<Symbol, usize>,
}

impl Compiler<'_> {
    fn push(&mut self, symbol: Symbol, table: Table) {
        self.known.insert(symbol, self.tables.len());
        self.tables.push(table);
    }

    /// Tables of the closures that an expression reads.
    fn closures(&mut self, expr: &Expr) -> Result<(), CompileError> {
        let Scan {
            stage,
            symbols,
            states,
        } = self.scan;
        for symbol in expr.dependencies() {
            let body = stage.definitions.get(&symbol);
            if self.known.contains_key(&symbol) || !matches!(body, Some(Body::Closure(_))) {
                continue;
            }
            let inputs: Vec<Symbol> = symbols.iter().map(|&own| own.clone()).collect();
            let outputs = [Expr::symbol(&symbol)];
            let program = Program::new(&stage.definitions, &stage.leaves, &inputs, &outputs)?;
            let table = Table {
                reads: self.scan.bits(&symbol),
                inputs: (0..symbols.len()).map(|at| input(at, *states)).collect(),
                code: Code::Program(program),
            };
            self.push(symbol, table);
        }
        Ok(())
    }

    fn table(&self, expr: &Expr) -> Result<Table, CompileError> {
        let (mut inputs, mut variables) = (Vec::new(), Vec::new());
        let (mut places, mut parameters) = (Vec::new(), Vec::new());
        let mut reads = 0;
        for symbol in expr.dependencies() {
            let own = self.scan.symbols.iter().position(|known| **known == symbol);
            if let Some(&table) = self.known.get(&symbol) {
                reads |= self.tables[table].reads;
                inputs.push(Input::Table(table));
                variables.push(symbol);
            } else if let Some(at) = own {
                reads |= 1 << at;
                inputs.push(input(at, self.scan.states));
                variables.push(symbol);
            } else if let Some(&place) = self.scan.stage.leaves.get(&symbol) {
                places.push(place);
                parameters.push(symbol);
            }
        }
        let builder = TapeBuilder::new().parameters(parameters);
        let tape = builder.variables(variables).output(expr.clone()).build()?;
        Ok(Table {
            reads,
            inputs,
            code: Code::Tape {
                tape: Box::new(tape),
                parameters: places,
            },
        })
    }
}

fn input(at: usize, states: usize) -> Input {
    if at < states {
        Input::State(at)
    } else {
        Input::Action(at - states)
    }
}

impl Table {
    /// Working memory with the parameters of a period.
    pub(crate) fn memory(&self, parameters: &[f64]) -> Memory {
        match &self.code {
            Code::Tape {
                tape,
                parameters: places,
            } => {
                let mut registers = tape.registers::<LANES>();
                let values: Vec<f64> = places.iter().map(|&place| parameters[place]).collect();
                for lane in 0..LANES {
                    tape.set_parameters(&mut registers, lane, &values);
                }
                Memory::Tape(registers)
            }
            Code::Program(program) => {
                let mut machine = program.machine();
                program.set(&mut machine, parameters);
                Memory::Program(machine)
            }
        }
    }

    /// Bytes of a [`Memory`].
    pub(crate) fn footprint(&self) -> Footprint {
        match &self.code {
            Code::Tape { tape, .. } => tape.footprint(LANES),
            Code::Program(program) => program.footprint(),
        }
    }

    /// What one evaluation costs, in instructions.
    pub(crate) fn cost(&self) -> usize {
        match &self.code {
            Code::Tape { tape, .. } => tape.cost(),
            Code::Program(_) => 64,
        }
    }

    /// Value in sixteen lanes; `at` gives where in `before` each input is.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        level: Level,
        memory: &mut Memory,
        before: &[Lane],
        at: impl Iterator<Item = usize>,
        output: &mut Lane,
    ) {
        match (&self.code, memory) {
            (Code::Tape { tape, .. }, Memory::Tape(registers)) => {
                let mut variables: [&[Lane]; MOST_INPUTS] = [&[]; MOST_INPUTS];
                for (slice, at) in variables.iter_mut().zip(at) {
                    *slice = &before[at..=at];
                }
                let variables = &variables[..self.inputs.len()];
                tape.evaluate(level, registers, variables, core::slice::from_mut(output));
            }
            (Code::Program(program), Memory::Program(machine)) => {
                for (slot, at) in machine.slots.iter_mut().zip(at) {
                    *slot = before[at];
                }
                program.run(level, machine);
                *output = program
                    .outputs(machine)
                    .first()
                    .copied()
                    .unwrap_or([f64::NAN; LANES]);
            }
            // Memory is made by the table itself.
            _ => *output = [f64::NAN; LANES],
        }
    }
}
