//! Adjoints of steps: of the differences, of which a step is a linear map but for one solve.

use super::Bdf;
use super::tables::{Change, GAMMA, MAX_ORDER, ROWS, alpha};
use crate::implicit::reverse::{Pull, Reverse, add, add_mass_transposed, solve_transposed};

/// A step: its end, step and order, the state there, and what the differences went through.
#[derive(Debug)]
pub(crate) struct Record {
    t: f64,
    h: f64,
    order: usize,
    change: Change,
    started_over: bool,
    y: Vec<f64>,
}

/// Takes derivatives by the differences after a step to those before it, and returns those by the
/// correction.
fn retreat(n: usize, rows: &mut [f64], q: usize) -> Vec<f64> {
    let row = |k: usize| k * n..(k + 1) * n;
    let mut correction = rows[row(q + 2)].to_vec();
    add(1.0, &rows[row(q + 1)], &mut correction);
    for i in 0..n {
        rows[(q + 1) * n + i] = -rows[(q + 2) * n + i];
        rows[(q + 2) * n + i] = 0.0;
        let mut sum = 0.0;
        for k in 0..=q {
            sum += rows[k * n + i];
            rows[k * n + i] = sum;
        }
        correction[i] += sum;
    }
    correction
}

impl Reverse for Bdf {
    type Record = Record;
    /// By the rows of differences.
    type Adjoint = Vec<f64>;

    fn record(&self) -> Record {
        Record {
            t: self.t,
            h: self.done.0,
            order: self.done.1,
            change: self.last_change,
            started_over: self.started_over,
            y: self.y.clone(),
        }
    }

    fn zero(&self) -> Vec<f64> {
        vec![0.0; ROWS * self.n]
    }

    fn pull(
        &self,
        rows: &mut Vec<f64>,
        record: &Record,
        lambda: Option<(f64, &[f64])>,
        link: &mut Pull<'_, '_>,
    ) {
        let (n, q, h) = (self.n, record.order, record.h);
        if let Some((t, lambda)) = lambda {
            let at_end = t.to_bits() == record.t.to_bits();
            let s = if at_end { 0.0 } else { (t - record.t) / h };
            let mut weight = 1.0;
            for j in 0..=q {
                add(weight, lambda, &mut rows[j * n..(j + 1) * n]);
                weight *= (s + j as f64) / (j as f64 + 1.0);
            }
        }
        let mut predicted = vec![0.0; n];
        let mut mu = if record.started_over {
            let mut mu = rows[..n].to_vec();
            add(1.0, &rows[n..2 * n], &mut mu);
            predicted.copy_from_slice(&mu);
            let old: Vec<f64> = rows[n..2 * n].iter().map(|v| -v).collect();
            rows.fill(0.0);
            rows[..n].copy_from_slice(&old);
            mu
        } else {
            retreat(n, rows, q)
        };
        let c = h / alpha(q);
        let mut lu = None;
        link.load(record.t, &record.y);
        solve_transposed(&self.matrices, c, link, &mut lu, &mut mu);
        link.add(c, &mu, &mut predicted);
        let mut psi = vec![0.0; n];
        add_mass_transposed(&self.matrices, -1.0, &mu, &mut psi);
        for (k, row) in rows.chunks_exact_mut(n).enumerate().take(q + 1) {
            add(1.0, &predicted, row);
            add(GAMMA[k] / alpha(q), &psi, row);
        }
        let mut old = [0.0; MAX_ORDER + 1];
        for i in 0..n {
            for (k, old) in old.iter_mut().enumerate() {
                *old = rows[k * n + i];
            }
            for j in 1..=MAX_ORDER {
                rows[j * n + i] = (1..=MAX_ORDER).map(|k| record.change[j][k] * old[k]).sum();
            }
        }
    }

    fn lift(&self, rows: &Vec<f64>, link: &mut Pull<'_, '_>, lambda: &mut [f64]) {
        lambda.copy_from_slice(&rows[..self.n]);
        link.load_slopes(self.t, &self.y);
        link.add(self.h, &rows[self.n..2 * self.n], lambda);
    }
}
