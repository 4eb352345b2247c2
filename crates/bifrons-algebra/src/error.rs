//! What can go wrong, by column and by name.

/// The pivots of a factorisation: how close to singular the matrix was.
///
/// The ratio of the smallest to the largest pivot is a cheap hint, not a condition number; see
/// [`Lu::reciprocal_condition`](crate::Lu::reciprocal_condition) for an estimate of that.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Pivots {
    /// Smallest absolute value of a pivot.
    pub smallest: f64,
    /// Largest absolute value of a pivot.
    pub largest: f64,
    /// Column of the matrix with the smallest pivot.
    pub column: usize,
}

impl Pivots {
    pub(crate) const NONE: Self = Self {
        smallest: f64::INFINITY,
        largest: 0.0,
        column: 0,
    };

    /// `smallest / largest`, one for an empty matrix.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        if self.largest > 0.0 {
            self.smallest / self.largest
        } else {
            1.0
        }
    }

    /// Whether the solution may have lost most of its digits, as far as the pivots tell: ratio
    /// below `1e-12`. Rows or columns of very different scale have this, too, without harm.
    #[must_use]
    pub fn is_near_singular(&self) -> bool {
        self.ratio() < 1e-12
    }

    #[inline(always)]
    pub(crate) fn see(&mut self, size: f64, column: usize) {
        if size < self.smallest {
            self.smallest = size;
            self.column = column;
        }
        self.largest = self.largest.max(size);
    }
}

/// A matrix that could not be factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactorError {
    /// No pivot is left in this column: it depends on the columns before it.
    #[error("matrix is singular: column {column} depends on those before it")]
    Singular {
        /// The column.
        column: usize,
    },
    /// An entry is NaN or infinite, or became so by overflow.
    #[error("matrix is not finite in column {column}")]
    NotFinite {
        /// The first column found.
        column: usize,
    },
    /// The slice of values has another length than the structure.
    #[error("matrix needs {required} values, got {found}")]
    ValueCount {
        /// Values given.
        found: usize,
        /// Values of the structure.
        required: usize,
    },
}

/// A structure that makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// Column pointers must start at 0, not descend, and end at the number of row indices.
    #[error("column pointer {index} is {value}, which is not between its neighbours")]
    ColumnPointer {
        /// Index of the pointer.
        index: usize,
        /// Its value.
        value: usize,
    },
    /// Row indices must ascend strictly within a column and be below the dimension.
    #[error("row index {row} in column {column} must ascend and be below {dimension}")]
    RowIndex {
        /// The column.
        column: usize,
        /// The row found.
        row: usize,
        /// The dimension.
        dimension: usize,
    },
    /// Two matrices of different dimension.
    #[error("matrices must have the same dimension, got {first} and {second}")]
    Dimension {
        /// Of the first.
        first: usize,
        /// Of the second.
        second: usize,
    },
    /// More than `u32::MAX` rows or entries.
    #[error("matrix is too large for 32-bit indices")]
    TooLarge,
}

/// A Newton iteration that found no solution. The best iterate is left in the argument.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NewtonError {
    /// The Jacobian could not be factored.
    #[error("Jacobian of Newton's method cannot be factored in iteration {iteration}")]
    Factor {
        /// Iteration, from zero.
        iteration: usize,
        /// Why.
        #[source]
        source: FactorError,
    },
    /// No damped step made the residual smaller.
    #[error(
        "Newton's method is stuck after {iterations} iterations: equation {equation} has residual \
         {residual:e}; try another guess"
    )]
    Stuck {
        /// Iterations done.
        iterations: usize,
        /// Equation with the largest weighted residual.
        equation: usize,
        /// Its residual.
        residual: f64,
    },
    /// The limit of iterations was reached.
    #[error(
        "Newton's method needs more than {iterations} iterations: equation {equation} has \
         residual {residual:e}"
    )]
    Iterations {
        /// The limit.
        iterations: usize,
        /// Equation with the largest weighted residual.
        equation: usize,
        /// Its residual.
        residual: f64,
    },
    /// The residual cannot be evaluated at the guess.
    #[error("residual of equation {equation} is not finite at the guess")]
    Guess {
        /// The first such equation.
        equation: usize,
    },
}
