//! Whether the equations of a block agree with the units that it declares.

use bifrons_expr::{Expr, Symbol, Unit, UnitError};

use super::builder::find;
use super::{BlockUpdate, Local, Role};
use crate::equations::{GuardEquation, base_name};
use crate::error::BlockError;
use crate::name::TIME;

/// Checks every equation, guard and update.
pub(super) fn check(
    kind: &str,
    locals: &[Local],
    by_name: &[usize],
    (guards, updates): (&[GuardEquation], &[BlockUpdate]),
) -> Result<(), BlockError> {
    let second = Unit::parse("s").ok();
    let mut of = |symbol: &Symbol| {
        let name = base_name(symbol.name());
        if name == TIME {
            return second.clone();
        }
        find(locals, by_name, name).and_then(|local| locals[local].unit.clone())
    };
    let refuse = |equation: &str, source: UnitError| BlockError::Unit {
        kind: kind.to_owned(),
        equation: equation.to_owned(),
        source: Box::new(source),
    };
    let mut expect = |expression: &Expr, unit: Option<&Unit>, equation: &str| {
        let fits = match unit {
            Some(unit) => expression.expect_unit(unit, &mut of),
            None => expression.unit(&mut of).map(drop),
        };
        fits.map_err(|source| refuse(equation, source))
    };
    for local in locals {
        let (unit, name) = (local.unit.as_ref(), local.symbol.name());
        match &local.role {
            Role::Input | Role::Parameter { .. } => {}
            Role::Equation { expression, .. } => expect(expression, unit, name)?,
            Role::Discrete { start } => expect(start, unit, name)?,
            Role::State { derivative, start } => {
                expect(start, unit, name)?;
                let rate = unit.zip(second.as_ref());
                let rate = rate.and_then(|(unit, second)| unit.difference().over(second));
                expect(derivative, rate.as_ref(), name)?;
            }
        }
    }
    for guard in guards {
        expect(&guard.expression, None, &guard.guard.name)?;
    }
    for update in updates {
        let target = &locals[update.target];
        expect(
            &update.expression,
            target.unit.as_ref(),
            target.symbol.name(),
        )?;
    }
    Ok(())
}
