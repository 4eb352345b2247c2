//! Random expressions, built on a stack from random words.

use bifrons_expr::{Condition, Expr, Symbol};
use proptest::prelude::*;

/// Names of the parameters that random expressions read.
pub(crate) const PARAMETERS: [&str; 3] = ["p", "q", "r"];
/// Names of the variables that random expressions read.
pub(crate) const VARIABLES: [&str; 4] = ["x", "y", "z", "plant.v[1]"];

const CONSTANTS: [f64; 8] = [0.0, 1.0, -1.0, 2.0, 0.5, -3.25, 1e-3, 40.0];

/// Operations that a random expression may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Everything.
    All,
    /// Smooth operations whose derivatives stay tame on moderate arguments.
    Smooth,
}

/// Expressions of up to `size` operations, with shared parts.
pub(crate) fn expressions(family: Family, size: usize) -> impl Strategy<Value = Expr> {
    prop::collection::vec(any::<u32>(), 1..size).prop_map(move |words| build(family, &words))
}

/// The expression that these words describe.
pub(crate) fn build(family: Family, words: &[u32]) -> Expr {
    let mut stack = vec![leaf(words[0])];
    for word in words {
        let pick = |shift: u32| (word >> shift) as usize % stack.len();
        // Mostly the youngest nodes, so that the expression gets deep; now and then an old one.
        let a = if word >> 30 == 0 {
            pick(3)
        } else {
            stack.len() - 1
        };
        let (a, b, c) = (
            stack[a].clone(),
            stack[pick(7)].clone(),
            stack[pick(13)].clone(),
        );
        let next = match family {
            Family::Smooth => smooth(*word, &a, &b),
            Family::All if word % 3 == 0 => piecewise(word / 3, &a, &b, &c),
            Family::All if word % 3 == 1 => function(word / 3, &a, &b),
            Family::All => smooth(word / 3, &a, &b),
        };
        stack.push(next);
    }
    stack.pop().unwrap_or_else(|| Expr::constant(1.0))
}

fn leaf(word: u32) -> Expr {
    let names: Vec<&str> = PARAMETERS.into_iter().chain(VARIABLES).collect();
    match word as usize % (names.len() + CONSTANTS.len()) {
        i if i < names.len() => Expr::symbol(names[i]),
        i => Expr::constant(CONSTANTS[i - names.len()]),
    }
}

fn smooth(word: u32, a: &Expr, b: &Expr) -> Expr {
    match word % 16 {
        0..=3 => leaf(word >> 5),
        4 => a + b,
        5 => a - b,
        6 => a * b,
        7 => b - a,
        8 => a.sin() * b,
        9 => a.tanh() + leaf(word >> 7),
        10 => leaf(word >> 6) * a - b,
        11 => a / (b * b + 1.0),
        12 => a.cos().powi(2 + (word >> 8).cast_signed() % 4),
        13 => (a - b) * leaf(word >> 7),
        14 => a.atan() - a * leaf(word >> 9),
        _ => -a,
    }
}

fn function(word: u32, a: &Expr, b: &Expr) -> Expr {
    match word % 22 {
        0 => a.exp(),
        1 => a.ln(),
        2 => a.exp_m1(),
        3 => a.ln_1p(),
        4 => a.sqrt(),
        5 => a.tan(),
        6 => a.asin(),
        7 => a.acos(),
        8 => a.sinh(),
        9 => a.cosh(),
        10 => a.erf(),
        11 => a.pow(b),
        12 => a.atan2(b),
        13 => a.hypot(b),
        14 => a / b,
        15 => a.powi((word >> 6).cast_signed() % 9 - 4),
        16 => leaf(word >> 5) / (a * b),
        17 => (a + b) / (a - leaf(word >> 5)),
        18 => a.no_event(),
        _ => leaf(word >> 5),
    }
}

fn piecewise(word: u32, a: &Expr, b: &Expr, c: &Expr) -> Expr {
    match word % 12 {
        0 => a.abs(),
        1 => a.sign(),
        2 => a.floor(),
        3 => a.ceil(),
        4 => a.min(b),
        5 => a.max(b),
        6 => a.modulo(b),
        7 => a.clamp(-1.0, leaf(word >> 5)),
        8 => condition(word >> 5, a, b, c).as_number(),
        9 => Expr::select(a.lt(b), leaf(word >> 5), c),
        _ => Expr::select(condition(word >> 5, a, b, c), b, a),
    }
}

fn condition(word: u32, a: &Expr, b: &Expr, c: &Expr) -> Condition {
    let other = b.gt(c);
    let first = match word % 6 {
        0 => a.lt(b),
        1 => a.le(b),
        2 => a.gt(b),
        3 => a.ge(b),
        4 => a.eq(b),
        _ => a.ne(b),
    };
    match (word / 6) % 4 {
        0 => first.and(&other),
        1 => first.or(&other),
        2 => first.not(),
        _ => first,
    }
}

/// Index of a name among the parameters followed by the variables.
pub(crate) fn index(symbol: &Symbol) -> Option<usize> {
    PARAMETERS
        .iter()
        .chain(&VARIABLES)
        .position(|name| *name == symbol.name())
}

/// Bits, with all NaNs counted as one value.
pub(crate) fn bits(value: f64) -> u64 {
    if value.is_nan() {
        f64::NAN.to_bits()
    } else {
        value.to_bits()
    }
}
