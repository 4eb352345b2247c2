//! Savings nodes with the breakpoints of the continuation.

use bifrons_memory::Footprint;

use crate::budget::{Affine, BreakKind, Budget};
use crate::budget::{first_at_or_above, first_number};
use crate::error::EgmError;
use crate::nbegm::SavingsCliff;
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
#[derive(Debug, Clone, PartialEq)]
pub struct SavingsNodes {
    nodes: Vec<f64>,
    breaks: Vec<SavingsBreak>,
    /// By breakpoint, the distance that rounding of the law may bridge.
    pub(super) rounding: Vec<f64>,
    targets: Vec<Target>,
    /// Most breakpoints beside cliffs.
    limit: usize,
}

/// A breakpoint before it is a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Target {
    first_above: f64,
    is_cliff: bool,
    strength: f64,
    rounding: f64,
}

impl Default for SavingsNodes {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            breaks: Vec::new(),
            rounding: Vec::new(),
            targets: Vec::new(),
            limit: 256,
        }
    }
}

/// Strength of a mark: below that of a kink in which the marginal changes by this share.
const MARK: f64 = 1e-4;

impl SavingsNodes {
    /// No nodes; at most 256 breakpoints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how many breakpoints are kept: cliffs and declared kinks first, then kinks by the
    /// share in which the marginal changes, then marks.
    ///
    /// With shocks and without taste shocks the kinks of a model double and redouble from period
    /// to period while they fade; without a limit their number would explode.
    #[must_use]
    pub const fn with_break_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Memory for so many nodes of the grid and breakpoints.
    #[must_use]
    pub const fn footprint(grid: usize, breaks: usize) -> Footprint {
        Footprint::of::<f64>(grid.saturating_add(breaks.saturating_mul(2)))
            .beside(Footprint::of::<SavingsBreak>(breaks))
            .beside(Footprint::of::<f64>(breaks))
            .beside(Footprint::of::<Target>(breaks))
    }

    /// Forgets the breakpoints that were added.
    pub fn clear(&mut self) {
        self.targets.clear();
    }

    /// Adds a breakpoint: the first savings of its upper side.
    pub fn add(&mut self, first_above: f64, is_cliff: bool) {
        self.push(Target {
            first_above,
            is_cliff,
            strength: f64::INFINITY,
            rounding: 0.0,
        });
    }

    fn add_kink(&mut self, first_above: f64, strength: f64) {
        self.push(Target {
            first_above,
            is_cliff: false,
            strength,
            rounding: 0.0,
        });
    }

    fn push(&mut self, target: Target) {
        if target.first_above.is_finite() {
            self.targets.push(target);
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
        self.add_child_within(next, budget, row, (f64::NEG_INFINITY, f64::INFINITY))
    }

    /// As [`SavingsNodes::add_child`], for a row that holds for next liquid states in
    /// `[low, high)` only: one interval of a continuation that depends on the liquid state.
    ///
    /// The ends of the interval are breakpoints of their own, see [`SavingsNodes::add_cliff`].
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] if the next liquid state does not increase with savings.
    pub fn add_child_within(
        &mut self,
        next: Affine,
        budget: &Budget,
        row: RowView<'_>,
        (low, high): (f64, f64),
    ) -> Result<(), EgmError> {
        check_next(next)?;
        for (&point, &kind) in budget.points().iter().zip(budget.kinds()) {
            if low < point && point < high {
                self.add_point(next, point, kind == BreakKind::Jump);
            }
        }
        let corner_ends = row.corner.and(row.x.first()).map(|&x| (x, f64::INFINITY));
        // A row in resources is continuous: its pairs are kinks. Only budgets have cliffs.
        let pair = |i: usize| {
            let (a, b) = (row.marginal[i], row.marginal[i + 1]);
            let strength = (b - a).abs() / (a.abs() + b.abs());
            (row.x[i + 1] <= row.x[i]).then_some((row.x[i + 1], strength))
        };
        let pairs = (0..row.x.len().saturating_sub(1)).filter_map(pair);
        let marks = row.marks.iter().map(|&m| (m, MARK));
        for (m, strength) in corner_ends.into_iter().chain(pairs).chain(marks) {
            self.add_level(next, budget, (m, strength), (low, high));
        }
        Ok(())
    }

    /// Adds a cliff at a next liquid state: the first savings that reach it.
    ///
    /// # Errors
    ///
    /// [`EgmError::Parameter`] if the next liquid state does not increase with savings.
    pub fn add_cliff(&mut self, next: Affine, point: f64) -> Result<(), EgmError> {
        check_next(next)?;
        self.add_point(next, point, true);
        Ok(())
    }

    /// Adds the preimage of a next liquid state.
    fn add_point(&mut self, next: Affine, point: f64, is_cliff: bool) {
        let guess = (point - next.intercept) / next.slope;
        if let Some(savings) = first_at_or_above(guess, |s| next.at(s) >= point) {
            let size = (next.slope * savings).abs() + next.intercept.abs() + point.abs();
            self.push(Target {
                first_above: savings,
                is_cliff,
                strength: f64::INFINITY,
                rounding: SavingsCliff::ROUNDING * size / next.slope,
            });
        }
    }

    /// Adds the savings at which next period's best choice changes, without taste shocks.
    ///
    /// `best` tells the best choice at savings; where it differs between two neighbours of the
    /// grid, the first savings with another choice than the left one's is found by bisection. A
    /// change back and forth between two neighbours is not seen.
    ///
    /// Cost: one call per node, and 64 per change.
    pub fn add_switches(&mut self, grid: &[f64], mut best: impl FnMut(f64) -> u32) {
        let mut before: Option<(f64, u32)> = None;
        for &savings in grid {
            let now = best(savings);
            if let Some((low, choice)) = before
                && choice != now
            {
                let switch = first_number(low, savings, |s| best(s) != choice);
                self.add(switch, false);
            }
            before = Some((savings, now));
        }
    }

    /// Adds a kink at the first savings in `(low, high]` at which next period's best choice is
    /// another one than at `low`, and differs at `high`, too; found by bisection.
    ///
    /// `marginals` of the continuation at both tell how strong the kink is.
    ///
    /// Cost: 64 calls of `differs`.
    pub fn add_switch(
        &mut self,
        (low, high): (f64, f64),
        marginals: [f64; 2],
        differs: impl FnMut(f64) -> bool,
    ) {
        let [a, b] = marginals;
        let strength = (b - a).abs() / (a.abs() + b.abs()).max(f64::MIN_POSITIVE);
        self.add_kink(first_number(low, high, differs), strength);
    }

    /// Adds every savings at which next resources pass the level `m` while the next liquid state
    /// is in `[low, high)`.
    fn add_level(
        &mut self,
        next: Affine,
        budget: &Budget,
        (m, strength): (f64, f64),
        (low, high): (f64, f64),
    ) {
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
            let liquid = next.at(savings);
            if low <= liquid && liquid < high && budget.interval(liquid) == interval {
                self.add_kink(savings, strength);
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
            .retain(|at| at.first_above > low && at.first_above <= high);
        self.keep_strongest();
        let before = |a: &Target, b: &Target| a.first_above.total_cmp(&b.first_above);
        self.targets
            .sort_unstable_by(|a, b| before(a, b).then(b.is_cliff.cmp(&a.is_cliff)));
        // Two targets at one place or at neighbouring numbers are one, a cliff if one is.
        self.targets.dedup_by(|next, kept| {
            let close = next.first_above <= kept.first_above.next_up().next_up();
            kept.is_cliff |= close && next.is_cliff;
            if close {
                kept.rounding = kept.rounding.max(next.rounding);
            }
            close
        });
        let count = self.targets.len();
        self.nodes.clear();
        self.nodes.reserve_exact(grid.len() + 2 * count);
        self.breaks.clear();
        self.breaks.reserve_exact(count);
        self.rounding.clear();
        self.rounding.reserve_exact(count);
        let mut rest = grid.iter().copied().peekable();
        for &Target {
            first_above: above,
            is_cliff,
            rounding,
            ..
        } in &self.targets
        {
            let below = above.next_down();
            while let Some(node) = rest.next_if(|&node| node < below) {
                self.nodes.push(node);
            }
            while rest.next_if(|&node| node <= above).is_some() {}
            self.nodes.push(below);
            let node = self.nodes.len();
            self.breaks.push(SavingsBreak { node, is_cliff });
            self.rounding.push(rounding);
            self.nodes.push(above);
        }
        self.nodes.extend(rest);
    }

    fn keep_strongest(&mut self) {
        if self.targets.len() > self.limit {
            self.targets.sort_unstable_by(|a, b| {
                let stronger = b.strength.total_cmp(&a.strength);
                stronger.then(a.first_above.total_cmp(&b.first_above))
            });
            let fixed = self
                .targets
                .iter()
                .take_while(|at| at.strength.is_infinite())
                .count();
            self.targets.truncate(self.limit.max(fixed));
        }
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

fn check_next(next: Affine) -> Result<(), EgmError> {
    if next.slope > 0.0 {
        return Ok(());
    }
    Err(EgmError::Parameter {
        name: "slope of the next liquid state",
        required: "positive",
        value: next.slope,
    })
}
