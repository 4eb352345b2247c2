//! Text of expressions: what the parser reads back as the same structure.

use crate::condition::Condition;
use crate::expr::Expr;
use crate::node::{Head, NONE, Node, Order, position};
use crate::op::Op;
use std::fmt::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// How strongly a construct binds; a weaker one inside a stronger one needs parentheses.
pub(crate) mod level {
    pub(crate) const IF: u8 = 0;
    pub(crate) const OR: u8 = 1;
    pub(crate) const AND: u8 = 2;
    pub(crate) const NOT: u8 = 3;
    pub(crate) const COMPARE: u8 = 4;
    pub(crate) const SUM: u8 = 5;
    pub(crate) const PRODUCT: u8 = 6;
    pub(crate) const SIGN: u8 = 7;
    pub(crate) const POWER: u8 = 8;
    pub(crate) const ATOM: u8 = 9;
}

/// Words that are no symbols unless quoted.
pub(crate) const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "and", "or", "not", "true", "false", "let", "nan", "inf", "pi",
];

/// Functions that the text form knows, by name.
pub(crate) const FUNCTIONS: [(&str, Op); 27] = [
    ("abs", Op::Abs),
    ("sign", Op::Sign),
    ("floor", Op::Floor),
    ("ceil", Op::Ceil),
    ("sqrt", Op::Sqrt),
    ("exp", Op::Exp),
    ("ln", Op::Ln),
    ("exp_m1", Op::ExpM1),
    ("ln_1p", Op::Ln1p),
    ("sin", Op::Sin),
    ("cos", Op::Cos),
    ("tan", Op::Tan),
    ("asin", Op::Asin),
    ("acos", Op::Acos),
    ("atan", Op::Atan),
    ("sinh", Op::Sinh),
    ("cosh", Op::Cosh),
    ("tanh", Op::Tanh),
    ("erf", Op::Erf),
    ("no_event", Op::NoEvent),
    ("pow", Op::Pow),
    ("min", Op::Min),
    ("max", Op::Max),
    ("modulo", Op::Modulo),
    ("atan2", Op::Atan2),
    ("hypot", Op::Hypot),
    ("clamp", Op::Select),
];

/// A text that repeats shared parts may be this much longer than one that names them.
const REPETITION: u64 = 4;
const SHORT: u64 = 256;

/// Prints the shortest text that reads back as the same structure.
///
/// Parts that are used often are named by `let` if repeating them would make the text several
/// times longer, so its length stays proportional to the number of distinct nodes.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self.node(), None).print().0)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node().constant() {
            Some(value) if value > 0.0 => f.write_str("true"),
            Some(_) => f.write_str("false"),
            None => f.write_str(&Printer::new(self.node(), None).print().0),
        }
    }
}

/// Text of an expression and where one of its parts stands in it: the first time, without
/// parentheses around it. A part that is not below the root gives the whole.
pub(crate) fn locate(root: &Arc<Node>, part: &Arc<Node>) -> (String, Range<usize>) {
    let (text, span) = Printer::new(root, Some(part)).print();
    let whole = 0..text.len();
    (text, span.unwrap_or(whole))
}

/// Longest text that is quoted whole, in characters.
const LONGEST_EXCERPT: usize = 60;

/// Text of a part, shortened.
pub(crate) fn excerpt(part: &Arc<Node>) -> String {
    let (text, _) = Printer::new(part, None).print();
    match text.char_indices().nth(LONGEST_EXCERPT) {
        None => text,
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}

/// Name of a function, or the sign of an operator.
pub(crate) fn function_name(op: Op) -> &'static str {
    let known = FUNCTIONS.iter().find(|(_, known)| *known == op);
    known.map_or("^", |(name, _)| name)
}

enum Item {
    Text(&'static str),
    Exponent(i32),
    Node(u32, u8),
    /// The end of the part that is looked for.
    End,
}

struct Printer<'a> {
    order: Order<'a>,
    /// Number of the `let` that names a node; 0 where it is printed in place.
    names: Vec<u32>,
    prefix: String,
    stack: Vec<Item>,
    /// The node that is looked for; [`NONE`] for none.
    target: u32,
    start: Option<usize>,
    span: Option<Range<usize>>,
}

impl<'a> Printer<'a> {
    fn new(root: &'a Arc<Node>, target: Option<&Arc<Node>>) -> Self {
        let order = Order::of([root]);
        let names = names(&order);
        let mut prefix = String::from("_");
        let symbols = || {
            order.nodes.iter().filter_map(|node| match &node.head {
                Head::Symbol(symbol) => Some(symbol.name()),
                _ => None,
            })
        };
        while symbols().any(|name| name.starts_with(&prefix)) {
            prefix.push('_');
        }
        let is_target = |node: &&Arc<Node>| target.is_some_and(|target| Arc::ptr_eq(target, node));
        let target = order.nodes.iter().position(is_target);
        Self {
            order,
            names,
            prefix,
            stack: vec![],
            target: target.map_or(NONE, position),
            start: None,
            span: None,
        }
    }

    /// The text, and where the target stands.
    fn print(mut self) -> (String, Option<Range<usize>>) {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text);
        (text, self.span)
    }

    fn write(&mut self, f: &mut String) -> fmt::Result {
        let last = self.order.nodes.len() - 1;
        for i in 0..=last {
            let name = self.names[i];
            if name == 0 && i != last {
                continue;
            }
            if name != 0 {
                write!(f, "let {}{name} = ", self.prefix)?;
            }
            self.begin(position(i), f);
            self.push_node(i);
            self.drain(f)?;
            if name != 0 {
                f.write_str("; ")?;
            }
        }
        Ok(())
    }

    fn drain(&mut self, f: &mut String) -> fmt::Result {
        while let Some(item) = self.stack.pop() {
            match item {
                Item::Text(text) => f.write_str(text)?,
                Item::Exponent(n) => write!(f, "{n}")?,
                Item::Node(i, outer) => self.visit(i as usize, outer, f)?,
                Item::End => {
                    let start = self.start.take().unwrap_or_default();
                    self.span.get_or_insert(start..f.len());
                }
            }
        }
        Ok(())
    }

    /// Notes that the text of a node begins, if it is the one that is looked for.
    fn begin(&mut self, i: u32, f: &str) {
        if i == self.target && self.span.is_none() && self.start.is_none() {
            self.start = Some(f.len());
            self.stack.push(Item::End);
        }
    }

    fn visit(&mut self, i: usize, outer: u8, f: &mut String) -> fmt::Result {
        if self.names[i] != 0 {
            return write!(f, "{}{}", self.prefix, self.names[i]);
        }
        let node = self.order.nodes[i];
        if !matches!(node.head, Head::Op(_)) {
            self.begin(position(i), f);
        }
        match &node.head {
            Head::Constant(value)
                if outer > level::SIGN && value.is_sign_negative() && !value.is_nan() =>
            {
                f.write_char('(')?;
                constant(*value, f)?;
                f.write_char(')')
            }
            Head::Constant(value) => constant(*value, f),
            Head::Symbol(symbol) => name(symbol.name(), f),
            Head::Function(function) => f.write_str(function.name()),
            Head::Op(op) => {
                let enclose = binding(*op) < outer;
                if enclose {
                    f.write_char('(')?;
                    self.stack.push(Item::Text(")"));
                }
                self.begin(position(i), f);
                self.push_node(i);
                Ok(())
            }
        }
    }

    /// Pushes the parts of a node in reverse.
    fn push_node(&mut self, i: usize) {
        let [a, b, c] = self.order.operands[i];
        let Head::Op(op) = self.order.nodes[i].head else {
            self.stack.push(Item::Node(position(i), level::IF));
            return;
        };
        match op {
            Op::Neg => self.push([Item::Text("-"), Item::Node(a, level::SIGN)]),
            Op::Not => self.push([Item::Text("not "), Item::Node(a, level::ATOM)]),
            Op::Powi(n) => {
                self.push([
                    Item::Node(a, level::ATOM),
                    Item::Text("^"),
                    Item::Exponent(n),
                ]);
            }
            Op::Select => self.push([
                Item::Text("if "),
                Item::Node(a, level::OR),
                Item::Text(" then "),
                Item::Node(b, level::IF),
                Item::Text(" else "),
                Item::Node(c, level::IF),
            ]),
            Op::Call => self.push_external(i),
            _ => self.push_binary_or_call(op, a, b),
        }
    }

    /// `name(a, b, c)`.
    fn push_external(&mut self, i: usize) {
        let Some((_, arguments)) = self.order.call(i) else {
            return;
        };
        let [function, ..] = self.order.operands[i];
        self.stack.push(Item::Text(")"));
        for (k, argument) in arguments.as_slice().iter().enumerate().rev() {
            self.stack.push(Item::Node(*argument, level::IF));
            if k > 0 {
                self.stack.push(Item::Text(", "));
            }
        }
        self.push([Item::Node(function, level::ATOM), Item::Text("(")]);
    }

    fn push_binary_or_call(&mut self, op: Op, a: u32, b: u32) {
        if let Some((text, left, right)) = infix(op) {
            self.push([Item::Node(a, left), Item::Text(text), Item::Node(b, right)]);
            return;
        }
        let name = FUNCTIONS
            .iter()
            .find(|(_, known)| *known == op)
            .map_or("", |(name, _)| name);
        if b == NONE {
            let parts = [
                Item::Text(name),
                Item::Text("("),
                Item::Node(a, 0),
                Item::Text(")"),
            ];
            self.push(parts);
        } else {
            self.push([
                Item::Text(name),
                Item::Text("("),
                Item::Node(a, level::IF),
                Item::Text(", "),
                Item::Node(b, level::IF),
                Item::Text(")"),
            ]);
        }
    }

    fn push<const N: usize>(&mut self, parts: [Item; N]) {
        self.stack.extend(parts.into_iter().rev());
    }
}

/// Nodes that a `let` names: inner nodes used more than once, if repeating them is too long.
fn names(order: &Order<'_>) -> Vec<u32> {
    let count = order.nodes.len();
    let mut length = vec![0_u64; count];
    let mut uses = vec![0_u32; count];
    for i in 0..count {
        let below = order.gather(i, &length, 0);
        length[i] = below.into_iter().fold(1, u64::saturating_add);
        for operand in order.operands[i].into_iter().filter(|k| *k != NONE) {
            uses[operand as usize] += 1;
        }
    }
    let mut names = vec![0; count];
    if length[count - 1] > (count as u64).saturating_mul(REPETITION).max(SHORT) {
        let mut next = 0;
        for i in 0..count {
            let head = &order.nodes[i].head;
            let number = matches!(head, Head::Op(op) if *op != Op::Arguments);
            if uses[i] > 1 && number {
                next += 1;
                names[i] = next;
            }
        }
    }
    names
}

fn binding(op: Op) -> u8 {
    match op {
        Op::Select => level::IF,
        Op::Or => level::OR,
        Op::And => level::AND,
        Op::Not => level::NOT,
        Op::Neg => level::SIGN,
        Op::Powi(_) => level::POWER,
        Op::Add | Op::Sub => level::SUM,
        Op::Mul | Op::Div => level::PRODUCT,
        _ if op.is_comparison() => level::COMPARE,
        _ => level::ATOM,
    }
}

/// Text and the levels that the operands need.
fn infix(op: Op) -> Option<(&'static str, u8, u8)> {
    let sum = (level::SUM, level::PRODUCT);
    let product = (level::PRODUCT, level::SIGN);
    let compare = (level::SUM, level::SUM);
    let (text, (left, right)) = match op {
        Op::Add => (" + ", sum),
        Op::Sub => (" - ", sum),
        Op::Mul => (" * ", product),
        Op::Div => (" / ", product),
        Op::Lt => (" < ", compare),
        Op::Le => (" <= ", compare),
        Op::Gt => (" > ", compare),
        Op::Ge => (" >= ", compare),
        Op::Eq => (" == ", compare),
        Op::Ne => (" != ", compare),
        Op::And => (" and ", (level::AND, level::NOT)),
        Op::Or => (" or ", (level::OR, level::AND)),
        _ => return None,
    };
    Some((text, left, right))
}

/// Shortest digits that read back as the same number.
fn constant(value: f64, f: &mut String) -> fmt::Result {
    const PLAIN: f64 = 1e15;
    if value.is_nan() {
        f.write_str("nan")
    } else if value.fract() == 0.0 && value.abs() < PLAIN {
        write!(f, "{value}")
    } else {
        write!(f, "{value:?}")
    }
}

/// Whether a name needs no quotes.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let reserved = KEYWORDS.contains(&name) || FUNCTIONS.iter().any(|(known, _)| *known == name);
    let mut letters = name.chars();
    letters.next().is_some_and(starts_name) && letters.all(continues_name) && !reserved
}

/// A symbol; quoted if it is no plain identifier.
fn name(name: &str, f: &mut String) -> fmt::Result {
    if is_plain_name(name) {
        return f.write_str(name);
    }
    f.write_char('\'')?;
    for letter in name.chars() {
        if matches!(letter, '\'' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    f.write_char('\'')
}

pub(crate) fn starts_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

pub(crate) fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '[' | ']')
}
