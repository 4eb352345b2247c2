//! Text form of reduced models.

use std::fmt;

use super::{Meaning, ReducedModel};

impl fmt::Display for ReducedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "reduced model {}: {} unknowns, {} equations, {} degrees of freedom, index {}",
            self.name,
            self.unknown_count(),
            self.equation_count(),
            self.freedom(),
            self.structural_index()
        )?;
        for equation in 0..self.equations.len() {
            writeln!(f, "  {}", self.describe(equation))?;
        }
        for (symbol, meaning) in &self.variables {
            match *meaning {
                Meaning::Constant(value) => writeln!(f, "  {} := {value}", symbol.name())?,
                Meaning::Negated(of) => {
                    writeln!(
                        f,
                        "  {} := -{}",
                        symbol.name(),
                        self.unknowns[of].symbol.name()
                    )?;
                }
                Meaning::Unknown(of) if self.unknowns[of].symbol != *symbol => {
                    writeln!(
                        f,
                        "  {} := {}",
                        symbol.name(),
                        self.unknowns[of].symbol.name()
                    )?;
                }
                Meaning::Unknown(_) => {}
            }
        }
        Ok(())
    }
}
