//! Adjoints of steps.

use super::Radau;
use super::stacked::Stacked;
use super::tables::P;
use crate::implicit::reverse::{Pull, Reverse, add};

/// A step: its ends, its length, the state at its start and the stages.
#[derive(Debug)]
pub(crate) struct Record {
    t_old: f64,
    t: f64,
    h: f64,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Reverse for Radau {
    type Record = Record;
    /// By the state.
    type Adjoint = Vec<f64>;

    fn record(&self) -> Record {
        Record {
            t_old: self.t_old,
            t: self.t,
            h: self.done,
            y: self.y_old.clone(),
            z: self.z.clone(),
        }
    }

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.n]
    }

    /// `(A⁻¹ ⊗ M − h diag J)ᵀ μ = Z̄`, then `ȳ += h Σ J_kᵀ μ_k`.
    fn pull(
        &self,
        adjoint: &mut Vec<f64>,
        record: &Record,
        lambda: Option<(f64, &[f64])>,
        link: &mut Pull<'_, '_>,
    ) {
        let (n, h) = (self.n, record.h);
        let mut stages = vec![0.0; 3 * n];
        match lambda {
            Some((t, lambda)) if t.to_bits() != record.t.to_bits() => {
                let theta = (t - record.t_old) / h;
                for (row, p) in stages.chunks_exact_mut(n).zip(P) {
                    let weight = theta * (p[0] + theta * (p[1] + theta * p[2]));
                    add(weight, lambda, row);
                }
                add(1.0, lambda, adjoint);
            }
            Some((_, lambda)) => {
                add(1.0, lambda, adjoint);
                stages[2 * n..].copy_from_slice(adjoint);
            }
            None => stages[2 * n..].copy_from_slice(adjoint),
        }
        let mut stacked = Stacked::new(n);
        let points = stage_points(record, n);
        for (k, (t, y)) in points.iter().enumerate() {
            link.load(*t, y);
            stacked.jacobians[k * n * n..(k + 1) * n * n].copy_from_slice(link.jacobian(n));
        }
        if stacked.factor(&self.matrices, h) {
            stacked.right().copy_from_slice(&stages);
            stacked.solve_transposed();
        } else {
            stacked.right().fill(f64::NAN);
        }
        for ((t, y), mu) in points.iter().zip(stacked.right().chunks_exact(n)) {
            link.load(*t, y);
            link.add(h, mu, adjoint);
        }
    }

    fn lift(&self, adjoint: &Vec<f64>, _link: &mut Pull<'_, '_>, lambda: &mut [f64]) {
        lambda.copy_from_slice(adjoint);
    }
}

/// Times and states of the stages.
fn stage_points(record: &Record, n: usize) -> [(f64, Vec<f64>); 3] {
    [0, 1, 2].map(|k| {
        let z = &record.z[k * n..(k + 1) * n];
        let state = record.y.iter().zip(z).map(|(y, z)| y + z).collect();
        let t = if k == 2 {
            record.t
        } else {
            record.t_old + super::tables::C[k] * record.h
        };
        (t, state)
    })
}
