//! What every name of a system stands for.

use bifrons_expr::Symbol;

use super::Parts;
use crate::name::{NameProblem, TIME};

/// Sorted names with what they stand for.
#[derive(Debug, Clone)]
pub(crate) struct SymbolTable(Vec<(Symbol, Meaning)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Time,
    /// Position among the parameters.
    Parameter(usize),
    Input,
    /// Position among the states.
    State(usize),
    /// Position among the definitions.
    Definition(usize),
    /// Position among the discrete states.
    Discrete(usize),
}

impl SymbolTable {
    /// Sorts the names; the first name that is taken twice is the error.
    pub(crate) fn of(parts: &Parts) -> Result<Self, (Symbol, NameProblem)> {
        let mut entries = vec![(Symbol::new(TIME), Meaning::Time)];
        let parameters = parts.parameters.iter().enumerate();
        entries.extend(parameters.map(|(i, p)| (p.symbol.clone(), Meaning::Parameter(i))));
        entries.extend(
            parts
                .inputs
                .iter()
                .map(|input| (input.clone(), Meaning::Input)),
        );
        let states = parts.states.iter().enumerate();
        entries.extend(states.map(|(i, state)| (state.symbol.clone(), Meaning::State(i))));
        let definitions = parts.definitions.iter().enumerate();
        entries.extend(definitions.map(|(i, d)| (d.symbol.clone(), Meaning::Definition(i))));
        let discretes = parts.discretes.iter().enumerate();
        entries.extend(discretes.map(|(i, d)| (d.symbol.clone(), Meaning::Discrete(i))));
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        match entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err((pair[0].0.clone(), NameProblem::Duplicate)),
            None => Ok(Self(entries)),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Meaning> {
        let found = self
            .0
            .binary_search_by(|(symbol, _)| symbol.name().cmp(name))
            .ok()?;
        Some(self.0[found].1)
    }

    /// All names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(symbol, _)| symbol.name())
    }
}
