//! Expressions: shared, immutable graphs of operations on `f64`.

use crate::graph::Graph;
use crate::node::{Head, Node, Order};
use crate::op::{Folded, Op, fold};
use crate::small;
use crate::symbol::Symbol;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A real-valued expression over named symbols.
///
/// An expression is an immutable graph with counted references: cloning and combining cost O(1),
/// shared parts stay shared, and depth is unbounded (no operation recurses, not even `Drop`).
/// Operators and functions fold constants and neutral elements where no IEEE result changes; they
/// never reassociate or distribute.
///
/// `==` compares structure. NaN counts as one value: its sign and payload are unspecified.
///
/// ```
/// use bifrons_expr::{Expr, Symbol};
///
/// let x = Expr::symbol("x");
/// let e = 2.0 * x.sin() + x.max(0.0);
/// let value = e.evaluate(&mut |_: &Symbol| Some(1.0)).unwrap();
/// assert_eq!(value, 2.0 * 1.0_f64.sin() + 1.0);
/// ```
#[derive(Clone)]
pub struct Expr(Arc<Node>);

impl Expr {
    /// The expression that is this number everywhere; NaN and infinities are allowed.
    #[must_use]
    pub fn constant(value: f64) -> Self {
        let value = if value.is_nan() { f64::NAN } else { value };
        Self::from_parts(Head::Constant(value), [None, None, None])
    }

    /// The expression that reads one symbol.
    #[must_use]
    pub fn symbol(symbol: impl Into<Symbol>) -> Self {
        Self::from_parts(Head::Symbol(symbol.into()), [None, None, None])
    }

    /// The number that this expression is, if it is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<f64> {
        self.0.constant()
    }

    /// The symbol that this expression is, if it is one.
    #[must_use]
    pub fn as_symbol(&self) -> Option<&Symbol> {
        match &self.0.head {
            Head::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The symbols that occur, in order of their names.
    ///
    /// Structural: a symbol in a branch that is never taken counts. Cost: linear.
    #[must_use]
    pub fn dependencies(&self) -> BTreeSet<Symbol> {
        let mut symbols = BTreeSet::new();
        self.visit_symbols(|symbol| {
            symbols.insert(symbol.clone());
        });
        symbols
    }

    /// As [`dependencies`](Self::dependencies), into a list that is cleared first.
    ///
    /// Takes no memory for a small expression once the list has room.
    pub fn dependencies_into<'a>(&'a self, symbols: &mut Vec<&'a Symbol>) {
        symbols.clear();
        self.visit_symbols(|symbol| symbols.push(symbol));
        symbols.sort_unstable();
        symbols.dedup();
    }

    /// Calls `visit` with every symbol that occurs, in no order of use, a symbol perhaps more than
    /// once.
    ///
    /// Cost: linear; takes no memory for a small expression.
    pub fn visit_symbols<'a>(&'a self, mut visit: impl FnMut(&'a Symbol)) {
        if small::is_small_over_leaves(&self.0) {
            return small::symbols(&self.0, &mut visit);
        }
        for node in Order::of([&self.0]).nodes {
            if let Head::Symbol(symbol) = &node.head {
                visit(symbol);
            }
        }
    }

    /// Number of distinct nodes.
    #[must_use]
    pub fn node_count(&self) -> usize {
        Order::of([&self.0]).nodes.len()
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0
    }

    pub(crate) fn into_node(self) -> Arc<Node> {
        self.0
    }

    pub(crate) fn from_node(node: Arc<Node>) -> Self {
        Self(node)
    }

    pub(crate) fn unary(op: Op, a: &Self) -> Self {
        Self(build(op, [Some(&a.0), None, None]))
    }

    pub(crate) fn binary(op: Op, a: &Self, b: &Self) -> Self {
        Self(build(op, [Some(&a.0), Some(&b.0), None]))
    }

    fn from_parts(head: Head, operands: [Option<Arc<Node>>; 3]) -> Self {
        Self(Arc::new(Node { head, operands }))
    }
}

/// Node of an operation, folded where no IEEE result changes.
pub(crate) fn build(op: Op, operands: [Option<&Arc<Node>>; 3]) -> Arc<Node> {
    if op == Op::Call
        && let Some(value) = constant_call(operands)
    {
        return Expr::constant(value).0;
    }
    let constants = operands.map(|operand| operand.and_then(|node| node.constant()));
    let keep = || {
        let operands = operands.map(Option::<&Arc<Node>>::cloned);
        Arc::new(Node {
            head: Head::Op(op),
            operands,
        })
    };
    match fold(op, constants) {
        Folded::Constant(value) => Expr::constant(value).0,
        Folded::Operand(i) => operands[i].cloned().unwrap_or_else(keep),
        Folded::Keep => keep(),
    }
}

/// The value of a call whose arguments are constants.
fn constant_call([function, first, rest]: [Option<&Arc<Node>>; 3]) -> Option<f64> {
    let Head::Function(function) = &function?.head else {
        return None;
    };
    let mut values = vec![first?.constant()?];
    let mut rest = rest;
    while let Some(node) = rest {
        if matches!(node.head, Head::Op(Op::Arguments)) {
            values.push(node.operands[0].as_ref()?.constant()?);
            rest = node.operands[1].as_ref();
        } else {
            values.push(node.constant()?);
            rest = None;
        }
    }
    Some(function.value(&values))
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        if let Some(equal) = small::equal(&self.0, &other.0) {
            return equal;
        }
        let ids = Graph::new().import([&self.0, &other.0]);
        ids[0] == ids[1]
    }
}

impl Eq for Expr {}

impl From<f64> for Expr {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl From<Symbol> for Expr {
    fn from(symbol: Symbol) -> Self {
        Self::symbol(symbol)
    }
}

impl From<&Symbol> for Expr {
    fn from(symbol: &Symbol) -> Self {
        Self::symbol(symbol)
    }
}

impl From<&Self> for Expr {
    fn from(expr: &Self) -> Self {
        expr.clone()
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}
