//! What every name of a system stands for.

use bifrons_expr::{Symbol, SymbolCursor, SymbolMap};

use super::{Parts, base_name};
use crate::name::{NameProblem, TIME};

/// Names with what they stand for.
#[derive(Debug, Clone)]
pub(crate) struct SymbolTable(SymbolMap<Meaning>);

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
    /// Unknown of the loop at this position.
    Unknown(usize),
}

impl SymbolTable {
    /// Collects the names; the first name that is taken twice is the error.
    pub(crate) fn of(parts: &Parts) -> Result<Self, (Symbol, NameProblem)> {
        let count = parts.parameters.len() + parts.states.len() + parts.definitions.len();
        let mut map = SymbolMap::with_capacity(count + parts.discretes.len() + 1);
        map.insert(Symbol::new(TIME), Meaning::Time);
        let parameters = parts.parameters.iter().enumerate();
        let parameters = parameters.map(|(i, p)| (&p.symbol, Meaning::Parameter(i)));
        let inputs = parts.inputs.iter().map(|input| (input, Meaning::Input));
        let states = parts.states.iter().enumerate();
        let states = states.map(|(i, state)| (&state.symbol, Meaning::State(i)));
        let definitions = parts.definitions.iter().enumerate();
        let definitions = definitions.map(|(i, d)| (&d.symbol, Meaning::Definition(i)));
        let discretes = parts.discretes.iter().enumerate();
        let discretes = discretes.map(|(i, d)| (&d.symbol, Meaning::Discrete(i)));
        let unknowns = parts.loops.iter().enumerate().flat_map(|(i, own)| {
            let unknowns = own.variables.iter();
            unknowns.map(move |z| (z, Meaning::Unknown(i)))
        });
        for (symbol, meaning) in parameters
            .chain(inputs)
            .chain(states)
            .chain(definitions)
            .chain(discretes)
            .chain(unknowns)
        {
            if map.insert(symbol.clone(), meaning).is_some() {
                return Err((symbol.clone(), NameProblem::Duplicate));
            }
        }
        Ok(Self(map))
    }

    pub(crate) fn find(&self, name: &str) -> Option<Meaning> {
        self.0.get(name).copied()
    }

    /// As [`find`](Self::find) of the name of a symbol, or of the variable that it reads before
    /// an instant.
    pub(crate) fn find_near(&self, symbol: &Symbol, cursor: &mut SymbolCursor) -> Option<Meaning> {
        let found = self.0.get_near(symbol, cursor).copied();
        found.or_else(|| {
            let base = base_name(symbol.name());
            if base == symbol.name() {
                None
            } else {
                self.find(base)
            }
        })
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(symbol, _)| symbol.name())
    }
}
