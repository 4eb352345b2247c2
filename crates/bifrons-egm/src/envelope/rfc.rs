//! Rooftop cut: deletes candidates below the tangent of another branch.

use super::runs::narrow;
use super::{EnvelopeReport, EnvelopeWorkspace};
use crate::arithmetic::same;
use crate::candidate::Candidates;
use crate::row::{Record, Row};

/// Keeps the candidates that no tangent within the radius cuts.
pub(super) fn cut(
    candidates: &Candidates<'_>,
    threshold: f64,
    radius: usize,
    workspace: &mut EnvelopeWorkspace,
    out: &mut Row,
    report: &mut EnvelopeReport,
) {
    let order = &mut workspace.order;
    order.clear();
    order.extend(
        (0..candidates.x.len())
            .filter(|&i| candidates.is_live(i))
            .map(narrow),
    );
    let x = |i: u32| candidates.x[i as usize];
    let (v, c) = (candidates.value, candidates.policy);
    order.sort_unstable_by(|&a, &b| {
        let later = v[b as usize].total_cmp(&v[a as usize]);
        x(a).total_cmp(&x(b)).then(later).then(a.cmp(&b))
    });
    let is_cut = |at: usize| {
        let l = order[at] as usize;
        let from = at.saturating_sub(radius);
        let to = (at.saturating_add(radius)).min(order.len() - 1);
        (from..=to).filter(|&other| other != at).any(|other| {
            let j = order[other] as usize;
            let (dx, dv) = (x(order[at]) - x(order[other]), v[l] - v[j]);
            let rise = candidates.slope(j) * dx;
            let slack = 16.0 * f64::EPSILON * dv.abs().max(rise.abs());
            dv < rise - slack && (c[l] - c[j]).abs() > threshold * dx.abs()
        })
    };
    for at in 0..order.len() {
        let i = order[at] as usize;
        let same = out
            .x
            .last()
            .is_some_and(|&last| same(last, candidates.x[i]));
        if !is_cut(at) && !same {
            out.push(Record {
                x: candidates.x[i],
                value: v[i],
                policy: c[i],
                marginal: candidates.slope(i),
                owner: candidates.label(i),
            });
        }
    }
    report.wide_gap = has_wide_gap(candidates, &workspace.order, &out.x);
}

/// Whether two survivors are further apart than three times the widest spacing around them.
fn has_wide_gap(candidates: &Candidates<'_>, order: &[u32], kept: &[f64]) -> bool {
    let x = |at: usize| candidates.x[order[at] as usize];
    if kept.is_empty() {
        return !order.is_empty();
    }
    kept.windows(2).any(|pair| {
        let between = (1..order.len()).filter(|&at| x(at) > pair[0] && x(at - 1) < pair[1]);
        let spacing = between.map(|at| x(at) - x(at - 1)).fold(0.0, f64::max);
        pair[1] - pair[0] > 3.0 * spacing
    })
}
