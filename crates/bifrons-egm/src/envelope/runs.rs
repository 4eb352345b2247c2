//! Monotone runs of a chain of candidates.

use std::cmp::Ordering;

use super::Descending;
use crate::candidate::Candidates;

/// Candidates `first ..= last`, from left to right, or the other way round if `descending`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) descending: bool,
}

impl Run {
    /// Number of points.
    pub(super) const fn len(&self) -> usize {
        (self.last - self.first) as usize + 1
    }

    /// Candidate of point `k`, from left to right.
    #[inline(always)]
    pub(super) const fn at(&self, k: usize) -> usize {
        if self.descending {
            self.last as usize - k
        } else {
            self.first as usize + k
        }
    }
}

/// Position of a candidate; more than `u32::MAX` candidates do not fit into memory.
#[expect(
    clippy::cast_possible_truncation,
    reason = "candidates are fewer than u32::MAX"
)]
pub(super) const fn narrow(i: usize) -> u32 {
    i as u32
}

/// Direction of a link; `Equal` for a link of width zero.
fn direction(candidates: &Candidates<'_>, i: usize) -> Option<Ordering> {
    let linked = candidates.is_live(i)
        && candidates.is_live(i + 1)
        && candidates.label(i) == candidates.label(i + 1);
    if linked {
        candidates.x[i + 1].partial_cmp(&candidates.x[i])
    } else {
        None
    }
}

/// Cuts the chains into runs and sorts these by what they contain; their number.
pub(super) fn find(
    candidates: &Candidates<'_>,
    descending: Descending,
    runs: &mut Vec<Run>,
) -> usize {
    runs.clear();
    let n = candidates.x.len();
    let mut push = |first: usize, last: usize, heading: Option<Ordering>| {
        let falls = heading == Some(Ordering::Less);
        if !falls || descending == Descending::Keep {
            runs.push(Run {
                first: narrow(first),
                last: narrow(last),
                descending: falls,
            });
        }
    };
    let mut i = 0;
    while i < n {
        if !candidates.is_live(i) {
            i += 1;
            continue;
        }
        let (mut first, mut heading) = (i, None);
        while i + 1 < n {
            match direction(candidates, i) {
                None => break,
                Some(Ordering::Equal) => {
                    push(first, i, heading);
                    (first, heading) = (i + 1, None);
                }
                turn @ Some(_) => {
                    if heading.is_some() && heading != turn {
                        push(first, i, heading);
                        first = i;
                    }
                    heading = turn;
                }
            }
            i += 1;
        }
        push(first, i, heading);
        i += 1;
    }
    runs.sort_unstable_by(|a, b| order(candidates, a, b));
    runs.len()
}

/// Order by `(x, value, policy)` at the first point, at the last one, then by length.
fn order(candidates: &Candidates<'_>, a: &Run, b: &Run) -> Ordering {
    let key = |i: usize| {
        [
            candidates.x[i] + 0.0,
            candidates.value[i] + 0.0,
            candidates.policy[i] + 0.0,
        ]
    };
    let by = |i: usize, j: usize| {
        let (p, q) = (key(i), key(j));
        p.iter()
            .zip(&q)
            .map(|(x, y)| x.total_cmp(y))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    };
    by(a.at(0), b.at(0))
        .then_with(|| by(a.at(a.len() - 1), b.at(b.len() - 1)))
        .then_with(|| a.len().cmp(&b.len()))
        .then_with(|| candidates.label(a.at(0)).cmp(&candidates.label(b.at(0))))
        .then_with(|| a.first.cmp(&b.first))
}
