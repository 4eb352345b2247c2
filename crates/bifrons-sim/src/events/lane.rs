//! What a lane remembers of the events of its member.

use bifrons_hybrid::{EventTable, HybridSystem, Trigger};
use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use super::{Ending, EventPlan, EventRecord};

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
        let numbers = system.schema().parameter_count() + table.discretes().len() + recent;
        system
            .workspace_footprint(1)
            .beside(Footprint::of::<Self>(1))
            .beside(Footprint::of::<f64>(numbers))
            .beside(Footprint::of::<u64>(table.clocks().len() + guards))
            .beside(Footprint::of::<u32>(guards))
            .beside(Footprint::of::<i8>(guards))
    }

    /// Forgets the last member.
    pub(super) fn clear(&mut self, plan: &EventPlan) {
        for (clock, next) in self.next.iter_mut().enumerate() {
            *next = plan.grid.first_at(clock, plan.t0);
        }
        self.fired.fill(0);
        self.contacts.fill(0);
        self.count = 0;
        self.ending = None;
        self.log.clear();
        self.dropped = 0;
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
                self.log.push(EventRecord { t, trigger });
            } else {
                self.dropped += 1;
            }
        }
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
