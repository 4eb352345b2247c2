//! Calls of functions: those of the language and those that are announced.

use crate::external::Function;
use crate::node::Node;
use crate::op::Op;
use crate::parse::error::{ParseError, ParseErrorKind};
use crate::parse::machine::Machine;
use crate::print::FUNCTIONS;
use std::ops::Range;
use std::sync::Arc;

impl Machine<'_> {
    /// The announced function of this name.
    pub(super) fn function(&self, name: &str) -> Option<Function> {
        let mut known = self.parser.functions.iter();
        known.find_map(|function| function.named(name))
    }

    /// A call of an announced function.
    fn external(
        &mut self,
        function: &Function,
        arguments: usize,
        span: Range<usize>,
    ) -> Result<(), ParseError> {
        if arguments != function.arity() {
            let kind = ParseErrorKind::WrongArguments {
                name: function.name().to_owned(),
                expected: function.arity(),
                found: arguments,
            };
            return Err(ParseError::new(kind, span));
        }
        let values = self
            .values
            .split_off(self.values.len().saturating_sub(arguments));
        if let Some(value) = values.iter().find(|value| value.is_condition) {
            let kind = ParseErrorKind::ConditionForNumber;
            return Err(ParseError::new(kind, value.span.clone()));
        }
        let nodes: Vec<Arc<Node>> = values.into_iter().map(|value| value.node).collect();
        self.push(function.node(&nodes), false, span)
    }

    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: usize,
        start: Range<usize>,
    ) -> Result<(), ParseError> {
        if let Some(function) = self.function(name) {
            return self.external(&function, arguments, start.start..self.span.end);
        }
        let op = FUNCTIONS
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(Op::Abs, |(_, op)| *op);
        let expected = op.arity();
        let variadic = matches!(op, Op::Min | Op::Max);
        if (arguments != expected && !variadic) || arguments < expected {
            let name = name.to_owned();
            let kind = ParseErrorKind::WrongArguments {
                name,
                expected,
                found: arguments,
            };
            return Err(ParseError::new(kind, start.start..self.span.end));
        }
        let span = start.start..self.span.end;
        if variadic {
            let rest = self.values.split_off(self.values.len() - arguments + 1);
            for value in rest {
                self.values.push(value);
                self.apply(op, 2, span.clone())?;
            }
            return Ok(());
        }
        if op == Op::Select {
            // The only function of three arguments: clamp(x, low, high).
            let high = self.values.pop();
            self.apply(Op::Max, 2, span.clone())?;
            self.values.extend(high);
            return self.apply(Op::Min, 2, span);
        }
        self.apply(op, expected, span)
    }
}
