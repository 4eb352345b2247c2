//! From owners to records.

use super::link::Chains;
use super::runs::Run;
use super::sweep::NOBODY;
use super::{EnvelopeReport, EnvelopeWorkspace};
use crate::row::{Record, Row};

/// Writes the records of all segments.
pub(super) fn emit(
    chains: &Chains<'_>,
    workspace: &EnvelopeWorkspace,
    out: &mut Row,
    report: &mut EnvelopeReport,
) {
    let segments = &workspace.segments;
    for (i, segment) in segments.iter().enumerate() {
        if segment.run == NOBODY {
            report.gaps += 1;
            continue;
        }
        let run = &workspace.runs[segment.run as usize];
        let mut k = link_at(chains, run, segment.start);
        push(chains.record_at(run, k, segment.start), out);
        let last = run.len() - 1;
        let next = segments.get(i + 1);
        let gap = next.is_some_and(|next| next.run == NOBODY);
        // The end: exclusive, unless nothing follows.
        let end = match next {
            Some(next) if gap => next.start.next_down(),
            Some(next) => next.start,
            None => chains.x(run, last),
        };
        while k < last && chains.x(run, k + 1) < end {
            k += 1;
            if chains.x(run, k) > segment.start {
                push(chains.record(run, k), out);
            }
        }
        if end > segment.start {
            push(chains.record_at(run, k, end), out);
        }
        if gap && let Some(owner) = out.owner.last_mut() {
            *owner = Row::GAP;
        }
        if next.is_some() && !gap {
            report.changes += 1;
        }
    }
}

/// The link that covers `x` or starts there; the last point if the run ends at or before `x`.
pub(super) fn link_at(chains: &Chains<'_>, run: &Run, x: f64) -> usize {
    let (mut low, mut high) = (0, run.len());
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if chains.x(run, middle) <= x {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Appends a record; one that differs from the last only in its owner replaces it.
fn push(record: Record, out: &mut Row) {
    let n = out.len();
    let same = n > 0 && {
        let bits = [record.x, record.value, record.policy, record.marginal].map(f64::to_bits);
        let last = [
            out.x[n - 1],
            out.value[n - 1],
            out.policy[n - 1],
            out.marginal[n - 1],
        ];
        bits == last.map(f64::to_bits)
    };
    if same {
        out.owner[n - 1] = record.owner;
    } else {
        out.push(record);
    }
}
