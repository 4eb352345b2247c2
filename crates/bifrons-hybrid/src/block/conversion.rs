//! The same quantity in another unit.

use bifrons_expr::{Expr, Unit};

use super::{Assembly, Block, Component, Local, Role, equation};
use crate::error::BlockError;
use crate::range::ParameterRange;

const KIND: &str = "UnitConversion";

/// The input in another unit of the same dimension, offsets of temperatures included.
///
/// ```text
/// y = factor u + offset
/// ```
///
/// Input `u` in `from`, output `y` in `to`; parameters `factor` and, between temperatures,
/// `offset`.
///
/// # Examples
///
/// ```
/// use bifrons_expr::Unit;
/// use bifrons_hybrid::{DiagramBuilder, UnitConversion};
///
/// let [from, to] = ["km/h", "m/s"].map(|text| Unit::parse(text).unwrap());
/// let mut diagram = DiagramBuilder::new("model");
/// let speed = diagram.add("speed", UnitConversion::new(from, to))?;
/// diagram.constant(speed.input("u"), 90.0)?;
/// diagram.export_output("speed", speed.output("y"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct UnitConversion {
    from: Unit,
    to: Unit,
}

impl UnitConversion {
    /// From one unit to another; whether they measure the same is checked when it is added.
    #[must_use]
    pub fn new(from: Unit, to: Unit) -> Self {
        Self { from, to }
    }
}

impl Block for UnitConversion {
    fn into_component(self) -> Result<Component, BlockError> {
        let Self { from, to } = self;
        let (Some(zero), Some(one)) = (from.convert(0.0, &to), from.convert(1.0, &to)) else {
            return Err(BlockError::Conversion {
                from: from.to_string(),
                to: to.to_string(),
            });
        };
        let factor = from.factor_to(&to).unwrap_or(from.scale() / to.scale());
        let local = |name: &str, role, unit| Local {
            symbol: name.into(),
            role,
            unit,
        };
        let parameter = |default| Role::Parameter {
            default,
            range: ParameterRange::FINITE,
        };
        let mut defaults = vec![factor];
        let mut locals = vec![
            local("u", Role::Input, Some(from)),
            local("factor", parameter(0), None),
        ];
        let mut y = Expr::symbol("factor") * Expr::symbol("u");
        if zero != 0.0 && one.is_finite() {
            locals.push(local("offset", parameter(1), Some(to.clone())));
            defaults.push(zero);
            y += Expr::symbol("offset");
        }
        locals.push(local("y", equation(y), Some(to)));
        let block = Assembly {
            kind: KIND,
            outputs: vec![locals.len() - 1],
            locals,
            defaults,
            clocks: Vec::new(),
            guards: Vec::new(),
            updates: Vec::new(),
            guesses: Vec::new(),
        };
        Ok(block.build()?.into())
    }
}
