//! What a caller may choose about a run.

use bifrons_lanes::Level;

use crate::error::InputError;
use crate::implicit::Initialisation;
use crate::method::Method;
use crate::tolerance::Tolerance;

/// Settings of a run. Change the fields of `Options::default()`.
///
/// The controller is the PI controller of Hairer, Nørsett and Wanner (Solving Ordinary
/// Differential Equations I, 1993, section IV.2 of volume II for the PI form): the next step is
///
/// ```text
/// h_new = h · min(10, max(0.2, 0.9 · err^(-0.17) · err_old^0.04))
/// ```
///
/// with the error norm `err` of the crate documentation and `err_old ≥ 1e-4` that of the last
/// accepted step; after a rejection `h_new = h · max(0.2, 0.9 err^(-0.17))`, and the step after a
/// rejection does not grow. Powers are computed to 1e-5 (see `bifrons_lanes::math`), which is far
/// below what a controller can use.
///
/// Near the end the remaining span is taken in one step if it is at most `1.0001 h`, and in two
/// equal steps if it is below `2 h`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Tolerances of the error norm. Default: relative 1e-6, absolute 1e-9.
    pub tolerance: Tolerance,
    /// Budget of attempted steps, accepted and rejected together. Default: 1,000,000.
    pub max_steps: u64,
    /// First step (positive; the sign is that of the span). Default: Hairer's estimate.
    pub initial_step: Option<f64>,
    /// Largest step (positive). Default: the span.
    pub max_step: Option<f64>,
    /// Method. Default: [`Method::Dopri5`]. Ensembles name theirs by type.
    pub method: Method,
    /// What is done with an initial state that may violate algebraic equations. Default:
    /// [`Initialisation::Check`]. Implicit methods with singular mass matrix only.
    pub initialisation: Initialisation,
    /// Times at which a step must end: known discontinuities of the right-hand side, or instants
    /// at which the handler of events acts. Up to each of them the right-hand side is evaluated
    /// at earlier times only, from each of them on anew. Any order; times within eight units in
    /// the last place are one stop, which acts once. Single runs only. Default: none.
    pub stops: Vec<f64>,
    /// Parts of each step at whose ends root functions are looked at, at least one: crossings
    /// that come in pairs are seen if they lie in different parts. Default: 8.
    pub root_parts: u32,
    /// Firings of one root function that are allowed within `1e-4` of the span. Default: 100.
    pub max_events_per_window: u32,
    /// Instruction set; the results have the same bits at every level. Default: the widest that
    /// the machine runs.
    pub level: Option<Level>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::default(),
            max_steps: 1_000_000,
            initial_step: None,
            max_step: None,
            method: Method::default(),
            initialisation: Initialisation::default(),
            stops: Vec::new(),
            root_parts: 8,
            max_events_per_window: 100,
            level: None,
        }
    }
}

impl Options {
    /// The default settings with these tolerances.
    #[must_use]
    pub fn with_tolerance(tolerance: Tolerance) -> Self {
        Self {
            tolerance,
            ..Self::default()
        }
    }

    /// Checks the settings for a problem of `dimension` components.
    ///
    /// # Errors
    ///
    /// [`InputError`] if a step is not positive or the number of tolerances does not fit.
    pub fn check_for(&self, dimension: usize) -> Result<(), InputError> {
        self.check_steps()?;
        self.tolerance.check_count(dimension)
    }

    pub(crate) fn check(&self, t0: f64, t_end: f64) -> Result<(), InputError> {
        for (which, value) in [("start", t0), ("end", t_end)] {
            if !value.is_finite() {
                return Err(InputError::SpanNotFinite { which, value });
            }
        }
        self.check_steps()
    }

    /// As [`Options::check`], for a run that an event may end: the end may be infinite.
    pub(crate) fn check_open(&self, t0: f64, t_end: f64) -> Result<(), InputError> {
        let end = if t_end.is_infinite() { t0 } else { t_end };
        self.check(t0, end)
    }

    fn check_steps(&self) -> Result<(), InputError> {
        for (which, step) in [("initial", self.initial_step), ("maximal", self.max_step)] {
            if let Some(value) = step
                && !(value > 0.0)
            {
                return Err(InputError::StepOption { which, value });
            }
        }
        Ok(())
    }
}

/// What [`solve`](crate::solve) keeps. Nothing here changes the steps that are taken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Save {
    /// Only the last state.
    Final,
    /// The initial state and the end of every accepted step.
    EveryStep,
    /// The solution at these times, from the dense output; sorted along the direction of
    /// integration, within the span, duplicates kept.
    Times(Vec<f64>),
    /// A continuous solution: five coefficients per component and step.
    Dense,
}

impl Save {
    pub(crate) fn check(&self, t0: f64, t_end: f64) -> Result<(), InputError> {
        let Self::Times(times) = self else {
            return Ok(());
        };
        let direction = if t_end < t0 { -1.0 } else { 1.0 };
        let mut last = t0;
        for (index, &value) in times.iter().enumerate() {
            let forward = (value - last) * direction >= 0.0;
            let inside = (t_end - value) * direction >= 0.0;
            if !(forward && inside) {
                return Err(InputError::OutputTime {
                    index,
                    value,
                    start: t0,
                    end: t_end,
                });
            }
            last = value;
        }
        Ok(())
    }
}
