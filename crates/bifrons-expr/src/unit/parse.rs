//! Reading units from text.

use crate::unit::dimension::Exponent;
use crate::unit::error::{UnitParseError, UnitParseErrorKind};
use crate::unit::table::UnitTable;
use crate::unit::{Factor, Unit};
use std::ops::Range;
use std::sync::Arc;

/// Longest text in bytes, which bounds time and nesting.
const LONGEST: usize = 4096;

/// Whether a name may contain this character.
pub(super) fn names(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '%' | '°')
}

/// A product that is being read: what is finished, and whether the next factor divides.
struct Open {
    product: Unit,
    divides: bool,
    start: usize,
}

/// Reads products from left to right; parentheses wait on a stack.
pub(super) struct Reader<'a> {
    table: &'a UnitTable,
    text: &'a str,
    at: usize,
    stack: Vec<Open>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a UnitTable, text: &'a str) -> Self {
        Self {
            table,
            text,
            at: 0,
            stack: vec![],
        }
    }

    pub(super) fn read(mut self) -> Result<Unit, UnitParseError> {
        if self.text.len() > LONGEST {
            let kind = UnitParseErrorKind::TooLong {
                found: self.text.len(),
                limit: LONGEST,
            };
            return Err(UnitParseError::new(kind, 0..0));
        }
        self.open(0);
        self.blanks();
        if self.at == self.text.len() {
            return Ok(Unit::one());
        }
        loop {
            while self.factor()? {}
            if self.operator()? {
                let unit = self.stack.pop().map(|open| open.product);
                return unit.ok_or_else(|| UnitParseError::new(UnitParseErrorKind::Empty, 0..0));
            }
        }
    }

    fn open(&mut self, start: usize) {
        self.stack.push(Open {
            product: Unit::one(),
            divides: false,
            start,
        });
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Reads a number, a name or an opening parenthesis; true if another factor must follow.
    fn factor(&mut self) -> Result<bool, UnitParseError> {
        self.blanks();
        let start = self.at;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.open(start);
                Ok(true)
            }
            Some(c) if c.is_ascii_digit() => {
                let number = self.number(start)?;
                let power = self.caret()?;
                self.multiply(&number, power, start..self.at)?;
                Ok(false)
            }
            Some(c) if names(c) => {
                let rest = &self.text[start..];
                let length = rest.find(|c| !names(c)).unwrap_or(rest.len());
                self.at += length;
                let name = &rest[..length];
                let Some(unit) = self.table.find(name) else {
                    let kind = UnitParseErrorKind::UnknownName {
                        name: name.to_owned(),
                    };
                    let error = UnitParseError::new(kind, start..self.at);
                    return Err(error.suggest(self.table.nearest(name)));
                };
                let power = match self.caret()? {
                    Some(power) => Some(power),
                    None => self.bare_exponent()?,
                };
                self.multiply(&unit, power, start..self.at)?;
                Ok(false)
            }
            _ => Err(self.unexpected("a unit")),
        }
    }

    /// Reads what stands between factors; true at the end.
    fn operator(&mut self) -> Result<bool, UnitParseError> {
        loop {
            self.blanks();
            let divides = match self.peek() {
                None => {
                    let open = self.stack.len() > 1;
                    let start = self.stack.last().map_or(0, |open| open.start);
                    return if open {
                        let kind = UnitParseErrorKind::Unclosed;
                        Err(UnitParseError::new(kind, start..start + 1))
                    } else {
                        Ok(true)
                    };
                }
                Some(')') if self.stack.len() > 1 => {
                    self.at += 1;
                    let Some(inner) = self.stack.pop() else {
                        return Ok(true);
                    };
                    let power = self.caret()?;
                    self.multiply(&inner.product, power, inner.start..self.at)?;
                    continue;
                }
                Some(c @ ('.' | '*' | '·' | '⋅' | '/')) => {
                    self.at += c.len_utf8();
                    c == '/'
                }
                Some(c) if names(c) || c == '(' => false,
                Some(_) => return Err(self.unexpected("`.`, `/` or the end")),
            };
            if let Some(open) = self.stack.last_mut() {
                open.divides = divides;
            }
            return Ok(false);
        }
    }

    /// Multiplies the innermost product by a power of a unit, or divides it.
    fn multiply(
        &mut self,
        unit: &Unit,
        power: Option<Exponent>,
        span: Range<usize>,
    ) -> Result<(), UnitParseError> {
        let alone = self.stack.len() == 1 && span.len() == self.text.trim().len();
        let Some(open) = self.stack.last_mut() else {
            return Ok(());
        };
        if unit.has_offset() {
            if alone && power.is_none() {
                open.product = unit.clone();
                return Ok(());
            }
            let kind = UnitParseErrorKind::OffsetInProduct {
                name: unit.to_string(),
                difference: unit.difference().to_string(),
            };
            return Err(UnitParseError::new(kind, span));
        }
        let power = power.unwrap_or(Exponent::ONE);
        let power = if open.divides { power.negated() } else { power };
        match open.product.combined(unit, power) {
            Some(product) => open.product = product,
            None => return Err(UnitParseError::new(UnitParseErrorKind::TooLarge, span)),
        }
        open.divides = false;
        Ok(())
    }

    /// A positive number, as a unit that is called like it is written.
    fn number(&mut self, start: usize) -> Result<Unit, UnitParseError> {
        let bytes = self.text.as_bytes();
        let digits = |at: usize| {
            at + bytes[at..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = if end + 1 + sign <= bytes.len() {
                digits(end + 1 + sign)
            } else {
                end
            };
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        self.at = end;
        let word = &self.text[start..end];
        let value = word.parse::<f64>().unwrap_or(f64::NAN);
        if !value.is_normal() {
            let kind = UnitParseErrorKind::TooLarge;
            return Err(UnitParseError::new(kind, start..end));
        }
        let mut factors = vec![];
        if word != "1" {
            factors.push(Factor {
                name: Arc::from(word),
                exponent: Exponent::ONE,
            });
        }
        let none = Unit::one().dimension();
        Ok(Unit::from_parts(none, value, factors))
    }

    /// `^2`, `^-1`, `^(1/2)`.
    fn caret(&mut self) -> Result<Option<Exponent>, UnitParseError> {
        if self.peek() != Some('^') {
            return Ok(None);
        }
        let start = self.at;
        self.at += 1;
        let closes = self.peek() == Some('(');
        self.at += usize::from(closes);
        let numerator = self.integer()?.ok_or_else(|| self.unexpected("a number"))?;
        let mut denominator = 1;
        if closes && self.peek() == Some('/') {
            self.at += 1;
            denominator = self.integer()?.ok_or_else(|| self.unexpected("a number"))?;
        }
        if closes {
            if self.peek() != Some(')') {
                return Err(self.unexpected("`)`"));
            }
            self.at += 1;
        }
        let exponent = Exponent::new(numerator, denominator);
        let too_large = || UnitParseError::new(UnitParseErrorKind::TooLarge, start..self.at);
        exponent.map(Some).ok_or_else(too_large)
    }

    /// `2` of `m2` and `-1` of `s-1`.
    fn bare_exponent(&mut self) -> Result<Option<Exponent>, UnitParseError> {
        let start = self.at;
        let Some(integer) = self.integer()? else {
            return Ok(None);
        };
        let too_large = || UnitParseError::new(UnitParseErrorKind::TooLarge, start..self.at);
        Exponent::new(integer, 1).map(Some).ok_or_else(too_large)
    }

    /// A signed integer, if one stands here.
    fn integer(&mut self) -> Result<Option<i32>, UnitParseError> {
        let rest = &self.text[self.at..];
        let sign = usize::from(rest.starts_with(['-', '+']));
        let digits = rest.as_bytes()[sign..]
            .iter()
            .take_while(|b| b.is_ascii_digit());
        let length = sign + digits.count();
        if length == sign {
            return Ok(None);
        }
        let start = self.at;
        self.at += length;
        let too_large = |_| UnitParseError::new(UnitParseErrorKind::TooLarge, start..self.at);
        rest[..length].parse().map(Some).map_err(too_large)
    }

    fn unexpected(&self, expected: &'static str) -> UnitParseError {
        match self.peek() {
            None => {
                let kind = UnitParseErrorKind::UnexpectedEnd { expected };
                UnitParseError::new(kind, self.at..self.at)
            }
            Some(found) if "()^./*·⋅0123456789".contains(found) => {
                let kind = UnitParseErrorKind::Unexpected { found, expected };
                UnitParseError::new(kind, self.at..self.at + found.len_utf8())
            }
            Some(found) => {
                let kind = UnitParseErrorKind::UnknownCharacter { found };
                UnitParseError::new(kind, self.at..self.at + found.len_utf8())
            }
        }
    }
}
