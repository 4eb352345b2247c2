//! An accepted step of one lane, with its interpolant.
#![expect(
    clippy::float_cmp,
    reason = "the end of a step is recognised by its own bits"
)]

use super::attempt::Stages;
use super::tables::{D1, D3, D4, D5, D6, D7};

/// One accepted step of one member: both ends and the solution in between.
///
/// The interpolant is a polynomial of degree 4 per component that is continuous with its first
/// derivative over steps and has a global error of order 4 (Hairer, Nørsett, Wanner 1993, II.6).
#[derive(Debug)]
pub struct Step<'s, const W: usize> {
    pub(crate) stages: &'s Stages<'s, W>,
    pub(crate) lane: usize,
    pub(crate) member: usize,
    pub(crate) t_old: f64,
    pub(crate) t_new: f64,
    pub(crate) h: f64,
}

impl<const W: usize> Step<'_, W> {
    /// Lane of the member.
    #[must_use]
    pub const fn lane(&self) -> usize {
        self.lane
    }

    /// The member.
    #[must_use]
    pub const fn member(&self) -> usize {
        self.member
    }

    /// Start of the step.
    #[must_use]
    pub const fn t_old(&self) -> f64 {
        self.t_old
    }

    /// End of the step.
    #[must_use]
    pub const fn t_new(&self) -> f64 {
        self.t_new
    }

    /// Component `i` at the start of the step.
    #[inline]
    #[must_use]
    pub fn at_start(&self, i: usize) -> f64 {
        self.stages.y[i][self.lane]
    }

    /// Component `i` at the end of the step.
    #[inline]
    #[must_use]
    pub fn at_end(&self, i: usize) -> f64 {
        self.stages.y_new[i][self.lane]
    }

    /// Number of components.
    #[must_use]
    pub const fn dimension(&self) -> usize {
        self.stages.y.len()
    }

    /// Coefficients `r` of component `i`:
    /// `y(θ) = r₀ + θ (r₁ + (1-θ) (r₂ + θ (r₃ + (1-θ) r₄)))`, `θ = (t - t_old) / h`.
    #[inline]
    #[must_use]
    pub fn coefficients(&self, i: usize) -> [f64; 5] {
        let (s, l, h) = (self.stages, self.lane, self.h);
        let y = s.y[i][l];
        let difference = s.y_new[i][l] - y;
        let slope = h * s.k1[i][l] - difference;
        let last = h
            * (D1 * s.k1[i][l]
                + D3 * s.k3[i][l]
                + D4 * s.k4[i][l]
                + D5 * s.k5[i][l]
                + D6 * s.k6[i][l]
                + D7 * s.k7[i][l]);
        [
            y,
            difference,
            slope,
            difference - h * s.k7[i][l] - slope,
            last,
        ]
    }

    /// Component `i` at each of `times`, all within the step, into `values`.
    ///
    /// At the two ends the values are the stored states, bit for bit. Cost: five operations on
    /// coefficients once, about ten flops per time.
    #[inline]
    pub fn interpolate(&self, i: usize, times: &[f64], values: &mut [f64]) {
        let r = self.coefficients(i);
        let (t_old, t_new, h, new) = (self.t_old, self.t_new, self.h, self.at_end(i));
        for (value, &t) in values.iter_mut().zip(times) {
            *value = if t == t_new {
                new
            } else {
                polynomial(&r, (t - t_old) / h)
            };
        }
    }

    /// Every component at time `t` within the step.
    #[inline]
    pub fn state_at(&self, t: f64, state: &mut [f64]) {
        for (i, value) in state.iter_mut().enumerate() {
            *value = if t == self.t_new {
                self.at_end(i)
            } else {
                polynomial(&self.coefficients(i), (t - self.t_old) / self.h)
            };
        }
    }

    /// The state at the end of the step.
    #[inline]
    pub fn new_state(&self, state: &mut [f64]) {
        for (i, value) in state.iter_mut().enumerate() {
            *value = self.at_end(i);
        }
    }
}

/// The polynomial of [`Step::coefficients`]; at `θ = 0` it is `r₀` exactly.
#[inline(always)]
pub(crate) fn polynomial(r: &[f64; 5], theta: f64) -> f64 {
    let rest = 1.0 - theta;
    r[0] + theta * (r[1] + rest * (r[2] + theta * (r[3] + rest * r[4])))
}
