//! Where discrete states, surfaces and new values stand.

use std::sync::Arc;

use bifrons_hybrid::{Direction as Crossing, EventTable, Guard};

use super::lane::Lane;
use crate::component::Direction;
use crate::reduced::{Meaning, ReducedModel};
use crate::stage::Stage;
use crate::structure::matching::NONE;

/// Sizes and positions. The discrete states are
///
/// ```text
/// set of states, positions of switches, their offsets, counts of events,
/// time, states and iterated unknowns at the last instant
/// ```
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) states: usize,
    pub(super) tears: usize,
    pub(super) switches: usize,
    /// Position of the surface of the first switch in the values of a stage.
    first_surface: usize,
    pub(super) events: Vec<EventPlace>,
    is_selecting: bool,
}

/// Where an event stands in the values of a stage.
#[derive(Debug)]
pub(super) struct EventPlace {
    /// Its surface; its new values follow.
    pub(super) surface: usize,
    /// Unknowns that get new values, and the signs of these.
    pub(super) targets: Vec<(usize, f64)>,
    pub(super) limit: Option<u32>,
}

impl Layout {
    pub(super) fn new(model: &ReducedModel, stages: &[Stage]) -> Self {
        let first_surface = model.unknowns.len();
        let mut next = first_surface + model.switches.len();
        let target = |name: &str| match model.meaning(name) {
            Some(Meaning::Unknown(unknown)) => (unknown, 1.0),
            Some(Meaning::Negated(unknown)) => (unknown, -1.0),
            _ => (NONE, 1.0),
        };
        let events = model.events.iter().map(|event| {
            let surface = next;
            next += 1 + event.resets.len();
            EventPlace {
                surface,
                targets: event.resets.iter().map(|(s, _)| target(s.name())).collect(),
                limit: event.limit,
            }
        });
        Self {
            events: events.collect(),
            states: model.freedom(),
            tears: stages
                .iter()
                .map(|s| s.order.tears.len())
                .max()
                .unwrap_or(0),
            switches: model.switches.len(),
            first_surface,
            is_selecting: stages.len() > 1,
        }
    }

    pub(super) fn surfaces(&self) -> usize {
        self.switches + self.events.len()
    }

    /// Positions of switches that are tried at one instant.
    pub(super) fn most_positions(&self) -> usize {
        if self.switches == 0 {
            0
        } else {
            super::MOST_POSITIONS
        }
    }

    /// How far a switch is inside of the side that its position says; negative outside.
    pub(super) fn distance(&self, lane: &Lane, switch: usize, values: &[f64]) -> f64 {
        let surface = values[self.first_surface + switch];
        if lane.position(self, switch) > 0.5 {
            surface
        } else {
            -surface
        }
    }

    /// Guards: switches, events, choice of states; one without meaning where there are only
    /// iterated unknowns.
    pub(super) fn table(&self, model: &ReducedModel) -> EventTable {
        let mut discretes: Vec<Arc<str>> = vec!["set".into()];
        let switch = |k: usize| model.switches[k].symbol.name();
        discretes.extend((0..self.switches).map(|k| Arc::from(switch(k))));
        discretes.extend((0..self.switches).map(|k| Arc::from(format!("{} offset", switch(k)))));
        discretes.extend(
            model
                .events
                .iter()
                .map(|e| Arc::from(format!("{} count", e.name))),
        );
        discretes.push("last time".into());
        discretes.extend((0..self.states).map(|k| Arc::from(format!("last state {}", k + 1))));
        discretes.extend((0..self.tears).map(|k| Arc::from(format!("last iterate {}", k + 1))));
        let mut guards: Vec<Guard> = (0..self.switches)
            .map(|k| Guard::new(switch(k), Crossing::Falling))
            .collect();
        guards.extend(model.events.iter().map(|event| {
            let crossing = match event.crossing {
                Direction::Either => Crossing::Either,
                Direction::Rising => Crossing::Rising,
                Direction::Falling => Crossing::Falling,
            };
            Guard::new(event.name.clone(), crossing)
        }));
        if self.is_selecting {
            guards.push(Guard::new("choice of states", Crossing::Falling));
        }
        if guards.is_empty() && self.tears > 0 {
            guards.push(Guard::new("iterated unknowns", Crossing::Falling));
        }
        if guards.is_empty() {
            discretes.clear();
        }
        EventTable::new(discretes, Vec::new(), guards)
    }
}
