//! Surfaces of switches and events: which side, and what has fired.

use crate::component::Direction;
use crate::reduced::ReducedModel;

/// Values this close to zero are on the surface.
pub(super) const ON_SURFACE: f64 = 1e-10;
/// The same just after a switch has changed because an interpolant crossed its surface.
const JUST_CROSSED: f64 = 1e-5;

/// Where the surfaces stand in the values of a stage, and on which side each was last.
#[derive(Debug, Clone)]
pub(super) struct Surfaces {
    /// Position of the first switch.
    first_switch: usize,
    pub(super) switch_count: usize,
    /// Position of the surface of each event; its new values follow.
    positions: Vec<usize>,
    rules: Vec<(Direction, Option<u32>)>,
    /// Last side of each event: -1, 0 where it is not armed, 1.
    pub(super) sides: Vec<i8>,
    counts: Vec<u32>,
}

impl Surfaces {
    pub(super) fn new(model: &ReducedModel) -> Self {
        let first_switch = model.unknowns.len();
        let mut next = first_switch + model.switches.len();
        let positions = model.events.iter().map(|event| {
            let position = next;
            next += 1 + event.resets.len();
            position
        });
        Self {
            first_switch,
            switch_count: model.switches.len(),
            positions: positions.collect(),
            rules: model.events.iter().map(|e| (e.crossing, e.limit)).collect(),
            sides: vec![0; model.events.len()],
            counts: vec![0; model.events.len()],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.switch_count == 0 && self.positions.is_empty()
    }

    /// Whether a switch is on the other side than its position says.
    pub(super) fn is_inconsistent(&self, switch: usize, position: f64, values: &[f64]) -> bool {
        let surface = values[self.first_switch + switch];
        if position > 0.5 {
            surface < -ON_SURFACE
        } else {
            surface > ON_SURFACE
        }
    }

    /// The same for a switch that has just been changed, which may be off by the error of the
    /// interpolant.
    pub(super) fn is_clearly_inconsistent(
        &self,
        switch: usize,
        position: f64,
        values: &[f64],
    ) -> bool {
        let surface = values[self.first_switch + switch];
        self.is_inconsistent(switch, position, values) && surface.abs() > JUST_CROSSED
    }

    fn has_fired(&self, event: usize, values: &[f64]) -> bool {
        let (direction, limit) = self.rules[event];
        let surface = values[self.positions[event]];
        let rises = self.sides[event] < 0 && surface >= -ON_SURFACE;
        let falls = self.sides[event] > 0 && surface <= ON_SURFACE;
        let crossed = match direction {
            Direction::Either => rises || falls,
            Direction::Rising => rises,
            Direction::Falling => falls,
        };
        crossed && limit.is_none_or(|limit| self.counts[event] < limit)
    }

    /// Whether anything happens at these values.
    pub(super) fn triggered(&self, positions: &[f64], values: &[f64]) -> bool {
        let switch = |k: usize| self.is_inconsistent(k, positions[k], values);
        (0..self.switch_count).any(switch)
            || (0..self.positions.len()).any(|event| self.has_fired(event, values))
    }

    /// Number of surfaces.
    pub(super) fn count_all(&self) -> usize {
        self.switch_count + self.positions.len()
    }

    /// Value of a surface, switches first.
    pub(super) fn surface(&self, surface: usize, values: &[f64]) -> f64 {
        match surface.checked_sub(self.switch_count) {
            None => values[self.first_switch + surface],
            Some(event) => values[self.positions[event]],
        }
    }

    /// Direction in which a surface counts; `None` where it has happened often enough.
    ///
    /// A switch counts where it leaves the side that its position says.
    pub(super) fn direction(&self, surface: usize, positions: &[f64]) -> Option<Direction> {
        match surface.checked_sub(self.switch_count) {
            None if positions[surface] > 0.5 => Some(Direction::Falling),
            None => Some(Direction::Rising),
            Some(event) => {
                let (direction, limit) = self.rules[event];
                let open = limit.is_none_or(|limit| self.counts[event] < limit);
                open.then_some(direction)
            }
        }
    }

    /// Events that fire at these values.
    pub(super) fn fired(&self, values: &[f64]) -> Vec<usize> {
        let all = 0..self.positions.len();
        all.filter(|event| self.has_fired(*event, values)).collect()
    }

    pub(super) fn count(&mut self, event: usize) {
        self.counts[event] += 1;
    }

    /// Notes the sides; on a surface the last side stays.
    pub(super) fn note(&mut self, values: &[f64]) {
        for (side, &position) in self.sides.iter_mut().zip(&self.positions) {
            if values[position] > ON_SURFACE {
                *side = 1;
            } else if values[position] < -ON_SURFACE {
                *side = -1;
            }
        }
    }

    /// Disarms every event that stands on its surface, and notes the sides of the others.
    pub(super) fn arm(&mut self, values: &[f64]) {
        for (side, &position) in self.sides.iter_mut().zip(&self.positions) {
            if values[position].abs() <= ON_SURFACE {
                *side = 0;
            }
        }
        self.note(values);
    }

    /// New values of an event.
    pub(super) fn resets<'v>(&self, event: usize, count: usize, values: &'v [f64]) -> &'v [f64] {
        let first = self.positions[event] + 1;
        &values[first..first + count]
    }
}
