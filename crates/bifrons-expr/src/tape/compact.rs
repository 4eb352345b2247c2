//! Small tapes for one member: byte-sized operands into a memory of fixed size.
//!
//! One member has nothing to amortise the decoding of an instruction, so its cost counts. With at
//! most 256 registers and outputs an operand is a byte, which needs no check against the length
//! of the memory, and an instruction is eight bytes instead of twenty-four.

use crate::tape::code::{Code, Instruction, OUTPUT};
use crate::tape::program::Program;

/// Registers and outputs that a byte can address.
pub(crate) const MEMORY: usize = 256;

/// Instruction with byte-sized operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Small {
    pub(crate) code: Code,
    pub(crate) dst: u8,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) d: u8,
}

/// The main part of a small tape; its memory holds the registers, then the outputs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compact {
    instructions: Vec<Small>,
    first_variable: u8,
    first_output: u8,
}

impl Compact {
    /// The compact form, if registers, outputs and integer exponents fit into bytes and no function
    /// is called.
    pub(crate) fn new(program: &Program) -> Option<Self> {
        if program.registers + program.outputs > MEMORY || !program.calls.is_empty() {
            return None;
        }
        let first_output = u8::try_from(program.registers).ok()?;
        let instructions = program.main.iter().map(|i| small(i, first_output));
        Some(Self {
            instructions: instructions.collect::<Option<_>>()?,
            first_variable: u8::try_from(program.first_variable).ok()?,
            first_output,
        })
    }

    /// Runs the main part for the only lane.
    #[inline(always)]
    pub(crate) fn evaluate<const W: usize>(
        &self,
        memory: &mut [f64; MEMORY],
        variables: &[&[[f64; W]]],
        outputs: &mut [[f64; W]],
    ) {
        let mut next = usize::from(self.first_variable);
        for slice in variables {
            // One number at a time: a wide read of what was just written in parts would wait.
            for (to, from) in memory[next..].iter_mut().zip(*slice) {
                *to = from[0];
            }
            next += slice.len();
        }
        interpret(&self.instructions, memory);
        let results = &memory[usize::from(self.first_output)..];
        for (to, from) in outputs.iter_mut().zip(results) {
            to[0] = *from;
        }
    }

    /// Bytes of the instructions.
    pub(crate) const fn instruction_count(&self) -> usize {
        self.instructions.capacity()
    }
}

/// The loop alone: a small function keeps its few values in registers.
#[inline(never)]
fn interpret(instructions: &[Small], memory: &mut [f64; MEMORY]) {
    for instruction in instructions {
        instruction.run(memory);
    }
}

fn small(instruction: &Instruction, first_output: u8) -> Option<Small> {
    let byte = |register: u32| u8::try_from(register).ok();
    let dst = if instruction.dst & OUTPUT == 0 {
        byte(instruction.dst)?
    } else {
        byte(instruction.dst & !OUTPUT)?.checked_add(first_output)?
    };
    let b = if instruction.code == Code::Powi {
        i8::try_from(instruction.b.cast_signed())
            .ok()?
            .cast_unsigned()
    } else {
        byte(instruction.b)?
    };
    Some(Small {
        code: instruction.code,
        dst,
        a: byte(instruction.a)?,
        b,
        c: byte(instruction.c)?,
        d: byte(instruction.d)?,
    })
}
