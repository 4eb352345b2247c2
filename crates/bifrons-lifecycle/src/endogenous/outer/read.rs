//! The best of keeping and adjusting at many liquid states.

use bifrons_egm::{
    EgmError, Gradient, OuterCandidate, OuterFold, OuterQueries, Reading, RowReader, refine_peak,
};
use bifrons_memory::Footprint;

use super::OuterBank;
use super::bank::Face;
use crate::endogenous::utility::CellUtility;

/// Points on each side of the best one that refine it.
const BESIDE: usize = 3;
/// Points that refine a maximum.
const STENCIL: usize = 2 * BESIDE + 1;

/// Working memory of reads of a nested target.
#[derive(Debug, Default)]
pub(in crate::endogenous) struct OuterReader {
    fold: OuterFold,
    liquid: Vec<f64>,
    resources: Vec<f64>,
    gradient: Vec<f64>,
    cuts: Vec<usize>,
}

impl OuterReader {
    /// Bytes for so many queries, candidates and candidates in flight.
    pub(in crate::endogenous) fn footprint(
        queries: usize,
        candidates: usize,
        batch: usize,
    ) -> Footprint {
        OuterFold::footprint(queries, candidates, batch)
            .beside(Footprint::of::<[f64; 3]>(queries))
            .beside(Footprint::of::<usize>(queries))
    }

    /// Values of a cell at a node of the stock, by savings from which the liquid state follows by
    /// slope and offset; marginals are by savings.
    pub(in crate::endogenous) fn read(
        &mut self,
        bank: &OuterBank,
        (cell, node): (usize, usize),
        [slope, offset]: [f64; 2],
        savings: &[f64],
    ) -> Result<&OuterFold, EgmError> {
        let count = bank.choices.len();
        self.fold.start(savings.len());
        self.liquid.clear();
        self.liquid.reserve_exact(savings.len());
        let next = savings.iter().map(|own| slope * own + offset);
        self.liquid.extend(next);
        for branch in 0..bank.branches {
            let at = bank.face(cell, branch, node);
            if !bank.faces[at].feasible {
                continue;
            }
            self.set_resources(&bank.faces[at], slope);
            let queries = OuterQueries {
                resources: &self.resources,
                gradient: Gradient::PerNode(&self.gradient),
                cuts: &self.cuts,
            };
            if let Some(row) = bank.keeper(at) {
                self.fold
                    .offer_keeper(queries, &candidate(row, 0.0), tag(branch))?;
            }
            let adjusters = (0..count).filter_map(|choice| {
                let cost = bank.cost(at, choice);
                let row = bank.adjuster(at, choice).filter(|_| !cost.is_nan())?;
                Some((tag(branch * count + choice), candidate(row, cost)))
            });
            self.fold.offer_adjusters(queries, adjusters, bank.batch)?;
        }
        if let Some(iterations) = bank.golden {
            self.refine(bank, (cell, node), slope, iterations);
        }
        self.fold.finish(bank.fixed[cell * bank.nodes.len() + node]);
        Ok(&self.fold)
    }

    /// Resources of a branch at the liquid states, their slopes, and where they fall.
    fn set_resources(&mut self, face: &Face, slope: f64) {
        let count = self.liquid.len();
        for buffer in [&mut self.resources, &mut self.gradient] {
            buffer.clear();
            buffer.reserve_exact(count);
            buffer.resize(count, 0.0);
        }
        match &face.budget {
            None => {
                for (slot, liquid) in self.resources.iter_mut().zip(&self.liquid) {
                    *slot = face.offset + face.slope * liquid;
                }
                self.gradient.fill(face.slope * slope);
            }
            Some(budget) => {
                budget.resources_into(&self.liquid, &mut self.resources, &mut self.gradient);
                for own in &mut self.gradient {
                    *own *= slope;
                }
            }
        }
        self.cuts.clear();
        self.cuts.reserve_exact(count);
        let falls = |at: &usize| self.resources[*at] < self.resources[at - 1];
        self.cuts.extend((1..count).filter(falls));
    }

    /// Moves the best adjusters to the maxima between the choices.
    fn refine(
        &mut self,
        bank: &OuterBank,
        (cell, node): (usize, usize),
        slope: f64,
        iterations: usize,
    ) {
        let count = bank.choices.len();
        for query in 0..self.liquid.len() {
            let best = self.fold.adjuster()[query];
            if best == OuterFold::KEEP {
                continue;
            }
            let (branch, top) = (best as usize / count, best as usize % count);
            let at = bank.face(cell, branch, node);
            let (face, liquid) = (&bank.faces[at], self.liquid[query]);
            let resources = face.resources(liquid);
            let read = |choice: usize| {
                let row = bank.adjuster(at, choice)?;
                Some((row, resources - bank.cost(at, choice)))
            };
            let gradient = slope
                * face
                    .budget
                    .as_ref()
                    .map_or(face.slope, |own| own.slope(liquid));
            if let Some((_, better)) = refined(&bank.choices, top, iterations, read) {
                let marginal = better.marginal * gradient;
                if marginal.is_finite() {
                    self.fold.improve(query, Reading { marginal, ..better });
                }
            }
        }
    }
}

/// The best stock around a choice with its reading, if it is better than the choice.
pub(super) fn refined<'b>(
    choices: &[f64],
    top: usize,
    iterations: usize,
    row: impl Fn(usize) -> Option<((&'b RowReader, &'b CellUtility), f64)>,
) -> Option<(f64, Reading)> {
    let low = top.saturating_sub(BESIDE);
    let high = (top + BESIDE + 1).min(choices.len());
    let [mut value, mut policy, mut marginal] = [[f64::NEG_INFINITY; STENCIL]; 3];
    for choice in low..high {
        let reading = row(choice).and_then(|((reader, utility), resources)| {
            reader.read(utility.as_dyn(), resources).ok()
        });
        if let Some(reading) = reading.filter(|own| own.value.is_finite()) {
            let at = choice - low;
            (value[at], policy[at], marginal[at]) =
                (reading.value, reading.policy, reading.marginal);
        }
    }
    let points = &choices[low..high];
    let (value, count) = (&value[..points.len()], points.len());
    let peak = refine_peak(points, value, top - low, iterations);
    let better = Reading {
        value: peak.value,
        policy: peak.read(points, &policy[..count]),
        marginal: peak.read(points, &marginal[..count]),
    };
    let fine = better.value > value[top - low] && better.policy > 0.0;
    fine.then_some((peak.choice, better))
}

fn candidate<'b>(
    (reader, utility): (&'b RowReader, &'b CellUtility),
    cost: f64,
) -> OuterCandidate<'b> {
    OuterCandidate {
        reader,
        utility: utility.as_dyn(),
        cost,
    }
}

/// Position of a candidate as 32 bits; the solve checks that all have one.
#[expect(clippy::cast_possible_truncation, reason = "checked when solved")]
fn tag(index: usize) -> u32 {
    index as u32
}
