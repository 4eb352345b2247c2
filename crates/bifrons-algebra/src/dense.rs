//! Dense LU: own code up to [`LARGE`], faer above.

mod fixed;
mod large;
mod plain;

use bifrons_memory::Footprint;

use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;
use large::Large;

/// From this dimension on the blocked factorisation of faer is faster than the plain loops.
pub(crate) const LARGE: usize = 65;

/// `P A = L U` with partial pivoting; the diagonal of `U` is stored as reciprocals.
#[derive(Debug, Clone)]
pub(crate) struct DenseLu<S: Scalar> {
    n: usize,
    factors: Vec<S>,
    swaps: Vec<u32>,
    large: Option<Box<Large<S>>>,
}

impl<S: Scalar> DenseLu<S> {
    pub(crate) fn analyse(n: usize) -> Self {
        let large = (n >= LARGE).then(|| Box::new(Large::new(n)));
        let own = if large.is_some() { 0 } else { n };
        Self {
            n,
            factors: vec![S::default(); own * own],
            swaps: vec![0; own],
            large,
        }
    }

    pub(crate) fn footprint(n: usize) -> Footprint {
        if n >= LARGE {
            return Large::<S>::footprint(n);
        }
        Footprint::of::<S>(n * n).beside(Footprint::of::<u32>(n))
    }

    /// The buffer that takes the values before [`refactor_in_place`](Self::refactor_in_place).
    pub(crate) fn refactor(&mut self, value: impl Fn(usize) -> S) -> Result<Pivots, FactorError> {
        if let Some(large) = &mut self.large {
            return large.refactor(value);
        }
        for (k, factor) in self.factors.iter_mut().enumerate() {
            *factor = value(k);
        }
        let (a, swaps) = (self.factors.as_mut_slice(), self.swaps.as_mut_slice());
        match self.n {
            1 => fixed::factor::<S, 1>(a, swaps),
            2 => fixed::factor::<S, 2>(a, swaps),
            3 => fixed::factor::<S, 3>(a, swaps),
            4 => fixed::factor::<S, 4>(a, swaps),
            5 => fixed::factor::<S, 5>(a, swaps),
            6 => fixed::factor::<S, 6>(a, swaps),
            7 => fixed::factor::<S, 7>(a, swaps),
            8 => fixed::factor::<S, 8>(a, swaps),
            n => plain::factor(n, a, swaps),
        }
    }

    #[inline]
    pub(crate) fn solve(&mut self, x: &mut [S]) {
        if let Some(large) = &mut self.large {
            return large.solve(x);
        }
        let (a, swaps) = (self.factors.as_slice(), self.swaps.as_slice());
        match self.n {
            1 => fixed::solve::<S, 1>(a, swaps, x),
            2 => fixed::solve::<S, 2>(a, swaps, x),
            3 => fixed::solve::<S, 3>(a, swaps, x),
            4 => fixed::solve::<S, 4>(a, swaps, x),
            5 => fixed::solve::<S, 5>(a, swaps, x),
            6 => fixed::solve::<S, 6>(a, swaps, x),
            7 => fixed::solve::<S, 7>(a, swaps, x),
            8 => fixed::solve::<S, 8>(a, swaps, x),
            n => plain::solve(n, a, swaps, x),
        }
    }

    pub(crate) fn solve_transposed(&mut self, x: &mut [S]) {
        match &mut self.large {
            Some(large) => large.solve_transposed(x),
            None => plain::solve_transposed(self.n, &self.factors, &self.swaps, x),
        }
    }

    /// Product of the pivots with the sign of the permutation.
    pub(crate) fn determinant(&self) -> S {
        if let Some(large) = &self.large {
            return large.determinant();
        }
        let mut product = S::from(1.0);
        for k in 0..self.n {
            product = product * self.factors[k * self.n + k].reciprocal();
            if self.swaps[k] as usize != k {
                product = -product;
            }
        }
        product
    }
}
