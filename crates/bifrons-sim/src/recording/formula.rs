//! An expression to record.

use bifrons_expr::Expr;

/// An expression to record: a text, or an [`Expr`] that is built already.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Formula {
    /// In the language of [`bifrons_expr::Parser`].
    Text(String),
    /// An expression.
    Expr(Expr),
}

impl From<&str> for Formula {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Formula {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Expr> for Formula {
    fn from(expr: Expr) -> Self {
        Self::Expr(expr)
    }
}
