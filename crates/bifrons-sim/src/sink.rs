//! Between the integrator and the recorder: looks for events in the steps.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;
use bifrons_ode::{Failure, Flow, MemberEnd, MemberSink, Step};

use crate::adapter::LoopNotes;
use crate::events::{Changes, Ending, EventLanes, Seen, restart_at};
use crate::recorder::Recorder;
use crate::report::MemberFailure;

/// Receives the steps of the members in `W` lanes.
pub(crate) struct LaneSink<'e, 'p, 'c, 'o, S: HybridSystem, const W: usize> {
    pub(crate) recorder: Recorder<'c, 'o, S, W>,
    pub(crate) events: Option<&'e RefCell<EventLanes<'p, S, W>>>,
    pub(crate) loops: Option<&'e LoopNotes<W>>,
}

impl<S: HybridSystem, const W: usize> MemberSink<W> for LaneSink<'_, '_, '_, '_, S, W> {
    fn begin(&mut self, lane: usize, member: usize, t0: f64, state: &[f64]) -> f64 {
        let Some(events) = self.events else {
            return self.recorder.begin(lane, member, t0, state, &[]);
        };
        let events = events.borrow();
        let discrete = events.discrete(lane);
        let next = self.recorder.begin(lane, member, t0, state, discrete);
        events.next_look(lane, next)
    }

    fn limit(&mut self, lane: usize, _member: usize, _t: f64, t_end: f64) -> f64 {
        self.events
            .map_or(t_end, |events| events.borrow().limit(lane, t_end))
    }

    fn step(&mut self, step: &Step<'_, W>) -> Flow {
        let Some(events) = self.events else {
            return self.recorder.step(step, &[]);
        };
        let events = &mut *events.borrow_mut();
        let (lane, t_new) = (step.lane(), step.t_new());
        let seen = if events.has_guards() {
            events.scan(step)
        } else {
            events.forget_guards();
            Seen::Nothing
        };
        match seen {
            Seen::Guards(t) => self.event(events, step, t),
            Seen::NotFinite(t, guard) => {
                // The last valid state is that at the start of the step.
                events.fail_guard(lane, t, guard);
                events.place(step, step.t_old());
                Flow::Restart(restart_at(step.t_old(), Changes::default(), 0.0, true))
            }
            Seen::Accumulates(guard) => self.accumulate(events, step, guard),
            Seen::Nothing if events.ticks(lane, t_new) => self.event(events, step, t_new),
            Seen::Nothing => {
                let flow = self.recorder.step(step, events.discrete(lane));
                look(events, lane, flow)
            }
        }
    }

    fn restart(&mut self, _lane: usize, _member: usize, state: &mut [f64]) {
        if let Some(events) = self.events {
            let events = events.borrow();
            let new = events.new_state();
            state[..new.len()].copy_from_slice(new);
        }
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        let by_loop = self.by_loop(end);
        match self.events {
            None => self.recorder.end(end, &[], by_loop.as_ref(), 0),
            Some(events) => {
                let events = events.borrow();
                let (ending, count) = (events.ending(end.lane), events.count(end.lane));
                let ending = ending.or(by_loop.as_ref());
                self.recorder
                    .end(end, events.discrete(end.lane), ending, count);
            }
        }
    }
}

impl<S: HybridSystem, const W: usize> LaneSink<'_, '_, '_, '_, S, W> {
    /// The loop without solution that made the integrator give up, if one did.
    fn by_loop(&self, end: &MemberEnd<'_>) -> Option<Ending> {
        let by_values = matches!(
            end.failure,
            Some(Failure::InitialDerivative { .. } | Failure::StepUnderflow { .. })
        );
        let failure = self.loops.filter(|_| by_values)?.get(end.lane)?;
        let names = self.recorder.observer.system.loops();
        Some(Ending::Failed(MemberFailure::of_loop(names, failure)))
    }

    /// The events of a guard accumulate at the start of the step.
    fn accumulate(
        &mut self,
        events: &mut EventLanes<'_, S, W>,
        step: &Step<'_, W>,
        guard: usize,
    ) -> Flow {
        let (lane, member, t) = (step.lane(), step.member(), step.t_old());
        let discrete = events.discrete(lane).to_vec();
        events.place(step, t);
        if !events.hold_at(lane, guard, t) {
            events.end_chattering(lane, guard);
            return Flow::Restart(restart_at(t, Changes::default(), 0.0, true));
        }
        self.recorder.before_event(step, t, &discrete);
        let recorded =
            self.recorder
                .after_event((lane, member), t, events.new_state(), events.discrete(lane));
        let over = events.is_over(lane) || recorded == Flow::Stop;
        let next = match look(events, lane, recorded) {
            Flow::Until(next) => next,
            _ => f64::INFINITY,
        };
        let changes = Changes {
            state: true,
            discrete: true,
        };
        Flow::Restart(restart_at(t, changes, next, over))
    }

    /// Something happens at `t`, which is in the step or at its end.
    fn event(&mut self, events: &mut EventLanes<'_, S, W>, step: &Step<'_, W>, t: f64) -> Flow {
        let (lane, member) = (step.lane(), step.member());
        self.recorder.before_event(step, t, events.discrete(lane));
        events.place(step, t);
        let changes = events.instant(lane, t);
        let recorded =
            self.recorder
                .after_event((lane, member), t, events.new_state(), events.discrete(lane));
        let over = events.is_over(lane);
        let full = recorded == Flow::Stop;
        let at_end = t.to_bits() == step.t_new().to_bits();
        if at_end && !over && !full && !changes.state && !changes.discrete && events.is_smooth() {
            return look(events, lane, recorded);
        }
        let next = match look(events, lane, recorded) {
            Flow::Until(next) => next,
            _ => f64::INFINITY,
        };
        Flow::Restart(restart_at(t, changes, next, over || full))
    }
}

/// What the recorder wants to see, and what events must see.
fn look<S: HybridSystem, const W: usize>(
    events: &EventLanes<'_, S, W>,
    lane: usize,
    flow: Flow,
) -> Flow {
    match flow {
        Flow::Until(next) => Flow::Until(events.next_look(lane, next)),
        flow => flow,
    }
}
