//! Breakpoints of resources that are declared by hand and checked against the formulas.

use bifrons_egm::{BreakKind, BreakOwner};

use crate::formula::Formula;

/// A breakpoint of the resources of a regime, as the modeller knows it.
///
/// Solvers find the breakpoints in the formulas. A declaration is a check: when the model is
/// built, what is declared has to be what is found, in place, kind and, at a jump, the side that
/// owns the threshold. Without any declaration nothing is compared.
///
/// ```
/// use bifrons_egm::BreakOwner;
/// use bifrons_lifecycle::Breakpoint;
///
/// // A transfer ends above `limit`, the limit itself included; tax begins at an income.
/// let transfer = Breakpoint::jump("cash", "limit").owner(BreakOwner::Below);
/// let tax = Breakpoint::kink("tax", "allowance").of("income");
/// # let _ = (transfer, tax);
/// ```
#[derive(Debug, Clone)]
pub struct Breakpoint {
    pub(crate) kind: BreakKind,
    pub(crate) function: String,
    pub(crate) at: Formula,
    pub(crate) variable: Option<String>,
    pub(crate) owner: BreakOwner,
}

impl Breakpoint {
    fn new(kind: BreakKind, function: impl Into<String>, at: impl Into<Formula>) -> Self {
        Self {
            kind,
            function: function.into(),
            at: at.into(),
            variable: None,
            owner: BreakOwner::Above,
        }
    }

    /// The level is continuous, the slope changes (a continuous kink). `at` is the threshold, a
    /// formula in the parameters of `function`.
    #[must_use]
    pub fn kink(function: impl Into<String>, at: impl Into<Formula>) -> Self {
        Self::new(BreakKind::Kink, function, at)
    }

    /// The level jumps (a cliff).
    #[must_use]
    pub fn jump(function: impl Into<String>, at: impl Into<Formula>) -> Self {
        Self::new(BreakKind::Jump, function, at)
    }

    /// One side is flat (a hard constraint, such as a consumption floor).
    #[must_use]
    pub fn floor(function: impl Into<String>, at: impl Into<Formula>) -> Self {
        Self::new(BreakKind::Floor, function, at)
    }

    /// The function that meets the threshold, straight in the liquid state; the liquid state if
    /// nothing is said.
    #[must_use]
    pub fn of(mut self, variable: impl Into<String>) -> Self {
        self.variable = Some(variable.into());
        self
    }

    /// The side to which the threshold itself belongs; `Above` if nothing is said. It matters at
    /// jumps only.
    #[must_use]
    pub fn owner(mut self, owner: BreakOwner) -> Self {
        self.owner = owner;
        self
    }
}
