//! What one node of the expectation adds: rows, rows of outer choices, worth at the end.

use bifrons_egm::{EgmError, Gradient, NextChoice, TasteShocks};
use bifrons_lanes::LANES;

use super::{MOST_BRANCHES, Pass, Rows, Worker};
use crate::endogenous::bank::{Bank, Entry};
use crate::endogenous::outer::OuterBank;
use crate::endogenous::target::TargetKind;

impl Rows<'_> {
    pub(super) fn add_rows(
        &self,
        worker: &mut Worker,
        bank: &Bank,
        (cell, pass): (usize, Pass),
        weight: f64,
        [slope, offset]: [f64; 2],
    ) -> Result<(), EgmError> {
        if let Some((_, kinked)) = &mut worker.kinked {
            if pass == Pass::Breaks {
                return kinked.add_breaks(bank, cell, [slope, offset]);
            }
            kinked.read(bank, cell, [slope, offset])?;
            let (value, marginal) = (&kinked.best, &kinked.best_marginal);
            return match &mut worker.certainty {
                None => worker.expectation.add_values(weight, value, marginal),
                Some(certainty) => certainty.add(weight, value, marginal),
            };
        }
        let nodes = worker.savings.len();
        let first = cell * bank.branches;
        let entries = &bank.entries[first..first + bank.branches];
        let live = |(_, entry): &(usize, &Entry)| entry.feasible;
        for (branch, entry) in entries.iter().enumerate().filter(live) {
            let queries = &mut worker.queries[branch * nodes..(branch + 1) * nodes];
            for (query, &savings) in queries.iter_mut().zip(&worker.savings) {
                *query = entry.offset + entry.slope * (offset + slope * savings);
            }
        }
        let choice = |(branch, entry): (usize, &'_ Entry)| (branch, entry.slope * slope);
        let mut picked = [(0, 0.0); MOST_BRANCHES];
        let mut count = 0;
        for (slot, own) in picked
            .iter_mut()
            .zip(entries.iter().enumerate().filter(live))
        {
            *slot = choice(own);
            count += 1;
        }
        if count == 0 {
            // Nothing is feasible there.
            worker.values.fill(f64::NEG_INFINITY);
            worker.marginals.fill(0.0);
            return worker
                .expectation
                .add_values(weight, &worker.values, &worker.marginals);
        }
        let made = picked.map(|(branch, gradient)| NextChoice {
            reader: &entries[branch].reader,
            utility: bank.utilities[first + branch].as_dyn(),
            resources: &worker.queries[branch * nodes..(branch + 1) * nodes],
            gradient: Gradient::Constant(gradient),
        });
        let shocks = TasteShocks::new(bank.scale).unwrap_or(TasteShocks::NONE);
        worker.expectation.add(weight, &made[..count], shocks)
    }

    /// Adds a nested target, blended between two nodes of its stock.
    pub(super) fn add_nested(
        &self,
        worker: &mut Worker,
        bank: &OuterBank,
        (cell, weights, pass): (usize, [(usize, f64); 2], Pass),
        weight: f64,
        line: [f64; 2],
    ) -> Result<(), EgmError> {
        let weights = weights.into_iter().filter(|(_, share)| *share != 0.0);
        if pass == Pass::Breaks {
            if let Some((_, kinked)) = &mut worker.kinked {
                for (node, _) in weights {
                    bank.add_breaks(&mut kinked.nodes, (cell, node), line)?;
                }
            }
            return Ok(());
        }
        let Some(reader) = &mut worker.outer else {
            return Ok(());
        };
        let (values, marginals) = (&mut worker.values, &mut worker.marginals);
        values.fill(0.0);
        marginals.fill(0.0);
        for (node, share) in weights {
            let fold = reader.read(bank, (cell, node), line, &worker.savings)?;
            let found = fold.value().iter().zip(fold.marginal());
            for (at, (&value, &marginal)) in found.enumerate() {
                if value == f64::NEG_INFINITY || values[at] == f64::NEG_INFINITY {
                    (values[at], marginals[at]) = (f64::NEG_INFINITY, 0.0);
                } else {
                    values[at] += share * value;
                    marginals[at] += share * marginal;
                }
            }
        }
        match &mut worker.certainty {
            None => worker.expectation.add_values(weight, values, marginals),
            Some(certainty) => certainty.add(weight, values, marginals),
        }
    }

    pub(super) fn add_terminal(
        &self,
        worker: &mut Worker,
        place: usize,
        weight: f64,
        [slope, offset]: [f64; 2],
    ) -> Result<(), EgmError> {
        let target = &self.targets[place];
        let TargetKind::Terminal {
            worth,
            values,
            state,
            ..
        } = &target.kind
        else {
            return Ok(());
        };
        let Some(machine) = &mut worker.terminals[place] else {
            return Ok(());
        };
        for (slot, quantity) in values.iter().enumerate() {
            machine.slots[slot] = [quantity.value(worker.next[slot]); LANES];
        }
        let nodes = worker.savings.len();
        if state.is_none() {
            worth.run(self.kernel.level, machine);
            worker.values.fill(worth.outputs(machine)[0][0]);
            worker.marginals.fill(0.0);
        }
        for from in (0..nodes).step_by(LANES) {
            let Some(state) = *state else {
                break;
            };
            let savings = &worker.savings[from..nodes.min(from + LANES)];
            for lane in 0..LANES {
                let own = savings[lane.min(savings.len() - 1)];
                machine.slots[state][lane] = offset + slope * own;
            }
            worth.run(self.kernel.level, machine);
            let outputs = worth.outputs(machine);
            for lane in 0..savings.len() {
                worker.values[from + lane] = outputs[0][lane];
                worker.marginals[from + lane] = slope * outputs[1][lane];
            }
        }
        let (values, marginals) = (&worker.values, &worker.marginals);
        match &mut worker.certainty {
            None => worker.expectation.add_values(weight, values, marginals),
            Some(certainty) => certainty.add(weight, values, marginals),
        }
    }
}
