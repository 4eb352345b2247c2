//! Where the quantities of a system are in one of its tapes.

use bifrons_expr::{CompileError, Symbol, SymbolCursor, TapeName};

use crate::equations::{EquationSystem, Meaning, Needed};

/// Positions of needed quantities among those that a tape has.
pub(crate) struct Layout<'s> {
    system: &'s EquationSystem,
    /// Parameters first, then discrete states; positions are among all of the system.
    parameters: Places,
    discretes: Places,
    definitions: Places,
    time: usize,
    states: usize,
}

/// From a position to its rank among the marked ones.
struct Places {
    /// [`ABSENT`] for one that is not marked.
    ranks: Vec<u32>,
    count: usize,
}

const ABSENT: u32 = u32::MAX;

impl Places {
    fn new(marks: &[bool]) -> Self {
        let mut next = 0;
        let ranks = marks.iter().map(|&marked| {
            let rank = if marked { next } else { ABSENT };
            next += u32::from(marked);
            rank
        });
        let ranks = ranks.collect();
        let count = next as usize;
        Self { ranks, count }
    }

    fn rank(&self, position: usize) -> Option<usize> {
        let rank = self.ranks.get(position).filter(|rank| **rank != ABSENT)?;
        Some(*rank as usize)
    }

    /// The marked positions.
    fn positions(&self) -> impl Iterator<Item = usize> {
        let ranks = self.ranks.iter().enumerate();
        ranks.filter(|(_, rank)| **rank != ABSENT).map(|own| own.0)
    }
}

impl<'s> Layout<'s> {
    /// Variables are `time` if it is needed, `states` and, if any is needed, all unknowns.
    pub(crate) fn new(system: &'s EquationSystem, states: &[Symbol], needed: &Needed) -> Self {
        Self {
            system,
            parameters: Places::new(&needed.parameters),
            discretes: Places::new(&needed.discretes),
            definitions: Places::new(&needed.definitions),
            time: usize::from(needed.time),
            states: states.len(),
        }
    }

    /// The parameters of the tape.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        let (parameters, discretes) = (self.system.parameters(), self.system.discretes());
        let mut symbols = Vec::with_capacity(self.parameters.count + self.discretes.count);
        symbols.extend((self.parameters.positions()).map(|p| parameters[p].symbol.clone()));
        symbols.extend((self.discretes.positions()).map(|d| discretes[d].symbol.clone()));
        symbols
    }

    /// Positions of the parameters of the tape among those of the system, then of discrete states
    /// after all parameters.
    pub(crate) fn parameters(&self) -> Vec<usize> {
        let offset = self.system.parameters().len();
        let mut positions = Vec::with_capacity(self.parameters.count + self.discretes.count);
        positions.extend(self.parameters.positions());
        positions.extend(self.discretes.positions().map(|d| offset + d));
        positions
    }

    /// What a symbol is in the tape; `pre(x)` is `x`.
    ///
    /// # Errors
    ///
    /// [`CompileError::UnknownSymbol`] if the tape has none; equations are checked before.
    pub(crate) fn find(
        &self,
        symbol: &Symbol,
        cursor: &mut SymbolCursor,
    ) -> Result<TapeName, CompileError> {
        let found = self.system.meaning_near(symbol, cursor);
        let name = found.and_then(|meaning| match meaning {
            Meaning::Time => (self.time > 0).then_some(TapeName::Variable(0)),
            Meaning::Parameter(index) => self.parameters.rank(index).map(TapeName::Parameter),
            Meaning::Discrete(index) => {
                let rank = self.discretes.rank(index)?;
                Some(TapeName::Parameter(self.parameters.count + rank))
            }
            Meaning::State(index) => {
                (index < self.states).then_some(TapeName::Variable(self.time + index))
            }
            Meaning::Definition(index) => self.definitions.rank(index).map(TapeName::Definition),
            Meaning::Unknown { position, .. } => {
                Some(TapeName::Variable(self.time + self.states + position))
            }
            Meaning::Input => None,
        });
        name.ok_or_else(|| CompileError::UnknownSymbol {
            symbol: symbol.clone(),
            place: format!("system `{}`", self.system.name()),
            nearest: None,
        })
    }
}
