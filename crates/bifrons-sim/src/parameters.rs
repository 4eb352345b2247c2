//! Parameters and start values of the members: defaults, values for all, columns.

use bifrons_hybrid::{HybridSystem, ParameterRange, Schema, UnknownName};

use crate::error::BuildError;

/// Parameters of every member of a sweep (or of the only one).
#[derive(Debug, Clone)]
pub(crate) struct Parameters {
    /// Defaults with the values for all members put in.
    base: Vec<f64>,
    /// Position of a parameter and its values, one per member.
    columns: Vec<(usize, Vec<f64>)>,
    /// Ranges of parameters that need not be finite or may not be any finite number, by position.
    ranges: Vec<(usize, ParameterRange)>,
    starts: Starts,
}

/// Start values that take the place of those of the system.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Starts {
    /// Values for all members.
    values: Vec<(Start, f64)>,
    /// Values, one per member.
    columns: Vec<(Start, Vec<f64>)>,
}

/// What a start value belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Start {
    name: String,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    State(usize),
    Discrete(usize),
}

impl Start {
    fn find<S: HybridSystem>(system: &S, name: String) -> Result<Self, UnknownName> {
        let discretes = system.events().discretes();
        let place = match discretes.iter().position(|own| **own == *name) {
            Some(index) => Place::Discrete(index),
            None => Place::State(system.schema().state(&name)?),
        };
        Ok(Self { name, place })
    }
}

impl Starts {
    pub(crate) fn new<S: HybridSystem>(
        system: &S,
        values: Vec<(String, f64)>,
        columns: Vec<(String, Vec<f64>)>,
        members: usize,
    ) -> Result<Self, BuildError> {
        let mut starts = Self::default();
        let mut given: Vec<Place> = Vec::new();
        let mut find = |name: String| {
            let start = Start::find(system, name)?;
            if given.contains(&start.place) {
                let name = start.name;
                return Err(BuildError::GivenTwice { name });
            }
            given.push(start.place);
            Ok(start)
        };
        for (name, value) in values {
            starts.values.push((find(name)?, value));
        }
        for (name, column) in columns {
            let start = find(name)?;
            if column.len() != members {
                return Err(BuildError::ColumnLength {
                    name: start.name,
                    found: column.len(),
                    required: members,
                });
            }
            starts.columns.push((start, column));
        }
        Ok(starts)
    }

    /// All start values of a member.
    fn of(&self, member: usize) -> impl Iterator<Item = (&Start, f64)> {
        let values = self.values.iter().map(|(start, value)| (start, *value));
        let columns = self.columns.iter();
        values.chain(columns.map(move |(start, column)| (start, column[member])))
    }

    /// The first start value of a member that is not finite, with its name.
    pub(crate) fn bad(&self, member: usize) -> Option<(&str, f64)> {
        let mut bad = self.of(member).filter(|(_, value)| !value.is_finite());
        bad.next().map(|(start, value)| (&*start.name, value))
    }

    /// Writes the start values of continuous states.
    pub(crate) fn fill_state(&self, member: usize, state: &mut [f64]) {
        for (start, value) in self.of(member) {
            if let Place::State(index) = start.place {
                state[index] = value;
            }
        }
    }

    /// Writes the start values of discrete states.
    pub(crate) fn fill_discrete(&self, member: usize, discrete: &mut [f64]) {
        for (start, value) in self.of(member) {
            if let Place::Discrete(index) = start.place {
                discrete[index] = value;
            }
        }
    }
}

impl Parameters {
    pub(crate) fn new(
        schema: &Schema,
        values: &[(String, f64)],
        columns: Vec<(String, Vec<f64>)>,
        members: usize,
    ) -> Result<Self, BuildError> {
        let mut base = schema.defaults().to_vec();
        let mut given = vec![false; base.len()];
        let mut give = |name: &str| -> Result<usize, BuildError> {
            let position = schema.parameter(name)?;
            if core::mem::replace(&mut given[position], true) {
                return Err(BuildError::GivenTwice {
                    name: name.to_owned(),
                });
            }
            Ok(position)
        };
        for (name, value) in values {
            base[give(name)?] = *value;
        }
        let mut resolved = Vec::with_capacity(columns.len());
        for (name, column) in columns {
            let position = give(&name)?;
            if column.len() != members {
                let found = column.len();
                return Err(BuildError::ColumnLength {
                    name,
                    found,
                    required: members,
                });
            }
            resolved.push((position, column));
        }
        Ok(Self {
            base,
            columns: resolved,
            ranges: schema.declared_ranges().to_vec(),
            starts: Starts::default(),
        })
    }

    /// The same with start values.
    pub(crate) fn with_starts(mut self, starts: Starts) -> Self {
        self.starts = starts;
        self
    }

    pub(crate) fn starts(&self) -> &Starts {
        &self.starts
    }

    /// Number of parameters.
    pub(crate) fn count(&self) -> usize {
        self.base.len()
    }

    /// The values that a parameter may have.
    pub(crate) fn range(&self, position: usize) -> ParameterRange {
        let found = self.ranges.binary_search_by_key(&position, |own| own.0);
        found.map_or(ParameterRange::FINITE, |found| self.ranges[found].1)
    }

    /// Writes the parameters of a member; returns the first that is outside of its range.
    #[inline]
    pub(crate) fn fill(&self, member: usize, parameters: &mut [f64]) -> Option<usize> {
        parameters.copy_from_slice(&self.base);
        for (position, column) in &self.columns {
            parameters[*position] = column[member];
        }
        if self.ranges.is_empty() {
            return parameters.iter().position(|p| !p.is_finite());
        }
        let outside = |(at, value): (usize, &f64)| !self.range(at).contains(*value);
        parameters.iter().enumerate().position(outside)
    }
}
