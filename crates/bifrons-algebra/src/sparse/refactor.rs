//! Factorisation with the pivots and patterns of the last one.

use super::{KEEP_PIVOT, SparseLu};
use crate::error::Pivots;
use crate::scalar::Scalar;

impl<S: Scalar> SparseLu<S> {
    /// The pivots, or `None` if one of them is too small to be kept.
    pub(super) fn with_kept_pivots(&mut self, value: impl Fn(usize) -> S) -> Option<Pivots> {
        let mut pivots = Pivots::NONE;
        for k in 0..self.n {
            let column = self.order[k] as usize;
            for at in self.pattern.range(column) {
                let row = self.position[self.pattern.row_indices()[at] as usize];
                self.work[row as usize] = value(at);
            }
            for at in self.upper.range(k) {
                let position = self.upper.rows[at] as usize;
                let factor = core::mem::take(&mut self.work[position]);
                self.upper.values[at] = factor;
                let range = self.lower.range(position);
                let rows = &self.lower.rows[range.clone()];
                for (&row, &l) in rows.iter().zip(&self.lower.values[range]) {
                    self.work[row as usize] -= l * factor;
                }
            }
            let pivot = core::mem::take(&mut self.work[k]);
            let size = pivot.size();
            let inverse = pivot.reciprocal();
            self.inverse[k] = inverse;
            let mut largest = 0.0_f64;
            let mut finite = size;
            for at in self.lower.range(k) {
                let entry = core::mem::take(&mut self.work[self.lower.rows[at] as usize]);
                largest = largest.max(entry.size());
                finite += entry.size();
                self.lower.values[at] = entry * inverse;
            }
            if !(size >= KEEP_PIVOT * largest && size > f64::MIN_POSITIVE && finite.is_finite()) {
                return None;
            }
            pivots.see(size, column);
        }
        Some(pivots)
    }
}
