//! Candidates: what an Euler inversion produces and an upper envelope compares.

use bifrons_memory::Footprint;

use crate::error::LengthError;

/// Candidates in the order of their producer, borrowed.
///
/// Two neighbours with one label are connected by a link, unless one of them is dead (`x` or
/// `value` NaN, `x` infinite, `value` `-inf`). Where the direction of `x` changes, the chain
/// folds into another run; a change of label or a dead candidate cuts it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidates<'a> {
    /// Resources or liquid state.
    pub x: &'a [f64],
    /// Value.
    pub value: &'a [f64],
    /// Consumption.
    pub policy: &'a [f64],
    /// Derivative of the value; empty if unknown, then links are straight.
    pub marginal: &'a [f64],
    /// Segment or choice; empty for one label.
    pub label: &'a [u32],
}

impl<'a> Candidates<'a> {
    /// Candidates of one label without marginals.
    #[must_use]
    pub const fn new(x: &'a [f64], value: &'a [f64], policy: &'a [f64]) -> Self {
        Self {
            x,
            value,
            policy,
            marginal: &[],
            label: &[],
        }
    }

    /// Adds the derivatives of the value.
    #[must_use]
    pub const fn with_marginal(mut self, marginal: &'a [f64]) -> Self {
        self.marginal = marginal;
        self
    }

    /// Adds labels.
    #[must_use]
    pub const fn with_label(mut self, label: &'a [u32]) -> Self {
        self.label = label;
        self
    }

    pub(crate) fn check(&self) -> Result<(), LengthError> {
        let n = self.x.len();
        LengthError::check("value", self.value.len(), n)?;
        LengthError::check("policy", self.policy.len(), n)?;
        if !self.marginal.is_empty() {
            LengthError::check("marginal", self.marginal.len(), n)?;
        }
        if !self.label.is_empty() {
            LengthError::check("label", self.label.len(), n)?;
        }
        Ok(())
    }

    pub(crate) fn label(&self, i: usize) -> u32 {
        self.label.get(i).copied().unwrap_or(0)
    }

    /// Derivative of the value at candidate `i`; NaN if unknown.
    pub(crate) fn slope(&self, i: usize) -> f64 {
        self.marginal.get(i).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn is_live(&self, i: usize) -> bool {
        self.x[i].is_finite() && self.value[i] > f64::NEG_INFINITY
    }
}

/// Candidates in memory that is used again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CandidateBuffer {
    pub(crate) x: Vec<f64>,
    pub(crate) value: Vec<f64>,
    pub(crate) policy: Vec<f64>,
    pub(crate) marginal: Vec<f64>,
    pub(crate) label: Vec<u32>,
}

impl CandidateBuffer {
    /// An empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for `count` candidates.
    #[must_use]
    pub const fn footprint(count: usize) -> Footprint {
        Footprint::of::<[f64; 4]>(count).beside(Footprint::of::<u32>(count))
    }

    /// Removes all candidates, keeps the memory, makes room for `count`.
    pub fn reset(&mut self, count: usize) {
        for channel in [
            &mut self.x,
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
        ] {
            channel.clear();
            channel.reserve_exact(count);
        }
        self.label.clear();
        self.label.reserve_exact(count);
    }

    /// Appends a candidate.
    pub fn push(&mut self, x: f64, value: f64, policy: f64, marginal: f64, label: u32) {
        self.x.push(x);
        self.value.push(value);
        self.policy.push(policy);
        self.marginal.push(marginal);
        self.label.push(label);
    }

    /// Number of candidates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is no candidate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The candidates, borrowed.
    #[must_use]
    pub fn view(&self) -> Candidates<'_> {
        Candidates {
            x: &self.x,
            value: &self.value,
            policy: &self.policy,
            marginal: &self.marginal,
            label: &self.label,
        }
    }
}
