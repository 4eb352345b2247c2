//! Events within the step of one lane.
#![expect(clippy::float_cmp, reason = "ends of steps are reached bit for bit")]

use super::{Drive, Ended, OneLane};
use crate::ensemble::events::LaneTrack;
use crate::ensemble::lanes::Lanes;
use crate::ensemble::{Flow, MemberSink};
use crate::error::Failure;
use crate::problem::LaneProblem;
use crate::step::View;
use crate::stepper::Restart;
use crate::watch::{Change, Found, Track as _, happen};

impl<'d, const W: usize, P, S, A> Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    /// Looks for events in the step of a lane; if one cuts the step, whether the lane is free.
    pub(super) fn attend_events(&mut self, lanes: &mut Lanes<W>, one: &OneLane) -> Option<bool> {
        let lane = one.lane;
        let events = self.events.as_deref_mut()?;
        let watch = &mut events.watches[lane];
        let mut track = LaneTrack {
            problem: &mut *self.problem,
            sink: &mut *self.sink,
            stages: &self.stages,
            lane,
            member: lanes.member[lane],
            step: (one.t_old, one.h, one.t_new),
            events: &mut lanes.events[lane],
        };
        for (value, component) in events.scratch.iter_mut().zip(self.stages.start().0) {
            *value = component[lane];
        }
        watch.look_back(&mut track, one.t_old, &events.scratch);
        let mut from = one.t_old;
        let (t, change) = loop {
            match watch.search(&mut track, (one.t_old, from, one.t_new)) {
                Found::Nothing => {
                    events.mirror(lane);
                    return None;
                }
                Found::Broken { last, failure } => {
                    track.state_at(last, self.member.state);
                    events.before.copy_from_slice(self.member.state);
                    break (last, Err(failure));
                }
                Found::Crossing(t) => {
                    track.state_at(t, self.member.state);
                    let (before, scratch) = (&mut *events.before, &mut *events.scratch);
                    let states = (&mut *self.member.state, before, scratch);
                    let change = happen(watch, &mut track, t, None, states);
                    if change != Ok(Change::Nothing) {
                        break (t, change);
                    }
                    if t == one.t_new {
                        events.mirror(lane);
                        return None;
                    }
                    from = t;
                }
            }
        };
        events.mirror(lane);
        Some(self.cut(lanes, one, t, change))
    }

    /// Ends the step of a lane at `t`; the member goes on from the state that the event left, or
    /// ends. True if the lane is free.
    fn cut(
        &mut self,
        lanes: &mut Lanes<W>,
        one: &OneLane,
        t: f64,
        change: Result<Change, Failure>,
    ) -> bool {
        let lane = one.lane;
        lanes.t[lane] = t;
        let stopped = self.show(lanes, one, t, true) == Flow::Stop;
        let mut ended = Ended {
            stopped,
            terminated: change == Ok(Change::Terminate),
            stiff: false,
            failure: change.err(),
        };
        if let Ok(Change::Restart(restart)) = change
            && !stopped
            && t != self.settings.t_end
        {
            let wanted = self.restart(lanes, lane, t, restart);
            ended.failure = wanted.and_then(|()| self.check_round_off(t)).err();
            if ended.failure.is_none() && lanes.attempts[lane] >= self.settings.max_steps {
                let budget = self.settings.max_steps;
                ended.failure = Some(Failure::StepBudget { t, budget });
            }
            if ended.failure.is_none() {
                return false;
            }
        }
        self.finish(lanes, lane, ended);
        true
    }

    /// Makes the member's state the end of the accepted step of its lane.
    pub(super) fn restart(
        &mut self,
        lanes: &mut Lanes<W>,
        lane: usize,
        t: f64,
        restart: Restart,
    ) -> Result<(), Failure> {
        lanes.restart_rhs[lane] += 1;
        self.slope_at(lane, t)?;
        lanes.forget(lane);
        self.stages.renew(lane, false);
        let most = self.settings.max_step.min((self.settings.t_end - t).abs());
        if A::IMPLICIT {
            let share = if restart == Restart::Kink { 1e-3 } else { 0.0 };
            let least = share * lanes.wanted[lane];
            lanes.wanted[lane] = self.estimate(lane, t, most).max(least.min(most));
            lanes.restart_rhs[lane] += 1;
        } else {
            lanes.watch_stiffness(lane);
        }
        if !A::IMPLICIT && restart == Restart::Reset {
            lanes.wanted[lane] = self.first_step(lane, t, most);
            lanes.restart_rhs[lane] += u64::from(self.settings.initial_step.is_none());
        }
        let (y, slope) = self.stages.end_mut();
        for (i, (&value, &derivative)) in self
            .member
            .state
            .iter()
            .zip(&*self.member.slope)
            .enumerate()
        {
            y[i][lane] = value;
            slope[i][lane] = derivative;
        }
        Ok(())
    }
}
