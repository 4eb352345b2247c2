//! Sums of schedules: taxes, transfers, floors, each with breakpoints of its own.

use super::{Affine, BreakKind, Budget, Threshold, selection_point};
use crate::error::BudgetError;

/// A term of a budget: affine pieces in the liquid state, in its ascending order, with a
/// threshold between each two of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// One piece more than thresholds.
    pub pieces: Vec<Affine>,
    /// Breakpoints in ascending order of the liquid state.
    pub thresholds: Vec<Threshold>,
}

impl Budget {
    /// The sum of an affine function and schedules, on the union of their breakpoints.
    ///
    /// Breakpoints that select the same number become one; a jump outweighs a floor, a floor a
    /// kink.
    ///
    /// # Errors
    ///
    /// As [`Budget::new`].
    pub fn sum(base: Affine, schedules: &[Schedule]) -> Result<Self, BudgetError> {
        let mut breaks: Vec<(f64, BreakKind)> = Vec::new();
        for schedule in schedules {
            // A schedule alone must be well formed, too; only its slopes may be negative.
            if schedule.pieces.len() != schedule.thresholds.len() + 1 {
                return Err(BudgetError::Count {
                    pieces: schedule.pieces.len(),
                    thresholds: schedule.thresholds.len(),
                });
            }
            let mut before = f64::NEG_INFINITY;
            for (index, threshold) in schedule.thresholds.iter().enumerate() {
                let scale = threshold.scale;
                let variable = BudgetError::Variable { index, scale };
                let point = selection_point(threshold).ok_or(variable)?;
                if !(point > before) {
                    return Err(BudgetError::Order {
                        index,
                        point,
                        before,
                    });
                }
                breaks.push((point, threshold.kind));
                before = point;
            }
        }
        breaks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, BreakKind)> = Vec::with_capacity(breaks.len());
        for (point, kind) in breaks {
            match merged.last_mut() {
                Some(last) if last.0 >= point => last.1 = stronger(last.1, kind),
                _ => merged.push((point, kind)),
            }
        }
        let (points, kinds): (Vec<f64>, Vec<BreakKind>) = merged.into_iter().unzip();
        let starts = std::iter::once(f64::NEG_INFINITY).chain(points.iter().copied());
        let pieces = starts.map(|start| total(base, schedules, start)).collect();
        let budget = Self {
            pieces,
            points,
            kinds,
        };
        budget.check_slopes()?;
        budget.check_levels()?;
        Ok(budget)
    }
}

fn stronger(a: BreakKind, b: BreakKind) -> BreakKind {
    let weight = |kind: BreakKind| match kind {
        BreakKind::Kink => 0,
        BreakKind::Floor => 1,
        BreakKind::Jump => 2,
    };
    if weight(b) > weight(a) { b } else { a }
}

/// The sum on the interval that starts at `start`.
fn total(base: Affine, schedules: &[Schedule], start: f64) -> Affine {
    schedules.iter().fold(base, |sum, schedule| {
        let index = schedule
            .thresholds
            .iter()
            .filter(|threshold| selection_point(threshold).is_some_and(|point| point <= start))
            .count();
        let piece = schedule.pieces[index];
        Affine {
            slope: sum.slope + piece.slope,
            intercept: sum.intercept + piece.intercept,
        }
    })
}
