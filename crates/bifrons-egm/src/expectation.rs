//! Expected continuation: value and marginal at savings nodes, over shocks and next choices.

mod sums;

use bifrons_memory::Footprint;

use crate::choice::TasteShocks;
use crate::error::{EgmError, LengthError};
use crate::reader::{ReadReport, Readings, RowReader};
use crate::utility::Utility;
pub(crate) use sums::scale;
use sums::{fold, mix};

/// How next resources move with savings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gradient<'a> {
    /// The same derivative at all savings nodes.
    Constant(f64),
    /// One derivative per savings node.
    PerNode(&'a [f64]),
}

/// One choice of the next period: its row, its utility, and where it is read.
#[derive(Debug, Clone, Copy)]
pub struct NextChoice<'a> {
    /// The row of this choice.
    pub reader: &'a RowReader,
    /// Its utility.
    pub utility: &'a dyn Utility,
    /// Next resources by savings node, ascending.
    pub resources: &'a [f64],
    /// Their derivative by savings.
    pub gradient: Gradient<'a>,
}

/// Accumulates `EV(s)` and `EM(s) = dEV/ds` at savings nodes, shock node by shock node.
///
/// ```text
/// EV(s) = Σ w V(R(s)),   EM(s) = Σ w V'(R(s)) dR/ds,   V' = Σ P_k V'_k
/// ```
///
/// The order of additions is the order of [`Expectation::add`]: one left fold per savings node,
/// whatever the batch width. A weight of exactly zero skips the node, so that an infinite value
/// that cannot happen does not matter.
///
/// Cost per shock node, savings node and choice: one read, one marginal utility; with taste
/// shocks one exponential per choice and one logarithm.
#[derive(Debug, Clone, Default)]
pub struct Expectation {
    value: Vec<f64>,
    marginal: Vec<f64>,
    /// By choice: values (later probabilities), policies, marginals.
    values: Vec<f64>,
    policies: Vec<f64>,
    marginals: Vec<f64>,
    /// Value and marginal of shock nodes that wait for being added.
    stacked: Vec<f64>,
    waiting: Vec<f64>,
    batch: usize,
    report: ReadReport,
}

impl Expectation {
    /// An accumulator that adds each shock node at once.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Collects `stochastic_node_batch_size` shock nodes before they are added (0: at once).
    /// Changes memory, never a bit.
    #[must_use]
    pub fn with_stochastic_node_batch_size(mut self, size: usize) -> Self {
        self.batch = size;
        self
    }

    /// Memory for savings nodes, next choices and the batch of shock nodes; without choices for
    /// [`Expectation::add_values`] alone.
    ///
    /// ```text
    /// 8 (2 nodes + 3 nodes · choices + 2 nodes · batch + batch)   bytes, batch 0 without the last
    /// ```
    #[must_use]
    pub fn footprint(nodes: usize, choices: usize, stochastic_node_batch_size: usize) -> Footprint {
        let per_choice = nodes.saturating_mul(choices).saturating_mul(3);
        let batch = stochastic_node_batch_size;
        let stacked = nodes.saturating_mul(2).saturating_mul(batch);
        Footprint::of::<f64>(nodes)
            .times(2)
            .beside(Footprint::of::<f64>(per_choice))
            .beside(Footprint::of::<f64>(stacked))
            .beside(Footprint::of::<f64>(batch))
    }

    /// Starts anew with `nodes` savings nodes, all zero.
    pub fn reset(&mut self, nodes: usize) {
        for slot in [&mut self.value, &mut self.marginal] {
            slot.clear();
            slot.reserve_exact(nodes);
            slot.resize(nodes, 0.0);
        }
        self.stacked.clear();
        self.waiting.clear();
        self.report = ReadReport::default();
    }

    /// `EV` by savings node; complete after [`Expectation::finish`].
    #[must_use]
    pub fn value(&self) -> &[f64] {
        &self.value
    }

    /// `EM` by savings node; complete after [`Expectation::finish`].
    #[must_use]
    pub fn marginal(&self) -> &[f64] {
        &self.marginal
    }

    /// Reads outside of the children's rows so far.
    #[must_use]
    pub const fn report(&self) -> ReadReport {
        self.report
    }

    /// Adds a shock node: the best of the choices, or their expected best under taste shocks.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] for a weight that is negative or not finite; [`EgmError::Length`];
    /// [`EgmError::Read`].
    pub fn add(
        &mut self,
        weight: f64,
        choices: &[NextChoice<'_>],
        shocks: TasteShocks,
    ) -> Result<(), EgmError> {
        check_weight(weight)?;
        let n = self.value.len();
        for choice in choices {
            LengthError::check("resources", choice.resources.len(), n)?;
            if let Gradient::PerNode(gradient) = choice.gradient {
                LengthError::check("gradient", gradient.len(), n)?;
            }
        }
        if weight == 0.0 || n == 0 || choices.is_empty() {
            return Ok(());
        }
        self.make_room(n * choices.len());
        for (k, choice) in choices.iter().enumerate() {
            let range = k * n..(k + 1) * n;
            let out = Readings {
                value: &mut self.values[range.clone()],
                policy: &mut self.policies[range.clone()],
                marginal: &mut self.marginals[range.clone()],
            };
            let report = choice
                .reader
                .read_sorted(choice.utility, choice.resources, out)?;
            self.report = self.report.plus(report);
            scale(&mut self.marginals[range], choice.gradient);
        }
        let table = &mut self.values[..n * choices.len()];
        if let [_] = choices {
            self.policies[..n].copy_from_slice(&table[..n]);
        } else {
            // The policies are read and not needed: their place takes the aggregate.
            let aggregate = &mut self.policies[..n];
            shocks.aggregate_slices(table, choices.len(), aggregate);
            mix(table, &mut self.marginals, n, choices.len());
        }
        self.collect(weight, n);
        Ok(())
    }

    /// Adds a shock node whose value and marginal you have computed.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] for a weight that is negative or not finite, [`EgmError::Length`].
    pub fn add_values(
        &mut self,
        weight: f64,
        value: &[f64],
        marginal: &[f64],
    ) -> Result<(), EgmError> {
        check_weight(weight)?;
        let n = self.value.len();
        LengthError::check("value", value.len(), n)?;
        LengthError::check("marginal", marginal.len(), n)?;
        if weight == 0.0 {
            return Ok(());
        }
        if self.batch == 0 {
            fold(&mut self.value, weight, value);
            fold(&mut self.marginal, weight, marginal);
        } else {
            self.wait(weight, value, marginal);
        }
        Ok(())
    }

    /// Adds what is still waiting in the batch.
    pub fn finish(&mut self) {
        let n = self.value.len();
        for (k, &weight) in self.waiting.iter().enumerate() {
            let (value, marginal) = self.stacked[2 * n * k..2 * n * (k + 1)].split_at(n);
            fold(&mut self.value, weight, value);
            fold(&mut self.marginal, weight, marginal);
        }
        self.stacked.clear();
        self.waiting.clear();
    }

    fn make_room(&mut self, count: usize) {
        for buffer in [&mut self.values, &mut self.policies, &mut self.marginals] {
            if buffer.len() < count {
                buffer.reserve_exact(count - buffer.len());
                buffer.resize(count, 0.0);
            }
        }
    }

    /// Adds the node in `policies` and `marginals`, now or with its batch.
    fn collect(&mut self, weight: f64, n: usize) {
        if self.batch == 0 {
            fold(&mut self.value, weight, &self.policies[..n]);
            fold(&mut self.marginal, weight, &self.marginals[..n]);
            return;
        }
        let (policies, marginals) = (
            core::mem::take(&mut self.policies),
            core::mem::take(&mut self.marginals),
        );
        self.wait(weight, &policies[..n], &marginals[..n]);
        (self.policies, self.marginals) = (policies, marginals);
    }

    /// Stacks a node; adds all when as many wait as a batch has.
    fn wait(&mut self, weight: f64, value: &[f64], marginal: &[f64]) {
        if self.waiting.is_empty() {
            self.waiting.reserve_exact(self.batch);
            self.stacked.reserve_exact(2 * value.len() * self.batch);
        }
        self.waiting.push(weight);
        self.stacked.extend_from_slice(value);
        self.stacked.extend_from_slice(marginal);
        if self.waiting.len() == self.batch {
            self.finish();
        }
    }
}

fn check_weight(weight: f64) -> Result<(), EgmError> {
    if weight >= 0.0 && weight.is_finite() {
        return Ok(());
    }
    let (name, required) = ("weight", "finite and not negative");
    Err(EgmError::Parameter {
        name,
        required,
        value: weight,
    })
}
