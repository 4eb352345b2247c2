//! Units of an expression, from the units of its symbols.

use crate::condition::Condition;
use crate::expr::Expr;
use crate::node::{Head, Node, Order};
use crate::op::Op;
use crate::print::{excerpt, function_name, locate};
use crate::symbol::Symbol;
use crate::unit::Unit;
use crate::unit::dimension::Exponent;
use crate::unit::error::{UnitError, UnitErrorKind};
use std::sync::Arc;

/// A unit, or `None` for what fits every unit.
type Quantity = Option<Unit>;

impl Expr {
    /// The unit of this expression when its symbols have these units.
    ///
    /// | operation | rule |
    /// |---|---|
    /// | `a + b`, `a - b`, `min max hypot modulo`, `select`, comparisons | equal units |
    /// | `a * b`, `a / b`, `a^2`, `sqrt`, `pow(a, 1/3)` | product, quotient, power |
    /// | `abs`, `-a`, `no_event` | unit of `a` |
    /// | `sign(a)`, `atan2(a, b)` with equal units | a pure number |
    /// | all other functions, exponents that are no constants | pure numbers only |
    ///
    /// Numbers in the expression are pure, except 0, infinity and NaN, which fit every unit: write
    /// `max(x, 0)`, but give the 3 of `x + 3` a name and a unit. A symbol whose unit is `None`,
    /// or a call of a [`Function`](crate::Function), fits everything, so that units may be given for some symbols only; the result is `None` if
    /// it fits everything. Scales count: `mm` is not added to `m`, and the sine of degrees is
    /// refused. Of a unit with an offset (degrees Celsius) differences may be taken and added.
    ///
    /// Structural: branches that are never taken are checked, too. Cost: linear.
    ///
    /// # Errors
    ///
    /// [`UnitError`] names the first part whose operands do not fit, with both units and the fix.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Unit};
    ///
    /// let units = |name: &str| match name {
    ///     "v" => Unit::parse("m/s").ok(),
    ///     "m" => Unit::parse("kg").ok(),
    ///     _ => Unit::parse("s").ok(),
    /// };
    /// let energy = Expr::parse("m * v^2 / 2").unwrap();
    /// let unit = energy.unit(&mut |s| units(s.name())).unwrap().unwrap();
    /// assert!(unit.is_same(&Unit::parse("J").unwrap()));
    /// let wrong = Expr::parse("v * (t + m)").unwrap();
    /// let error = wrong.unit(&mut |s| units(s.name())).unwrap_err();
    /// assert_eq!((error.part(), error.span()), ("t + m", 5..10));
    /// ```
    pub fn unit(
        &self,
        of: &mut impl FnMut(&Symbol) -> Option<Unit>,
    ) -> Result<Option<Unit>, UnitError> {
        check(self.node(), of).map_err(|fault| fault.printed(self.node()))
    }

    /// Whether this expression is in this unit; what fits every unit passes.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if a part does not fit, or the whole is in another unit.
    pub fn expect_unit(
        &self,
        expected: &Unit,
        of: &mut impl FnMut(&Symbol) -> Option<Unit>,
    ) -> Result<(), UnitError> {
        match self.unit(of)? {
            Some(found) if !found.is_same(expected) => {
                let kind = UnitErrorKind::Unexpected {
                    found,
                    expected: expected.clone(),
                };
                Err(Fault::at(kind, self.node()).printed(self.node()))
            }
            _ => Ok(()),
        }
    }
}

impl Condition {
    /// Whether every comparison in this condition is between equal units.
    ///
    /// The rules are those of [`Expr::unit`].
    ///
    /// # Errors
    ///
    /// [`UnitError`] names the first part whose operands do not fit.
    pub fn check_units(
        &self,
        of: &mut impl FnMut(&Symbol) -> Option<Unit>,
    ) -> Result<(), UnitError> {
        let result = check(self.node(), of).map(drop);
        result.map_err(|fault| fault.printed(self.node()))
    }
}

/// What does not fit, before it is known where it is written.
pub(crate) struct Fault {
    kind: Box<UnitErrorKind>,
    part: Arc<Node>,
}

impl Fault {
    pub(crate) fn at(kind: UnitErrorKind, part: &Arc<Node>) -> Self {
        Self {
            kind: Box::new(kind),
            part: part.clone(),
        }
    }

    pub(crate) fn part(&self) -> &Arc<Node> {
        &self.part
    }

    /// The error within a text.
    pub(crate) fn within(self, text: String, span: std::ops::Range<usize>) -> UnitError {
        UnitError {
            kind: *self.kind,
            text,
            span,
        }
    }

    fn printed(self, whole: &Arc<Node>) -> UnitError {
        let (text, span) = locate(whole, &self.part);
        self.within(text, span)
    }
}

/// Unit of the root.
pub(crate) fn check(
    root: &Arc<Node>,
    of: &mut impl FnMut(&Symbol) -> Option<Unit>,
) -> Result<Quantity, Fault> {
    let order = Order::of([root]);
    let mut values: Vec<Quantity> = Vec::with_capacity(order.nodes.len());
    for (i, node) in order.nodes.iter().enumerate() {
        let value = match &node.head {
            Head::Constant(constant) => {
                let universal = constant.abs() <= 0.0 || !constant.is_finite();
                (!universal).then(Unit::one)
            }
            Head::Symbol(symbol) => of(symbol),
            // What a closure does with units is not known.
            Head::Function(_) | Head::Op(Op::Call | Op::Arguments) => None,
            Head::Op(op) => {
                let operands = order.operands[i].map(|k| values.get(k as usize));
                let rule = Rule {
                    node,
                    units: operands.map(|unit| unit.and_then(Option::as_ref)),
                };
                rule.apply(*op).map_err(|kind| Fault::at(kind, node))?
            }
        };
        values.push(value);
    }
    Ok(values.pop().flatten())
}

/// One operation and the units of its operands.
struct Rule<'a> {
    node: &'a Arc<Node>,
    units: [Option<&'a Unit>; 3],
}

impl Rule<'_> {
    fn apply(&self, op: Op) -> Result<Quantity, UnitErrorKind> {
        let [a, b, _] = self.units;
        match op {
            Op::Add => self.sum(),
            Op::Sub => self.difference(),
            Op::Mul => self.product(|a, b| a.times(b)),
            Op::Div => self.product(|a, b| a.over(b)),
            Op::Powi(n) => match Exponent::new(n, 1) {
                Some(exponent) => self.power(exponent),
                None => Err(UnitErrorKind::TooLarge),
            },
            Op::Sqrt => self.power(Exponent::new(1, 2).unwrap_or(Exponent::ONE)),
            Op::Pow => self.real_power(),
            Op::Neg | Op::Abs => self.plain(0, a).map(|()| a.cloned()),
            Op::Sign => self.plain(0, a).map(|()| Some(Unit::one())),
            Op::NoEvent => Ok(a.cloned()),
            Op::Min | Op::Max => self.equal(0, 1),
            Op::Select => self.equal(1, 2),
            Op::Hypot | Op::Modulo => {
                self.plain(0, a)?;
                self.plain(1, b)?;
                self.equal(0, 1)
            }
            Op::Atan2 => {
                self.plain(0, a)?;
                self.plain(1, b)?;
                self.equal(0, 1).map(|_| Some(Unit::one()))
            }
            Op::And | Op::Or | Op::Not => Ok(Some(Unit::one())),
            _ if op.is_comparison() => self.equal(0, 1).map(|_| Some(Unit::one())),
            _ => self.pure(op, 0).map(|()| Some(Unit::one())),
        }
    }

    fn text(&self, operand: usize) -> String {
        self.node.operands[operand]
            .as_ref()
            .map(excerpt)
            .unwrap_or_default()
    }

    fn pure(&self, op: Op, operand: usize) -> Result<(), UnitErrorKind> {
        match self.units[operand] {
            Some(unit) if !unit.is_one() => Err(UnitErrorKind::NotPure {
                function: function_name(op),
                operand: self.text(operand),
                unit: unit.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses a unit with an offset.
    fn plain(&self, operand: usize, unit: Option<&Unit>) -> Result<(), UnitErrorKind> {
        match unit {
            Some(unit) if unit.has_offset() => Err(UnitErrorKind::Offset {
                operand: self.text(operand),
                unit: unit.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The unit of both operands.
    fn equal(&self, left: usize, right: usize) -> Result<Quantity, UnitErrorKind> {
        match (self.units[left], self.units[right]) {
            (Some(a), Some(b)) if !a.is_same(b) => Err(self.unlike([left, right], a, b)),
            (a, b) => Ok(a.or(b).cloned()),
        }
    }

    fn unlike(&self, operands: [usize; 2], a: &Unit, b: &Unit) -> UnitErrorKind {
        let [left, right] = operands.map(|operand| self.text(operand));
        let (left_unit, right_unit) = (a.clone(), b.clone());
        if a.dimension() == b.dimension() {
            UnitErrorKind::Scales {
                left,
                left_unit,
                right,
                right_unit,
            }
        } else {
            UnitErrorKind::Dimensions {
                left,
                left_unit,
                right,
                right_unit,
            }
        }
    }

    fn sum(&self) -> Result<Quantity, UnitErrorKind> {
        let [Some(a), Some(b), _] = self.units else {
            return self.equal(0, 1);
        };
        match (a.has_offset(), b.has_offset()) {
            (true, true) => self.plain(1, Some(b)).map(|()| None),
            (true, false) if a.difference().is_same(b) => Ok(Some(a.clone())),
            (false, true) if b.difference().is_same(a) => Ok(Some(b.clone())),
            _ => self.equal(0, 1),
        }
    }

    fn difference(&self) -> Result<Quantity, UnitErrorKind> {
        let [Some(a), Some(b), _] = self.units else {
            return self.equal(0, 1);
        };
        match (a.has_offset(), b.has_offset()) {
            (true, true) => Ok(self.equal(0, 1)?.map(|unit| unit.difference())),
            (true, false) if a.difference().is_same(b) => Ok(Some(a.clone())),
            (false, true) => self.plain(1, Some(b)).map(|()| None),
            _ => self.equal(0, 1),
        }
    }

    fn product(
        &self,
        combine: impl Fn(&Unit, &Unit) -> Option<Unit>,
    ) -> Result<Quantity, UnitErrorKind> {
        let [a, b, _] = self.units;
        self.plain(0, a)?;
        self.plain(1, b)?;
        match (a, b) {
            (Some(a), Some(b)) => combine(a, b).map(Some).ok_or(UnitErrorKind::TooLarge),
            _ => Ok(None),
        }
    }

    fn power(&self, exponent: Exponent) -> Result<Quantity, UnitErrorKind> {
        let [a, ..] = self.units;
        self.plain(0, a)?;
        match a {
            Some(a) => a.power(exponent).map(Some).ok_or(UnitErrorKind::TooLarge),
            None => Ok(None),
        }
    }

    fn real_power(&self) -> Result<Quantity, UnitErrorKind> {
        self.pure(Op::Pow, 1)?;
        let Some(a) = self.units[0] else {
            return Ok(None);
        };
        if a.is_one() {
            return Ok(Some(Unit::one()));
        }
        let exponent = self.node.operands[1].as_ref().and_then(|b| b.constant());
        match exponent.and_then(Exponent::from_f64) {
            Some(exponent) => self.power(exponent),
            None => Err(UnitErrorKind::Exponent {
                operand: self.text(0),
                unit: a.clone(),
            }),
        }
    }
}
