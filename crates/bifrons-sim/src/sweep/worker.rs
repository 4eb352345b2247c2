//! One thread's share of a sweep.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, InputError, solve_members};

use super::Sweep;
use crate::adapter::{LaneWorkspace, LoopNotes, Members, dimension};
use crate::events::EventLanes;
use crate::observer::Observer;
use crate::recorder::folds::Folds;
use crate::recorder::steps::StepRows;
use crate::recorder::{Destination, Recorder};
use crate::recording::Policy;
use crate::report::MemberFailure;
use crate::simulation::{events_footprint, integrator, parameter_name};
use crate::sink::LaneSink;

/// Workspaces of a thread, made once and used for all its chunks.
pub(super) struct Worker<'a, S: HybridSystem, const W: usize> {
    lanes: LaneWorkspace<S, W>,
    ensemble: EnsembleWorkspace<W>,
    observer: Observer<'a, S>,
    steps: Vec<StepRows>,
    folds: Vec<Folds>,
    last_value: Vec<[f64; W]>,
    events: Option<RefCell<EventLanes<'a, S, W>>>,
    loops: Option<LoopNotes<W>>,
}

/// What a chunk left beside its rows.
pub(super) struct ChunkOutcome {
    pub(super) members: usize,
    pub(super) failures: Vec<(usize, MemberFailure)>,
    pub(super) refused: Option<InputError>,
}

/// Memory of a [`Worker`].
pub(super) fn footprint<S: HybridSystem, const W: usize>(sweep: &Sweep<'_, S>) -> Part {
    let signals = sweep.signals.count();
    let steps = match sweep.policy {
        Policy::Steps { .. } => StepRows::footprint(signals, sweep.policy.rows())
            .beside(Footprint::of::<StepRows>(1))
            .times(W as u64),
        _ => Footprint::ZERO,
    };
    Part::beside(
        "workspace",
        [
            LaneWorkspace::<S, W>::footprint(sweep.system),
            Part::new("integrator", integrator::<W>(sweep.system)),
            Observer::footprint(sweep.system, &sweep.signals),
            Part::new("last samples", Footprint::of::<[f64; W]>(signals)),
            Part::new("rows at steps", steps),
            Part::new("samples", Folds::footprint(&sweep.policy, signals, W)),
            events_footprint::<S, W>(sweep.system, sweep.events.as_ref()),
        ],
    )
}

impl<'a, S: HybridSystem, const W: usize> Worker<'a, S, W> {
    pub(super) fn new(sweep: &'a Sweep<'_, S>) -> Self {
        let level = sweep.options.level.unwrap_or_else(Level::detect);
        let signals = sweep.signals.count();
        let steps = match sweep.policy {
            Policy::Steps { capacity, .. } => {
                (0..W).map(|_| StepRows::new(signals, capacity)).collect()
            }
            _ => Vec::new(),
        };
        Self {
            lanes: LaneWorkspace::new(sweep.system, level),
            ensemble: EnsembleWorkspace::new(dimension(sweep.system)),
            observer: Observer::new(sweep.system, &sweep.parameters, &sweep.signals, level),
            steps,
            folds: Folds::lanes(&sweep.policy, signals, W),
            last_value: vec![[0.0; W]; signals],
            events: sweep
                .events
                .as_ref()
                .map(|plan| RefCell::new(EventLanes::new(sweep.system, plan, level))),
            loops: LoopNotes::of(sweep.system),
        }
    }

    pub(super) fn run(
        &mut self,
        sweep: &Sweep<'_, S>,
        destination: Destination<'_>,
    ) -> ChunkOutcome {
        let members = destination.first..destination.first + destination.reports.len();
        let count = members.len();
        let schema = sweep.system.schema();
        let mut failures = Vec::new();
        let recorder = Recorder {
            observer: &mut self.observer,
            policy: &sweep.policy,
            parameters: &sweep.parameters,
            parameter_name: &|i| parameter_name(schema, i),
            direction: if sweep.span.1 < sweep.span.0 {
                -1.0
            } else {
                1.0
            },
            next: [0; W],
            last_time: [0.0; W],
            last_value: &mut self.last_value,
            steps: &mut self.steps,
            folds: &mut self.folds,
            full: [None; W],
            spill: None,
            filled: 0,
            destination,
            failures: &mut failures,
        };
        let mut sink = LaneSink {
            recorder,
            events: self.events.as_ref(),
            loops: self.loops.as_ref(),
        };
        let mut problem = Members {
            system: sweep.system,
            parameters: &sweep.parameters,
            workspace: &mut self.lanes,
            t0: sweep.span.0,
            events: self.events.as_ref(),
            loops: self.loops.as_ref(),
            resumed: None,
        };
        let (t0, t_end) = sweep.span;
        let refused = solve_members(
            &mut problem,
            members,
            t0,
            t_end,
            &sweep.options,
            &mut self.ensemble,
            &mut sink,
        )
        .err();
        ChunkOutcome {
            members: count,
            failures,
            refused,
        }
    }
}
