//! All equations and hard conditions in all unknowns at once, by Newton's method.

use bifrons_expr::{CompileError, Expr, Jacobian, Registers, Symbol, Tape, TapeBuilder};
use bifrons_hybrid::TIME;
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::elimination::Elimination;
use super::{InitialReport, Start};
use crate::error::InitialError;
use crate::reduced::ReducedModel;

/// Residuals of all equations over all unknowns, and their slopes.
#[derive(Debug)]
pub(crate) struct FullSystem {
    residuals: Tape,
    registers: Registers<1>,
    slopes: Tape,
    slope_registers: Registers<1>,
    /// Row and column of each slope.
    entries: Vec<(usize, usize)>,
    row_count: usize,
    column_count: usize,
    values: Vec<f64>,
    slope_values: Vec<f64>,
    /// Largest slope of each row at the last evaluation.
    scales: Vec<f64>,
}

/// Unknowns up to which the dense elimination is tried.
const MOST: usize = 3000;
const ITERATIONS: u32 = 60;

/// Bytes that a solution of `rows` equations in `columns` unknowns takes for a while: the dense
/// elimination, whose rows are as many as the unknowns at most, and half as much for the rest.
pub(crate) fn full_footprint(rows: usize, columns: usize) -> Footprint {
    let dense = (columns + 1).saturating_mul(rows.min(columns) + 2);
    Footprint::of::<f64>(dense + dense / 2)
}

impl FullSystem {
    /// Equations of the model, then the quantities of the hard conditions.
    pub(crate) fn new(model: &ReducedModel, hard: &[Expr]) -> Result<Self, CompileError> {
        let residuals = model.equations.iter().map(|e| &e.left - &e.right);
        let residuals: Vec<Expr> = residuals.chain(hard.iter().cloned()).collect();
        let symbols: Vec<Symbol> = model.unknowns.iter().map(|u| u.symbol.clone()).collect();
        let mut entries = Vec::new();
        let mut slopes = Vec::new();
        for (row, row_slopes) in model.slopes.iter().enumerate() {
            for slope in row_slopes {
                entries.push((row, slope.unknown));
                slopes.push(slope.value.clone());
            }
        }
        let jacobian = Jacobian::new(hard, &symbols);
        let offset = model.equations.len();
        entries.extend(jacobian.pattern().entries().map(|(r, c)| (r + offset, c)));
        slopes.extend(jacobian.entries().iter().cloned());
        let parameters = model.parameters.iter().map(|p| p.symbol.clone());
        let switches = model.switches.iter().map(|s| s.symbol.clone());
        let base = TapeBuilder::new()
            .parameters(parameters.chain(switches))
            .variables([Symbol::new(TIME)])
            .variables(symbols);
        let row_count = residuals.len();
        let residuals = base.clone().outputs(residuals).build()?;
        let slopes = base.outputs(slopes).build()?;
        Ok(Self {
            registers: residuals.registers(),
            slope_registers: slopes.registers(),
            values: vec![0.0; row_count],
            slope_values: vec![0.0; entries.len()],
            scales: vec![0.0; row_count],
            residuals,
            slopes,
            entries,
            row_count,
            column_count: model.unknowns.len(),
        })
    }

    pub(crate) fn set_parameters(&mut self, parameters: &[f64]) {
        self.residuals
            .set_parameters(&mut self.registers, 0, parameters);
        self.slopes
            .set_parameters(&mut self.slope_registers, 0, parameters);
    }

    /// Number of unknowns.
    pub(crate) fn unknown_count(&self) -> usize {
        self.column_count
    }

    fn evaluate(&mut self, t: f64, z: &[f64]) {
        let inputs = [&[[t]][..], z.as_chunks().0];
        let out = self.values.as_chunks_mut().0;
        self.residuals
            .evaluate(Level::detect(), &mut self.registers, &inputs, out);
    }

    fn evaluate_slopes(&mut self, t: f64, z: &[f64]) {
        let inputs = [&[[t]][..], z.as_chunks().0];
        let out = self.slope_values.as_chunks_mut().0;
        self.slopes
            .evaluate(Level::detect(), &mut self.slope_registers, &inputs, out);
        self.scales.fill(0.0);
        for (&(row, column), slope) in self.entries.iter().zip(&self.slope_values) {
            // A residual is as accurate as its largest term.
            let size = slope.abs() * z[column].abs().max(1.0);
            self.scales[row] = self.scales[row].max(size);
        }
    }

    /// Row with the largest residual relative to its terms, and that residual.
    pub(crate) fn worst(&mut self, t: f64, z: &[f64]) -> (usize, f64) {
        self.evaluate(t, z);
        self.evaluate_slopes(t, z);
        let mut worst = (0, 0.0);
        for (row, (value, scale)) in self.values.iter().zip(&self.scales).enumerate() {
            let relative = value.abs() / scale.max(f64::MIN_POSITIVE);
            if !(relative <= worst.1) {
                worst = (row, relative);
            }
        }
        worst
    }

    /// Improves `z` until all equations and hard conditions hold.
    pub(crate) fn solve(
        &mut self,
        model: &ReducedModel,
        start: &Start,
        t: f64,
        z: &mut [f64],
        report: &mut InitialReport,
    ) -> Result<(), InitialError> {
        if self.column_count > MOST {
            return Err(InitialError::TooLarge {
                unknowns: self.column_count,
                limit: MOST,
            });
        }
        let mut offset = vec![0.0; self.row_count];
        let equations = model.equations.len();
        for (offset, hard) in offset[equations..].iter_mut().zip(&start.hard) {
            *offset = hard.value;
        }
        let guess = z.to_vec();
        let keep: Vec<u8> = (0..z.len()).map(|u| start.keep(model, u)).collect();
        if self.newton(t, z, &offset, &keep, report).is_none() {
            z.copy_from_slice(&guess);
            report.homotopy = true;
            self.homotopy(t, z, &offset, &keep, report);
        }
        self.check(model, start, t, z, &offset, report)
    }

    /// Newton's method for `F(z) = offset`; the rows that depend on others where it converged.
    fn newton(
        &mut self,
        t: f64,
        z: &mut [f64],
        offset: &[f64],
        keep: &[u8],
        report: &mut InitialReport,
    ) -> Option<()> {
        let mut before = f64::INFINITY;
        for _ in 0..ITERATIONS {
            report.iterations += 1;
            let (step, used) = self.step(t, z, offset, keep)?;
            let norm = self.norm(&used, offset);
            let small = z
                .iter()
                .zip(&step)
                .all(|(z, d)| d.abs() <= 1e-11 * z.abs().max(1.0));
            let old = z.to_vec();
            let mut damping = 1.0;
            loop {
                for ((z, old), d) in z.iter_mut().zip(&old).zip(&step) {
                    *z = old + damping * d;
                }
                self.evaluate(t, z);
                let new = self.norm(&used, offset);
                if new <= (1.0 - 0.1 * damping) * norm || new <= 1e-13 {
                    break;
                }
                if small && new.is_finite() {
                    return Some(());
                }
                damping *= 0.5;
                if damping < 1e-4 {
                    z.copy_from_slice(&old);
                    return None;
                }
            }
            if small {
                return Some(());
            }
            before = before.min(norm);
        }
        None
    }

    /// A Newton step and the independent rows that it was made from.
    fn step(
        &mut self,
        t: f64,
        z: &[f64],
        offset: &[f64],
        keep: &[u8],
    ) -> Option<(Vec<f64>, Vec<bool>)> {
        self.evaluate(t, z);
        self.evaluate_slopes(t, z);
        let finite = |v: &[f64]| v.iter().all(|v| v.is_finite());
        if !finite(&self.values) || !finite(&self.slope_values) {
            return None;
        }
        let mut rows = vec![Vec::new(); self.row_count];
        for (&(row, column), &slope) in self.entries.iter().zip(&self.slope_values) {
            rows[row].push((column, slope));
        }
        let mut elimination = Elimination::new(self.column_count);
        let mut used = vec![false; self.row_count];
        for (row, entries) in rows.iter().enumerate() {
            let mut dense = vec![0.0; self.column_count + 1];
            for &(column, slope) in entries {
                dense[column] = slope;
            }
            dense[self.column_count] = offset[row] - self.values[row];
            used[row] = elimination.add(dense, keep);
        }
        Some((elimination.solve(), used))
    }

    fn norm(&self, used: &[bool], offset: &[f64]) -> f64 {
        let mut norm = 0.0_f64;
        for row in (0..self.row_count).filter(|r| used[*r]) {
            let scale = self.scales[row].max(f64::MIN_POSITIVE);
            let size = (self.values[row] - offset[row]).abs() / scale;
            norm = if size.is_nan() {
                f64::INFINITY
            } else {
                norm.max(size)
            };
        }
        norm
    }

    /// Removes the residual at the guess in steps.
    fn homotopy(
        &mut self,
        t: f64,
        z: &mut [f64],
        offset: &[f64],
        keep: &[u8],
        report: &mut InitialReport,
    ) {
        self.evaluate(t, z);
        let first = self.values.clone();
        let (mut done, mut step) = (0.0, 0.1);
        while done < 1.0 && step > 1e-4 {
            let next = f64::min(done + step, 1.0);
            let mix = |(offset, first): (&f64, &f64)| next * offset + (1.0 - next) * first;
            let target: Vec<f64> = offset.iter().zip(&first).map(mix).collect();
            let before = z.to_vec();
            if self.newton(t, z, &target, keep, report).is_some() {
                done = next;
                step *= 2.0;
            } else {
                z.copy_from_slice(&before);
                step *= 0.5;
            }
        }
    }

    /// Every row must hold at the solution, those that depend on others included.
    fn check(
        &mut self,
        model: &ReducedModel,
        start: &Start,
        t: f64,
        z: &[f64],
        offset: &[f64],
        report: &mut InitialReport,
    ) -> Result<(), InitialError> {
        let keep = vec![0; self.column_count];
        let used = self.step(t, z, offset, &keep).map(|(_, used)| used);
        let equations = model.equations.len();
        let mut worst = (0, 0.0);
        for row in 0..equations {
            let relative = self.values[row].abs() / self.scales[row].max(f64::MIN_POSITIVE);
            if !(relative <= worst.1) {
                worst = (row, relative);
            }
        }
        if !(worst.1 <= 1e-8) {
            return Err(InitialError::NotConverged {
                equation: model.describe(worst.0),
                residual: self.values[worst.0],
                time: t,
            });
        }
        report.residual = report.residual.max(worst.1);
        let used = used.unwrap_or_else(|| vec![true; self.row_count]);
        for (position, hard) in start.hard.iter().enumerate() {
            let row = equations + position;
            let residual = (self.values[row] - offset[row]).abs();
            if !(residual <= hard.tolerance()) {
                return Err(self.contradiction(start, position, residual));
            }
            if !used[row] {
                report.redundant.push(hard.text.clone());
            }
        }
        Ok(())
    }

    fn contradiction(&self, start: &Start, position: usize, residual: f64) -> InitialError {
        let others = start.hard.iter().enumerate();
        let others = others.filter(|(other, _)| *other != position);
        InitialError::Contradictory {
            condition: start.hard[position].text.clone(),
            others: others.map(|(_, hard)| hard.text.clone()).take(8).collect(),
            residual,
        }
    }
}
