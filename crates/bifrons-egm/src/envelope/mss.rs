//! Maxima at the candidates' abscissae, with the crossings of neighbouring owners.

use super::ltm::{Best, abscissae, best_at};
use super::{EnvelopeReport, EnvelopeWorkspace};
use crate::candidate::Candidates;
use crate::row::{Record, Row};

/// The row of maxima and accepted crossings.
pub(super) fn maxima(
    candidates: &Candidates<'_>,
    workspace: &mut EnvelopeWorkspace,
    out: &mut Row,
    report: &mut EnvelopeReport,
) {
    abscissae(candidates, &mut workspace.order);
    let mut before: Option<Best> = None;
    for &i in &workspace.order {
        let Some(best) = best_at(candidates, &workspace.runs, candidates.x[i as usize]) else {
            continue;
        };
        if let Some(old) = before
            && old.run != best.run
        {
            report.changes += 1;
            cross(candidates, workspace, (old, best), out);
        }
        out.push(best.record);
        before = Some(best);
    }
}

/// Inserts the crossing of two owners, unless a third one is above it there.
fn cross(
    candidates: &Candidates<'_>,
    workspace: &EnvelopeWorkspace,
    (old, new): (Best, Best),
    out: &mut Row,
) {
    let (left, right) = (old.record, new.record);
    // Values of the new owner's line at the old abscissa and back.
    let behind = right.value - new.slope * (right.x - left.x);
    let gap = left.value - behind;
    let closing = new.slope - old.slope;
    let x = left.x + gap / closing;
    if !(closing > 0.0 && x > left.x && x < right.x) {
        return;
    }
    let value = left.value + old.slope * (x - left.x);
    let Some(best) = best_at(candidates, &workspace.runs, x) else {
        return;
    };
    let slack = (1e-5 * value.abs() + 1e-7).max(8.0 * f64::EPSILON);
    if (best.record.value - value).abs() > slack {
        return;
    }
    let only = |run: usize| best_at(candidates, &workspace.runs[run..=run], x);
    for owner in [old.run, new.run] {
        if let Some(side) = only(owner) {
            out.push(Record {
                x,
                value,
                ..side.record
            });
        }
    }
}
