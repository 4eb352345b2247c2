//! Expressions that remember where their parts were written.

use crate::expr::Expr;
use crate::node::Node;
use crate::symbol::Symbol;
use crate::unit::{Unit, UnitError, check};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Where each node was written for the first time, by its address.
///
/// The nodes are kept, so that an address means one node as long as the table lives.
#[derive(Clone, Default)]
pub(crate) struct Spans(BTreeMap<usize, (Arc<Node>, Range<usize>)>);

impl Spans {
    pub(crate) fn note(&mut self, node: &Arc<Node>, span: &Range<usize>) {
        let entry = self.0.entry(Arc::as_ptr(node).addr());
        entry.or_insert_with(|| (node.clone(), span.clone()));
    }

    fn of(&self, node: &Arc<Node>) -> Option<Range<usize>> {
        let (_, span) = self.0.get(&Arc::as_ptr(node).addr())?;
        Some(span.clone())
    }
}

/// An expression with the text that it was read from.
///
/// Errors of units that are found through it point into this text. Made by
/// [`Parser::parse_source`](crate::Parser::parse_source). Keeps one entry per operation.
///
/// ```
/// use bifrons_expr::{Parser, Unit};
///
/// let source = Parser::new().parse_source("2*(height  -  t)").unwrap();
/// let error = source
///     .unit(&mut |s| Unit::parse(if s.name() == "t" { "s" } else { "m" }).ok())
///     .unwrap_err();
/// assert_eq!(error.part(), "height  -  t");
/// ```
#[derive(Clone)]
pub struct Source {
    expr: Expr,
    text: String,
    spans: Spans,
}

impl Source {
    pub(crate) fn new(expr: Expr, text: &str, spans: Spans) -> Self {
        Self {
            expr,
            text: text.to_owned(),
            spans,
        }
    }

    /// The expression.
    #[must_use]
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where this very part was written for the first time, parentheses not counted; `None` for an
    /// expression that is no part, even if it is equal to one.
    #[must_use]
    pub fn span(&self, part: &Expr) -> Option<Range<usize>> {
        self.spans.of(part.node())
    }

    /// The unit of the expression; see [`Expr::unit`].
    ///
    /// # Errors
    ///
    /// [`UnitError`] with the place in the text.
    pub fn unit(
        &self,
        of: &mut impl FnMut(&Symbol) -> Option<Unit>,
    ) -> Result<Option<Unit>, UnitError> {
        check(self.expr.node(), of).map_err(|fault| {
            let span = self.spans.of(fault.part());
            fault.within(self.text.clone(), span.unwrap_or(0..self.text.len()))
        })
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({:?})", self.text)
    }
}
