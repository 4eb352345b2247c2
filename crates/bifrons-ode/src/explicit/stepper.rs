//! One explicit method on one lane, as the driver of general runs sees it.
#![expect(
    clippy::float_cmp,
    reason = "ends of steps and limits are recognised by their own bits"
)]

use super::control::Control;
use super::stages::Stages;
use crate::dense::polynomial;
use crate::ensemble::{LEAST_STEP_ULP, MemberArrays, propose};
use crate::error::Failure;
use crate::initial_step;
use crate::problem::{Fault, LaneProblem, Problem};
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Start, Stepper};

/// Attempts between two looks at stiffness.
const STIFFNESS_INTERVAL: u64 = 25;
/// Signs of stiffness in a row that make a suspicion, and looks without that clear it.
const STIFF_ROW: u32 = 15;
const CLEAR_ROW: u32 = 6;

/// How long steps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    /// As the error estimate allows.
    Adaptive,
    /// Of one size, the last one before a limit excepted.
    Fixed(f64),
}

/// An explicit method with its memory, which it borrows.
#[derive(Debug)]
pub(crate) struct Explicit<'w, S> {
    stages: S,
    member: MemberArrays<'w>,
    /// Coefficients of the last step, component by component.
    dense: &'w mut [f64],
    relative: f64,
    pace: Pace,
    control: Control<1>,
    direction: f64,
    initial_step: Option<f64>,
    max_step: f64,
    t_old: f64,
    t: f64,
    h: f64,
    wanted: f64,
    /// The arrays hold an accepted step that has not been committed.
    pending: bool,
    /// Why the next attempt makes no sense.
    failed: Option<Failure>,
    stiff: u32,
    clear: u32,
    statistics: Statistics,
}

/// A problem as the only lane, remembering its last fault.
struct Lane<'p, P> {
    problem: &'p mut P,
    fault: Option<Fault>,
}

impl<P: Problem> LaneProblem<1> for Lane<'_, P> {
    const DIMENSION: usize = P::DIMENSION;

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.problem.dimension()
    }

    fn load(&mut self, _lane: usize, _member: usize, _state: &mut [f64]) {}

    #[inline(always)]
    fn rhs(&mut self, t: &[f64; 1], y: &[[f64; 1]], dy: &mut [[f64; 1]]) {
        self.rhs_one(0, t[0], y.as_flattened(), dy.as_flattened_mut());
    }

    #[inline(always)]
    fn rhs_one(&mut self, _lane: usize, t: f64, y: &[f64], dy: &mut [f64]) {
        if let Err(fault) = self.problem.rhs(t, y, dy) {
            self.fault = Some(fault);
            dy.fill(f64::NAN);
        }
    }
}

impl<'w, S: Stages<'w, 1>> Explicit<'w, S> {
    /// A method at rest; `member.absolute` holds the absolute tolerances.
    pub(crate) fn new(
        stages: S,
        member: MemberArrays<'w>,
        dense: &'w mut [f64],
        relative: f64,
        pace: Pace,
    ) -> Self {
        Self {
            stages,
            member,
            dense,
            relative,
            pace,
            control: Control::new(),
            direction: 1.0,
            initial_step: None,
            max_step: f64::INFINITY,
            t_old: 0.0,
            t: 0.0,
            h: 0.0,
            wanted: 0.0,
            pending: false,
            failed: None,
            stiff: 0,
            clear: 0,
            statistics: Statistics::default(),
        }
    }

    /// Evaluates the slope at `(t, y)` and makes it the start of the next step.
    fn stand<P: Problem>(&mut self, problem: &mut P, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.pending = false;
        self.failed = None;
        self.t = t;
        self.t_old = t;
        self.member.state.copy_from_slice(y);
        let mut lane = Lane {
            problem,
            fault: None,
        };
        lane.rhs_one(0, t, self.member.state, self.member.slope);
        self.statistics.rhs += 1;
        if let Some((component, &value)) = not_finite(self.member.slope) {
            return Err(match lane.fault {
                Some(Fault::Fatal(message)) => Failure::Fatal { t, message },
                _ => Failure::InitialDerivative {
                    component,
                    value,
                    t,
                },
            });
        }
        let (state, slope) = self.stages.start_mut();
        state.as_flattened_mut().copy_from_slice(y);
        slope.as_flattened_mut().copy_from_slice(self.member.slope);
        Ok(())
    }

    fn first_step<P: Problem>(&mut self, problem: &mut P, limit: f64) -> f64 {
        if let Pace::Fixed(step) = self.pace {
            return step;
        }
        if let Some(step) = self.initial_step {
            return step;
        }
        let most = self.max_step.min((limit - self.t).abs());
        let mut lane = Lane {
            problem,
            fault: None,
        };
        self.statistics.rhs += 1;
        let probe = initial_step::Probe {
            y: self.member.state,
            slope: self.member.slope,
            euler: self.member.euler,
            slope_there: self.member.slope_there,
            relative: self.relative,
            absolute: self.member.absolute,
            order: S::LAW.order,
            inverted: false,
        };
        initial_step::estimate(probe, self.t, self.direction, most, |t, y, dy| {
            lane.rhs_one(0, t, y, dy);
        })
    }

    /// One attempt with a dimension that may be a literal: squared error norm and fault.
    #[inline(always)]
    fn try_step<P: Problem>(
        &mut self,
        n: usize,
        problem: &mut P,
        t_new: f64,
    ) -> (f64, Option<Fault>) {
        if self.pending {
            self.stages.commit(n, &self.control);
            self.pending = false;
        }
        let mut lane = Lane {
            problem,
            fault: None,
        };
        let h = [self.h];
        self.stages.attempt(n, &mut lane, &[self.t], &h, &[t_new]);
        let square = self
            .stages
            .error_square(n, &h, self.relative, self.member.absolute);
        (square[0], lane.fault)
    }

    fn dispatch<P: Problem>(&mut self, problem: &mut P, t_new: f64) -> (f64, Option<Fault>) {
        if P::DIMENSION > 0 {
            return self.try_step(P::DIMENSION, problem, t_new);
        }
        match self.member.state.len() {
            1 => self.try_step(1, problem, t_new),
            2 => self.try_step(2, problem, t_new),
            3 => self.try_step(3, problem, t_new),
            4 => self.try_step(4, problem, t_new),
            n => self.try_step(n, problem, t_new),
        }
    }

    /// The next step and where it ends.
    fn propose(&self, limit: f64) -> (f64, f64) {
        if let Pace::Fixed(step) = self.pace {
            let remaining = (limit - self.t) * self.direction;
            if remaining <= 1.0001 * step {
                return (self.direction * remaining, limit);
            }
            let h = self.direction * step;
            return (h, self.t + h);
        }
        propose(self.t, self.wanted, limit, self.direction, self.max_step)
    }

    fn failure(&self, norm: f64, fault: Option<Fault>) -> Option<Failure> {
        let t = self.t;
        if !norm.is_finite()
            && let Some(Fault::Fatal(message)) = fault
        {
            return Some(Failure::Fatal { t, message });
        }
        let fixed = self.pace != Pace::Adaptive && !(norm <= 1.0);
        let step = self.wanted;
        if !fixed && step > LEAST_STEP_ULP * f64::EPSILON * t.abs() {
            return None;
        }
        let component = self
            .stages
            .worst_component(0, self.h, self.relative, self.member.absolute);
        let norm = if norm.is_nan() { f64::INFINITY } else { norm };
        Some(Failure::StepUnderflow {
            t,
            step,
            component,
            norm,
        })
    }

    /// Hairer's estimate of `h |λ|` of the last accepted step from its last two stages (Hairer and
    /// Wanner 1996, IV.2); zero if they are one.
    pub(crate) fn stiffness(&self) -> f64 {
        let (argument, slope) = self.stages.last_stage();
        let (y, slope_new) = self.stages.end();
        let (mut slopes, mut states) = (0.0, 0.0);
        for i in 0..y.len() {
            let (ds, dy) = (slope_new[i][0] - slope[i][0], y[i][0] - argument[i][0]);
            slopes += ds * ds;
            states += dy * dy;
        }
        if states > 0.0 {
            self.h.abs() * (slopes / states).sqrt()
        } else {
            0.0
        }
    }

    /// Size of the step that is wanted next.
    pub(crate) const fn wanted(&self) -> f64 {
        self.wanted
    }

    /// Goes on from where another method stands, with a first step of this size.
    pub(crate) fn take_over<P: Problem>(
        &mut self,
        problem: &mut P,
        start: &Start<'_>,
        step: f64,
    ) -> Result<(), Failure> {
        self.stand(problem, start.t, start.y)?;
        self.control.start(0);
        (self.stiff, self.clear) = (0, 0);
        self.wanted = step;
        Ok(())
    }

    /// Counts suspicions of stiffness.
    fn look_for_stiffness(&mut self) {
        let due = self.stiff > 0 || self.statistics.accepted.is_multiple_of(STIFFNESS_INTERVAL);
        if !due || self.pace != Pace::Adaptive {
            return;
        }
        if self.stiffness() > S::STABILITY {
            self.clear = 0;
            self.stiff += 1;
            if self.stiff == STIFF_ROW {
                self.statistics.stiff_suspected += 1;
                self.stiff = 0;
            }
        } else if self.stiff > 0 {
            self.clear += 1;
            if self.clear == CLEAR_ROW {
                self.stiff = 0;
                self.clear = 0;
            }
        }
    }
}

impl<'w, S: Stages<'w, 1>, P: Problem> Stepper<P> for Explicit<'w, S> {
    fn start(&mut self, problem: &mut P, start: &Start<'_>) -> Result<(), Failure> {
        self.direction = start.direction;
        self.initial_step = start.initial_step;
        self.max_step = start.max_step;
        self.stand(problem, start.t, start.y)?;
        self.control.start(0);
        self.wanted = self.first_step(problem, start.limit);
        Ok(())
    }

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        if let Some(failure) = self.failed {
            return Err(failure);
        }
        let (h, t_new) = self.propose(limit);
        self.h = h;
        let (square, fault) = self.dispatch(problem, t_new);
        self.statistics.rhs += S::RHS_PER_ATTEMPT;
        self.control.decide(&[square], S::LAW);
        self.wanted = h * self.direction * self.control.scale[0];
        let accepted = self.control.accepts(0);
        if accepted {
            self.t_old = self.t;
            self.t = t_new;
            self.pending = true;
            self.statistics.accepted += 1;
            self.look_for_stiffness();
            if let Pace::Fixed(step) = self.pace {
                self.wanted = step;
            }
        } else {
            self.statistics.rejected += 1;
            if !square.is_finite() {
                self.statistics.not_finite += 1;
            }
        }
        self.failed = self.failure(square.sqrt(), fault);
        match self.failed {
            Some(failure) if !accepted => Err(failure),
            None if !accepted => Ok(Attempt::Rejected),
            _ => Ok(Attempt::Accepted),
        }
    }

    fn t_old(&self) -> f64 {
        self.t_old
    }

    fn t(&self) -> f64 {
        self.t
    }

    fn length(&self) -> f64 {
        self.h
    }

    fn state(&self) -> &[f64] {
        if self.pending {
            self.stages.end().0.as_flattened()
        } else {
            self.stages.start().0.as_flattened()
        }
    }

    fn prepare_dense(&mut self, problem: &mut P) -> Result<(), Failure> {
        let mut lane = Lane {
            problem,
            fault: None,
        };
        let n = self.member.state.len();
        self.stages.prepare(n, &mut lane, &[self.t_old], &[self.h]);
        self.statistics.rhs += S::RHS_PER_INTERPOLANT;
        if let Some(Fault::Fatal(message)) = lane.fault {
            return Err(Failure::Fatal {
                t: self.t_old,
                message,
            });
        }
        for (i, out) in self.dense.chunks_exact_mut(S::COEFFICIENTS).enumerate() {
            self.stages.coefficients(i, 0, self.h, out);
        }
        Ok(())
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        if t == self.t {
            state.copy_from_slice(Stepper::<P>::state(self));
            return;
        }
        let theta = (t - self.t_old) / self.h;
        let rows = self.dense.chunks_exact(S::COEFFICIENTS);
        for (value, row) in state.iter_mut().zip(rows) {
            *value = polynomial(row, theta);
        }
    }

    fn coefficient_count(&self) -> usize {
        S::COEFFICIENTS
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        let start = i * S::COEFFICIENTS;
        out.copy_from_slice(&self.dense[start..start + S::COEFFICIENTS]);
    }

    fn restart(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        self.stand(problem, t, y)?;
        self.control.start(0);
        self.stiff = 0;
        if restart == Restart::Reset {
            self.wanted = self.first_step(problem, limit);
        }
        Ok(())
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

fn not_finite(values: &[f64]) -> Option<(usize, &f64)> {
    values.iter().enumerate().find(|(_, v)| !v.is_finite())
}
