//! The sweep from left to right that finds the owner of every stretch.

use std::cmp::Ordering;

use super::EnvelopeWorkspace;
use super::emit::link_at;
use super::link::{Chains, Link};
use super::runs::{Run, narrow};
use crate::arithmetic::same;

/// A run that covers the present abscissa, and the link on which it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Active {
    pub(super) run: u32,
    pub(super) link: u32,
}

impl Active {
    /// No run.
    pub(super) const NONE: Self = Self {
        run: NOBODY,
        link: 0,
    };
}

/// From `start` on (up to the next segment) `run` owns, [`NOBODY`] for a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    pub(super) start: f64,
    pub(super) run: u32,
}

/// The run of a gap.
pub(super) const NOBODY: u32 = u32::MAX;

/// A walk over cells from left to right.
pub(super) struct Walk<'a, 'b> {
    pub(super) chains: &'a Chains<'a>,
    pub(super) runs: &'b [Run],
    /// Runs that go on to the right of the present abscissa, in ascending order.
    pub(super) active: &'b mut Vec<Active>,
    /// Runs that end at, or consist of, the present abscissa.
    pub(super) points: &'b mut Vec<u32>,
    pub(super) segments: &'b mut Vec<Segment>,
}

/// A walk that knows which runs are next.
struct Sweep<'a, 'b> {
    walk: Walk<'a, 'b>,
    next: usize,
}

/// Finds the owners.
pub(super) fn sweep(chains: &Chains<'_>, workspace: &mut EnvelopeWorkspace) {
    workspace.active.clear();
    workspace.points.clear();
    workspace.segments.clear();
    let mut sweep = Sweep {
        walk: Walk {
            chains,
            runs: &workspace.runs,
            active: &mut workspace.active,
            points: &mut workspace.points,
            segments: &mut workspace.segments,
        },
        next: 0,
    };
    let Some(first) = sweep.walk.runs.first() else {
        return;
    };
    let mut x = chains.x(first, 0);
    loop {
        sweep.arrive(x);
        let Some(end) = sweep.cell_end() else {
            // Nothing goes on to the right.
            if let Some(best) = sweep.walk.best_point() {
                sweep.walk.push(x, best);
            }
            let Some(run) = sweep.walk.runs.get(sweep.next) else {
                return;
            };
            sweep.walk.push_gap(x);
            x = chains.x(run, 0);
            continue;
        };
        let owner = sweep.walk.best_at(x);
        sweep.walk.cell_of(owner, x, end);
        x = end;
    }
}

impl Sweep<'_, '_> {
    /// Moves every active run to `x`, takes in those that start there.
    fn arrive(&mut self, x: f64) {
        self.walk.points.clear();
        let mut kept = 0;
        for i in 0..self.walk.active.len() {
            let mut active = self.walk.active[i];
            let run = self.walk.runs[active.run as usize];
            let last = run.len() - 1;
            let mut k = active.link as usize;
            while k < last && self.walk.chains.x(&run, k + 1) <= x {
                k += 1;
            }
            if k == last {
                self.walk.points.push(active.run);
            } else {
                active.link = narrow(k);
                self.walk.active[kept] = active;
                kept += 1;
            }
        }
        self.walk.active.truncate(kept);
        while let Some(run) = self.walk.runs.get(self.next) {
            if self.walk.chains.x(run, 0) > x {
                break;
            }
            let index = narrow(self.next);
            if run.len() == 1 {
                self.walk.points.push(index);
            } else {
                self.walk.active.push(Active {
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
            .walk
            .runs
            .get(self.next)
            .map_or(f64::INFINITY, |run| self.walk.chains.x(run, 0));
        match &self.walk.active[..] {
            [] => None,
            [only] => {
                let run = self.walk.run(only.run);
                Some(start.min(self.walk.chains.x(run, run.len() - 1)))
            }
            several => Some(several.iter().fold(start, |end, active| {
                end.min(
                    self.walk
                        .chains
                        .x(self.walk.run(active.run), active.link as usize + 1),
                )
            })),
        }
    }
}

impl Walk<'_, '_> {
    pub(super) fn push(&mut self, start: f64, run: u32) {
        while self.segments.last().is_some_and(|last| last.start >= start) {
            self.segments.pop();
        }
        if self.segments.last().is_none_or(|last| last.run != run) {
            self.segments.push(Segment { start, run });
        }
    }

    /// Nobody owns what is right of `x`.
    pub(super) fn push_gap(&mut self, x: f64) {
        self.push(x.next_up(), NOBODY);
    }

    /// Finds what covers `x` and what ends there by looking at every run.
    pub(super) fn gather(&mut self, x: f64) {
        self.active.clear();
        self.points.clear();
        for (index, run) in self.runs.iter().enumerate() {
            let (start, end) = (self.chains.x(run, 0), self.chains.x(run, run.len() - 1));
            if start > x {
                break;
            }
            let index = narrow(index);
            if end > x {
                let link = narrow(link_at(self.chains, run, x));
                self.active.push(Active { run: index, link });
            } else if end >= x {
                self.points.push(index);
            }
        }
    }

    fn run(&self, index: u32) -> &Run {
        &self.runs[index as usize]
    }

    fn link(&self, active: Active) -> Link {
        self.chains.link(self.run(active.run), active.link as usize)
    }

    /// Best of the points at the present abscissa; of equal ones the first run.
    pub(super) fn best_point(&self) -> Option<u32> {
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

    /// Owners of the cell from `x` to `end`, of whose links `owner` is the best.
    pub(super) fn cell_of(&mut self, mut owner: Active, x: f64, end: f64) {
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
