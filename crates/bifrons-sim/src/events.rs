//! Events of a run: clocks, guards, what they change, and when a run has too many of them.

mod course;
mod hold;
mod instant;
mod lane;
mod scan;

use bifrons_hybrid::{EventTable, HybridSystem, TimeGrid, Trigger};
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{Restart, Step};

use crate::checkpoint::{Reader, Writer};
use crate::error::BuildError;
use crate::parameters::Starts;
use crate::report::MemberFailure;
use lane::LaneEvents;

pub use hold::Hold;

/// How events are found, and how many of them are too many.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventOptions {
    /// Most rounds of updates at one instant before the run fails. Default: 100.
    pub max_iterations: u32,
    /// Most firings of one guard within a window, and most firings of one guard in a row that turn
    /// it back to where it came from while the state stays the same (both sides push towards the
    /// surface); one more ends the run as [`Outcome::Chattering`]. A guard that its own updates
    /// replace by another function is turned back only where it fires again within the window.
    /// Default: 16.
    pub max_events_per_window: usize,
    /// Length of the window. Default: `1e-9` of the span, but at least 64 units in the last place
    /// of the larger end.
    pub window: Option<f64>,
    /// Parts of an accepted step at whose ends guards are read. Default: 8.
    ///
    /// Every crossing of a guard that depends on nothing but time, parameters and discrete states
    /// is found, however long the step: bounds of the guard and of its rate leave no room for
    /// another one. Left out are only what follows, within a part, on a stretch where the guard is
    /// zero up to rounding or on 65 536 looks without a crossing, and guards that call functions.
    ///
    /// Of all other guards, crossings closer together than a part are found where the system knows
    /// the time derivatives of its guards and they show that one was passed; otherwise bound the
    /// step with `Options::max_step`.
    pub parts: usize,
    /// What is done, per guard, in place of ending as chattering. Default: nothing.
    pub holds: Vec<Hold>,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            max_events_per_window: 16,
            window: None,
            parts: 8,
            holds: Vec::new(),
        }
    }
}

/// How a run that did not fail ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The end of the span was reached.
    Reached,
    /// A terminal guard fired.
    Terminated {
        /// Name of the guard.
        guard: String,
        /// Time of the crossing.
        t: f64,
    },
    /// A guard fired too often within a short time: chattering between two modes, or events that
    /// accumulate (Zeno). Everything until then is kept.
    Chattering {
        /// Name of the guard.
        guard: String,
        /// Time of its last firing.
        t: f64,
    },
    /// The run failed or was stopped; see the error.
    Incomplete,
}

/// Something that happened in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EventRecord {
    /// When.
    pub t: f64,
    /// Which clock or guard.
    pub trigger: Trigger,
    /// Whether this is no firing, but the guard's policy was entered, see [`Hold`].
    pub held: bool,
}

/// Checked settings of the events of all members.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EventPlan {
    pub(crate) grid: TimeGrid,
    /// Policies of the guards.
    pub(crate) holds: Vec<Option<Starts>>,
    pub(crate) options: EventOptions,
    pub(crate) window: f64,
    pub(crate) direction: f64,
    pub(crate) t0: f64,
    /// Events that are logged at most; `None` logs none.
    pub(crate) log: Option<usize>,
}

impl EventPlan {
    /// `None` for a system without events.
    pub(crate) fn new<S: HybridSystem>(
        system: &S,
        (t0, t_end): (f64, f64),
        options: &EventOptions,
        log: Option<usize>,
    ) -> Result<Option<Self>, BuildError> {
        let table = system.events();
        if table.is_empty() {
            return Ok(None);
        }
        let grid = TimeGrid::new(table.clocks())?;
        if t_end < t0 && !table.clocks().is_empty() {
            return Err(BuildError::BackwardClocks {
                clock: table.clocks()[0].name.to_string(),
            });
        }
        let least = 64.0 * f64::EPSILON * t0.abs().max(t_end.abs());
        let window = options
            .window
            .unwrap_or(1e-9 * (t_end - t0).abs())
            .max(least);
        let limits = [
            ("event iterations", options.max_iterations as usize),
            ("events per window", options.max_events_per_window),
            ("parts of a step", options.parts),
        ];
        if let Some((what, _)) = limits.iter().find(|(_, limit)| *limit == 0) {
            return Err(BuildError::ZeroLimit { what });
        }
        Ok(Some(Self {
            grid,
            holds: hold::resolve(system, &options.holds)?,
            options: options.clone(),
            window,
            direction: if t_end < t0 { -1.0 } else { 1.0 },
            t0,
            log,
        }))
    }
}

/// How the events of a member ended it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ending {
    Terminated { guard: usize },
    Chattering { guard: usize },
    Failed(MemberFailure),
}

/// What an instant has changed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Changes {
    pub(crate) state: bool,
    pub(crate) discrete: bool,
}

/// Events of the members in `W` lanes.
pub(crate) struct EventLanes<'a, S: HybridSystem, const W: usize> {
    system: &'a S,
    plan: &'a EventPlan,
    lanes: Vec<LaneEvents<S>>,
    buffers: Buffers,
}

/// Vectors that all lanes share.
struct Buffers {
    state: Vec<f64>,
    before: Vec<f64>,
    discrete_before: Vec<f64>,
    due_clocks: Vec<bool>,
    due_guards: Vec<bool>,
    /// Per guard that is due: the side to which it crosses, 0 if it started on the surface.
    crossed: Vec<i8>,
    /// Whether guards fire at the instant that is handled.
    guards_fired: bool,
    values: Vec<f64>,
    rates: Vec<f64>,
    rates_before: Vec<f64>,
    probe: Vec<f64>,
    found: Vec<f64>,
    /// Per guard of time alone: spans of the length of rounding since something was proved.
    unproved: Vec<u32>,
}

impl Buffers {
    fn new(states: usize, table: &EventTable) -> Self {
        let (guards, discretes) = (table.guards().len(), table.discretes().len());
        Self {
            state: vec![0.0; states],
            before: vec![0.0; states],
            discrete_before: vec![0.0; discretes],
            due_clocks: vec![false; table.clocks().len()],
            due_guards: vec![false; guards],
            crossed: vec![0; guards],
            guards_fired: false,
            values: vec![0.0; guards],
            rates: vec![0.0; guards],
            rates_before: vec![0.0; guards],
            probe: vec![0.0; guards],
            found: vec![0.0; guards],
            unproved: vec![0; guards],
        }
    }

    fn footprint(states: usize, table: &EventTable) -> Footprint {
        let (guards, discretes) = (table.guards().len(), table.discretes().len());
        Footprint::of::<f64>(2 * states + discretes + 5 * guards)
            .beside(Footprint::of::<bool>(table.clocks().len()))
            .beside(Footprint::of::<bool>(guards))
            .beside(Footprint::of::<i8>(guards))
            .beside(Footprint::of::<u32>(guards))
    }
}

impl<'a, S: HybridSystem, const W: usize> EventLanes<'a, S, W> {
    pub(crate) fn new(system: &'a S, plan: &'a EventPlan, level: Level) -> Self {
        Self {
            system,
            plan,
            lanes: (0..W)
                .map(|_| LaneEvents::new(system, plan, level))
                .collect(),
            buffers: Buffers::new(system.schema().state_count(), system.events()),
        }
    }

    pub(crate) fn footprint(system: &S, plan: &EventPlan) -> Part {
        let states = system.schema().state_count();
        let lanes = LaneEvents::<S>::footprint(system, plan).times(W as u64);
        Part::beside(
            "events",
            [
                Part::new("lanes", lanes),
                Part::new("vectors", Buffers::footprint(states, system.events())),
            ],
        )
    }

    /// A member that never starts has no events.
    pub(crate) fn forget(&mut self, lane: usize) {
        self.lanes[lane].clear(self.plan);
    }

    /// Writes where the member in a lane stands.
    pub(crate) fn save(&self, lane: usize, writer: &mut Writer) {
        self.lanes[lane].save(writer);
    }

    /// A member goes on where it stood; `None` if what was written does not fit.
    pub(crate) fn restore(
        &mut self,
        lane: usize,
        parameters: &[f64],
        reader: &mut Reader<'_>,
    ) -> Option<()> {
        let own = &mut self.lanes[lane];
        own.clear(self.plan);
        own.parameters.copy_from_slice(parameters);
        own.restore(reader)?;
        self.system
            .set_values(&mut own.workspace, 0, parameters, &own.discrete);
        Some(())
    }

    /// Discrete states of the member in a lane.
    pub(crate) fn discrete(&self, lane: usize) -> &[f64] {
        &self.lanes[lane].discrete
    }

    /// Parameters of the member in a lane.
    pub(crate) fn parameters(&self, lane: usize) -> &[f64] {
        &self.lanes[lane].parameters
    }

    /// The state with which the member goes on.
    pub(crate) fn new_state(&self) -> &[f64] {
        &self.buffers.state
    }

    /// Whether every step must be looked at.
    pub(crate) fn has_guards(&self) -> bool {
        !self.system.events().guards().is_empty()
    }

    /// Whether the instant handled last was that of clocks only, so that an unchanged state means
    /// an unchanged right-hand side.
    pub(crate) fn is_smooth(&self) -> bool {
        !self.buffers.guards_fired
    }

    /// No guard is due at the next instant.
    pub(crate) fn forget_guards(&mut self) {
        self.buffers.due_guards.fill(false);
        self.buffers.guards_fired = false;
    }

    /// The next instant of a clock after those that were handled, at most `t_end`.
    pub(crate) fn limit(&self, lane: usize, t_end: f64) -> f64 {
        self.lanes[lane].next_tick(self.plan).min(t_end)
    }

    /// When a step must be shown: every one with guards, that which ends at the next instant of a
    /// clock, and that which `wanted` asks for.
    pub(crate) fn next_look(&self, lane: usize, wanted: f64) -> f64 {
        if self.has_guards() {
            f64::NEG_INFINITY
        } else {
            self.limit(lane, wanted)
        }
    }

    /// Ends a member whose events accumulate.
    pub(crate) fn end_chattering(&mut self, lane: usize, guard: usize) {
        self.lanes[lane].ending = Some(Ending::Chattering { guard });
    }

    /// Whether a clock ticks at `t`.
    pub(crate) fn ticks(&self, lane: usize, t: f64) -> bool {
        !self.system.events().clocks().is_empty() && self.lanes[lane].next_tick(self.plan) <= t
    }

    /// Whether the member's events end it.
    pub(crate) fn is_over(&self, lane: usize) -> bool {
        self.lanes[lane].ending.is_some()
    }

    /// How the events of a member ended it, if they did.
    pub(crate) fn ending(&self, lane: usize) -> Option<&Ending> {
        self.lanes[lane].ending.as_ref()
    }

    /// Firings and ticks of a member.
    pub(crate) fn count(&self, lane: usize) -> u64 {
        self.lanes[lane].count
    }

    /// What was logged of a member, and how much did not fit.
    pub(crate) fn take_log(&mut self, lane: usize) -> (Vec<EventRecord>, u64) {
        let own = &mut self.lanes[lane];
        (core::mem::take(&mut own.log), own.dropped)
    }

    /// Values of the guards at a state; `false` if one is NaN.
    fn read(&mut self, lane: usize, t: f64) -> bool {
        let Buffers { state, values, .. } = &mut self.buffers;
        self.system
            .guards(&mut self.lanes[lane].workspace, t, state, values);
        values.iter().all(|value| !value.is_nan())
    }
}

/// The sign of a guard's value.
fn sign(value: f64) -> i8 {
    if value > 0.0 {
        1
    } else if value < 0.0 {
        -1
    } else {
        0
    }
}

/// Restart of a member at `t`.
pub(crate) fn restart_at(t: f64, changes: Changes, next: f64, stop: bool) -> Restart {
    Restart {
        t,
        next,
        keep_step: !changes.state,
        stop,
    }
}

/// What a step shows.
pub(crate) enum Seen {
    /// Nothing that changes the run.
    Nothing,
    /// At this time guards fire, as noted.
    Guards(f64),
    /// A guard is NaN at this time.
    NotFinite(f64, usize),
    /// Events of this guard accumulate at the start of the step.
    Accumulates(usize),
}

impl<S: HybridSystem, const W: usize> EventLanes<'_, S, W> {
    /// Writes the state at `t` within a step where an instant will read it.
    pub(crate) fn place(&mut self, step: &Step<'_, W>, t: f64) {
        step.state_at(t, &mut self.buffers.state);
    }
}
