//! Enclosures: bounds of an expression over a box.

mod arithmetic;
mod enclosure;

pub use enclosure::{Bounds, Enclosure, EnclosureMemory};

use crate::error::EvaluateError;
use crate::expr::Expr;
use crate::node::{Head, Order};
use crate::op::Op;
use crate::symbol::Symbol;

/// A range of values `low ..= high`; infinite ends are allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
    may_be_nan: bool,
}

impl Interval {
    /// Every number, NaN excluded.
    pub const REALS: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        may_be_nan: false,
    };

    /// The numbers from one end to the other, in either order; an end that is NaN gives
    /// everything.
    #[must_use]
    pub fn new(a: f64, b: f64) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self {
                may_be_nan: true,
                ..Self::REALS
            };
        }
        Self {
            low: a.min(b),
            high: a.max(b),
            may_be_nan: false,
        }
    }

    /// A single number.
    #[must_use]
    pub fn point(value: f64) -> Self {
        Self::new(value, value)
    }

    /// Lower end.
    #[must_use]
    pub fn low(self) -> f64 {
        self.low
    }

    /// Upper end.
    #[must_use]
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether a value may be undefined: a root or logarithm of a negative number, `0 / 0`,
    /// infinity times zero.
    #[must_use]
    pub fn may_be_nan(self) -> bool {
        self.may_be_nan
    }

    /// Whether both ends are finite and no value is undefined.
    #[must_use]
    pub fn is_bounded(self) -> bool {
        self.low.is_finite() && self.high.is_finite() && !self.may_be_nan
    }

    /// Whether the value is inside; NaN if a value may be undefined.
    #[must_use]
    pub fn contains(self, value: f64) -> bool {
        if value.is_nan() {
            self.may_be_nan
        } else {
            self.low <= value && value <= self.high
        }
    }

    /// The smallest interval with both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            may_be_nan: self.may_be_nan || other.may_be_nan,
        }
    }
}

impl Expr {
    /// Bounds of the value while each symbol moves in its own interval.
    ///
    /// Every value that [`Expr::evaluate`] gives in the box is inside, round-off included; as bounds
    /// of real numbers they hold up to underflow. The bounds are not tight where a symbol occurs several times: `x - x` over `[0, 1]` gives
    /// `[-1, 1]`. A `select` whose condition is decided over the whole box contributes only the
    /// branch that is taken. Cost: linear, allocates.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] if `range` returns `None` for a symbol that occurs.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Interval};
    ///
    /// let e = Expr::parse("exp(-x) / (1 + y^2)").unwrap();
    /// let bounds = e.interval(&mut |_| Some(Interval::new(0.0, 1.0))).unwrap();
    /// assert!(bounds.low() > 0.18 && bounds.high() < 1.01);
    /// ```
    pub fn interval(
        &self,
        range: &mut impl FnMut(&Symbol) -> Option<Interval>,
    ) -> Result<Interval, EvaluateError> {
        let order = Order::of([self.node()]);
        let mut values: Vec<Interval> = Vec::with_capacity(order.nodes.len());
        for (i, node) in order.nodes.iter().enumerate() {
            let value = match &node.head {
                Head::Constant(constant) => Interval::point(*constant),
                Head::Symbol(symbol) => {
                    range(symbol).ok_or_else(|| EvaluateError::UnknownSymbol {
                        symbol: symbol.clone(),
                    })?
                }
                Head::Function(_) | Head::Op(Op::Arguments) => Interval::REALS,
                Head::Op(Op::Call) => match order.call(i) {
                    Some((function, _)) => function.range(),
                    None => Interval::REALS,
                },
                Head::Op(op) => enclose(*op, order.gather(i, &values, Interval::point(0.0))),
            };
            values.push(value);
        }
        Ok(values.last().copied().unwrap_or(Interval::REALS))
    }
}

/// Enclosure of one operation; operands beyond its arity are ignored.
fn enclose(op: Op, [a, b, c]: [Interval; 3]) -> Interval {
    match op {
        Op::Neg => a.negated(),
        Op::Add => a.plus(b),
        Op::Sub => a.plus(b.negated()),
        Op::Mul => a.times(b),
        Op::Div => a.over(b),
        Op::Select => match a.truth() {
            Some(true) => b,
            Some(false) => c,
            None => b.hull(c),
        },
        Op::NoEvent => a,
        Op::Powi(exponent) => a.integer_power(exponent),
        Op::Pow => a.real_power(b),
        Op::Min | Op::Max => a.extreme(b, op == Op::Max),
        Op::Modulo => a.modulo(b),
        Op::Atan2 => a.angle(b),
        Op::Hypot => a.hypotenuse(b),
        Op::And | Op::Or | Op::Not => Interval::logic(op, a, b),
        _ if op.is_comparison() => Interval::compare(op, a, b),
        _ => a.function(op),
    }
}
