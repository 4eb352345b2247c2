//! The sweep from left to right that finds the owner of every stretch.

use std::cmp::Ordering;

use super::EnvelopeWorkspace;
use super::link::{Chains, Link};
use super::runs::{Run, narrow};
use crate::arithmetic::same;

/// A run that covers the present abscissa, and the link on which it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Active {
    run: u32,
    link: u32,
}

/// From `start` on (up to the next segment) `run` owns, [`NOBODY`] for a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    pub(super) start: f64,
    pub(super) run: u32,
}

/// The run of a gap.
pub(super) const NOBODY: u32 = u32::MAX;

struct Sweep<'a, 'b> {
    chains: &'a Chains<'a>,
    runs: &'b [Run],
    active: &'b mut Vec<Active>,
    /// Runs that end at, or consist of, the present abscissa.
    points: &'b mut Vec<u32>,
    segments: &'b mut Vec<Segment>,
    next: usize,
}

/// Finds the owners.
pub(super) fn sweep(chains: &Chains<'_>, workspace: &mut EnvelopeWorkspace) {
    workspace.active.clear();
    workspace.points.clear();
    workspace.segments.clear();
    let mut sweep = Sweep {
        chains,
        runs: &workspace.runs,
        active: &mut workspace.active,
        points: &mut workspace.points,
        segments: &mut workspace.segments,
        next: 0,
    };
    let Some(first) = sweep.runs.first() else {
        return;
    };
    let mut x = chains.x(first, 0);
    loop {
        sweep.arrive(x);
        let Some(end) = sweep.cell_end() else {
            // Nothing goes on to the right.
            if let Some(best) = sweep.best_point() {
                sweep.push(x, best);
            }
            let Some(run) = sweep.runs.get(sweep.next) else {
                return;
            };
            sweep.push(x.next_up(), NOBODY);
            x = chains.x(run, 0);
            continue;
        };
        sweep.cell(x, end);
        x = end;
    }
}

impl Sweep<'_, '_> {
    fn push(&mut self, start: f64, run: u32) {
        while self.segments.last().is_some_and(|last| last.start >= start) {
            self.segments.pop();
        }
        if self.segments.last().is_none_or(|last| last.run != run) {
            self.segments.push(Segment { start, run });
        }
    }

    fn run(&self, index: u32) -> &Run {
        &self.runs[index as usize]
    }

    fn link(&self, active: Active) -> Link {
        self.chains.link(self.run(active.run), active.link as usize)
    }

    /// Moves every active run to `x`, takes in those that start there.
    fn arrive(&mut self, x: f64) {
        self.points.clear();
        let mut kept = 0;
        for i in 0..self.active.len() {
            let mut active = self.active[i];
            let run = self.runs[active.run as usize];
            let last = run.len() - 1;
            let mut k = active.link as usize;
            while k < last && self.chains.x(&run, k + 1) <= x {
                k += 1;
            }
            if k == last {
                self.points.push(active.run);
            } else {
                active.link = narrow(k);
                self.active[kept] = active;
                kept += 1;
            }
        }
        self.active.truncate(kept);
        while let Some(run) = self.runs.get(self.next) {
            if self.chains.x(run, 0) > x {
                break;
            }
            let index = narrow(self.next);
            if run.len() == 1 {
                self.points.push(index);
            } else {
                self.active.push(Active {
                    run: index,
                    link: 0,
                });
            }
            self.next += 1;
        }
    }

    /// Next abscissa at which something starts, ends or bends; `None` if nothing is active.
    fn cell_end(&self) -> Option<f64> {
        let start = self
            .runs
            .get(self.next)
            .map_or(f64::INFINITY, |run| self.chains.x(run, 0));
        match &self.active[..] {
            [] => None,
            [only] => {
                let run = self.run(only.run);
                Some(start.min(self.chains.x(run, run.len() - 1)))
            }
            several => Some(several.iter().fold(start, |end, active| {
                end.min(
                    self.chains
                        .x(self.run(active.run), active.link as usize + 1),
                )
            })),
        }
    }

    /// Best of the points at the present abscissa; of equal ones the first run.
    fn best_point(&self) -> Option<u32> {
        self.points.iter().copied().reduce(|best, other| {
            let (a, b) = (self.point_value(best), self.point_value(other));
            if b > a || (same(b, a) && other < best) {
                other
            } else {
                best
            }
        })
    }

    fn point_value(&self, run: u32) -> f64 {
        let run = self.run(run);
        self.chains.candidates.value[run.at(run.len() - 1)]
    }

    /// Owners of the cell from `x` to `end`.
    fn cell(&mut self, x: f64, end: f64) {
        let mut owner = self.active[0];
        for i in 1..self.active.len() {
            let rival = self.active[i];
            if self.is_better(rival, owner, x) {
                owner = rival;
            }
        }
        let mut from = x;
        if let Some(point) = self.best_point() {
            let run = self.run(point);
            let value = self.chains.point(run, run.len() - 1);
            if value.compare_at(&self.link(owner), x) == Ordering::Greater {
                self.push(x, point);
                from = x.next_up();
                if from >= end {
                    return;
                }
                owner = self.best_at(from);
            }
        }
        self.push(from, owner.run);
        if self.active.len() > 1 {
            self.wrap(owner, from, end);
        }
    }

    fn best_at(&self, x: f64) -> Active {
        let first = self.active[0];
        self.active[1..].iter().fold(first, |best, &rival| {
            if self.is_better(rival, best, x) {
                rival
            } else {
                best
            }
        })
    }

    /// Value, slope, then the smaller index.
    fn is_better(&self, rival: Active, owner: Active, x: f64) -> bool {
        let (a, b) = (self.link(rival), self.link(owner));
        match a.compare_at(&b, x).then_with(|| a.compare_slope(&b, x)) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => rival.run < owner.run,
        }
    }

    /// Hands over from owner to owner until the end of the cell.
    fn wrap(&mut self, mut owner: Active, mut from: f64, end: f64) {
        while from < end {
            let line = self.link(owner);
            let mut next: Option<(f64, Active)> = None;
            for i in 0..self.active.len() {
                let rival = self.active[i];
                if rival.run == owner.run {
                    continue;
                }
                let Some(at) = line.takeover(&self.link(rival), from, end) else {
                    continue;
                };
                let better = match next {
                    None => true,
                    Some((x, best)) => at < x || (at <= x && self.is_better(rival, best, at)),
                };
                if better {
                    next = Some((at, rival));
                }
            }
            match next {
                Some((at, rival)) if at < end => {
                    self.push(at, rival.run);
                    (owner, from) = (rival, at);
                }
                // A change at the end is decided by the next cell.
                _ => return,
            }
        }
    }
}
