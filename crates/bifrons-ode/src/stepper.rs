//! What a method is to the driver: it tries steps and interpolates the last accepted one.

use crate::error::Failure;
use crate::problem::Problem;
use crate::solution::Phase;
use crate::statistics::Statistics;

/// Where a run starts, and how far the method may look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) t: f64,
    /// State at `t`, finite.
    pub(crate) y: &'a [f64],
    /// `1.0` or `-1.0`.
    pub(crate) direction: f64,
    /// First time along the direction that must not be passed, not by a probe either.
    pub(crate) limit: f64,
    /// First step, positive; otherwise the method estimates it.
    pub(crate) initial_step: Option<f64>,
    /// Largest step, positive, may be infinite.
    pub(crate) max_step: f64,
}

/// What became of an attempted step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The method stands at the end of the step; the step can be interpolated until the next
    /// attempt.
    Accepted,
    /// The method stands where it stood and will try a smaller step.
    Rejected,
}

/// Why a run goes on from a state that is not the end of the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restart {
    /// The state is that of the interpolant, the right-hand side has a kink: the step size may be
    /// kept, what was stored of derivatives may not.
    Kink,
    /// State or right-hand side jumped: everything is forgotten.
    Reset,
}

/// A method with its memory. Knows nothing of outputs, root functions, stops and budgets.
///
/// Times run along the direction of [`Start`]. A method allocates in its constructor only.
pub(crate) trait Stepper<P: Problem> {
    /// Evaluates what the first step needs and chooses its size.
    ///
    /// # Errors
    ///
    /// [`Failure::InitialDerivative`], [`Failure::Fatal`], and what an implicit method meets.
    fn start(&mut self, problem: &mut P, start: &Start<'_>) -> Result<(), Failure>;

    /// Makes a state satisfy algebraic equations before it is shown: the initial one (`first`), or
    /// one that an event has changed. Methods for problems without such equations do nothing.
    ///
    /// # Errors
    ///
    /// [`Failure::Inconsistent`], [`Failure::NoConsistentState`], [`Failure::Undetermined`].
    fn make_consistent(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &mut [f64],
        first: bool,
    ) -> Result<(), Failure> {
        let _ = (problem, t, y, first);
        Ok(())
    }

    /// Tries one step that ends at `limit` at the latest, and bit for bit there if it comes near.
    ///
    /// # Errors
    ///
    /// [`Failure::StepUnderflow`] with the worst component, [`Failure::Fatal`], and what an
    /// implicit method cannot recover from. The method stands at its last accepted state.
    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure>;

    /// Start of the last accepted step; after `start` and `restart` the time there.
    fn t_old(&self) -> f64;

    /// End of the last accepted step, the time at which the method stands.
    fn t(&self) -> f64;

    /// Signed length of the last accepted step, in which `θ` of its interpolant is measured.
    fn length(&self) -> f64 {
        self.t() - self.t_old()
    }

    /// State at [`Stepper::t`].
    fn state(&self) -> &[f64];

    /// Makes the interpolant of the last accepted step ready, where that takes evaluations.
    /// Called once per step at most, before `interpolate` and `coefficients`.
    ///
    /// # Errors
    ///
    /// [`Failure::Fatal`].
    fn prepare_dense(&mut self, problem: &mut P) -> Result<(), Failure> {
        let _ = problem;
        Ok(())
    }

    /// State at `t` within the last accepted step; at its two ends the states there, bit for bit.
    fn interpolate(&self, t: f64, state: &mut [f64]);

    /// Coefficients per component of the interpolant, the same for all steps.
    fn coefficient_count(&self) -> usize;

    /// Coefficients of component `i` of the last accepted step in the basis of
    /// [`dense`](crate::dense): `r₀ + θ (r₁ + θ̄ (r₂ + θ (r₃ + θ̄ (…))))` with `θ̄ = 1 - θ`.
    fn coefficients(&self, i: usize, out: &mut [f64]);

    /// Goes on from `(t, y)`, where `t` lies within the last accepted step.
    ///
    /// # Errors
    ///
    /// As [`Stepper::start`].
    fn restart(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure>;

    /// Counts since the constructor, without those of the driver.
    fn statistics(&self) -> Statistics;

    /// Which method ran from when on, if it is not one alone.
    fn phases(&self) -> &[Phase] {
        &[]
    }
}
