//! Derivatives of steps: columns with stages of their own.

use bifrons_algebra::Complex;

use super::Radau;
use super::kernel::{collocate, correct, subtract, to_eigenvectors, transform};
use super::stacked::Stacked;
use super::tables::{C, PAIR_IM, PAIR_RE, REAL};
use crate::error::Failure;
use crate::implicit::basis;
use crate::implicit::carried::{Carry, add_mass_columns, largest_ratio, tolerance};
use crate::problem::{Clipped, Derivatives as _};
use crate::statistics::Statistics;

/// Iterations with the factors of the step before the equations of all stages are solved at once.
const LIMIT: u32 = 12;
const SLOW: f64 = 0.5;

/// Columns with their stages, rows of all columns one after the other.
#[derive(Debug)]
pub(crate) struct Columns {
    width: usize,
    /// Length of the last step; zero if there is none.
    done: f64,
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    real: Vec<f64>,
    pair: Vec<Complex>,
    powers: Vec<f64>,
    value: Vec<f64>,
    old: Vec<f64>,
    new: Vec<f64>,
    weights: Vec<f64>,
    stacked: Option<Box<Stacked>>,
}

impl Radau {
    /// Time and state of stage `k` of the last accepted step.
    pub(super) fn stage(&self, k: usize, state: &mut [f64]) -> f64 {
        let n = self.n;
        let z = &self.z[k * n..(k + 1) * n];
        for i in 0..n {
            state[i] = self.y_old[i] + z[i];
        }
        if k == 2 {
            self.t
        } else {
            self.t_old + C[k] * self.done
        }
    }

    /// First values of the stages: the last polynomial, carried on.
    fn guess(&self, c: &mut Columns) {
        let (n, h) = (c.width, self.done);
        if c.done == 0.0 {
            c.z.fill(0.0);
            c.w.fill(0.0);
            return;
        }
        let [first, second, third] = [0, 1, 2].map(|k| &c.powers[k * n..(k + 1) * n]);
        for (k, node) in C.into_iter().enumerate() {
            let theta = 1.0 + node * h / c.done;
            for i in 0..n {
                let value = theta * (first[i] + theta * (second[i] + theta * third[i]));
                c.z[k * n + i] = value - (first[i] + second[i] + third[i]);
            }
        }
        to_eigenvectors(n, &c.z, &mut c.w);
    }

    /// Slopes of the columns in all stages.
    fn column_slopes(&mut self, c: &mut Columns, link: &mut Clipped<'_>, with_z: bool) {
        let n = c.width;
        let mut state = core::mem::take(&mut self.scratch);
        for k in 0..3 {
            let t = self.stage(k, &mut state);
            let rows = k * n..(k + 1) * n;
            for ((value, s), z) in c.value.iter_mut().zip(&c.old).zip(&c.z[rows.clone()]) {
                *value = if with_z { s + z } else { *s };
            }
            link.columns(t, &state, &c.value, &mut c.f[rows]);
        }
        self.scratch = state;
    }

    /// One correction; returns its size against that of the columns.
    fn correct_columns(&mut self, c: &mut Columns, statistics: &mut Statistics) -> f64 {
        let (n, h, width) = (self.n, self.done, c.width);
        let (g, z) = (REAL / h, Complex::new(PAIR_RE / h, PAIR_IM / h));
        transform::<0>(width, &c.f, &mut c.real, &mut c.pair);
        if self.matrices.is_identity() {
            subtract::<0>(width, g, z, &c.w, &mut c.real, &mut c.pair);
        } else {
            add_mass_columns(&self.matrices, n, -g, &c.w[..width], &mut c.real);
            for (part, unit) in [(1, Complex::new(1.0, 0.0)), (2, Complex::new(0.0, 1.0))] {
                c.value.fill(0.0);
                let w = &c.w[part * width..(part + 1) * width];
                add_mass_columns(&self.matrices, n, 1.0, w, &mut c.value);
                for (pair, m) in c.pair.iter_mut().zip(&c.value) {
                    *pair -= z * unit * Complex::from(*m);
                }
            }
        }
        for (real, pair) in c.real.chunks_exact_mut(n).zip(c.pair.chunks_exact_mut(n)) {
            self.matrices.solve(real);
            self.matrices.solve_complex(pair);
            statistics.linear_solves += 2;
        }
        let steps = (h / REAL, &c.real[..], &c.pair[..]);
        // Sizes of the corrections of the three parts, by column.
        for (i, value) in c.value.iter_mut().enumerate() {
            *value = (steps.0 * c.real[i])
                .abs()
                .max(c.pair[i].re.abs())
                .max(c.pair[i].im.abs());
        }
        correct::<0>(width, steps, &c.weights, &mut c.w, &mut c.z);
        for ((new, s), z) in c.new.iter_mut().zip(&c.old).zip(&c.z[2 * width..]) {
            *new = (s + z).abs().max(s.abs());
        }
        largest_ratio(&c.value, &c.new, &self.weights)
    }

    fn solve_stages(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> bool {
        let enough = tolerance(self.relative);
        let mut last = f64::INFINITY;
        for iteration in 0..LIMIT {
            self.column_slopes(c, link, true);
            statistics.tangents += 3;
            let size = self.correct_columns(c, statistics);
            if size <= enough {
                return true;
            }
            if iteration > 0 {
                let rate = size / last;
                if rate < 1.0 && rate / (1.0 - rate) * size <= enough {
                    return true;
                }
                let left = f64::from(LIMIT - 1 - iteration);
                if !(rate <= SLOW && size * rate.powf(left) <= enough) {
                    break;
                }
            }
            last = size;
        }
        false
    }

    /// All stages at once, with the Jacobian of each.
    fn solve_stacked(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> bool {
        let n = self.n;
        let mut stacked = c
            .stacked
            .take()
            .unwrap_or_else(|| Box::new(Stacked::new(n)));
        let found = stacked.load(self, link);
        statistics.jacobians += 3;
        statistics.factorisations += 1;
        if found {
            self.column_slopes(c, link, false);
            let (width, h) = (c.width, self.done);
            for d in (0..width).step_by(n) {
                let x = stacked.right();
                for k in 0..3 {
                    for i in 0..n {
                        x[k * n + i] = h * c.f[k * width + d + i];
                    }
                }
                stacked.solve();
                statistics.linear_solves += 1;
                for k in 0..3 {
                    let z = &stacked.right()[k * n..(k + 1) * n];
                    c.z[k * width + d..k * width + d + n].copy_from_slice(z);
                }
            }
            to_eigenvectors(width, &c.z, &mut c.w);
        }
        c.stacked = Some(stacked);
        found
    }
}

impl Carry for Radau {
    type Columns = Columns;

    fn columns(&self, width: usize) -> Columns {
        let rows = |count: usize| vec![0.0; count * width];
        Columns {
            width,
            done: 0.0,
            z: rows(3),
            w: rows(3),
            f: rows(3),
            real: rows(1),
            pair: vec![Complex::default(); width],
            powers: rows(3),
            value: rows(1),
            old: rows(1),
            new: rows(1),
            weights: vec![1.0; width],
            stacked: None,
        }
    }

    fn begin_columns(&mut self, c: &mut Columns, _link: &mut Clipped<'_>, s: &[f64]) {
        c.done = 0.0;
        c.old.copy_from_slice(s);
        c.new.copy_from_slice(s);
    }

    fn carry(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        c.old.copy_from_slice(&c.new);
        self.guess(c);
        let found =
            self.solve_stages(c, link, statistics) || self.solve_stacked(c, link, statistics);
        if !found {
            let message = "the matrix of the sensitivities is singular";
            return Err(Failure::Fatal { t: self.t, message });
        }
        collocate(c.width, &c.z, &mut c.powers);
        for ((new, s), z) in c.new.iter_mut().zip(&c.old).zip(&c.z[2 * c.width..]) {
            *new = s + z;
        }
        c.done = self.done;
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
        let [first, second, third] = [0, 1, 2].map(|k| c.powers[k * c.width + i]);
        c.old[i] + theta * (first + theta * (second + theta * third))
    }

    fn column_coefficients(&self, c: &Columns, i: usize, out: &mut [f64]) {
        let power = |k: usize| c.powers[k * c.width + i];
        basis::alternating(&[c.old[i], power(0), power(1), power(2)], out);
        if let [_, second, ..] = out {
            *second = c.new[i] - c.old[i];
        }
    }
}
