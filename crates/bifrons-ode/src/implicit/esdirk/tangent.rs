//! Derivatives of steps: columns with increments of their own.

use super::kernel::combine;
use super::tables::MAX_STAGES;
use super::{Esdirk, interpolant};
use crate::error::Failure;
use crate::implicit::carried::{Carry, Direct, Linear, solve_columns};
use crate::implicit::norm::fixed;
use crate::problem::{Clipped, Derivatives as _};
use crate::statistics::Statistics;

/// Columns with their increments, rows of all columns one after the other.
#[derive(Debug)]
pub(crate) struct Columns {
    width: usize,
    /// Signed step of the last increments, zero if there are none.
    done: f64,
    k: Vec<f64>,
    /// The last increment, the slope at the start if there is none.
    end: Vec<f64>,
    quartic: Vec<f64>,
    old: Vec<f64>,
    new: Vec<f64>,
    base: Vec<f64>,
    d: Vec<f64>,
    value: Vec<f64>,
    slope: Vec<f64>,
    delta: Vec<f64>,
    direct: Direct,
}

impl Esdirk {
    /// State of stage `i` of the last accepted step.
    pub(super) fn stage_state(&self, i: usize, out: &mut [f64]) {
        let mut weights = self.tableau.a[i];
        weights[i] = self.tableau.gamma;
        let (y, k) = (&self.y_old, &self.k);
        fixed!(self.n, combine, (y, k, &weights, i + 1, out));
    }

    /// Time of stage `i` of the last accepted step.
    pub(super) fn stage_time(&self, i: usize) -> f64 {
        if i + 1 == self.tableau.stages {
            self.t
        } else {
            self.t_old + self.tableau.c[i] * self.done
        }
    }
}

impl Carry for Esdirk {
    type Columns = Columns;

    fn columns(&self, width: usize) -> Columns {
        let row = || vec![0.0; width];
        Columns {
            width,
            done: 0.0,
            k: vec![0.0; self.tableau.stages * width],
            end: row(),
            quartic: row(),
            old: row(),
            new: row(),
            base: row(),
            d: row(),
            value: row(),
            slope: row(),
            delta: row(),
            direct: Direct::default(),
        }
    }

    fn begin_columns(&mut self, c: &mut Columns, link: &mut Clipped<'_>, s: &[f64]) {
        c.done = 0.0;
        c.old.copy_from_slice(s);
        c.new.copy_from_slice(s);
        link.slopes(self.t, &self.y, s, &mut c.end);
    }

    fn carry(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        let (h, width, tableau) = (self.done, c.width, self.tableau);
        let ratio = if c.done == 0.0 { h } else { h / c.done };
        for (k, end) in c.k[..width].iter_mut().zip(&c.end) {
            *k = ratio * end;
        }
        core::mem::swap(&mut c.old, &mut c.new);
        let coefficient = h * tableau.gamma;
        for i in 1..tableau.stages {
            combine::<0>(width, &c.old, &c.k, &tableau.a[i], i, &mut c.base);
            for (d, k) in c.d.iter_mut().zip(&c.k[(i - 1) * width..i * width]) {
                *d = tableau.gamma * k;
            }
            let mut stage = core::mem::take(&mut self.stage);
            self.stage_state(i, &mut stage);
            self.stage = stage;
            let mut task = Linear {
                c: coefficient,
                scale: 2.0 / (1.0 + coefficient / self.newton.factored()),
                psi: None,
                base: &c.base,
                d: &mut c.d,
                value: &mut c.value,
                slope: &mut c.slope,
                delta: &mut c.delta,
                weights: &self.weights,
                relative: self.relative,
                direct: &mut c.direct,
            };
            let at = (self.stage_time(i), self.stage.as_slice());
            solve_columns(&mut self.matrices, link, at, &mut task, statistics)?;
            for (k, d) in c.k[i * width..].iter_mut().zip(&c.d) {
                *k = d / tableau.gamma;
            }
        }
        for ((new, base), d) in c.new.iter_mut().zip(&c.base).zip(&c.d) {
            *new = base + d;
        }
        c.end.copy_from_slice(&c.k[(tableau.stages - 1) * width..]);
        c.done = h;
        Ok(())
    }

    fn prepare_columns(&self, c: &mut Columns) {
        let weights: &[f64; MAX_STAGES] = &self.tableau.quartic;
        c.d.fill(0.0);
        let stages = self.tableau.stages;
        combine::<0>(c.width, &c.d, &c.k, weights, stages, &mut c.quartic);
    }

    fn end(c: &Columns) -> &[f64] {
        &c.new
    }

    fn begin(c: &Columns) -> &[f64] {
        &c.old
    }

    fn column_within(&self, c: &Columns, i: usize, t: f64) -> f64 {
        interpolant::value(c.basis(i), (t - self.t_old) / self.done)
    }

    fn column_coefficients(&self, c: &Columns, i: usize, out: &mut [f64]) {
        for (out, r) in out.iter_mut().zip(c.basis(i)) {
            *out = r;
        }
    }
}

impl Columns {
    fn basis(&self, i: usize) -> [f64; 5] {
        let (ends, slopes) = ((self.old[i], self.new[i]), (self.k[i], self.end[i]));
        interpolant::basis(ends, slopes, self.quartic[i])
    }
}
