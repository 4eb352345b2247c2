//! Where the entries of a matrix are, and in which order their values stand.

use crate::error::StructureError;

/// The pattern of a square sparse matrix in compressed columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sparsity {
    dimension: usize,
    /// `n + 1` positions into `rows`.
    columns: Vec<u32>,
    /// Rows of the entries, ascending within each column.
    rows: Vec<u32>,
}

impl Sparsity {
    /// A pattern from `n + 1` column pointers and the row indices, ascending in each column.
    ///
    /// # Errors
    ///
    /// [`StructureError`] if a pointer or a row index is out of order or out of range.
    pub fn new(columns: Vec<u32>, rows: Vec<u32>) -> Result<Self, StructureError> {
        let dimension = columns.len().saturating_sub(1);
        let last = u32::try_from(rows.len()).map_err(|_| StructureError::TooLarge)?;
        let ordered = |k: usize| k == 0 || columns[k - 1] <= columns[k];
        let fits = |k: usize| {
            ordered(k)
                && (k > 0 || columns[k] == 0)
                && (k < dimension || columns[k] == last)
                && columns[k] <= last
        };
        if let Some(index) = (0..columns.len()).find(|&k| !fits(k)) {
            let value = columns[index] as usize;
            return Err(StructureError::ColumnPointer { index, value });
        }
        for column in 0..dimension {
            let range = columns[column] as usize..columns[column + 1] as usize;
            let mut least = 0;
            for &row in &rows[range] {
                let row = row as usize;
                if row < least || row >= dimension {
                    return Err(StructureError::RowIndex {
                        column,
                        row,
                        dimension,
                    });
                }
                least = row + 1;
            }
        }
        Ok(Self {
            dimension,
            columns: if columns.is_empty() { vec![0] } else { columns },
            rows,
        })
    }

    /// A pattern from places `(row, column)` in any order; repeated places count once.
    ///
    /// # Errors
    ///
    /// [`StructureError::RowIndex`] for a place outside, [`StructureError::TooLarge`].
    pub fn from_places(
        dimension: usize,
        places: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, StructureError> {
        let index = |i: usize| u32::try_from(i).map_err(|_| StructureError::TooLarge);
        let mut sorted = Vec::new();
        for (row, column) in places {
            if row >= dimension || column >= dimension {
                return Err(StructureError::RowIndex {
                    column,
                    row,
                    dimension,
                });
            }
            sorted.push((index(column)?, index(row)?));
        }
        sorted.sort_unstable();
        sorted.dedup();
        index(sorted.len())?;
        let mut columns = vec![0_u32; dimension + 1];
        for &(column, _) in &sorted {
            columns[column as usize + 1] += 1;
        }
        for k in 0..dimension {
            columns[k + 1] += columns[k];
        }
        Ok(Self {
            dimension,
            columns,
            // Not in the memory of the places, which is more than twice as large.
            rows: sorted.iter().map(|&(_, row)| row).collect(),
        })
    }

    /// Number of rows and columns.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of entries.
    #[must_use]
    pub fn entry_count(&self) -> usize {
        self.rows.len()
    }

    /// Positions of the entries of a column in the values.
    #[must_use]
    pub fn range(&self, column: usize) -> core::ops::Range<usize> {
        self.columns[column] as usize..self.columns[column + 1] as usize
    }

    /// Rows of the entries of a column, ascending.
    #[must_use]
    pub fn rows(&self, column: usize) -> &[u32] {
        &self.rows[self.range(column)]
    }

    /// The column pointers, `n + 1` of them.
    #[must_use]
    pub fn column_pointers(&self) -> &[u32] {
        &self.columns
    }

    /// The row indices of all entries.
    #[must_use]
    pub fn row_indices(&self) -> &[u32] {
        &self.rows
    }

    /// Position of the entry `(row, column)` in the values, if it is part of the pattern.
    #[must_use]
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let row = u32::try_from(row).ok()?;
        let found = self.rows(column).binary_search(&row).ok()?;
        Some(self.range(column).start + found)
    }
}

/// Where the entries of a square matrix are. The values are a slice of
/// [`value_count`](Self::value_count) numbers, columns one after the other:
///
/// | structure | column `j` holds |
/// |---|---|
/// | dense | rows `0..n` |
/// | diagonal | row `j` |
/// | banded | rows `j − upper ..= j + lower`; places outside of the matrix are kept and not read |
/// | sparse | the rows of its pattern |
///
/// Deliberately closed: every factorisation handles every structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Structure {
    /// All entries.
    Dense {
        /// Number of rows and columns.
        dimension: usize,
    },
    /// The main diagonal.
    Diagonal {
        /// Number of rows and columns.
        dimension: usize,
    },
    /// Some diagonals below and above the main one.
    Banded {
        /// Number of rows and columns.
        dimension: usize,
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
    /// The entries of a pattern.
    Sparse(Sparsity),
}

impl Structure {
    /// All entries of an `n × n` matrix.
    #[must_use]
    pub const fn dense(dimension: usize) -> Self {
        Self::Dense { dimension }
    }

    /// The main diagonal of an `n × n` matrix.
    #[must_use]
    pub const fn diagonal(dimension: usize) -> Self {
        Self::Diagonal { dimension }
    }

    /// A band of `lower` diagonals below and `upper` above the main one; wider than the matrix
    /// means all of it.
    #[must_use]
    pub const fn banded(dimension: usize, lower: usize, upper: usize) -> Self {
        let most = dimension.saturating_sub(1);
        Self::Banded {
            dimension,
            lower: if lower < most { lower } else { most },
            upper: if upper < most { upper } else { most },
        }
    }

    /// Number of rows and columns.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        match self {
            Self::Dense { dimension }
            | Self::Diagonal { dimension }
            | Self::Banded { dimension, .. } => *dimension,
            Self::Sparse(sparsity) => sparsity.dimension(),
        }
    }

    /// Length of a slice of values.
    #[must_use]
    pub fn value_count(&self) -> usize {
        match self {
            Self::Dense { dimension } => dimension * dimension,
            Self::Diagonal { dimension } => *dimension,
            Self::Banded {
                dimension,
                lower,
                upper,
            } => dimension * (lower + upper + 1),
            Self::Sparse(sparsity) => sparsity.entry_count(),
        }
    }

    /// Position of `(row, column)` in the values, if it is part of the structure.
    #[must_use]
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let n = self.dimension();
        if row >= n || column >= n {
            return None;
        }
        match self {
            Self::Dense { .. } => Some(column * n + row),
            Self::Diagonal { .. } => (row == column).then_some(row),
            Self::Banded { lower, upper, .. } => {
                let inside = row <= column + lower && column <= row + upper;
                inside.then(|| column * (lower + upper + 1) + row + upper - column)
            }
            Self::Sparse(sparsity) => sparsity.position(row, column),
        }
    }

    /// Calls `visit(row, position)` for every entry of a column, rows ascending.
    #[inline]
    pub fn for_column(&self, column: usize, mut visit: impl FnMut(usize, usize)) {
        let n = self.dimension();
        match self {
            Self::Dense { .. } => (0..n).for_each(|row| visit(row, column * n + row)),
            Self::Diagonal { .. } => visit(column, column),
            Self::Banded { lower, upper, .. } => {
                let first = column.saturating_sub(*upper);
                let last = (column + lower).min(n - 1);
                let base = column * (lower + upper + 1) + upper;
                (first..=last).for_each(|row| visit(row, base + row - column));
            }
            Self::Sparse(sparsity) => {
                for position in sparsity.range(column) {
                    visit(sparsity.row_indices()[position] as usize, position);
                }
            }
        }
    }

    /// Adds `factor · A x` to `y`, where `values` are those of `A`.
    #[inline]
    pub fn multiply_add(&self, values: &[f64], factor: f64, x: &[f64], y: &mut [f64]) {
        if let Self::Diagonal { .. } = self {
            for ((y, x), v) in y.iter_mut().zip(x).zip(values) {
                *y += factor * v * x;
            }
            return;
        }
        for (column, &x) in x.iter().enumerate() {
            let scaled = factor * x;
            self.for_column(column, |row, at| y[row] += scaled * values[at]);
        }
    }

    /// Adds `factor · Aᵀ x` to `y`, where `values` are those of `A`.
    #[inline]
    pub fn transpose_multiply_add(&self, values: &[f64], factor: f64, x: &[f64], y: &mut [f64]) {
        for (column, y) in y.iter_mut().enumerate() {
            let mut sum = 0.0;
            self.for_column(column, |row, at| sum += values[at] * x[row]);
            *y += factor * sum;
        }
    }
}
