//! Elimination of one row after the other with a choice of columns.

/// Rows that are reduced by earlier ones, with the columns of their pivots.
#[derive(Debug)]
pub(super) struct Elimination {
    width: usize,
    /// Reduced rows with pivot one, right-hand side last.
    rows: Vec<Vec<f64>>,
    pivots: Vec<usize>,
}

/// Below this share of its largest entry a reduced row counts as dependent on earlier ones.
const DEPENDENT: f64 = 1e-9;
/// Columns below this share of the largest entry are no pivots.
const THRESHOLD: f64 = 0.05;

impl Elimination {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            rows: Vec::new(),
            pivots: Vec::new(),
        }
    }

    /// Adds a row of `width` entries and a right-hand side; `false` if it depends on earlier ones.
    ///
    /// Among large entries the column with the smallest `keep` is the pivot: variables with a high
    /// one stay at their values where that is possible.
    pub(super) fn add(&mut self, mut row: Vec<f64>, keep: &[u8]) -> bool {
        let size = largest(&row[..self.width]);
        for (earlier, &pivot) in self.rows.iter().zip(&self.pivots) {
            let factor = row[pivot];
            if factor != 0.0 {
                for (value, other) in row.iter_mut().zip(earlier) {
                    *value -= factor * other;
                }
                row[pivot] = 0.0;
            }
        }
        let left = largest(&row[..self.width]);
        if !(left > DEPENDENT * size) {
            return false;
        }
        let large = (0..self.width).filter(|c| row[*c].abs() >= THRESHOLD * left);
        let order = |c: &usize| {
            let size = row[*c].abs();
            (std::cmp::Reverse(keep[*c]), ordered(size))
        };
        let Some(pivot) = large.max_by_key(order) else {
            return false;
        };
        let scale = row[pivot];
        row.iter_mut().for_each(|v| *v /= scale);
        self.rows.push(row);
        self.pivots.push(pivot);
        true
    }

    /// Solution with zero in the columns without pivot.
    pub(super) fn solve(&self) -> Vec<f64> {
        let mut x = vec![0.0; self.width];
        for (row, &pivot) in self.rows.iter().zip(&self.pivots).rev() {
            let mut sum = row[self.width];
            for (column, value) in row[..self.width].iter().enumerate() {
                if column != pivot && *value != 0.0 {
                    sum -= value * x[column];
                }
            }
            x[pivot] = sum;
        }
        x
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
}

/// Bits of a number that is not negative ascend with it.
fn ordered(value: f64) -> u64 {
    value.to_bits()
}
