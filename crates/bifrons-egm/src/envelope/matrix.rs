//! The owners of all abscissae from a matrix of abscissae and links, block by block of links.

use std::cmp::Ordering;

use bifrons_memory::Footprint;

use super::link::{Bracket, Chains};
use super::runs::{Run, narrow};
use super::sweep::{Active, Walk, sweep};
use super::{EnvelopeWorkspace, Interpolant};
use crate::arithmetic::same;

/// Memory of matrices.
#[derive(Debug, Clone, Default)]
pub(super) struct Matrix {
    /// Links of a block; none for the sweep.
    pub(super) width: usize,
    /// Links of a block by abscissa: a row for each link.
    brackets: Vec<Bracket>,
    /// The best link up to now, by abscissa.
    best: Vec<Bracket>,
    owners: Vec<Active>,
}

impl Matrix {
    /// Bytes for so many candidates, positions of abscissae included.
    pub(super) fn footprint(count: usize, runs: usize, width: usize) -> Footprint {
        if width == 0 {
            return Footprint::ZERO;
        }
        let block = width.min(count.saturating_sub(1));
        Footprint::of::<Bracket>(count.saturating_mul(block))
            .beside(Footprint::of::<Bracket>(count))
            .beside(Footprint::of::<Active>(count))
            .beside(Footprint::of::<u32>(count.saturating_add(runs)))
    }

    /// Makes room for so many abscissae and links.
    pub(super) fn reserve(&mut self, abscissae: usize, links: usize) {
        let block = self.width.min(links);
        let brackets = abscissae.saturating_mul(block);
        self.brackets
            .reserve_exact(brackets.saturating_sub(self.brackets.len()));
        self.best
            .reserve_exact(abscissae.saturating_sub(self.best.len()));
        self.owners
            .reserve_exact(abscissae.saturating_sub(self.owners.len()));
    }

    fn reset(&mut self, abscissae: usize, links: usize) {
        self.brackets.clear();
        self.best.clear();
        self.owners.clear();
        self.reserve(abscissae, links);
        let brackets = abscissae * self.width.min(links);
        self.brackets.resize(brackets, Bracket::default());
        self.best.resize(abscissae, Bracket::default());
        self.owners.resize(abscissae, Active::NONE);
    }
}

/// Finds the owners by the way that the workspace asks for.
pub(super) fn owners(chains: &Chains<'_>, workspace: &mut EnvelopeWorkspace) {
    if workspace.matrix.width == 0 {
        sweep(chains, workspace);
    } else {
        matrix(chains, workspace);
    }
}

/// Finds the owners, as the sweep does and with its bits.
///
/// The first owner of the cell right of an abscissa is the best of all links that cover it, the
/// largest by value, slope and smaller run. Links come in the order of their runs, so that a
/// later one that is not better does not win. What follows inside of a cell is handed over as in
/// the sweep, among the runs that cover it.
fn matrix(chains: &Chains<'_>, workspace: &mut EnvelopeWorkspace) {
    abscissae(chains, &workspace.runs, &mut workspace.order);
    let (runs, order) = (&workspace.runs, &workspace.order);
    let own = &mut workspace.matrix;
    let links: usize = runs.iter().map(|run| run.len() - 1).sum();
    own.reset(order.len(), links);
    let block = own.width.min(links);
    let mut rest = runs.iter().enumerate().flat_map(|(index, run)| {
        (0..run.len() - 1).map(move |k| Active {
            run: narrow(index),
            link: narrow(k),
        })
    });
    for _ in 0..links.div_ceil(block.max(1)) {
        for (row, active) in rest.clone().take(block).enumerate() {
            fill(chains, runs, order, (row, active), own);
        }
        for (row, active) in rest.by_ref().take(block).enumerate() {
            fold(chains, runs, order, (row, active), own);
        }
    }
    let mut walk = Walk {
        chains,
        runs,
        active: &mut workspace.active,
        points: &mut workspace.points,
        segments: &mut workspace.segments,
    };
    walk.segments.clear();
    for (j, &at) in order.iter().enumerate() {
        let x = abscissa(chains, at);
        let next = order.get(j + 1).map(|&at| abscissa(chains, at));
        walk.gather(x);
        match next {
            Some(end) if !walk.active.is_empty() => walk.cell_of(own.owners[j], x, end),
            _ => {
                // Nothing goes on to the right.
                if let Some(best) = walk.best_point() {
                    walk.push(x, best);
                }
                if next.is_some() {
                    walk.push_gap(x);
                }
            }
        }
    }
}

fn abscissa(chains: &Chains<'_>, at: u32) -> f64 {
    chains.candidates.x[at as usize] + 0.0
}

/// The distinct abscissae of all runs, ascending, as positions of candidates.
fn abscissae(chains: &Chains<'_>, runs: &[Run], order: &mut Vec<u32>) {
    order.clear();
    order.reserve_exact(runs.iter().map(Run::len).sum());
    order.extend(runs.iter().flat_map(|run| run.first..=run.last));
    let x = |at: u32| abscissa(chains, at);
    order.sort_unstable_by(|&a, &b| x(a).total_cmp(&x(b)).then(a.cmp(&b)));
    order.dedup_by(|a, b| same(x(*a), x(*b)));
}

/// Positions of the abscissae in whose cells a link is.
fn covered(
    chains: &Chains<'_>,
    runs: &[Run],
    order: &[u32],
    active: Active,
) -> core::ops::Range<usize> {
    let (run, k) = (&runs[active.run as usize], active.link as usize);
    let place = |end: f64| order.partition_point(|&at| abscissa(chains, at) < end);
    place(chains.x(run, k))..place(chains.x(run, k + 1))
}

/// Writes a link of the block.
fn fill(
    chains: &Chains<'_>,
    runs: &[Run],
    order: &[u32],
    (row, active): (usize, Active),
    own: &mut Matrix,
) {
    let link = chains.link(&runs[active.run as usize], active.link as usize);
    for j in covered(chains, runs, order, active) {
        own.brackets[row * order.len() + j] = link.bracket(abscissa(chains, order[j]));
    }
}

/// Compares a link of the block with the best up to now.
fn fold(
    chains: &Chains<'_>,
    runs: &[Run],
    order: &[u32],
    (row, active): (usize, Active),
    own: &mut Matrix,
) {
    for j in covered(chains, runs, order, active) {
        let (rival, best, owner) = (
            own.brackets[row * order.len() + j],
            own.best[j],
            own.owners[j],
        );
        let x = abscissa(chains, order[j]);
        let exactly = || {
            let link = |own: Active| chains.link(&runs[own.run as usize], own.link as usize);
            let (a, b) = (link(active), link(owner));
            a.compare_at(&b, x).then_with(|| a.compare_slope(&b, x))
        };
        let wins = owner == Active::NONE
            || Ordering::Greater
                == match chains.interpolant {
                    Interpolant::Hermite => rival.compare_cubic(best),
                    Interpolant::Chord => rival.compare_bounds(best).unwrap_or_else(exactly),
                };
        if wins {
            (own.best[j], own.owners[j]) = (rival, active);
        }
    }
}
