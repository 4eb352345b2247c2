//! A tape that knows which parameters of the system it reads.

use bifrons_expr::{CompileError, Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, base_name};
use crate::loop_program::{LoopMemory, Loops};
use crate::name::TIME;
use crate::system::LoopFailure;

/// A straight-line program over `time`, if it is read, and some states.
///
/// Its tape has only the parameters that it needs, so that a system with many parameters does not
/// pay registers for each of them in every program.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    tape: Tape,
    /// Positions of the tape's parameters among those of the system, then of discrete states
    /// after all parameters.
    parameters: Vec<usize>,
    /// Whether `time` is the first variable of the tape.
    reads_time: bool,
    /// Whether the unknowns of all loops of the system are the last variables of the tape.
    reads_unknowns: bool,
    /// Solved before the tape runs.
    loops: Loops,
}

/// Working memory of a [`Program`].
#[derive(Debug, Clone)]
pub(crate) struct ProgramRegisters<const W: usize> {
    registers: Registers<W>,
    /// The tape's parameters of one member, on their way into a lane.
    parameters: Vec<f64>,
    loops: Option<Box<LoopMemory<W>>>,
}

impl Program {
    /// Compiles roots with what they need.
    pub(crate) fn new(
        system: &EquationSystem,
        states: &[Symbol],
        roots: Vec<Expr>,
    ) -> Result<Self, CompileError> {
        Loops::program(system, roots, &|roots| Self::bare(system, states, roots))
    }

    /// The program without the loops that it needs, and marks of their unknowns.
    fn bare(
        system: &EquationSystem,
        states: &[Symbol],
        roots: Vec<Expr>,
    ) -> Result<(Self, Vec<bool>), CompileError> {
        let needed = system.needed(&roots);
        let positions = |marks: &[bool]| -> Vec<usize> {
            let marked = marks.iter().enumerate().filter(|(_, needed)| **needed);
            marked.map(|(position, _)| position).collect()
        };
        let mut parameters = positions(&needed.parameters);
        let symbols: Vec<Symbol> = parameters
            .iter()
            .map(|&p| system.parameters()[p].symbol.clone())
            .collect();
        let discretes = positions(&needed.discretes);
        let held: Vec<Symbol> = discretes
            .iter()
            .map(|&d| system.discretes()[d].symbol.clone())
            .collect();
        let offset = system.parameters().len();
        parameters.extend(discretes.iter().map(|&d| offset + d));
        let roots: Vec<Expr> = roots.iter().map(|root| current(system, root)).collect();
        let definitions = positions(&needed.definitions);
        let time = Symbol::new(TIME);
        let reads_time = needed.time;
        let reads_unknowns = needed.unknowns.contains(&true);
        let mut builder = TapeBuilder::new()
            .parameters(symbols)
            .parameters(held)
            .variables(
                reads_time
                    .then_some(time)
                    .into_iter()
                    .chain(states.iter().cloned())
                    .chain(system.unknowns().filter(|_| reads_unknowns).cloned()),
            );
        for position in definitions {
            let definition = &system.definitions()[position];
            builder = builder.define(
                definition.symbol.clone(),
                current(system, &definition.expression),
            );
        }
        let tape = builder.outputs(roots).build()?;
        let program = Self {
            tape,
            parameters,
            reads_time,
            reads_unknowns,
            loops: Loops::default(),
        };
        Ok((program, needed.unknowns))
    }

    pub(crate) fn set_loops(&mut self, loops: Loops) {
        self.loops = loops;
    }

    /// Takes a tape over `time`, states and, if it reads them, unknowns, whose parameters are at `parameters` among the
    /// parameters and discrete states of the system.
    pub(crate) fn from_tape(tape: Tape, parameters: Vec<usize>, reads_unknowns: bool) -> Self {
        Self {
            tape,
            parameters,
            reads_time: true,
            reads_unknowns,
            loops: Loops::default(),
        }
    }

    pub(crate) fn instruction_count(&self) -> usize {
        self.tape.instruction_count()
    }

    pub(crate) fn registers<const W: usize>(&self) -> ProgramRegisters<W> {
        ProgramRegisters {
            registers: self.tape.registers(),
            parameters: vec![0.0; self.parameters.len()],
            loops: self.loops.memory(),
        }
    }

    /// `values` are all parameters of the system, `discrete` its discrete states.
    pub(crate) fn set_values<const W: usize>(
        &self,
        memory: &mut ProgramRegisters<W>,
        lane: usize,
        values: &[f64],
        discrete: &[f64],
    ) {
        for (own, &position) in memory.parameters.iter_mut().zip(&self.parameters) {
            *own = match position.checked_sub(values.len()) {
                None => values[position],
                Some(position) => discrete[position],
            };
        }
        self.tape
            .set_parameters(&mut memory.registers, lane, &memory.parameters);
        if let Some(loops) = &mut memory.loops {
            self.loops.set_values(loops, lane, values, discrete);
        }
    }

    /// `variables` are `time` and the states. Solves the loops first.
    #[inline]
    pub(crate) fn evaluate<const W: usize>(
        &self,
        level: Level,
        memory: &mut ProgramRegisters<W>,
        variables: &[&[[f64; W]]; 2],
        results: &mut [[f64; W]],
    ) {
        let Some(mut loops) = memory.loops.take() else {
            let variables = if self.reads_time {
                &variables[..]
            } else {
                &variables[1..]
            };
            let registers = &mut memory.registers;
            self.tape.evaluate(level, registers, variables, results);
            return;
        };
        self.loops.solve(level, &mut loops, variables);
        let [time, states] = variables;
        self.evaluate_solved(level, memory, &[time, states, &loops.unknowns], results);
        memory.loops = Some(loops);
    }

    /// `variables` are `time`, the states, and the unknowns of all loops.
    pub(crate) fn evaluate_solved<const W: usize>(
        &self,
        level: Level,
        memory: &mut ProgramRegisters<W>,
        variables: &[&[[f64; W]]; 3],
        results: &mut [[f64; W]],
    ) {
        let first = usize::from(!self.reads_time);
        let last = 2 + usize::from(self.reads_unknowns);
        let variables = &variables[first..last];
        self.tape
            .evaluate(level, &mut memory.registers, variables, results);
    }

    /// Memory of the registers for all lanes, and the parameters once.
    pub(crate) fn footprint(&self, lanes: usize) -> Footprint {
        self.tape
            .footprint(lanes)
            .beside(Footprint::of::<f64>(self.parameters.len()))
            .beside(self.loops.footprint(lanes))
    }
}

impl<const W: usize> ProgramRegisters<W> {
    /// The last loop without solution since the values of the lane were set.
    pub(crate) fn loop_failure(&self, lane: usize) -> Option<LoopFailure> {
        self.loops.as_ref().and_then(|loops| loops.failure(lane))
    }
}

/// The expression between instants, where `pre(x)` is `x`.
fn current(system: &EquationSystem, expression: &Expr) -> Expr {
    if system.discretes().is_empty() {
        return expression.clone();
    }
    expression.substitute(&mut |symbol| {
        let base = base_name(symbol.name());
        (base != symbol.name()).then(|| Expr::symbol(base))
    })
}
