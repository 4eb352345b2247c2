//! Adjoints of steps.
#![expect(
    clippy::float_cmp,
    reason = "the node one is the end of the step, bit for bit"
)]

use super::{Rosenbrock, combine};
use crate::implicit::reverse::{Pull, Reverse, add, add_mass_transposed, solve_transposed};

/// A step: its ends, its length, the state at its start and the increments.
#[derive(Debug)]
pub(crate) struct Record {
    t_old: f64,
    t: f64,
    h: f64,
    y: Vec<f64>,
    u: Vec<f64>,
}

impl Rosenbrock {
    /// Derivatives by the increments and by the state at the start, from those by the state at
    /// the end (`end`) and, `θ` into the step, inside of it.
    fn spread(&self, end: &[f64], within: Option<(f64, &[f64])>, u: &mut [f64], y: &mut [f64]) {
        let (n, last) = (self.n, self.tableau.stages - 1);
        let mut total = end.to_vec();
        if let Some((theta, lambda)) = within {
            let rest = 1.0 - theta;
            add(theta, lambda, &mut total);
            add(rest, lambda, y);
            let d = &self.tableau.dense;
            for (j, row) in u.chunks_exact_mut(n).enumerate() {
                let weight = d[0][j] + theta * (d[1][j] + theta * d[2][j]);
                add(theta * rest * weight, lambda, row);
            }
        }
        add(1.0, &total, y);
        for (j, row) in u.chunks_exact_mut(n).enumerate() {
            let weight = if j == last {
                1.0
            } else {
                self.tableau.a[last][j]
            };
            add(weight, &total, row);
        }
    }
}

impl Reverse for Rosenbrock {
    type Record = Record;
    /// By the state.
    type Adjoint = Vec<f64>;

    fn record(&self) -> Record {
        Record {
            t_old: self.t_old,
            t: self.t,
            h: self.done,
            y: self.y_old.clone(),
            u: self.u.clone(),
        }
    }

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.n]
    }

    /// Stage after stage from the last: `(M/(γh) − J)ᵀ μ = ū`, then through the arguments of the
    /// stage, the sum of increments, and the Jacobian, which depends on the state at the start.
    fn pull(
        &self,
        adjoint: &mut Vec<f64>,
        record: &Record,
        lambda: Option<(f64, &[f64])>,
        link: &mut Pull<'_, '_>,
    ) {
        let (n, h, tableau) = (self.n, record.h, self.tableau);
        let mut u_bar = vec![0.0; tableau.stages * n];
        let mut y_bar = vec![0.0; n];
        let end = core::mem::replace(adjoint, vec![0.0; n]);
        let within = lambda.map(|(t, lambda)| {
            let at_end = t.to_bits() == record.t.to_bits();
            let theta = (t - record.t_old) / h;
            (if at_end { 1.0 } else { theta }, lambda)
        });
        self.spread(&end, within, &mut u_bar, &mut y_bar);
        let c = tableau.gamma * h;
        let mut lu = None;
        let (mut state, mut pulled) = (vec![0.0; n], vec![0.0; n]);
        for i in (0..tableau.stages).rev() {
            let (before, rest) = u_bar.split_at_mut(i * n);
            let mu = &mut rest[..n];
            link.load(record.t_old, &record.y);
            solve_transposed(&self.matrices, c, link, &mut lu, mu);
            mu.iter_mut().for_each(|v| *v *= c);
            state.copy_from_slice(&record.y);
            combine::<0>(n, &tableau.a[i][..i], 1.0, &record.u, &mut state);
            let node = tableau.nodes[i];
            let t = if node == 1.0 {
                record.t
            } else {
                record.t_old + node * h
            };
            pulled.fill(0.0);
            link.load(t, &state);
            link.add(1.0, mu, &mut pulled);
            add(1.0, &pulled, &mut y_bar);
            for (j, row) in before.chunks_exact_mut(n).enumerate() {
                add(tableau.a[i][j], &pulled, row);
                add_mass_transposed(&self.matrices, tableau.c[i][j] / h, mu, row);
            }
            let increment = &record.u[i * n..(i + 1) * n];
            link.load_second(record.t_old, &record.y, (h * tableau.d[i], increment));
            link.add(1.0, mu, &mut y_bar);
        }
        *adjoint = y_bar;
    }

    fn lift(&self, adjoint: &Vec<f64>, _link: &mut Pull<'_, '_>, lambda: &mut [f64]) {
        lambda.copy_from_slice(adjoint);
    }
}
