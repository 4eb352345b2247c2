//! A continuous solution: the interpolants of all steps.
#![expect(clippy::float_cmp, reason = "nodes are found by their own bits")]

use crate::dopri5::Step;
use crate::dopri5::polynomial;

/// A time outside the part that was integrated.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("time {t} is outside the solution, which reaches from {start} to {end}")]
pub struct OutsideSpan {
    /// The time asked for.
    pub t: f64,
    /// Start of the solution.
    pub start: f64,
    /// End of the solution.
    pub end: f64,
}

/// Interpolants of order 4 on every accepted step, see [`Step`].
///
/// Size: `8 (2 + 6 n)` bytes per step.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseSolution {
    dimension: usize,
    start: f64,
    initial: Vec<f64>,
    /// End of each step, and its length.
    ends: Vec<f64>,
    lengths: Vec<f64>,
    /// Per step and component: five coefficients and the value at the end.
    coefficients: Vec<[f64; 6]>,
}

impl DenseSolution {
    pub(crate) fn new(start: f64, initial: &[f64]) -> Self {
        Self {
            dimension: initial.len(),
            start,
            initial: initial.to_vec(),
            ends: Vec::new(),
            lengths: Vec::new(),
            coefficients: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, step: &Step<'_, 1>) {
        self.ends.push(step.t_new());
        self.lengths.push(step.h);
        for i in 0..self.dimension {
            let [a, b, c, d, e] = step.coefficients(i);
            self.coefficients.push([a, b, c, d, e, step.at_end(i)]);
        }
    }

    /// First and last time of the solution.
    #[must_use]
    pub fn span(&self) -> (f64, f64) {
        (self.start, self.ends.last().copied().unwrap_or(self.start))
    }

    /// Number of steps.
    #[must_use]
    pub const fn step_count(&self) -> usize {
        self.ends.len()
    }

    /// Writes the solution at `t` into `state`, which has `n` components.
    ///
    /// At the ends of steps the value is the accepted state, bit for bit. Cost: a binary search
    /// over the steps.
    ///
    /// # Errors
    ///
    /// [`OutsideSpan`] if `t` was not reached or is NaN.
    pub fn evaluate_into(&self, t: f64, state: &mut [f64]) -> Result<(), OutsideSpan> {
        let (start, end) = self.span();
        let direction = if end < start { -1.0 } else { 1.0 };
        if !((t - start) * direction >= 0.0 && (end - t) * direction >= 0.0) {
            return Err(OutsideSpan { t, start, end });
        }
        if t == start {
            state.copy_from_slice(&self.initial);
            return Ok(());
        }
        let k = self.ends.partition_point(|&e| (e - t) * direction < 0.0);
        let t_old = if k == 0 { start } else { self.ends[k - 1] };
        let theta = (t - t_old) / self.lengths[k];
        let rows = &self.coefficients[k * self.dimension..(k + 1) * self.dimension];
        for (value, &[a, b, c, d, e, new]) in state.iter_mut().zip(rows) {
            *value = if t == self.ends[k] {
                new
            } else {
                polynomial(&[a, b, c, d, e], theta)
            };
        }
        Ok(())
    }

    /// The solution at `t`.
    ///
    /// # Errors
    ///
    /// As [`DenseSolution::evaluate_into`].
    pub fn evaluate(&self, t: f64) -> Result<Vec<f64>, OutsideSpan> {
        let mut state = vec![0.0; self.dimension];
        self.evaluate_into(t, &mut state)?;
        Ok(state)
    }
}
