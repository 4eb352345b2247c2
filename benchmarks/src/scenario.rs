//! What a scenario is: a named, versioned piece of work over public API.

use std::fmt;

use anyhow::{Context as _, bail};

use crate::case::{Case, Parameter};
use crate::run::Run;

/// A named, versioned piece of work with declared parameters.
///
/// A scenario is frozen by its [`version`](Self::version): a change of the work, of a default or
/// of the meaning of a parameter raises it, and baselines of the old version are then stale.
pub trait Scenario: fmt::Debug + Sync {
    /// The name: lower-case words joined by `-` and `/`, for example `sweep/decay`.
    fn name(&self) -> &'static str;

    /// The version of the work, counted from 1.
    fn version(&self) -> u32;

    /// The parameters it accepts, in the order of the canonical case name.
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }

    /// The cases that are measured by default.
    fn cases(&self) -> Vec<CaseSpec>;

    /// The parameters along which cost grows, for `bench-memory --scaling`.
    fn axes(&self) -> Vec<Axis> {
        Vec::new()
    }

    /// Does the work of `case` once, telling `run` where its phases end.
    ///
    /// # Errors
    ///
    /// Whatever makes the sample worthless: the work failed, or its result is wrong.
    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome>;
}

/// How often a case is measured.
///
/// Deliberately closed: a third tier would need a third set of sample counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Small enough for every change: well below a second for a whole sample.
    Quick,
    /// Measured before a release and when memory is in question.
    Full,
}

impl Tier {
    /// `quick` or `full`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// One case that a scenario lists: parameter values and tier.
#[derive(Clone, Debug)]
pub struct CaseSpec {
    query: String,
    tier: Tier,
}

impl CaseSpec {
    /// A case of tier quick; `query` as in `members=10&threads=1`, the rest takes defaults.
    #[must_use]
    pub fn quick(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            tier: Tier::Quick,
        }
    }

    /// A case of tier full.
    #[must_use]
    pub fn full(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            tier: Tier::Full,
        }
    }

    /// The parameter values.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// The tier.
    #[must_use]
    pub fn tier(&self) -> Tier {
        self.tier
    }
}

/// A size along which a scenario is scaled: "what does one more cost?"
#[derive(Clone, Debug)]
pub struct Axis {
    parameter: &'static str,
    values: Vec<u64>,
    unit: &'static str,
}

impl Axis {
    /// Scales the count `parameter` over `values`; one more of it is called `unit`
    /// (`"member"`, `"saved row"`).
    #[must_use]
    pub fn new(
        parameter: &'static str,
        values: impl IntoIterator<Item = u64>,
        unit: &'static str,
    ) -> Self {
        Self {
            parameter,
            values: values.into_iter().collect(),
            unit,
        }
    }

    /// The parameter that varies.
    #[must_use]
    pub fn parameter(&self) -> &'static str {
        self.parameter
    }

    /// Its values, ascending.
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// What one more of it is called.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.unit
    }
}

/// What a finished run hands back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    check: u64,
}

impl Outcome {
    /// The run with this check value: bits that depend on every number of the result.
    pub fn new(check: u64) -> Self {
        Self { check }
    }

    /// The run with the [`Checksum`] of `values`.
    pub fn of(values: &[f64]) -> Self {
        Self::new(Checksum::new().values(values).bits())
    }

    /// The check value.
    #[must_use]
    pub fn check(self) -> u64 {
        self.check
    }
}

/// Bits of a numerical result, in order: equal for equal results and only by accident for others.
///
/// FNV-1a over the bytes of `f64::to_bits`, so that `-0.0` and `0.0` differ, as the promise of
/// identical bits demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of nothing.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Appends one number.
    pub fn value(self, value: f64) -> Self {
        self.word(value.to_bits())
    }

    /// Appends numbers in order.
    pub fn values(self, values: &[f64]) -> Self {
        values.iter().fold(self, |sum, value| sum.value(*value))
    }

    /// Appends a count or an index.
    pub fn word(self, word: u64) -> Self {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Self(word.to_le_bytes().into_iter().fold(self.0, fold))
    }

    /// The bits.
    #[must_use]
    pub fn bits(self) -> u64 {
        self.0
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds the scenario and reads the case of `name`, for example `sweep/decay?members=10`.
///
/// # Errors
///
/// When no scenario of `scenarios` has that name, or the parameters do not fit.
pub fn resolve<'s>(
    scenarios: &[&'s dyn Scenario],
    name: &str,
) -> anyhow::Result<(&'s dyn Scenario, Case)> {
    let (wanted, query) = name.split_once('?').unwrap_or((name, ""));
    let Some(scenario) = scenarios.iter().find(|scenario| scenario.name() == wanted) else {
        let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name()).collect();
        bail!(
            "unknown scenario `{wanted}`; there are {}",
            known.join(", ")
        );
    };
    let case = Case::new(wanted, &scenario.parameters(), query)
        .with_context(|| format!("case `{name}`"))?;
    Ok((*scenario, case))
}
