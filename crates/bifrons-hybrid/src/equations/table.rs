//! What every name of a system stands for.

use bifrons_expr::{NameIndex, Symbol, SymbolCursor};

use super::{Parts, base_name};
use crate::name::{NameProblem, TIME};

/// What the names of some [`Parts`] stand for; the names themselves stay in the parts.
///
/// Places count `time`, parameters, inputs, states, definitions, discrete states and unknowns.
#[derive(Debug, Clone)]
pub(crate) struct SymbolTable {
    index: NameIndex,
    time: Symbol,
    /// Place behind each group but the last.
    ends: [usize; 6],
    /// Unknowns with the positions of their loops.
    unknowns: Vec<(Symbol, usize)>,
}

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
    /// Unknown of the loop at a position.
    Unknown {
        of: usize,
        /// Position among the unknowns of all loops.
        position: usize,
    },
}

impl SymbolTable {
    /// Collects the names; the first name that is taken twice is the error.
    pub(crate) fn of(parts: &Parts) -> Result<Self, (Symbol, NameProblem)> {
        let counts = [
            1,
            parts.parameters.len(),
            parts.inputs.len(),
            parts.states.len(),
            parts.definitions.len(),
            parts.discretes.len(),
        ];
        let mut end = 0;
        let ends = counts.map(|count| {
            end += count;
            end
        });
        let unknowns = parts.loops.iter().enumerate().flat_map(|(i, own)| {
            let unknowns = own.variables.iter();
            unknowns.map(move |z| (z.clone(), i))
        });
        let unknowns: Vec<(Symbol, usize)> = unknowns.collect();
        let count = end + unknowns.len();
        let mut table = Self {
            index: NameIndex::with_capacity(0),
            time: Symbol::new(TIME),
            ends,
            unknowns,
        };
        let mut index = NameIndex::with_capacity(count);
        for place in 0..count {
            let name = |place| table.symbol(parts, place).name();
            if index.add(name(place), name).is_some() {
                let symbol = table.symbol(parts, place).clone();
                return Err((symbol, NameProblem::Duplicate));
            }
        }
        table.index = index;
        Ok(table)
    }

    /// Group and position within it of a place.
    fn split(&self, place: usize) -> (usize, usize) {
        let ends = &self.ends;
        let from = |end: usize| usize::from(ends[end] <= place);
        let group = match () {
            () if place < ends[1] => from(0),
            () if place < ends[3] => 2 + from(2),
            () => 4 + from(4) + from(5),
        };
        let start = group.checked_sub(1).map_or(0, |before| self.ends[before]);
        (group, place - start)
    }

    fn symbol<'p>(&'p self, parts: &'p Parts, place: usize) -> &'p Symbol {
        match self.split(place) {
            (0, _) => &self.time,
            (1, index) => &parts.parameters[index].symbol,
            (2, index) => &parts.inputs[index],
            (3, index) => &parts.states[index].symbol,
            (4, index) => &parts.definitions[index].symbol,
            (5, index) => &parts.discretes[index].symbol,
            (_, index) => &self.unknowns[index].0,
        }
    }

    fn meaning(&self, place: usize) -> Meaning {
        match self.split(place) {
            (0, _) => Meaning::Time,
            (1, index) => Meaning::Parameter(index),
            (2, _) => Meaning::Input,
            (3, index) => Meaning::State(index),
            (4, index) => Meaning::Definition(index),
            (5, index) => Meaning::Discrete(index),
            (_, position) => Meaning::Unknown {
                of: self.unknowns[position].1,
                position,
            },
        }
    }

    /// What a name of these parts, of which the table was made, stands for.
    pub(crate) fn find(&self, parts: &Parts, name: &str) -> Option<Meaning> {
        let place = (self.index).find(name, |place| self.symbol(parts, place).name());
        place.map(|place| self.meaning(place))
    }

    /// As [`find`](Self::find) of the name of a symbol, or of the variable that it reads before
    /// an instant.
    pub(crate) fn find_near(
        &self,
        parts: &Parts,
        symbol: &Symbol,
        cursor: &mut SymbolCursor,
    ) -> Option<Meaning> {
        let place = (self.index).find_near(symbol, cursor, |place| self.symbol(parts, place));
        place.map(|place| self.meaning(place)).or_else(|| {
            let base = base_name(symbol.name());
            if base.len() == symbol.name().len() {
                None
            } else {
                self.find(parts, base)
            }
        })
    }

    /// All names.
    pub(crate) fn names<'p>(&'p self, parts: &'p Parts) -> impl Iterator<Item = &'p str> {
        let count = self.ends[5] + self.unknowns.len();
        (0..count).map(|place| self.symbol(parts, place).name())
    }
}
