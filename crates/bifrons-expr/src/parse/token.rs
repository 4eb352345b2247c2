//! Words of the text form.

use crate::parse::error::{ParseError, ParseErrorKind};
use crate::print::{continues_name, starts_name};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// Digits only, and small enough for an exponent.
    Integer(i32),
    Name(String),
    /// A name in quotes: never a keyword or function.
    Quoted(String),
    /// Operators and punctuation.
    Mark(&'static str),
    End,
}

/// Longest marks first.
const MARKS: [&str; 17] = [
    "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ",", ";", "=", "%",
];

/// Marks of other languages and what to write instead.
const FOREIGN: [(&str, &str); 6] = [
    ("&&", "and"),
    ("||", "or"),
    ("**", "^"),
    ("!", "not"),
    ("?", "if .. then .. else"),
    ("&", "and"),
];

#[derive(Clone)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next word and where it is.
    pub(crate) fn next(&mut self) -> Result<(Token, Range<usize>), ParseError> {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        let start = self.at + rest.len() - trimmed.len();
        self.at = start;
        let Some(first) = trimmed.chars().next() else {
            return Ok((Token::End, start..start));
        };
        let token = if first.is_ascii_digit() || fraction(trimmed) {
            self.number(trimmed, start)?
        } else if starts_name(first) {
            let length = trimmed
                .find(|c| !continues_name(c))
                .unwrap_or(trimmed.len());
            self.at += length;
            Token::Name(trimmed[..length].to_owned())
        } else if first == '\'' {
            self.quoted(trimmed, start)?
        } else {
            self.mark(trimmed, first, start)?
        };
        Ok((token, start..self.at))
    }

    fn number(&mut self, text: &str, start: usize) -> Result<Token, ParseError> {
        let digits = |at: usize| {
            let rest = &text.as_bytes()[at..];
            at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let whole = digits(0);
        let mut end = whole;
        if text[end..].starts_with('.') {
            end = digits(end + 1);
        }
        if text[end..].starts_with(['e', 'E']) {
            let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        self.at = start + end;
        let span = start..self.at;
        let word = &text[..end];
        if let Some(next) = text[end..].chars().next().filter(|next| starts_name(*next)) {
            let kind = ParseErrorKind::Unexpected {
                found: next.to_string(),
                expected: "an operator",
            };
            let product = format!("{word} * {next}");
            return Err(ParseError::new(kind, self.at..self.at + next.len_utf8()).suggest(product));
        }
        if end == whole
            && let Ok(integer) = word.parse()
        {
            return Ok(Token::Integer(integer));
        }
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Number(number)),
            _ => {
                let kind = ParseErrorKind::NumberOutOfRange {
                    text: word.to_owned(),
                };
                Err(ParseError::new(kind, span))
            }
        }
    }

    fn quoted(&mut self, text: &str, start: usize) -> Result<Token, ParseError> {
        let mut name = String::new();
        let mut letters = text.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\'' => {
                    self.at = start + at + 1;
                    return Ok(Token::Quoted(name));
                }
                '\\' => name.extend(letters.next().map(|(_, escaped)| escaped)),
                _ => name.push(letter),
            }
        }
        let kind = ParseErrorKind::Unclosed { opened: "'" };
        Err(ParseError::new(kind, start..start + 1).suggest(String::from("'")))
    }

    fn mark(&mut self, text: &str, first: char, start: usize) -> Result<Token, ParseError> {
        let foreign = FOREIGN.iter().find(|(mark, _)| text.starts_with(mark));
        let known = MARKS.iter().find(|mark| text.starts_with(**mark));
        match (foreign, known) {
            (Some((mark, instead)), known)
                if known.is_none_or(|known| known.len() < mark.len()) =>
            {
                let kind = ParseErrorKind::UnknownCharacter {
                    found: (*mark).to_owned(),
                };
                let span = start..start + mark.len();
                Err(ParseError::new(kind, span).suggest((*instead).to_owned()))
            }
            (_, Some(mark)) if *mark != "%" => {
                self.at += mark.len();
                Ok(Token::Mark(mark))
            }
            _ => {
                let kind = ParseErrorKind::UnknownCharacter {
                    found: first.to_string(),
                };
                let error = ParseError::new(kind, start..start + first.len_utf8());
                Err(if first == '%' {
                    error.suggest(String::from("modulo(a, b)"))
                } else {
                    error
                })
            }
        }
    }
}

fn fraction(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next() == Some('.') && letters.next().is_some_and(|c| c.is_ascii_digit())
}
