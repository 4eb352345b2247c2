//! Fast upper-envelope scan.

use super::runs::narrow;
use super::{EnvelopeReport, EnvelopeWorkspace};
use crate::arithmetic::same;
use crate::candidate::Candidates;
use crate::row::{Record, Row};

/// A record that the scan has accepted, and the candidate that it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    record: Record,
    /// Place in the sorted list; `u32::MAX` for an inserted crossing.
    place: u32,
}

const CROSSING: u32 = u32::MAX;

/// One scan.
pub(super) struct Scan<'a> {
    pub(super) candidates: Candidates<'a>,
    pub(super) jump_threshold: f64,
    pub(super) points_to_scan: usize,
}

#[derive(Clone, Copy)]
struct Point {
    x: f64,
    v: f64,
    c: f64,
}

impl Point {
    fn savings(self) -> f64 {
        self.x - self.c
    }

    fn chord(self, other: Self) -> f64 {
        (other.v - self.v) / (other.x - self.x)
    }
}

impl Scan<'_> {
    pub(super) fn run(
        &self,
        workspace: &mut EnvelopeWorkspace,
        out: &mut Row,
        report: &mut EnvelopeReport,
    ) {
        self.sort(&mut workspace.order);
        let (order, kept) = (&workspace.order, &mut workspace.kept);
        report.low_threshold = self.is_low(order);
        kept.clear();
        for place in 0..order.len() {
            self.take(order, place, kept);
        }
        for (i, item) in kept.iter().enumerate() {
            // A third record at one abscissa stands for a branch without width.
            let third = i >= 2 && same(kept[i - 2].record.x, item.record.x);
            if !third {
                out.push(item.record);
            }
        }
        report.changes = kept.iter().filter(|item| item.place == CROSSING).count() / 2;
    }

    fn point(&self, order: &[u32], place: usize) -> Point {
        let i = order[place] as usize;
        Point {
            x: self.candidates.x[i],
            v: self.candidates.value[i],
            c: self.candidates.policy[i],
        }
    }

    /// By abscissa, then value; of one abscissa only the best remain, one per savings.
    fn sort(&self, order: &mut Vec<u32>) {
        let Candidates {
            x, value, policy, ..
        } = self.candidates;
        order.clear();
        order.extend(
            (0..x.len())
                .filter(|&i| self.candidates.is_live(i))
                .map(narrow),
        );
        order.sort_unstable_by(|&a, &b| {
            let (i, j) = (a as usize, b as usize);
            let by_x = x[i].total_cmp(&x[j]).then(value[j].total_cmp(&value[i]));
            by_x.then(policy[j].total_cmp(&policy[i])).then(a.cmp(&b))
        });
        let mut best = f64::NAN;
        let mut last = (f64::NAN, f64::NAN);
        order.retain(|&i| {
            let i = i as usize;
            if !same(x[i], last.0) {
                best = value[i];
                last = (x[i], policy[i]);
                return true;
            }
            let keep = value[i] >= best && !same(policy[i], last.1);
            if keep {
                last.1 = policy[i];
            }
            keep
        });
    }

    /// Whether the policy of a branch jumps more than the threshold allows for.
    fn is_low(&self, order: &[u32]) -> bool {
        let label = |place: usize| self.candidates.label(order[place] as usize);
        (1..order.len()).any(|place| {
            let (a, b) = (self.point(order, place - 1), self.point(order, place));
            let steep = (b.c - a.c).abs() / (b.x - a.x);
            !self.candidates.label.is_empty()
                && label(place) == label(place - 1)
                && 1.0 + steep >= self.jump_threshold
        })
    }

    fn differs(&self, order: &[u32], a: usize, b: usize) -> bool {
        let (p, q) = (self.point(order, a), self.point(order, b));
        let change = ((q.savings() - p.savings()) / (q.x - p.x)).abs();
        let labels = [a, b].map(|place| self.candidates.label(order[place] as usize));
        change > self.jump_threshold || labels[0] != labels[1]
    }

    /// The next candidate on the segment of `place`, among those after `from`.
    fn ahead(&self, order: &[u32], place: usize, from: usize) -> Option<usize> {
        let to = from
            .saturating_add(1)
            .saturating_add(self.points_to_scan)
            .min(order.len());
        (from + 1..to).find(|&other| !self.differs(order, place, other))
    }

    fn behind(&self, order: &[u32], place: usize) -> Option<usize> {
        let to = place.saturating_sub(self.points_to_scan);
        (to..place)
            .rev()
            .find(|&other| !self.differs(order, place, other))
    }

    /// Decides on the next candidate.
    fn take(&self, order: &[u32], place: usize, kept: &mut Vec<Kept>) {
        let i = self.point(order, place);
        let label = order[place] as usize;
        let item = Kept {
            record: Record {
                x: i.x,
                value: i.v,
                policy: i.c,
                marginal: self.candidates.slope(label),
                owner: self.candidates.label(label),
            },
            place: narrow(place),
        };
        let Some(last) = kept.iter().rposition(|old| old.place != CROSSING) else {
            kept.push(item);
            return;
        };
        let at = kept[last].place as usize;
        let j = self.point(order, at);
        let switch = self.differs(order, at, place);
        let k = kept[..last]
            .iter()
            .rev()
            .find(|old| old.record.x < j.x)
            .map(|old| old.record);
        if self.is_dropped(order, (at, place), switch, k) {
            return;
        }
        if switch {
            self.connect(order, (at, place), last, kept);
        }
        kept.push(item);
    }

    fn is_dropped(
        &self,
        order: &[u32],
        (at, place): (usize, usize),
        switch: bool,
        k: Option<Record>,
    ) -> bool {
        let (j, i) = (self.point(order, at), self.point(order, place));
        if !switch && i.v < j.v {
            return true;
        }
        let before = k.map_or(0.0, |k| (j.v - k.value) / (j.x - k.x));
        if i.savings() < j.savings() && j.chord(i) < before {
            return true;
        }
        switch
            && self
                .ahead(order, at, place)
                .is_some_and(|next| j.chord(i) < i.chord(self.point(order, next)))
    }

    /// The segments of the last accepted candidate and the new one meet, or the last one goes.
    fn connect(
        &self,
        order: &[u32],
        (at, place): (usize, usize),
        last: usize,
        kept: &mut Vec<Kept>,
    ) {
        let (j, i) = (self.point(order, at), self.point(order, place));
        let partner = self
            .ahead(order, place, place)
            .or_else(|| self.behind(order, place));
        let own = partner.map(|q| i.chord(self.point(order, q)));
        if let Some(slope) = own
            && j.v < i.v + slope * (j.x - i.x)
        {
            let k = kept[..last]
                .iter()
                .rev()
                .find(|old| old.record.x < j.x)
                .copied();
            kept.truncate(last);
            if let Some(k) = k {
                let p = Point {
                    x: k.record.x,
                    v: k.record.value,
                    c: k.record.policy,
                };
                self.insert(
                    (p, p.chord(j), (j.c - p.c) / (j.x - p.x)),
                    (i, slope),
                    (p.x, j.x),
                    kept,
                );
            }
            return;
        }
        let mate = self
            .ahead(order, at, place)
            .or_else(|| self.behind(order, at));
        if let (Some(slope), Some(mate)) = (own, mate) {
            let q = self.point(order, mate);
            self.insert(
                (j, j.chord(q), (q.c - j.c) / (q.x - j.x)),
                (i, slope),
                (j.x, i.x),
                kept,
            );
        }
    }

    /// Adds the crossing of two lines as two records, if it lies inside.
    fn insert(
        &self,
        (j, left, policy_slope): (Point, f64, f64),
        (i, right): (Point, f64),
        (low, high): (f64, f64),
        kept: &mut Vec<Kept>,
    ) {
        let gap = j.v + left * (i.x - j.x) - i.v;
        let x = i.x - gap / (left - right);
        let slack = 16.0 * f64::EPSILON * low.abs().max(high.abs());
        if !(x > low + slack && x < high - slack) {
            return;
        }
        let value = j.v + left * (x - j.x);
        let policies = [j.c + policy_slope * (x - j.x), i.c - (i.x - x)];
        for (policy, marginal) in policies.into_iter().zip([left, right]) {
            let owner = kept.last().map_or(0, |old| old.record.owner);
            let record = Record {
                x,
                value,
                policy,
                marginal,
                owner,
            };
            kept.push(Kept {
                record,
                place: CROSSING,
            });
        }
    }
}
