//! Products of Jacobian and vector: the Jacobian is evaluated once per state, so asking for it
//! column by column costs one evaluation, as asking for the whole matrix does elsewhere.

use std::cell::RefCell;

use bifrons_ode::{MatrixMut, Structure};
use bifrons_problems::ode::ReferenceProblem;

/// The Jacobian at the last state at which it was needed.
pub(crate) struct Cached<'m, M> {
    model: &'m M,
    last: RefCell<Last>,
}

struct Last {
    t: f64,
    y: Vec<f64>,
    values: Vec<f64>,
}

impl<'m, M: ReferenceProblem> Cached<'m, M> {
    pub(crate) fn new(model: &'m M) -> Self {
        let n = model.dimension();
        Self {
            model,
            last: RefCell::new(Last {
                t: f64::NAN,
                y: vec![f64::NAN; n],
                values: vec![0.0; model.structure().value_count(n)],
            }),
        }
    }

    /// Writes `J(t, y) v`.
    pub(crate) fn product(&self, t: f64, y: &[f64], v: &[f64], out: &mut [f64]) {
        let last = &mut *self.last.borrow_mut();
        let structure = self.model.structure();
        if last.t != t || last.y != y {
            last.t = t;
            last.y.copy_from_slice(y);
            last.values.fill(0.0);
            if let Ok(mut matrix) = MatrixMut::new(y.len(), structure, &mut last.values) {
                self.model.jacobian(t, y, &mut matrix);
            }
        }
        out.fill(0.0);
        product(structure, &last.values, v, out);
    }
}

/// Adds the product of a matrix and a vector; columns at which the vector is zero are left out.
pub(crate) fn product(structure: &Structure, values: &[f64], v: &[f64], out: &mut [f64]) {
    let n = v.len();
    for (j, &v) in v.iter().enumerate() {
        if v == 0.0 {
            continue;
        }
        match structure {
            Structure::Dense => {
                for (out, a) in out.iter_mut().zip(&values[j * n..(j + 1) * n]) {
                    *out += a * v;
                }
            }
            Structure::Banded { lower, upper } => {
                let rows = j.saturating_sub(*upper)..(j + lower + 1).min(n);
                let first = j * (lower + upper) + upper;
                for i in rows {
                    out[i] += values[first + i] * v;
                }
            }
            Structure::Sparse(pattern) => {
                let range = pattern.starts()[j]..pattern.starts()[j + 1];
                for k in range {
                    out[pattern.rows()[k]] += values[k] * v;
                }
            }
        }
    }
}
