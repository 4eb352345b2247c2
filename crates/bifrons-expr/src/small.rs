//! Short ways through small expressions, which take no memory.
//!
//! Most equations of a diagram have a handful of nodes; lists and tables for them cost more than
//! the equations themselves. An expression is small here if it has few nodes and every node but
//! the root has one user, so that a walk over the tree meets each node once.

use crate::expr::Expr;
use crate::expr::build;
use crate::node::{Head, Node};
use crate::symbol::Symbol;
use std::sync::Arc;

/// Nodes of a small tree below its root; the functions here recurse no deeper.
const MOST: u32 = 32;

/// Nodes of a pair of trees that are compared before tables are made.
const PAIRS: u32 = 64;

/// Whether each node below is met once by a walk over the tree, and there are few.
pub(crate) fn is_small(root: &Node) -> bool {
    within(root, &mut { MOST }, false)
}

/// As [`is_small`], but leaves may be met more than once.
pub(crate) fn is_small_over_leaves(root: &Node) -> bool {
    within(root, &mut { MOST }, true)
}

fn within(node: &Node, left: &mut u32, leaves: bool) -> bool {
    let mut operands = node.operands.iter().flatten();
    operands.all(|operand| {
        let once = Arc::strong_count(operand) == 1 || (leaves && operand.is_leaf());
        let Some(fewer) = left.checked_sub(1).filter(|_| once) else {
            return false;
        };
        *left = fewer;
        within(operand, left, leaves)
    })
}

/// Calls `visit` with every symbol node of a small tree, from left to right.
pub(crate) fn symbols<'a>(node: &'a Node, visit: &mut impl FnMut(&'a Symbol)) {
    if let Head::Symbol(symbol) = &node.head {
        visit(symbol);
    }
    for operand in node.operands.iter().flatten() {
        symbols(operand, visit);
    }
}

/// A small tree with symbols replaced; `None` if nothing changes.
pub(crate) fn substitute(
    node: &Node,
    replacement: &mut impl FnMut(&Symbol) -> Option<Expr>,
) -> Option<Arc<Node>> {
    match &node.head {
        Head::Constant(_) | Head::Function(_) => None,
        Head::Symbol(symbol) => replacement(symbol).map(Expr::into_node),
        Head::Op(op) => {
            let mut changed = [None, None, None];
            for (new, operand) in changed.iter_mut().zip(&node.operands) {
                *new = operand
                    .as_ref()
                    .and_then(|own| substitute(own, replacement));
            }
            if changed.iter().all(Option::is_none) {
                return None;
            }
            let mut operands = changed.each_ref().map(Option::as_ref);
            for (operand, original) in operands.iter_mut().zip(&node.operands) {
                *operand = operand.or(original.as_ref());
            }
            Some(build(*op, operands))
        }
    }
}

/// Whether two trees are equal; `None` if this takes longer than a few comparisons.
pub(crate) fn equal(a: &Arc<Node>, b: &Arc<Node>) -> Option<bool> {
    fn walk(a: &Arc<Node>, b: &Arc<Node>, left: &mut u32) -> Option<bool> {
        if Arc::ptr_eq(a, b) {
            return Some(true);
        }
        *left = left.checked_sub(1)?;
        let same = match (&a.head, &b.head) {
            (Head::Constant(a), Head::Constant(b)) => a.to_bits() == b.to_bits(),
            (Head::Symbol(a), Head::Symbol(b)) => a == b,
            (Head::Function(a), Head::Function(b)) => a.address() == b.address(),
            (Head::Op(a), Head::Op(b)) => a == b,
            _ => false,
        };
        if !same {
            return Some(false);
        }
        for pair in a.operands.iter().zip(&b.operands) {
            match pair {
                (Some(a), Some(b)) => {
                    if !walk(a, b, left)? {
                        return Some(false);
                    }
                }
                (None, None) => {}
                _ => return Some(false),
            }
        }
        Some(true)
    }
    walk(a, b, &mut { PAIRS })
}

#[cfg(test)]
mod tests;
