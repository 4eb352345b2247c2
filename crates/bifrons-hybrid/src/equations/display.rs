//! Equations as text.

use std::fmt;

use super::EquationSystem;

impl fmt::Display for EquationSystem {
    /// One equation per line, grouped under a heading; empty groups are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "system {}", self.name())?;
        heading(f, "parameters", self.parameters().len())?;
        for parameter in self.parameters() {
            writeln!(f, "  {} = {}", parameter.symbol, parameter.default)?;
        }
        heading(f, "inputs", self.inputs().len())?;
        for input in self.inputs() {
            writeln!(f, "  {input}")?;
        }
        heading(f, "definitions", self.definitions().len())?;
        for definition in self.definitions() {
            writeln!(f, "  {} := {}", definition.symbol, definition.expression)?;
        }
        heading(f, "states", self.states().len())?;
        for state in self.states() {
            writeln!(
                f,
                "  der({}) = {}, start {}",
                state.symbol, state.derivative, state.start
            )?;
        }
        heading(f, "outputs", self.outputs().len())?;
        for output in self.outputs() {
            writeln!(f, "  {} = {}", output.name, output.expression)?;
        }
        Ok(())
    }
}

fn heading(f: &mut fmt::Formatter<'_>, text: &str, count: usize) -> fmt::Result {
    if count == 0 {
        Ok(())
    } else {
        writeln!(f, "{text}")
    }
}
