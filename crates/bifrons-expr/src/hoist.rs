//! Expressions taken apart by what they read.

use crate::expr::Expr;
use crate::graph::{FlatHead, Graph};
use crate::node::Node;
use crate::op::Op;
use crate::symbol::Symbol;
use std::sync::Arc;

/// A part of an expression that is computed on its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The name by which later parts and the roots read it.
    pub symbol: Symbol,
    /// What it is, in terms of symbols of the roots and of parts before it.
    pub expr: Expr,
    /// Bits of all symbols below it.
    pub reads: u64,
}

/// Expressions in parts; made by [`Hoisted::new`].
#[derive(Debug, Clone, PartialEq)]
pub struct Hoisted {
    /// Parts, operands before users.
    pub parts: Vec<Part>,
    /// The roots, which read symbols and parts, with the bits of all symbols below them.
    pub roots: Vec<(Expr, u64)>,
}

/// An operand of an operation that could be a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// Bits of all symbols below the operand.
    pub reads: u64,
    /// Bits of all symbols below the operation that reads it.
    pub user: u64,
    /// Operations that the operand takes on top of its own parts, functions counted as ten.
    pub cost: u32,
}

impl Hoisted {
    /// Takes the roots apart where an operand reads less than its user and `cut` agrees.
    ///
    /// `bits` gives the bits that a symbol reads, for instance one for each index of nested loops.
    /// Equal parts of several roots are one part. `name` gives symbols for parts by their number;
    /// they must not occur in the roots. Evaluating the parts in order and then the roots takes the
    /// operations of the roots in their order on the same operands: every bit stays (NaN counts as
    /// one value). Symbols, constants, truth values and what reads nothing are no parts. Cost: close
    /// to linear in the number of distinct nodes.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Hoisted, Symbol};
    ///
    /// let e = Expr::parse("exp(x) * k - y").unwrap();
    /// let bits = |symbol: &Symbol| match symbol.name() {
    ///     "x" => 1,
    ///     "y" => 2,
    ///     _ => 0,
    /// };
    /// let name = |index: usize| Symbol::new(format!("part {index}"));
    /// let hoisted = Hoisted::new(&[e], bits, name, |_| true);
    /// assert_eq!(hoisted.parts.len(), 1);
    /// assert_eq!(hoisted.parts[0].expr, Expr::parse("exp(x) * k").unwrap());
    /// assert_eq!(hoisted.roots[0].1, 3);
    /// ```
    #[must_use]
    pub fn new(
        roots: &[Expr],
        mut bits: impl FnMut(&Symbol) -> u64,
        mut name: impl FnMut(usize) -> Symbol,
        mut cut: impl FnMut(Operand) -> bool,
    ) -> Self {
        let mut graph = Graph::new();
        let ids = graph.import(roots.iter().map(Expr::node));
        let symbols: Vec<u64> = graph.symbols.iter().map(&mut bits).collect();
        let needed = graph.reachable(&ids);
        let mut scan = Scan::new(&graph, &symbols);
        for id in (0..graph.nodes.len()).filter(|&id| needed[id]) {
            scan.visit(id, &mut cut);
        }
        let Scan { reads, parts, .. } = scan;
        let mut made: Vec<Option<Arc<Node>>> = vec![None; graph.nodes.len()];
        let mut hoisted = Self {
            parts: Vec::new(),
            roots: Vec::new(),
        };
        // A user takes the symbol of a part where the cut was asked for and granted.
        let mut named: Vec<Option<Arc<Node>>> = vec![None; graph.nodes.len()];
        for id in (0..graph.nodes.len()).filter(|&id| needed[id]) {
            let node = graph.make(id, |operand| {
                let operand = operand as usize;
                let own = named.get(operand).cloned().flatten();
                own.or_else(|| made.get(operand).cloned().flatten())
            });
            if parts[id] {
                let symbol = name(hoisted.parts.len());
                named[id] = Some(Expr::symbol(&symbol).node().clone());
                hoisted.parts.push(Part {
                    symbol,
                    expr: Expr::from_node(node.clone()),
                    reads: reads[id],
                });
            }
            made[id] = Some(node);
        }
        for id in ids.iter().map(|&id| id as usize) {
            let node = named[id].clone().or_else(|| made[id].clone());
            if let Some(node) = node {
                hoisted.roots.push((Expr::from_node(node), reads[id]));
            }
        }
        hoisted
    }
}

/// What the nodes up to here read and cost, and which of them are parts.
struct Scan<'a> {
    graph: &'a Graph,
    symbols: &'a [u64],
    reads: Vec<u64>,
    costs: Vec<u32>,
    parts: Vec<bool>,
}

impl<'a> Scan<'a> {
    fn new(graph: &'a Graph, symbols: &'a [u64]) -> Self {
        let count = graph.nodes.len();
        Self {
            graph,
            symbols,
            reads: vec![0; count],
            costs: vec![0; count],
            parts: vec![false; count],
        }
    }

    /// A part is one for all of its users: what it costs is paid once.
    fn visit(&mut self, id: usize, cut: &mut impl FnMut(Operand) -> bool) {
        let node = self.graph.nodes[id];
        let op = match node.head {
            FlatHead::Symbol(symbol) => {
                self.reads[id] = self.symbols[symbol as usize];
                return;
            }
            FlatHead::Op(op) => op,
            FlatHead::Constant(_) | FlatHead::Function(_) => return,
        };
        let operands = || node.operands.into_iter().map(|operand| operand as usize);
        let operands = || operands().filter(|&operand| operand < self.reads.len());
        let user = operands().fold(0, |all, operand| all | self.reads[operand]);
        let below: Vec<usize> = operands().collect();
        let mut cost = weight(op);
        for operand in below {
            let (reads, own) = (self.reads[operand], self.costs[operand]);
            if !self.parts[operand] && reads != 0 && reads != user && self.is_number(operand) {
                let asked = Operand {
                    reads,
                    user,
                    cost: own,
                };
                self.parts[operand] = cut(asked);
            }
            if !self.parts[operand] {
                cost = cost.saturating_add(own);
            }
        }
        self.reads[id] = user;
        self.costs[id] = cost;
    }

    /// Whether a node is an operation that gives a number.
    fn is_number(&self, id: usize) -> bool {
        match self.graph.nodes[id].head {
            FlatHead::Op(op) => {
                !op.is_comparison()
                    && !matches!(op, Op::And | Op::Or | Op::Not | Op::Arguments | Op::NoEvent)
            }
            _ => false,
        }
    }
}

/// Operations that one of these is worth.
fn weight(op: Op) -> u32 {
    match op {
        Op::Arguments | Op::NoEvent => 0,
        Op::Div | Op::Sqrt | Op::Modulo => 4,
        Op::Neg
        | Op::Abs
        | Op::Sign
        | Op::Floor
        | Op::Ceil
        | Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Min
        | Op::Max
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Eq
        | Op::Ne
        | Op::And
        | Op::Or
        | Op::Not
        | Op::Select => 1,
        _ => 10,
    }
}
