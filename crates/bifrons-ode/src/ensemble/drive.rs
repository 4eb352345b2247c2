//! The loop: refill, attempt, decide, show, commit.
#![expect(
    clippy::float_cmp,
    reason = "the end of the span is reached bit for bit"
)]

use core::ops::Range;

use bifrons_lanes::Kernel;

use super::lanes::{Lanes, Proposal};
use super::workspace::MemberArrays;
use super::{Flow, MemberEnd, MemberSink, Restart};
use crate::dopri5::attempt::Stages;
use crate::dopri5::{RHS_PER_ATTEMPT, Step};
use crate::error::Failure;
use crate::initial_step;
use crate::problem::{Fault, LaneProblem};
use crate::statistics::Statistics;

/// Lanes from which on a loop over them is worth wide registers.
pub(super) const WIDE: usize = 4;
/// Steps below this many units in the last place of `t` are an underflow.
const LEAST_STEP_ULP: f64 = 4.0;

/// What is the same for all members.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) t0: f64,
    pub(crate) t_end: f64,
    pub(crate) direction: f64,
    pub(crate) relative: f64,
    pub(crate) max_steps: u64,
    pub(crate) initial_step: Option<f64>,
    pub(crate) max_step: f64,
}

/// Times and wanted steps of the lanes before an attempt.
#[derive(Debug)]
struct Before<const W: usize> {
    t: [f64; W],
    wanted: [f64; W],
}

/// One run of the ensemble.
#[derive(Debug)]
pub(crate) struct Drive<'d, const W: usize, P, S> {
    pub(crate) problem: &'d mut P,
    pub(crate) sink: &'d mut S,
    pub(crate) members: Range<usize>,
    pub(crate) settings: Settings,
    pub(crate) stages: Stages<'d, W>,
    pub(crate) member: MemberArrays<'d>,
}

impl<const W: usize, P: LaneProblem<W>, S: MemberSink<W>> Kernel for Drive<'_, W, P, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = if P::DIMENSION > 0 {
            P::DIMENSION
        } else {
            self.problem.dimension()
        };
        if P::DIMENSION > 0 {
            return self.drive(n);
        }
        // A literal dimension unrolls the loops over components, which are short on few lanes.
        match n {
            1 => self.drive(1),
            2 => self.drive(2),
            3 => self.drive(3),
            4 => self.drive(4),
            n => self.drive(n),
        }
    }
}

impl<const W: usize, P: LaneProblem<W>, S: MemberSink<W>> Drive<'_, W, P, S> {
    #[inline(always)]
    fn drive(mut self, n: usize) {
        let Settings {
            direction,
            relative,
            max_step,
            ..
        } = self.settings;
        let mut lanes = Lanes::<W>::idle();
        self.refill(&mut lanes);
        while lanes.active.iter().any(|&active| active) {
            let proposal = lanes.propose(direction, max_step);
            self.stages
                .attempt(n, self.problem, &lanes.t, &proposal.h, &proposal.t_new);
            let square = self
                .stages
                .error_square(n, &proposal.h, relative, self.member.absolute);
            lanes.control.decide(&square);
            let before = Before {
                t: lanes.t,
                wanted: lanes.wanted,
            };
            lanes.advance(&proposal, direction);
            let attention = self.attention(&lanes, &proposal, &square);
            let mut freed = false;
            if attention.iter().any(|&a| a) {
                for lane in 0..W {
                    if attention[lane] {
                        let norm = square[lane].sqrt();
                        freed |= self.attend(&mut lanes, lane, &before, &proposal, norm);
                    }
                }
            }
            self.stages.commit(n, &lanes.control);
            if freed {
                self.refill(&mut lanes);
            }
        }
    }

    /// Lanes about which something must be done one by one.
    #[inline(always)]
    fn attention(&self, lanes: &Lanes<W>, proposal: &Proposal<W>, square: &[f64; W]) -> [bool; W] {
        let Settings {
            direction,
            max_steps,
            ..
        } = self.settings;
        let mut attention = [false; W];
        for l in 0..W {
            let t_new = proposal.t_new[l];
            let due = (t_new * direction >= lanes.next_output[l]) | (t_new == lanes.limit[l]);
            let least = LEAST_STEP_ULP * f64::EPSILON * lanes.t[l].abs();
            let tiny = !(lanes.wanted[l] > least);
            let spent = lanes.attempts[l] >= max_steps;
            let unusual = tiny | spent | !(square[l] < f64::INFINITY);
            attention[l] = lanes.active[l] & ((lanes.control.accepts(l) & due) | unusual);
        }
        attention
    }

    /// Shows a step, restarts or ends a member; true if the lane is free now.
    #[inline(never)]
    fn attend(
        &mut self,
        lanes: &mut Lanes<W>,
        lane: usize,
        before: &Before<W>,
        proposal: &Proposal<W>,
        norm: f64,
    ) -> bool {
        let accepted = lanes.control.accepts(lane);
        let Settings {
            t_end,
            direction,
            max_steps,
            ..
        } = self.settings;
        let t_new = proposal.t_new[lane];
        let inner_limit = accepted && t_new == lanes.limit[lane] && t_new != t_end;
        let mut stopped = false;
        let mut failure = None;
        if accepted && (t_new * direction >= lanes.next_output[lane] || inner_limit) {
            let step = Step {
                stages: &self.stages,
                lane,
                member: lanes.member[lane],
                t_old: before.t[lane],
                t_new,
                h: proposal.h[lane],
            };
            let flow = self.sink.step(&step);
            if inner_limit && lanes.wanted[lane] < before.wanted[lane] {
                // The step was cut by the limit, not by its error.
                lanes.wanted[lane] = before.wanted[lane];
            }
            match flow {
                Flow::Until(next) => lanes.next_output[lane] = signed(next, direction),
                Flow::Stop => stopped = true,
                Flow::Restart(restart) => {
                    stopped = restart.stop;
                    failure = self.restart(lanes, lane, &restart);
                }
            }
            if inner_limit || lanes.t[lane] != t_new {
                let t = lanes.t[lane];
                lanes.limit[lane] = self.sink.limit(lane, lanes.member[lane], t, t_end);
            }
        }
        let reached = accepted && lanes.t[lane] == t_end;
        if !reached && !stopped && failure.is_none() {
            failure = self.failure(lanes, lane, proposal.h[lane], norm, max_steps);
            if failure.is_none() {
                return false;
            }
        }
        self.end(lanes, lane, accepted, stopped, failure);
        lanes.stop(lane);
        true
    }

    /// Puts the new state where the end of the accepted step is, from where it is committed.
    fn restart(&mut self, lanes: &mut Lanes<W>, lane: usize, restart: &Restart) -> Option<Failure> {
        let member = lanes.member[lane];
        let t = restart.t;
        for (value, component) in self.member.state.iter_mut().zip(&*self.stages.y_new) {
            *value = component[lane];
        }
        self.sink.restart(lane, member, self.member.state);
        self.problem.restart(lane, member);
        lanes.t[lane] = t;
        lanes.next_output[lane] = signed(restart.next, self.settings.direction);
        for (component, value) in self.stages.y_new.iter_mut().zip(&*self.member.state) {
            component[lane] = *value;
        }
        if restart.stop || t == self.settings.t_end {
            return None;
        }
        let kept = restart.keep_step.then_some(lanes.wanted[lane]);
        lanes.control.start(lane);
        lanes.restart_rhs[lane] += if kept.is_some() { 1 } else { 2 };
        match self.begin_at(lane, t, kept) {
            Ok(step) => {
                lanes.wanted[lane] = step;
                for (component, slope) in self.stages.k7.iter_mut().zip(&*self.member.slope) {
                    component[lane] = *slope;
                }
                None
            }
            Err(failure) => Some(failure),
        }
    }

    /// Evaluates the right-hand side at a new beginning, and its first step if none is given.
    fn begin_at(&mut self, lane: usize, t: f64, step: Option<f64>) -> Result<f64, Failure> {
        let Settings {
            direction,
            relative,
            max_step,
            ..
        } = self.settings;
        if let Some((component, &value)) = not_finite(self.member.state) {
            return Err(Failure::InitialState { component, value });
        }
        self.problem
            .rhs_one(lane, t, self.member.state, self.member.slope);
        if let Some((component, &value)) = not_finite(self.member.slope) {
            return Err(match self.problem.fault(lane) {
                Some(Fault::Fatal(message)) => Failure::Fatal { t, message },
                _ => Failure::InitialDerivative {
                    component,
                    value,
                    t,
                },
            });
        }
        let problem = &mut *self.problem;
        Ok(step.unwrap_or_else(|| {
            let probe = initial_step::Probe {
                y: self.member.state,
                slope: self.member.slope,
                euler: self.member.euler,
                slope_there: self.member.slope_there,
                relative,
                absolute: self.member.absolute,
            };
            initial_step::estimate(probe, t, direction, max_step, |t, y, dy| {
                problem.rhs_one(lane, t, y, dy);
            })
        }))
    }

    fn failure(
        &mut self,
        lanes: &Lanes<W>,
        lane: usize,
        h: f64,
        norm: f64,
        max_steps: u64,
    ) -> Option<Failure> {
        let t = lanes.t[lane];
        if !norm.is_finite()
            && let Some(Fault::Fatal(message)) = self.problem.fault(lane)
        {
            return Some(Failure::Fatal { t, message });
        }
        let step = lanes.wanted[lane];
        if !(step > LEAST_STEP_ULP * f64::EPSILON * t.abs()) {
            let absolute = &*self.member.absolute;
            let component = self
                .stages
                .worst_component(lane, h, self.settings.relative, absolute);
            let norm = if norm.is_nan() { f64::INFINITY } else { norm };
            return Some(Failure::StepUnderflow {
                t,
                step,
                component,
                norm,
            });
        }
        (lanes.attempts[lane] >= max_steps).then_some(Failure::StepBudget {
            t,
            budget: max_steps,
        })
    }

    fn end(
        &mut self,
        lanes: &Lanes<W>,
        lane: usize,
        accepted: bool,
        stopped: bool,
        failure: Option<Failure>,
    ) {
        let current = if accepted {
            &*self.stages.y_new
        } else {
            &*self.stages.y
        };
        for (value, component) in self.member.state.iter_mut().zip(current) {
            *value = component[lane];
        }
        let accepted = lanes.accepted[lane];
        let attempts = lanes.attempts[lane];
        let statistics = Statistics {
            accepted,
            rejected: attempts - accepted,
            rhs: self.start_cost() + RHS_PER_ATTEMPT * attempts + lanes.restart_rhs[lane],
        };
        self.sink.end(&MemberEnd {
            member: lanes.member[lane],
            lane,
            t: lanes.t[lane],
            state: self.member.state,
            stopped,
            failure,
            statistics,
        });
    }

    const fn start_cost(&self) -> u64 {
        if self.settings.initial_step.is_some() {
            1
        } else {
            2
        }
    }

    /// Gives every free lane the next member that has something to integrate.
    #[inline(never)]
    fn refill(&mut self, lanes: &mut Lanes<W>) {
        for lane in 0..W {
            while !lanes.active[lane] {
                let Some(member) = self.members.next() else {
                    return;
                };
                self.start(lanes, lane, member);
            }
        }
    }

    fn start(&mut self, lanes: &mut Lanes<W>, lane: usize, member: usize) {
        let Settings {
            t0,
            t_end,
            direction,
            initial_step,
            ..
        } = self.settings;
        self.problem.load(lane, member, self.member.state);
        let output = self.sink.begin(lane, member, t0, self.member.state);
        if t0 == t_end {
            let failure = not_finite(self.member.state)
                .map(|(component, &value)| Failure::InitialState { component, value });
            return self.end_at_start(lane, member, failure, 0);
        }
        let step = match self.begin_at(lane, t0, initial_step) {
            Ok(step) => step,
            Err(failure) => {
                let rhs = u64::from(!matches!(failure, Failure::InitialState { .. }));
                return self.end_at_start(lane, member, Some(failure), rhs);
            }
        };
        for (i, (&value, &slope)) in self
            .member
            .state
            .iter()
            .zip(&*self.member.slope)
            .enumerate()
        {
            self.stages.y[i][lane] = value;
            self.stages.k1[i][lane] = slope;
        }
        lanes.start(lane, member, t0, step, signed(output, direction));
        lanes.limit[lane] = self.sink.limit(lane, member, t0, t_end);
    }

    fn end_at_start(&mut self, lane: usize, member: usize, failure: Option<Failure>, rhs: u64) {
        self.sink.end(&MemberEnd {
            member,
            lane,
            t: self.settings.t0,
            state: self.member.state,
            stopped: false,
            failure,
            statistics: Statistics {
                rhs,
                ..Statistics::default()
            },
        });
    }
}

/// A time along the direction of integration; infinities keep their meaning.
fn signed(t: f64, direction: f64) -> f64 {
    if t.is_infinite() { t } else { t * direction }
}

fn not_finite(values: &[f64]) -> Option<(usize, &f64)> {
    values.iter().enumerate().find(|(_, v)| !v.is_finite())
}
