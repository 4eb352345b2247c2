//! Tables of transition probabilities.

mod stationary;

use bifrons_memory::Footprint;

use crate::MatrixError;

/// Rows of probabilities, validated once: from each row's state to each column's.
///
/// Entries are in [0, 1], rows sum to one within 1e-12 and are used as given. Rows and columns
/// may be different sets of states; the long-run operations need the same.
///
/// Shape: `row_count × column_count`, row-major, contiguous.
///
/// ```
/// use bifrons_shocks::{MatrixError, TransitionMatrix};
///
/// let health = TransitionMatrix::from_rows(&[[0.9, 0.1], [0.3, 0.7]])?;
/// let long_run = health.stationary()?;
/// assert!((long_run[0] - 0.75).abs() < 1e-15);
///
/// let error = TransitionMatrix::from_rows(&[[0.5, 0.5], [0.9, 0.9]]).unwrap_err();
/// assert_eq!(error, MatrixError::RowSum { row: 1, sum: 1.8, tolerance: 1e-12 });
/// # Ok::<(), MatrixError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Table", into = "Table")
)]
pub struct TransitionMatrix {
    rows: usize,
    columns: usize,
    probabilities: Vec<f64>,
}

impl TransitionMatrix {
    /// Accepted distance of a row's sum from one.
    pub const TOLERANCE: f64 = 1e-12;

    /// Matrix from row-major probabilities.
    ///
    /// # Errors
    ///
    /// [`MatrixError::Empty`], [`MatrixError::Shape`], [`MatrixError::Probability`] for a value
    /// outside [0, 1] or NaN, [`MatrixError::RowSum`].
    pub fn new(rows: usize, columns: usize, probabilities: Vec<f64>) -> Result<Self, MatrixError> {
        if rows == 0 || columns == 0 {
            return Err(MatrixError::Empty { rows, columns });
        }
        if rows.checked_mul(columns) != Some(probabilities.len()) {
            return Err(MatrixError::Shape {
                rows,
                columns,
                found: probabilities.len(),
            });
        }
        for (row, values) in probabilities.chunks_exact(columns).enumerate() {
            // One unit of tolerance above one, as a row of one entry may have by its sum.
            let most = 1.0 + Self::TOLERANCE;
            let wrong = |value: &f64| !(*value >= 0.0 && *value <= most);
            if let Some(column) = values.iter().position(wrong) {
                return Err(MatrixError::Probability {
                    row,
                    column,
                    value: values[column],
                });
            }
            let sum = values.iter().fold(0.0, |sum, value| sum + value);
            if (sum - 1.0).abs() > Self::TOLERANCE {
                return Err(MatrixError::RowSum {
                    row,
                    sum,
                    tolerance: Self::TOLERANCE,
                });
            }
        }
        Ok(Self {
            rows,
            columns,
            probabilities,
        })
    }

    /// Matrix from a list of rows.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`MatrixError::RowLength`] for rows of different lengths.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, MatrixError> {
        let required = rows.first().map_or(0, |row| row.as_ref().len());
        let mut probabilities = Vec::with_capacity(rows.len().saturating_mul(required));
        for (row, values) in rows.iter().enumerate() {
            let values = values.as_ref();
            if values.len() != required {
                return Err(MatrixError::RowLength {
                    row,
                    found: values.len(),
                    required,
                });
            }
            probabilities.extend_from_slice(values);
        }
        Self::new(rows.len(), required, probabilities)
    }

    /// Number of states one comes from.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// Number of states one goes to.
    #[must_use]
    pub fn column_count(&self) -> usize {
        self.columns
    }

    /// Probabilities out of one state.
    ///
    /// # Panics
    ///
    /// If `row` is not below [`row_count`](Self::row_count).
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.probabilities[row * self.columns..(row + 1) * self.columns]
    }

    /// Rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.probabilities.chunks_exact(self.columns)
    }

    /// All probabilities, row-major.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// All probabilities, row-major, without a copy.
    #[must_use]
    pub fn into_probabilities(self) -> Vec<f64> {
        self.probabilities
    }

    /// Conditional expectations: `out_i = Σ_j P_ij values_j`, added in order.
    ///
    /// Zero probabilities are skipped, so that an infinite value there does no harm.
    ///
    /// # Errors
    ///
    /// [`MatrixError::Length`] unless `values` has one entry per column and `out` one per row.
    pub fn expect_into(&self, values: &[f64], out: &mut [f64]) -> Result<(), MatrixError> {
        check_length("values", values, self.columns)?;
        check_length("out", out, self.rows)?;
        for (out, row) in out.iter_mut().zip(self.rows()) {
            let pairs = row.iter().zip(values).filter(|(p, _)| **p > 0.0);
            *out = pairs.fold(0.0, |sum, (p, value)| sum + p * value);
        }
        Ok(())
    }

    /// Distribution one step later: `out_j = Σ_i distribution_i P_ij`, added in order.
    ///
    /// # Errors
    ///
    /// [`MatrixError::Length`] unless `distribution` has one entry per row and `out` one per
    /// column.
    pub fn step_into(&self, distribution: &[f64], out: &mut [f64]) -> Result<(), MatrixError> {
        check_length("distribution", distribution, self.rows)?;
        check_length("out", out, self.columns)?;
        out.fill(0.0);
        for (mass, row) in distribution.iter().zip(self.rows()) {
            for (out, p) in out.iter_mut().zip(row) {
                *out += mass * p;
            }
        }
        Ok(())
    }

    /// Transitions by this matrix and then by the next: the matrix product.
    ///
    /// # Errors
    ///
    /// [`MatrixError::Length`] unless `next` has one row per column of this matrix;
    /// [`MatrixError::RowSum`] if the errors of many products have added up beyond 1e-12.
    pub fn then(&self, next: &Self) -> Result<Self, MatrixError> {
        let (found, required) = (next.rows, self.columns);
        if found != required {
            return Err(MatrixError::Length {
                name: "rows of the next matrix",
                found,
                required,
            });
        }
        let mut product = vec![0.0; self.rows * next.columns];
        for (row, out) in self.rows().zip(product.chunks_exact_mut(next.columns)) {
            next.step_into(row, out)?;
        }
        Self::new(self.rows, next.columns, product)
    }

    /// The distribution that a transition leaves as it is.
    ///
    /// States that are left for good have probability zero. Computed without subtractions
    /// (W. K. Grassmann, M. I. Taksar and D. P. Heyman (1985), "Regenerative analysis and steady
    /// state distributions for Markov chains", Oper. Res. 33(5), doi:10.1287/opre.33.5.1107), so
    /// that small probabilities keep their relative accuracy.
    ///
    /// Cost: `O(n³)` time, `n²` numbers of scratch.
    ///
    /// # Errors
    ///
    /// [`MatrixError::NotSquare`]; [`MatrixError::SeveralClasses`] if the long run depends on the
    /// start; [`MatrixError::Underflow`] if it cannot be told in `f64` whether it does.
    pub fn stationary(&self) -> Result<Vec<f64>, MatrixError> {
        stationary::distribution(self)
    }

    /// Memory that a matrix of this shape keeps.
    #[must_use]
    pub fn footprint(rows: usize, columns: usize) -> Footprint {
        Footprint::of::<f64>(rows.saturating_mul(columns))
    }
}

fn check_length(name: &'static str, values: &[f64], required: usize) -> Result<(), MatrixError> {
    let found = values.len();
    if found == required {
        Ok(())
    } else {
        Err(MatrixError::Length {
            name,
            found,
            required,
        })
    }
}

/// Form in which a matrix is stored: a list of rows.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "TransitionMatrix", transparent)]
struct Table(Vec<Vec<f64>>);

#[cfg(feature = "serde")]
impl TryFrom<Table> for TransitionMatrix {
    type Error = MatrixError;

    fn try_from(table: Table) -> Result<Self, MatrixError> {
        Self::from_rows(&table.0)
    }
}

#[cfg(feature = "serde")]
impl From<TransitionMatrix> for Table {
    fn from(matrix: TransitionMatrix) -> Self {
        Self(matrix.rows().map(<[f64]>::to_vec).collect())
    }
}
