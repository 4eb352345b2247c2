//! The loops of a read, block by block.

use std::ops::Range;

use bifrons_lanes::{Kernel, LANES};

use super::{Above, MarginalRead, Readings, RowReader};
use crate::utility::Utility;

/// Queries that are read together; their ranks stay on the stack.
pub(super) const BLOCK: usize = 256;

/// The same for few queries, whose cost is the room on the stack.
pub(super) const SHORT: usize = 16;

/// `x, v, b1, b2, b3, c, c1, stored value`: value `v + d (b1 + d (b2 + d b3))`, policy `c + d c1`.
pub(super) type Piece = [f64; 8];

/// Values, policies and raw marginals of a block.
pub(super) struct Block<'a> {
    pub(super) pieces: &'a [Piece],
    pub(super) extra: &'a [[f64; 2]],
    pub(super) ranks: &'a [u32],
    pub(super) queries: &'a [f64],
    pub(super) value: &'a mut [f64],
    pub(super) policy: &'a mut [f64],
    pub(super) raw: &'a mut [f64],
    pub(super) derivative: bool,
}

#[inline(always)]
fn cubic(p: &Piece, d: f64) -> f64 {
    let value = p[1] + d * (p[2] + d * (p[3] + d * p[4]));
    if d == 0.0 { p[1] } else { value }
}

#[inline(always)]
fn line(c: f64, slope: f64, d: f64) -> f64 {
    let value = c + d * slope;
    if d == 0.0 { c } else { value }
}

impl Kernel for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let count = self.queries.len();
        let Some(last) = self.pieces.len().checked_sub(1) else {
            self.value.fill(f64::NAN);
            self.policy.fill(f64::NAN);
            return;
        };
        let pieces = &self.pieces[..=last];
        let (ranks, value) = (&self.ranks[..count], &mut self.value[..count]);
        let (policy, raw) = (&mut self.policy[..count], &mut self.raw[..count]);
        let mut from = 0;
        while from + LANES <= count {
            let to = from + LANES;
            let mut p = [[0.0; 8]; LANES];
            for (slot, &rank) in p.iter_mut().zip(&ranks[from..to]) {
                *slot = pieces[(rank as usize).min(last)];
            }
            let xs = &self.queries[from..to];
            let (vs, cs) = (&mut value[from..to], &mut policy[from..to]);
            for lane in 0..LANES {
                let d = xs[lane] - p[lane][0];
                vs[lane] = cubic(&p[lane], d);
                cs[lane] = line(p[lane][5], p[lane][6], d);
            }
            from = to;
        }
        for i in from..count {
            let p = &pieces[(ranks[i] as usize).min(last)];
            let d = self.queries[i] - p[0];
            value[i] = cubic(p, d);
            policy[i] = line(p[5], p[6], d);
        }
        if self.derivative {
            for i in 0..count {
                let p = &pieces[(ranks[i] as usize).min(last)];
                let d = self.queries[i] - p[0];
                raw[i] = p[2] + d * (2.0 * p[3] + d * (3.0 * p[4]));
            }
        } else if !self.extra.is_empty() {
            for i in 0..count {
                let rank = (ranks[i] as usize).min(last);
                let [c, slope] = self.extra[rank.min(self.extra.len() - 1)];
                raw[i] = line(c, slope, self.queries[i] - pieces[rank][0]);
            }
        }
    }
}

impl RowReader {
    /// Corner below the first record, continuation above the last one.
    pub(super) fn read_outside(
        &self,
        utility: &dyn Utility,
        queries: &[f64],
        (below, above): (usize, Range<usize>),
        raw: &mut [f64],
        out: &mut Readings<'_>,
    ) {
        if let Some(corner) = self.corner {
            let policy = &mut out.policy[..below];
            for (slot, &q) in policy.iter_mut().zip(queries) {
                *slot = q - corner.savings;
            }
            utility.values_into(policy, &mut out.value[..below]);
            for slot in &mut out.value[..below] {
                *slot += corner.continuation;
            }
            if self.options.marginal != MarginalRead::ViaPolicy {
                utility.marginals_into(policy, &mut raw[..below]);
            } else if !self.extra.is_empty() {
                raw[..below].copy_from_slice(policy);
            }
        }
        let n = self.x.len();
        let (Some(&last), Some(piece)) = (self.x.last(), self.pieces.get(n)) else {
            return;
        };
        for i in above {
            if self.options.above == Above::Clamp {
                (out.value[i], out.policy[i], raw[i]) = (piece[7], piece[5], 0.0);
                continue;
            }
            // Simpson's rule for the integral of the marginal utility.
            let d = queries[i] - last;
            let [c, slope] = if self.options.marginal == MarginalRead::ViaPolicy {
                self.extra.get(n).copied().unwrap_or([piece[5], piece[6]])
            } else {
                [piece[5], piece[6]]
            };
            let middle = utility.marginal(c + 0.5 * d * slope);
            let end = utility.marginal(c + d * slope);
            let rise = (self.last_marginal + 4.0 * middle + end) / 6.0 * d;
            // A slope of zero stays zero: one record is a constant function.
            let rise = if self.last_marginal == 0.0 { 0.0 } else { rise };
            out.value[i] = piece[7] + rise;
            if self.options.marginal != MarginalRead::ViaPolicy {
                raw[i] = if self.last_marginal == 0.0 { 0.0 } else { end };
            }
        }
    }

    /// Marginals from policies or from what was read.
    pub(super) fn finish_marginals(
        &self,
        utility: &dyn Utility,
        raw: &[f64],
        out: &mut Readings<'_>,
        (below, above): (usize, Range<usize>),
    ) {
        match self.options.marginal {
            MarginalRead::ViaPolicy if self.extra.is_empty() => {
                utility.marginals_into(out.policy, out.marginal);
            }
            MarginalRead::ViaPolicy => utility.marginals_into(raw, out.marginal),
            _ => out.marginal.copy_from_slice(raw),
        }
        if self.x.len() == 1 {
            let from = if self.corner.is_some() { below } else { 0 };
            out.marginal[from..above.end].fill(0.0);
        } else if self.options.above == Above::Clamp {
            out.marginal[above].fill(0.0);
        }
        let checked = if self.infinite {
            out.value.len()
        } else {
            below
        };
        for (slot, &value) in out.marginal[..checked].iter_mut().zip(&*out.value) {
            if value == f64::NEG_INFINITY {
                *slot = 0.0;
            }
        }
    }
}
