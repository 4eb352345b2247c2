//! The operations of a node and what they mean for one number.

use bifrons_lanes::math;

/// Operation of an inner node; truth values are 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Neg,
    Abs,
    Sign,
    Floor,
    Ceil,
    Sqrt,
    Exp,
    Ln,
    ExpM1,
    Ln1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    /// Identity that hides the switching surfaces below it.
    NoEvent,
    Powi(i32),
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Min,
    Max,
    Modulo,
    Atan2,
    Hypot,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Not,
    Select,
    /// Function, first argument, and the second one or a pair of the others.
    Call,
    /// A pair of an argument and the next one or the pair of the rest; no number.
    Arguments,
}

impl Op {
    pub(crate) fn arity(self) -> usize {
        match self {
            Self::Select | Self::Call | Self::Arguments => 3,
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Pow
            | Self::Min
            | Self::Max
            | Self::Modulo
            | Self::Atan2
            | Self::Hypot
            | Self::Lt
            | Self::Le
            | Self::Gt
            | Self::Ge
            | Self::Eq
            | Self::Ne
            | Self::And
            | Self::Or => 2,
            _ => 1,
        }
    }

    /// Whether exchanging the two operands keeps every bit (of results that are not NaN).
    pub(crate) fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Mul | Self::Eq | Self::Ne | Self::And | Self::Or
        )
    }

    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Lt | Self::Le | Self::Gt | Self::Ge | Self::Eq | Self::Ne
        )
    }
}

/// Value of the operation; operands beyond its arity are ignored.
pub(crate) fn apply(op: Op, [a, b, c]: [f64; 3]) -> f64 {
    match op {
        Op::Neg => -a,
        Op::Abs => a.abs(),
        Op::Sign => sign(a),
        Op::Floor => a.floor(),
        Op::Ceil => a.ceil(),
        Op::Sqrt => a.sqrt(),
        Op::Exp => math::exp(a),
        Op::Ln => math::ln(a),
        Op::ExpM1 => math::exp_m1(a),
        Op::Ln1p => math::ln_1p(a),
        Op::Sin => math::sin(a),
        Op::Cos => math::cos(a),
        Op::Tan => math::tan(a),
        Op::Asin => math::asin(a),
        Op::Acos => math::acos(a),
        Op::Atan => math::atan(a),
        Op::Sinh => math::sinh(a),
        Op::Cosh => math::cosh(a),
        Op::Tanh => math::tanh(a),
        Op::Erf => math::erf(a),
        Op::NoEvent => a,
        // Calls need their function; see `Order::apply` and `Graph::apply`.
        Op::Call | Op::Arguments => f64::NAN,
        Op::Powi(n) => math::powi(a, n),
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => a / b,
        Op::Pow => math::pow(a, b),
        Op::Min => minimum(a, b),
        Op::Max => maximum(a, b),
        Op::Modulo => modulo(a, b),
        Op::Atan2 => math::atan2(a, b),
        Op::Hypot => math::hypot(a, b),
        Op::Select if truth(a) => b,
        Op::Select => c,
        _ => f64::from(u8::from(holds(op, a, b))),
    }
}

#[expect(clippy::float_cmp, reason = "the operation is equality")]
fn holds(op: Op, a: f64, b: f64) -> bool {
    match op {
        Op::Lt => a < b,
        Op::Le => a <= b,
        Op::Gt => a > b,
        Op::Ge => a >= b,
        Op::Eq => a == b,
        Op::Ne => a != b,
        Op::And => truth(a) && truth(b),
        Op::Or => truth(a) || truth(b),
        _ => !truth(a),
    }
}

#[inline(always)]
pub(crate) fn truth(a: f64) -> bool {
    a != 0.0
}

/// -1, 0 or 1; keeps the sign of zero and NaN.
#[inline(always)]
pub(crate) fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else {
        a
    }
}

/// The first operand unless the second is smaller or NaN.
#[inline(always)]
pub(crate) fn minimum(a: f64, b: f64) -> f64 {
    if (b < a) | b.is_nan() { b } else { a }
}

/// The first operand unless the second is larger or NaN.
#[inline(always)]
pub(crate) fn maximum(a: f64, b: f64) -> f64 {
    if (b > a) | b.is_nan() { b } else { a }
}

/// Remainder of the floored quotient: zero or the sign of `b`.
#[inline(always)]
pub(crate) fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if (rest > 0.0 && b < 0.0) || (rest < 0.0 && b > 0.0) {
        rest + b
    } else {
        rest
    }
}

/// What a construction turns into without changing any IEEE result.
pub(crate) enum Folded {
    Constant(f64),
    /// The node is this operand.
    Operand(usize),
    Keep,
}

/// Folds constants and neutral elements; `constants[i]` is the value of operand `i` if known.
pub(crate) fn fold(op: Op, constants: [Option<f64>; 3]) -> Folded {
    let arity = op.arity();
    if op != Op::NoEvent && constants[..arity].iter().all(Option::is_some) {
        return Folded::Constant(apply(op, constants.map(Option::unwrap_or_default)));
    }
    let is = |i: usize, value: f64| {
        constants[i].is_some_and(|constant| constant.to_bits() == value.to_bits())
    };
    match op {
        Op::Add if is(1, -0.0) => Folded::Operand(0),
        Op::Add if is(0, -0.0) => Folded::Operand(1),
        Op::Sub if is(1, 0.0) => Folded::Operand(0),
        Op::Mul if is(1, 1.0) => Folded::Operand(0),
        Op::Mul if is(0, 1.0) => Folded::Operand(1),
        Op::Div if is(1, 1.0) => Folded::Operand(0),
        Op::Powi(1) => Folded::Operand(0),
        Op::Powi(0) => Folded::Constant(1.0),
        Op::NoEvent if constants[0].is_some() => Folded::Operand(0),
        Op::Select => match constants[0] {
            Some(condition) => Folded::Operand(if truth(condition) { 1 } else { 2 }),
            None => Folded::Keep,
        },
        Op::And => match (constants[0], constants[1]) {
            (Some(known), _) => short_cut(known, true, 1),
            (_, Some(known)) => short_cut(known, true, 0),
            _ => Folded::Keep,
        },
        Op::Or => match (constants[0], constants[1]) {
            (Some(known), _) => short_cut(known, false, 1),
            (_, Some(known)) => short_cut(known, false, 0),
            _ => Folded::Keep,
        },
        _ => Folded::Keep,
    }
}

fn short_cut(known: f64, neutral: bool, other: usize) -> Folded {
    if truth(known) == neutral {
        Folded::Operand(other)
    } else {
        Folded::Constant(known)
    }
}
