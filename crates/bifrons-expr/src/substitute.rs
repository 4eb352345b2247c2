//! Replacing symbols by expressions.

use crate::condition::Condition;
use crate::expr::{Expr, build};
use crate::node::{Head, Node, Order};
use crate::small;
use crate::symbol::Symbol;
use std::sync::Arc;

impl Expr {
    /// The expression with each symbol replaced by what `replacement` returns, at once.
    ///
    /// Symbols inside a replacement are not replaced again; `None` keeps the symbol. Called once
    /// per symbol node. Parts without a replaced symbol stay shared with this expression. Cost:
    /// linear.
    #[must_use]
    pub fn substitute(&self, replacement: &mut impl FnMut(&Symbol) -> Option<Self>) -> Self {
        Self::from_node(substitute(self.node(), replacement))
    }
}

impl Condition {
    /// The condition with each symbol replaced by what `replacement` returns, at once.
    #[must_use]
    pub fn substitute(&self, replacement: &mut impl FnMut(&Symbol) -> Option<Expr>) -> Self {
        Self::from_node(substitute(self.node(), replacement))
    }
}

fn substitute(
    root: &Arc<Node>,
    replacement: &mut impl FnMut(&Symbol) -> Option<Expr>,
) -> Arc<Node> {
    if small::is_small(root) {
        return small::substitute(root, replacement).unwrap_or_else(|| root.clone());
    }
    substitute_in_order(root, replacement)
}

/// The way for expressions of any size and depth.
pub(crate) fn substitute_in_order(
    root: &Arc<Node>,
    replacement: &mut impl FnMut(&Symbol) -> Option<Expr>,
) -> Arc<Node> {
    let order = Order::of([root]);
    // `None`: the node is unchanged and the original is used.
    let mut made: Vec<Option<Arc<Node>>> = Vec::with_capacity(order.nodes.len());
    for (i, node) in order.nodes.iter().enumerate() {
        let new = match &node.head {
            Head::Constant(_) | Head::Function(_) => None,
            Head::Symbol(symbol) => replacement(symbol).map(|expr| expr.node().clone()),
            Head::Op(op) => {
                let changed =
                    order.operands[i].map(|k| made.get(k as usize).and_then(Option::as_ref));
                changed.iter().any(Option::is_some).then(|| {
                    let mut operands = changed;
                    for (operand, original) in operands.iter_mut().zip(&node.operands) {
                        *operand = operand.or(original.as_ref());
                    }
                    build(*op, operands)
                })
            }
        };
        made.push(new);
    }
    made.pop().flatten().unwrap_or_else(|| root.clone())
}
