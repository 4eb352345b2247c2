//! Two methods as one stepper. A change takes place before a step, so that the interpolant of the
//! step before belongs to the method that made it.

use super::policy::Policy;
use crate::error::Failure;
use crate::explicit::Explicit;
use crate::explicit::stages::Stages;
use crate::implicit::{Matrices, Retire};
use crate::method::Method;
use crate::pool::Pool;
use crate::problem::Problem;
use crate::solution::Phase;
use crate::statistics::Statistics;
use crate::stepper::{Attempt, Restart, Start, Stepper};

/// Changes that are noted without an allocation.
pub(super) const PHASES: usize = 32;

/// What is asked of the implicit method beyond a [`Stepper`].
pub(crate) trait Stiff {
    /// Which method it is.
    const METHOD: Method;

    /// A bound of the spectral radius of the last Jacobian.
    fn rate_bound(&mut self) -> f64;

    /// Size of the step that is wanted next.
    fn wanted(&self) -> f64;
}

/// The methods of a run, one of them active.
#[derive(Debug)]
pub(super) struct Auto<'w, S, I> {
    explicit: Explicit<'w, S>,
    implicit: I,
    is_implicit: bool,
    /// Step with which the other method begins before the next attempt.
    change: Option<f64>,
    policy: Policy,
    direction: f64,
    max_step: f64,
    state: Vec<f64>,
    phases: Vec<Phase>,
    implicit_steps: u64,
}

impl<'w, S: Stages<'w, 1>, I: Stiff> Auto<'w, S, I> {
    pub(super) fn new(explicit: Explicit<'w, S>, implicit: I, n: usize, pool: &mut Pool) -> Self {
        let mut phases = core::mem::take(&mut pool.phases);
        phases.clear();
        phases.reserve_exact(PHASES);
        Self {
            explicit,
            implicit,
            is_implicit: false,
            change: None,
            policy: Policy::new(),
            direction: 1.0,
            max_step: f64::INFINITY,
            state: pool.zeros(n),
            phases,
            implicit_steps: 0,
        }
    }

    fn note(&mut self, t: f64) {
        let method = if self.is_implicit {
            I::METHOD
        } else {
            Method::Tsit5
        };
        self.phases.push(Phase { t, method });
    }

    /// Makes the other method stand where this one stands.
    fn change<P: Problem>(&mut self, problem: &mut P, limit: f64, h: f64) -> Result<(), Failure>
    where
        I: Stepper<P>,
    {
        let t = Stepper::<P>::t(self);
        let mut state = core::mem::take(&mut self.state);
        state.copy_from_slice(Stepper::<P>::state(self));
        let start = Start {
            t,
            y: &state,
            direction: self.direction,
            limit,
            initial_step: Some(h),
            max_step: self.max_step,
        };
        let found = if self.is_implicit {
            self.explicit.take_over(problem, &start, h)
        } else {
            self.implicit.start(problem, &start)
        };
        self.state = state;
        found?;
        self.is_implicit = !self.is_implicit;
        self.note(t);
        Ok(())
    }
}

impl<S, I: Retire> Retire for Auto<'_, S, I> {
    fn retire(self, pool: &mut Pool) -> Matrices {
        pool.give([self.state]);
        if pool.keeps() {
            pool.phases = self.phases;
        }
        self.implicit.retire(pool)
    }
}

/// Calls the active method.
macro_rules! active {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        if $self.is_implicit {
            Stepper::<P>::$method(&$self.implicit $(, $argument)*)
        } else {
            Stepper::<P>::$method(&$self.explicit $(, $argument)*)
        }
    };
    (mut $self:ident, $method:ident($($argument:expr),*)) => {
        if $self.is_implicit {
            Stepper::<P>::$method(&mut $self.implicit $(, $argument)*)
        } else {
            Stepper::<P>::$method(&mut $self.explicit $(, $argument)*)
        }
    };
}

impl<'w, S: Stages<'w, 1>, I: Stiff + Stepper<P>, P: Problem> Stepper<P> for Auto<'w, S, I> {
    fn start(&mut self, problem: &mut P, start: &Start<'_>) -> Result<(), Failure> {
        self.direction = start.direction;
        self.max_step = start.max_step;
        self.is_implicit = false;
        self.explicit.start(problem, start)?;
        self.note(start.t);
        Ok(())
    }

    fn attempt(&mut self, problem: &mut P, limit: f64) -> Result<Attempt, Failure> {
        if let Some(h) = self.change.take() {
            self.change(problem, limit, h)?;
        }
        let attempt = active!(mut self, attempt(problem, limit))?;
        if attempt == Attempt::Rejected {
            return Ok(attempt);
        }
        if self.is_implicit {
            self.implicit_steps += 1;
            let h = self.implicit.wanted();
            let share = h * self.implicit.rate_bound() / S::STABILITY;
            if self.policy.implicit(share) {
                self.change = Some(h);
            }
        } else if self
            .policy
            .explicit(self.explicit.stiffness() / S::STABILITY)
        {
            self.change = Some(self.explicit.wanted());
        }
        Ok(attempt)
    }

    fn t_old(&self) -> f64 {
        active!(self, t_old())
    }

    fn t(&self) -> f64 {
        active!(self, t())
    }

    fn length(&self) -> f64 {
        active!(self, length())
    }

    fn state(&self) -> &[f64] {
        active!(self, state())
    }

    fn prepare_dense(&mut self, problem: &mut P) -> Result<(), Failure> {
        active!(mut self, prepare_dense(problem))
    }

    fn interpolate(&self, t: f64, state: &mut [f64]) {
        active!(self, interpolate(t, state));
    }

    fn coefficient_count(&self) -> usize {
        let implicit = Stepper::<P>::coefficient_count(&self.implicit);
        implicit.max(S::COEFFICIENTS)
    }

    fn coefficients(&self, i: usize, out: &mut [f64]) {
        let count = active!(self, coefficient_count());
        let (used, rest) = out.split_at_mut(count);
        active!(self, coefficients(i, used));
        rest.fill(0.0);
    }

    fn restart(
        &mut self,
        problem: &mut P,
        t: f64,
        y: &[f64],
        limit: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        self.change = None;
        self.policy.forget();
        active!(mut self, restart(problem, t, y, limit, restart))
    }

    fn statistics(&self) -> Statistics {
        let mut statistics = Stepper::<P>::statistics(&self.explicit);
        statistics += Stepper::<P>::statistics(&self.implicit);
        statistics.implicit_steps = self.implicit_steps;
        statistics.switches = self.phases.len().saturating_sub(1) as u64;
        statistics
    }

    fn phases(&self) -> &[Phase] {
        &self.phases
    }
}
