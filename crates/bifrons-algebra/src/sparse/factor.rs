//! Factorisation with a search for pivots.

use super::SparseLu;
use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;

const NONE: u32 = u32::MAX;
/// Entries by which a factor grows at least.
pub(super) const LEAST_GROWTH: usize = 16;

#[expect(
    clippy::cast_possible_truncation,
    reason = "fill beyond 2^32 entries exceeds memory"
)]
fn to_u32(i: usize) -> u32 {
    i as u32
}

impl<S: Scalar> SparseLu<S> {
    pub(super) fn with_new_pivots(
        &mut self,
        value: impl Fn(usize) -> S,
    ) -> Result<Pivots, FactorError> {
        self.position.fill(NONE);
        self.work.fill(S::default());
        self.search.mark.fill(0);
        for factor in [&mut self.lower, &mut self.upper] {
            factor.rows.clear();
            factor.values.clear();
        }
        let mut pivots = Pivots::NONE;
        for k in 0..self.n {
            let column = self.order[k] as usize;
            self.reach(k, column);
            self.eliminate(column, &value);
            self.choose(k, column, &mut pivots)?;
        }
        // Rows of L were rows of the matrix until now.
        for row in &mut self.lower.rows {
            *row = self.position[*row as usize];
        }
        self.sort_upper();
        Ok(pivots)
    }

    /// Rows that become nonzero in column `k`, in topological order from the end of `found`.
    fn reach(&mut self, k: usize, column: usize) {
        let mark = to_u32(k + 1);
        let search = &mut self.search;
        search.found.clear();
        for &start in self.pattern.rows(column) {
            if search.mark[start as usize] == mark {
                continue;
            }
            search.mark[start as usize] = mark;
            search
                .stack
                .push((start, self.lower.first(self.position[start as usize])));
            while let Some((row, next)) = search.stack.pop() {
                let position = self.position[row as usize];
                if position == NONE || next == self.lower.starts[position as usize + 1] {
                    search.found.push(row);
                    continue;
                }
                search.stack.push((row, next + 1));
                let below = self.lower.rows[next as usize];
                if search.mark[below as usize] != mark {
                    search.mark[below as usize] = mark;
                    search
                        .stack
                        .push((below, self.lower.first(self.position[below as usize])));
                }
            }
        }
    }

    /// Solves with the columns of `L` so far; the result is in `work`, by rows of the matrix.
    fn eliminate(&mut self, column: usize, value: &impl Fn(usize) -> S) {
        for at in self.pattern.range(column) {
            self.work[self.pattern.row_indices()[at] as usize] = value(at);
        }
        for &row in self.search.found.iter().rev() {
            let position = self.position[row as usize];
            if position == NONE {
                continue;
            }
            let factor = self.work[row as usize];
            let range = self.lower.range(position as usize);
            let entries = self.lower.rows[range.clone()].iter();
            for (&below, &l) in entries.zip(&self.lower.values[range]) {
                self.work[below as usize] -= l * factor;
            }
        }
    }

    /// Chooses the pivot of column `k` and stores the columns of both factors.
    fn choose(&mut self, k: usize, column: usize, pivots: &mut Pivots) -> Result<(), FactorError> {
        let (mut row, mut best) = (NONE, 0.0);
        for &candidate in &self.search.found {
            if self.position[candidate as usize] == NONE {
                let size = self.work[candidate as usize].size();
                if !size.is_finite() {
                    return Err(FactorError::NotFinite { column });
                }
                if size > best {
                    (row, best) = (candidate, size);
                }
            }
        }
        if !(best > f64::MIN_POSITIVE) {
            return Err(FactorError::Singular { column });
        }
        let diagonal = self.work[column].size();
        let free = self.position[column] == NONE && self.search.mark[column] == to_u32(k + 1);
        if free && diagonal >= self.preference * best && diagonal > f64::MIN_POSITIVE {
            (row, best) = (to_u32(column), diagonal);
        }
        pivots.see(best, column);
        let inverse = self.work[row as usize].reciprocal();
        self.inverse[k] = inverse;
        for &entry in &self.search.found {
            let value = core::mem::take(&mut self.work[entry as usize]);
            let position = self.position[entry as usize];
            if position != NONE {
                self.upper.push(position, value);
            } else if entry != row {
                self.lower.push(entry, value * inverse);
            }
        }
        self.position[row as usize] = to_u32(k);
        self.lower.starts[k + 1] = to_u32(self.lower.rows.len());
        self.upper.starts[k + 1] = to_u32(self.upper.rows.len());
        Ok(())
    }

    /// Rows of `U` in ascending order: the order in which a refactorisation eliminates.
    fn sort_upper(&mut self) {
        for k in 0..self.n {
            let range = self.upper.range(k);
            let sort = &mut self.search.sort;
            sort.clear();
            sort.extend(range.clone().map(|at| (self.upper.rows[at], to_u32(at))));
            sort.sort_unstable();
            // Through `work`, which is zero again afterwards.
            for (work, &(_, from)) in self.work.iter_mut().zip(sort.iter()) {
                *work = self.upper.values[from as usize];
            }
            for (offset, at) in range.enumerate() {
                self.upper.rows[at] = sort[offset].0;
                self.upper.values[at] = core::mem::take(&mut self.work[offset]);
            }
        }
    }
}

impl<S> super::Factor<S> {
    /// Adds an entry. Capacity grows by an eighth, as factors live long and are filled once.
    fn push(&mut self, row: u32, value: S) {
        let count = self.rows.len();
        if count == self.rows.capacity() || count == self.values.capacity() {
            self.rows.reserve_exact(count / 8 + LEAST_GROWTH);
            self.values.reserve_exact(count / 8 + LEAST_GROWTH);
        }
        self.rows.push(row);
        self.values.push(value);
    }

    fn first(&self, position: u32) -> u32 {
        if position == NONE {
            0
        } else {
            self.starts[position as usize]
        }
    }

    pub(super) fn range(&self, column: usize) -> core::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }
}
