//! Ranks of sorted queries by a merge.

use super::{narrow, rank};
use crate::error::ReadError;

/// Streams that a long merge is cut into. Each step of a merge waits for the one before it, so
/// several merges side by side keep the processor busy.
const STREAMS: usize = 4;

/// Queries from which on the cut pays.
const LONG: usize = 16 * STREAMS;

/// Nodes that are compared with a query at once.
const WIDE: usize = 4;

/// Ascending, NaN last.
pub(crate) fn check_sorted(queries: &[f64]) -> Result<(), ReadError> {
    let decreases = |pair: &&[f64]| {
        let (previous, query) = (pair[0], pair[1]);
        query < previous || (previous.is_nan() && !query.is_nan())
    };
    let clean = queries
        .windows(2)
        .fold(true, |clean, pair| clean & (pair[0] <= pair[1]));
    if clean {
        return Ok(());
    }
    match queries.windows(2).position(|pair| decreases(&pair)) {
        Some(i) => {
            let (previous, query) = (queries[i], queries[i + 1]);
            Err(ReadError::Unsorted {
                index: i + 1,
                previous,
                query,
            })
        }
        None => Ok(()),
    }
}

/// Ranks of sorted queries (NaN last).
#[inline(always)]
pub(crate) fn merge(nodes: &[f64], queries: &[f64], ranks: &mut [u32]) {
    if queries.len() < LONG {
        let start = queries.first().map_or(0, |&x| rank(nodes, x));
        let mut k = start;
        for (slot, &x) in ranks.iter_mut().zip(queries) {
            k = advance(nodes, k, x);
            *slot = narrow(k);
        }
        return;
    }
    let each = queries.len() / STREAMS;
    let (heads, rest) = queries.split_at(each * STREAMS);
    let (head_ranks, rest_ranks) = ranks.split_at_mut(each * STREAMS);
    let mut k: [usize; STREAMS] = core::array::from_fn(|s| rank(nodes, heads[s * each]));
    let (q0, q) = heads.split_at(each);
    let (q1, q) = q.split_at(each);
    let (q2, q3) = q.split_at(each);
    let (r0, r) = head_ranks.split_at_mut(each);
    let (r1, r) = r.split_at_mut(each);
    let (r2, r3) = r.split_at_mut(each);
    let (q3, r3) = (&q3[..each], &mut r3[..each]);
    for i in 0..each {
        k = [
            advance(nodes, k[0], q0[i]),
            advance(nodes, k[1], q1[i]),
            advance(nodes, k[2], q2[i]),
            advance(nodes, k[3], q3[i]),
        ];
        r0[i] = narrow(k[0]);
        r1[i] = narrow(k[1]);
        r2[i] = narrow(k[2]);
        r3[i] = narrow(k[3]);
    }
    let mut k = k[STREAMS - 1];
    for (slot, &x) in rest_ranks.iter_mut().zip(rest) {
        k = advance(nodes, k, x);
        *slot = narrow(k);
    }
}

/// The rank of `x`, not below `from`.
#[inline(always)]
fn advance(nodes: &[f64], from: usize, x: f64) -> usize {
    let mut rank = from;
    while let Some(window) = nodes.get(rank..rank + WIDE) {
        let below = window
            .iter()
            .fold(0, |below, &node| below + usize::from(passes(node, x)));
        rank += below;
        if below < WIDE {
            return rank;
        }
    }
    while rank < nodes.len() && passes(nodes[rank], x) {
        rank += 1;
    }
    rank
}

/// Whether a node is not above a query: NaN is above all nodes.
#[inline(always)]
fn passes(node: f64, x: f64) -> bool {
    !(x < node)
}
