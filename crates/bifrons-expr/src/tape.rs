//! Tapes: straight-line programs compiled from expressions.

mod aligned;
mod assembly;
mod builder;
mod code;
mod compact;
mod fuse;
mod plan;
mod program;

use crate::symbol::Symbol;
use crate::tape::aligned::Aligned;
use crate::tape::code::{Code, Instruction, Store};
use crate::tape::compact::{Compact, MEMORY, Small};
use crate::tape::program::{CallSite, Program};
use bifrons_lanes::{Kernel, Level};
use bifrons_memory::Footprint;

pub use assembly::{TapeAssembly, TapeName};
pub use builder::TapeBuilder;

/// A straight-line program that computes outputs from parameters and variables.
///
/// Made by [`TapeBuilder`]. Immutable and `Sync`; the working memory is a separate
/// [`Registers`]. Evaluation gives the bits of [`Expr::evaluate`](crate::Expr::evaluate) at every
/// width and level (NaN counts as one value), does not allocate, and treats a member in the same
/// way whatever its lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Tape {
    parameters: Vec<Symbol>,
    variables: Vec<Symbol>,
    program: Program,
    /// The same main part for one member, if it is small.
    compact: Option<Compact>,
}

/// Working memory of a [`Tape`] for `W` members: one `[f64; W]` per register.
#[derive(Debug, Clone)]
pub struct Registers<const W: usize> {
    values: Aligned<W>,
    /// Memory of the compact form, for one lane.
    memory: Option<Box<[f64; MEMORY]>>,
}

impl Tape {
    /// Names of the parameters, in the order of [`Tape::set_parameters`].
    #[must_use]
    pub fn parameters(&self) -> &[Symbol] {
        &self.parameters
    }

    /// Names of the variables, in the order of [`Tape::evaluate`].
    #[must_use]
    pub fn variables(&self) -> &[Symbol] {
        &self.variables
    }

    /// Number of parameters.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// Number of variables.
    #[must_use]
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// Number of outputs.
    #[must_use]
    pub fn output_count(&self) -> usize {
        self.program.outputs
    }

    /// Instructions of one evaluation, without the prologue.
    #[must_use]
    pub fn instruction_count(&self) -> usize {
        self.program.main.len()
    }

    /// What one evaluation costs in multiplications, functions as declared; the prologue is not
    /// counted.
    #[must_use]
    pub fn cost(&self) -> usize {
        let called = |instruction: &Instruction| match instruction.code {
            Code::Call => self.program.calls[instruction.a as usize].function.cost(),
            _ => 1,
        };
        self.program.main.iter().map(called).sum()
    }

    /// Instructions that run when parameters are set: what depends on parameters only.
    #[must_use]
    pub fn prologue_count(&self) -> usize {
        self.program.prologue.len()
    }

    /// Registers, each of which holds one number per lane.
    #[must_use]
    pub fn register_count(&self) -> usize {
        self.program.registers
    }

    /// Bytes of the [`Registers`] for `lanes` members; the tape itself is not counted.
    #[must_use]
    pub fn footprint(&self, lanes: usize) -> Footprint {
        let memory = if lanes == 1 && self.compact.is_some() {
            MEMORY
        } else {
            0
        };
        Footprint::of::<f64>(aligned::numbers(self.program.registers, lanes) + memory)
    }

    /// Bytes of the tape itself: instructions, constants and lists of names.
    ///
    /// The text of a name is shared with the expressions and not counted.
    #[must_use]
    pub fn program_footprint(&self) -> Footprint {
        let program = &self.program;
        let names = self.parameters.capacity() + self.variables.capacity();
        let small = self.compact.as_ref().map_or(0, Compact::instruction_count);
        Footprint::of::<Instruction>(program.prologue.capacity() + program.main.capacity())
            .then(Footprint::of::<Small>(small))
            .then(Footprint::of::<f64>(program.constants.capacity()))
            .then(Footprint::of::<CallSite>(program.calls.capacity()))
            .then(Footprint::of::<u32>(
                program.calls.iter().map(|call| call.arguments.len()).sum(),
            ))
            .then(Footprint::of::<Symbol>(names))
    }

    /// Working memory for `W` members, with the constants loaded.
    ///
    /// Parameters are NaN until [`Tape::set_parameters`] is called for the lane. The only
    /// allocation: `8 W` bytes per register.
    #[must_use]
    pub fn registers<const W: usize>(&self) -> Registers<W> {
        let mut values = Aligned::<W>::new(f64::NAN, self.program.registers);
        for (register, constant) in values.arrays_mut().iter_mut().zip(&self.program.constants) {
            *register = [*constant; W];
        }
        let memory = (W == 1 && self.compact.is_some()).then(|| Box::new([f64::NAN; MEMORY]));
        let mut registers = Registers { values, memory };
        registers.refresh_memory(self.program.first_variable);
        registers
    }

    /// Copies the parameters of one member into its lane and runs the prologue for it.
    ///
    /// Other lanes keep their values. Cost: one pass over the prologue.
    ///
    /// # Panics
    ///
    /// If the registers belong to a tape of another size, `lane >= W`, or the number of values
    /// is not [`Tape::parameter_count`].
    pub fn set_parameters<const W: usize>(
        &self,
        registers: &mut Registers<W>,
        lane: usize,
        values: &[f64],
    ) {
        self.check_registers(registers);
        assert!(lane < W, "lane {lane} of {W} lanes");
        assert_eq!(
            values.len(),
            self.parameters.len(),
            "one value per parameter"
        );
        let first = self.program.constants.len();
        for (register, value) in registers.values.arrays_mut()[first..]
            .iter_mut()
            .zip(values)
        {
            register[lane] = *value;
        }
        let mut store = Store::new(&self.program.calls, registers.values.arrays_mut(), &mut []);
        for instruction in &self.program.prologue {
            store.step_lane(lane, instruction);
        }
        registers.refresh_memory(self.program.first_variable);
    }

    /// Evaluates all outputs for `W` members.
    ///
    /// `variables` are slices whose concatenation holds one `[f64; W]` per variable, for instance
    /// `[from_ref(&t), x]`; `outputs` holds one `[f64; W]` per output and is overwritten. Lanes
    /// without a member may hold anything; they cost the same and disturb nobody.
    ///
    /// Cost: one pass over the instructions, no allocation.
    ///
    /// # Panics
    ///
    /// If the registers belong to a tape of another size or the shapes of `variables` or
    /// `outputs` do not match.
    #[inline]
    pub fn evaluate<const W: usize>(
        &self,
        level: Level,
        registers: &mut Registers<W>,
        variables: &[&[[f64; W]]],
        outputs: &mut [[f64; W]],
    ) {
        self.check_registers(registers);
        assert_eq!(outputs.len(), self.program.outputs, "one row per output");
        let count: usize = variables.iter().map(|slice| slice.len()).sum();
        assert_eq!(count, self.variables.len(), "one row per variable");
        if W == 1
            && let (Some(compact), Some(memory)) = (&self.compact, &mut registers.memory)
        {
            return compact.evaluate(memory, variables, outputs);
        }
        let evaluation = Evaluation {
            program: &self.program,
            registers: registers.values.arrays_mut(),
            variables,
            outputs,
        };
        if W < 4 {
            // A few lanes gain nothing from wide registers; apart, so that the path above is short.
            evaluate_here(evaluation);
        } else {
            level.dispatch(evaluation);
        }
    }

    fn check_registers<const W: usize>(&self, registers: &Registers<W>) {
        let count = registers.values.len();
        assert_eq!(count, self.program.registers, "registers of this tape");
    }
}

impl<const W: usize> Registers<W> {
    /// Takes constants, parameters and results of the prologue over into the compact memory.
    fn refresh_memory(&mut self, first_variable: usize) {
        if let Some(memory) = &mut self.memory {
            let pinned = self.values.arrays()[..first_variable].as_flattened();
            memory[..pinned.len()].copy_from_slice(pinned);
        }
    }
}

#[inline(never)]
fn evaluate_here<const W: usize>(evaluation: Evaluation<'_, W>) {
    evaluation.run();
}

/// Not more than eight words: as many are passed to another instruction set in registers.
struct Evaluation<'a, const W: usize> {
    program: &'a Program,
    registers: &'a mut [[f64; W]],
    variables: &'a [&'a [[f64; W]]],
    outputs: &'a mut [[f64; W]],
}

impl<const W: usize> Kernel for Evaluation<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut free = &mut self.registers[self.program.first_variable..];
        for slice in self.variables {
            let (own, rest) = free.split_at_mut(slice.len());
            for (register, value) in own.iter_mut().zip(*slice) {
                *register = *value;
            }
            free = rest;
        }
        let mut store = Store::new(&self.program.calls, self.registers, self.outputs);
        for instruction in &self.program.main {
            store.step(instruction);
        }
    }
}
