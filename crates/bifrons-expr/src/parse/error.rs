//! Errors of the parser.

use std::fmt;
use std::ops::Range;

/// A text is no expression: what is wrong, where, and what was probably meant.
///
/// Spans are byte offsets into the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    kind: ParseErrorKind,
    span: Range<usize>,
    suggestion: Option<String>,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A word where another one must stand.
    #[error("found `{found}` where {expected} is expected")]
    Unexpected {
        /// The word.
        found: String,
        /// What may stand there.
        expected: &'static str,
    },
    /// The text ends too early.
    #[error("the text ends where {expected} is expected")]
    UnexpectedEnd {
        /// What must follow.
        expected: &'static str,
    },
    /// A parenthesis or quote is not closed.
    #[error("`{opened}` is not closed")]
    Unclosed {
        /// What was opened.
        opened: &'static str,
    },
    /// A character that the language does not use.
    #[error("`{found}` is not part of the language")]
    UnknownCharacter {
        /// The character.
        found: String,
    },
    /// A number beyond the range of `f64`.
    #[error("the number {text} is beyond the range of 64-bit floats")]
    NumberOutOfRange {
        /// The number as written.
        text: String,
    },
    /// A function that does not exist.
    #[error("there is no function `{name}`")]
    UnknownFunction {
        /// The name.
        name: String,
    },
    /// A symbol that was not announced to the parser.
    #[error("there is no symbol `{name}`")]
    UnknownSymbol {
        /// The name.
        name: String,
    },
    /// Too few or too many arguments.
    #[error("`{name}` takes {expected} arguments, got {found}")]
    WrongArguments {
        /// The function.
        name: String,
        /// How many arguments it takes.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A truth value where a number must stand.
    #[error("this is a condition where a number is expected")]
    ConditionForNumber,
    /// A number where a truth value must stand.
    #[error("this is a number where a condition is expected")]
    NumberForCondition,
    /// `a < b < c`.
    #[error("comparisons do not chain")]
    ChainedComparison,
    /// A `let` uses the name of an earlier one.
    #[error("`{name}` is defined twice")]
    DefinedTwice {
        /// The name.
        name: String,
    },
    /// The text is longer than the limit.
    #[error("the text has {found} bytes, the limit is {limit}: raise the limit of the parser")]
    TooLong {
        /// Bytes of the text.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// The expression has more operations than the limit.
    #[error("the expression has more than {limit} operations: raise the limit of the parser")]
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
}

impl ParseError {
    pub(crate) fn new(kind: ParseErrorKind, span: Range<usize>) -> Self {
        Self {
            kind,
            span,
            suggestion: None,
        }
    }

    pub(crate) fn suggest(mut self, text: String) -> Self {
        self.suggestion = Some(text);
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &ParseErrorKind {
        &self.kind
    }

    /// Byte offsets of the offending part of the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What was probably meant: the nearest known name or the right spelling.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }

    /// The line of the text with the offending part underlined, and the message.
    #[must_use]
    pub fn render(&self, text: &str) -> String {
        underline(text, &self.span, &self.to_string())
    }
}

/// The line of a text with a part underlined, and a message.
pub(crate) fn underline(text: &str, span: &Range<usize>, message: &str) -> String {
    let start = text.floor_char_boundary(span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let end = text.floor_char_boundary(span.end.min(line_end).max(start));
    let indent = " ".repeat(text[line_start..start].chars().count());
    let marks = "^".repeat(text[start..end].chars().count().max(1));
    format!("{}\n{indent}{marks} {message}", &text[line_start..line_end])
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}..{}", self.kind, self.span.start, self.span.end)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, ": did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}
