//! An accepted step of one lane, with its interpolant.
#![expect(
    clippy::float_cmp,
    reason = "the end of a step is recognised by its own bits"
)]

use crate::dense::polynomial;
use crate::ensemble::{Rodas4, Rodas5P, rosenbrock};
use crate::explicit::stages::Stages;
use crate::explicit::{bs32, dopri5, tsit5};

/// The arrays of a step, of whichever method.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arrays<'s, const W: usize> {
    Dopri5(&'s dopri5::Arrays<'s, W>),
    Tsit5(&'s tsit5::Arrays<'s, W>),
    Bs32(&'s bs32::Arrays<'s, W>),
    Rodas4(&'s rosenbrock::Arrays<'s, Rodas4, W>),
    Rodas5P(&'s rosenbrock::Arrays<'s, Rodas5P, W>),
}

/// Stages that a [`Step`] can show.
pub(crate) trait View<'w, const W: usize>: Stages<'w, W> {
    fn view(&self) -> Arrays<'_, W>;
}

impl<'w, const W: usize> View<'w, W> for dopri5::Arrays<'w, W> {
    fn view(&self) -> Arrays<'_, W> {
        Arrays::Dopri5(self)
    }
}

impl<'w, const W: usize> View<'w, W> for tsit5::Arrays<'w, W> {
    fn view(&self) -> Arrays<'_, W> {
        Arrays::Tsit5(self)
    }
}

impl<'w, const W: usize> View<'w, W> for bs32::Arrays<'w, W> {
    fn view(&self) -> Arrays<'_, W> {
        Arrays::Bs32(self)
    }
}

impl<'w, const W: usize> View<'w, W> for rosenbrock::Arrays<'w, Rodas4, W> {
    fn view(&self) -> Arrays<'_, W> {
        Arrays::Rodas4(self)
    }
}

impl<'w, const W: usize> View<'w, W> for rosenbrock::Arrays<'w, Rodas5P, W> {
    fn view(&self) -> Arrays<'_, W> {
        Arrays::Rodas5P(self)
    }
}

/// Applies the same expression to the arrays of whichever method.
macro_rules! with {
    ($arrays:expr, $s:ident => $value:expr) => {
        match $arrays {
            Arrays::Dopri5($s) => $value,
            Arrays::Tsit5($s) => $value,
            Arrays::Bs32($s) => $value,
            Arrays::Rodas4($s) => $value,
            Arrays::Rodas5P($s) => $value,
        }
    };
}

/// One accepted step of one member, or its part up to an event: both ends and the solution in
/// between.
///
/// The interpolant is a polynomial of degree 4 per component. Of the explicit methods it is
/// continuous with its first derivative over steps and has a global error of order 4 (Hairer,
/// Nørsett, Wanner 1993, II.6); of the implicit ones it is continuous, of order 3 or 4.
#[derive(Debug)]
pub struct Step<'s, const W: usize> {
    pub(crate) stages: Arrays<'s, W>,
    pub(crate) lane: usize,
    pub(crate) member: usize,
    pub(crate) t_old: f64,
    pub(crate) t_new: f64,
    pub(crate) h: f64,
    /// State at the end, where that lies before the end of the method's own step.
    pub(crate) cut: Option<&'s [f64]>,
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
        with!(self.stages, s => s.start().0[i][self.lane])
    }

    /// Component `i` at the end of the step.
    #[inline]
    #[must_use]
    pub fn at_end(&self, i: usize) -> f64 {
        match self.cut {
            Some(state) => state[i],
            None => with!(self.stages, s => s.end().0[i][self.lane]),
        }
    }

    /// Number of components.
    #[must_use]
    pub fn dimension(&self) -> usize {
        with!(self.stages, s => s.start().0.len())
    }

    /// Coefficients `r` of component `i`:
    /// `y(θ) = r₀ + θ (r₁ + (1-θ) (r₂ + θ (r₃ + (1-θ) r₄)))`, `θ = (t - t_old) / h`.
    #[inline]
    #[must_use]
    pub fn coefficients(&self, i: usize) -> [f64; 5] {
        let mut out = [0.0; 5];
        with!(self.stages, s => s.coefficients(i, self.lane, self.h, &mut out));
        out
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
