//! One door to all factorisations.

use bifrons_memory::Footprint;

use crate::banded::BandedLu;
use crate::dense::DenseLu;
use crate::error::{FactorError, Pivots};
use crate::scalar::Scalar;
use crate::sparse::SparseLu;
use crate::structure::Structure;

/// A factorisation `P A Q = L U` of a square matrix with a given [`Structure`].
///
/// [`analyse`](Self::analyse) allocates and orders once; [`refactor`](Self::refactor) and
/// [`solve`](Self::solve) allocate nothing, except that the first sparse factorisation, and one
/// that has to choose new pivots, may enlarge its factors.
///
/// | structure | method | cost of a refactorisation |
/// |---|---|---|
/// | dense | partial pivoting; unrolled up to 8, plain loops up to 64, faer above | `2/3 n³` |
/// | diagonal | division | `n` |
/// | banded | partial pivoting within the band | `2 n kl (kl + ku)` |
/// | sparse | minimum degree ordering, kept pivots | by fill |
///
/// Before the first successful factorisation, and after a failed one, `solve` gives meaningless
/// numbers, but does not panic.
#[derive(Debug, Clone)]
pub struct Lu<S: Scalar> {
    required: usize,
    kind: Kind<S>,
}

#[derive(Debug, Clone)]
enum Kind<S: Scalar> {
    Dense(DenseLu<S>),
    Diagonal(Vec<S>),
    Banded(BandedLu<S>),
    Sparse(Box<SparseLu<S>>),
}

impl<S: Scalar> Lu<S> {
    /// Prepares the factorisation of matrices with this structure.
    #[must_use]
    pub fn analyse(structure: &Structure) -> Self {
        let kind = match structure {
            Structure::Dense { dimension } => Kind::Dense(DenseLu::analyse(*dimension)),
            Structure::Diagonal { dimension } => Kind::Diagonal(vec![S::default(); *dimension]),
            Structure::Banded {
                dimension,
                lower,
                upper,
            } => Kind::Banded(BandedLu::analyse(*dimension, *lower, *upper)),
            Structure::Sparse(pattern) => Kind::Sparse(Box::new(SparseLu::analyse(pattern))),
        };
        Self {
            required: structure.value_count(),
            kind,
        }
    }

    /// Bytes of the factorisation, without the matrix. Sparse factors are unknown before the first
    /// factorisation: `fill` is their number of entries, see [`Lu::fill`].
    ///
    /// Not counted: faer keeps about 4 MiB per thread from its first dense product on, which a
    /// dense matrix above 64 rows causes.
    #[must_use]
    pub fn footprint(structure: &Structure, fill: usize) -> Footprint {
        match structure {
            Structure::Dense { dimension } => DenseLu::<S>::footprint(*dimension),
            Structure::Diagonal { dimension } => Footprint::of::<S>(*dimension),
            Structure::Banded {
                dimension,
                lower,
                upper,
            } => BandedLu::<S>::footprint(*dimension, *lower, *upper),
            Structure::Sparse(pattern) => {
                SparseLu::<S>::footprint(pattern.dimension(), pattern.entry_count(), fill)
            }
        }
    }

    /// Entries of the factors; for sparse matrices known after the first factorisation.
    #[must_use]
    pub fn fill(&self) -> usize {
        match &self.kind {
            Kind::Sparse(lu) => lu.fill(),
            _ => self.required,
        }
    }

    /// Factors the matrix with these values, in the order of the structure.
    ///
    /// # Errors
    ///
    /// [`FactorError`] with the column of the matrix; never a NaN in silence.
    pub fn refactor(&mut self, values: &[S]) -> Result<Pivots, FactorError> {
        if values.len() != self.required {
            return Err(FactorError::ValueCount {
                found: values.len(),
                required: self.required,
            });
        }
        self.refactor_with(|k| values[k])
    }

    /// Factors the matrix whose value at position `k` is `value(k)`: the matrix itself, such as
    /// `c M − J`, is not stored. Each value is asked for once or twice.
    ///
    /// # Errors
    ///
    /// As [`refactor`](Self::refactor).
    #[inline]
    pub fn refactor_with(&mut self, value: impl Fn(usize) -> S) -> Result<Pivots, FactorError> {
        match &mut self.kind {
            Kind::Dense(lu) => lu.refactor(value),
            Kind::Banded(lu) => lu.refactor(value),
            Kind::Sparse(lu) => lu.refactor(value),
            Kind::Diagonal(inverse) => {
                let mut pivots = Pivots::NONE;
                for (column, inverse) in inverse.iter_mut().enumerate() {
                    let value = value(column);
                    let size = value.size();
                    if !size.is_finite() {
                        return Err(FactorError::NotFinite { column });
                    }
                    if size <= f64::MIN_POSITIVE {
                        return Err(FactorError::Singular { column });
                    }
                    pivots.see(size, column);
                    *inverse = value.reciprocal();
                }
                Ok(pivots)
            }
        }
    }

    /// Makes the next factorisation choose its pivots as if it were the first one.
    ///
    /// A sparse factorisation keeps pivots and patterns for the next matrix, so its bits depend on
    /// the matrices before it. Afterwards they do not: factors and solutions are those of a newly
    /// analysed [`Lu`], bit for bit. The ordering and the memory of the factors stay. Other
    /// structures remember nothing. Cost: constant; the next sparse factorisation searches pivots
    /// and patterns again.
    pub fn forget_pivots(&mut self) {
        if let Kind::Sparse(lu) = &mut self.kind {
            lu.forget_pivots();
        }
    }

    /// Replaces the right-hand side `x` by the solution of `A x = b`.
    #[inline]
    pub fn solve(&mut self, x: &mut [S]) {
        match &mut self.kind {
            Kind::Dense(lu) => lu.solve(x),
            Kind::Banded(lu) => lu.solve(x),
            Kind::Sparse(lu) => lu.solve(x),
            Kind::Diagonal(inverse) => {
                for (x, &inverse) in x.iter_mut().zip(&*inverse) {
                    *x = *x * inverse;
                }
            }
        }
    }

    /// Replaces the right-hand side `x` by the solution of `Aᵀ x = b` (no conjugation).
    pub fn solve_transposed(&mut self, x: &mut [S]) {
        match &mut self.kind {
            Kind::Dense(lu) => lu.solve_transposed(x),
            Kind::Banded(lu) => lu.solve_transposed(x),
            Kind::Sparse(lu) => lu.solve_transposed(x),
            Kind::Diagonal(_) => self.solve(x),
        }
    }

    /// The determinant from the pivots; it may overflow or underflow where the matrix is regular.
    #[must_use]
    pub fn determinant(&self) -> S {
        match &self.kind {
            Kind::Dense(lu) => lu.determinant(),
            Kind::Banded(lu) => lu.determinant(),
            Kind::Sparse(lu) => lu.determinant(),
            Kind::Diagonal(inverse) => inverse
                .iter()
                .fold(S::from(1.0), |product, &v| product * v.reciprocal()),
        }
    }
}
