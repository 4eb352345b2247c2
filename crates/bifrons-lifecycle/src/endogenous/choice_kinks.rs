//! Kinks of a continuation where next period's best branch changes.

use bifrons_egm::SavingsNodes;
use bifrons_memory::Footprint;

use super::bank::Bank;

/// No branch is feasible.
const NONE: u32 = u32::MAX;

/// The best branch by savings node, and the savings at which it changes.
#[derive(Debug, Default)]
pub(super) struct Switches {
    winners: Vec<u32>,
    is_wanted: bool,
    /// Whether a change was added since the start.
    pub(super) found: bool,
}

impl Switches {
    pub(super) const fn footprint(nodes: usize) -> Footprint {
        Footprint::of::<u32>(nodes)
    }

    pub(super) fn start(&mut self, is_wanted: bool) {
        self.is_wanted = is_wanted;
        self.found = false;
    }

    /// No branch yet at so many nodes.
    pub(super) fn reset(&mut self, nodes: usize) {
        if self.is_wanted {
            self.winners.clear();
            self.winners.resize(nodes, NONE);
        }
    }

    /// A branch is the best so far at a node.
    pub(super) fn keep(&mut self, node: usize, branch: usize) {
        if self.is_wanted
            && let Some(slot) = self.winners.get_mut(node)
        {
            *slot = u32::try_from(branch).unwrap_or(NONE);
        }
    }

    /// Adds the first savings at which another branch is better than at the node before, for all
    /// neighbours between which nothing else breaks; changes back and forth between two nodes are
    /// not seen.
    ///
    /// Cost: a comparison per node, and for each change about sixty reads of all branches.
    pub(super) fn find(
        &mut self,
        (bank, cell): (&Bank, usize),
        [slope, offset]: [f64; 2],
        marginal: &[f64],
        nodes: &mut SavingsNodes,
    ) {
        if !self.is_wanted {
            return;
        }
        let best = |savings: f64| {
            let best = bank.best(cell, slope * savings + offset);
            best.map_or(NONE, |best| u32::try_from(best.branch).unwrap_or(NONE))
        };
        let mut upper = 0;
        for (node, pair) in self.winners.windows(2).enumerate() {
            let node = node + 1;
            let breaks = nodes.breaks();
            while breaks.get(upper).is_some_and(|at| at.node < node) {
                upper += 1;
            }
            let is_break = breaks.get(upper).is_some_and(|at| at.node == node);
            if pair[0] == pair[1] || pair.contains(&NONE) || is_break {
                continue;
            }
            let ends = (nodes.nodes()[node - 1], nodes.nodes()[node]);
            let marginals = [marginal[node - 1], marginal[node]];
            nodes.add_switch(ends, marginals, |savings| best(savings) != pair[0]);
            self.found = true;
        }
    }
}
