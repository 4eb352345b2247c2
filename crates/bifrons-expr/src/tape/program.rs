//! Registers and instructions of a compiled program.

use crate::error::CompileError;
use crate::external::{Function, Positions};
use crate::graph::{FlatHead, Graph};
use crate::node::{NONE, position};
use crate::tape::code::{Code, Instruction, OUTPUT};
use crate::tape::fuse::Pick;
use crate::tape::plan::{Plan, operands};

/// Instructions and the layout of the registers that they work on:
/// constants, parameters, results of the prologue, variables, temporaries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    pub(crate) constants: Vec<f64>,
    pub(crate) prologue: Vec<Instruction>,
    pub(crate) main: Vec<Instruction>,
    /// Functions that instructions call.
    pub(crate) calls: Vec<CallSite>,
    pub(crate) first_variable: usize,
    pub(crate) registers: usize,
    pub(crate) outputs: usize,
}

/// A function and the registers of its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallSite {
    pub(crate) function: Function,
    pub(crate) arguments: Box<[u32]>,
}

impl Program {
    /// Compiles the nodes of a graph; `outputs` may repeat nodes.
    pub(crate) fn new(
        graph: &Graph,
        parameters: &[u32],
        variables: &[u32],
        outputs: &[u32],
    ) -> Result<Self, CompileError> {
        let plan = Plan::new(graph, parameters, outputs);
        let mut file = RegisterFile::new(graph);
        let constants = file.pin_constants(&plan, outputs);
        parameters.iter().for_each(|parameter| file.pin(*parameter));
        file.pin_results(&plan, outputs);
        let first_variable = file.count;
        variables.iter().for_each(|variable| file.pin(*variable));

        let pinned = file.count;
        let main = file.schedule(&plan.main, &Slots::new(graph.nodes.len(), outputs));
        // Temporaries of the prologue share registers with those of the main part.
        let most = std::mem::replace(&mut file.count, pinned);
        let prologue = file.schedule(&plan.prologue, &Slots::new(graph.nodes.len(), &[]));
        let registers = file.count.max(most);

        let limit = (OUTPUT - 1) as usize;
        let needed = registers.max(outputs.len());
        if needed > limit {
            return Err(CompileError::TooLarge { needed, limit });
        }
        let encode = |steps: Vec<Step>| steps.iter().map(Step::encode).collect();
        Ok(Self {
            constants,
            prologue: encode(prologue),
            main: encode(main),
            calls: file.calls,
            first_variable,
            registers,
            outputs: outputs.len(),
        })
    }
}

/// Where a result goes.
#[derive(Debug, Clone, Copy)]
enum Target {
    Register(u32),
    Output(u32),
}

/// Instruction before the number of registers is known.
struct Step {
    code: Code,
    target: Target,
    operands: [u32; 4],
}

impl Step {
    fn copy(from: u32, slot: u32) -> Self {
        Self {
            code: Code::Copy,
            target: Target::Output(slot),
            operands: [from, 0, 0, 0],
        }
    }

    fn encode(&self) -> Instruction {
        let [a, b, c, d] = self.operands;
        let dst = match self.target {
            Target::Register(register) => register,
            Target::Output(slot) => slot | OUTPUT,
        };
        Instruction {
            code: self.code,
            dst,
            a,
            b,
            c,
            d,
        }
    }
}

/// Output slots of each node, as linked lists.
struct Slots {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Slots {
    fn new(nodes: usize, outputs: &[u32]) -> Self {
        let mut slots = Self {
            first: vec![NONE; nodes],
            next: vec![NONE; outputs.len()],
        };
        for (slot, node) in outputs.iter().enumerate().rev() {
            slots.next[slot] = slots.first[*node as usize];
            slots.first[*node as usize] = position(slot);
        }
        slots
    }

    fn of(&self, node: u32) -> impl Iterator<Item = u32> {
        let present = |slot: u32| (slot != NONE).then_some(slot);
        let first = present(self.first[node as usize]);
        std::iter::successors(first, move |slot| present(self.next[*slot as usize]))
    }

    /// The slot of a node that has exactly one.
    fn only(&self, node: u32) -> Option<u32> {
        let mut slots = self.of(node);
        slots.next().filter(|_| slots.next().is_none())
    }
}

/// Which node is in which register.
struct RegisterFile<'a> {
    graph: &'a Graph,
    /// Register of a node, [`NONE`] while it has none.
    of: Vec<u32>,
    /// Whether the register of a node is given back after its last use.
    temporary: Vec<bool>,
    count: usize,
    free: Vec<u32>,
    calls: Vec<CallSite>,
}

impl<'a> RegisterFile<'a> {
    fn new(graph: &'a Graph) -> Self {
        let nodes = graph.nodes.len();
        Self {
            graph,
            of: vec![NONE; nodes],
            temporary: vec![false; nodes],
            count: 0,
            free: vec![],
            calls: vec![],
        }
    }

    fn fresh(&mut self) -> u32 {
        self.count += 1;
        position(self.count - 1)
    }

    fn pin(&mut self, node: u32) {
        if self.of[node as usize] == NONE {
            self.of[node as usize] = self.fresh();
        }
    }

    /// Registers of the constants that some instruction or output reads.
    fn pin_constants(&mut self, plan: &Plan, outputs: &[u32]) -> Vec<f64> {
        let mut constants = vec![];
        let graph = self.graph;
        let read = Plan::operands(graph, &plan.prologue);
        let read = read.chain(Plan::operands(graph, &plan.main));
        for node in read.chain(outputs.iter().copied()) {
            if let FlatHead::Constant(bits) = graph.nodes[node as usize].head
                && self.of[node as usize] == NONE
            {
                constants.push(f64::from_bits(bits));
                self.pin(node);
            }
        }
        constants
    }

    /// Registers of what the prologue computes for the main part.
    fn pin_results(&mut self, plan: &Plan, outputs: &[u32]) {
        let mut read = vec![false; self.of.len()];
        for node in Plan::operands(self.graph, &plan.main).chain(outputs.iter().copied()) {
            read[node as usize] = true;
        }
        for (node, _) in &plan.prologue {
            if read[*node as usize] {
                self.pin(*node);
            }
        }
    }

    /// Steps of one part, with temporaries reused after their last use.
    fn schedule(&mut self, part: &[(u32, Pick)], slots: &Slots) -> Vec<Step> {
        self.free.clear();
        let mut last_use = vec![NONE; self.of.len()];
        for (k, (node, pick)) in part.iter().enumerate() {
            for operand in operands(self.graph, *node, pick).as_slice() {
                last_use[*operand as usize] = position(k);
            }
        }
        let mut steps = Vec::with_capacity(part.len() + slots.next.len());
        let mut written = vec![false; slots.next.len()];
        for (k, (node, pick)) in part.iter().enumerate() {
            let operands = self.read(*node, pick, position(k), &last_use);
            let used = last_use[*node as usize] != NONE;
            let direct = slots.only(*node).filter(|_| !used);
            let target = match direct {
                Some(slot) => Target::Output(slot),
                None => Target::Register(self.allocate(*node)),
            };
            steps.push(Step {
                code: pick.code,
                target,
                operands,
            });
            for slot in slots.of(*node) {
                written[slot as usize] = true;
                if let Target::Register(register) = target {
                    steps.push(Step::copy(register, slot));
                }
            }
            if let Target::Register(register) = target
                && !used
                && std::mem::take(&mut self.temporary[*node as usize])
            {
                self.free.push(register);
            }
        }
        // Outputs that are inputs, constants or results of the prologue.
        for (node, register) in self.of.iter().enumerate() {
            let unwritten = slots
                .of(position(node))
                .filter(|slot| !written[*slot as usize]);
            steps.extend(unwritten.map(|slot| Step::copy(*register, slot)));
        }
        steps
    }

    /// Registers of the operands; those read for the last time become free.
    fn read(&mut self, id: u32, pick: &Pick, step: u32, last_use: &[u32]) -> [u32; 4] {
        let read = operands(self.graph, id, pick);
        let mut registers = [0; 4];
        for (register, node) in registers.iter_mut().zip(pick.operands) {
            if node != NONE {
                *register = self.of[node as usize];
            }
        }
        if let Some(exponent) = pick.exponent {
            registers[1] = exponent.cast_unsigned();
        }
        if pick.code == Code::Call {
            registers[0] = self.call(id, &read);
        }
        for node in read.as_slice() {
            let node = *node as usize;
            if last_use[node] == step && std::mem::take(&mut self.temporary[node]) {
                self.free.push(self.of[node]);
            }
        }
        registers
    }

    /// Number of the call of a node whose arguments have registers.
    fn call(&mut self, id: u32, arguments: &Positions) -> u32 {
        let operands = self.graph.nodes[id as usize].operands;
        if let Some((function, _)) = self.graph.call(operands) {
            let register = |node: &u32| self.of[*node as usize];
            self.calls.push(CallSite {
                function: function.clone(),
                arguments: arguments.as_slice().iter().map(register).collect(),
            });
        }
        position(self.calls.len().saturating_sub(1))
    }

    fn allocate(&mut self, node: u32) -> u32 {
        let known = self.of[node as usize];
        if known != NONE {
            return known;
        }
        let register = match self.free.pop() {
            Some(register) => register,
            None => self.fresh(),
        };
        self.of[node as usize] = register;
        self.temporary[node as usize] = true;
        register
    }
}
