//! A member enters a lane.
#![expect(
    clippy::float_cmp,
    reason = "the end of the span is reached bit for bit"
)]

use super::{Drive, Settings, not_finite, signed};
use crate::ensemble::events::LaneTrack;
use crate::ensemble::lanes::Lanes;
use crate::ensemble::progress::Progress;
use crate::ensemble::{MemberEnd, MemberSink};
use crate::error::Failure;
use crate::explicit::stiffness::Stiffness;
use crate::initial_step;
use crate::problem::{Fault, LaneProblem};
use crate::statistics::Statistics;
use crate::step::View;
use crate::tolerance::check_round_off;
use crate::watch::{Change, happen};

impl<'d, const W: usize, P, S, A> Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    /// Gives every free lane the next member that has something to integrate.
    #[inline(never)]
    pub(super) fn refill(&mut self, lanes: &mut Lanes<W>) {
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
            max_step,
            ..
        } = self.settings;
        self.problem.load(lane, member, self.member.state);
        let resumed = self.problem.progress(lane, member);
        let t0 = resumed.map_or(t0, |progress| progress.t);
        let output = self.sink.begin(lane, member, t0, self.member.state);
        if let Some((component, &value)) = not_finite(self.member.state) {
            let failure = Failure::InitialState { component, value };
            return self.end_at_start(lane, member, Err(failure), (0, 0));
        }
        lanes.events[lane] = 0;
        match self.events_at_start(&mut lanes.events[lane], lane, member) {
            Ok(Change::Terminate) => {
                return self.end_at_start(lane, member, Ok(true), (0, lanes.events[lane]));
            }
            Err(failure) => {
                return self.end_at_start(lane, member, Err(failure), (0, lanes.events[lane]));
            }
            Ok(_) => {}
        }
        if t0 == t_end {
            return self.end_at_start(lane, member, Ok(false), (0, lanes.events[lane]));
        }
        if let Err(failure) = self.check_round_off(t0) {
            return self.end_at_start(lane, member, Err(failure), (0, lanes.events[lane]));
        }
        if let Err(failure) = self.slope_at(lane, t0) {
            return self.end_at_start(lane, member, Err(failure), (1, lanes.events[lane]));
        }
        self.stages.renew(lane, true);
        let step = match resumed {
            Some(progress) => progress.step,
            None => self.first_step(lane, t0, max_step),
        };
        self.enter(lane);
        lanes.start(lane, member, t0, step, signed(output, direction));
        lanes.stiffness[lane] = Stiffness::new();
        if !A::IMPLICIT {
            lanes.watch_stiffness(lane);
        }
        if let Some(progress) = resumed.filter(|progress| !progress.anew) {
            lanes.resume(lane, &progress);
            self.stages.recall(lane, progress.counted);
        }
        lanes.limit[lane] = self.sink.limit(lane, member, t0, t_end);
    }

    /// State and slope of the member enter its lane.
    fn enter(&mut self, lane: usize) {
        let (y, k1) = self.stages.start_mut();
        let member = self.member.state.iter().zip(&*self.member.slope);
        for (i, (&value, &slope)) in member.enumerate() {
            y[i][lane] = value;
            k1[i][lane] = slope;
        }
    }

    /// Functions that fire at the start.
    fn events_at_start(
        &mut self,
        count: &mut u64,
        lane: usize,
        member: usize,
    ) -> Result<Change, Failure> {
        let t0 = self.settings.t0;
        let Some(events) = self.events.as_deref_mut() else {
            return Ok(Change::Nothing);
        };
        let watch = &mut events.watches[lane];
        watch.reset();
        let mut track = LaneTrack {
            problem: &mut *self.problem,
            sink: &mut *self.sink,
            stages: &self.stages,
            lane,
            member,
            step: (t0, 0.0, t0),
            events: count,
        };
        let mut change = Ok(Change::Nothing);
        if watch.start(&mut track, t0, self.member.state)? {
            let (before, scratch) = (&mut *events.before, &mut *events.scratch);
            let states = (&mut *self.member.state, before, scratch);
            change = happen(watch, &mut track, t0, None, states);
        }
        events.mirror(lane);
        change
    }

    /// Evaluates the slope at `(t, member.state)`.
    pub(super) fn slope_at(&mut self, lane: usize, t: f64) -> Result<(), Failure> {
        let (state, slope) = (&*self.member.state, &mut *self.member.slope);
        self.problem.rhs_one(lane, t, state, slope);
        let Some((component, &value)) = not_finite(slope) else {
            return Ok(());
        };
        Err(match self.problem.fault(lane) {
            Some(Fault::Fatal(message)) => Failure::Fatal { t, message },
            _ => Failure::InitialDerivative {
                component,
                value,
                t,
            },
        })
    }

    /// First step from `(t, member.state)`, at most `most`.
    pub(super) fn first_step(&mut self, lane: usize, t: f64, most: f64) -> f64 {
        self.settings
            .initial_step
            .unwrap_or_else(|| self.estimate(lane, t, most))
    }

    /// The estimate of the first step.
    pub(super) fn estimate(&mut self, lane: usize, t: f64, most: f64) -> f64 {
        let problem = &mut *self.problem;
        let probe = initial_step::Probe {
            y: self.member.state,
            slope: self.member.slope,
            euler: self.member.euler,
            slope_there: self.member.slope_there,
            relative: self.settings.relative,
            absolute: self.member.absolute,
            order: A::LAW.order,
            inverted: A::IMPLICIT,
        };
        initial_step::estimate(probe, t, self.settings.direction, most, |t, y, dy| {
            problem.rhs_one(lane, t, y, dy);
        })
    }

    /// Ends a member that never got a lane: by a failure, by an event (`true`), or at once.
    fn end_at_start(
        &mut self,
        lane: usize,
        member: usize,
        outcome: Result<bool, Failure>,
        (rhs, count): (u64, u64),
    ) {
        let mut statistics = Statistics {
            rhs,
            events: count,
            ..Statistics::default()
        };
        if let Some(events) = &self.events {
            statistics.root_evaluations = events.watches[lane].evaluations;
        }
        self.sink.end(&MemberEnd {
            member,
            lane,
            t: self.settings.t0,
            state: self.member.state,
            stopped: false,
            terminated: outcome == Ok(true),
            failure: outcome.err(),
            statistics,
            progress: Progress::default(),
        });
    }

    /// The tolerances must be above the round-off of the member's state.
    pub(super) fn check_round_off(&self, t: f64) -> Result<(), Failure> {
        let absolute = &*self.member.absolute;
        check_round_off(t, self.member.state, (self.settings.relative, absolute))
    }
}
