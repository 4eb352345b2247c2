//! What a user writes for a function, a law, a probability or a constraint.

use core::fmt;
use std::sync::Arc;

use bifrons_expr::{Condition, Expr, Symbol};

/// A function of a Rust closure: arguments by name, one number back.
type Body = dyn Fn(&[f64]) -> f64 + Send + Sync;
/// A formula for each age.
type ForAge = dyn Fn(f64) -> Formula + Send + Sync;

/// A formula over the names of a regime: text, an expression, a closure, or one of these by age.
///
/// Names are resolved when the model is built: states, actions, functions of the regime, outputs
/// of its shocks, `next_` with a state's name for what a law computes, `age`, `period`, and
/// `state.label` for the code of a category. Every other name is a parameter.
///
/// Structure is known of text and expressions only; a closure is called as it is, and solvers that
/// need derivatives refuse it.
#[derive(Clone)]
pub struct Formula(pub(crate) Kind);

#[derive(Clone)]
pub(crate) enum Kind {
    Text(String),
    Expr(Expr),
    Condition(Condition),
    Closure(Closure),
    ByAge(Arc<ForAge>),
    ByPeriod(Vec<Formula>),
}

/// A Rust closure with the names of its arguments.
#[derive(Clone)]
pub(crate) struct Closure {
    pub(crate) arguments: Vec<Symbol>,
    pub(crate) body: Arc<Body>,
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "closure of {:?}", self.arguments)
    }
}

impl Formula {
    /// A pure Rust function of the named quantities, in this order.
    ///
    /// It must depend on its arguments only: it is called in any order, on any thread, also at
    /// points that no subject ever meets.
    ///
    /// ```
    /// use bifrons_lifecycle::Formula;
    ///
    /// let wage = Formula::closure(["age", "education"], |x| (0.05 * x[0] + 0.3 * x[1]).exp());
    /// # let _ = wage;
    /// ```
    #[must_use]
    pub fn closure<const N: usize>(
        arguments: [&str; N],
        body: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self(Kind::Closure(Closure {
            arguments: arguments.iter().map(Symbol::new).collect(),
            body: Arc::new(body),
        }))
    }

    /// A formula that is made anew for each age. The closure must be pure.
    #[must_use]
    pub fn by_age<F: Into<Self>>(of: impl Fn(f64) -> F + Send + Sync + 'static) -> Self {
        Self(Kind::ByAge(Arc::new(move |age| of(age).into())))
    }

    /// One formula per period; a period beyond the list is an error when the model is built.
    #[must_use]
    pub fn by_period<F: Into<Self>>(list: impl IntoIterator<Item = F>) -> Self {
        Self(Kind::ByPeriod(list.into_iter().map(Into::into).collect()))
    }

    /// Whether it may differ between ages, apart from reading `age` and `period`.
    pub(crate) fn varies(&self) -> bool {
        matches!(self.0, Kind::ByAge(_) | Kind::ByPeriod(_))
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Text(text) => write!(f, "{text:?}"),
            Kind::Expr(expr) => write!(f, "{expr}"),
            Kind::Condition(condition) => write!(f, "{condition:?}"),
            Kind::Closure(closure) => write!(f, "{closure:?}"),
            Kind::ByAge(_) => write!(f, "by age"),
            Kind::ByPeriod(list) => write!(f, "by period {list:?}"),
        }
    }
}

impl From<&str> for Formula {
    fn from(text: &str) -> Self {
        Self(Kind::Text(text.to_owned()))
    }
}

impl From<String> for Formula {
    fn from(text: String) -> Self {
        Self(Kind::Text(text))
    }
}

impl From<f64> for Formula {
    fn from(value: f64) -> Self {
        Self(Kind::Expr(Expr::constant(value)))
    }
}

impl From<Expr> for Formula {
    fn from(expr: Expr) -> Self {
        Self(Kind::Expr(expr))
    }
}

impl From<Condition> for Formula {
    fn from(condition: Condition) -> Self {
        Self(Kind::Condition(condition))
    }
}
