//! Savings nodes with the breakpoints of the continuation.

use bifrons_memory::Footprint;

use crate::budget::first_at_or_above;
use crate::budget::{Affine, BreakKind, Budget};
use crate::error::EgmError;
use crate::row::RowView;

/// A breakpoint of the continuation among savings nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavingsBreak {
    /// First node of the upper side; the node before it is the last number of the lower side.
    pub node: usize,
    /// The value jumps there; otherwise only the marginal does.
    pub is_cliff: bool,
}

/// Savings nodes of a grid together with the preimages of next period's breakpoints.
///
/// A breakpoint is represented by two neighbouring numbers, so that plain reads at both nodes
/// give the limits from both sides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SavingsNodes {
    nodes: Vec<f64>,
    breaks: Vec<SavingsBreak>,
    targets: Vec<(f64, bool)>,
}

impl SavingsNodes {
    /// No nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for so many nodes of the grid and breakpoints.
    #[must_use]
    pub const fn footprint(grid: usize, breaks: usize) -> Footprint {
        Footprint::of::<f64>(grid.saturating_add(breaks.saturating_mul(2)))
            .beside(Footprint::of::<SavingsBreak>(breaks))
            .beside(Footprint::of::<(f64, bool)>(breaks))
    }

    /// Forgets the breakpoints that were added.
    pub fn clear(&mut self) {
        self.targets.clear();
    }

    /// Adds a breakpoint: the first savings of its upper side.
    pub fn add(&mut self, first_above: f64, is_cliff: bool) {
        if first_above.is_finite() {
            self.targets.push((first_above, is_cliff));
        }
    }

    /// Adds the breakpoints and marks of next period's budget and row in resources, as seen from
    /// savings.
    ///
    /// `next` is the next liquid state as a function of savings, with positive slope. The
    /// preimage of a number is the first savings at which the executed formula reaches it.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] if the next liquid state does not increase with savings.
    pub fn add_child(
        &mut self,
        next: Affine,
        budget: &Budget,
        row: RowView<'_>,
    ) -> Result<(), EgmError> {
        if !(next.slope > 0.0) {
            return Err(EgmError::Parameter {
                name: "slope of the next liquid state",
                required: "positive",
                value: next.slope,
            });
        }
        for (&point, &kind) in budget.points().iter().zip(budget.kinds()) {
            let guess = (point - next.intercept) / next.slope;
            if let Some(savings) = first_at_or_above(guess, |s| next.at(s) >= point) {
                self.add(savings, kind == BreakKind::Jump);
            }
        }
        let corner_ends = row.corner.and(row.x.first()).map(|&x| (x, false));
        let pair = |i: usize| {
            let equal = row.x[i + 1] <= row.x[i];
            let (a, b) = (row.value[i], row.value[i + 1]);
            let jumps = (a - b).abs() > 1e-9 * a.abs().max(b.abs());
            equal.then_some((row.x[i + 1], jumps))
        };
        let pairs = (0..row.x.len().saturating_sub(1)).filter_map(pair);
        let marks = row.marks.iter().map(|&m| (m, false));
        for (m, jumps) in corner_ends.into_iter().chain(pairs).chain(marks) {
            self.add_level(next, budget, m, jumps);
        }
        Ok(())
    }

    /// Adds every savings at which next resources pass the level `m`.
    fn add_level(&mut self, next: Affine, budget: &Budget, m: f64, is_cliff: bool) {
        for (interval, piece) in budget.pieces().iter().enumerate() {
            if !(piece.slope > 0.0) {
                continue;
            }
            let l = (m - piece.intercept) / piece.slope;
            let guess = (l - next.intercept) / next.slope;
            let reached = |s: f64| piece.at(next.at(s)) >= m;
            let Some(savings) = first_at_or_above(guess, reached) else {
                continue;
            };
            if budget.interval(next.at(savings)) == interval {
                self.add(savings, is_cliff);
            }
        }
    }

    /// Merges the grid with the breakpoints that were added.
    ///
    /// Breakpoints outside of the grid do not matter. Of grid nodes next to a breakpoint the
    /// breakpoint's own numbers remain.
    pub fn merge(&mut self, grid: &[f64]) {
        let (low, high) = (grid.first().copied(), grid.last().copied());
        let (low, high) = (
            low.unwrap_or(f64::INFINITY),
            high.unwrap_or(f64::NEG_INFINITY),
        );
        self.targets
            .retain(|target| target.0 > low && target.0 <= high);
        self.targets
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        // Two targets at one place or at neighbouring numbers are one, a cliff if one is.
        self.targets.dedup_by(|next, kept| {
            let close = next.0 <= kept.0.next_up().next_up();
            kept.1 |= close && next.1;
            close
        });
        self.nodes.clear();
        self.breaks.clear();
        let mut rest = grid.iter().copied().peekable();
        for &(above, is_cliff) in &self.targets {
            let below = above.next_down();
            while let Some(node) = rest.next_if(|&node| node < below) {
                self.nodes.push(node);
            }
            while rest.next_if(|&node| node <= above).is_some() {}
            self.nodes.push(below);
            let node = self.nodes.len();
            self.breaks.push(SavingsBreak { node, is_cliff });
            self.nodes.push(above);
        }
        self.nodes.extend(rest);
    }

    /// The nodes, strictly ascending if the grid was.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// The breakpoints among the nodes, in ascending order.
    #[must_use]
    pub fn breaks(&self) -> &[SavingsBreak] {
        &self.breaks
    }
}
