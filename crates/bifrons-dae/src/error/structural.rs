//! Equations that cannot determine their unknowns, explained by components.

use std::fmt;

use thiserror::Error;

/// What is wrong with the structure of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// Potentials are known up to a constant only.
    NoReference,
    /// Some equations say the same or contradict each other, others are missing.
    Singular,
    /// Two equations fix one quantity to different constants.
    Contradiction,
    /// An equation would have to be differentiated that reads an input of the model.
    InputDerivative,
}

/// A network whose equations do not determine its unknowns.
///
/// From the Dulmage-Mendelsohn decomposition of equations and unknowns: the over-determined part
/// has more equations than unknowns, the under-determined part fewer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub struct StructuralError {
    /// What is wrong.
    pub flaw: Flaw,
    /// The network.
    pub network: Box<str>,
    /// Components that take part, sorted.
    pub components: Box<[String]>,
    /// Pins of an island without reference.
    pub pins: Box<[String]>,
    /// Equations that are too many or contradict each other, with their origins.
    pub equations: Box<[String]>,
    /// Unknowns that nothing determines.
    pub unknowns: Box<[String]>,
    /// What to do.
    pub proposal: Box<str>,
}

const SHOWN: usize = 8;

fn list(f: &mut fmt::Formatter<'_>, lead: &str, items: &[String]) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    write!(f, "{lead}{}", items[..items.len().min(SHOWN)].join("; "))?;
    if items.len() > SHOWN {
        write!(f, " and {} more", items.len() - SHOWN)?;
    }
    Ok(())
}

impl fmt::Display for StructuralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.flaw {
            Flaw::NoReference => "no reference potential",
            Flaw::Singular => "structurally singular",
            Flaw::Contradiction => "contradictory equations",
            Flaw::InputDerivative => "an input would have to be differentiated",
        };
        write!(f, "{what} in network `{}`", self.network)?;
        list(f, ": components ", &self.components)?;
        list(f, "; pins ", &self.pins)?;
        list(f, "; surplus equations ", &self.equations)?;
        list(f, "; undetermined ", &self.unknowns)?;
        write!(f, "; {}", self.proposal)
    }
}
