//! Chains between cliffs, and curves of fixed savings.

use super::{CORNER, NbEgmOptions, SavingsBreak};
use crate::candidate::CandidateBuffer;
use crate::problem::SavingsProblem;
use crate::row::{Corner, Row};

/// Resources that differ by less than this share are one.
pub(super) const SAME: f64 = 1e-12;

/// Assembles the candidates of a step from its inverted nodes.
pub(super) struct Builder<'a> {
    pub(super) problem: &'a SavingsProblem<'a>,
    pub(super) breaks: &'a [SavingsBreak],
    pub(super) options: &'a NbEgmOptions,
    pub(super) row: &'a Row,
}

impl Builder<'_> {
    /// Writes all candidates; number of curves.
    pub(super) fn build(&self, corner: Option<Corner>, out: &mut CandidateBuffer) -> usize {
        let curves = self.breaks.len();
        out.reset(self.row.len() + (curves + 1) * self.options.curve_points);
        let live = || self.row.x.iter().filter(|x| !x.is_nan());
        let low = live().fold(f64::INFINITY, |low, &x| low.min(x));
        let high = live().fold(f64::NEG_INFINITY, |high, &x| high.max(x));
        if let Some(corner) = corner {
            self.push_corner(corner, (low, high), out);
        }
        let mut label = CORNER + 1;
        let mut count = 0;
        let mut next = 0;
        for i in 0..self.row.len() {
            if self.breaks.get(next).is_some_and(|at| at.node == i) {
                let at = self.breaks[next];
                next += 1;
                if at.is_cliff {
                    // The chain ends here; its curve has a label of its own.
                    count += usize::from(self.push_cliff(i, label + 1, (low, high), out));
                    label += 2;
                } else if self.is_weak(i) {
                    // Both sides are one candidate; rounding must not make it a fold.
                    continue;
                } else {
                    count += usize::from(self.push_kink(i, label, out));
                }
            }
            let row = self.row;
            out.push(
                row.x[i],
                row.value[i],
                row.policy[i],
                row.marginal[i],
                label,
            );
        }
        count
    }

    /// Whether both sides of the breakpoint before node `i` are the same candidate.
    fn is_weak(&self, i: usize) -> bool {
        let (a, b) = (self.row.x[i - 1], self.row.x[i]);
        (b - a).abs() <= SAME * a.abs()
    }

    /// The constrained region, up to where it joins the first chain or to the end.
    fn push_corner(&self, corner: Corner, (low, high): (f64, f64), out: &mut CandidateBuffer) {
        let row = self.row;
        let starts = row.x.first().is_some_and(|x| !x.is_nan());
        let joins = starts && row.x.get(1).is_some_and(|&next| next > row.x[0]);
        let end = if joins { row.x[0] } else { high };
        if !(low < end) {
            return;
        }
        let range = (low - corner.savings, end - corner.savings);
        self.push_curve(corner.savings, corner.continuation, range, CORNER, out);
        if joins {
            // The last point is the first node of the chain, to the bit.
            let last = out.len() - 1;
            out.x[last] = row.x[0];
            out.value[last] = row.value[0];
            out.policy[last] = row.policy[0];
            out.marginal[last] = row.marginal[0];
        }
    }

    /// Savings that stay on the better side of the cliff before node `i`.
    fn push_cliff(
        &self,
        i: usize,
        label: u32,
        (low, high): (f64, f64),
        out: &mut CandidateBuffer,
    ) -> bool {
        let (below, above) = (self.problem.value[i - 1], self.problem.value[i]);
        let at = if below >= above { i - 1 } else { i };
        let (savings, policy) = (self.problem.savings[at], self.row.policy[at]);
        let continuation = self.problem.discount * self.problem.value[at];
        // Below the cliff more is consumed than the Euler equation says, above it less.
        let range = if at < i {
            let from = if policy.is_nan() {
                low - savings
            } else {
                policy
            };
            (from, high - savings)
        } else {
            let to = if policy.is_nan() {
                high - savings
            } else {
                policy
            };
            (low - savings, to)
        };
        self.push_curve(savings, continuation, range, label, out)
    }

    /// Savings that stay at the kink between nodes `i - 1` and `i`, inside of the chain.
    fn push_kink(&self, i: usize, label: u32, out: &mut CandidateBuffer) -> bool {
        let (from, to) = (self.row.policy[i - 1], self.row.policy[i]);
        if !(to > from) {
            return false;
        }
        let savings = self.problem.savings[i - 1];
        let continuation = self.problem.discount * self.problem.value[i - 1];
        let count = self.points(from, to);
        let ratio = (to / from).ln() / (count - 1) as f64;
        for k in 1..count - 1 {
            self.push_point(
                savings,
                continuation,
                from * (ratio * k as f64).exp(),
                label,
                out,
            );
        }
        true
    }

    fn points(&self, from: f64, to: f64) -> usize {
        let wanted = ((to / from).ln() / self.options.curve_ratio.ln()).ceil();
        let most = self.options.curve_points.max(2);
        // Saturating: NaN gives zero, infinity the largest number.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bounded on both sides right after"
        )]
        let count = wanted as usize;
        count.saturating_add(2).clamp(2, most)
    }

    fn push_curve(
        &self,
        savings: f64,
        continuation: f64,
        (from, to): (f64, f64),
        label: u32,
        out: &mut CandidateBuffer,
    ) -> bool {
        // Where nothing is left, a curve has no beginning: start at a small share of its end.
        let from = if from > 1e-6 * to { from } else { 1e-6 * to };
        if !(to > from && continuation.is_finite()) {
            return false;
        }
        let count = self.points(from, to);
        let ratio = (to / from).ln() / (count - 1) as f64;
        for k in 0..count {
            let c = if k + 1 == count {
                to
            } else {
                from * (ratio * k as f64).exp()
            };
            self.push_point(savings, continuation, c, label, out);
        }
        true
    }

    fn push_point(
        &self,
        savings: f64,
        continuation: f64,
        consumption: f64,
        label: u32,
        out: &mut CandidateBuffer,
    ) {
        let utility = self.problem.utility;
        let marginal = utility.marginal(consumption);
        let value = utility.value_at(consumption, marginal) + continuation;
        out.push(savings + consumption, value, consumption, marginal, label);
    }
}
