//! Largest value over all links at each candidate's abscissa, in ordinary arithmetic.

use super::EnvelopeWorkspace;
use super::runs::{Run, narrow};
use crate::arithmetic::same;
use crate::candidate::Candidates;
use crate::row::{Record, Row};

/// The best link at an abscissa.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    pub(super) run: usize,
    pub(super) record: Record,
    pub(super) slope: f64,
}

/// Points `k` and `k + 1` of a run with `x_k ≤ x ≤ x_{k+1}`, the right one of two.
fn covering(candidates: &Candidates<'_>, run: &Run, x: f64) -> Option<usize> {
    let at = |k: usize| candidates.x[run.at(k)];
    let last = run.len() - 1;
    if last == 0 || x < at(0) || x > at(last) {
        return None;
    }
    let (mut low, mut high) = (0, last);
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if at(middle) <= x {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

fn linear(candidates: &Candidates<'_>, run: &Run, k: usize, x: f64) -> (Record, f64) {
    let (i, j) = (run.at(k), run.at(k + 1));
    let (x0, x1) = (candidates.x[i], candidates.x[j]);
    let share = (x - x0) / (x1 - x0);
    let blend = |channel: &[f64]| {
        if x <= x0 {
            channel[i]
        } else if x >= x1 {
            channel[j]
        } else {
            channel[i] + share * (channel[j] - channel[i])
        }
    };
    let slope = (candidates.value[j] - candidates.value[i]) / (x1 - x0);
    let known = !candidates.marginal.is_empty();
    let record = Record {
        x,
        value: blend(candidates.value),
        policy: blend(candidates.policy),
        marginal: if known {
            blend(candidates.marginal)
        } else {
            slope
        },
        owner: candidates.label(i),
    };
    (record, slope)
}

/// The link with the largest value at `x`; of equal ones what goes on to the right, the steeper,
/// the first run.
pub(super) fn best_at(candidates: &Candidates<'_>, runs: &[Run], x: f64) -> Option<Best> {
    let mut best: Option<(Best, bool)> = None;
    for (index, run) in runs.iter().enumerate() {
        let Some(k) = covering(candidates, run, x) else {
            continue;
        };
        let (record, slope) = linear(candidates, run, k, x);
        let goes_on = x < candidates.x[run.at(run.len() - 1)];
        let wins = best.is_none_or(|(old, old_goes_on)| {
            let tie = same(record.value, old.record.value);
            record.value > old.record.value
                || (tie && goes_on && !old_goes_on)
                || (tie && goes_on == old_goes_on && slope > old.slope)
        });
        if wins {
            let run = index;
            best = Some((Best { run, record, slope }, goes_on));
        }
    }
    best.map(|(best, _)| best)
}

/// Distinct abscissae of live candidates, ascending, as positions of candidates.
pub(super) fn abscissae(candidates: &Candidates<'_>, order: &mut Vec<u32>) {
    order.clear();
    let live = (0..candidates.x.len())
        .filter(|&i| candidates.is_live(i))
        .map(narrow);
    order.extend(live);
    let x = |i: &u32| candidates.x[*i as usize];
    order.sort_unstable_by(|a, b| x(a).total_cmp(&x(b)).then(a.cmp(b)));
    order.dedup_by(|a, b| same(x(a), x(b)));
}

/// The row of maxima.
pub(super) fn maxima(
    candidates: &Candidates<'_>,
    workspace: &mut EnvelopeWorkspace,
    out: &mut Row,
) {
    abscissae(candidates, &mut workspace.order);
    for &i in &workspace.order {
        if let Some(best) = best_at(candidates, &workspace.runs, candidates.x[i as usize]) {
            out.push(best.record);
        }
    }
}
