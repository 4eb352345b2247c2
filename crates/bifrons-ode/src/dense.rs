//! A continuous solution: the interpolants of all steps, in one basis for all methods.
//!
//! The polynomial of a component on a step, with `θ = (t - t_old) / h` and `θ̄ = 1 - θ`, is
//! `r₀ + θ (r₁ + θ̄ (r₂ + θ (r₃ + θ̄ (r₄ + …))))`, factors alternating. Four coefficients are those
//! of Hermite's cubic, more give higher degrees, fewer are padded with zeros.
#![expect(clippy::float_cmp, reason = "nodes are found by their own bits")]

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

/// Value of the polynomial with coefficients `r`; at `θ = 0` it is `r₀` exactly.
#[inline(always)]
pub(crate) fn polynomial(r: &[f64], theta: f64) -> f64 {
    let rest = 1.0 - theta;
    let Some((&last, lower)) = r.split_last() else {
        return 0.0;
    };
    let mut value = last;
    for (k, &r) in lower.iter().enumerate().rev() {
        let factor = if k.is_multiple_of(2) { theta } else { rest };
        value = r + factor * value;
    }
    value
}

/// Hermite's cubic from both values and both slopes (slopes times `h`).
#[inline(always)]
pub(crate) fn hermite(old: f64, new: f64, slope_old: f64, slope_new: f64) -> [f64; 4] {
    let difference = new - old;
    let slope = slope_old - difference;
    [old, difference, slope, difference - slope_new - slope]
}

/// What a recorder needs of an accepted step.
pub(crate) trait Interpolant {
    /// Start of the step.
    fn t_old(&self) -> f64;
    /// Length of the step, signed: `θ` is measured in it.
    fn length(&self) -> f64;
    /// Coefficients of component `i`.
    fn write_coefficients(&self, i: usize, out: &mut [f64]);
    /// State at `t` within the step.
    fn state_within(&self, t: f64, state: &mut [f64]);
}

/// Interpolants of every accepted step, each of the order of its method's dense output.
///
/// At a time at which the state jumped, the solution is the state before the jump.
///
/// Size: `8 (3 + (m + 1) n)` bytes per step with `m` coefficients per component: 5 for the
/// methods of order 5, 4 for those of order 3 and 4, 8 for that of order 8.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseSolution {
    dimension: usize,
    coefficient_count: usize,
    start: f64,
    initial: Vec<f64>,
    /// Start and end of each step, and its length.
    starts: Vec<f64>,
    ends: Vec<f64>,
    lengths: Vec<f64>,
    /// Per step and component: the coefficients and the value at the end.
    coefficients: Vec<f64>,
}

impl DenseSolution {
    pub(crate) fn new(start: f64, initial: &[f64], coefficient_count: usize) -> Self {
        Self {
            dimension: initial.len(),
            coefficient_count,
            start,
            initial: initial.to_vec(),
            starts: Vec::new(),
            ends: Vec::new(),
            lengths: Vec::new(),
            coefficients: Vec::new(),
        }
    }

    /// A solution without steps in the memory of this one.
    pub(crate) fn again(mut self, start: f64, initial: &[f64], coefficient_count: usize) -> Self {
        self.initial.clear();
        self.initial.extend_from_slice(initial);
        let vectors = [&mut self.starts, &mut self.ends, &mut self.lengths];
        vectors.into_iter().for_each(Vec::clear);
        self.coefficients.clear();
        Self {
            dimension: initial.len(),
            coefficient_count,
            start,
            ..self
        }
    }

    /// Adds a step that is valid to `end`, where the state is `state`.
    pub(crate) fn push(&mut self, step: &impl Interpolant, end: f64, state: &[f64]) {
        self.starts.push(step.t_old());
        self.ends.push(end);
        self.lengths.push(step.length());
        self.coefficients
            .reserve(state.len() * (self.coefficient_count + 1));
        for (i, &value) in state.iter().enumerate() {
            let from = self.coefficients.len();
            self.coefficients.resize(from + self.coefficient_count, 0.0);
            step.write_coefficients(i, &mut self.coefficients[from..]);
            self.coefficients.push(value);
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
        let theta = (t - self.starts[k]) / self.lengths[k];
        let width = self.coefficient_count + 1;
        let first = k * self.dimension * width;
        let rows = self.coefficients[first..].chunks_exact(width);
        for (value, row) in state.iter_mut().zip(rows) {
            let (coefficients, new) = row.split_at(self.coefficient_count);
            *value = if t == self.ends[k] {
                new[0]
            } else {
                polynomial(coefficients, theta)
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
