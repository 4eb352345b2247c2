//! One instant: what is due, what it changes, and what that makes due.

use bifrons_hybrid::{HybridSystem, Instant, Trigger};

use super::{Changes, Ending, EventLanes, sign};
use crate::parameters::Starts;
use crate::report::MemberFailure;

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// A member starts: its discrete states, the signs of its guards, and the clocks that tick at
    /// the start, which may change `state`.
    pub(crate) fn start(
        &mut self,
        lane: usize,
        (member, starts): (usize, &Starts),
        parameters: &[f64],
        state: &mut [f64],
    ) {
        let (system, plan) = (self.system, self.plan);
        let own = &mut self.lanes[lane];
        own.clear(plan);
        own.parameters.copy_from_slice(parameters);
        own.discrete.fill(0.0);
        system.initial_discrete(&mut own.workspace, plan.t0, parameters, &mut own.discrete);
        starts.fill_discrete(member, &mut own.discrete);
        system.set_values(&mut own.workspace, 0, parameters, &own.discrete);
        let states = self.buffers.state.len();
        self.buffers.state.copy_from_slice(&state[..states]);
        if !self.read(lane, plan.t0) {
            self.fail_not_finite(lane, plan.t0);
            return;
        }
        if self.arm(lane) {
            // The state at the start is the one before the instant.
            self.instant(lane, plan.t0);
        } else {
            self.ticks_until(lane, plan.t0);
        }
        state[..states].copy_from_slice(&self.buffers.state);
    }

    /// Takes the sides of the guards at the start and notes those that come from below and are
    /// beyond already; false if there are none.
    fn arm(&mut self, lane: usize) -> bool {
        let own = &mut self.lanes[lane];
        let mut any = false;
        for (index, guard) in self.system.events().guards().iter().enumerate() {
            let value = self.buffers.values[index];
            let due = guard.initially_below && guard.direction.fires(-1, value);
            own.signs[index] = guard.side(value);
            self.buffers.crossed[index] = 1;
            self.buffers.due_guards[index] = due && !guard.observe;
            any |= self.buffers.due_guards[index];
            if due && guard.observe {
                own.note(self.plan, self.plan.t0, Trigger::Guard(index));
            }
        }
        any
    }

    /// Handles the guards that are noted as due together with the clocks that tick at `t`, then
    /// clocks that tick at another instant with the same number. Reads and writes
    /// [`new_state`](Self::new_state).
    pub(crate) fn instant(&mut self, lane: usize, t: f64) -> Changes {
        if self.ticks(lane, t) {
            return self.ticks_until(lane, t);
        }
        self.buffers.due_clocks.fill(false);
        self.rounds(lane, t)
    }

    fn ticks_until(&mut self, lane: usize, t: f64) -> Changes {
        let mut all = Changes::default();
        while self.ticks(lane, t) && !self.is_over(lane) {
            let own = &mut self.lanes[lane];
            let Some(now) = own.next_units(self.plan) else {
                break;
            };
            for (clock, due) in self.buffers.due_clocks.iter_mut().enumerate() {
                *due = self.plan.grid.units(clock, own.next[clock]) == now;
                if *due {
                    own.next[clock] += 1;
                    own.note(self.plan, t, Trigger::Clock(clock));
                }
            }
            let changes = self.rounds(lane, t);
            all.state |= changes.state;
            all.discrete |= changes.discrete;
        }
        all
    }

    /// Updates until no guard is due any more.
    pub(super) fn rounds(&mut self, lane: usize, t: f64) -> Changes {
        let mut all = Changes::default();
        let mut round = 0;
        loop {
            let chatters = self.count_firings(lane, t);
            let first = round == 0;
            if let Some(rivals) = self.conflict() {
                self.lanes[lane].ending = Some(Ending::Failed(MemberFailure::Rivals {
                    variable: rivals,
                    t,
                }));
                return all;
            }
            let changes = self.update(lane, t);
            all.state |= changes.state;
            all.discrete |= changes.discrete;
            let slides = (first && !changes.state)
                .then(|| self.contact(lane, t))
                .flatten();
            let chatters = chatters.or(slides);
            if let Some(guard) = self.terminal() {
                self.lanes[lane].ending = Some(Ending::Terminated { guard });
                return all;
            }
            let mut changed = changes.state || changes.discrete;
            if let Some(guard) = chatters {
                if !self.hold(lane, guard, t) {
                    self.lanes[lane].ending = Some(Ending::Chattering { guard });
                    return all;
                }
                all = Changes {
                    state: true,
                    discrete: true,
                };
                changed = true;
            }
            self.buffers.due_clocks.fill(false);
            if !changed || !self.rearm(lane, t) {
                self.buffers.due_guards.fill(false);
                return all;
            }
            round += 1;
            if round >= self.plan.options.max_iterations {
                self.fail_endless(lane, t);
                return all;
            }
        }
    }

    fn count_firings(&mut self, lane: usize, t: f64) -> Option<usize> {
        let mut chatters = None;
        let own = &mut self.lanes[lane];
        for (guard, due) in self.buffers.due_guards.iter().enumerate() {
            if *due {
                own.note(self.plan, t, Trigger::Guard(guard));
                if own.count_firing(self.plan, t, guard) {
                    chatters = chatters.or(Some(guard));
                }
            }
        }
        chatters
    }

    /// A variable that two of the due triggers write without an order.
    fn conflict(&self) -> Option<String> {
        let is_due = |trigger| match trigger {
            Trigger::Clock(clock) => self.buffers.due_clocks[clock],
            Trigger::Guard(guard) => self.buffers.due_guards[guard],
        };
        let rivals = self.system.events().rivals().iter();
        let mut due =
            rivals.filter(|rivals| is_due(rivals.triggers.0) && is_due(rivals.triggers.1));
        due.next().map(|rivals| rivals.variable.to_string())
    }

    /// Computes the values after the instant from those before it.
    fn update(&mut self, lane: usize, t: f64) -> Changes {
        let own = &mut self.lanes[lane];
        let buffers = &mut self.buffers;
        buffers.before.copy_from_slice(&buffers.state);
        buffers.discrete_before.copy_from_slice(&own.discrete);
        let instant = Instant {
            t,
            state: &buffers.before,
            parameters: &own.parameters,
            discrete: &buffers.discrete_before,
            clocks: &buffers.due_clocks,
            guards: &buffers.due_guards,
        };
        self.system.update(
            &mut own.workspace,
            &instant,
            &mut buffers.state,
            &mut own.discrete,
        );
        let changes = Changes {
            state: differ(&buffers.before, &buffers.state),
            discrete: differ(&buffers.discrete_before, &own.discrete),
        };
        if changes.discrete {
            self.system
                .set_values(&mut own.workspace, 0, &own.parameters, &own.discrete);
        }
        changes
    }

    /// Counts contacts: firings after which the guard, with the state unchanged, moves back to
    /// where it came from. A guard that does nothing else slides along its surface.
    fn contact(&mut self, lane: usize, t: f64) -> Option<usize> {
        if !self.system.events().has_rates() || !self.buffers.due_guards.contains(&true) {
            return None;
        }
        let buffers = &mut self.buffers;
        let own = &mut self.lanes[lane];
        self.system
            .guard_rates(&mut own.workspace, t, &buffers.state, &mut buffers.rates);
        let state = &buffers.state;
        self.system
            .guards(&mut own.workspace, t, state, &mut buffers.probe);
        let mut slides = None;
        for guard in 0..own.contacts.len() {
            let moves = sign(buffers.rates[guard] * self.plan.direction);
            let course = self.system.guard_course(&mut own.workspace, guard, t, t);
            if course.is_some() {
                // A guard of time alone may jump and come back, but it does not slide.
                continue;
            }
            let back = buffers.due_guards[guard] && moves != 0 && moves == -buffers.crossed[guard];
            // One that the update has replaced, such as a mirrored one, turns the run back only
            // where it fires again at once.
            let is_same = buffers.probe[guard].to_bits() == buffers.values[guard].to_bits();
            let back = back && (is_same || own.fired_just_before(self.plan, t, guard));
            let contacts = &mut own.contacts[guard];
            // A firing at an exact zero may seem to pass; two contacts outweigh it.
            *contacts = if back {
                *contacts + 2
            } else {
                contacts.saturating_sub(1)
            };
            if *contacts as usize > 2 * self.plan.options.max_events_per_window {
                slides = slides.or(Some(guard));
            }
        }
        slides
    }

    fn terminal(&self) -> Option<usize> {
        let guards = self.system.events().guards().iter();
        let mut fired = guards.zip(&self.buffers.due_guards).enumerate();
        fired
            .find(|(_, (guard, due))| guard.terminal && **due)
            .map(|(index, _)| index)
    }

    /// Notes the guards that the update has carried through zero; false if there are none.
    pub(super) fn rearm(&mut self, lane: usize, t: f64) -> bool {
        if !self.read(lane, t) {
            self.fail_not_finite(lane, t);
            return false;
        }
        let own = &mut self.lanes[lane];
        let guards = self.system.events().guards().iter();
        let mut any = false;
        for (index, guard) in guards.enumerate() {
            let value = self.buffers.values[index];
            let fires = guard.direction.fires(own.signs[index], value);
            if fires {
                own.crossed[index] = -own.signs[index];
                own.residue[index] = 0.0;
            }
            own.signs[index] = guard.side(value);
            self.buffers.due_guards[index] = fires;
            any |= fires;
        }
        any
    }

    pub(super) fn fail_not_finite(&mut self, lane: usize, t: f64) {
        let bad = self.buffers.values.iter().position(|value| value.is_nan());
        self.fail_guard(lane, t, bad.unwrap_or(0));
    }

    pub(crate) fn fail_guard(&mut self, lane: usize, t: f64, guard: usize) {
        let failure = self.system.loop_failure(&self.lanes[lane].workspace, 0);
        if let Some(failure) = failure {
            let failure = MemberFailure::of_loop(self.system.loops(), failure);
            self.lanes[lane].ending = Some(Ending::Failed(failure));
            return;
        }
        let guard = self.system.events().guards()[guard].name.to_string();
        self.lanes[lane].ending = Some(Ending::Failed(MemberFailure::Guard { guard, t }));
    }

    fn fail_endless(&mut self, lane: usize, t: f64) {
        let guards = self.system.events().guards().iter();
        let due = guards
            .zip(&self.buffers.due_guards)
            .filter(|(_, due)| **due);
        let guards = due.map(|(guard, _)| guard.name.to_string()).collect();
        self.lanes[lane].ending = Some(Ending::Failed(MemberFailure::EndlessInstant {
            guards,
            rounds: self.plan.options.max_iterations,
            t,
        }));
    }
}

/// Whether any bit differs.
fn differ(before: &[f64], after: &[f64]) -> bool {
    let mut pairs = before.iter().zip(after);
    pairs.any(|(a, b)| a.to_bits() != b.to_bits())
}
