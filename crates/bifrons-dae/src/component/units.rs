//! Units of a component's equations.

use bifrons_expr::{Expr, Symbol, Unit};
use bifrons_hybrid::TIME;

use super::{ComponentSpec, Role};
use crate::error::ComponentError;
use crate::name::differentiated;

impl ComponentSpec {
    /// The unit of a name as it is written, if it has one.
    #[must_use]
    pub fn unit(&self, name: &str) -> Option<&str> {
        let local = self.find(name)?;
        self.unit_of(local)
    }

    pub(crate) fn unit_of(&self, local: usize) -> Option<&str> {
        let declared = self.units.iter().rev().find(|(own, _)| *own == local);
        if let Some((_, unit)) = declared {
            return Some(unit);
        }
        match self.locals[local].role {
            Role::Outflow | Role::Inflow => return Some("J/kg"),
            Role::Potential | Role::Flow => {}
            _ => return None,
        }
        let last = self.connectors.iter().rev().find(|c| c.first <= local)?;
        let place = local - last.first;
        let pair = last.domain.pairs().get(place / 2)?;
        Some(if place.is_multiple_of(2) {
            pair.potential_unit
        } else {
            pair.flow_unit
        })
    }

    /// Checks the units of all equations, conditions and surfaces, as far as they are known.
    ///
    /// [`ComponentSpecBuilder::build`](super::ComponentSpecBuilder::build) does so for every
    /// component that declares a unit. Cost: linear in the size of the equations.
    ///
    /// # Errors
    ///
    /// [`ComponentError::Unit`] with the equation, the part that does not fit and both units,
    /// [`ComponentError::UnitName`] for a unit that cannot be read.
    pub fn check_units(&self) -> Result<(), ComponentError> {
        let units = self.units_of_locals()?;
        let second = Unit::parse("s").ok();
        let of = |symbol: &Symbol| -> Option<Unit> {
            let name = symbol.name();
            if name == TIME {
                return second.clone();
            }
            match differentiated(name) {
                Some(base) => units[self.find(base)?].as_ref()?.over(second.as_ref()?),
                None => units[self.find(name)?].clone(),
            }
        };
        let check = |expression: &Expr, place: &dyn Fn() -> String| {
            let unit = expression.unit(&mut |symbol| of(symbol));
            unit.map(drop).map_err(|source| ComponentError::Unit {
                kind: self.kind.to_string(),
                place: place(),
                source: Box::new(source),
            })
        };
        let plain = crate::name::plain;
        for (left, right) in &self.equations {
            let place = || format!("{} = {}", plain(left), plain(right));
            check(&(left - right), &place)?;
        }
        // A number at the start is in the unit of its quantity.
        let given = |c: &&super::Condition| c.value.as_constant().is_none();
        for condition in self.conditions.iter().filter(given) {
            let (quantity, value) = (&condition.quantity, &condition.value);
            let place = || format!("start {} = {}", plain(quantity), plain(value));
            check(&(quantity - value), &place)?;
        }
        for local in &self.locals {
            if let Role::Switch { surface } = &local.role {
                check(surface, &|| format!("surface of {}", local.symbol.name()))?;
            }
        }
        for event in &self.events {
            check(&event.surface, &|| format!("surface of {}", event.name))?;
            for (target, value) in &event.resets {
                let place = || format!("{} := {}", target.name(), plain(value));
                check(&(Expr::symbol(target) - value), &place)?;
            }
        }
        Ok(())
    }

    /// Unit of every local, `None` for those without one.
    fn units_of_locals(&self) -> Result<Vec<Option<Unit>>, ComponentError> {
        let mut units: Vec<Option<Unit>> = Vec::with_capacity(self.locals.len());
        for local in 0..self.locals.len() {
            let text = self.unit_of(local);
            let unit = text.map(Unit::parse).transpose();
            units.push(unit.map_err(|source| ComponentError::UnitName {
                kind: self.kind.to_string(),
                name: self.locals[local].symbol.name().to_owned(),
                source: Box::new(source),
            })?);
        }
        Ok(units)
    }
}
