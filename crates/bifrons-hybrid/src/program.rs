//! A tape that knows which parameters of the system it reads.

use bifrons_expr::{CompileError, Expr, Registers, Symbol, SymbolCursor, Tape, TapeAssembly};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::EquationSystem;
use crate::layout::Layout;
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
    ///
    /// It runs between instants, where `pre(x)` is `x`.
    fn bare(
        system: &EquationSystem,
        states: &[Symbol],
        roots: Vec<Expr>,
    ) -> Result<(Self, Vec<bool>), CompileError> {
        let needed = system.needed(&roots);
        let layout = Layout::new(system, states, &needed);
        let (reads_time, reads_unknowns) = (needed.time, needed.unknowns.contains(&true));
        let time = reads_time.then(|| Symbol::new(TIME));
        let unknowns = system.unknowns().filter(|_| reads_unknowns);
        let variables = time
            .into_iter()
            .chain(states.iter().chain(unknowns).cloned());
        let definitions = (needed.definitions.iter()).zip(system.definitions());
        let definitions = definitions.filter(|(needed, _)| **needed).map(|own| own.1);
        let room = definitions.clone().count() + roots.len();
        let mut tape = TapeAssembly::new(layout.symbols(), variables.collect(), room);
        let mut cursor = SymbolCursor::default();
        for definition in definitions {
            let find = |symbol: &Symbol| layout.find(symbol, &mut cursor);
            tape.define(&definition.symbol, &definition.expression, find)?;
        }
        for root in &roots {
            tape.output(root, |symbol| layout.find(symbol, &mut cursor))?;
        }
        let program = Self {
            tape: tape.build()?,
            parameters: layout.parameters(),
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
