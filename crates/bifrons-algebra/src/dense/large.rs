//! Dense LU of large matrices by faer, in buffers made once.

use bifrons_memory::Footprint;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{Conj, MatMut, MatRef, Par, Spec};

use super::plain::judge;
use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;

pub(super) struct Large<S: Scalar> {
    n: usize,
    factors: Vec<S::Outside>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    work: Vec<S::Outside>,
    /// Parity of the permutation.
    odd: bool,
    memory: MemBuffer,
}

impl<S: Scalar> core::fmt::Debug for Large<S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Large")
            .field("n", &self.n)
            .finish_non_exhaustive()
    }
}

impl<S: Scalar> Clone for Large<S> {
    fn clone(&self) -> Self {
        Self {
            n: self.n,
            factors: self.factors.clone(),
            forward: self.forward.clone(),
            backward: self.backward.clone(),
            work: self.work.clone(),
            odd: self.odd,
            memory: MemBuffer::new(Self::stack(self.n)),
        }
    }
}

impl<S: Scalar> Large<S> {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            factors: vec![S::default().outside(); n * n],
            forward: (0..n).collect(),
            backward: (0..n).collect(),
            work: vec![S::default().outside(); n],
            odd: false,
            memory: MemBuffer::new(Self::stack(n)),
        }
    }

    fn stack(n: usize) -> StackReq {
        let factor =
            factor::lu_in_place_scratch::<usize, S::Outside>(n, n, Par::Seq, Spec::default());
        let solve = solve::solve_in_place_scratch::<usize, S::Outside>(n, 1, Par::Seq);
        let back = solve::solve_transpose_in_place_scratch::<usize, S::Outside>(n, 1, Par::Seq);
        factor.or(solve).or(back)
    }

    pub(super) fn footprint(n: usize) -> Footprint {
        Footprint::of::<S>(n * n + n)
            .beside(Footprint::of::<usize>(2 * n))
            .beside(Footprint::of::<u8>(
                Self::stack(n).unaligned_bytes_required(),
            ))
            .beside(Footprint::persistent(size_of::<Self>() as u64))
    }

    pub(super) fn refactor(&mut self, value: impl Fn(usize) -> S) -> Result<Pivots, FactorError> {
        let n = self.n;
        for (column, factors) in self.factors.chunks_exact_mut(n).enumerate() {
            let mut total = 0.0;
            for (row, factor) in factors.iter_mut().enumerate() {
                let value = value(column * n + row);
                // Zero for finite values, NaN for all others.
                total += value.size() * 0.0;
                *factor = value.outside();
            }
            if total != 0.0 {
                return Err(FactorError::NotFinite { column });
            }
        }
        let matrix = MatMut::from_column_major_slice_mut(&mut self.factors, n, n);
        let (info, _) = factor::lu_in_place(
            matrix,
            &mut self.forward,
            &mut self.backward,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Spec::default(),
        );
        self.odd = info.transposition_count % 2 == 1;
        let mut pivots = Pivots::NONE;
        for k in 0..n {
            let size = S::inside(self.factors[k * n + k]).size();
            judge(size.is_finite().then_some(size), k, &mut pivots)?;
        }
        Ok(pivots)
    }

    pub(super) fn solve(&mut self, x: &mut [S]) {
        self.run(x, false);
    }

    pub(super) fn solve_transposed(&mut self, x: &mut [S]) {
        self.run(x, true);
    }

    fn run(&mut self, x: &mut [S], transposed: bool) {
        let n = self.n;
        for (work, &x) in self.work.iter_mut().zip(&*x) {
            *work = x.outside();
        }
        let factors = MatRef::from_column_major_slice(&self.factors, n, n);
        let permutation = PermRef::new_checked(&self.forward, &self.backward, n);
        let right = MatMut::from_column_major_slice_mut(&mut self.work, n, 1);
        let stack = MemStack::new(&mut self.memory);
        if transposed {
            solve::solve_transpose_in_place_with_conj(
                factors,
                factors,
                permutation,
                Conj::No,
                right,
                Par::Seq,
                stack,
            );
        } else {
            solve::solve_in_place_with_conj(
                factors,
                factors,
                permutation,
                Conj::No,
                right,
                Par::Seq,
                stack,
            );
        }
        for (x, &work) in x.iter_mut().zip(&self.work) {
            *x = S::inside(work);
        }
    }

    pub(super) fn determinant(&self) -> S {
        let one = S::from(if self.odd { -1.0 } else { 1.0 });
        (0..self.n).fold(one, |product, k| {
            product * S::inside(self.factors[k * self.n + k])
        })
    }
}
