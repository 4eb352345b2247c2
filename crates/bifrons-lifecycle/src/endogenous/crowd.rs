//! Rows read for many subjects of one cell at a time.

use bifrons_egm::Readings;
use bifrons_memory::Footprint;

use super::bank::{Bank, Choice};

/// Values and policies of all branches of a cell at some liquid states.
#[derive(Debug, Default)]
pub(crate) struct Readouts {
    /// By branch, then by liquid state; `-inf` where a branch is not feasible.
    values: Vec<f64>,
    policies: Vec<f64>,
    resources: Vec<f64>,
    marginals: Vec<f64>,
    count: usize,
}

impl Readouts {
    /// Makes room, so that reading `count` states of cells with `branches` branches allocates
    /// nothing.
    pub(crate) fn reserve(&mut self, branches: usize, count: usize) {
        for (buffer, length) in [
            (&mut self.values, branches * count),
            (&mut self.policies, branches * count),
            (&mut self.resources, count),
            (&mut self.marginals, count),
        ] {
            if buffer.len() < length {
                buffer.reserve_exact(length - buffer.len());
                buffer.resize(length, 0.0);
            }
        }
    }

    /// Bytes after [`Readouts::reserve`].
    pub(crate) fn footprint(branches: usize, count: usize) -> Footprint {
        Footprint::of::<f64>(2 * branches * count + 2 * count)
    }

    /// What a branch says at a state; `None` if it is not feasible.
    pub(crate) fn choice(&self, branch: usize, place: usize) -> Option<Choice> {
        let at = branch * self.count + place;
        (self.values[at] != f64::NEG_INFINITY).then(|| Choice {
            branch,
            value: self.values[at],
            policy: self.policies[at],
        })
    }
}

impl Bank {
    /// Reads all branches of a cell at ascending liquid states: the bits of [`Bank::read`] at each.
    pub(crate) fn read_many(&self, cell: usize, liquid: &[f64], out: &mut Readouts) {
        let count = liquid.len();
        out.reserve(self.branches(), count);
        out.count = count;
        for branch in 0..self.branches() {
            let mut from = 0;
            self.resources_into(cell, branch, liquid, &mut out.resources);
            while from < count {
                // A cliff makes resources fall, and a row may end: read stretch by stretch.
                let own = self.interval((cell, branch), liquid[from]);
                let ends = |at: &usize| {
                    let rises = out.resources[at - 1] <= out.resources[*at];
                    !rises || self.interval((cell, branch), liquid[*at]) != own
                };
                let to = (from + 1..count).find(ends).unwrap_or(count);
                self.read_stretch((cell, branch), &liquid[from..to], (from, to), out);
                from = to;
            }
            let policies = &mut out.policies[branch * count..(branch + 1) * count];
            self.settle((cell, branch), (liquid, &out.resources[..count]), policies);
        }
    }

    fn read_stretch(
        &self,
        (cell, branch): (usize, usize),
        liquid: &[f64],
        (from, to): (usize, usize),
        out: &mut Readouts,
    ) {
        let first = branch * out.count;
        let values = &mut out.values[first + from..first + to];
        let policies = &mut out.policies[first + from..first + to];
        let readings = Readings {
            value: values,
            policy: policies,
            marginal: &mut out.marginals[from..to],
        };
        if self.read_sorted(
            (cell, branch, liquid[0]),
            &out.resources[from..to],
            readings,
        ) {
            return;
        }
        // Not feasible, or one of them is outside where that is an error: each on its own.
        for (i, &own) in liquid.iter().enumerate() {
            let at = first + from + i;
            let read = self.read(cell, branch, own);
            out.values[at] = read.map_or(f64::NEG_INFINITY, |read| read.value);
            out.policies[at] = read.map_or(f64::NAN, |read| read.policy);
        }
    }
}
