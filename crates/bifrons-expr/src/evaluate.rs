//! Direct evaluation of one expression at one point.

use crate::condition::Condition;
use crate::error::EvaluateError;
use crate::expr::Expr;
use crate::node::{Head, Node, Order};
use crate::op::truth;
use crate::symbol::Symbol;
use std::sync::Arc;

impl Expr {
    /// Value at the point that `value` describes, node by node.
    ///
    /// The slow and obvious sibling of a [`Tape`](crate::Tape), which gives the same bits.
    /// Cost: linear in the number of distinct nodes, allocates. Both branches of a `select` are
    /// evaluated, so every symbol must be known.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] if `value` returns `None` for a symbol that occurs.
    pub fn evaluate(
        &self,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Result<f64, EvaluateError> {
        evaluate(self.node(), value)
    }
}

impl Condition {
    /// Truth at the point that `value` describes.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] if `value` returns `None` for a symbol that occurs.
    pub fn evaluate(
        &self,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Result<bool, EvaluateError> {
        evaluate(self.node(), value).map(truth)
    }
}

fn evaluate(
    root: &Arc<Node>,
    value: &mut impl FnMut(&Symbol) -> Option<f64>,
) -> Result<f64, EvaluateError> {
    let order = Order::of([root]);
    let mut values = Vec::with_capacity(order.nodes.len());
    for (i, node) in order.nodes.iter().enumerate() {
        let result = match &node.head {
            Head::Constant(constant) => *constant,
            Head::Symbol(symbol) => value(symbol).ok_or_else(|| EvaluateError::UnknownSymbol {
                symbol: symbol.clone(),
            })?,
            Head::Function(_) => f64::NAN,
            Head::Op(op) => order.apply(*op, i, &values),
        };
        values.push(result);
    }
    Ok(values.last().copied().unwrap_or(f64::NAN))
}
