//! Breakpoints along one symbol.

use crate::condition::Condition;
use crate::error::EvaluateError;
use crate::expr::{Expr, build};
use crate::node::{Head, Node, Order};
use crate::op::{Op, apply, maximum, minimum, sign, truth};
use crate::switches::{Crossing, Switch};
use crate::symbol::Symbol;
use std::sync::Arc;

/// Branches that one surface may be split into.
const MOST_BRANCHES: usize = 64;

/// A point where an expression may switch along a symbol.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Breakpoint {
    /// Where: an expression of the other symbols.
    pub at: Expr,
    /// What must hold at the point, with the symbol there, for it to be on the surface.
    pub valid: Vec<Condition>,
    /// The surface that is met.
    pub switch: Switch,
}

/// A breakpoint for given values of the other symbols.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Located {
    /// Value of the symbol.
    pub at: f64,
    /// Limit of the expression from below.
    pub left: f64,
    /// Value of the expression at the point, as the owners of equality say.
    pub value: f64,
    /// Limit of the expression from above.
    pub right: f64,
}

/// The breakpoints of an expression along one symbol.
#[derive(Debug, Clone)]
pub struct Pieces {
    symbol: Symbol,
    expr: Expr,
    breakpoints: Vec<Breakpoint>,
    unresolved: Vec<Switch>,
}

impl Expr {
    /// Breakpoints along `symbol` as expressions of the other symbols.
    ///
    /// A surface is solved for the symbol where it is affine or has a closed inverse, after
    /// splitting nested `min`, `max`, `abs` and `select` into their branches. Surfaces that
    /// cannot be solved, and those with infinitely many crossings (`floor`), are listed as
    /// unresolved. Surfaces below `no_event` count, because values have breakpoints there.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Symbol};
    ///
    /// let tax = Expr::parse("0.1 * w + 0.3 * max(0, w - limit)").unwrap();
    /// let pieces = tax.pieces_along(&Symbol::new("w"));
    /// let found = pieces.locate(0.0, 100.0, &mut |_| Some(40.0)).unwrap();
    /// assert_eq!((found[0].at, found[0].value), (40.0, 4.0));
    /// ```
    #[must_use]
    pub fn pieces_along(&self, symbol: &Symbol) -> Pieces {
        let switches = self.switches();
        let mut pieces = Pieces {
            symbol: symbol.clone(),
            expr: self.clone(),
            breakpoints: vec![],
            unresolved: vec![],
        };
        for switch in switches.visible.into_iter().chain(switches.hidden) {
            if !switch.surface.dependencies().contains(symbol) {
                continue;
            }
            let solved = match switch.crossing {
                Crossing::Zero => solve(&switch.surface, symbol),
                Crossing::Integers => None,
            };
            match solved {
                None => pieces.unresolved.push(switch),
                Some(points) => pieces
                    .breakpoints
                    .extend(points.into_iter().map(|(at, valid)| {
                        let switch = switch.clone();
                        Breakpoint { at, valid, switch }
                    })),
            }
        }
        pieces
    }
}

impl Pieces {
    /// All candidates, in the order of the surfaces.
    #[must_use]
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Surfaces that depend on the symbol and could not be solved for it.
    #[must_use]
    pub fn unresolved(&self) -> &[Switch] {
        &self.unresolved
    }

    /// Breakpoints strictly between `low` and `high`, ascending, with one-sided limits.
    ///
    /// `value` gives the other symbols. Points that are not valid, not finite or not live are
    /// left out, equal ones are merged. The limits are those of the branches that are taken just
    /// beside the point, evaluated at the point.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] if `value` returns `None` for a symbol that occurs.
    pub fn locate(
        &self,
        low: f64,
        high: f64,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Result<Vec<Located>, EvaluateError> {
        let mut points: Vec<(f64, &Breakpoint)> = vec![];
        for breakpoint in &self.breakpoints {
            let at = breakpoint.at.evaluate(value)?;
            let inside = low < at && at < high;
            if inside && self.holds(&breakpoint.valid, at, value)? {
                points.push((at, breakpoint));
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut located: Vec<Located> = vec![];
        let mut below = low;
        for (i, (at, breakpoint)) in points.iter().enumerate() {
            let above = points[i..]
                .iter()
                .map(|point| point.0)
                .find(|next| next > at);
            let [left, right] = [below, above.unwrap_or(high)].map(|end| 0.5 * (at + end));
            if above.is_some_and(|next| next > *at) || i + 1 == points.len() {
                below = *at;
            }
            let live = std::slice::from_ref(&breakpoint.switch.live);
            let known = located
                .last()
                .is_some_and(|last| last.at.total_cmp(at).is_eq());
            if known
                || !(self.holds(live, left, value)?
                    || self.holds(live, *at, value)?
                    || self.holds(live, right, value)?)
            {
                continue;
            }
            located.push(Located {
                at: *at,
                left: self.limit(left, *at, value)?,
                value: self.expr.evaluate(&mut |s| self.here(s, *at, value))?,
                right: self.limit(right, *at, value)?,
            });
        }
        Ok(located)
    }

    fn here(
        &self,
        symbol: &Symbol,
        x: f64,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Option<f64> {
        if *symbol == self.symbol {
            Some(x)
        } else {
            value(symbol)
        }
    }

    fn holds(
        &self,
        conditions: &[Condition],
        x: f64,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Result<bool, EvaluateError> {
        for condition in conditions {
            if !condition.evaluate(&mut |s| self.here(s, x, value))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Value at `at` of the branches that are taken at `probe`.
    fn limit(
        &self,
        probe: f64,
        at: f64,
        value: &mut impl FnMut(&Symbol) -> Option<f64>,
    ) -> Result<f64, EvaluateError> {
        let order = Order::of([self.expr.node()]);
        let mut probes = Vec::with_capacity(order.nodes.len());
        let mut limits = Vec::with_capacity(order.nodes.len());
        for (i, node) in order.nodes.iter().enumerate() {
            let (there, here) = match &node.head {
                Head::Constant(constant) => (*constant, *constant),
                Head::Symbol(symbol) if *symbol == self.symbol => (probe, at),
                Head::Symbol(symbol) => {
                    let symbol_value =
                        value(symbol).ok_or_else(|| EvaluateError::UnknownSymbol {
                            symbol: symbol.clone(),
                        })?;
                    (symbol_value, symbol_value)
                }
                Head::Function(_) => (f64::NAN, f64::NAN),
                Head::Op(Op::Call) => match order.call(i) {
                    Some((function, at)) => {
                        let (there, here) = (at.read(&probes), at.read(&limits));
                        let (there, here) = (&there[..at.len()], &here[..at.len()]);
                        (function.value(there), function.limit(there, here))
                    }
                    None => (f64::NAN, f64::NAN),
                },
                Head::Op(op) => {
                    let there = order.gather(i, &probes, 0.0);
                    let here = order.gather(i, &limits, 0.0);
                    (apply(*op, there), frozen(*op, there, here))
                }
            };
            probes.push(there);
            limits.push(here);
        }
        Ok(limits.last().copied().unwrap_or(f64::NAN))
    }
}

/// The operation at `here` with the branch that it takes at `there`.
#[expect(clippy::float_cmp, reason = "which operand was picked")]
fn frozen(op: Op, there: [f64; 3], here: [f64; 3]) -> f64 {
    let [a, b, _] = here;
    match op {
        Op::Abs => {
            if there[0] >= 0.0 {
                a
            } else {
                -a
            }
        }
        Op::Sign => sign(there[0]),
        Op::Floor | Op::Ceil => apply(op, there),
        Op::Modulo => a - b * (there[0] / there[1]).floor(),
        Op::Min if minimum(there[0], there[1]) == there[0] => a,
        Op::Max if maximum(there[0], there[1]) == there[0] => a,
        Op::Min | Op::Max => b,
        Op::Atan2 if a == 0.0 => apply(op, [0.0_f64.copysign(there[0]), b, 0.0]),
        _ if op.is_comparison() => apply(op, there),
        Op::Select => {
            if truth(there[0]) {
                here[1]
            } else {
                here[2]
            }
        }
        _ => apply(op, here),
    }
}

/// Solutions of `surface = 0` for the symbol, each with what must hold there.
fn solve(surface: &Expr, symbol: &Symbol) -> Option<Vec<(Expr, Vec<Condition>)>> {
    let mut found = vec![];
    let mut pending: Vec<(Expr, Vec<Condition>)> = vec![(surface.clone(), vec![])];
    let mut branches = 1;
    while let Some((part, mut valid)) = pending.pop() {
        if let Some(affine) = part.affine_in(symbol) {
            let flat = affine
                .slope
                .as_constant()
                .is_some_and(|slope| slope.abs() <= 0.0);
            if !flat {
                found.push((-affine.offset / affine.slope, valid));
            }
            continue;
        }
        if let Some(split) = split(&part, symbol) {
            branches += 1;
            if branches > MOST_BRANCHES {
                return None;
            }
            for (branch, condition) in split {
                let mut valid = valid.clone();
                valid.push(condition);
                pending.push((branch, valid));
            }
            continue;
        }
        let zero = Symbol::new("");
        let inverse = part.inverse(symbol, &zero)?;
        let at = inverse
            .expr
            .substitute(&mut |s| (*s == zero).then(|| Expr::constant(0.0)));
        valid.extend(inverse.assumptions);
        found.push((at, valid));
    }
    Some(found)
}

/// Both branches of the innermost operation that switches along the symbol.
fn split(expr: &Expr, symbol: &Symbol) -> Option<[(Expr, Condition); 2]> {
    let order = Order::of([expr.node()]);
    let mut depends: Vec<bool> = Vec::with_capacity(order.nodes.len());
    for (i, node) in order.nodes.iter().enumerate() {
        let op = match &node.head {
            Head::Constant(_) | Head::Function(_) => None,
            Head::Symbol(own) => {
                depends.push(own == symbol);
                continue;
            }
            Head::Op(op) => Some(*op),
        };
        depends.push(order.gather(i, &depends, false).contains(&true));
        let part = |k: usize| node.operands[k].clone().map(Expr::from_node);
        let (Some(op), true, Some(a)) = (op, depends[i], part(0)) else {
            continue;
        };
        let (first, second, second_holds) = match (op, part(1)) {
            (Op::Abs, _) => (a.clone(), -&a, a.lt(0.0)),
            (Op::Min, Some(b)) => (a.clone(), b.clone(), b.lt(&a)),
            (Op::Max, Some(b)) => (a.clone(), b.clone(), b.gt(&a)),
            (Op::Select, Some(b)) => (
                b,
                part(2)?,
                Condition::from_node(node.operands[0].clone()?).not(),
            ),
            _ => continue,
        };
        let first_holds = second_holds.not();
        let [first, second] = [first, second].map(|branch| replace(&order, i, branch.node()));
        return Some([(first, first_holds), (second, second_holds)]);
    }
    None
}

/// The last expression of the order with the node at `target` replaced.
fn replace(order: &Order<'_>, target: usize, by: &Arc<Node>) -> Expr {
    let mut made: Vec<Option<Arc<Node>>> = Vec::with_capacity(order.nodes.len());
    for (i, node) in order.nodes.iter().enumerate() {
        let new = match &node.head {
            _ if i == target => Some(by.clone()),
            Head::Op(op) => {
                let changed =
                    order.operands[i].map(|k| made.get(k as usize).and_then(Option::as_ref));
                changed.iter().any(Option::is_some).then(|| {
                    let mut operands = changed;
                    for (operand, original) in operands.iter_mut().zip(&node.operands) {
                        *operand = operand.or(original.as_ref());
                    }
                    build(*op, operands)
                })
            }
            _ => None,
        };
        made.push(new);
    }
    Expr::from_node(made.pop().flatten().unwrap_or_else(|| by.clone()))
}
