//! Flat graphs of structurally distinct nodes: what every analysis works on.

use crate::expr::Expr;
use crate::external::{self, Function, Positions};
use crate::node::{Head, NONE, Node, Order, mix, position};
use crate::op::{Folded, Op, fold};
use crate::symbol::Symbol;
use crate::symbol_map::SymbolMap;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Head of a flat node; constants by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FlatHead {
    Constant(u64),
    Symbol(u32),
    Function(u32),
    Op(Op),
}

/// Node of a [`Graph`]; operands have smaller indices than the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FlatNode {
    pub(crate) head: FlatHead,
    pub(crate) operands: [u32; 3],
}

/// Nodes that differ pairwise in structure, operands first.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<FlatNode>,
    pub(crate) symbols: Vec<Symbol>,
    by_name: SymbolMap<u32>,
    pub(crate) functions: Vec<Function>,
    by_address: BTreeMap<usize, u32>,
    slots: Vec<u32>,
    /// Operands of commutative operations are sorted, so that `a b` and `b a` are one node.
    sorted: bool,
}

impl Graph {
    /// Keeps the order of operands.
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![],
            symbols: vec![],
            by_name: SymbolMap::new(),
            functions: vec![],
            by_address: BTreeMap::new(),
            slots: vec![NONE; 16],
            sorted: false,
        }
    }

    /// Sorts the operands of commutative operations; with room for some nodes.
    pub(crate) fn sorted(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            slots: vec![NONE; (nodes + nodes.div_ceil(3) + 2).next_power_of_two().max(16)],
            sorted: true,
            ..Self::new()
        }
    }

    /// A node of its own for the next input, whose symbol only the caller knows; a graph with such
    /// nodes has no other symbols.
    pub(crate) fn new_input(&mut self) {
        let index = position(self.nodes.len());
        self.nodes.push(FlatNode {
            head: FlatHead::Symbol(index),
            operands: [NONE; 3],
        });
    }

    pub(crate) fn constant(&mut self, value: f64) -> u32 {
        let value = if value.is_nan() { f64::NAN } else { value };
        self.intern(FlatNode {
            head: FlatHead::Constant(value.to_bits()),
            operands: [NONE; 3],
        })
    }

    pub(crate) fn symbol(&mut self, symbol: &Symbol) -> u32 {
        let index = match self.by_name.get(symbol.name()) {
            Some(index) => *index,
            None => {
                let index = position(self.symbols.len());
                self.symbols.push(symbol.clone());
                self.by_name.insert(symbol.clone(), index);
                index
            }
        };
        self.intern(FlatNode {
            head: FlatHead::Symbol(index),
            operands: [NONE; 3],
        })
    }

    /// The node that stands for a function in front of its arguments.
    pub(crate) fn function(&mut self, function: &Function) -> u32 {
        let next = position(self.functions.len());
        let index = *self.by_address.entry(function.address()).or_insert(next);
        if index == next {
            self.functions.push(function.clone());
        }
        self.intern(FlatNode {
            head: FlatHead::Function(index),
            operands: [NONE; 3],
        })
    }

    /// Function and arguments of a call with these operands.
    pub(crate) fn call(&self, operands: [u32; 3]) -> Option<(&Function, Positions)> {
        let FlatHead::Function(index) = self.nodes.get(operands[0] as usize)?.head else {
            return None;
        };
        let pair = |id: u32| {
            let node = self.nodes[id as usize];
            (node.head == FlatHead::Op(Op::Arguments)).then_some(node.operands)
        };
        let function = self.functions.get(index as usize)?;
        Some((function, external::arguments(operands, pair)))
    }

    /// Value of an operation on nodes with these values.
    pub(crate) fn apply(&self, op: Op, operands: [u32; 3], values: &[f64]) -> f64 {
        match op {
            Op::Call => self.call(operands).map_or(f64::NAN, |(function, at)| {
                function.value(&at.read(values)[..at.len()])
            }),
            _ => {
                let operands = operands.map(|i| values.get(i as usize).copied());
                crate::op::apply(op, operands.map(Option::unwrap_or_default))
            }
        }
    }

    /// The value of a call whose arguments are constants.
    fn constant_call(&self, operands: [u32; 3]) -> Option<f64> {
        let (function, at) = self.call(operands)?;
        let mut values = [0.0; external::MOST_ARGUMENTS];
        for (value, id) in values.iter_mut().zip(at.as_slice()) {
            *value = self.constant_value(*id)?;
        }
        Some(function.value(&values[..at.len()]))
    }

    /// The node of this symbol, if the graph has met it.
    pub(crate) fn find_symbol(&self, symbol: &Symbol) -> Option<u32> {
        let index = *self.by_name.get(symbol.name())?;
        let node = FlatNode {
            head: FlatHead::Symbol(index),
            operands: [NONE; 3],
        };
        let found = self.slots[self.slot(&node)];
        (found != NONE).then_some(found)
    }

    /// The node of an operation, folded as construction folds.
    pub(crate) fn op(&mut self, op: Op, mut operands: [u32; 3]) -> u32 {
        if op == Op::Call
            && let Some(value) = self.constant_call(operands)
        {
            return self.constant(value);
        }
        let known = operands.map(|operand| self.constant_value(operand));
        match fold(op, known) {
            Folded::Constant(value) => self.constant(value),
            Folded::Operand(i) => operands[i],
            Folded::Keep => {
                if self.sorted && op.is_commutative() && operands[0] > operands[1] {
                    operands.swap(0, 1);
                }
                self.intern(FlatNode {
                    head: FlatHead::Op(op),
                    operands,
                })
            }
        }
    }

    pub(crate) fn unary(&mut self, op: Op, a: u32) -> u32 {
        self.op(op, [a, NONE, NONE])
    }

    pub(crate) fn binary(&mut self, op: Op, a: u32, b: u32) -> u32 {
        self.op(op, [a, b, NONE])
    }

    pub(crate) fn constant_value(&self, node: u32) -> Option<f64> {
        match self.nodes.get(node as usize)?.head {
            FlatHead::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Adds the expressions and returns their nodes, exactly as they were constructed.
    pub(crate) fn import<'a>(
        &mut self,
        roots: impl IntoIterator<Item = &'a Arc<Node>>,
    ) -> Vec<u32> {
        let order = Order::of(roots);
        let mut ids = Vec::with_capacity(order.nodes.len());
        for (i, node) in order.nodes.iter().enumerate() {
            let id = match &node.head {
                Head::Constant(value) => self.constant(*value),
                Head::Symbol(symbol) => self.symbol(symbol),
                Head::Function(function) => self.function(function),
                Head::Op(op) => self.op(*op, order.gather(i, &ids, NONE)),
            };
            ids.push(id);
        }
        order.roots.iter().map(|root| ids[*root as usize]).collect()
    }

    /// Which nodes the roots need.
    pub(crate) fn reachable(&self, roots: &[u32]) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        for root in roots {
            needed[*root as usize] = true;
        }
        for id in (0..self.nodes.len()).rev() {
            if needed[id] {
                for operand in self.nodes[id].operands {
                    if operand != NONE {
                        needed[operand as usize] = true;
                    }
                }
            }
        }
        needed
    }

    /// Expressions of the roots; shared nodes stay shared.
    pub(crate) fn export(&self, roots: &[u32]) -> Vec<Expr> {
        let needed = self.reachable(roots);
        let mut made: Vec<Option<Arc<Node>>> = vec![None; self.nodes.len()];
        for id in (0..self.nodes.len()).filter(|id| needed[*id]) {
            made[id] = Some(self.make(id, |operand| made.get(operand as usize).cloned().flatten()));
        }
        let root = |id: &u32| made[*id as usize].clone();
        roots.iter().filter_map(root).map(Expr::from_node).collect()
    }

    /// Expressions of the roots, which are among the nodes `cone`, in time that depends on these
    /// only.
    pub(crate) fn export_from(&self, cone: &[u32], roots: &[u32]) -> Vec<Expr> {
        let mut made: Vec<Arc<Node>> = Vec::with_capacity(cone.len());
        let find = |made: &[Arc<Node>], id: u32| {
            cone.binary_search(&id)
                .ok()
                .and_then(|index| made.get(index).cloned())
        };
        for id in cone {
            let node = self.make(*id as usize, |operand| find(&made, operand));
            made.push(node);
        }
        roots
            .iter()
            .filter_map(|root| find(&made, *root))
            .map(Expr::from_node)
            .collect()
    }

    pub(crate) fn make(
        &self,
        id: usize,
        operand: impl FnMut(u32) -> Option<Arc<Node>>,
    ) -> Arc<Node> {
        let node = self.nodes[id];
        let head = match node.head {
            FlatHead::Constant(bits) => Head::Constant(f64::from_bits(bits)),
            FlatHead::Symbol(symbol) => Head::Symbol(self.symbols[symbol as usize].clone()),
            FlatHead::Function(function) => {
                Head::Function(self.functions[function as usize].clone())
            }
            FlatHead::Op(op) => Head::Op(op),
        };
        Arc::new(Node {
            head,
            operands: node.operands.map(operand),
        })
    }

    fn intern(&mut self, node: FlatNode) -> u32 {
        if 4 * (self.nodes.len() + 1) > 3 * self.slots.len() {
            self.slots = vec![NONE; 2 * self.slots.len()];
            for (id, node) in self.nodes.iter().enumerate() {
                let slot = self.slot(node);
                self.slots[slot] = position(id);
            }
        }
        let slot = self.slot(&node);
        if self.slots[slot] == NONE {
            self.slots[slot] = position(self.nodes.len());
            self.nodes.push(node);
        }
        self.slots[slot]
    }

    fn slot(&self, node: &FlatNode) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(node) & mask;
        while self.slots[slot] != NONE && self.nodes[self.slots[slot] as usize] != *node {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

fn hash(node: &FlatNode) -> usize {
    let mut mixer = Mixer(0);
    node.hash(&mut mixer);
    mix(mixer.0)
}

/// A fixed hash: the same on every run, so that times are too.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value.cast_unsigned() as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
