//! Sparse LU: ordered once, pivots found by the first factorisation and kept by the next ones.
//!
//! The factorisation is the left-looking one of Gilbert and Peierls (1988, Sparse partial
//! pivoting in time proportional to arithmetic operations) with a preference for the diagonal, and
//! the refactorisation that of Davis and Palamadai Natarajan (2010, Algorithm 907: KLU): the same
//! pivots and patterns, one loop over the entries. If a kept pivot becomes small against its
//! column, pivots are sought anew.

mod factor;
mod order;
mod refactor;
mod solve;

use bifrons_memory::Footprint;

use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;
use crate::structure::Sparsity;

/// Where the diagonal is part of the pattern, a diagonal entry is taken as pivot if it has this
/// share of the largest candidate.
const DIAGONAL_PREFERENCE: f64 = 1e-2;
/// A kept pivot is given up below this share of the largest entry of its column.
const KEEP_PIVOT: f64 = 1e-3;

/// `P A Q = L U`. Columns of both factors are in pivot order, the rows of `L` and `U` too.
#[derive(Debug, Clone)]
pub(crate) struct SparseLu<S: Scalar> {
    n: usize,
    pattern: Sparsity,
    /// Column of the matrix in each position.
    order: Vec<u32>,
    /// Position of each row of the matrix; `u32::MAX` while it has none.
    position: Vec<u32>,
    lower: Factor<S>,
    upper: Factor<S>,
    /// Reciprocals of the pivots.
    inverse: Vec<S>,
    work: Vec<S>,
    search: Search,
    /// Share of the largest candidate from which on a diagonal entry is taken.
    preference: f64,
    /// Whether a factorisation with pivots exists.
    ready: bool,
}

/// One triangular factor by columns, without its diagonal.
#[derive(Debug, Clone)]
struct Factor<S> {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<S>,
}

/// Arrays of the depth-first search.
#[derive(Debug, Clone)]
struct Search {
    /// Column in which a row was met last, plus one.
    mark: Vec<u32>,
    stack: Vec<(u32, u32)>,
    /// Rows of the current column, in topological order from the end.
    found: Vec<u32>,
    sort: Vec<(u32, u32)>,
}

impl<S: Scalar> SparseLu<S> {
    pub(crate) fn analyse(pattern: &Sparsity) -> Self {
        let n = pattern.dimension();
        let full_diagonal = (0..n).all(|k| pattern.position(k, k).is_some());
        let factor = || Factor {
            starts: vec![0; n + 1],
            rows: Vec::new(),
            values: Vec::new(),
        };
        Self {
            n,
            pattern: pattern.clone(),
            order: order::fill_reducing(pattern, full_diagonal),
            position: vec![u32::MAX; n],
            lower: factor(),
            upper: factor(),
            inverse: vec![S::default(); n],
            work: vec![S::default(); n],
            search: Search {
                mark: vec![0; n],
                stack: Vec::with_capacity(n),
                found: Vec::with_capacity(n),
                sort: Vec::with_capacity(n),
            },
            preference: if full_diagonal {
                DIAGONAL_PREFERENCE
            } else {
                1.0
            },
            ready: false,
        }
    }

    pub(crate) fn refactor(&mut self, value: impl Fn(usize) -> S) -> Result<Pivots, FactorError> {
        if self.ready
            && let Some(pivots) = self.with_kept_pivots(&value)
        {
            return Ok(pivots);
        }
        self.ready = false;
        let pivots = self.with_new_pivots(value)?;
        self.ready = true;
        Ok(pivots)
    }

    /// The next factorisation searches pivots; a search starts from the ordering alone.
    pub(crate) const fn forget_pivots(&mut self) {
        self.ready = false;
    }

    /// Entries of both factors with the diagonal.
    pub(crate) fn fill(&self) -> usize {
        self.lower.rows.len() + self.upper.rows.len() + self.n
    }

    /// Bytes for a matrix of `n` columns and `entries` entries whose factors have `fill` entries,
    /// with the most that they have grown beyond those.
    pub(crate) fn footprint(n: usize, entries: usize, fill: usize) -> Footprint {
        let pattern = Footprint::of::<u32>(n + 1 + entries);
        let off_diagonal = fill.saturating_sub(n);
        let grown = off_diagonal + off_diagonal / 8 + 2 * factor::LEAST_GROWTH;
        let factors = Footprint::of::<S>(grown).beside(Footprint::of::<u32>(grown + 2 * n + 2));
        let arrays = Footprint::of::<S>(2 * n).beside(Footprint::of::<u32>(8 * n));
        Footprint::of::<Self>(1)
            .beside(pattern)
            .beside(factors)
            .beside(arrays)
    }
}
