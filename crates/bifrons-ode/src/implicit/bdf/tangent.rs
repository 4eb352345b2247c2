//! Derivatives of steps: columns with backward differences of their own.

use super::Bdf;
use super::interpolant::{alternating, value};
use super::kernel::{advance, predict, rescale};
use super::tables::{MAX_ORDER, ROWS, alpha};
use crate::error::Failure;
use crate::implicit::carried::{Carry, Direct, Linear, solve_columns};
use crate::problem::{Clipped, Derivatives as _};
use crate::statistics::Statistics;

/// Columns with their differences, rows of all columns one after the other.
#[derive(Debug)]
pub(crate) struct Columns {
    width: usize,
    differences: Vec<f64>,
    old: Vec<f64>,
    new: Vec<f64>,
    predicted: Vec<f64>,
    psi: Vec<f64>,
    correction: Vec<f64>,
    value: Vec<f64>,
    slope: Vec<f64>,
    delta: Vec<f64>,
    direct: Direct,
}

impl Carry for Bdf {
    type Columns = Columns;

    fn columns(&self, width: usize) -> Columns {
        let row = || vec![0.0; width];
        Columns {
            width,
            differences: vec![0.0; ROWS * width],
            old: row(),
            new: row(),
            predicted: row(),
            psi: row(),
            correction: row(),
            value: row(),
            slope: row(),
            delta: row(),
            direct: Direct::default(),
        }
    }

    fn begin_columns(&mut self, c: &mut Columns, link: &mut Clipped<'_>, s: &[f64]) {
        c.differences.fill(0.0);
        c.differences[..c.width].copy_from_slice(s);
        c.old.copy_from_slice(s);
        c.new.copy_from_slice(s);
        link.slopes(self.t, &self.y, s, &mut c.slope);
        for (d, slope) in c.differences[c.width..].iter_mut().zip(&c.slope) {
            *d = self.h * slope;
        }
    }

    fn carry(
        &mut self,
        c: &mut Columns,
        link: &mut Clipped<'_>,
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        let (h, q) = self.done;
        rescale::<0>(c.width, &mut c.differences, MAX_ORDER, &self.last_change);
        let rows = (&mut c.predicted, &mut c.psi);
        predict::<0>(c.width, &c.differences, q, rows.0, rows.1);
        c.correction.fill(0.0);
        let coefficient = h / alpha(q);
        let mut task = Linear {
            c: coefficient,
            scale: 2.0 / (1.0 + coefficient / self.newton.factored()),
            psi: Some(&c.psi),
            base: &c.predicted,
            d: &mut c.correction,
            value: &mut c.value,
            slope: &mut c.slope,
            delta: &mut c.delta,
            weights: &self.weights,
            relative: self.relative,
            direct: &mut c.direct,
        };
        let at = (self.t, self.y.as_slice());
        solve_columns(&mut self.matrices, link, at, &mut task, statistics)?;
        c.old.copy_from_slice(&c.differences[..c.width]);
        if self.started_over {
            c.differences[c.width..].fill(0.0);
            for i in 0..c.width {
                let new = c.predicted[i] + c.correction[i];
                c.differences[i] = new;
                c.differences[c.width + i] = new - c.old[i];
            }
        } else {
            advance::<0>(c.width, &mut c.differences, q, &c.correction);
        }
        c.new.copy_from_slice(&c.differences[..c.width]);
        Ok(())
    }

    fn end(c: &Columns) -> &[f64] {
        &c.new
    }

    fn begin(c: &Columns) -> &[f64] {
        &c.old
    }

    fn column_within(&self, c: &Columns, i: usize, t: f64) -> f64 {
        let (h, q) = self.done;
        value(&c.differences, c.width, q, i, (t - self.t) / h)
    }

    fn column_coefficients(&self, c: &Columns, i: usize, out: &mut [f64]) {
        let ends = (c.old[i], c.new[i]);
        alternating((&c.differences, c.width), self.done.1, i, ends, out);
    }
}
