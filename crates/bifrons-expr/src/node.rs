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

    pub(crate) fn is_leaf(&self) -> bool {
        self.operands.iter().all(Option::is_none)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        release(&mut self.operands, &mut pending);
        while let Some(mut owned) = pending.pop() {
            release(&mut owned.operands, &mut pending);
        }
    }
}

/// Lets operands go; those that nobody else holds and that have operands themselves wait.
fn release(operands: &mut Operands, pending: &mut Vec<Node>) {
    for operand in operands.iter_mut().filter_map(Option::take) {
        if let Some(owned) = Arc::into_inner(operand)
            && !owned.is_leaf()
        {
            pending.push(owned);
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
    /// Nodes that may be met again: roots, and nodes that more than one user holds.
    known: AddressTable,
    path: Vec<Frame<'a>>,
}

/// A node whose operands are being visited.
struct Frame<'a> {
    node: &'a Arc<Node>,
    next: usize,
    operands: [u32; 3],
}

impl<'a> Order<'a> {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![],
            operands: vec![],
            roots: vec![],
            known: AddressTable::new(),
            path: vec![],
        }
    }

    /// Post-order of the roots one after the other, in linear time and without recursion.
    pub(crate) fn of(roots: impl IntoIterator<Item = &'a Arc<Node>>) -> Self {
        let mut order = Self::new();
        let mut roots = roots.into_iter().peekable();
        while let Some(root) = roots.next() {
            // What nobody looks up need not be noted.
            let noted = roots.peek().is_some();
            order.visit(root, noted);
        }
        order
    }

    /// Adds what is below another root and returns its position.
    pub(crate) fn add(&mut self, root: &'a Arc<Node>) -> u32 {
        self.visit(root, true)
    }

    fn visit(&mut self, root: &'a Arc<Node>, noted: bool) -> u32 {
        let at = self.known.get(root).unwrap_or_else(|| {
            let at = self.walk(root);
            if noted {
                self.known.insert(root, at);
            }
            at
        });
        self.roots.push(at);
        at
    }

    fn walk(&mut self, root: &'a Arc<Node>) -> u32 {
        self.path.push(Frame::new(root));
        let mut last = NONE;
        while let Some(frame) = self.path.last_mut() {
            let Some(operand) = frame.node.operands.get(frame.next).and_then(Option::as_ref) else {
                last = self.finish();
                continue;
            };
            // A node that one user holds is met once.
            let shared = Arc::strong_count(operand) > 1;
            match shared.then(|| self.known.get(operand)).flatten() {
                Some(at) => frame.take(at),
                None => self.path.push(Frame::new(operand)),
            }
        }
        last
    }

    /// Appends the node on top of the path.
    fn finish(&mut self) -> u32 {
        let at = position(self.nodes.len());
        if let Some(Frame { node, operands, .. }) = self.path.pop() {
            self.nodes.push(node);
            self.operands.push(operands);
            if let Some(user) = self.path.last_mut() {
                user.take(at);
                if Arc::strong_count(node) > 1 {
                    self.known.insert(node, at);
                }
            }
        }
        at
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

impl<'a> Frame<'a> {
    fn new(node: &'a Arc<Node>) -> Self {
        Self {
            node,
            next: 0,
            operands: [NONE; 3],
        }
    }

    /// Notes the position of the next operand.
    fn take(&mut self, at: u32) {
        if let Some(operand) = self.operands.get_mut(self.next) {
            *operand = at;
        }
        self.next += 1;
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
    /// An empty table, which takes no memory.
    fn new() -> Self {
        Self {
            slots: vec![],
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
        if self.slots.is_empty() {
            return None;
        }
        let address = Arc::as_ptr(node).addr();
        let (found, value) = self.slots[self.slot(address)];
        (found == address).then_some(value)
    }

    fn insert(&mut self, node: &Arc<Node>, value: u32) {
        if 2 * (self.count + 1) > self.slots.len() {
            let grown = vec![(0, NONE); (2 * self.slots.len()).max(16)];
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
