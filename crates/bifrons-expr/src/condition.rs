//! Truth values of an expression.

use crate::expr::{Expr, build};
use crate::node::Node;
use crate::op::Op;
use crate::symbol::Symbol;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A truth value over named symbols, made by comparing expressions.
///
/// Comparisons with NaN are false, except `ne`, which is true.
///
/// ```
/// use bifrons_expr::Expr;
///
/// let x = Expr::symbol("x");
/// let inside = x.ge(0.0).and(&x.lt(1.0));
/// let hat = Expr::select(inside, x.clone(), 0.0);
/// assert_eq!(hat.to_string(), "if x >= 0 and x < 1 then x else 0");
/// ```
#[derive(Clone)]
pub struct Condition(Arc<Node>);

impl Condition {
    /// Always or never.
    #[must_use]
    pub fn constant(value: bool) -> Self {
        Self(Expr::constant(f64::from(u8::from(value))).node().clone())
    }

    /// Both hold.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self(build(Op::And, [Some(&self.0), Some(&other.0), None]))
    }

    /// At least one holds.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self(build(Op::Or, [Some(&self.0), Some(&other.0), None]))
    }

    /// The opposite. Of a comparison with NaN it is true, so `not (a < b)` is not `a >= b`.
    #[must_use]
    pub fn not(&self) -> Self {
        Self(build(Op::Not, [Some(&self.0), None, None]))
    }

    /// The symbols that occur, in order of their names.
    #[must_use]
    pub fn dependencies(&self) -> BTreeSet<Symbol> {
        self.as_number().dependencies()
    }

    /// 1 where the condition holds and 0 elsewhere.
    #[must_use]
    pub fn as_number(&self) -> Expr {
        Expr::select(self.clone(), 1.0, 0.0)
    }

    pub(crate) fn node(&self) -> &Arc<Node> {
        &self.0
    }

    pub(crate) fn from_node(node: Arc<Node>) -> Self {
        Self(node)
    }
}

impl std::ops::Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        Self::not(&self)
    }
}

impl std::ops::BitAnd for Condition {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        self.and(&other)
    }
}

impl std::ops::BitOr for Condition {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.or(&other)
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({self})")
    }
}

impl Expr {
    /// `if condition then a else b`.
    ///
    /// Both branches are evaluated; the one that is not taken has no effect, even where it is NaN
    /// or infinite.
    #[must_use]
    pub fn select(condition: Condition, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        let (a, b) = (a.into(), b.into());
        Self::from_node(build(
            Op::Select,
            [Some(condition.node()), Some(a.node()), Some(b.node())],
        ))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        impl Expr {$(
            $(#[$doc])*
            #[must_use]
            #[allow(clippy::should_implement_trait, reason = "a symbolic comparison is no `PartialOrd`")]
            pub fn $name(&self, other: impl Into<Self>) -> Condition {
                let other = other.into();
                Condition(build(Op::$op, [Some(self.node()), Some(other.node()), None]))
            }
        )*}
    };
}

comparisons! {
    /// Where this expression is less than the other.
    lt = Lt;
    /// Where this expression is less than the other or equal.
    le = Le;
    /// Where this expression is greater than the other.
    gt = Gt;
    /// Where this expression is greater than the other or equal.
    ge = Ge;
    /// Where both are equal. As a guard of a continuous run prefer an inequality.
    eq = Eq;
    /// Where both differ.
    ne = Ne;
}
