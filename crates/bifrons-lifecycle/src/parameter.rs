//! The template of parameters and the values for it.

use core::fmt;

use crate::error::ParameterError;
use crate::spelling::nearest;

/// One parameter of one formula of one regime.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaf {
    pub(crate) regime: String,
    pub(crate) function: String,
    pub(crate) name: String,
}

impl Leaf {
    /// The regime.
    #[must_use]
    pub fn regime(&self) -> &str {
        &self.regime
    }

    /// The function: its name, `next_` and a state for a law, the name of a constraint, `to_` and
    /// a target for an edge, `preferences` or `taste_shocks`.
    #[must_use]
    pub fn function(&self) -> &str {
        &self.function
    }

    /// The name in the formula.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a path reaches this leaf.
    fn is_reached_by(&self, path: &str) -> bool {
        let Some(rest) = path.strip_suffix(&self.name) else {
            return false;
        };
        let level = match rest.strip_suffix('.') {
            Some(level) => level,
            None => return rest.is_empty(),
        };
        level == self.regime
            || level == self.function
            || level
                .strip_prefix(&self.regime)
                .and_then(|function| function.strip_prefix('.'))
                == Some(&self.function)
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.regime, self.function, self.name)
    }
}

/// Values of parameters by path.
///
/// A path is `name` (every leaf of that name), `regime.name`, `function.name` or
/// `regime.function.name`. A leaf that two paths reach is an error, so no value is overridden
/// unseen.
///
/// ```
/// use bifrons_lifecycle::Parameters;
///
/// let parameters = Parameters::new()
///     .set("discount_factor", 0.95)
///     .set("working.utility.delta", 0.3);
/// # let _ = parameters;
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters {
    values: Vec<(String, f64)>,
}

impl Parameters {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the leaves of a path a value; the same path again replaces it.
    #[must_use]
    pub fn set(mut self, path: impl Into<String>, value: f64) -> Self {
        let path = path.into();
        match self.values.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => *known = value,
            None => self.values.push((path, value)),
        }
        self
    }

    /// Paths and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.values.iter().map(|(path, value)| (&**path, *value))
    }

    /// The value of a leaf, with the path that gave it.
    pub(crate) fn value_of(&self, leaf: &Leaf) -> Result<Option<f64>, ParameterError> {
        let mut found: Option<(&str, f64)> = None;
        for (path, value) in self.iter().filter(|(path, _)| leaf.is_reached_by(path)) {
            if let Some((first, _)) = found {
                return Err(ParameterError::Ambiguous {
                    leaf: leaf.to_string(),
                    first: first.to_owned(),
                    second: path.to_owned(),
                });
            }
            found = Some((path, value));
        }
        match found {
            Some((path, value)) if !value.is_finite() => Err(ParameterError::NotFinite {
                path: path.to_owned(),
                value,
            }),
            found => Ok(found.map(|(_, value)| value)),
        }
    }

    /// Values of all leaves, in their order.
    pub(crate) fn resolve(&self, leaves: &[Leaf]) -> Result<Vec<f64>, ParameterError> {
        for (path, _) in self.iter() {
            if !leaves.iter().any(|leaf| leaf.is_reached_by(path)) {
                let full: Vec<String> = leaves.iter().map(ToString::to_string).collect();
                let names = leaves.iter().map(Leaf::name);
                return Err(ParameterError::Unknown {
                    path: path.to_owned(),
                    nearest: nearest(path, names.chain(full.iter().map(|path| &**path))),
                });
            }
        }
        let mut missing = Vec::new();
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            match self.value_of(leaf)? {
                Some(value) => values.push(value),
                None => missing.push(leaf.to_string()),
            }
        }
        if missing.is_empty() {
            Ok(values)
        } else {
            Err(ParameterError::Missing(missing))
        }
    }
}
