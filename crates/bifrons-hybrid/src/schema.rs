//! Names and sizes of a system, fixed when it is made.

use std::sync::{Arc, OnceLock};

use bifrons_expr::Symbol;

use crate::equations::Parameter;
use crate::error::{SchemaError, UnknownName};
use crate::name::nearest;
use crate::range::ParameterRange;

/// Names of the states, parameters and outputs of a system, and the parameters' default values.
///
/// Positions in the slices that a [`HybridSystem`](crate::HybridSystem) reads and writes are the
/// positions here. Names are paths such as `plant.gain.k`; each of the three groups has a
/// namespace of its own, so that an output may be called like the state that it shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    name: Arc<str>,
    states: Names,
    parameters: Names,
    defaults: Vec<f64>,
    /// Ranges other than [`ParameterRange::FINITE`], by position, ascending.
    ranges: Vec<(usize, ParameterRange)>,
    outputs: Names,
}

impl Schema {
    /// Collects names; each iterator gives them in the order of the slices.
    ///
    /// Cost: `O(n log n)` in the names.
    ///
    /// # Errors
    ///
    /// [`SchemaError::Duplicate`] if a group has a name twice, [`SchemaError::Default`] if the
    /// default of a parameter is NaN.
    pub fn new<S, P, O>(
        name: impl Into<Arc<str>>,
        states: impl IntoIterator<Item = S>,
        parameters: impl IntoIterator<Item = (P, f64)>,
        outputs: impl IntoIterator<Item = O>,
    ) -> Result<Self, SchemaError>
    where
        S: Into<Arc<str>>,
        P: Into<Arc<str>>,
        O: Into<Arc<str>>,
    {
        let name = name.into();
        let states = Names::new(&name, "state", states.into_iter().map(Into::into).collect())?;
        let (parameters, defaults): (Vec<Arc<str>>, Vec<f64>) = parameters
            .into_iter()
            .map(|(name, default)| (name.into(), default))
            .unzip();
        if let Some(index) = defaults.iter().position(|default| default.is_nan()) {
            let parameter = parameters[index].to_string();
            return Err(SchemaError::Default {
                system: name.to_string(),
                parameter,
            });
        }
        let parameters = Names::new(&name, "parameter", parameters)?;
        let outputs = Names::new(
            &name,
            "output",
            outputs.into_iter().map(Into::into).collect(),
        )?;
        Ok(Self {
            name,
            states,
            parameters,
            defaults,
            ranges: Vec::new(),
            outputs,
        })
    }

    /// The same with a range for one parameter in place of [`ParameterRange::FINITE`].
    ///
    /// # Errors
    ///
    /// [`UnknownName`] with the nearest known name.
    pub fn with_range(
        mut self,
        parameter: &str,
        range: ParameterRange,
    ) -> Result<Self, UnknownName> {
        let position = self.parameter(parameter)?;
        match self.ranges.binary_search_by_key(&position, |own| own.0) {
            Ok(found) => self.ranges[found].1 = range,
            Err(place) => self.ranges.insert(place, (position, range)),
        }
        Ok(self)
    }

    /// As [`new`](Self::new) for names that are known to be unique and defaults that are numbers.
    pub(crate) fn of_checked<'a>(
        name: &str,
        states: impl ExactSizeIterator<Item = &'a Symbol>,
        parameters: &[Parameter],
        outputs: impl ExactSizeIterator<Item = &'a Symbol>,
    ) -> Self {
        // The text of a name is shared.
        let text = |symbol: &Symbol| Arc::from(symbol.clone());
        Self {
            name: Arc::from(name),
            states: Names::of(states.map(text).collect()),
            parameters: Names::of(parameters.iter().map(|own| text(&own.symbol)).collect()),
            defaults: parameters.iter().map(|own| own.default).collect(),
            ranges: parameters
                .iter()
                .enumerate()
                .map(|(position, own)| (position, own.range))
                .filter(|(_, range)| *range != ParameterRange::FINITE)
                .collect(),
            outputs: Names::of(outputs.map(text).collect()),
        }
    }

    /// Name of the system.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of continuous states.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.states.list.len()
    }

    /// Number of parameters.
    #[must_use]
    pub fn parameter_count(&self) -> usize {
        self.parameters.list.len()
    }

    /// Number of outputs.
    #[must_use]
    pub fn output_count(&self) -> usize {
        self.outputs.list.len()
    }

    /// Names of the continuous states, in order.
    pub fn state_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.states.list.iter().map(|name| &**name)
    }

    /// Names of the parameters, in order.
    pub fn parameter_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parameters.list.iter().map(|name| &**name)
    }

    /// Names of the outputs, in order.
    pub fn output_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.outputs.list.iter().map(|name| &**name)
    }

    /// Default values of the parameters, in order.
    #[must_use]
    pub fn defaults(&self) -> &[f64] {
        &self.defaults
    }

    /// The values that a run may give the parameter at a position.
    #[must_use]
    pub fn parameter_range(&self, position: usize) -> ParameterRange {
        let found = self.ranges.binary_search_by_key(&position, |own| own.0);
        found.map_or(ParameterRange::FINITE, |found| self.ranges[found].1)
    }

    /// Parameters whose range is not [`ParameterRange::FINITE`], by position, ascending.
    #[must_use]
    pub fn declared_ranges(&self) -> &[(usize, ParameterRange)] {
        &self.ranges
    }

    /// Position of a state. Cost: a binary search.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] with the nearest known name.
    pub fn state(&self, name: &str) -> Result<usize, UnknownName> {
        self.states.find(&self.name, "state", name)
    }

    /// Position of a parameter. Cost: a binary search.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] with the nearest known name.
    pub fn parameter(&self, name: &str) -> Result<usize, UnknownName> {
        self.parameters.find(&self.name, "parameter", name)
    }

    /// Position of an output. Cost: a binary search.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] with the nearest known name.
    pub fn output(&self, name: &str) -> Result<usize, UnknownName> {
        self.outputs.find(&self.name, "output", name)
    }

    /// The default parameters with some of them replaced; a name given twice keeps the last value.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] with the nearest known name.
    pub fn parameters_with<'a>(
        &self,
        changes: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, UnknownName> {
        let mut values = self.defaults.clone();
        for (name, value) in changes {
            values[self.parameter(name)?] = value;
        }
        Ok(values)
    }
}

#[derive(Debug, Clone)]
struct Names {
    list: Vec<Arc<str>>,
    /// Positions in `list`, sorted by name; made when a name is looked up first.
    sorted: OnceLock<Vec<usize>>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Names {
    fn of(list: Vec<Arc<str>>) -> Self {
        let sorted = OnceLock::new();
        Self { list, sorted }
    }

    fn sorted(&self) -> &[usize] {
        self.sorted.get_or_init(|| {
            let mut sorted: Vec<usize> = (0..self.list.len()).collect();
            sorted.sort_by(|&a, &b| self.list[a].cmp(&self.list[b]));
            sorted
        })
    }

    fn new(owner: &str, what: &'static str, list: Vec<Arc<str>>) -> Result<Self, SchemaError> {
        let names = Self::of(list);
        let list = &names.list;
        let twice = |pair: &&[usize]| list[pair[0]] == list[pair[1]];
        match names.sorted().windows(2).find(twice) {
            Some(pair) => Err(SchemaError::Duplicate {
                system: owner.to_owned(),
                what,
                name: list[pair[0]].to_string(),
            }),
            None => Ok(names),
        }
    }

    fn find(&self, owner: &str, what: &'static str, name: &str) -> Result<usize, UnknownName> {
        let sorted = self.sorted();
        match sorted.binary_search_by(|&position| (*self.list[position]).cmp(name)) {
            Ok(found) => Ok(sorted[found]),
            Err(_) => Err(UnknownName {
                what,
                name: name.to_owned(),
                owner: owner.to_owned(),
                nearest: nearest(name, self.list.iter().map(|known| &**known)).map(str::to_owned),
            }),
        }
    }
}
