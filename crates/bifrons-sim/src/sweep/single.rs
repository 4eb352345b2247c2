//! Members of a sweep that turn stiff: they leave their lanes and are run alone, from their start,
//! as a single run is.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{Flow, InputError, MemberEnd, MemberSink, Step};

use super::Sweep;
use crate::adapter::{LaneWorkspace, LoopNotes, dimension};
use crate::events::EventLanes;
use crate::observer::Observer;
use crate::recorder::folds::Folds;
use crate::recorder::steps::StepRows;
use crate::recorder::{Destination, Recorder};
use crate::recording::Policy;
use crate::report::MemberFailure;
use crate::simulation::{Alone, Guarded, Last, events_footprint, integrator, parameter_name};
use crate::sink::LaneSink;

/// Passes everything on, except the end of members that leave.
pub(super) struct Leaving<'l, 'e, 'p, 'c, 'o, S: HybridSystem, const W: usize> {
    sink: LaneSink<'e, 'p, 'c, 'o, S, W>,
    /// Members that have left, if members may.
    left: Option<&'l mut Vec<usize>>,
    leaves: [bool; W],
}

impl<'l, 'e, 'p, 'c, 'o, S: HybridSystem, const W: usize> Leaving<'l, 'e, 'p, 'c, 'o, S, W> {
    pub(super) fn new(
        sink: LaneSink<'e, 'p, 'c, 'o, S, W>,
        left: Option<&'l mut Vec<usize>>,
    ) -> Self {
        Self {
            sink,
            left,
            leaves: [false; W],
        }
    }

    pub(super) fn into_recorder(self) -> Recorder<'c, 'o, S, W> {
        self.sink.recorder
    }
}

impl<S: HybridSystem, const W: usize> MemberSink<W> for Leaving<'_, '_, '_, '_, '_, S, W> {
    fn begin(&mut self, lane: usize, member: usize, t0: f64, state: &[f64]) -> f64 {
        self.sink.begin(lane, member, t0, state)
    }

    fn limit(&mut self, lane: usize, member: usize, t: f64, t_end: f64) -> f64 {
        self.sink.limit(lane, member, t, t_end)
    }

    #[inline]
    fn step(&mut self, step: &Step<'_, W>) -> Flow {
        self.sink.step(step)
    }

    fn is_stiff(&mut self, lane: usize, member: usize) -> bool {
        let Some(left) = &mut self.left else {
            return false;
        };
        left.push(member);
        self.leaves[lane] = true;
        true
    }

    fn restart(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.sink.restart(lane, member, state);
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        if !core::mem::take(&mut self.leaves[end.lane]) {
            self.sink.end(end);
        }
    }
}

/// What all members of a chunk share.
pub(super) type Rest<'c, 'o, S> = (
    &'c mut Observer<'o, S>,
    Destination<'c>,
    &'c mut Vec<(usize, MemberFailure)>,
);

/// Workspaces of one member alone.
pub(super) struct Single<'a, S: HybridSystem> {
    lane: LaneWorkspace<S, 1>,
    events: Option<RefCell<EventLanes<'a, S, 1>>>,
    loops: Option<LoopNotes<1>>,
    steps: Vec<StepRows>,
    folds: Vec<Folds>,
    last_value: Vec<[f64; 1]>,
    last: Last,
}

impl<'a, S: HybridSystem> Single<'a, S> {
    pub(super) fn new(sweep: &'a Sweep<'_, S>) -> Self {
        let level = sweep.options.level.unwrap_or_else(Level::detect);
        let signals = sweep.signals.count();
        let plan = sweep.events.as_ref();
        Self {
            lane: LaneWorkspace::new(sweep.system, level),
            events: plan.map(|plan| RefCell::new(EventLanes::new(sweep.system, plan, level))),
            loops: LoopNotes::of(sweep.system),
            steps: match sweep.policy {
                Policy::Steps { capacity, .. } => vec![StepRows::new(signals, capacity)],
                _ => Vec::new(),
            },
            folds: Folds::lanes(&sweep.policy, signals, 1),
            last_value: vec![[0.0]; signals],
            last: Last::new(sweep.system),
        }
    }

    /// Memory of the workspaces and of the integrator, if members may turn stiff.
    pub(super) fn footprint(sweep: &Sweep<'_, S>) -> Part {
        let system = sweep.system;
        if !sweep.method.may_change(dimension(system)) {
            return Part::new("members that turn stiff", Footprint::ZERO);
        }
        let signals = sweep.signals.count();
        let steps = match sweep.policy {
            Policy::Steps { .. } => StepRows::footprint(signals, sweep.policy.rows())
                .beside(Footprint::of::<StepRows>(1)),
            _ => Footprint::ZERO,
        };
        let numbers = 2 * system.schema().state_count() + system.events().discretes().len();
        Part::beside(
            "members that turn stiff",
            [
                LaneWorkspace::<S, 1>::footprint(system),
                Part::new("integrator", integrator::<1>(system, sweep.method)),
                Part::new("last samples", Footprint::of::<f64>(signals + numbers)),
                Part::new("rows at steps", steps),
                Part::new("samples", Folds::footprint(&sweep.policy, signals, 1)),
                events_footprint::<S, 1>(system, sweep.events.as_ref()),
            ],
        )
    }

    /// Runs a member from its start to its end; its rows replace those that it has left.
    pub(super) fn run(
        &mut self,
        sweep: &Sweep<'_, S>,
        member: usize,
        (observer, destination, failures): &mut Rest<'_, '_, S>,
    ) -> Result<(), InputError> {
        let schema = sweep.system.schema();
        let (t0, t_end) = sweep.span;
        let columns = destination.columns.iter_mut();
        let recorder = Recorder {
            observer,
            policy: &sweep.policy,
            parameters: &sweep.parameters,
            parameter_name: &|i| parameter_name(schema, i),
            direction: if t_end < t0 { -1.0 } else { 1.0 },
            next: [0],
            last_time: [0.0],
            last_value: &mut self.last_value,
            steps: &mut self.steps,
            folds: &mut self.folds,
            full: [None],
            spill: None,
            filled: 0,
            destination: Destination {
                first: destination.first,
                columns: columns.map(|column| &mut **column).collect(),
                times: &mut *destination.times,
                reports: &mut *destination.reports,
            },
            failures,
        };
        let sink = LaneSink {
            recorder,
            events: self.events.as_ref(),
            loops: self.loops.as_ref(),
        };
        let (span, options) = (sweep.span, &sweep.options);
        let mut sink = Guarded::new(sink, &mut self.last, None, None, span, options);
        let mut alone = Alone {
            system: sweep.system,
            parameters: &sweep.parameters,
            workspace: &mut self.lane,
            events: self.events.as_ref(),
            loops: self.loops.as_ref(),
            span,
            options,
            method: sweep.method,
        };
        alone.run(member, &mut sink, None)
    }
}
