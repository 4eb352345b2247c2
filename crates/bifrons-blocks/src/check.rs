//! Checks of settings and names that several blocks share.

use bifrons_expr::Expr;
use bifrons_hybrid::{BlockError, TIME};

/// The symbol of a local name.
pub(crate) fn symbol(name: &str) -> Expr {
    Expr::symbol(name)
}

/// The independent variable.
pub(crate) fn time() -> Expr {
    Expr::symbol(TIME)
}

/// Refuses NaN and infinity.
pub(crate) fn finite(kind: &str, setting: &str, value: f64) -> Result<f64, BlockError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(refuse(kind, setting, value, "must be finite"))
}

pub(crate) fn refuse(
    kind: &str,
    setting: &str,
    value: f64,
    requirement: &'static str,
) -> BlockError {
    BlockError::Value {
        kind: kind.to_owned(),
        setting: setting.to_owned(),
        value,
        requirement,
    }
}

pub(crate) fn shape(kind: &str, setting: &str, required: &str, found: String) -> BlockError {
    BlockError::Shape {
        kind: kind.to_owned(),
        setting: setting.to_owned(),
        required: required.to_owned(),
        found,
    }
}
