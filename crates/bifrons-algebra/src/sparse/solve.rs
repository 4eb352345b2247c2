//! Solution with the factors.

use super::SparseLu;
use crate::scalar::Scalar;

impl<S: Scalar> SparseLu<S> {
    pub(crate) fn solve(&mut self, x: &mut [S]) {
        for (&position, &x) in self.position.iter().zip(&*x) {
            self.work[position as usize] = x;
        }
        let work = &mut self.work;
        for k in 0..self.n {
            let factor = work[k];
            let range = self.lower.range(k);
            let rows = &self.lower.rows[range.clone()];
            for (&row, &l) in rows.iter().zip(&self.lower.values[range]) {
                work[row as usize] -= l * factor;
            }
        }
        for k in (0..self.n).rev() {
            let factor = work[k] * self.inverse[k];
            work[k] = factor;
            let range = self.upper.range(k);
            let rows = &self.upper.rows[range.clone()];
            for (&row, &u) in rows.iter().zip(&self.upper.values[range]) {
                work[row as usize] -= u * factor;
            }
        }
        for (&column, work) in self.order.iter().zip(work) {
            x[column as usize] = core::mem::take(work);
        }
    }

    pub(crate) fn solve_transposed(&mut self, x: &mut [S]) {
        for (&column, work) in self.order.iter().zip(&mut self.work) {
            *work = x[column as usize];
        }
        let work = &mut self.work;
        for k in 0..self.n {
            let mut sum = work[k];
            for at in self.upper.range(k) {
                sum -= self.upper.values[at] * work[self.upper.rows[at] as usize];
            }
            work[k] = sum * self.inverse[k];
        }
        for k in (0..self.n).rev() {
            let mut sum = work[k];
            for at in self.lower.range(k) {
                sum -= self.lower.values[at] * work[self.lower.rows[at] as usize];
            }
            work[k] = sum;
        }
        for (&position, x) in self.position.iter().zip(x) {
            *x = core::mem::take(&mut work[position as usize]);
        }
    }

    /// Product of the pivots with the signs of both permutations.
    pub(crate) fn determinant(&self) -> S {
        let mut product = S::from(1.0);
        for &inverse in &self.inverse {
            product = product * inverse.reciprocal();
        }
        let odd = is_odd(&self.order) != is_odd(&self.position);
        if odd { -product } else { product }
    }
}

/// Whether a permutation is odd: the parity of `n` minus the number of cycles.
fn is_odd(permutation: &[u32]) -> bool {
    let mut seen = vec![false; permutation.len()];
    let mut odd = false;
    for start in 0..permutation.len() {
        let mut k = start;
        let mut length = 0_usize;
        while !seen[k] {
            seen[k] = true;
            k = permutation[k] as usize;
            length += 1;
        }
        odd ^= length > 0 && length.is_multiple_of(2);
    }
    odd
}
