//! Errors of reading and checking units.

use crate::unit::Unit;
use std::fmt;
use std::ops::Range;

/// A text is no unit: what is wrong, where, and what was probably meant.
///
/// Spans are byte offsets into the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitParseError {
    kind: UnitParseErrorKind,
    span: Range<usize>,
    suggestion: Option<String>,
}

/// What is wrong with the text of a unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitParseErrorKind {
    /// A name has no letters.
    #[error("a name needs at least one letter")]
    Empty,
    /// A character where another one must stand.
    #[error("found `{found}` where {expected} is expected")]
    Unexpected {
        /// The character.
        found: char,
        /// What may stand there.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the text ends where {expected} is expected")]
    UnexpectedEnd {
        /// What must follow.
        expected: &'static str,
    },
    /// A parenthesis is not closed.
    #[error("`(` is not closed")]
    Unclosed,
    /// A character that units and their names do not use.
    #[error("`{found}` is not part of the language of units")]
    UnknownCharacter {
        /// The character.
        found: char,
    },
    /// A name that is not in the table.
    #[error("there is no unit `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A temperature with an offset as part of a product.
    #[error(
        "`{name}` has an offset and can only stand alone: write `{difference}` for differences"
    )]
    OffsetInProduct {
        /// The name.
        name: String,
        /// The unit of its differences.
        difference: String,
    },
    /// An exponent or a scale beyond what is kept exactly.
    #[error(
        "the exponent or scale is out of range: exponents have parts of at most 10000, scales are those of 64-bit floats"
    )]
    TooLarge,
    /// The text is longer than the limit.
    #[error("the text has {found} bytes, the limit is {limit}: define a name for a part of it")]
    TooLong {
        /// Bytes of the text.
        found: usize,
        /// The limit.
        limit: usize,
    },
}

impl UnitParseError {
    pub(crate) fn new(kind: UnitParseErrorKind, span: Range<usize>) -> Self {
        Self {
            kind,
            span,
            suggestion: None,
        }
    }

    pub(crate) fn suggest(mut self, suggestion: Option<String>) -> Self {
        self.suggestion = suggestion;
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &UnitParseErrorKind {
        &self.kind
    }

    /// Byte offsets of the offending part of the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The nearest known name.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl fmt::Display for UnitParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}..{}", self.kind, self.span.start, self.span.end)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, ": did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnitParseError {}

/// Units of an expression do not fit: which part, where it stands, both units, and what to do.
///
/// Spans are byte offsets into [`UnitError::text`], which is the text of the whole expression: as
/// it was written for a [`Source`](crate::Source), else as it is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitError {
    pub(super) kind: UnitErrorKind,
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// How units do not fit; texts of operands are shortened.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitErrorKind {
    /// Quantities of different dimension are added, compared or chosen from.
    #[error(
        "`{left}` is in {left_unit} and `{right}` in {right_unit}, which measure different things ({} and {}): multiply or divide one of them by a quantity that makes up the difference",
        left_unit.dimension(), right_unit.dimension()
    )]
    Dimensions {
        /// First operand.
        left: String,
        /// Its unit.
        left_unit: Unit,
        /// Second operand.
        right: String,
        /// Its unit.
        right_unit: Unit,
    },
    /// Quantities of the same dimension with different scales or offsets.
    #[error(
        "`{left}` is in {left_unit} and `{right}` in {right_unit}: convert one of them ({})",
        conversion(right_unit, left_unit)
    )]
    Scales {
        /// First operand.
        left: String,
        /// Its unit.
        left_unit: Unit,
        /// Second operand.
        right: String,
        /// Its unit.
        right_unit: Unit,
    },
    /// A function of pure numbers gets something else.
    #[error(
        "`{function}` needs a pure number, `{operand}` is in {unit}: {}",
        purify(unit)
    )]
    NotPure {
        /// The function.
        function: &'static str,
        /// Its operand.
        operand: String,
        /// The unit of the operand.
        unit: Unit,
    },
    /// A quantity with a unit is raised to a power that is not known or no simple ratio.
    #[error(
        "`{operand}` is in {unit}, so its exponent must be a constant such as 2 or 1/3: divide it by a quantity in {unit} before"
    )]
    Exponent {
        /// What is raised.
        operand: String,
        /// Its unit.
        unit: Unit,
    },
    /// A temperature with an offset is multiplied, or added to another one.
    #[error(
        "`{operand}` is in {unit}, which has an offset, so that only differences may be added to it: convert it to {} before",
        unit.difference()
    )]
    Offset {
        /// The operand.
        operand: String,
        /// Its unit.
        unit: Unit,
    },
    /// The exponents of the result are too large.
    #[error(
        "the unit has exponents beyond 10000 or a scale beyond 64-bit floats: rescale a factor"
    )]
    TooLarge,
    /// The whole expression has another unit than it should.
    #[error(
        "the expression is in {found}, expected is {expected}: {}",
        toward(found, expected)
    )]
    Unexpected {
        /// What the expression is in.
        found: Unit,
        /// What it should be in.
        expected: Unit,
    },
}

fn conversion(from: &Unit, to: &Unit) -> String {
    match from.factor_to(to) {
        Some(factor) => format!("{from} to {to}: multiply by {}", digits(factor)),
        None => format!("{from} to {to}: mind the offset"),
    }
}

/// Twelve digits: scales are no more exact than that.
fn digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn purify(unit: &Unit) -> String {
    if unit.dimension().is_none() {
        format!("multiply it by {}", digits(unit.scale()))
    } else {
        format!("divide it by a quantity in {unit}")
    }
}

fn toward(found: &Unit, expected: &Unit) -> String {
    if found.dimension() == expected.dimension() {
        conversion(found, expected)
    } else {
        format!(
            "they measure different things ({} and {})",
            found.dimension(),
            expected.dimension()
        )
    }
}

impl UnitError {
    /// How the units do not fit.
    #[must_use]
    pub fn kind(&self) -> &UnitErrorKind {
        &self.kind
    }

    /// Text of the whole expression.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where the part stands whose operands do not fit.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The part whose operands do not fit.
    #[must_use]
    pub fn part(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// The text with the part underlined, and the message.
    #[must_use]
    pub fn render(&self) -> String {
        crate::parse::underline(&self.text, &self.span, &self.kind.to_string())
    }
}

/// Longest text of an expression inside a message, in bytes.
const LONGEST_QUOTE: usize = 200;

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        let Range { start, end } = self.span;
        if self.text.len() <= LONGEST_QUOTE {
            write!(f, " (`{}`, {start}..{end} of `{}`)", self.part(), self.text)
        } else if self.part().len() <= LONGEST_QUOTE {
            write!(f, " (`{}`, {start}..{end} of the expression)", self.part())
        } else {
            write!(f, " ({start}..{end} of the expression)")
        }
    }
}

impl std::error::Error for UnitError {}
