//! Operator precedence on explicit stacks, so that nesting may have any depth.

mod call;

use crate::condition::Condition;
use crate::expr::{Expr, build};
use crate::external::Function;
use crate::node::Node;
use crate::op::Op;
use crate::parse::Parser;
use crate::parse::error::{ParseError, ParseErrorKind};
use crate::parse::source::Spans;
use crate::parse::token::{Token, Tokens};
use crate::print::{FUNCTIONS, KEYWORDS, level};
use crate::suggest::nearest;
use crate::symbol::Symbol;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Names of other languages and what they are called here.
const ALIASES: [(&str, &str); 14] = [
    ("log", "ln"),
    ("log1p", "ln_1p"),
    ("expm1", "exp_m1"),
    ("mod", "modulo"),
    ("rem", "modulo"),
    ("fmod", "modulo"),
    ("arctan", "atan"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan2", "atan2"),
    ("sgn", "sign"),
    ("fabs", "abs"),
    ("power", "pow"),
    ("ceiling", "ceil"),
];

/// A finished part of the text.
#[derive(Clone)]
pub(crate) struct Value {
    node: Arc<Node>,
    is_condition: bool,
    span: Range<usize>,
}

impl Value {
    pub(crate) fn number(self) -> Result<Expr, ParseError> {
        let span = self.span.clone();
        let kind = ParseErrorKind::ConditionForNumber;
        if self.is_condition {
            Err(ParseError::new(kind, span))
        } else {
            Ok(Expr::from_node(self.node))
        }
    }

    pub(crate) fn condition(self) -> Result<Condition, ParseError> {
        let span = self.span.clone();
        let kind = ParseErrorKind::NumberForCondition;
        if self.is_condition {
            Ok(Condition::from_node(self.node))
        } else {
            Err(ParseError::new(kind, span))
        }
    }
}

/// Something that waits for what follows.
enum Frame {
    Infix(Op, u8),
    Prefix(Op, u8),
    Paren,
    Call { name: String, arguments: usize },
    If,
    Then,
    Else,
    Let(String),
}

impl Frame {
    /// Binding strength of frames that end by themselves; `None` for those that need a closing
    /// word.
    fn level(&self) -> Option<u8> {
        match self {
            Self::Infix(_, level) | Self::Prefix(_, level) => Some(*level),
            Self::Else => Some(level::IF),
            _ => None,
        }
    }
}

pub(crate) struct Machine<'a> {
    parser: &'a Parser,
    tokens: Tokens<'a>,
    token: Token,
    span: Range<usize>,
    values: Vec<Value>,
    frames: Vec<(Frame, Range<usize>)>,
    names: BTreeMap<String, Value>,
    nodes: usize,
    /// Where the nodes are written, if asked for.
    spans: Option<Spans>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(parser: &'a Parser, text: &'a str) -> Result<Self, ParseError> {
        if text.len() > parser.longest {
            let kind = ParseErrorKind::TooLong {
                found: text.len(),
                limit: parser.longest,
            };
            return Err(ParseError::new(kind, 0..0));
        }
        let mut machine = Self {
            parser,
            tokens: Tokens::new(text),
            token: Token::End,
            span: 0..0,
            values: vec![],
            frames: vec![],
            names: BTreeMap::new(),
            nodes: 0,
            spans: None,
        };
        machine.advance()?;
        Ok(machine)
    }

    /// Reads the whole text and notes where the nodes are.
    pub(crate) fn run_with_spans(mut self) -> Result<(Value, Spans), ParseError> {
        self.spans = Some(Spans::default());
        let value = self.read()?;
        Ok((value, self.spans.take().unwrap_or_default()))
    }

    /// Reads the whole text.
    pub(crate) fn run(mut self) -> Result<Value, ParseError> {
        self.read()
    }

    fn read(&mut self) -> Result<Value, ParseError> {
        loop {
            while !self.operand()? {}
            if !self.operator()? {
                continue;
            }
            return match self.values.pop() {
                Some(value) => Ok(value),
                None => Err(self.unexpected("a value")),
            };
        }
    }

    fn advance(&mut self) -> Result<(), ParseError> {
        (self.token, self.span) = self.tokens.next()?;
        Ok(())
    }

    /// Reads a value or something that a value must follow; true after a value.
    fn operand(&mut self) -> Result<bool, ParseError> {
        let (token, span) = (self.token.clone(), self.span.clone());
        match token {
            Token::Number(number) => self.leaf(Expr::constant(number))?,
            Token::Integer(integer) => self.leaf(Expr::constant(f64::from(integer)))?,
            Token::Quoted(name) => self.symbol(name)?,
            Token::Mark("-") => return self.open(Frame::Prefix(Op::Neg, level::SIGN)),
            Token::Mark("(") => return self.open(Frame::Paren),
            Token::Name(name) => match name.as_str() {
                "not" => return self.open(Frame::Prefix(Op::Not, level::NOT)),
                "if" => return self.open(Frame::If),
                "let" => return self.binding(),
                "true" | "false" => {
                    let value = Condition::constant(name == "true");
                    self.push(value.node().clone(), true, span)?;
                    self.advance()?;
                }
                "pi" => self.leaf(Expr::constant(std::f64::consts::PI))?,
                "inf" => self.leaf(Expr::constant(f64::INFINITY))?,
                "nan" => self.leaf(Expr::constant(f64::NAN))?,
                word if KEYWORDS.contains(&word) => return Err(self.unexpected("a value")),
                _ => return self.name(name),
            },
            Token::Mark(_) | Token::End => return Err(self.unexpected("a value")),
        }
        Ok(true)
    }

    fn leaf(&mut self, expr: Expr) -> Result<(), ParseError> {
        let span = self.span.clone();
        self.push(expr.node().clone(), false, span)?;
        self.advance()
    }

    fn open(&mut self, frame: Frame) -> Result<bool, ParseError> {
        self.frames.push((frame, self.span.clone()));
        self.advance()?;
        Ok(false)
    }

    /// `let name =`, at the beginning of the text or after another `let`.
    fn binding(&mut self) -> Result<bool, ParseError> {
        let start = self.span.clone();
        if !self.frames.is_empty() {
            return Err(self.unexpected("a value (`let` stands at the beginning of the text)"));
        }
        self.advance()?;
        let name = match &self.token {
            Token::Name(name) | Token::Quoted(name) if !KEYWORDS.contains(&name.as_str()) => {
                name.clone()
            }
            _ => return Err(self.unexpected("a name")),
        };
        if self.names.contains_key(&name) {
            let kind = ParseErrorKind::DefinedTwice { name };
            return Err(ParseError::new(kind, self.span.clone()));
        }
        self.advance()?;
        if self.token != Token::Mark("=") {
            return Err(self.unexpected("`=`"));
        }
        self.advance()?;
        self.frames.push((Frame::Let(name), start));
        Ok(false)
    }

    /// A symbol, a name from a `let` or a function call.
    fn name(&mut self, name: String) -> Result<bool, ParseError> {
        if let Some(value) = self.names.get(&name) {
            let (node, is_condition) = (value.node.clone(), value.is_condition);
            self.push(node, is_condition, self.span.clone())?;
            self.advance()?;
            return Ok(true);
        }
        let start = self.span.clone();
        let is_function = FUNCTIONS.iter().any(|(known, _)| *known == name);
        let follows_paren = {
            let mut ahead = self.tokens.clone();
            matches!(ahead.next(), Ok((Token::Mark("("), _)))
        };
        match (is_function, follows_paren) {
            (false, false) => {
                self.symbol(name)?;
                Ok(true)
            }
            (true, true) => {
                self.advance()?;
                self.advance()?;
                self.frames
                    .push((Frame::Call { name, arguments: 0 }, start));
                Ok(false)
            }
            (true, false) => {
                self.advance()?;
                Err(self.unexpected("`(` after the name of a function"))
            }
            (false, true) if self.function(&name).is_some() => {
                self.advance()?;
                self.advance()?;
                let arguments = 0;
                self.frames.push((Frame::Call { name, arguments }, start));
                Ok(false)
            }
            (false, true) => {
                let alias = ALIASES
                    .iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, here)| *here);
                let known = FUNCTIONS.iter().map(|(known, _)| *known);
                let own = self.parser.functions.iter().map(Function::name);
                let known = known.chain(own);
                let suggestion = alias.or_else(|| nearest(&name, known)).map(str::to_owned);
                let error = ParseError::new(ParseErrorKind::UnknownFunction { name }, start);
                Err(with(error, suggestion))
            }
        }
    }

    fn symbol(&mut self, name: String) -> Result<(), ParseError> {
        let symbol = Symbol::from(name);
        if let Some(known) = &self.parser.symbols
            && !known.contains(&symbol)
        {
            let names = known.iter().map(Symbol::name);
            let suggestion = nearest(symbol.name(), names).map(str::to_owned);
            let kind = ParseErrorKind::UnknownSymbol {
                name: symbol.name().to_owned(),
            };
            return Err(with(ParseError::new(kind, self.span.clone()), suggestion));
        }
        self.leaf(Expr::symbol(symbol))
    }

    /// Reads what stands after a value; true at the end of the text.
    fn operator(&mut self) -> Result<bool, ParseError> {
        loop {
            match self.token.clone() {
                Token::End => {
                    self.reduce(level::IF)?;
                    return match self.frames.pop() {
                        None => Ok(true),
                        Some(frame) => Err(self.unfinished(frame)),
                    };
                }
                Token::Mark("^") => {
                    if !self.power()? {
                        return Ok(false);
                    }
                }
                Token::Mark(")") => self.close()?,
                Token::Mark(",") => {
                    self.comma()?;
                    return Ok(false);
                }
                Token::Mark(";") => {
                    self.semicolon()?;
                    return Ok(false);
                }
                Token::Name(word) if matches!(word.as_str(), "then" | "else") => {
                    self.branch(&word)?;
                    return Ok(false);
                }
                token => {
                    self.infix(&token)?;
                    return Ok(false);
                }
            }
        }
    }

    fn infix(&mut self, token: &Token) -> Result<(), ParseError> {
        let (op, level) = match token {
            Token::Mark("+") => (Op::Add, level::SUM),
            Token::Mark("-") => (Op::Sub, level::SUM),
            Token::Mark("*") => (Op::Mul, level::PRODUCT),
            Token::Mark("/") => (Op::Div, level::PRODUCT),
            Token::Mark("<") => (Op::Lt, level::COMPARE),
            Token::Mark("<=") => (Op::Le, level::COMPARE),
            Token::Mark(">") => (Op::Gt, level::COMPARE),
            Token::Mark(">=") => (Op::Ge, level::COMPARE),
            Token::Mark("==") => (Op::Eq, level::COMPARE),
            Token::Mark("!=") => (Op::Ne, level::COMPARE),
            Token::Name(word) if word == "and" => (Op::And, level::AND),
            Token::Name(word) if word == "or" => (Op::Or, level::OR),
            Token::Mark("=") => {
                return Err(self.unexpected("an operator").suggest(String::from("==")));
            }
            _ => return Err(self.unexpected("an operator")),
        };
        if op.is_comparison() {
            self.reduce(level + 1)?;
            if let Some((Frame::Infix(_, level::COMPARE), _)) = self.frames.last() {
                let error = ParseError::new(ParseErrorKind::ChainedComparison, self.span.clone());
                return Err(error.suggest(String::from("a < b and b < c")));
            }
        }
        self.reduce(level)?;
        self.frames
            .push((Frame::Infix(op, level), self.span.clone()));
        self.advance()
    }

    /// `^ 3` is finished at once (true), `^ e` waits for its exponent.
    fn power(&mut self) -> Result<bool, ParseError> {
        let span = self.span.clone();
        let mut ahead = self.tokens.clone();
        let mut token = ahead.next()?;
        let negative = token.0 == Token::Mark("-");
        if negative {
            token = ahead.next()?;
        }
        if let (Token::Integer(exponent), end) = token
            && !matches!(ahead.clone().next(), Ok((Token::Mark("^"), _)))
        {
            let exponent = if negative { -exponent } else { exponent };
            self.tokens = ahead;
            self.advance()?;
            self.apply(Op::Powi(exponent), 1, end)?;
            return Ok(true);
        }
        self.reduce(level::POWER + 1)?;
        self.frames
            .push((Frame::Infix(Op::Pow, level::POWER), span));
        self.advance()?;
        Ok(false)
    }

    /// Finishes what binds at least as strongly as `level`.
    fn reduce(&mut self, level: u8) -> Result<(), ParseError> {
        while let Some((frame, _)) = self.frames.last()
            && frame.level().is_some_and(|own| own >= level)
        {
            let Some((frame, span)) = self.frames.pop() else {
                break;
            };
            match frame {
                Frame::Prefix(op, _) => self.apply(op, 1, span)?,
                Frame::Infix(op, _) => self.apply(op, 2, span)?,
                _ => self.apply(Op::Select, 3, span)?,
            }
        }
        Ok(())
    }

    /// `)`: the end of a parenthesis or a call.
    fn close(&mut self) -> Result<(), ParseError> {
        self.reduce(level::IF)?;
        match self.frames.pop() {
            Some((Frame::Paren, start)) => {
                if let Some(value) = self.values.last_mut() {
                    value.span = start.start..self.span.end;
                }
            }
            Some((Frame::Call { name, arguments }, start)) => {
                self.call(&name, arguments + 1, start)?;
            }
            Some(frame) => return Err(self.unfinished(frame)),
            None => return Err(self.unexpected("an operator or the end of the text")),
        }
        self.advance()
    }

    fn comma(&mut self) -> Result<(), ParseError> {
        self.reduce(level::IF)?;
        match self.frames.last_mut() {
            Some((Frame::Call { arguments, .. }, _)) => *arguments += 1,
            _ => return Err(self.unexpected("an operator")),
        }
        self.advance()
    }

    /// `;`: the end of a `let`.
    fn semicolon(&mut self) -> Result<(), ParseError> {
        self.reduce(level::IF)?;
        match (self.frames.pop(), self.values.pop()) {
            (Some((Frame::Let(name), _)), Some(value)) => {
                self.names.insert(name, value);
                self.advance()
            }
            _ => Err(self.unexpected("an operator")),
        }
    }

    /// `then` and `else`.
    fn branch(&mut self, word: &str) -> Result<(), ParseError> {
        self.reduce(level::IF)?;
        let next = match (self.frames.last(), word) {
            (Some((Frame::If, _)), "then") => Frame::Then,
            (Some((Frame::Then, _)), "else") => Frame::Else,
            (Some((Frame::If, _)), _) => return Err(self.unexpected("`then`")),
            (Some((Frame::Then, _)), _) => return Err(self.unexpected("`else`")),
            _ => return Err(self.unexpected("an operator (there is no open `if`)")),
        };
        if let Some((frame, _)) = self.frames.last_mut() {
            *frame = next;
        }
        self.advance()
    }

    /// Replaces the last `count` values by the operation on them.
    fn apply(&mut self, op: Op, count: usize, at: Range<usize>) -> Result<(), ParseError> {
        let operands = self
            .values
            .split_off(self.values.len().saturating_sub(count));
        let logical = matches!(op, Op::And | Op::Or | Op::Not);
        for (i, operand) in operands.iter().enumerate() {
            let condition = logical || (op == Op::Select && i == 0);
            if operand.is_condition != condition {
                let kind = if condition {
                    ParseErrorKind::NumberForCondition
                } else {
                    ParseErrorKind::ConditionForNumber
                };
                return Err(ParseError::new(kind, operand.span.clone()));
            }
        }
        let start = operands
            .iter()
            .map(|value| value.span.start)
            .chain([at.start])
            .min();
        let end = operands
            .iter()
            .map(|value| value.span.end)
            .chain([at.end])
            .max();
        let span = start.unwrap_or(0)..end.unwrap_or(0);
        let node = |i: usize| operands.get(i).map(|value| &value.node);
        let made = build(op, [node(0), node(1), node(2)]);
        self.push(made, logical || op.is_comparison(), span)
    }

    fn push(
        &mut self,
        node: Arc<Node>,
        is_condition: bool,
        span: Range<usize>,
    ) -> Result<(), ParseError> {
        self.nodes += 1;
        if self.nodes > self.parser.most_nodes {
            let kind = ParseErrorKind::TooManyNodes {
                limit: self.parser.most_nodes,
            };
            return Err(ParseError::new(kind, span));
        }
        if let Some(spans) = &mut self.spans {
            spans.note(&node, &span);
        }
        self.values.push(Value {
            node,
            is_condition,
            span,
        });
        Ok(())
    }

    fn unexpected(&self, expected: &'static str) -> ParseError {
        let found = match &self.token {
            Token::End => {
                let kind = ParseErrorKind::UnexpectedEnd { expected };
                return ParseError::new(kind, self.span.clone());
            }
            Token::Number(number) => number.to_string(),
            Token::Integer(integer) => integer.to_string(),
            Token::Name(name) => name.clone(),
            Token::Quoted(name) => format!("'{name}'"),
            Token::Mark(mark) => (*mark).to_owned(),
        };
        ParseError::new(
            ParseErrorKind::Unexpected { found, expected },
            self.span.clone(),
        )
    }

    /// The error of a frame that waits for a word that does not come.
    fn unfinished(&self, (frame, span): (Frame, Range<usize>)) -> ParseError {
        match frame {
            Frame::Paren | Frame::Call { .. } => {
                ParseError::new(ParseErrorKind::Unclosed { opened: "(" }, span)
            }
            Frame::If => self.unexpected("`then`"),
            Frame::Then => self.unexpected("`else`"),
            _ => self.unexpected("`;`"),
        }
    }
}

fn with(error: ParseError, suggestion: Option<String>) -> ParseError {
    match suggestion {
        Some(suggestion) => error.suggest(suggestion),
        None => error,
    }
}
