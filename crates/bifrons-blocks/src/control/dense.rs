//! Small dense matrices: what the designs need, in the order of the textbook.

use crate::control::ControlError;

/// A matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dense {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) data: Vec<f64>,
}

impl Dense {
    /// Checks size and finiteness.
    pub(super) fn checked(
        matrix: &'static str,
        data: &[f64],
        rows: usize,
        columns: usize,
    ) -> Result<Self, ControlError> {
        if Some(data.len()) != rows.checked_mul(columns) {
            let found = data.len();
            return Err(ControlError::Shape {
                matrix,
                rows,
                columns,
                found,
            });
        }
        if let Some(value) = data.iter().find(|value| !value.is_finite()) {
            return Err(ControlError::Value {
                setting: matrix,
                value: *value,
                requirement: "must have finite entries",
            });
        }
        Ok(Self {
            rows,
            columns,
            data: data.to_vec(),
        })
    }

    pub(super) fn zero(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            data: vec![0.0; rows * columns],
        }
    }

    pub(super) fn identity(n: usize) -> Self {
        let mut matrix = Self::zero(n, n);
        for i in 0..n {
            matrix.data[i * n + i] = 1.0;
        }
        matrix
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        self.data[row * self.columns + column]
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.rows, other.columns);
        for i in 0..self.rows {
            let row = &mut product.data[i * other.columns..][..other.columns];
            for k in 0..self.columns {
                let factor = self.at(i, k);
                let from = &other.data[k * other.columns..][..other.columns];
                for (sum, value) in row.iter_mut().zip(from) {
                    *sum += factor * value;
                }
            }
        }
        product
    }

    pub(super) fn transposed(&self) -> Self {
        let mut result = Self::zero(self.columns, self.rows);
        for i in 0..self.rows {
            for j in 0..self.columns {
                result.data[j * self.rows + i] = self.at(i, j);
            }
        }
        result
    }

    /// `self + factor · other`.
    pub(super) fn plus(&self, other: &Self, factor: f64) -> Self {
        let sums = self.data.iter().zip(&other.data);
        Self {
            data: sums.map(|(a, b)| a + factor * b).collect(),
            ..*self
        }
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            data: self.data.iter().map(|value| factor * value).collect(),
            ..*self
        }
    }

    /// `(self + selfᵀ) / 2`.
    pub(super) fn symmetric(&self) -> Self {
        self.plus(&self.transposed(), 1.0).scaled(0.5)
    }

    /// Largest size of an entry; NaN if there is one.
    pub(super) fn size(&self) -> f64 {
        let larger = |most: f64, value: &f64| {
            if value.abs() > most || value.is_nan() {
                value.abs()
            } else {
                most
            }
        };
        self.data.iter().fold(0.0, larger)
    }

    /// `self⁻¹ · right` by elimination with row pivoting; `None` if a pivot is zero or not finite.
    pub(super) fn solve(&self, right: &Self) -> Option<Self> {
        let n = self.rows;
        let (mut a, mut x) = (self.clone(), right.clone());
        for k in 0..n {
            let largest = (k..n).max_by(|i, j| a.at(*i, k).abs().total_cmp(&a.at(*j, k).abs()))?;
            let pivot = a.at(largest, k);
            if !pivot.is_finite() || pivot.abs() <= 0.0 {
                return None;
            }
            a.exchange(k, largest);
            x.exchange(k, largest);
            for i in k + 1..n {
                let factor = a.at(i, k) / pivot;
                a.eliminate(i, k, factor);
                x.eliminate(i, k, factor);
            }
        }
        for k in (0..n).rev() {
            for j in 0..x.columns {
                let known: f64 = (k + 1..n).map(|i| a.at(k, i) * x.at(i, j)).sum();
                x.data[k * x.columns + j] = (x.at(k, j) - known) / a.at(k, k);
            }
        }
        Some(x)
    }

    fn exchange(&mut self, a: usize, b: usize) {
        for j in 0..self.columns {
            self.data.swap(a * self.columns + j, b * self.columns + j);
        }
    }

    /// Row `i` minus `factor` times row `k`.
    fn eliminate(&mut self, i: usize, k: usize, factor: f64) {
        for j in 0..self.columns {
            self.data[i * self.columns + j] -= factor * self.at(k, j);
        }
    }
}
