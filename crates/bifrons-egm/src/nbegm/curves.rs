//! Chains between cliffs, and curves of fixed savings.

use super::{CORNER, NbEgmOptions, SavingsBreak};
use crate::candidate::CandidateBuffer;
use crate::problem::SavingsProblem;
use crate::row::{Corner, Row};

/// Resources that differ by less than this share are one.
pub(super) const SAME: f64 = 1e-12;

/// Savings that stay, and the consumption for which they do.
struct Curve {
    savings: f64,
    continuation: f64,
    range: (f64, f64),
}

/// Where nothing is left, a curve has no beginning: it starts at a small share of its end.
fn beginning((from, to): (f64, f64)) -> f64 {
    if from > 1e-6 * to { from } else { 1e-6 * to }
}

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
        let live = || self.row.x.iter().filter(|x| !x.is_nan());
        let low = live().fold(f64::INFINITY, |low, &x| low.min(x));
        let high = live().fold(f64::NEG_INFINITY, |high, &x| high.max(x));
        out.reset(self.most(corner, (low, high)));
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

    /// Candidates at most: those of the nodes and the points of all curves.
    ///
    /// Kinks that fade from period to period are many and have two points each, so room for the
    /// longest curve at every breakpoint would be most of the memory of a step.
    fn most(&self, corner: Option<Corner>, ends: (f64, f64)) -> usize {
        let breaks = self.breaks.iter().filter(|at| at.node < self.row.len());
        let curves = breaks.map(|at| match at.is_cliff {
            true => self.length(self.cliff(at.node, ends).range),
            false if self.is_weak(at.node) => 0,
            false => self.length(self.kink_range(at.node)),
        });
        let corner = corner.map_or(0, |corner| self.length(self.corner_range(corner, ends).0));
        self.row.len() + corner + curves.sum::<usize>()
    }

    /// Whether the first chain starts with a record of its own, and the range of consumption
    /// below it.
    fn corner_range(&self, corner: Corner, (low, high): (f64, f64)) -> ((f64, f64), bool) {
        let row = self.row;
        let starts = row.x.first().is_some_and(|x| !x.is_nan());
        let joins = starts && row.x.get(1).is_some_and(|&next| next > row.x[0]);
        let end = if joins { row.x[0] } else { high };
        ((low - corner.savings, end - corner.savings), joins)
    }

    /// The constrained region, up to where it joins the first chain or to the end.
    fn push_corner(&self, corner: Corner, (low, high): (f64, f64), out: &mut CandidateBuffer) {
        let row = self.row;
        let (range, joins) = self.corner_range(corner, (low, high));
        let end = if joins { row.x[0] } else { high };
        if !(low < end) {
            return;
        }
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
        ends: (f64, f64),
        out: &mut CandidateBuffer,
    ) -> bool {
        let own = self.cliff(i, ends);
        self.push_curve(own.savings, own.continuation, own.range, label, out)
    }

    /// The better side of the cliff before node `i`, and the consumption that leaves it.
    fn cliff(&self, i: usize, (low, high): (f64, f64)) -> Curve {
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
        Curve {
            savings,
            continuation,
            range,
        }
    }

    /// Consumption on both sides of the kink before node `i`.
    fn kink_range(&self, i: usize) -> (f64, f64) {
        (self.row.policy[i - 1], self.row.policy[i])
    }

    /// Savings that stay at the kink between nodes `i - 1` and `i`, inside of the chain.
    fn push_kink(&self, i: usize, label: u32, out: &mut CandidateBuffer) -> bool {
        let (from, to) = self.kink_range(i);
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

    /// Points of a curve; zero if it has no extent.
    fn length(&self, range: (f64, f64)) -> usize {
        let (from, to) = (beginning(range), range.1);
        if to > from { self.points(from, to) } else { 0 }
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
        let from = beginning((from, to));
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
