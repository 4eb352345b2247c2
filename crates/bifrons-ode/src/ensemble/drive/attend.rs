//! What is done with one lane after a step: show it, restart the member, end it.
#![expect(clippy::float_cmp, reason = "limits are reached bit for bit")]

use super::{Drive, Ended, LEAST_STEP_ULP, OneLane, not_finite, signed};
use crate::ensemble::lanes::Lanes;
use crate::ensemble::progress::Progress;
use crate::ensemble::{self, Flow, MemberEnd, MemberSink};
use crate::error::Failure;
use crate::problem::{Fault, LaneProblem};
use crate::statistics::Statistics;
use crate::step::{Step, View};
use crate::stepper::Restart;

impl<'d, const W: usize, P, S, A> Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    /// Handles events, shows a step, ends a member; true if the lane is free now.
    #[inline(never)]
    pub(super) fn attend(&mut self, lanes: &mut Lanes<W>, one: &OneLane, look: bool) -> bool {
        let (lane, accepted) = (one.lane, lanes.control.accepts(one.lane));
        let t_end = self.settings.t_end;
        let mut is_stiff = false;
        if accepted && lanes.accepted[lane] == lanes.stiffness_due[lane] {
            lanes.stiffness[lane].look(&self.stages, lane, one.h, lanes.accepted[lane]);
            lanes.stiffness_due[lane] = lanes.stiffness[lane].due();
            is_stiff = lanes.stiffness[lane].suspected > 0;
        }
        if look && let Some(ended) = self.attend_events(lanes, one) {
            return ended;
        }
        let mut stopped = false;
        let mut failure = None;
        if accepted {
            match self.show_accepted(lanes, one) {
                Flow::Until(_) => {}
                Flow::Stop => stopped = true,
                Flow::Restart(restart) => {
                    // Another solution from here on.
                    is_stiff = false;
                    stopped = restart.stop;
                    failure = self.resume(lanes, lane, &restart).err();
                }
            }
        }
        let reached = accepted && lanes.t[lane] == t_end;
        if !reached && !stopped && failure.is_none() {
            failure = self.failure(lanes, one);
            if failure.is_none() {
                stopped = is_stiff && self.sink.is_stiff(lane, lanes.member[lane]);
                if !stopped {
                    return false;
                }
            }
        }
        let current = if accepted {
            self.stages.end().0
        } else {
            self.stages.start().0
        };
        for (value, component) in self.member.state.iter_mut().zip(current) {
            *value = component[lane];
        }
        self.finish(
            lanes,
            lane,
            Ended {
                stopped,
                terminated: false,
                stiff: is_stiff,
                failure,
            },
        );
        true
    }

    /// Shows an accepted step, if that is wanted or it ends at a limit within the span, and asks
    /// for the next limit.
    fn show_accepted(&mut self, lanes: &mut Lanes<W>, one: &OneLane) -> Flow {
        let (lane, t_new, t_end) = (one.lane, one.t_new, self.settings.t_end);
        let at_limit = t_new == lanes.limit[lane] && t_new != t_end;
        if at_limit {
            if lanes.wanted[lane] < one.wanted_old {
                // The step was cut by the limit, not by its error.
                lanes.wanted[lane] = one.wanted_old;
            }
            lanes.next_output[lane] = f64::NEG_INFINITY;
        }
        let flow = self.show(lanes, one, t_new, false);
        let t = match flow {
            Flow::Restart(restart) => restart.t,
            _ => t_new,
        };
        if at_limit || t != t_new {
            lanes.limit[lane] = self.sink.limit(lane, lanes.member[lane], t, t_end);
        }
        flow
    }

    /// Makes the state of the sink the end of the accepted step of a lane.
    fn resume(
        &mut self,
        lanes: &mut Lanes<W>,
        lane: usize,
        restart: &ensemble::Restart,
    ) -> Result<(), Failure> {
        let (member, t) = (lanes.member[lane], restart.t);
        for (value, component) in self.member.state.iter_mut().zip(self.stages.end().0) {
            *value = component[lane];
        }
        self.sink.restart(lane, member, self.member.state);
        self.problem.restart(lane, member);
        lanes.t[lane] = t;
        lanes.next_output[lane] = signed(restart.next, self.settings.direction);
        if restart.stop || t == self.settings.t_end {
            let end = self.stages.end_mut().0;
            for (component, &value) in end.iter_mut().zip(&*self.member.state) {
                component[lane] = value;
            }
            return Ok(());
        }
        if let Some((component, &value)) = not_finite(self.member.state) {
            return Err(Failure::InitialState { component, value });
        }
        let kind = if restart.keep_step {
            Restart::Kink
        } else {
            Restart::Reset
        };
        self.restart(lanes, lane, t, kind)
    }

    /// Shows the step of a lane up to `t`, if that is wanted. A cut step ends in the state before
    /// the event.
    pub(super) fn show(&mut self, lanes: &mut Lanes<W>, one: &OneLane, t: f64, cut: bool) -> Flow {
        let direction = self.settings.direction;
        if !(t * direction >= lanes.next_output[one.lane]) {
            return Flow::Until(f64::INFINITY);
        }
        let before = self.events.as_ref().map(|events| events.before.as_slice());
        let step = Step {
            stages: self.stages.view(),
            lane: one.lane,
            member: lanes.member[one.lane],
            t_old: one.t_old,
            t_new: t,
            h: one.h,
            cut: before.filter(|_| cut),
        };
        let flow = self.sink.step(&step);
        if let Flow::Until(next) | Flow::Restart(ensemble::Restart { next, .. }) = flow {
            lanes.next_output[one.lane] = signed(next, direction);
        }
        flow
    }

    fn failure(&mut self, lanes: &Lanes<W>, one: &OneLane) -> Option<Failure> {
        let (lane, norm) = (one.lane, one.norm);
        let t = lanes.t[lane];
        if !norm.is_finite()
            && let Some(Fault::Fatal(message)) = self.problem.fault(lane)
        {
            return Some(Failure::Fatal { t, message });
        }
        if self.settings.relative == 0.0 && lanes.control.accepts(lane) {
            for (value, component) in self.member.state.iter_mut().zip(self.stages.end().0) {
                *value = component[lane];
            }
            if let Err(failure) = self.check_round_off(t) {
                return Some(failure);
            }
        }
        let step = lanes.wanted[lane];
        if !(step > LEAST_STEP_ULP * f64::EPSILON * t.abs()) {
            let absolute = &*self.member.absolute;
            let component =
                self.stages
                    .worst_component(lane, one.h, self.settings.relative, absolute);
            let norm = if norm.is_nan() { f64::INFINITY } else { norm };
            return Some(Failure::StepUnderflow {
                t,
                step,
                component,
                norm,
            });
        }
        let budget = self.settings.max_steps;
        (lanes.attempts[lane] >= budget).then_some(Failure::StepBudget { t, budget })
    }

    /// Tells the sink that a member ended in `member.state`, and frees its lane.
    pub(super) fn finish(&mut self, lanes: &mut Lanes<W>, lane: usize, ended: Ended) {
        let accepted = lanes.accepted[lane];
        let attempts = lanes.attempts[lane];
        let rhs = self.start_cost() + A::RHS_PER_ATTEMPT * attempts + lanes.restart_rhs[lane];
        let mut statistics = Statistics {
            accepted,
            rejected: attempts - accepted,
            rhs,
            events: lanes.events[lane],
            stiff_suspected: lanes.stiffness[lane].suspected,
            ..Statistics::default()
        };
        statistics += self.stages.spent(lane, accepted, attempts);
        if let Some(events) = &self.events {
            let watch = &events.watches[lane];
            statistics.root_evaluations = watch.evaluations + lanes.looks[lane];
            statistics.disarmed = watch.disarmed;
        }
        self.sink.end(&MemberEnd {
            member: lanes.member[lane],
            lane,
            t: lanes.t[lane],
            state: self.member.state,
            stopped: ended.stopped,
            terminated: ended.terminated,
            failure: ended.failure,
            statistics,
            progress: Progress {
                counted: self.stages.counted(lane),
                stiff: ended.stiff,
                ..lanes.progress(lane)
            },
        });
        lanes.stop(lane);
    }

    const fn start_cost(&self) -> u64 {
        if self.settings.initial_step.is_some() {
            1
        } else {
            2
        }
    }
}
