//! Keeper and adjusters at many queries: the nested method over a finite outer grid.

use bifrons_memory::Footprint;

use super::UniformFixedCost;
use super::mesh::narrow;
use crate::error::{EgmError, LengthError};
use crate::expectation::{Gradient, scale};
use crate::reader::{ReadReport, Reading, Readings, RowReader};
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

/// Where candidates are read.
#[derive(Debug, Clone, Copy)]
pub struct OuterQueries<'a> {
    /// Resources before the cost, ascending inside of each stretch.
    pub resources: &'a [f64],
    /// Derivative of the resources by what marginals are taken of.
    pub gradient: Gradient<'a>,
    /// First queries of the second and later stretches; empty if all resources ascend.
    pub cuts: &'a [usize],
}

/// The best of keepers and of adjusters at ascending queries.
///
/// ```text
/// V(m) = max( W_keep(m), max_j W_j(m - cost_j) )
/// ```
///
/// Keeping wins ties, then the earlier candidate: only a strictly larger value displaces.
/// A candidate that is dead (NaN) or infeasible (`-inf`) loses to any other. With a
/// [`UniformFixedCost`] keeper and best adjuster are aggregated in closed form.
///
/// [`OuterFold::solve`] does all at once. If resources differ between candidates, as between
/// discrete choices, call [`OuterFold::start`], [`OuterFold::offer_keeper`] and
/// [`OuterFold::offer_adjusters`] for each, and [`OuterFold::finish`].
///
/// This is the outer maximum of the nested endogenous grid method (Druedahl, 2021, A guide on
/// solving non-convex consumption-saving models), whatever step made the rows.
#[derive(Debug, Clone, Default)]
pub struct OuterFold {
    keep: [Vec<f64>; 3],
    best: [Vec<f64>; 3],
    keeper: Vec<u32>,
    adjuster: Vec<u32>,
    chosen: Vec<u32>,
    value: Vec<f64>,
    policy: Vec<f64>,
    marginal: Vec<f64>,
    probability: Vec<f64>,
    /// Readings of the candidates in flight.
    batch: Vec<f64>,
    tags: Vec<u32>,
    shifted: Vec<f64>,
    report: ReadReport,
}

impl OuterFold {
    /// The choice of the keeper in [`OuterFold::choice`], and the tag where nothing is feasible.
    pub const KEEP: u32 = u32::MAX;

    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for so many queries with `outer_batch_size` of `candidates` in flight.
    ///
    /// ```text
    /// 100 queries + (24 queries + 4) · in flight   bytes, in flight = all candidates for width 0
    /// ```
    #[must_use]
    pub fn footprint(queries: usize, candidates: usize, outer_batch_size: usize) -> Footprint {
        let in_flight = match outer_batch_size {
            0 => candidates,
            width => width.min(candidates),
        };
        Footprint::of::<[f64; 11]>(queries)
            .beside(Footprint::of::<[u32; 3]>(queries))
            .beside(Footprint::of::<[f64; 3]>(queries.saturating_mul(in_flight)))
            .beside(Footprint::of::<u32>(in_flight))
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
        self.start(resources.len());
        let queries = OuterQueries {
            resources,
            gradient: Gradient::Constant(1.0),
            cuts: &[],
        };
        if let Some(keeper) = keeper {
            self.offer_keeper(queries, &keeper, 0)?;
        }
        let tagged = adjusters.iter().enumerate();
        let tagged = tagged.map(|(index, candidate)| (narrow(index), *candidate));
        self.offer_adjusters(queries, tagged, outer_batch_size)?;
        self.finish(cost);
        Ok(())
    }

    /// Starts anew with so many queries, nothing offered.
    pub fn start(&mut self, queries: usize) {
        let n = queries;
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
            &mut self.shifted,
        ] {
            fill(buffer, 0.0);
        }
        for tags in [&mut self.keeper, &mut self.adjuster, &mut self.chosen] {
            tags.clear();
            tags.reserve_exact(n);
            tags.resize(n, Self::KEEP);
        }
        self.tags.clear();
        self.report = ReadReport::default();
    }

    /// Offers a way to keep; `tag` is what [`OuterFold::keeper`] says where it is the best.
    ///
    /// # Errors
    ///
    /// [`EgmError::Length`] unless there are as many queries as at the start, [`EgmError::Read`].
    pub fn offer_keeper(
        &mut self,
        queries: OuterQueries<'_>,
        candidate: &OuterCandidate<'_>,
        tag: u32,
    ) -> Result<(), EgmError> {
        self.read(queries, candidate, 0)?;
        displace(&self.batch, &mut self.keep, &mut self.keeper, tag);
        Ok(())
    }

    /// Offers ways to adjust with their tags, `outer_batch_size` of them in flight (0: all).
    ///
    /// # Errors
    ///
    /// As [`OuterFold::offer_keeper`].
    pub fn offer_adjusters<'c>(
        &mut self,
        queries: OuterQueries<'_>,
        candidates: impl Iterator<Item = (u32, OuterCandidate<'c>)>,
        outer_batch_size: usize,
    ) -> Result<(), EgmError> {
        for (tag, candidate) in candidates {
            self.read(queries, &candidate, self.tags.len())?;
            self.tags.push(tag);
            if self.tags.len() == outer_batch_size {
                self.flush();
            }
        }
        self.flush();
        Ok(())
    }

    /// Compares the candidates in flight, in the order of their offers.
    fn flush(&mut self) {
        let n = self.chosen.len();
        for (slot, &tag) in self.tags.iter().enumerate() {
            let readings = &self.batch[3 * n * slot..3 * n * (slot + 1)];
            displace(readings, &mut self.best, &mut self.adjuster, tag);
        }
        self.tags.clear();
    }

    /// Replaces the best adjuster of a query by a better point beside it; the tag remains.
    ///
    /// Nothing happens unless the value is larger.
    pub fn improve(&mut self, query: usize, better: Reading) {
        if better.value > self.best[0][query] {
            self.best[0][query] = better.value;
            self.best[1][query] = better.policy;
            self.best[2][query] = better.marginal;
        }
    }

    /// Decides between keeping and adjusting.
    pub fn finish(&mut self, cost: UniformFixedCost) {
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
            self.chosen[i] = if adjusts {
                self.adjuster[i]
            } else {
                Self::KEEP
            };
        }
    }

    /// Readings of one candidate into a slot of the batch.
    fn read(
        &mut self,
        queries: OuterQueries<'_>,
        candidate: &OuterCandidate<'_>,
        slot: usize,
    ) -> Result<(), EgmError> {
        let n = self.chosen.len();
        LengthError::check("resources", queries.resources.len(), n)?;
        let end = 3 * n * (slot + 1);
        if self.batch.len() < end {
            self.batch.reserve_exact(end - self.batch.len());
            self.batch.resize(end, 0.0);
        }
        for (slot, &m) in self.shifted.iter_mut().zip(queries.resources) {
            *slot = m - candidate.cost;
        }
        let (value, rest) = self.batch[3 * n * slot..end].split_at_mut(n);
        let (policy, marginal) = rest.split_at_mut(n);
        let mut from = 0;
        for to in queries.cuts.iter().copied().chain([n]) {
            let out = Readings {
                value: &mut value[from..to],
                policy: &mut policy[from..to],
                marginal: &mut marginal[from..to],
            };
            let (reader, stretch) = (candidate.reader, &self.shifted[from..to]);
            let report = reader.read_sorted(candidate.utility, stretch, out)?;
            self.report = self.report.plus(report);
            from = to;
        }
        scale(marginal, queries.gradient);
        Ok(())
    }

    /// Values.
    #[must_use]
    pub fn value(&self) -> &[f64] {
        &self.value
    }

    /// Marginals.
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

    /// The more likely choice: tag of the adjuster, or [`OuterFold::KEEP`].
    #[must_use]
    pub fn choice(&self) -> &[u32] {
        &self.chosen
    }

    /// Tags of the best keepers; [`OuterFold::KEEP`] where none is feasible.
    #[must_use]
    pub fn keeper(&self) -> &[u32] {
        &self.keeper
    }

    /// Tags of the best adjusters; [`OuterFold::KEEP`] where none is feasible.
    #[must_use]
    pub fn adjuster(&self) -> &[u32] {
        &self.adjuster
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

/// Takes over what is larger; NaN is not larger than anything.
fn displace(readings: &[f64], best: &mut [Vec<f64>; 3], tags: &mut [u32], tag: u32) {
    let n = tags.len();
    for i in 0..n {
        if readings[i] > best[0][i] {
            for (channel, best) in best.iter_mut().enumerate() {
                best[i] = readings[channel * n + i];
            }
            tags[i] = tag;
        }
    }
}
