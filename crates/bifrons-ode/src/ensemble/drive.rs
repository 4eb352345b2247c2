//! The loop: refill, attempt, decide, show, commit.
#![expect(
    clippy::float_cmp,
    reason = "the end of the span is reached bit for bit"
)]

use core::ops::Range;

use bifrons_lanes::Kernel;

use super::events::{EventLanes, LaneTrack};
use super::lanes::{Lanes, Proposal};
use super::progress::Progress;
use super::workspace::MemberArrays;
use super::{Flow, MemberEnd, MemberSink};
use crate::error::Failure;
use crate::explicit::stiffness::Stiffness;
use crate::initial_step;
use crate::problem::{Fault, LaneProblem};
use crate::statistics::Statistics;
use crate::step::{Step, View};
use crate::stepper::Restart;
use crate::tolerance::check_round_off;
use crate::watch::{Change, Found, Track as _, happen};

/// Lanes from which on a loop over them is worth wide registers.
pub(super) const WIDE: usize = 4;
/// Steps below this many units in the last place of `t` are an underflow.
pub(crate) const LEAST_STEP_ULP: f64 = 4.0;

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

/// The attempted step of one lane.
#[derive(Debug)]
struct OneLane {
    lane: usize,
    t_old: f64,
    h: f64,
    t_new: f64,
    norm: f64,
    /// Step that was wanted before the attempt.
    wanted_old: f64,
}

/// Why a member ended before the end of the span, if it did.
#[derive(Debug)]
struct Ended {
    stopped: bool,
    terminated: bool,
    /// Whether signs of stiffness ask for another method.
    stiff: bool,
    failure: Option<Failure>,
}

/// One run of the ensemble.
#[derive(Debug)]
pub(crate) struct Drive<'d, const W: usize, P, S, A> {
    pub(crate) problem: &'d mut P,
    pub(crate) sink: &'d mut S,
    pub(crate) members: Range<usize>,
    pub(crate) settings: Settings,
    pub(crate) stages: A,
    pub(crate) member: MemberArrays<'d>,
    /// Buffers for root functions, if the problem has any.
    pub(crate) events: Option<&'d mut EventLanes<W>>,
}

impl<'d, const W: usize, P, S, A> Kernel for Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
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

impl<'d, const W: usize, P, S, A> Drive<'d, W, P, S, A>
where
    P: LaneProblem<W>,
    S: MemberSink<W>,
    A: View<'d, W>,
{
    #[inline(always)]
    fn drive(mut self, n: usize) {
        let Settings {
            direction,
            relative,
            max_step,
            ..
        } = self.settings;
        let mut lanes = Lanes::<W>::idle();
        self.stages
            .prepare_run(relative, self.member.absolute, direction);
        self.refill(&mut lanes);
        while lanes.active.iter().any(|&active| active) {
            let proposal = lanes.propose(direction, max_step);
            self.stages
                .attempt(n, self.problem, &lanes.t, &proposal.h, &proposal.t_new);
            let square = self
                .stages
                .error_square(n, &proposal.h, relative, self.member.absolute);
            lanes.decide::<A>(&square, &proposal.h);
            let (t_old, wanted_old) = (lanes.t, lanes.wanted);
            lanes.advance(&proposal, direction);
            let mut attention = self.attention(&lanes, &proposal, &square);
            let mut look = [false; W];
            if let Some(events) = self.events.as_deref_mut() {
                let step = (&t_old, &proposal.h, &proposal.t_new);
                look = events.scan(n, self.problem, &self.stages, step);
                let looks = events.looks();
                for l in 0..W {
                    let accepted = lanes.active[l] & lanes.control.accepts(l);
                    look[l] &= accepted;
                    attention[l] |= look[l];
                    lanes.looks[l] += if accepted & !look[l] { looks } else { 0 };
                }
            }
            let mut freed = false;
            if attention.iter().any(|&a| a) {
                for lane in 0..W {
                    if attention[lane] {
                        let one = OneLane {
                            lane,
                            t_old: t_old[lane],
                            h: proposal.h[lane],
                            t_new: proposal.t_new[lane],
                            norm: square[lane].sqrt(),
                            wanted_old: wanted_old[lane],
                        };
                        freed |= self.attend(&mut lanes, &one, look[lane]);
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
            let look = lanes.accepted[l] == lanes.stiffness_due[l];
            let strict = self.settings.relative == 0.0;
            let unusual = tiny | spent | look | strict | !(square[l] < f64::INFINITY);
            attention[l] = lanes.active[l] & ((lanes.control.accepts(l) & due) | unusual);
        }
        attention
    }

    /// Handles events, shows a step, ends a member; true if the lane is free now.
    #[inline(never)]
    fn attend(&mut self, lanes: &mut Lanes<W>, one: &OneLane, look: bool) -> bool {
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
        restart: &super::Restart,
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
    fn show(&mut self, lanes: &mut Lanes<W>, one: &OneLane, t: f64, cut: bool) -> Flow {
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
        if let Flow::Until(next) | Flow::Restart(super::Restart { next, .. }) = flow {
            lanes.next_output[one.lane] = signed(next, direction);
        }
        flow
    }

    /// Looks for events in the step of a lane; if one cuts the step, whether the lane is free.
    fn attend_events(&mut self, lanes: &mut Lanes<W>, one: &OneLane) -> Option<bool> {
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
    fn restart(
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

    /// The tolerances must be above the round-off of the member's state.
    fn check_round_off(&self, t: f64) -> Result<(), Failure> {
        let absolute = &*self.member.absolute;
        check_round_off(t, self.member.state, (self.settings.relative, absolute))
    }

    /// Tells the sink that a member ended in `member.state`, and frees its lane.
    fn finish(&mut self, lanes: &mut Lanes<W>, lane: usize, ended: Ended) {
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
    fn slope_at(&mut self, lane: usize, t: f64) -> Result<(), Failure> {
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
    fn first_step(&mut self, lane: usize, t: f64, most: f64) -> f64 {
        self.settings
            .initial_step
            .unwrap_or_else(|| self.estimate(lane, t, most))
    }

    /// The estimate of the first step.
    fn estimate(&mut self, lane: usize, t: f64, most: f64) -> f64 {
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
}

/// A time along the direction of integration; infinities keep their meaning.
fn signed(t: f64, direction: f64) -> f64 {
    if t.is_infinite() { t } else { t * direction }
}

fn not_finite(values: &[f64]) -> Option<(usize, &f64)> {
    values.iter().enumerate().find(|(_, v)| !v.is_finite())
}
