//! Smoothness and monotonicity.

use crate::error::EvaluateError;
use crate::expr::Expr;
use crate::interval::Interval;
use crate::node::{Head, Node, Order};
use crate::op::Op;
use crate::switches::{Evidence, SwitchKind};
use crate::symbol::Symbol;
use std::sync::Arc;

/// Pieces into which the range of the symbol is cut for a proof.
const PIECES: u32 = 64;

/// Whether an expression is smooth.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Smoothness {
    /// Infinitely often differentiable in the interior of its domain.
    Proved,
    /// Not proved: this part switches.
    Broken {
        /// The first operation that switches, with everything below it.
        by: Expr,
    },
}

/// How an expression moves with a symbol over a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Monotonicity {
    /// The same value everywhere.
    Constant,
    /// Strictly increasing.
    Increasing,
    /// Never decreasing.
    Nondecreasing,
    /// Strictly decreasing.
    Decreasing,
    /// Never increasing.
    Nonincreasing,
    /// Refuted: it increases in one place and decreases in another.
    NotMonotone,
    /// Neither proved nor refuted.
    Unknown,
}

impl Expr {
    /// Whether the structure proves that this expression is smooth.
    ///
    /// `abs sign floor ceil modulo min max atan2` and `select` break smoothness, also below
    /// `no_event`, and also where both branches happen to fit. Roots and logarithms are smooth in
    /// the interior of their domain. Cost: linear.
    #[must_use]
    pub fn smoothness(&self) -> Smoothness {
        let order = Order::of([self.node()]);
        let switching = |node: &&Arc<Node>| match &node.head {
            Head::Op(op) => switches(*op),
            Head::Function(function) => !function.is_smooth(),
            _ => false,
        };
        let Some(broken) = order.nodes.iter().position(switching) else {
            return Smoothness::Proved;
        };
        let users = order.nodes.iter().zip(&order.operands).skip(broken);
        let mut uses = users.flat_map(|(node, operands)| node.operands.iter().zip(operands));
        let by = uses.find(|(_, operand)| **operand as usize == broken);
        let by = by
            .and_then(|(node, _)| node.clone())
            .unwrap_or_else(|| self.node().clone());
        Smoothness::Broken {
            by: Self::from_node(by),
        }
    }

    /// How this expression moves with `symbol` while every symbol is in its range.
    ///
    /// Proofs use enclosures of the derivative on 64 pieces of the range of the symbol and need
    /// an expression that is bounded there and has no surface with a possible jump. A refutation
    /// shows a rising and a falling piece. Strict means a derivative bounded away from zero.
    /// Cost: 128 enclosures and the examination of the surfaces.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::UnknownSymbol`] if `range` returns `None` for a symbol that occurs.
    ///
    /// ```
    /// use bifrons_expr::{Expr, Interval, Monotonicity, Symbol};
    ///
    /// let utility = Expr::parse("pow(c, 1 - gamma) / (1 - gamma)").unwrap();
    /// let moves = utility.monotone(&Symbol::new("c"), &mut |s| match s.name() {
    ///     "c" => Some(Interval::new(0.1, 10.0)),
    ///     _ => Some(Interval::new(2.0, 3.0)),
    /// });
    /// assert_eq!(moves, Ok(Monotonicity::Increasing));
    /// ```
    pub fn monotone(
        &self,
        symbol: &Symbol,
        range: &mut impl FnMut(&Symbol) -> Option<Interval>,
    ) -> Result<Monotonicity, EvaluateError> {
        if !self.dependencies().contains(symbol) {
            return Ok(Monotonicity::Constant);
        }
        let unknown = || EvaluateError::UnknownSymbol {
            symbol: symbol.clone(),
        };
        let whole = range(symbol).ok_or_else(unknown)?;
        let derivative = self.derivative(symbol);
        let mut signs = Signs::default();
        for k in 0..PIECES {
            let end = |k: u32| {
                let share = f64::from(k) / f64::from(PIECES);
                whole.low() * (1.0 - share) + whole.high() * share
            };
            let piece = Interval::new(end(k), end(k + 1));
            let mut here = |s: &Symbol| if s == symbol { Some(piece) } else { range(s) };
            signs.bounded &= self.interval(&mut here)?.is_bounded() && whole.is_bounded();
            signs.add(derivative.interval(&mut here)?);
        }
        if signs.bounded && signs.rises && signs.falls {
            return Ok(Monotonicity::NotMonotone);
        }
        let proved = signs.verdict();
        if proved != Monotonicity::Unknown && self.may_jump_along(symbol) {
            return Ok(Monotonicity::Unknown);
        }
        Ok(proved)
    }

    fn may_jump_along(&self, symbol: &Symbol) -> bool {
        let switches = self.switches();
        switches
            .visible
            .iter()
            .chain(&switches.hidden)
            .any(|switch| {
                let harmless =
                    (switch.kind, switch.evidence) == (SwitchKind::Kink, Evidence::Proved);
                !harmless && switch.surface.dependencies().contains(symbol)
            })
    }
}

/// Signs of the derivative over the pieces.
#[derive(Debug)]
struct Signs {
    bounded: bool,
    rises: bool,
    falls: bool,
    never_negative: bool,
    never_positive: bool,
    always_positive: bool,
    always_negative: bool,
}

impl Default for Signs {
    fn default() -> Self {
        Self {
            bounded: true,
            rises: false,
            falls: false,
            never_negative: true,
            never_positive: true,
            always_positive: true,
            always_negative: true,
        }
    }
}

impl Signs {
    fn add(&mut self, derivative: Interval) {
        let defined = !derivative.may_be_nan();
        let (positive, negative) = (derivative.low() > 0.0, derivative.high() < 0.0);
        self.rises |= positive && defined;
        self.falls |= negative && defined;
        self.never_negative &= derivative.low() >= 0.0 && defined;
        self.never_positive &= derivative.high() <= 0.0 && defined;
        self.always_positive &= positive && defined;
        self.always_negative &= negative && defined;
    }

    fn verdict(&self) -> Monotonicity {
        match self {
            Self { bounded: false, .. } => Monotonicity::Unknown,
            Self {
                never_negative: true,
                never_positive: true,
                ..
            } => Monotonicity::Constant,
            Self {
                always_positive: true,
                ..
            } => Monotonicity::Increasing,
            Self {
                always_negative: true,
                ..
            } => Monotonicity::Decreasing,
            Self {
                never_negative: true,
                ..
            } => Monotonicity::Nondecreasing,
            Self {
                never_positive: true,
                ..
            } => Monotonicity::Nonincreasing,
            _ => Monotonicity::Unknown,
        }
    }
}

fn switches(op: Op) -> bool {
    matches!(
        op,
        Op::Abs
            | Op::Sign
            | Op::Floor
            | Op::Ceil
            | Op::Modulo
            | Op::Min
            | Op::Max
            | Op::Select
            | Op::Atan2
    )
}
