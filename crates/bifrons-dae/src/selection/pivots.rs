//! Elimination with complete pivoting in buffers that are made once.

use bifrons_expr::Registers;
use bifrons_memory::Footprint;

use super::{Cluster, SelectionPlan};

/// Registers and the matrices of the choice. Nothing here allocates after it was made.
#[derive(Debug)]
pub(crate) struct SelectionWorkspace {
    pub(super) registers: Registers<1>,
    pub(super) slopes: Vec<f64>,
    matrix: Vec<f64>,
    used: Vec<bool>,
    /// Columns of the present cluster that may be picked.
    pub(super) open: Vec<bool>,
    /// Columns that were picked last.
    pub(super) picked: Vec<usize>,
    /// Per unknown.
    pub(super) demoted: Vec<bool>,
    pub(super) states: Vec<usize>,
}

/// Sizes of the largest cluster: rows, columns, entries.
fn largest(plan: &SelectionPlan) -> (usize, usize, usize) {
    let most = |size: fn(&Cluster) -> usize| plan.clusters.iter().map(size).max().unwrap_or(0);
    (
        most(|c| c.rows),
        most(|c| c.columns.len()),
        most(|c| c.rows * c.columns.len()),
    )
}

impl SelectionWorkspace {
    pub(super) fn new(plan: &SelectionPlan) -> Self {
        let (rows, columns, entries) = largest(plan);
        Self {
            registers: plan.tape.registers(),
            slopes: vec![0.0; plan.tape.output_count()],
            matrix: vec![0.0; entries],
            used: vec![false; rows],
            open: vec![false; columns],
            picked: Vec::with_capacity(rows),
            demoted: vec![false; plan.weights.len()],
            states: Vec::with_capacity(plan.candidates.len()),
        }
    }
}

impl SelectionPlan {
    /// Bytes of a [`SelectionWorkspace`].
    pub(crate) fn footprint(&self) -> Footprint {
        let (rows, columns, entries) = largest(self);
        self.tape
            .footprint(1)
            .beside(Footprint::of::<f64>(self.tape.output_count() + entries))
            .beside(Footprint::of::<bool>(rows))
            .beside(Footprint::of::<bool>(columns))
            .beside(Footprint::of::<bool>(self.weights.len()))
            .beside(Footprint::of::<usize>(rows + self.candidates.len()))
    }

    /// Gaussian elimination in the open columns: the columns of the pivots are in `picked`
    /// afterwards. The product of their sizes, or `None` if the rows are dependent there.
    pub(super) fn eliminate(
        &self,
        cluster: &Cluster,
        w: &mut SelectionWorkspace,
        prefer: bool,
    ) -> Option<f64> {
        let width = cluster.columns.len();
        let matrix = &mut w.matrix[..cluster.rows * width];
        let used = &mut w.used[..cluster.rows];
        scale(cluster, &w.slopes, matrix)?;
        w.picked.clear();
        used.fill(false);
        let mut product = 1.0;
        for _ in 0..cluster.rows {
            let mut best = (0.0, 0, 0);
            for row in (0..cluster.rows).filter(|r| !used[*r]) {
                for column in (0..width).filter(|c| w.open[*c] && !w.picked.contains(c)) {
                    let mut size = matrix[row * width + column].abs();
                    if prefer {
                        size *= self.weights[cluster.columns[column]];
                    }
                    if size > best.0 {
                        best = (size, row, column);
                    }
                }
            }
            let (_, row, column) = best;
            let pivot = matrix[row * width + column];
            if !(best.0 > 0.0 && pivot.abs() >= 1e-10) {
                return None;
            }
            product *= pivot.abs();
            used[row] = true;
            w.picked.push(column);
            for other in (0..cluster.rows).filter(|r| !used[*r]) {
                let factor = matrix[other * width + column] / pivot;
                if factor != 0.0 {
                    for c in 0..width {
                        matrix[other * width + c] -= factor * matrix[row * width + c];
                    }
                }
            }
        }
        Some(product)
    }
}

/// Fills the matrix with rows whose largest entries are one; `None` for a row without entries.
fn scale(cluster: &Cluster, slopes: &[f64], matrix: &mut [f64]) -> Option<()> {
    let width = cluster.columns.len();
    matrix.fill(0.0);
    for &(row, column, position) in &cluster.entries {
        matrix[row * width + column] = slopes[position];
    }
    for row in matrix.chunks_mut(width) {
        let largest = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        row.iter_mut().for_each(|v| *v /= largest);
    }
    Some(())
}
