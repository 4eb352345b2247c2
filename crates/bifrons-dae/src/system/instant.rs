//! What happens at an instant: new values, switches, choice of states.

use bifrons_hybrid::Instant;

use super::lane::Lane;
use super::layout::Layout;
use super::{MOST_POSITIONS, NetworkSystem, NetworkWorkspace};

/// Values this close to zero are on a surface.
pub(super) const ON_SURFACE: f64 = 1e-10;
/// The same for a switch that has just changed because an interpolant crossed its surface.
const JUST_CROSSED: f64 = 1e-5;

impl Lane {
    /// Changes all switches that are wrong, or the first of them where these positions were tried
    /// before; whether there was one. `None` if too many were tried.
    pub(super) fn flip_all(
        &mut self,
        layout: &Layout,
        seen: &mut Vec<u64>,
        wrong: impl Fn(&Self, usize) -> bool,
    ) -> Option<bool> {
        let Some(first) = (0..layout.switches).find(|k| wrong(self, *k)) else {
            return Some(false);
        };
        let positions = self.positions(layout);
        if seen.len() >= MOST_POSITIONS {
            return None;
        }
        let returned = seen.contains(&positions);
        seen.push(positions);
        let last = if returned { first + 1 } else { layout.switches };
        for switch in first..last {
            // What is wrong is about the values before the change and the switch itself.
            if wrong(self, switch) {
                self.flip(layout, switch);
            }
        }
        Some(true)
    }

    /// The positions of all switches as one number.
    fn positions(&self, layout: &Layout) -> u64 {
        (0..layout.switches).fold(0xcbf2_9ce4_8422_2325, |hash, switch| {
            let bit = u64::from(self.position(layout, switch) > 0.5);
            (hash ^ (bit + 1)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// Sets the distances beyond their surfaces at which the switches change next.
    pub(super) fn arm(&mut self, layout: &Layout, values: &[f64]) {
        for switch in 0..layout.switches {
            let inside = layout.distance(self, switch, values);
            self.offsets[switch] = ON_SURFACE.max(-2.0 * inside);
        }
    }
}

impl NetworkSystem {
    /// The stage of these states.
    pub(super) fn stage_of(&self, states: &[usize]) -> Option<usize> {
        self.stages
            .iter()
            .position(|stage| stage.order.states == states)
    }

    /// Goes through an instant; the states afterwards are in `state`. `None` if there is no
    /// solution.
    pub(super) fn happen(&self, w: &mut NetworkWorkspace<1>, instant: &Instant<'_>) -> Option<()> {
        let (t, layout) = (instant.t, &self.layout);
        w.state.copy_from_slice(instant.state);
        let lane = &mut w.lanes[0];
        if !lane.evaluate(self, t, &w.state, &mut w.values) {
            return None;
        }
        let (switches, events) = instant.guards.split_at(layout.switches);
        let mut is_due = false;
        for (event, due) in (0..layout.events.len()).zip(events) {
            if *due {
                is_due |= self.reset(w, event);
            }
        }
        if is_due && !w.lanes[0].evaluate_on(self, t, &w.state, &mut w.values) {
            return None;
        }
        w.crossed.copy_from_slice(switches);
        self.settle(w, t)?;
        let asked = events.len() > layout.events.len() && events[layout.events.len()];
        self.choose_again(w, t, asked)?;
        w.lanes[0].arm(layout, &w.values);
        Some(())
    }

    /// Gives states their new values, and iterated unknowns new guesses; false if the event has
    /// happened often enough.
    fn reset(&self, w: &mut NetworkWorkspace<1>, event: usize) -> bool {
        let place = &self.layout.events[event];
        let lane = &mut w.lanes[0];
        if place
            .limit
            .is_some_and(|limit| lane.counts[event] >= f64::from(limit))
        {
            return false;
        }
        lane.counts[event] += 1.0;
        let order = &self.stages[lane.stage].order;
        for (k, &(unknown, sign)) in place.targets.iter().enumerate() {
            let value = sign * w.values[place.surface + 1 + k];
            if let Ok(state) = order.states.binary_search(&unknown) {
                w.state[state] = value;
            } else if let Some(tear) = order.tears.iter().position(|u| *u == unknown) {
                lane.stages[lane.stage].tears[tear] = value;
            }
        }
        true
    }

    /// Changes the switches that were crossed, then all that disagree with their surfaces.
    fn settle(&self, w: &mut NetworkWorkspace<1>, t: f64) -> Option<()> {
        let layout = &self.layout;
        w.seen.clear();
        let mut first = w.crossed.contains(&true);
        loop {
            let NetworkWorkspace {
                lanes,
                values,
                state,
                crossed,
                seen,
                ..
            } = &mut *w;
            let lane = &mut lanes[0];
            let wrong = |lane: &Lane, switch: usize| {
                let outside = -layout.distance(lane, switch, values);
                let allowed = if crossed[switch] {
                    JUST_CROSSED
                } else {
                    ON_SURFACE
                };
                (first && crossed[switch]) || (!first && outside > allowed)
            };
            if !lane.flip_all(layout, seen, wrong)? {
                return Some(());
            }
            first = false;
            lane.push_parameters(self);
            if !lane.evaluate_on(self, t, state, values) {
                return None;
            }
        }
    }

    /// Takes other states where the present ones have become bad.
    fn choose_again(&self, w: &mut NetworkWorkspace<1>, t: f64, asked: bool) -> Option<()> {
        if self.stages.len() == 1 {
            return Some(());
        }
        let unknowns = &w.values[..self.unknown_count()];
        let lane = &mut w.lanes[0];
        self.plan.set_parameters(&mut w.selection, &lane.parameters);
        let is_bad = self.quality(&mut w.selection, lane, t, unknowns) < 0.0;
        if !(is_bad || asked) {
            return Some(());
        }
        let states = self.plan.choose(&mut w.selection, t, unknowns)?;
        let Some(stage) = self.stage_of(states).filter(|s| *s != lane.stage) else {
            return Some(());
        };
        lane.enter(self, stage, unknowns, &mut w.state);
        lane.evaluate_on(self, t, &w.state, &mut w.values)
            .then_some(())
    }
}
