//! The equations of all three stages as one dense matrix, each with its own Jacobian.

use bifrons_algebra::{Lu, Structure};

use super::Radau;
use super::tables::{PAIR_IM, PAIR_RE, REAL, T, TI};
use crate::implicit::matrices::Matrices;
use crate::problem::{Clipped, Derivatives as _};

/// `A⁻¹ ⊗ M − h diag(J₁, J₂, J₃)`, factored.
#[derive(Debug)]
pub(super) struct Stacked {
    n: usize,
    lu: Lu<f64>,
    values: Vec<f64>,
    /// Jacobians of the stages, by columns, one after the other.
    pub(super) jacobians: Vec<f64>,
    state: Vec<f64>,
    right: Vec<f64>,
}

/// Inverse of the coefficients: `T Λ T⁻¹`.
fn inverse() -> [[f64; 3]; 3] {
    let blocks = [
        [REAL, 0.0, 0.0],
        [0.0, PAIR_RE, -PAIR_IM],
        [0.0, PAIR_IM, PAIR_RE],
    ];
    let mut out = [[0.0; 3]; 3];
    for (i, row) in out.iter_mut().enumerate() {
        for (j, out) in row.iter_mut().enumerate() {
            for k in 0..3 {
                for l in 0..3 {
                    *out += T[i][k] * blocks[k][l] * TI[l][j];
                }
            }
        }
    }
    out
}

impl Stacked {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            lu: Lu::analyse(&Structure::dense(3 * n)),
            values: vec![0.0; 9 * n * n],
            jacobians: vec![0.0; 3 * n * n],
            state: vec![0.0; n],
            right: vec![0.0; 3 * n],
        }
    }

    /// Evaluates the Jacobians at the stages of the last accepted step, and factors; false if the
    /// matrix is singular.
    pub(super) fn load(&mut self, method: &Radau, link: &mut Clipped<'_>) -> bool {
        let n = self.n;
        for (k, jacobian) in self.jacobians.chunks_exact_mut(n * n).enumerate() {
            let t = method.stage(k, &mut self.state);
            link.jacobian(t, &self.state, jacobian);
        }
        self.factor(&method.matrices, method.done)
    }

    /// Factors with the Jacobians that are there; false if the matrix is singular.
    pub(super) fn factor(&mut self, matrices: &Matrices, h: f64) -> bool {
        let n = self.n;
        self.values.fill(0.0);
        let inverse = inverse();
        let (structure, mass, _) = matrices.parts();
        for column in 0..n {
            structure.for_column(column, |row, at| {
                for (j, k) in (0..9).map(|both| (both / 3, both % 3)) {
                    let to = (j * n + column) * 3 * n + k * n + row;
                    self.values[to] = inverse[k][j] * mass[at];
                }
            });
        }
        for (k, jacobian) in self.jacobians.chunks_exact(n * n).enumerate() {
            for (at, slope) in jacobian.iter().enumerate() {
                let (column, row) = (at / n, at % n);
                self.values[(k * n + column) * 3 * n + k * n + row] -= h * slope;
            }
        }
        self.lu.refactor(&self.values).is_ok()
    }

    /// The right-hand side and, after a solve, the solution.
    pub(super) fn right(&mut self) -> &mut [f64] {
        &mut self.right
    }

    pub(super) fn solve(&mut self) {
        self.lu.solve(&mut self.right);
    }

    /// Solves with the transpose.
    pub(super) fn solve_transposed(&mut self) {
        self.lu.solve_transposed(&mut self.right);
    }
}
