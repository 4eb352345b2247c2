//! Reference-counted nodes and their iterative traversal.

use crate::external::{self, Function, Positions};
use crate::op::Op;
use crate::symbol::Symbol;
use std::sync::Arc;

/// Absent operand or node.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub(crate) enum Head {
    Constant(f64),
    Symbol(Symbol),
    /// First operand of a call.
    Function(Function),
    Op(Op),
}

pub(crate) type Operands = [Option<Arc<Node>>; 3];

/// One node of the graph. Dropping it never recurses, whatever the depth below it.
pub(crate) struct Node {
    pub(crate) head: Head,
    pub(crate) operands: Operands,
}

impl Node {
    pub(crate) fn constant(&self) -> Option<f64> {
        match self.head {
            Head::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut pending: Vec<Arc<Self>> =
            self.operands.iter_mut().filter_map(Option::take).collect();
        while let Some(shared) = pending.pop() {
            if let Some(mut owned) = Arc::into_inner(shared) {
                pending.extend(owned.operands.iter_mut().filter_map(Option::take));
            }
        }
    }
}

/// The distinct nodes below some roots, operands before users.
pub(crate) struct Order<'a> {
    pub(crate) nodes: Vec<&'a Arc<Node>>,
    /// Positions of the operands of each node; [`NONE`] where absent.
    pub(crate) operands: Vec<[u32; 3]>,
    /// Position of each root.
    pub(crate) roots: Vec<u32>,
    /// How many nodes were known once a root was finished.
    pub(crate) ends: Vec<usize>,
}

impl<'a> Order<'a> {
    /// Post-order of the roots one after the other, in linear time and without recursion.
    pub(crate) fn of(roots: impl IntoIterator<Item = &'a Arc<Node>>) -> Self {
        let mut order = Self {
            nodes: vec![],
            operands: vec![],
            roots: vec![],
            ends: vec![],
        };
        let mut known = AddressTable::new();
        let mut stack: Vec<(&'a Arc<Node>, usize)> = Vec::new();
        for root in roots {
            if known.get(root).is_none() {
                stack.push((root, 0));
            }
            while let Some((node, next)) = stack.pop() {
                match node.operands.get(next).and_then(Option::as_ref) {
                    Some(operand) => {
                        stack.push((node, next + 1));
                        if known.get(operand).is_none() {
                            stack.push((operand, 0));
                        }
                    }
                    None => order.finish(node, &mut known),
                }
            }
            order.roots.push(known.get(root).unwrap_or(NONE));
            order.ends.push(order.nodes.len());
        }
        order
    }

    fn finish(&mut self, node: &'a Arc<Node>, known: &mut AddressTable) {
        if known.get(node).is_some() {
            return;
        }
        let find = |operand: &Option<Arc<Node>>| {
            operand
                .as_ref()
                .and_then(|operand| known.get(operand))
                .unwrap_or(NONE)
        };
        let operands = node.operands.each_ref().map(find);
        known.insert(node, position(self.nodes.len()));
        self.nodes.push(node);
        self.operands.push(operands);
    }

    /// Function and positions of the arguments of a call.
    pub(crate) fn call(&self, position: usize) -> Option<(&'a Function, Positions)> {
        let [function, ..] = self.operands[position];
        let Head::Function(function) = &self.nodes.get(function as usize)?.head else {
            return None;
        };
        let pair = |i: u32| {
            let is_pair = matches!(self.nodes[i as usize].head, Head::Op(Op::Arguments));
            is_pair.then(|| self.operands[i as usize])
        };
        Some((function, external::arguments(self.operands[position], pair)))
    }

    /// Value of the operation at a position, from those before it.
    pub(crate) fn apply(&self, op: Op, position: usize, values: &[f64]) -> f64 {
        match op {
            Op::Call => self.call(position).map_or(f64::NAN, |(function, at)| {
                function.value(&at.read(values)[..at.len()])
            }),
            _ => crate::op::apply(op, self.gather(position, values, 0.0)),
        }
    }

    /// What `values` holds for the operands of the node at `position`.
    pub(crate) fn gather<T: Copy>(&self, position: usize, values: &[T], absent: T) -> [T; 3] {
        self.operands[position].map(|i| values.get(i as usize).copied().unwrap_or(absent))
    }
}

/// Index as `u32`; graphs are bounded far below the limit by the memory that they take.
pub(crate) fn position(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

/// From the address of a node to its position; never iterated, so addresses leave no trace.
struct AddressTable {
    slots: Vec<(usize, u32)>,
    count: usize,
}

impl AddressTable {
    fn new() -> Self {
        Self {
            slots: vec![(0, NONE); 16],
            count: 0,
        }
    }

    fn slot(&self, address: usize) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = mix(address as u64) & mask;
        while self.slots[slot].0 != 0 && self.slots[slot].0 != address {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn get(&self, node: &Arc<Node>) -> Option<u32> {
        let address = Arc::as_ptr(node).addr();
        let (found, value) = self.slots[self.slot(address)];
        (found == address).then_some(value)
    }

    fn insert(&mut self, node: &Arc<Node>, value: u32) {
        if 2 * (self.count + 1) > self.slots.len() {
            let grown = vec![(0, NONE); 2 * self.slots.len()];
            for (address, value) in std::mem::replace(&mut self.slots, grown) {
                if address != 0 {
                    let slot = self.slot(address);
                    self.slots[slot] = (address, value);
                }
            }
        }
        let address = Arc::as_ptr(node).addr();
        let slot = self.slot(address);
        self.slots[slot] = (address, value);
        self.count += 1;
    }
}

/// Spreads a key over all bits (the finaliser of `SplitMix64`).
#[expect(clippy::cast_possible_truncation, reason = "a hash may lose bits")]
pub(crate) fn mix(key: u64) -> usize {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (key ^ (key >> 31)) as usize
}
