//! Text form of flat models.

use std::fmt;

use super::{FlatModel, Origin};
use crate::name::plain;

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Component { path, kind } => write!(f, "{path} ({kind})"),
            Self::Potential { pins } => write!(f, "connection of {} and {}", pins[0], pins[1]),
            Self::Node { pins } => write!(f, "node of {}", pins.join(", ")),
            Self::Unconnected { pin } => write!(f, "{pin} is not connected"),
            Self::Signal { target } => write!(f, "signal {target}"),
        }
    }
}

impl fmt::Display for FlatModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "model {}", self.name)?;
        for parameter in &self.parameters {
            writeln!(
                f,
                "  parameter {} = {}",
                parameter.symbol.name(),
                parameter.default
            )?;
        }
        for input in &self.inputs {
            writeln!(f, "  input {}", input.name())?;
        }
        for start in &self.starts {
            let word = if start.fixed { "start" } else { "guess" };
            let (quantity, value) = (plain(&start.quantity), plain(&start.value));
            writeln!(f, "  {word} {quantity} = {value}")?;
        }
        for switch in &self.switches {
            let (name, surface) = (switch.symbol.name(), plain(&switch.surface));
            writeln!(f, "  switch {name} where {surface} > 0")?;
        }
        for equation in &self.equations {
            let (left, right) = (plain(&equation.left), plain(&equation.right));
            writeln!(f, "  {left} = {right}  // {}", equation.origin)?;
        }
        Ok(())
    }
}
