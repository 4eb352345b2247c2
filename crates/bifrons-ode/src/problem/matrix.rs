//! Shapes of matrices: Jacobians that a problem fills, mass matrices that it states.

use crate::error::InputError;

/// Where the entries of a square matrix are, and the order of their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Structure {
    /// Every entry; entry `(i, j)` is value `j n + i` (column by column).
    #[default]
    Dense,
    /// Entries with `i - j ≤ lower` and `j - i ≤ upper`; entry `(i, j)` is value
    /// `j (lower + upper + 1) + upper + i - j` (diagonals as rows, column by column).
    Banded {
        /// Diagonals below the main one.
        lower: usize,
        /// Diagonals above the main one.
        upper: usize,
    },
    /// The entries of a pattern, in its order.
    Sparse(Pattern),
}

impl Structure {
    /// Values of a matrix of dimension `n`.
    #[must_use]
    pub fn value_count(&self, n: usize) -> usize {
        match self {
            Self::Dense => n * n,
            Self::Banded { lower, upper } => (lower + upper + 1) * n,
            Self::Sparse(pattern) => pattern.value_count(),
        }
    }

    /// Position of the value of entry `(i, j)`, if the structure has it.
    ///
    /// Cost: constant, for patterns a binary search in the column.
    #[must_use]
    pub fn position(&self, n: usize, i: usize, j: usize) -> Option<usize> {
        if i >= n || j >= n {
            return None;
        }
        match self {
            Self::Dense => Some(j * n + i),
            Self::Banded { lower, upper } => {
                let inside = i <= j + lower && j <= i + upper;
                inside.then(|| j * (lower + upper + 1) + (upper + i - j))
            }
            Self::Sparse(pattern) => pattern.position(i, j),
        }
    }

    /// A pattern must be for `n` columns.
    pub(crate) fn check(&self, n: usize) -> Result<(), InputError> {
        match self {
            Self::Sparse(pattern) if pattern.dimension() != n => Err(InputError::Matrix {
                what: "columns of a pattern",
                found: pattern.dimension(),
                required: n,
            }),
            _ => Ok(()),
        }
    }
}

/// Positions of the entries of a sparse square matrix, by compressed columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    starts: Vec<usize>,
    rows: Vec<usize>,
}

impl Pattern {
    /// Pattern from column starts (`n + 1` numbers) and row indices, ascending in each column.
    ///
    /// # Errors
    ///
    /// [`InputError::Matrix`] if the starts do not ascend from zero to the number of rows, or a
    /// row is out of range or not larger than the one before it in its column.
    pub fn new(starts: Vec<usize>, rows: Vec<usize>) -> Result<Self, InputError> {
        let wrong = |what, found, required| InputError::Matrix {
            what,
            found,
            required,
        };
        let Some((&last, n)) = starts.last().zip(starts.len().checked_sub(1)) else {
            return Err(wrong("column starts", 0, 1));
        };
        if starts[0] != 0 {
            return Err(wrong("first column start", starts[0], 0));
        }
        if last != rows.len() {
            return Err(wrong("last column start", last, rows.len()));
        }
        for pair in starts.windows(2) {
            if pair[1] < pair[0] {
                return Err(wrong("next column start", pair[1], pair[0]));
            }
            let column = rows.get(pair[0]..pair[1]).unwrap_or_default();
            if let Some(&row) = column.iter().find(|&&row| row >= n) {
                return Err(wrong("row index below the dimension", row, n));
            }
            if let Some(pair) = column.windows(2).find(|pair| pair[1] <= pair[0]) {
                return Err(wrong("next row index", pair[1], pair[0] + 1));
            }
        }
        Ok(Self { starts, rows })
    }

    /// Pattern with these entries `(i, j)` in any order; repeated entries count once.
    ///
    /// # Errors
    ///
    /// [`InputError::Matrix`] if an index is not below `n`.
    pub fn from_entries(n: usize, entries: &[(usize, usize)]) -> Result<Self, InputError> {
        if let Some(&(i, j)) = entries.iter().find(|(i, j)| *i >= n || *j >= n) {
            return Err(InputError::Matrix {
                what: "index below the dimension",
                found: i.max(j),
                required: n,
            });
        }
        let mut sorted: Vec<(usize, usize)> = entries.iter().map(|&(i, j)| (j, i)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; n + 1];
        for &(j, _) in &sorted {
            starts[j + 1] += 1;
        }
        for j in 0..n {
            starts[j + 1] += starts[j];
        }
        let rows = sorted.into_iter().map(|(_, i)| i).collect();
        Ok(Self { starts, rows })
    }

    /// Number of columns, which is that of rows.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of entries.
    #[must_use]
    pub const fn value_count(&self) -> usize {
        self.rows.len()
    }

    /// Starts of the columns, `n + 1` numbers.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Row indices of all entries, column by column.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn position(&self, i: usize, j: usize) -> Option<usize> {
        let (start, end) = (self.starts[j], self.starts[j + 1]);
        let found = self.rows[start..end].binary_search(&i).ok()?;
        Some(start + found)
    }
}

/// The values of a matrix while a problem fills them; they are zero before.
#[derive(Debug)]
pub struct MatrixMut<'m> {
    n: usize,
    structure: &'m Structure,
    values: &'m mut [f64],
}

impl<'m> MatrixMut<'m> {
    /// A view on `structure.value_count(n)` values.
    ///
    /// # Errors
    ///
    /// [`InputError::Matrix`] if the number of values is another one.
    pub fn new(
        n: usize,
        structure: &'m Structure,
        values: &'m mut [f64],
    ) -> Result<Self, InputError> {
        let (found, required) = (values.len(), structure.value_count(n));
        if found != required {
            return Err(InputError::Matrix {
                what: "values",
                found,
                required,
            });
        }
        Ok(Self {
            n,
            structure,
            values,
        })
    }

    /// Number of rows and of columns.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.n
    }

    /// Where the entries are.
    #[must_use]
    pub const fn structure(&self) -> &Structure {
        self.structure
    }

    /// Sets entry `(i, j)`; an entry that the structure does not have is left out, it is a mistake
    /// if it is not zero (caught by a debug assertion).
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        match self.structure.position(self.n, i, j) {
            Some(position) => self.values[position] = value,
            None => debug_assert!(
                value.abs() <= 0.0,
                "entry ({i}, {j}) is not in the structure"
            ),
        }
    }

    /// All values in the order of the structure.
    #[must_use]
    pub fn values(&mut self) -> &mut [f64] {
        self.values
    }
}

/// Mass matrix `M` of `M y' = f(t, y)`: constant, possibly singular.
///
/// A singular matrix makes the system one of differential and algebraic equations, which implicit
/// methods solve. An explicit method factors a regular one before the first step and solves with
/// it in every evaluation; it refuses a singular one.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Mass {
    /// The identity.
    #[default]
    Identity,
    /// A diagonal matrix, one number per component.
    Diagonal(Vec<f64>),
    /// Any matrix: a structure and its values.
    Matrix(Structure, Vec<f64>),
}

impl Mass {
    /// Checks the sizes and that every value is finite.
    pub(crate) fn check(&self, n: usize) -> Result<(), InputError> {
        let (values, required) = match self {
            Self::Identity => return Ok(()),
            Self::Diagonal(values) => (values, n),
            Self::Matrix(structure, values) => {
                structure.check(n)?;
                (values, structure.value_count(n))
            }
        };
        if values.len() != required {
            return Err(InputError::Matrix {
                what: "values of the mass matrix",
                found: values.len(),
                required,
            });
        }
        match values.iter().position(|v| !v.is_finite()) {
            Some(index) => Err(InputError::MassNotFinite {
                index,
                value: values[index],
            }),
            None => Ok(()),
        }
    }
}
