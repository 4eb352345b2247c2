//! Reading expressions from text.

mod error;
mod machine;
mod source;
mod token;

use crate::condition::Condition;
use crate::expr::Expr;
use crate::external::Function;
use crate::parse::machine::Machine;
use crate::symbol::Symbol;
use std::collections::BTreeSet;

pub(crate) use error::underline;
pub use error::{ParseError, ParseErrorKind};
pub use source::Source;

/// Reads expressions from text that may come from anywhere.
///
/// Time and memory are linear in the length of the text and nesting may have any depth; the
/// limits only bound what a caller is willing to handle.
///
/// The language, weakest binding first:
///
/// ```text
/// let name = e; ..        names a part that is used several times
/// if c then a else b      choice
/// c or d   c and d   not c
/// a < b  <=  >  >=  ==  !=
/// a + b   a - b
/// a * b   a / b
/// -a
/// a ^ 3   a ^ b           integer power if the exponent is an integer literal, else real power
/// f(a, b)   (a)   1.5e-3   plant.speed   'any name'   pi   inf   nan   true   false
/// ```
///
/// Functions: `abs sign floor ceil sqrt exp ln exp_m1 ln_1p sin cos tan asin acos atan sinh cosh
/// tanh erf no_event pow modulo atan2 hypot`, `min` and `max` of two or more, and
/// `clamp(x, low, high)`.
///
/// ```
/// use bifrons_expr::{Parser, Symbol};
///
/// let parser = Parser::new().symbols(["plant.speed"].map(Symbol::new));
/// let error = parser.parse("2 * plant.sped").unwrap_err();
/// assert_eq!(error.span(), 4..14);
/// assert_eq!(error.suggestion(), Some("plant.speed"));
/// ```
#[derive(Debug, Clone)]
pub struct Parser {
    symbols: Option<BTreeSet<Symbol>>,
    functions: Vec<Function>,
    longest: usize,
    most_nodes: usize,
}

impl Default for Parser {
    fn default() -> Self {
        Self::new()
    }
}

impl Parser {
    /// Any symbol, at most 16 MiB of text and 4 million operations.
    #[must_use]
    pub fn new() -> Self {
        Self {
            symbols: None,
            functions: vec![],
            longest: 16 << 20,
            most_nodes: 4_000_000,
        }
    }

    /// Allows these symbols only; others are errors that suggest the nearest one.
    #[must_use]
    pub fn symbols(mut self, symbols: impl IntoIterator<Item = Symbol>) -> Self {
        self.symbols.get_or_insert_default().extend(symbols);
        self
    }

    /// Announces functions: calls by their name, and by `name.d1` their derivatives by the first
    /// argument and so on.
    #[must_use]
    pub fn functions(mut self, functions: impl IntoIterator<Item = Function>) -> Self {
        self.functions.extend(functions);
        self
    }

    /// Refuses longer texts, in bytes.
    #[must_use]
    pub fn longest(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Refuses expressions with more operations, constants and symbols together.
    #[must_use]
    pub fn most_nodes(mut self, nodes: usize) -> Self {
        self.most_nodes = nodes;
        self
    }

    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the span of the offending text and, where there is one, a suggestion.
    pub fn parse(&self, text: &str) -> Result<Expr, ParseError> {
        Machine::new(self, text)?.run()?.number()
    }

    /// Reads an expression and keeps its text, so that later errors can point into it.
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the span of the offending text and, where there is one, a suggestion.
    pub fn parse_source(&self, text: &str) -> Result<Source, ParseError> {
        let (value, spans) = Machine::new(self, text)?.run_with_spans()?;
        Ok(Source::new(value.number()?, text, spans))
    }

    /// Reads a condition.
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the span of the offending text and, where there is one, a suggestion.
    pub fn parse_condition(&self, text: &str) -> Result<Condition, ParseError> {
        Machine::new(self, text)?.run()?.condition()
    }
}

impl Expr {
    /// Reads an expression with a default [`Parser`], which also describes the language.
    ///
    /// Reading what `to_string` wrote gives an equal expression.
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the span of the offending text and, where there is one, a suggestion.
    ///
    /// ```
    /// use bifrons_expr::Expr;
    ///
    /// let e = Expr::parse("if x < 0 then -k*x else sin(t)").unwrap();
    /// assert_eq!(e.to_string(), "if x < 0 then -k * x else sin(t)");
    /// let error = Expr::parse("sine(t)").unwrap_err();
    /// assert_eq!(error.suggestion(), Some("sin"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Parser::new().parse(text)
    }
}

impl Condition {
    /// Reads a condition with a default [`Parser`].
    ///
    /// # Errors
    ///
    /// [`ParseError`] with the span of the offending text and, where there is one, a suggestion.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Parser::new().parse_condition(text)
    }
}

impl std::str::FromStr for Expr {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}
