//! Units of signals and of the values of parameters.

use bifrons_expr::Unit;

use super::Leaf;
use crate::error::FlattenError;
use crate::flat::FlatParameter;

/// A value in the unit of its parameter.
pub(super) fn convert(
    parameter: &FlatParameter,
    value: f64,
    unit: &str,
) -> Result<f64, FlattenError> {
    let name = parameter.symbol.name();
    let read = |text: &str| {
        Unit::parse(text).map_err(|source| FlattenError::UnitName {
            parameter: name.to_owned(),
            source: Box::new(source),
        })
    };
    let given = read(unit)?;
    let own = parameter.unit.as_deref().map(read).transpose()?;
    let converted = own.as_ref().and_then(|own| given.convert(value, own));
    converted.ok_or_else(|| FlattenError::Unit {
        parameter: name.to_owned(),
        given: unit.to_owned(),
        expected: parameter.unit.as_deref().unwrap_or("no unit").to_owned(),
    })
}

/// Whether the source of a signal is in the unit of its input, where both are known.
pub(super) fn check_signal(
    leaves: &[Leaf<'_>],
    source: (usize, usize),
    target: (usize, usize),
) -> Result<(), FlattenError> {
    let text = |(leaf, local): (usize, usize)| leaves[leaf].spec.unit_of(local);
    let (Some(from), Some(to)) = (text(source), text(target)) else {
        return Ok(());
    };
    let fits = match (Unit::parse(from), Unit::parse(to)) {
        (Ok(a), Ok(b)) => a.is_same(&b),
        _ => from == to,
    };
    if fits {
        return Ok(());
    }
    let name = |(leaf, local): (usize, usize)| leaves[leaf].symbols[local].name().to_owned();
    Err(FlattenError::SignalUnits {
        signal: name(source),
        input: name(target),
        units: [from.to_owned(), to.to_owned()],
    })
}
