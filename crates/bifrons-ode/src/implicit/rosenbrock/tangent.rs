//! Derivatives of steps: columns with increments of their own, from the same factors.
#![expect(
    clippy::float_cmp,
    reason = "the node one is the end of the step, bit for bit"
)]

use super::{Rosenbrock, combine};
use crate::error::Failure;
use crate::implicit::carried::{Carry, add_mass_columns};
use crate::implicit::norm::fixed;
use crate::problem::{Clipped, Derivatives as _};
use crate::statistics::Statistics;

/// Columns with their increments, rows of all columns one after the other.
#[derive(Debug)]
pub(crate) struct Columns {
    width: usize,
    u: Vec<f64>,
    dense: Vec<f64>,
    old: Vec<f64>,
    new: Vec<f64>,
    stage: Vec<f64>,
    scratch: Vec<f64>,
    /// Derivatives of `∂f/∂t`.
    by_time: Vec<f64>,
}

impl Rosenbrock {
    /// Time and state of stage `i` of the last accepted step, without its own increment.
    pub(super) fn stage_point(&self, i: usize, state: &mut [f64]) -> f64 {
        state.copy_from_slice(&self.y_old);
        let factors = &self.tableau.a[i][..i];
        fixed!(self.n, combine, (factors, 1.0, &self.u, state));
        let node = self.tableau.nodes[i];
        if node == 1.0 {
            self.t
        } else {
            self.t_old + node * self.done
        }
    }
}

impl Carry for Rosenbrock {
    type Columns = Columns;

    fn columns(&self, width: usize) -> Columns {
        let rows = |count: usize| vec![0.0; count * width];
        Columns {
            width,
            u: rows(self.tableau.stages),
            dense: rows(3),
            old: rows(1),
            new: rows(1),
            stage: rows(1),
            scratch: rows(1),
            by_time: rows(1),
        }
    }

    fn begin_columns(&mut self, c: &mut Columns, _link: &mut Clipped<'_>, s: &[f64]) {
        c.old.copy_from_slice(s);
        c.new.copy_from_slice(s);
    }

    /// `(M/(γh) − J) u' = (f(Y))' + M Σ c_ij u_j' / h + h d_i (f_t)' + J' u`: nothing is iterated.
    fn carry(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        let (n, h, width, tableau) = (self.n, self.done, c.width, self.tableau);
        core::mem::swap(&mut c.old, &mut c.new);
        let still = vec![0.0; n];
        link.second(
            self.t_old,
            &self.y_old,
            &c.old,
            (1.0, &still),
            &mut c.by_time,
        );
        let mut state = core::mem::take(&mut self.stage);
        for i in 0..tableau.stages {
            let t = self.stage_point(i, &mut state);
            let (before, rest) = c.u.split_at_mut(i * width);
            let row = &mut rest[..width];
            c.stage.copy_from_slice(&c.old);
            combine::<0>(width, &tableau.a[i][..i], 1.0, before, &mut c.stage);
            link.columns(t, &state, &c.stage, row);
            c.scratch.fill(0.0);
            combine::<0>(width, &tableau.c[i][..i], 1.0 / h, before, &mut c.scratch);
            add_mass_columns(&self.matrices, n, 1.0, &c.scratch, row);
            let u = &self.u[i * n..(i + 1) * n];
            link.second(self.t_old, &self.y_old, &c.old, (0.0, u), &mut c.scratch);
            statistics.tangents += 2;
            let d = h * tableau.d[i];
            for ((row, bent), drift) in row.iter_mut().zip(&c.scratch).zip(&c.by_time) {
                *row += bent + d * drift;
            }
            for column in row.chunks_exact_mut(n) {
                self.matrices.solve(column);
                statistics.linear_solves += 1;
            }
            row.iter_mut().for_each(|v| *v *= tableau.gamma * h);
        }
        self.stage = state;
        let last = (tableau.stages - 1) * width;
        for ((new, stage), u) in c.new.iter_mut().zip(&c.stage).zip(&c.u[last..]) {
            *new = stage + u;
        }
        c.dense.fill(0.0);
        for (row, factors) in c.dense.chunks_exact_mut(width).zip(&tableau.dense) {
            combine::<0>(width, factors, 1.0, &c.u, row);
        }
        Ok(())
    }

    fn end(c: &Columns) -> &[f64] {
        &c.new
    }

    fn begin(c: &Columns) -> &[f64] {
        &c.old
    }

    fn column_within(&self, c: &Columns, i: usize, t: f64) -> f64 {
        let theta = (t - self.t_old) / self.done;
        let rest = 1.0 - theta;
        let [first, second, third] = [0, 1, 2].map(|k| c.dense[k * c.width + i]);
        let inner = first + theta * (second + theta * third);
        rest * c.old[i] + theta * (c.new[i] + rest * inner)
    }

    fn column_coefficients(&self, c: &Columns, i: usize, out: &mut [f64]) {
        let [first, second, third] = [0, 1, 2].map(|k| c.dense[k * c.width + i]);
        let r = [c.old[i], c.new[i] - c.old[i], first, second + third, -third];
        out[..5].copy_from_slice(&r);
    }
}
