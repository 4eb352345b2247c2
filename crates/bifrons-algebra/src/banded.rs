//! Banded LU with partial pivoting.
//!
//! Pivoting widens the upper band by the lower one, as in the classical band factorisation
//! (Golub and Van Loan, Matrix Computations, section 4.3.5). Cost `2 n kl (kl + ku)` operations.

use bifrons_memory::Footprint;

use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;

/// Column `j` holds rows `j − upper − lower ..= j + lower` of the factors.
#[derive(Debug, Clone)]
pub(crate) struct BandedLu<S: Scalar> {
    n: usize,
    lower: usize,
    upper: usize,
    /// `2 lower + upper + 1` values per column.
    factors: Vec<S>,
    swaps: Vec<u32>,
}

impl<S: Scalar> BandedLu<S> {
    pub(crate) fn analyse(n: usize, lower: usize, upper: usize) -> Self {
        Self {
            n,
            lower,
            upper,
            factors: vec![S::default(); n * (2 * lower + upper + 1)],
            swaps: vec![0; n],
        }
    }

    pub(crate) fn footprint(n: usize, lower: usize, upper: usize) -> Footprint {
        Footprint::of::<S>(n * (2 * lower + upper + 1)).beside(Footprint::of::<u32>(n))
    }

    fn load(&mut self, value: impl Fn(usize) -> S) {
        let (n, lower, upper) = (self.n, self.lower, self.upper);
        let (height, given) = (2 * lower + upper + 1, lower + upper + 1);
        for (column, factors) in self.factors.chunks_exact_mut(height).enumerate() {
            factors[..lower].fill(S::default());
            let first = upper.saturating_sub(column);
            let last = (upper + n - column).min(given);
            for (k, factor) in factors[lower..].iter_mut().enumerate() {
                let inside = k >= first && k < last;
                *factor = if inside {
                    value(column * given + k)
                } else {
                    S::default()
                };
            }
        }
    }

    pub(crate) fn refactor(&mut self, value: impl Fn(usize) -> S) -> Result<Pivots, FactorError> {
        self.load(value);
        let (n, lower, reach) = (self.n, self.lower, self.lower + self.upper);
        let height = 2 * lower + self.upper + 1;
        let mut pivots = Pivots::NONE;
        for k in 0..n {
            let below = lower.min(n - 1 - k);
            let column = &mut self.factors[k * height..(k + 1) * height];
            let active = &mut column[reach..=reach + below];
            let (mut best, mut offset) = (-1.0, 0);
            for (i, value) in active.iter().enumerate() {
                let size = value.size();
                if !(size <= best) {
                    (best, offset) = (size, i);
                    if !size.is_finite() {
                        return Err(FactorError::NotFinite { column: k });
                    }
                }
            }
            if !(best > f64::MIN_POSITIVE) {
                return Err(FactorError::Singular { column: k });
            }
            pivots.see(best, k);
            #[expect(clippy::cast_possible_truncation, reason = "rows were counted in u32")]
            {
                self.swaps[k] = (k + offset) as u32;
            }
            active.swap(0, offset);
            let inverse = active[0].reciprocal();
            active[0] = inverse;
            for l in &mut active[1..] {
                *l = *l * inverse;
            }
            self.eliminate(k, offset, below);
        }
        Ok(pivots)
    }

    /// Applies the swap and the multipliers of column `k` to the columns after it.
    fn eliminate(&mut self, k: usize, offset: usize, below: usize) {
        let (n, reach) = (self.n, self.lower + self.upper);
        let height = reach + self.lower + 1;
        let (done, rest) = self.factors.split_at_mut((k + 1) * height);
        let multipliers = &done[k * height + reach + 1..][..below];
        let columns = reach.min(n - 1 - k);
        for (step, column) in rest.chunks_exact_mut(height).take(columns).enumerate() {
            // Row k of column k + 1 + step.
            let row = reach - 1 - step;
            column.swap(row, row + offset);
            let factor = column[row];
            if factor != S::default() {
                for (x, &l) in column[row + 1..].iter_mut().zip(multipliers) {
                    *x -= l * factor;
                }
            }
        }
    }

    pub(crate) fn solve(&self, x: &mut [S]) {
        let (n, reach) = (self.n, self.lower + self.upper);
        let height = reach + self.lower + 1;
        let x = &mut x[..n];
        for (k, column) in self.factors.chunks_exact(height).enumerate() {
            x.swap(k, self.swaps[k] as usize);
            let factor = x[k];
            for (x, &l) in x[k + 1..].iter_mut().zip(&column[reach + 1..]) {
                *x -= l * factor;
            }
        }
        for (k, column) in self.factors.chunks_exact(height).enumerate().rev() {
            let factor = x[k] * column[reach];
            x[k] = factor;
            let above = reach.min(k);
            let upper = &column[reach - above..reach];
            for (x, &u) in x[k - above..k].iter_mut().zip(upper) {
                *x -= u * factor;
            }
        }
    }

    pub(crate) fn solve_transposed(&self, x: &mut [S]) {
        let (n, reach) = (self.n, self.lower + self.upper);
        let height = reach + self.lower + 1;
        let x = &mut x[..n];
        for (k, column) in self.factors.chunks_exact(height).enumerate() {
            let above = reach.min(k);
            let mut sum = x[k];
            for (&x, &u) in x[k - above..k].iter().zip(&column[reach - above..reach]) {
                sum -= u * x;
            }
            x[k] = sum * column[reach];
        }
        for (k, column) in self.factors.chunks_exact(height).enumerate().rev() {
            let mut sum = x[k];
            for (&x, &l) in x[k + 1..].iter().zip(&column[reach + 1..]) {
                sum -= l * x;
            }
            x[k] = sum;
            x.swap(k, self.swaps[k] as usize);
        }
    }

    /// Product of the pivots with the sign of the permutation.
    pub(crate) fn determinant(&self) -> S {
        let reach = self.lower + self.upper;
        let height = reach + self.lower + 1;
        let mut product = S::from(1.0);
        for (k, column) in self.factors.chunks_exact(height).enumerate() {
            product = product * column[reach].reciprocal();
            if self.swaps[k] as usize != k {
                product = -product;
            }
        }
        product
    }
}
