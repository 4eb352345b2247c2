//! The better side of a cliff, kept in spite of rounding.

use super::SavingsNodes;
use crate::budget::BreakOwner;
use crate::row::RowView;

/// A cliff of the continuation in savings, as a policy that stays beside it must know it.
///
/// The best savings beside a cliff are the last number on its better side, and whoever computes
/// `resources - consumption` again may round to the other side. [`SavingsCliff::settle`] moves
/// consumption by a few units in the last place, so that savings, and what follows from them by
/// the law of the liquid state, stay where they were meant to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SavingsCliff {
    /// First savings of the upper side.
    pub first_above: f64,
    /// The side on which the continuation is worth more.
    pub better: BreakOwner,
    /// Distance from the cliff that rounding of the law may bridge, in savings.
    pub rounding: f64,
    /// Lowest savings that are allowed.
    pub lowest: f64,
}

impl SavingsCliff {
    /// Rounding that is allowed for, in units of [`f64::EPSILON`] of the largest number that a
    /// formula meets: 32 roundings, each of half a unit.
    pub const ROUNDING: f64 = 16.0 * f64::EPSILON;

    /// Consumption that leaves savings on the better side, if they are at the cliff.
    ///
    /// `scale` is the largest number that the formulas of resources and savings meet: formulas
    /// with at most 32 roundings of numbers of this size give savings, and formulas with as many
    /// roundings give the next liquid state, that are on the better side. Savings further away
    /// from the cliff than rounding reaches are left alone, to the bit, as is consumption that
    /// would violate the lowest savings or would not be positive. Calling it again changes
    /// nothing.
    ///
    /// ```
    /// use bifrons_egm::{BreakOwner, SavingsCliff};
    ///
    /// let (first_above, rounding) = (2.0, 0.0);
    /// let better = BreakOwner::Below;
    /// let cliff = SavingsCliff { first_above, better, rounding, lowest: 0.0 };
    /// // Savings are one unit below the cliff, but 30 less them rounds to the cliff.
    /// let c = 30.0 - 2.0_f64.next_down();
    /// assert!(30.0 - c >= 2.0);
    /// assert!(30.0 - cliff.settle(30.0, c, 30.0) < 2.0);
    /// assert_eq!(cliff.settle(30.0, 27.0, 30.0), 27.0);
    /// ```
    #[must_use]
    pub fn settle(&self, resources: f64, consumption: f64, scale: f64) -> f64 {
        let band = self.rounding + Self::ROUNDING * scale.abs();
        let savings = resources - consumption;
        if !((savings - self.first_above).abs() <= band) {
            return consumption;
        }
        match self.better {
            // The lower side is better, or the upper one.
            BreakOwner::Below => {
                let most = self.first_above - band;
                if most >= self.lowest {
                    return consumption.max(resources - most);
                }
            }
            BreakOwner::Above => {
                let settled = consumption.min(resources - (self.first_above + band));
                if settled > 0.0 {
                    return settled;
                }
            }
        }
        consumption
    }
}

impl SavingsNodes {
    /// The cliffs beside which a row has a record, in ascending order.
    ///
    /// `value` is the continuation at [`SavingsNodes::nodes`]. `out` is cleared first.
    pub fn cliffs_into(&self, value: &[f64], row: RowView<'_>, out: &mut Vec<SavingsCliff>) {
        out.clear();
        let breaks = self.breaks().iter().zip(&self.rounding);
        for (at, &rounding) in breaks.filter(|(at, _)| at.is_cliff) {
            let sides = (value.get(at.node - 1), value.get(at.node));
            let (Some(below), Some(above)) = sides else {
                continue;
            };
            let first_above = self.nodes()[at.node];
            let beside = |(&x, &c): (&f64, &f64)| {
                let band = rounding + SavingsCliff::ROUNDING * (x.abs() + c.abs());
                (x - c - first_above).abs() <= band
            };
            if row.x.iter().zip(row.policy).any(beside) {
                out.push(SavingsCliff {
                    first_above,
                    better: if below >= above {
                        BreakOwner::Below
                    } else {
                        BreakOwner::Above
                    },
                    rounding,
                    lowest: self.nodes()[0],
                });
            }
        }
    }
}
