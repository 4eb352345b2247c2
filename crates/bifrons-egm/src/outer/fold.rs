//! Keeper and adjusters at many queries: the nested method over a finite outer grid.

use bifrons_memory::Footprint;

use super::mesh::narrow;
use super::{UniformFixedCost, batches};
use crate::error::EgmError;
use crate::reader::{ReadReport, Readings, RowReader};
use crate::utility::Utility;

/// One outer candidate: the row of the inner problem given it, and what it costs.
#[derive(Debug, Clone, Copy)]
pub struct OuterCandidate<'a> {
    /// Row of the inner problem, in resources after the cost.
    pub reader: &'a RowReader,
    /// Utility given the candidate.
    pub utility: &'a dyn Utility,
    /// What is taken from resources.
    pub cost: f64,
}

/// The best of a keeper and of adjusters at ascending queries.
///
/// ```text
/// V(m) = max( W_keep(m), max_j W_j(m - cost_j) )
/// ```
///
/// The keeper wins ties, then the earlier candidate: only a strictly larger value displaces.
/// A candidate that is dead (NaN) or infeasible (`-inf`) loses to any other. With a
/// [`UniformFixedCost`] keeper and best adjuster are aggregated in closed form.
///
/// This is the outer maximum of the nested endogenous grid method (Druedahl, 2021, A guide on
/// solving non-convex consumption-saving models), whatever step made the rows.
#[derive(Debug, Clone, Default)]
pub struct OuterFold {
    keep: [Vec<f64>; 3],
    best: [Vec<f64>; 3],
    chosen: Vec<u32>,
    value: Vec<f64>,
    policy: Vec<f64>,
    marginal: Vec<f64>,
    probability: Vec<f64>,
    /// Readings of the candidates in flight.
    batch: Vec<f64>,
    shifted: Vec<f64>,
    report: ReadReport,
}

impl OuterFold {
    /// The choice of the keeper in [`OuterFold::choice`].
    pub const KEEP: u32 = u32::MAX;

    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for so many queries with `outer_batch_size` of `candidates` in flight.
    #[must_use]
    pub fn footprint(queries: usize, candidates: usize, outer_batch_size: usize) -> Footprint {
        let in_flight = match outer_batch_size {
            0 => candidates,
            width => width.min(candidates),
        };
        Footprint::of::<[f64; 11]>(queries)
            .beside(Footprint::of::<u32>(queries))
            .beside(Footprint::of::<[f64; 3]>(queries.saturating_mul(in_flight)))
    }

    /// Reads keeper and adjusters at ascending resources and takes the best.
    ///
    /// `outer_batch_size` bounds the candidates in flight (0: all) and changes no bit.
    ///
    /// # Errors
    ///
    /// [`EgmError::Read`].
    pub fn solve(
        &mut self,
        resources: &[f64],
        keeper: Option<OuterCandidate<'_>>,
        adjusters: &[OuterCandidate<'_>],
        cost: UniformFixedCost,
        outer_batch_size: usize,
    ) -> Result<(), EgmError> {
        let n = resources.len();
        self.reset(n);
        if let Some(keeper) = keeper {
            self.read(resources, &keeper, 0)?;
            for (slot, from) in self.keep.iter_mut().zip(self.batch.chunks(n.max(1))) {
                slot.copy_from_slice(from);
            }
            for value in &mut self.keep[0] {
                // A dead keeper loses.
                *value = if value.is_nan() {
                    f64::NEG_INFINITY
                } else {
                    *value
                };
            }
        }
        for range in batches(adjusters.len(), outer_batch_size) {
            for (slot, candidate) in adjusters[range.clone()].iter().enumerate() {
                self.read(resources, candidate, slot)?;
            }
            for (slot, index) in range.enumerate() {
                self.displace(slot, index);
            }
        }
        self.aggregate(cost);
        Ok(())
    }

    fn reset(&mut self, n: usize) {
        let fill = |buffer: &mut Vec<f64>, value: f64| {
            buffer.clear();
            buffer.reserve_exact(n);
            buffer.resize(n, value);
        };
        for group in [&mut self.keep, &mut self.best] {
            let [value, policy, marginal] = group;
            fill(value, f64::NEG_INFINITY);
            fill(policy, f64::NAN);
            fill(marginal, 0.0);
        }
        for buffer in [
            &mut self.value,
            &mut self.policy,
            &mut self.marginal,
            &mut self.probability,
        ] {
            fill(buffer, 0.0);
        }
        fill(&mut self.shifted, 0.0);
        self.chosen.clear();
        self.chosen.reserve_exact(n);
        self.chosen.resize(n, 0);
        self.report = ReadReport::default();
    }

    /// Readings of one candidate into a slot of the batch.
    fn read(
        &mut self,
        resources: &[f64],
        candidate: &OuterCandidate<'_>,
        slot: usize,
    ) -> Result<(), EgmError> {
        let n = resources.len();
        let end = 3 * n * (slot + 1);
        if self.batch.len() < end {
            self.batch.reserve_exact(end - self.batch.len());
            self.batch.resize(end, 0.0);
        }
        for (slot, &m) in self.shifted.iter_mut().zip(resources) {
            *slot = m - candidate.cost;
        }
        let (value, rest) = self.batch[3 * n * slot..end].split_at_mut(n);
        let (policy, marginal) = rest.split_at_mut(n);
        let out = Readings {
            value,
            policy,
            marginal,
        };
        let report = candidate
            .reader
            .read_sorted(candidate.utility, &self.shifted, out)?;
        self.report = self.report.plus(report);
        Ok(())
    }

    fn displace(&mut self, slot: usize, index: usize) {
        let n = self.chosen.len();
        let readings = &self.batch[3 * n * slot..3 * n * (slot + 1)];
        for i in 0..n {
            // NaN is not larger than anything.
            if readings[i] > self.best[0][i] {
                for (channel, best) in self.best.iter_mut().enumerate() {
                    best[i] = readings[channel * n + i];
                }
                self.chosen[i] = narrow(index);
            }
        }
    }

    fn aggregate(&mut self, cost: UniformFixedCost) {
        for i in 0..self.chosen.len() {
            let outcome = cost.aggregate(self.keep[0][i], self.best[0][i]);
            let p = outcome.probability;
            let term = |weight: f64, x: f64| if weight == 0.0 { 0.0 } else { weight * x };
            self.value[i] = outcome.value;
            self.probability[i] = p;
            self.marginal[i] = term(1.0 - p, self.keep[2][i]) + term(p, self.best[2][i]);
            let adjusts = p > 0.5;
            self.policy[i] = if adjusts {
                self.best[1][i]
            } else {
                self.keep[1][i]
            };
            if !adjusts {
                self.chosen[i] = Self::KEEP;
            }
        }
    }

    /// Values.
    #[must_use]
    pub fn value(&self) -> &[f64] {
        &self.value
    }

    /// Marginals by resources.
    #[must_use]
    pub fn marginal(&self) -> &[f64] {
        &self.marginal
    }

    /// Consumption of the more likely of keeping and adjusting.
    #[must_use]
    pub fn policy(&self) -> &[f64] {
        &self.policy
    }

    /// Probability of adjusting.
    #[must_use]
    pub fn probability(&self) -> &[f64] {
        &self.probability
    }

    /// The more likely choice: position of the adjuster, or [`OuterFold::KEEP`].
    #[must_use]
    pub fn choice(&self) -> &[u32] {
        &self.chosen
    }

    /// Values of keeping; `-inf` without keeper.
    #[must_use]
    pub fn keep_value(&self) -> &[f64] {
        &self.keep[0]
    }

    /// Values of the best adjuster; `-inf` without one.
    #[must_use]
    pub fn adjust_value(&self) -> &[f64] {
        &self.best[0]
    }

    /// Reads outside of the rows.
    #[must_use]
    pub const fn report(&self) -> ReadReport {
        self.report
    }
}
