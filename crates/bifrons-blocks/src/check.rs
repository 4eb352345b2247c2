//! Checks of settings and names that several blocks share.

use bifrons_expr::Expr;
use bifrons_hybrid::{BlockError, BlockSpecBuilder, ParameterRange, TIME, Template};

/// The symbol of a local name.
pub(crate) fn symbol(name: &str) -> Expr {
    Expr::symbol(name)
}

/// The independent variable.
pub(crate) fn time() -> Expr {
    Expr::symbol(TIME)
}

/// Bounds a signal. A limit that is finite becomes the parameter `lower` or `upper`, which a run may
/// set to infinity away from the signal; an infinite one is no limit and no parameter.
pub(crate) fn limited(
    mut block: BlockSpecBuilder,
    kind: &str,
    signal: &Expr,
    (lower, upper): (f64, f64),
) -> Result<(BlockSpecBuilder, Expr), BlockError> {
    if upper.is_nan() || (upper.is_infinite() && upper < 0.0) {
        return Err(refuse(
            kind,
            "upper",
            upper,
            "must be a limit above `lower`",
        ));
    }
    if lower.is_nan() || lower > upper || (lower.is_infinite() && lower > 0.0) {
        return Err(refuse(kind, "lower", lower, "must not exceed `upper`"));
    }
    let mut bounded = signal.clone();
    if lower.is_finite() {
        let range = ParameterRange::new(f64::NEG_INFINITY, f64::MAX);
        block = block.parameter_in("lower", lower, range);
        bounded = bounded.max(symbol("lower"));
    }
    if upper.is_finite() {
        let range = ParameterRange::new(f64::MIN, f64::INFINITY);
        block = block.parameter_in("upper", upper, range);
        bounded = bounded.min(symbol("upper"));
    }
    Ok((block, bounded))
}

/// Refuses NaN and infinity.
pub(crate) fn finite(kind: &str, setting: &str, value: f64) -> Result<f64, BlockError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(refuse(kind, setting, value, "must be finite"))
}

/// The template of blocks that refuse parameters which are not finite.
pub(crate) fn numbers<'a, B: 'static>(defaults: &[f64]) -> Option<Template<'a>> {
    let fits = defaults.iter().all(|value| value.is_finite());
    fits.then(|| Template::of::<B>(defaults))
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
