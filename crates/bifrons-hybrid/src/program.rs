//! A tape that knows which parameters of the system it reads.

use bifrons_expr::{CompileError, Expr, Registers, Symbol, Tape, TapeBuilder};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::equations::{EquationSystem, base_name};
use crate::name::TIME;

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
}

/// Working memory of a [`Program`].
#[derive(Debug, Clone)]
pub(crate) struct ProgramRegisters<const W: usize> {
    registers: Registers<W>,
    /// The tape's parameters of one member, on their way into a lane.
    parameters: Vec<f64>,
}

impl Program {
    /// Compiles roots with what they need.
    pub(crate) fn new(
        system: &EquationSystem,
        states: &[Symbol],
        roots: Vec<Expr>,
    ) -> Result<Self, CompileError> {
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
        let defined = definitions
            .iter()
            .map(|&position| &system.definitions()[position].expression);
        let reads_time = roots
            .iter()
            .chain(defined)
            .any(|expression| expression.dependencies().contains(&time));
        let mut builder = TapeBuilder::new()
            .parameters(symbols)
            .parameters(held)
            .variables(
                reads_time
                    .then_some(time)
                    .into_iter()
                    .chain(states.iter().cloned()),
            );
        for position in definitions {
            let definition = &system.definitions()[position];
            builder = builder.define(
                definition.symbol.clone(),
                current(system, &definition.expression),
            );
        }
        let tape = builder.outputs(roots).build()?;
        Ok(Self {
            tape,
            parameters,
            reads_time,
        })
    }

    /// Takes a tape over `time` and states, whose parameters are at `parameters` among the
    /// parameters and discrete states of the system.
    pub(crate) fn from_tape(tape: Tape, parameters: Vec<usize>) -> Self {
        Self {
            tape,
            parameters,
            reads_time: true,
        }
    }

    pub(crate) fn instruction_count(&self) -> usize {
        self.tape.instruction_count()
    }

    pub(crate) fn registers<const W: usize>(&self) -> ProgramRegisters<W> {
        ProgramRegisters {
            registers: self.tape.registers(),
            parameters: vec![0.0; self.parameters.len()],
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
    }

    /// `variables` are `time` and the states.
    pub(crate) fn evaluate<const W: usize>(
        &self,
        level: Level,
        memory: &mut ProgramRegisters<W>,
        variables: &[&[[f64; W]]; 2],
        results: &mut [[f64; W]],
    ) {
        let variables = if self.reads_time {
            &variables[..]
        } else {
            &variables[1..]
        };
        self.tape
            .evaluate(level, &mut memory.registers, variables, results);
    }

    /// Memory of the registers for all lanes, and the parameters once.
    pub(crate) fn footprint(&self, lanes: usize) -> Footprint {
        self.tape
            .footprint(lanes)
            .beside(Footprint::of::<f64>(self.parameters.len()))
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
