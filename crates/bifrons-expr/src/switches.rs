//! Switching surfaces: where an expression passes from one branch to another.

mod continuity;
mod survey;

use crate::condition::Condition;
use crate::expr::Expr;
use crate::switches::survey::Survey;

/// Where the function of a surface must be for the expression to switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Crossing {
    /// At zero.
    Zero,
    /// At every integer (`floor`, `ceil`, `modulo`).
    Integers,
}

/// To which side a point exactly on the surface belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Owner {
    /// To the side where the function is larger.
    Above,
    /// To the side where the function is smaller.
    Below,
    /// To neither: the surface is a case of its own (`==`, `sign`).
    Itself,
}

/// What happens to the value on the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SwitchKind {
    /// Both sides agree: at most the slope jumps.
    Kink,
    /// The sides disagree.
    Jump,
    /// Neither could be shown.
    Unknown,
}

/// How the kind is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// By the structure or by algebra.
    Proved,
    /// By comparing both sides at points of the surface; may miss a rare exception.
    Checked,
    /// There is none: the kind is unknown.
    Missing,
}

/// One surface on which an expression switches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Switch {
    /// The function whose crossing is the surface.
    pub surface: Expr,
    /// Which values of the function are on the surface.
    pub crossing: Crossing,
    /// The side that owns equality.
    pub owner: Owner,
    /// Kink or jump.
    pub kind: SwitchKind,
    /// How the kind is known.
    pub evidence: Evidence,
    /// Where the surface matters: the branches that contain it are taken.
    pub live: Condition,
}

/// The surfaces of an expression.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Switches {
    /// Surfaces that count, in order of their first operation.
    pub visible: Vec<Switch>,
    /// Surfaces below `no_event`, which a simulation passes without stopping.
    pub hidden: Vec<Switch>,
}

impl Expr {
    /// All surfaces on which this expression switches, each with its kind and owner.
    ///
    /// | operation | surface | kind | owner |
    /// |---|---|---|---|
    /// | `abs(a)` | `a` | kink | above |
    /// | `sign(a)` | `a` | jump | itself |
    /// | `max(a, b)` | `a - b` | kink | above |
    /// | `min(a, b)` | `a - b` | kink | below |
    /// | `floor(a)`, `modulo(a, b)` | `a`, `a / b` at integers | jump | above |
    /// | `ceil(a)` | `a` at integers | jump | below |
    /// | `atan2(y, x)` | `y`, live where `x < 0` | jump | above |
    /// | comparison of `a` and `b` in a `select` | `a - b` | examined | as compared |
    ///
    /// A `select` is examined on the surface: if both branches are equal there by algebra, or
    /// differ by a constant, the kind is proved; else they are compared at points of the surface
    /// that a fixed sequence generates, and the kind is marked as checked. A surface that several
    /// operations share is listed once with the worst kind. A surface inside a branch is live
    /// where the branch is taken.
    ///
    /// Cost: linear, plus the examination of each `select`, which together visit at most some
    /// millions of nodes; what remains after that is [`SwitchKind::Unknown`].
    ///
    /// ```
    /// use bifrons_expr::{Expr, SwitchKind};
    ///
    /// let tax = Expr::parse("if income < 10 then 0 else 0.2*(income - 10)").unwrap();
    /// let switches = tax.switches();
    /// assert_eq!(switches.visible[0].surface.to_string(), "income - 10");
    /// assert_eq!(switches.visible[0].kind, SwitchKind::Kink);
    /// ```
    #[must_use]
    pub fn switches(&self) -> Switches {
        Survey::new(self).finish()
    }
}
