//! Crossings of guards within an accepted step.

use bifrons_hybrid::{Direction, HybridSystem, Trigger};
use bifrons_ode::Step;
use bifrons_roots::{RootOptions, find_root};

use super::course::Firing;
use super::{EventLanes, Seen, sign};

/// Most halvings in the search for a passage that both ends of a stretch hide.
const HALVINGS: u32 = 60;

/// A part of a step over which guards are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
}

/// A guard that is NaN, and when.
struct NotFinite(f64, usize);

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// Finds the earliest crossing in a step and notes the guards that fire there. Crossings of
    /// guards that are only observed are counted and passed.
    pub(crate) fn scan(&mut self, step: &Step<'_, W>) -> Seen {
        self.forget_guards();
        self.buffers.unproved.fill(0);
        let (t_old, t_new) = (step.t_old(), step.t_new());
        let parts = self.plan.options.parts;
        let width = (t_new - t_old) / parts as f64;
        let mut from = t_old;
        self.read_rates(step, from);
        if self.system.events().has_rates() {
            self.watch_returns(step);
        }
        for part in 1..=parts {
            let to = if part == parts {
                t_new
            } else {
                t_old + width * part as f64
            };
            while (to - from) * self.plan.direction > 0.0 {
                match self.stretch(step, Stretch { from, to }) {
                    Err(NotFinite(t, guard)) => return Seen::NotFinite(t, guard),
                    Ok(None) => {
                        if let Some(guard) = self.accumulating(step.lane()) {
                            return Seen::Accumulates(guard);
                        }
                        from = to;
                    }
                    Ok(Some(t)) => {
                        if self.fire(step, t) {
                            self.buffers.guards_fired = true;
                            return Seen::Guards(t);
                        }
                        // Observed only: go on behind it.
                        from = t;
                        self.read_rates(step, from);
                    }
                }
            }
        }
        Seen::Nothing
    }

    /// Time derivatives of the guards at the start of a stretch.
    fn read_rates(&mut self, step: &Step<'_, W>, t: f64) {
        if self.system.events().has_rates() {
            self.place(step, t);
            let workspace = &mut self.lanes[step.lane()].workspace;
            let rates = &mut self.buffers.rates_before;
            self.system
                .guard_rates(workspace, t, &self.buffers.state, rates);
        }
    }

    /// The earliest crossing in a stretch; without one, the guards stand at its end afterwards.
    fn stretch(&mut self, step: &Step<'_, W>, stretch: Stretch) -> Result<Option<f64>, NotFinite> {
        let lane = step.lane();
        self.place(step, stretch.to);
        if !self.read(lane, stretch.to) {
            let bad = self.buffers.values.iter().position(|value| value.is_nan());
            return Err(NotFinite(stretch.to, bad.unwrap_or(0)));
        }
        if self.system.events().has_rates() {
            let workspace = &mut self.lanes[lane].workspace;
            let (state, rates) = (&self.buffers.state, &mut self.buffers.rates);
            self.system.guard_rates(workspace, stretch.to, state, rates);
        }
        let mut earliest: Option<f64> = None;
        for guard in 0..self.buffers.values.len() {
            let found = self.crossing(step, guard, stretch);
            self.buffers.found[guard] = found.unwrap_or(f64::NAN);
            if let Some(t) = found
                && earliest.is_none_or(|first| (t - first) * self.plan.direction < 0.0)
            {
                earliest = Some(t);
            }
        }
        if earliest.is_none() {
            let guards = self.system.events().guards().iter();
            let values = guards.zip(&self.buffers.values);
            for (own, (guard, value)) in self.lanes[lane].signs.iter_mut().zip(values) {
                *own = guard.side(*value);
            }
            // Those at the end stay in place for a look at what accumulates.
            self.buffers
                .rates_before
                .copy_from_slice(&self.buffers.rates);
        }
        Ok(earliest)
    }

    /// Where a guard fires first in a stretch, located to the right side.
    fn crossing(&mut self, step: &Step<'_, W>, guard: usize, stretch: Stretch) -> Option<f64> {
        let Stretch { from, to } = stretch;
        let direction = self.system.events().guards()[guard].direction;
        let tracked = self.lanes[step.lane()].signs[guard];
        let now = self.buffers.values[guard];
        match self.first_firing(step, guard, stretch) {
            Firing::NotOfTime => {}
            Firing::Never => return None,
            Firing::At(t) => return Some(t),
        }
        if direction.fires(tracked, now) {
            return Some(self.locate(step, guard, stretch));
        }
        if !self.system.events().has_rates() {
            return None;
        }
        let forward = self.plan.direction;
        let leaving = sign(self.buffers.rates_before[guard] * forward);
        if tracked == 0 {
            // It starts at zero and leaves to one side: has it come back?
            if leaving == 0 || !direction.fires(leaving, now) {
                return None;
            }
            let middle = self.outside(step, guard, stretch, leaving)?;
            return Some(self.locate(step, guard, Stretch { from: middle, to }));
        }
        let arriving = sign(self.buffers.rates[guard] * forward);
        if sign(now) != tracked || leaving != -tracked || arriving != tracked {
            return None;
        }
        // It moves towards zero at the start and away from it at the end.
        let (middle, value) = self.hidden(step, guard, stretch, tracked)?;
        if direction.fires(tracked, value) {
            return Some(self.locate(step, guard, Stretch { from, to: middle }));
        }
        // One that touches its surface and is nowhere beyond does not cross it.
        if value != 0.0 && direction.fires(-tracked, now) {
            return Some(self.locate(step, guard, Stretch { from: middle, to }));
        }
        None
    }

    /// Notes the guards that fired at the start of this step and were turned back by their updates
    /// without having left the place where they were located.
    fn watch_returns(&mut self, step: &Step<'_, W>) {
        let (lane, from) = (step.lane(), step.t_old());
        for guard in 0..self.system.events().guards().len() {
            let own = &self.lanes[lane];
            let fired = own.last_firing(self.plan, guard);
            if fired.is_none_or(|t| t.to_bits() != from.to_bits()) {
                continue;
            }
            let (crossed, residue) = (own.crossed[guard], own.residue[guard]);
            let back = sign(self.buffers.rates_before[guard] * self.plan.direction) == -crossed;
            let near = back && self.value(step, guard, from).abs() <= residue;
            self.lanes[lane].returning[guard] = if near { crossed } else { 0 };
        }
    }

    /// A guard that was turned back and goes on to the side that it had crossed to, without having
    /// left that side by a number: its events accumulate.
    fn accumulating(&mut self, lane: usize) -> Option<usize> {
        let own = &mut self.lanes[lane];
        let mut found = None;
        for (guard, returning) in own.returning.iter_mut().enumerate() {
            let crossed = *returning;
            if crossed == 0 {
                continue;
            }
            let moves = sign(self.buffers.rates[guard] * self.plan.direction);
            if sign(self.buffers.values[guard]) == -crossed {
                *returning = 0;
            } else if moves == crossed {
                found = found.or(Some(guard));
            }
        }
        found
    }

    /// The right end of the bracket of a change of sign.
    pub(super) fn locate(&mut self, step: &Step<'_, W>, guard: usize, stretch: Stretch) -> f64 {
        let Stretch { from, to } = stretch;
        let value = |t| self.value(step, guard, t);
        match find_root(value, from, to, &RootOptions::default()) {
            Ok(root) if root.value == 0.0 => root.x,
            Ok(root) => root.bracket.right().x,
            Err(_) => to,
        }
    }

    /// A time in the stretch at which a guard that starts at zero is on `side`.
    fn outside(
        &mut self,
        step: &Step<'_, W>,
        guard: usize,
        stretch: Stretch,
        side: i8,
    ) -> Option<f64> {
        let mut t = stretch.to;
        for _ in 0..HALVINGS {
            t = stretch.from + 0.5 * (t - stretch.from);
            if sign(self.value(step, guard, t)) == side {
                return Some(t);
            }
        }
        None
    }

    /// A time at which a guard is not on `side`, where it is at both ends: halves towards its
    /// extremum by the sign of its time derivative.
    fn hidden(
        &mut self,
        step: &Step<'_, W>,
        guard: usize,
        stretch: Stretch,
        side: i8,
    ) -> Option<(f64, f64)> {
        let Stretch { mut from, mut to } = stretch;
        for _ in 0..HALVINGS {
            let middle = from + 0.5 * (to - from);
            let value = self.value(step, guard, middle);
            if value.is_nan() || middle.to_bits() == from.to_bits() {
                return None;
            }
            if sign(value) != side {
                return Some((middle, value));
            }
            let workspace = &mut self.lanes[step.lane()].workspace;
            let rates = &mut self.buffers.probe;
            self.system
                .guard_rates(workspace, middle, &self.buffers.state, rates);
            if sign(rates[guard] * self.plan.direction) == -side {
                from = middle;
            } else {
                to = middle;
            }
        }
        None
    }

    pub(super) fn value(&mut self, step: &Step<'_, W>, guard: usize, t: f64) -> f64 {
        self.place(step, t);
        let workspace = &mut self.lanes[step.lane()].workspace;
        self.system
            .guards(workspace, t, &self.buffers.state, &mut self.buffers.probe);
        self.buffers.probe[guard]
    }

    /// Notes the guards that fire at `t`; false if all of them are only observed.
    fn fire(&mut self, step: &Step<'_, W>, t: f64) -> bool {
        let lane = step.lane();
        self.place(step, t);
        self.read(lane, t);
        let own = &mut self.lanes[lane];
        self.buffers.probe.fill(0.0);
        if self.system.events().has_rates() {
            let (state, rates) = (&self.buffers.state, &mut self.buffers.probe);
            self.system.guard_rates(&mut own.workspace, t, state, rates);
        }
        let guards = self.system.events().guards();
        let mut acts = false;
        for (index, guard) in guards.iter().enumerate() {
            let (found, value) = (self.buffers.found[index], self.buffers.values[index]);
            // A guard located a little later may have passed zero at `t` already.
            let passed = !found.is_nan() && guard.direction.fires(own.signs[index], value);
            let due = found.to_bits() == t.to_bits() || passed;
            // A guard of time may have crossed to and fro since its side was noted.
            let before = own.signs[index];
            self.buffers.crossed[index] = match guard.direction {
                Direction::Rising => before.abs(),
                Direction::Falling => -before.abs(),
                Direction::Either => -before,
            };
            own.signs[index] = guard.side(value);
            self.buffers.due_guards[index] = due;
            if due && !guard.observe {
                own.residue[index] = value.abs();
                own.crossed[index] = sign(self.buffers.probe[index] * self.plan.direction);
            }
            if due && guard.observe {
                own.note(self.plan, t, Trigger::Guard(index));
                self.buffers.due_guards[index] = false;
            }
            acts |= due && !guard.observe;
        }
        acts
    }
}
