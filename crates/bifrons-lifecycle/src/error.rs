//! What can go wrong, with the code, the thing and the remedy.

use bifrons_egm::OuterError;
use bifrons_grids::SpaceError;
use bifrons_memory::{BudgetError, Bytes};
use bifrons_table::SinkError;

/// One thing that is wrong with a declared model.
///
/// [`code`](BuildError::code) is stable text such as `E-DAG-CYCLE`; the message says what was
/// found, the remedy what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {}{item}: {message}; {remedy}", place(.regime))]
pub struct BuildError {
    code: &'static str,
    regime: String,
    item: String,
    message: String,
    remedy: String,
}

fn place(regime: &str) -> String {
    if regime.is_empty() {
        String::new()
    } else {
        format!("regime `{regime}`, ")
    }
}

impl BuildError {
    pub(crate) fn new(
        code: &'static str,
        regime: &str,
        item: impl Into<String>,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self {
            code,
            regime: regime.to_owned(),
            item: item.into(),
            message: message.into(),
            remedy: remedy.into(),
        }
    }

    /// Stable code of the kind of error, `E-` and capitals.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The regime, empty if the whole model is meant.
    #[must_use]
    pub fn regime(&self) -> &str {
        &self.regime
    }

    /// The state, action, function or edge that is meant.
    #[must_use]
    pub fn item(&self) -> &str {
        &self.item
    }

    /// What was found.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &str {
        &self.remedy
    }
}

/// Everything that is wrong with a declared model, not only the first thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} errors in the model, first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
pub struct BuildErrors(pub(crate) Vec<BuildError>);

impl BuildErrors {
    /// The errors in the order in which they were found; never empty.
    #[must_use]
    pub fn errors(&self) -> &[BuildError] {
        &self.0
    }

    /// Whether an error of this code is among them.
    #[must_use]
    pub fn has(&self, code: &str) -> bool {
        self.0.iter().any(|error| error.code == code)
    }
}

/// Parameters do not fit the template of the model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Leaves of the template without a value.
    #[error("parameters without a value: {}; set them at function, regime or model level", .0.join(", "))]
    Missing(
        /// Paths `regime.function.name`.
        Vec<String>,
    ),
    /// A path that names no leaf.
    #[error("`{path}` names no parameter{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    Unknown {
        /// The path as given.
        path: String,
        /// The leaf that is closest in spelling.
        nearest: Option<String>,
    },
    /// A leaf that is reached from two levels (`E-PARAM-AMBIGUOUS`).
    #[error(
        "E-PARAM-AMBIGUOUS: `{leaf}` gets a value from `{first}` and from `{second}`; keep one of them"
    )]
    Ambiguous {
        /// The leaf.
        leaf: String,
        /// One path.
        first: String,
        /// The other path.
        second: String,
    },
    /// A value that is NaN or infinite.
    #[error("parameter `{path}` must be finite, got {value}")]
    NotFinite {
        /// The path as given.
        path: String,
        /// The value found.
        value: f64,
    },
    /// A scale of taste shocks that is negative, infinite or NaN.
    #[error(
        "the taste shock scale of regime `{regime}` must be finite and not negative, got {value}; zero stands for no taste shocks"
    )]
    TasteScale {
        /// The regime.
        regime: String,
        /// The value found.
        value: f64,
    },
}

/// Where and with what values something happened: one state and one action.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Age.
    pub age: f64,
    /// Name of the regime.
    pub regime: String,
    /// States and actions with their values; categories by code.
    pub point: Vec<(String, f64)>,
}

impl Place {
    /// The same age and regime without a state.
    pub(crate) fn of_all_states(self) -> Self {
        Self {
            point: Vec::new(),
            ..self
        }
    }
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "age {}, regime `{}`", self.age, self.regime)?;
        for (name, value) in &self.point {
            write!(f, ", {name} = {value}")?;
        }
        Ok(())
    }
}

/// One value that makes no sense, found while solving or simulating.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A feasible action has the value NaN.
    #[error(
        "the value of a feasible action is NaN at {place}; inspect the utility and the laws there or exclude the action by a constraint"
    )]
    NotANumber {
        /// Where.
        place: Place,
    },
    /// A probability is negative or NaN (`E-PROB-NEG`).
    #[error("E-PROB-NEG: {what} is {value} at {place}; probabilities must be in [0, 1]")]
    Probability {
        /// Which probability.
        what: String,
        /// The value found.
        value: f64,
        /// Where.
        place: Place,
    },
    /// Probabilities do not add up to one (`E-PROB-ROW`).
    #[error(
        "E-PROB-ROW: {what} add up to {sum} at {place}; they must add up to 1 and are never rescaled"
    )]
    ProbabilitySum {
        /// Which probabilities.
        what: String,
        /// The sum found.
        sum: f64,
        /// Where.
        place: Place,
    },
    /// A next state outside of a grid that was declared as `Extrapolation::Error`, or no code.
    #[error(
        "next `{state}` of regime `{target}` is {value}, outside of its grid, at {place}; add a constraint, widen the grid or declare how to read outside"
    )]
    Outside {
        /// The state of the target.
        state: String,
        /// The target regime.
        target: String,
        /// The value found.
        value: f64,
        /// Where.
        place: Place,
    },
    /// The problem is not concave, which plain EGM needs (`E-EGM-NONCONCAVE`).
    #[error(
        "E-EGM-NONCONCAVE: resources fall to {resources} at savings {savings} at {place}; use DcEgm"
    )]
    NonConcave {
        /// Savings.
        savings: f64,
        /// Resources there.
        resources: f64,
        /// Where.
        place: Place,
    },
    /// The search for an outer choice fails, for instance because it ran out of nodes.
    #[error("{cause}, at {place}")]
    Outer {
        /// What went wrong.
        cause: OuterError,
        /// Where; the search is of all states.
        place: Place,
    },
    /// A quantity does not have the shape that the solver needs.
    #[error("{what}, got {value}, at {place}; correct the formula or use GridSearch")]
    Shape {
        /// What is needed.
        what: String,
        /// The value found.
        value: f64,
        /// Where.
        place: Place,
    },
}

impl Fault {
    /// Where it happened.
    #[must_use]
    pub fn place(&self) -> &Place {
        match self {
            Self::NotANumber { place }
            | Self::Probability { place, .. }
            | Self::ProbabilitySum { place, .. }
            | Self::Outside { place, .. }
            | Self::NonConcave { place, .. }
            | Self::Outer { place, .. }
            | Self::Shape { place, .. } => place,
        }
    }
}

/// A solve ended before its first age.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// A value makes no sense; the ages behind it are solved.
    #[error("{fault}")]
    Fault {
        /// The first fault in solve order.
        fault: Box<Fault>,
        /// What was solved before; ages not reached have no values.
        partial: Box<crate::Solution>,
    },
    /// The plan does not fit (`E-PLAN-BUDGET`).
    #[error(
        "E-PLAN-BUDGET: the solve needs {} and {} are allowed; the largest part is {binding}; use fewer threads, keep fewer results or coarser grids", Bytes::new(*.needed), Bytes::new(*.allowed)
    )]
    Budget {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
        /// Path of the largest part.
        binding: String,
    },
    /// The budget could not be resolved.
    #[error(transparent)]
    BudgetUnknown(#[from] BudgetError),
    /// A grid is too large.
    #[error(transparent)]
    Space(#[from] SpaceError),
}

/// A simulation cannot begin, or ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The population does not fit the model.
    #[error("{column}: {message}")]
    Population {
        /// The column.
        column: String,
        /// What is wrong with it and what is expected.
        message: String,
    },
    /// The solution does not have what the simulation reads.
    #[error("age {age}, regime `{regime}`: {what} were not kept; solve with a wider retention")]
    NotRetained {
        /// Age.
        age: f64,
        /// The regime.
        regime: String,
        /// What is missing.
        what: &'static str,
    },
    /// A derived column names no function.
    #[error("`{name}` is no function of any regime{}", nearest.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownColumn {
        /// The name.
        name: String,
        /// The name that is closest in spelling.
        nearest: Option<String>,
    },
    /// A value makes no sense.
    #[error("subject {subject}: {fault}")]
    Fault {
        /// Number of the subject.
        subject: u64,
        /// What was found.
        fault: Box<Fault>,
    },
    /// The sink refused.
    #[error("the sink refused the rows")]
    Sink(#[from] SinkError),
    /// The schema of the panel cannot be made.
    #[error("the columns of the panel do not fit together")]
    Schema(#[from] bifrons_table::SchemaError),
    /// The plan does not fit.
    #[error(
        "the simulation needs {} and {} are allowed; use a smaller subject_batch_size or stream to a sink", Bytes::new(*.needed), Bytes::new(*.allowed)
    )]
    Budget {
        /// Bytes needed.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// The budget could not be resolved.
    #[error(transparent)]
    BudgetUnknown(#[from] BudgetError),
}
