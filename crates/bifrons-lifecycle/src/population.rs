//! Who is simulated: numbers, entry, regimes and states of subjects.

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
    pub(crate) numbers: Vec<u64>,
    pub(crate) entries: Vec<usize>,
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
            numbers: (0..count as u64).collect(),
            entries: vec![0; count],
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

    /// The period in which each subject begins.
    #[must_use]
    pub fn entries(mut self, periods: impl Into<Vec<usize>>) -> Self {
        self.entries = periods.into();
        self
    }

    /// Numbers of the subjects, by which their draws are addressed; any 64-bit numbers.
    #[must_use]
    pub fn numbers(mut self, numbers: impl Into<Vec<u64>>) -> Self {
        self.numbers = numbers.into();
        self
    }

    /// Number of subjects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are no subjects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub(crate) fn regime(&self, index: usize) -> &str {
        match &*self.regimes {
            [all] => all,
            each => each.get(index).map_or("", |regime| regime),
        }
    }
}
