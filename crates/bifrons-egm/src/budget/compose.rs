//! The value of the liquid state: a row in resources, seen through a budget.

use super::Budget;
use crate::error::EgmError;
use crate::reader::{Reading, RowReader};
use crate::row::{Record, Row};
use crate::utility::Utility;

/// Publishes the row of one cell on its liquid state.
///
/// ```text
/// V(l) = W(M(l)),   c(l) = c(M(l)),   V'(l) = M'(l) W'(M(l))
/// ```
///
/// `readers` has one row in resources, or one per interval of the budget if the continuation
/// differs between intervals. The records are the nodes of `liquid`, and in every interval that
/// overlaps them its two ends, as limits from inside, and the pairs of the row in resources; so
/// kinks, jumps, and changes of owner are where they are, not on the next node. In flat intervals
/// the marginal is exactly zero.
///
/// # Errors
///
/// [`EgmError::Parameter`] for a wrong number of readers, [`EgmError::Read`].
pub fn publish_on_budget(
    budget: &Budget,
    readers: &[&RowReader],
    utility: &dyn Utility,
    liquid: &[f64],
    out: &mut Row,
) -> Result<(), EgmError> {
    let count = budget.pieces.len();
    if readers.len() != 1 && readers.len() != count {
        return Err(EgmError::Parameter {
            name: "number of readers",
            required: "one, or one per interval",
            value: readers.len() as f64,
        });
    }
    out.clear();
    let (Some(&low), Some(&high)) = (liquid.first(), liquid.last()) else {
        return Ok(());
    };
    for interval in 0..count {
        let start = interval
            .checked_sub(1)
            .map_or(low, |i| budget.points[i].max(low));
        let stop = budget
            .points
            .get(interval)
            .copied()
            .unwrap_or(f64::INFINITY);
        if stop <= low || start > high {
            continue;
        }
        let piece = Piece {
            budget,
            interval,
            reader: readers[interval.min(readers.len() - 1)],
            utility,
        };
        piece.publish(liquid, start, stop, out)?;
    }
    Ok(())
}

struct Piece<'a> {
    budget: &'a Budget,
    interval: usize,
    reader: &'a RowReader,
    utility: &'a dyn Utility,
}

impl Piece<'_> {
    fn publish(
        &self,
        liquid: &[f64],
        start: f64,
        stop: f64,
        out: &mut Row,
    ) -> Result<(), EgmError> {
        let affine = self.budget.pieces[self.interval];
        let high = liquid[liquid.len() - 1];
        let first = liquid.partition_point(|&l| l <= start);
        self.push(
            start,
            self.reader.read(self.utility, affine.at(start))?,
            out,
        );
        let nodes = self.reader.nodes();
        let mut pair = nodes.partition_point(|&m| m <= affine.at(start)) + 1;
        for &l in liquid[first..].iter().take_while(|&&l| l < stop) {
            pair = self.push_pairs(pair, l, out)?;
            self.push(l, self.reader.read(self.utility, affine.at(l))?, out);
        }
        if stop <= high {
            self.push_pairs(pair, stop, out)?;
            // The limit from inside: the left material at the same resources.
            self.push(
                stop,
                self.reader.read_left(self.utility, affine.at(stop))?,
                out,
            );
        }
        Ok(())
    }

    /// Publishes pairs of the row in resources that lie before `l`.
    fn push_pairs(&self, mut pair: usize, l: f64, out: &mut Row) -> Result<usize, EgmError> {
        let affine = self.budget.pieces[self.interval];
        let (nodes, end) = (self.reader.nodes(), affine.at(l));
        if !(affine.slope > 0.0) {
            return Ok(pair);
        }
        while pair < nodes.len() && nodes[pair] < end {
            let m = nodes[pair];
            if m <= nodes[pair - 1] {
                let at = (m - affine.intercept) / affine.slope;
                let inside = out.x.last().is_some_and(|&last| at > last) && at < l;
                if inside {
                    self.push(at, self.reader.read_left(self.utility, m)?, out);
                    self.push(at, self.reader.read(self.utility, m)?, out);
                }
            }
            pair += 1;
        }
        Ok(pair)
    }

    fn push(&self, l: f64, reading: Reading, out: &mut Row) {
        let affine = self.budget.pieces[self.interval];
        let marginal = if affine.slope == 0.0 {
            0.0
        } else {
            affine.slope * reading.marginal
        };
        let equivalent = if marginal > 0.0 {
            self.utility.inverse_marginal(marginal)
        } else {
            f64::INFINITY
        };
        let record = Record {
            x: l,
            value: reading.value,
            policy: reading.policy,
            marginal,
            owner: self.reader.owner(affine.at(l)),
        };
        out.push_with_equivalent(record, equivalent);
    }
}
