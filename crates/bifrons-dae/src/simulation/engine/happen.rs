//! What happens at an event: resets, then switches until all agree with their surfaces.

use super::{Engine, MOST_POSITIONS};
use crate::error::RunError;
use crate::reduced::Meaning;
use crate::simulation::result::{EventKind, Run, RunEvent};
use crate::simulation::watch::row;
use crate::structure::matching::NONE;

impl Engine<'_> {
    /// Events fire, switches change until all agree with their surfaces.
    ///
    /// `surfaces` are those that are known to have been crossed, switches first.
    pub(super) fn happen(
        &mut self,
        columns: &[Meaning],
        run: &mut Run,
        surfaces: &[usize],
    ) -> Result<(), RunError> {
        let mut before = Vec::new();
        row(columns, &self.values, &mut before);
        let switches = self.surfaces.switch_count;
        let mut fired = self.surfaces.fired(&self.values);
        fired.extend(surfaces.iter().filter_map(|s| s.checked_sub(switches)));
        fired.sort_unstable();
        fired.dedup();
        let left = self.values.clone();
        for &event in &fired {
            self.surfaces.count(event);
            self.reset(event, &left)?;
        }
        if !fired.is_empty() {
            self.evaluate()?;
        }
        let first = self.model.parameters.len();
        let old = self.parameters[first..].to_vec();
        let crossed = surfaces.iter().copied().filter(|s| *s < switches);
        self.settle(&crossed.collect::<Vec<_>>())?;
        self.surfaces.arm(&self.values);
        let mut after = Vec::new();
        row(columns, &self.values, &mut after);
        let mut note = |name: &str, kind| {
            run.events.push(RunEvent {
                time: self.t,
                name: name.to_owned(),
                kind,
                before: before.clone(),
                after: after.clone(),
            });
        };
        for event in fired {
            note(&self.model.events[event].name, EventKind::Event);
        }
        for (k, (old, new)) in old.iter().zip(&self.parameters[first..]).enumerate() {
            if (old - new).abs() > 0.5 {
                let on = *new > 0.5;
                let name = self.model.switches[k].symbol.name();
                note(name, EventKind::Switch { on });
            }
        }
        Ok(())
    }

    /// Changes the switches that were crossed, then all that disagree with their surfaces.
    fn settle(&mut self, crossed: &[usize]) -> Result<(), RunError> {
        let first = self.model.parameters.len();
        let mut seen = Vec::new();
        let mut wrong = crossed.to_vec();
        loop {
            if !wrong.is_empty() {
                self.flip(&wrong, &mut seen)?;
                self.push_parameters();
                self.evaluate()?;
            }
            let disagrees = |k: &usize| {
                let position = self.parameters[first + k];
                if crossed.contains(k) {
                    self.surfaces
                        .is_clearly_inconsistent(*k, position, &self.values)
                } else {
                    self.surfaces.is_inconsistent(*k, position, &self.values)
                }
            };
            wrong = (0..self.surfaces.switch_count).filter(disagrees).collect();
            if wrong.is_empty() {
                return Ok(());
            }
        }
    }

    /// Changes all of these switches, or the first one where that came back to known positions.
    pub(super) fn flip(
        &mut self,
        wrong: &[usize],
        seen: &mut Vec<Vec<f64>>,
    ) -> Result<(), RunError> {
        let first = self.model.parameters.len();
        let positions = self.parameters[first..].to_vec();
        let returned = seen.contains(&positions);
        seen.push(positions);
        if seen.len() > MOST_POSITIONS {
            let name = |k: &usize| self.model.switches[*k].symbol.name().to_owned();
            return Err(RunError::Switches {
                time: self.t,
                switches: wrong.iter().map(name).collect(),
            });
        }
        let count = if returned { 1 } else { wrong.len() };
        for &switch in &wrong[..count] {
            let position = &mut self.parameters[first + switch];
            *position = 1.0 - *position;
        }
        Ok(())
    }

    /// Gives states their new values, and iterated unknowns new guesses.
    fn reset(&mut self, event: usize, left: &[f64]) -> Result<(), RunError> {
        let model = self.model;
        let resets = &model.events[event].resets;
        let values = self.surfaces.resets(event, resets.len(), left).to_vec();
        let slot = &mut self.slots[self.current];
        for ((target, _), value) in resets.iter().zip(values) {
            let (unknown, value) = match model.meaning(target.name()) {
                Some(Meaning::Unknown(unknown)) => (unknown, value),
                Some(Meaning::Negated(unknown)) => (unknown, -value),
                _ => (NONE, value),
            };
            let order = &slot.stage.order;
            if let Some(state) = order.states.iter().position(|u| *u == unknown) {
                self.x[state] = value;
            } else if let Some(tear) = order.tears.iter().position(|u| *u == unknown) {
                slot.observing.tears[tear] = value;
                slot.integrating.tears[tear] = value;
            } else {
                return Err(RunError::Reset {
                    event: model.events[event].name.to_string(),
                    variable: target.name().to_owned(),
                });
            }
        }
        Ok(())
    }
}
