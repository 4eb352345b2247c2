//! The order of columns that keeps the factors sparse.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::{amd, colamd};

use crate::structure::Sparsity;

/// Minimum degree on `A + Aᵀ` where pivots can stay on the diagonal, else on `AᵀA`.
pub(super) fn fill_reducing(pattern: &Sparsity, full_diagonal: bool) -> Vec<u32> {
    let n = pattern.dimension();
    let natural = || (0..n).map(to_u32).collect();
    if n < 3 {
        return natural();
    }
    let pointers: Vec<usize> = pattern
        .column_pointers()
        .iter()
        .map(|&p| p as usize)
        .collect();
    let rows: Vec<usize> = pattern.row_indices().iter().map(|&r| r as usize).collect();
    let matrix = SymbolicSparseColMatRef::new_checked(n, n, &pointers, None, &rows);
    let (mut forward, mut backward) = (vec![0; n], vec![0; n]);
    let done = if full_diagonal {
        let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<usize>(n, rows.len()));
        let stack = MemStack::new(&mut memory);
        let control = amd::Control::default();
        amd::order_maybe_unsorted(&mut forward, &mut backward, matrix, control, stack).is_ok()
    } else {
        let mut memory = MemBuffer::new(colamd::order_scratch::<usize>(n, n, rows.len()));
        let stack = MemStack::new(&mut memory);
        let control = colamd::Control::default();
        colamd::order(&mut forward, &mut backward, matrix, control, stack).is_ok()
    };
    if done {
        forward.iter().copied().map(to_u32).collect()
    } else {
        natural()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "patterns hold 32-bit indices"
)]
fn to_u32(i: usize) -> u32 {
    i as u32
}
