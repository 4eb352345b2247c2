//! What a run does instead of ending where the events of a guard accumulate or chatter.

use bifrons_hybrid::{HybridSystem, Trigger};

use super::{EventLanes, EventRecord};
use crate::error::BuildError;
use crate::parameters::Starts;

/// A policy for one guard: where its events accumulate (Zeno) or chatter, the run writes declared
/// values and goes on, instead of ending as [`Outcome::Chattering`](super::Outcome::Chattering).
///
/// The model says what the values mean. A ball that comes to rest has a discrete state `resting`
/// that switches its slopes to zero, and a guard of its own that lifts it again:
///
/// ```text
/// y' = 0 if resting else v        Hold::new("floor").set("resting", 1).set("y", 0).set("v", 0)
/// v' = 0 if resting else a(t)     resting = 0 when a rises through zero
/// ```
///
/// All values are written at once, at the instant of the last firing, which for accumulating
/// events is the time of accumulation up to the window of
/// [`EventOptions`](super::EventOptions::window) or to the rounding of the guard. Guards that the
/// values carry through zero fire at that instant. A hold that does not hold, because the guard
/// goes on through its surface or fires as often again within a window, ends the run as chattering
/// after all.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    pub(super) guard: String,
    pub(super) values: Vec<(String, f64)>,
}

impl Hold {
    /// A policy for a guard, by its path.
    #[must_use]
    pub fn new(guard: impl Into<String>) -> Self {
        Self {
            guard: guard.into(),
            values: Vec::new(),
        }
    }

    /// The value that a continuous or discrete state gets.
    #[must_use]
    pub fn set(mut self, state: impl Into<String>, value: f64) -> Self {
        self.values.push((state.into(), value));
        self
    }
}

/// The policies per guard.
pub(super) fn resolve<S: HybridSystem>(
    system: &S,
    holds: &[Hold],
) -> Result<Vec<Option<Starts>>, BuildError> {
    let guards = system.events().guards();
    let mut resolved = vec![None; guards.len()];
    for hold in holds {
        let Some(index) = guards.iter().position(|own| *own.name == *hold.guard) else {
            return Err(BuildError::HoldGuard {
                guard: hold.guard.clone(),
                known: guards.iter().map(|own| own.name.to_string()).collect(),
            });
        };
        if resolved[index].is_some() {
            let name = hold.guard.clone();
            return Err(BuildError::GivenTwice { name });
        }
        let values = Starts::new(system, hold.values.clone(), Vec::new(), 1)?;
        if let Some((name, value)) = values.bad(0) {
            return Err(BuildError::HoldValue {
                guard: hold.guard.clone(),
                name: name.to_owned(),
                value,
            });
        }
        resolved[index] = Some(values);
    }
    Ok(resolved)
}

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// Writes the values of the policy of a guard; false if there is none, or if it was entered
    /// within the window before.
    pub(super) fn hold(&mut self, lane: usize, guard: usize, t: f64) -> bool {
        let Some(values) = &self.plan.holds[guard] else {
            return false;
        };
        let own = &mut self.lanes[lane];
        if (t - own.held_at[guard]).abs() <= self.plan.window {
            return false;
        }
        values.fill_state(0, &mut self.buffers.state);
        values.fill_discrete(0, &mut own.discrete);
        self.system
            .set_values(&mut own.workspace, 0, &own.parameters, &own.discrete);
        own.held_at[guard] = t;
        (own.fired[guard], own.contacts[guard]) = (0, 0);
        // It must not go on to the side that it was crossing to.
        own.returning[guard] = own.crossed[guard];
        if let Some(capacity) = self.plan.log {
            if own.log.len() < capacity {
                own.log.push(EventRecord {
                    t,
                    trigger: Trigger::Guard(guard),
                    held: true,
                });
            } else {
                own.dropped += 1;
            }
        }
        true
    }

    /// The policy of a guard at the start of a step, with the guards that fire by it; false if it
    /// is not entered. Reads and writes [`new_state`](Self::new_state).
    pub(crate) fn hold_at(&mut self, lane: usize, guard: usize, t: f64) -> bool {
        if !self.hold(lane, guard, t) {
            return false;
        }
        self.buffers.due_clocks.fill(false);
        if self.rearm(lane, t) {
            self.rounds(lane, t);
        }
        self.buffers.due_guards.fill(false);
        true
    }

    /// Per guard: when its policy was entered last, or NaN.
    pub(crate) fn held_at(&self, lane: usize) -> &[f64] {
        &self.lanes[lane].held_at
    }
}
