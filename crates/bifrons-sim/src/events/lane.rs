//! What a lane remembers of the events of its member.

use bifrons_hybrid::{EventTable, HybridSystem, Trigger};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::{Ending, EventPlan, EventRecord};
use crate::checkpoint::{Reader, Writer};

/// Events of the member in one lane.
pub(super) struct LaneEvents<S: HybridSystem> {
    /// Guards and updates of this member.
    pub(super) workspace: S::Workspace<1>,
    pub(super) parameters: Vec<f64>,
    pub(super) discrete: Vec<f64>,
    /// Number of the next instant of each clock.
    pub(super) next: Vec<u64>,
    /// Sign of each guard where the run stands; 0 is not armed.
    pub(super) signs: Vec<i8>,
    /// Per guard: the times of its last firings, oldest first from `oldest` on.
    pub(super) recent: Vec<f64>,
    pub(super) fired: Vec<u64>,
    /// Per guard: firings in a row after which it moved back at once.
    pub(super) contacts: Vec<u32>,
    /// Per guard: how far from zero it was located at its last firing.
    pub(super) residue: Vec<f64>,
    /// Per guard: the side to which it crossed then.
    pub(super) crossed: Vec<i8>,
    /// Per guard: that side, if its updates have turned it back and it has not left it, else 0.
    pub(super) returning: Vec<i8>,
    /// Per guard: when its policy was entered last, or NaN.
    pub(super) held_at: Vec<f64>,
    pub(super) count: u64,
    pub(super) ending: Option<Ending>,
    pub(super) log: Vec<EventRecord>,
    pub(super) dropped: u64,
}

impl<S: HybridSystem> LaneEvents<S> {
    pub(super) fn new(system: &S, plan: &EventPlan, level: Level) -> Self {
        let table = system.events();
        let guards = table.guards().len();
        Self {
            workspace: system.workspace::<1>(level),
            parameters: vec![0.0; system.schema().parameter_count()],
            discrete: vec![0.0; table.discretes().len()],
            next: vec![0; table.clocks().len()],
            signs: vec![0; guards],
            recent: vec![0.0; guards * plan.options.max_events_per_window],
            fired: vec![0; guards],
            contacts: vec![0; guards],
            residue: vec![0.0; guards],
            crossed: vec![0; guards],
            returning: vec![0; guards],
            held_at: vec![f64::NAN; guards],
            count: 0,
            ending: None,
            log: Vec::new(),
            dropped: 0,
        }
    }

    pub(super) fn footprint(system: &S, plan: &EventPlan) -> Footprint {
        let table: &EventTable = system.events();
        let guards = table.guards().len();
        let recent = guards * plan.options.max_events_per_window;
        let numbers =
            system.schema().parameter_count() + table.discretes().len() + recent + 2 * guards;
        system
            .workspace_footprint(1)
            .beside(Footprint::of::<Self>(1))
            .beside(Footprint::of::<f64>(numbers))
            .beside(Footprint::of::<u64>(table.clocks().len() + guards))
            .beside(Footprint::of::<u32>(guards))
            .beside(Footprint::of::<i8>(guards).times(3))
    }

    /// Forgets the last member.
    pub(super) fn clear(&mut self, plan: &EventPlan) {
        for (clock, next) in self.next.iter_mut().enumerate() {
            *next = plan.grid.first_at(clock, plan.t0);
        }
        self.fired.fill(0);
        self.contacts.fill(0);
        self.crossed.fill(0);
        self.residue.fill(0.0);
        self.returning.fill(0);
        self.held_at.fill(f64::NAN);
        self.count = 0;
        self.ending = None;
        self.log.clear();
        self.dropped = 0;
    }

    /// Writes where the member stands, beside its parameters.
    pub(super) fn save(&self, writer: &mut Writer) {
        writer.numbers(&self.discrete);
        writer.words(self.next.iter().copied());
        for sides in [&self.signs, &self.crossed, &self.returning] {
            writer.words(sides.iter().map(|&side| (side + 1).unsigned_abs().into()));
        }
        writer.numbers(&self.recent);
        writer.words(self.fired.iter().copied());
        writer.words(self.contacts.iter().map(|&contacts| contacts.into()));
        writer.numbers(&self.residue);
        writer.numbers(&self.held_at);
        writer.word(self.count);
        writer.word(self.dropped);
        writer.numbers(&self.log.iter().map(|event| event.t).collect::<Vec<_>>());
        writer.words(self.log.iter().map(|event| match event.trigger {
            Trigger::Clock(index) => 4 * index as u64,
            Trigger::Guard(index) => 4 * index as u64 + 1 + 2 * u64::from(event.held),
        }));
    }

    /// Reads what [`save`](Self::save) has written; `None` if it does not fit.
    pub(super) fn restore(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.fill(&mut self.discrete)?;
        self.next = same(&self.next, reader.words()?)?;
        for sides in [&mut self.signs, &mut self.crossed, &mut self.returning] {
            let found = same(sides, reader.words()?)?;
            for (own, side) in sides.iter_mut().zip(found) {
                *own = i8::try_from(side).ok().filter(|&side| side <= 2)? - 1;
            }
        }
        reader.fill(&mut self.recent)?;
        self.fired = same(&self.fired, reader.words()?)?;
        let contacts = same(&self.contacts, reader.words()?)?;
        for (own, contacts) in self.contacts.iter_mut().zip(contacts) {
            *own = u32::try_from(contacts).ok()?;
        }
        reader.fill(&mut self.residue)?;
        reader.fill(&mut self.held_at)?;
        self.count = reader.word()?;
        self.dropped = reader.word()?;
        let times = reader.numbers()?;
        let triggers = same(&times, reader.words()?)?;
        self.log.clear();
        for (t, trigger) in times.into_iter().zip(triggers) {
            let index = usize::try_from(trigger / 4).ok()?;
            let held = trigger % 4 == 3;
            let trigger = if trigger % 2 == 0 {
                Trigger::Clock(index)
            } else {
                Trigger::Guard(index)
            };
            self.log.push(EventRecord { t, trigger, held });
        }
        Some(())
    }

    /// The next instant of any clock as a number, infinite without clocks.
    pub(super) fn next_tick(&self, plan: &EventPlan) -> f64 {
        let units = self.next_units(plan);
        units.map_or(f64::INFINITY, |units| plan.grid.time(units))
    }

    /// The next instant of any clock.
    pub(super) fn next_units(&self, plan: &EventPlan) -> Option<i128> {
        let next = self.next.iter().enumerate();
        next.map(|(clock, &k)| plan.grid.units(clock, k)).min()
    }

    /// Notes that something happened.
    pub(super) fn note(&mut self, plan: &EventPlan, t: f64, trigger: Trigger) {
        self.count += 1;
        if let Some(capacity) = plan.log {
            if self.log.len() < capacity {
                self.log.push(EventRecord {
                    t,
                    trigger,
                    held: false,
                });
            } else {
                self.dropped += 1;
            }
        }
    }

    /// When a guard fired last.
    pub(super) fn last_firing(&self, plan: &EventPlan, guard: usize) -> Option<f64> {
        let size = plan.options.max_events_per_window;
        let fired = self.fired[guard].checked_sub(1)?;
        let slot = usize::try_from(fired % size as u64).ok()?;
        self.recent.get(guard * size + slot).copied()
    }

    /// Whether the firing before the one counted last was within the window.
    pub(super) fn fired_just_before(&self, plan: &EventPlan, t: f64, guard: usize) -> bool {
        let size = plan.options.max_events_per_window as u64;
        let Some(before) = self.fired[guard].checked_sub(2).filter(|_| size > 1) else {
            return false;
        };
        let slot = usize::try_from(before % size).unwrap_or(0);
        let last = self.recent[guard * plan.options.max_events_per_window + slot];
        (t - last).abs() <= plan.window
    }

    /// Counts a firing; true if it is one too many within the window.
    pub(super) fn count_firing(&mut self, plan: &EventPlan, t: f64, guard: usize) -> bool {
        let size = plan.options.max_events_per_window;
        let fired = self.fired[guard];
        let slot = guard * size + usize::try_from(fired % size as u64).unwrap_or(0);
        let oldest = core::mem::replace(&mut self.recent[slot], t);
        self.fired[guard] = fired + 1;
        fired >= size as u64 && (t - oldest).abs() <= plan.window
    }
}

/// A list that must be as long as another one.
fn same<T, U>(own: &[T], found: Vec<U>) -> Option<Vec<U>> {
    (own.len() == found.len()).then_some(found)
}
