//! Definitions compiled for lanes: tapes, with calls of closures between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bifrons_expr::{CompileError, Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_lanes::{LANES, Level};
use bifrons_memory::Footprint;

use crate::formula::Closure;
use crate::scope::{Body, Definitions, MOST_ARGUMENTS};

/// One number for each lane.
pub(crate) type Lane = [f64; LANES];

/// A compiled function of lanes.
///
/// Slots hold one number per lane: inputs first, then what the steps compute, the outputs last.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    input_count: usize,
    output_count: usize,
    slot_count: usize,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Step {
    /// A tape reads all slots before its own outputs.
    Tape {
        tape: Arc<Tape>,
        /// Where each parameter of the tape is among those of the regime.
        parameters: Vec<usize>,
        /// First slot of the outputs.
        at: usize,
    },
    /// A closure reads the slots just before its own.
    Closure { closure: Closure, at: usize },
}

/// Working memory of a [`Program`].
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(crate) slots: Vec<Lane>,
    registers: Vec<Registers<LANES>>,
    /// Parameters of one tape.
    values: Vec<f64>,
}

/// Collects the steps of a program.
struct Assembler<'a> {
    definitions: &'a Definitions,
    /// Index of each parameter by its symbol.
    leaves: &'a BTreeMap<Symbol, usize>,
    slots: Vec<Symbol>,
    steps: Vec<Step>,
    /// Expressions that are defined up to here, operands first.
    pending: Vec<(Symbol, Expr)>,
}

impl Program {
    /// Compiles outputs of the inputs; `leaves` numbers the parameters.
    ///
    /// # Errors
    ///
    /// As [`TapeBuilder::build`]; cycles have to be excluded before.
    pub(crate) fn new(
        definitions: &Definitions,
        leaves: &BTreeMap<Symbol, usize>,
        inputs: &[Symbol],
        outputs: &[Expr],
    ) -> Result<Self, CompileError> {
        let roots = outputs.iter().flat_map(Expr::dependencies);
        let needed = definitions.needed(roots).unwrap_or_default();
        let mut assembler = Assembler {
            definitions,
            leaves,
            slots: inputs.to_vec(),
            steps: Vec::new(),
            pending: Vec::new(),
        };
        for name in needed.iter().filter(|name| !inputs.contains(name)) {
            match definitions.get(name) {
                Some(Body::Expr(expr)) => assembler.pending.push((name.clone(), expr.clone())),
                Some(Body::Closure(closure)) => assembler.call(name, closure)?,
                None => {}
            }
        }
        assembler.tape(outputs)?;
        for _ in outputs {
            assembler.slots.push(Symbol::new("output"));
        }
        Ok(Self {
            input_count: inputs.len(),
            output_count: outputs.len(),
            slot_count: assembler.slots.len(),
            steps: assembler.steps,
        })
    }

    /// Working memory; parameters are NaN until [`Program::set`].
    pub(crate) fn machine(&self) -> Machine {
        Machine {
            slots: vec![[0.0; LANES]; self.slot_count],
            registers: self
                .tapes()
                .map(|(tape, _)| tape.registers::<LANES>())
                .collect(),
            values: Vec::with_capacity(self.most_parameters()),
        }
    }

    /// Sets the parameters of the regime; the last two are age and period.
    pub(crate) fn set(&self, machine: &mut Machine, parameters: &[f64]) {
        let Machine {
            registers, values, ..
        } = machine;
        for ((tape, places), registers) in self.tapes().zip(registers) {
            values.clear();
            values.extend(places.iter().map(|&place| parameters[place]));
            for lane in 0..LANES {
                tape.set_parameters(registers, lane, values);
            }
        }
    }

    fn tapes(&self) -> impl Iterator<Item = (&Tape, &[usize])> + Clone {
        self.steps.iter().filter_map(|step| match step {
            Step::Tape {
                tape, parameters, ..
            } => Some((&**tape, &**parameters)),
            Step::Closure { .. } => None,
        })
    }

    fn most_parameters(&self) -> usize {
        let counts = self.tapes().map(|(_, places)| places.len());
        counts.max().unwrap_or(0)
    }

    /// Bytes of a [`Machine`].
    pub(crate) fn footprint(&self) -> Footprint {
        self.tapes()
            .map(|(tape, _)| tape.footprint(LANES))
            .fold(Footprint::of::<Lane>(self.slot_count), Footprint::beside)
            .beside(Footprint::of::<Registers<LANES>>(self.tapes().count()))
            .beside(Footprint::of::<f64>(self.most_parameters()))
    }

    /// Runs all steps on what the input slots hold.
    pub(crate) fn run(&self, level: Level, machine: &mut Machine) {
        let Machine {
            slots, registers, ..
        } = machine;
        let mut registers = registers.iter_mut();
        for step in &self.steps {
            match step {
                Step::Tape { tape, at, .. } => {
                    let (before, rest) = slots.split_at_mut(*at);
                    if let Some(registers) = registers.next() {
                        let outputs = &mut rest[..tape.output_count()];
                        tape.evaluate(level, registers, &[before], outputs);
                    }
                }
                Step::Closure { closure, at } => {
                    let count = closure.arguments.len();
                    let mut arguments = [0.0; MOST_ARGUMENTS];
                    for lane in 0..LANES {
                        for (i, argument) in arguments[..count].iter_mut().enumerate() {
                            *argument = slots[at - count + i][lane];
                        }
                        slots[*at][lane] = (closure.body)(&arguments[..count]);
                    }
                }
            }
        }
    }

    /// Number of inputs.
    pub(crate) fn input_count(&self) -> usize {
        self.input_count
    }

    /// Number of outputs.
    pub(crate) fn output_count(&self) -> usize {
        self.output_count
    }

    /// The outputs of the last run.
    pub(crate) fn outputs<'m>(&self, machine: &'m Machine) -> &'m [Lane] {
        &machine.slots[self.slot_count - self.output_count..]
    }
}

impl Assembler<'_> {
    /// A tape for these outputs, which get the next slots.
    fn tape(&mut self, outputs: &[Expr]) -> Result<(), CompileError> {
        let mut read: Vec<Symbol> = Vec::new();
        let exprs = self.pending.iter().map(|(_, expr)| expr).chain(outputs);
        for symbol in exprs.flat_map(Expr::dependencies) {
            if self.leaves.contains_key(&symbol) && !read.contains(&symbol) {
                read.push(symbol);
            }
        }
        let parameters = read.iter().map(|symbol| self.leaves[symbol]).collect();
        let mut builder = TapeBuilder::new()
            .parameters(read)
            .variables(self.slots.iter().cloned());
        for (name, expr) in &self.pending {
            builder = builder.define(name.clone(), expr.clone());
        }
        let tape = builder.outputs(outputs.iter().cloned()).build()?;
        self.steps.push(Step::Tape {
            tape: Arc::new(tape),
            parameters,
            at: self.slots.len(),
        });
        Ok(())
    }

    /// Arguments and result of a closure get slots.
    fn call(&mut self, name: &Symbol, closure: &Closure) -> Result<(), CompileError> {
        debug_assert!(self.definitions.get(name).is_some(), "a known name");
        let arguments: Vec<Expr> = closure.arguments.iter().map(Expr::symbol).collect();
        self.tape(&arguments)?;
        for _ in &arguments {
            let unused = format!("argument {}", self.slots.len());
            self.slots.push(Symbol::new(unused));
        }
        self.steps.push(Step::Closure {
            closure: closure.clone(),
            at: self.slots.len(),
        });
        self.slots.push(name.clone());
        Ok(())
    }
}
