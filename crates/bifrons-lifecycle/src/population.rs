//! Who is simulated: numbers, entry, regimes and states of subjects.

use bifrons_memory::Footprint;

/// Subjects with their first period, regime and states.
///
/// A subject's history depends on its number and on what is said of it here, not on who else is
/// simulated, in which order, in chunks of what width or on how many threads.
///
/// ```
/// use bifrons_lifecycle::Population;
///
/// let population = Population::new(3, "working")
///     .state("wealth", vec![1.0, 5.0, 20.0])
///     .state_of_all("health", 1.0);
/// assert_eq!(population.len(), 3);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    count: usize,
    /// Numbers of the subjects; empty for 0, 1, ….
    numbers: Vec<u64>,
    /// First period of each subject; a single one is that of all.
    entries: Vec<usize>,
    pub(crate) regimes: Vec<String>,
    pub(crate) states: Vec<(String, Column)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Column {
    Same(f64),
    Each(Vec<f64>),
}

impl Column {
    pub(crate) fn get(&self, index: usize) -> Option<f64> {
        match self {
            Self::Same(value) => Some(*value),
            Self::Each(values) => values.get(index).copied(),
        }
    }
}

impl Population {
    /// Subjects 0, 1, … that all begin in this regime in period 0. No subjects are valid.
    #[must_use]
    pub fn new(count: usize, regime: impl Into<String>) -> Self {
        let regime = regime.into();
        Self {
            count,
            numbers: Vec::new(),
            entries: vec![0],
            regimes: vec![regime],
            states: Vec::new(),
        }
    }

    /// First value of a state, one per subject: a number for continuous states, the code of a
    /// category, the index of the node of a process. Subjects whose regime lacks the state ignore
    /// it.
    #[must_use]
    pub fn state(mut self, name: impl Into<String>, values: impl Into<Vec<f64>>) -> Self {
        self.states.push((name.into(), Column::Each(values.into())));
        self
    }

    /// First value of a state, the same for all subjects.
    #[must_use]
    pub fn state_of_all(mut self, name: impl Into<String>, value: f64) -> Self {
        self.states.push((name.into(), Column::Same(value)));
        self
    }

    /// The regime in which each subject begins.
    #[must_use]
    pub fn regimes<R: Into<String>>(mut self, regimes: impl IntoIterator<Item = R>) -> Self {
        self.regimes = regimes.into_iter().map(Into::into).collect();
        self
    }

    /// The period in which each subject begins; a single one is that of all.
    #[must_use]
    pub fn entries(mut self, periods: impl Into<Vec<usize>>) -> Self {
        self.entries = periods.into();
        self
    }

    /// Numbers of the subjects, by which their draws are addressed; any 64-bit numbers. Without
    /// them subjects are numbered from 0 on, and no number is stored.
    #[must_use]
    pub fn numbers(mut self, numbers: impl Into<Vec<u64>>) -> Self {
        self.numbers = numbers.into();
        self
    }

    /// Bytes of the columns: eight for each number, entry and state that was given per subject.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let each = self.states.iter().map(|(_, column)| match column {
            Column::Same(_) => 0,
            Column::Each(values) => values.len(),
        });
        Footprint::of::<f64>(each.sum())
            .beside(Footprint::of::<u64>(self.numbers.len()))
            .beside(Footprint::of::<usize>(self.entries.len()))
    }

    /// Number of subjects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no subjects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Lengths of the columns that were given per subject, with their names.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (&str, usize)> {
        let several = |name, length: usize, none: usize| (length != none).then_some((name, length));
        let states = self
            .states
            .iter()
            .filter_map(|(name, column)| match column {
                Column::Same(_) => None,
                Column::Each(values) => Some((&**name, values.len())),
            });
        [
            several("numbers", self.numbers.len(), 0),
            several("entries", self.entries.len(), 1),
            several("regimes", self.regimes.len(), 1),
        ]
        .into_iter()
        .flatten()
        .chain(states)
    }

    /// The number of a subject.
    pub(crate) fn number(&self, index: usize) -> u64 {
        self.numbers.get(index).copied().unwrap_or(index as u64)
    }

    /// The first period of a subject.
    pub(crate) fn entry(&self, index: usize) -> usize {
        match &*self.entries {
            [all] => *all,
            each => each.get(index).copied().unwrap_or(0),
        }
    }

    /// The column of a state.
    pub(crate) fn column(&self, state: &str) -> Option<&Column> {
        let found = self.states.iter().find(|(name, _)| name == state);
        found.map(|(_, column)| column)
    }
}
