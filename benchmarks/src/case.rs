//! Cases: a scenario with the values of its parameters, and their one canonical spelling.
//!
//! `sweep/decay?members=1000&threads=1&record=all` names the scenario `sweep/decay` and three
//! parameters. The canonical name states every parameter, in the order in which the scenario
//! declares them, each value in one spelling; it is the key of baselines.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use anyhow::{Context as _, bail};

/// A parameter that a scenario accepts.
#[derive(Clone, Debug)]
pub struct Parameter {
    name: &'static str,
    kind: Kind,
    default: Value,
    meaning: &'static str,
}

#[derive(Clone, Debug)]
enum Kind {
    Count(RangeInclusive<u64>),
    Real(RangeInclusive<f64>),
    Choice(&'static [&'static str]),
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Count(u64),
    Real(f64),
    Choice(&'static str),
}

impl Parameter {
    /// A whole number within `range`; `default` when the case does not name it.
    #[must_use]
    pub fn count(
        name: &'static str,
        range: RangeInclusive<u64>,
        default: u64,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            kind: Kind::Count(range),
            default: Value::Count(default),
            meaning,
        }
    }

    /// A real number within `range`, spelled in scientific notation (`1e-6`).
    #[must_use]
    pub fn real(
        name: &'static str,
        range: RangeInclusive<f64>,
        default: f64,
        meaning: &'static str,
    ) -> Self {
        Self {
            name,
            kind: Kind::Real(range),
            default: Value::Real(default),
            meaning,
        }
    }

    /// One of `choices`; the first is the default.
    #[must_use]
    pub fn choice(
        name: &'static str,
        choices: &'static [&'static str],
        meaning: &'static str,
    ) -> Self {
        let default = Value::Choice(choices.first().copied().unwrap_or(""));
        Self {
            name,
            kind: Kind::Choice(choices),
            default,
            meaning,
        }
    }

    /// The number of threads, `threads=1` by default.
    ///
    /// Heap bytes and blocks are compared exactly only in cases with one thread; the name of
    /// this parameter is therefore part of the protocol.
    #[must_use]
    pub fn threads() -> Self {
        Self::count("threads", 1..=1024, 1, "worker threads")
    }

    /// Its name, as in `name=value`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it means, in a few words.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// The values it accepts, in words.
    #[must_use]
    pub fn allowed(&self) -> String {
        match &self.kind {
            Kind::Count(range) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            Kind::Real(range) => format!("a number from {:e} to {:e}", range.start(), range.end()),
            Kind::Choice(choices) => format!("one of {}", choices.join(", ")),
        }
    }

    fn parse(&self, text: &str) -> Option<Value> {
        match &self.kind {
            Kind::Count(range) => {
                let value = text.parse().ok().filter(|value| range.contains(value))?;
                Some(Value::Count(value))
            }
            Kind::Real(range) => {
                let value = text.parse().ok().filter(|value| range.contains(value))?;
                Some(Value::Real(value))
            }
            Kind::Choice(choices) => choices
                .iter()
                .find(|choice| **choice == text)
                .map(|choice| Value::Choice(choice)),
        }
    }
}

impl Value {
    fn spelled(&self) -> String {
        match self {
            Self::Count(value) => value.to_string(),
            Self::Real(value) => format!("{value:e}"),
            Self::Choice(value) => (*value).to_owned(),
        }
    }
}

/// A scenario's name with a value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Case {
    name: String,
    values: Vec<(&'static str, Value)>,
}

impl Case {
    /// Reads `query` (`key=value` joined by `&`, in any order, possibly empty) against the
    /// parameters that the scenario declares; what it does not name takes its default.
    ///
    /// # Errors
    ///
    /// An unknown or repeated key and a value outside the allowed ones; the message lists what
    /// is allowed.
    pub fn new(scenario: &str, parameters: &[Parameter], query: &str) -> anyhow::Result<Self> {
        let mut given: Vec<Option<Value>> = vec![None; parameters.len()];
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, text) = pair.split_once('=').with_context(|| {
                format!(
                    "`{pair}` is not of the form key=value; {}",
                    known(scenario, parameters)
                )
            })?;
            let Some(at) = parameters
                .iter()
                .position(|parameter| parameter.name == key)
            else {
                bail!("unknown parameter `{key}`; {}", known(scenario, parameters));
            };
            if given[at].is_some() {
                bail!("parameter `{key}` is given twice; keep one of the two");
            }
            let Some(value) = parameters[at].parse(text) else {
                let allowed = parameters[at].allowed();
                bail!("parameter `{key}` of `{scenario}` cannot be `{text}`; it takes {allowed}");
            };
            given[at] = Some(value);
        }
        let values: Vec<(&'static str, Value)> = parameters
            .iter()
            .zip(given)
            .map(|(parameter, value)| {
                (
                    parameter.name,
                    value.unwrap_or_else(|| parameter.default.clone()),
                )
            })
            .collect();
        let mut name = scenario.to_owned();
        for (at, (key, value)) in values.iter().enumerate() {
            let separator = if at == 0 { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(name, "{separator}{key}={}", value.spelled());
        }
        Ok(Self { name, values })
    }

    /// The canonical name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All parameters with their canonical spelling, in order of declaration.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.values
            .iter()
            .map(|(key, value)| (*key, value.spelled()))
    }

    /// The value of a parameter declared with [`Parameter::count`].
    ///
    /// # Errors
    ///
    /// When the scenario declares no such parameter, or one of another kind.
    pub fn count(&self, key: &str) -> anyhow::Result<u64> {
        match self.value(key)? {
            Value::Count(value) => Ok(*value),
            _ => bail!("parameter `{key}` of `{}` is not a count", self.name),
        }
    }

    /// [`count`](Self::count) as a size in memory.
    ///
    /// # Errors
    ///
    /// As `count`, and when the value does not fit the address space.
    pub fn size(&self, key: &str) -> anyhow::Result<usize> {
        let value = self.count(key)?;
        usize::try_from(value).with_context(|| format!("`{key}={value}` exceeds memory"))
    }

    /// The value of a parameter declared with [`Parameter::real`].
    ///
    /// # Errors
    ///
    /// When the scenario declares no such parameter, or one of another kind.
    pub fn real(&self, key: &str) -> anyhow::Result<f64> {
        match self.value(key)? {
            Value::Real(value) => Ok(*value),
            _ => bail!("parameter `{key}` of `{}` is not a real number", self.name),
        }
    }

    /// The value of a parameter declared with [`Parameter::choice`].
    ///
    /// # Errors
    ///
    /// When the scenario declares no such parameter, or one of another kind.
    pub fn choice(&self, key: &str) -> anyhow::Result<&'static str> {
        match self.value(key)? {
            Value::Choice(value) => Ok(value),
            _ => bail!("parameter `{key}` of `{}` is not a choice", self.name),
        }
    }

    fn value(&self, key: &str) -> anyhow::Result<&Value> {
        self.values
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
            .with_context(|| format!("`{}` declares no parameter `{key}`", self.name))
    }
}

fn known(scenario: &str, parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return format!("`{scenario}` takes no parameters");
    }
    let list: Vec<String> = parameters
        .iter()
        .map(|parameter| format!("{} ({})", parameter.name, parameter.allowed()))
        .collect();
    format!("`{scenario}` takes {}", list.join("; "))
}

#[cfg(test)]
mod tests;
