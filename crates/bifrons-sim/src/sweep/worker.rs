//! One thread's share of a sweep.

use std::cell::RefCell;

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, InputError, Rodas5P, solve_members, solve_members_with};

use super::Sweep;
use super::single::{Leaving, Single};
use crate::adapter::{LaneWorkspace, LoopNotes, Members, dimension};
use crate::events::EventLanes;
use crate::method::RunMethod;
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
    sweep: &'a Sweep<'a, S>,
    lanes: LaneWorkspace<S, W>,
    ensemble: EnsembleWorkspace<W>,
    observer: Observer<'a, S>,
    steps: Vec<StepRows>,
    folds: Vec<Folds>,
    last_value: Vec<[f64; W]>,
    events: Option<RefCell<EventLanes<'a, S, W>>>,
    loops: Option<LoopNotes<W>>,
    /// For members that turn stiff.
    single: Option<Single<'a, S>>,
    left: Vec<usize>,
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
            Part::new("integrator", integrator::<W>(sweep.system, sweep.method)),
            Observer::footprint(sweep.system, &sweep.signals),
            Part::new("last samples", Footprint::of::<[f64; W]>(signals)),
            Part::new("rows at steps", steps),
            Part::new("samples", Folds::footprint(&sweep.policy, signals, W)),
            events_footprint::<S, W>(sweep.system, sweep.events.as_ref()),
            Single::footprint(sweep),
        ],
    )
}

impl<'a, S: HybridSystem, const W: usize> Worker<'a, S, W> {
    pub(super) fn new(sweep: &'a Sweep<'a, S>) -> Self {
        let level = sweep.options.level.unwrap_or_else(Level::detect);
        let signals = sweep.signals.count();
        let steps = match sweep.policy {
            Policy::Steps { capacity, .. } => {
                (0..W).map(|_| StepRows::new(signals, capacity)).collect()
            }
            _ => Vec::new(),
        };
        Self {
            sweep,
            lanes: LaneWorkspace::new(sweep.system, level),
            ensemble: match sweep.method {
                RunMethod::Rodas5P => {
                    EnsembleWorkspace::for_method::<Rodas5P>(dimension(sweep.system), 0)
                }
                _ => EnsembleWorkspace::new(dimension(sweep.system)),
            },
            observer: Observer::new(sweep.system, &sweep.parameters, &sweep.signals, level),
            steps,
            folds: Folds::lanes(&sweep.policy, signals, W),
            last_value: vec![[0.0; W]; signals],
            events: sweep
                .events
                .as_ref()
                .map(|plan| RefCell::new(EventLanes::new(sweep.system, plan, level))),
            loops: LoopNotes::of(sweep.system),
            single: None,
            left: Vec::new(),
        }
    }

    pub(super) fn run(&mut self, destination: Destination<'_>) -> ChunkOutcome {
        let sweep = self.sweep;
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
        self.left.clear();
        let sink = LaneSink {
            recorder,
            events: self.events.as_ref(),
            loops: self.loops.as_ref(),
        };
        let may_change = sweep.method.may_change(dimension(sweep.system));
        let mut sink = Leaving::new(sink, may_change.then_some(&mut self.left));
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
        let (options, work) = (&sweep.options, &mut self.ensemble);
        let solved = if sweep.method == RunMethod::Rodas5P {
            let span = (t0, t_end);
            solve_members_with::<Rodas5P, W, _, _>(
                &mut problem,
                members,
                span,
                options,
                work,
                &mut sink,
            )
        } else {
            solve_members(&mut problem, members, t0, t_end, options, work, &mut sink)
        };
        let recorder = sink.into_recorder();
        let mut rest = (recorder.observer, recorder.destination, recorder.failures);
        let mut refused = solved.err();
        if !self.left.is_empty() && refused.is_none() {
            self.left.sort_unstable();
            let single = self.single.get_or_insert_with(|| Single::new(sweep));
            for &member in &self.left {
                let again = single.run(sweep, member, &mut rest);
                refused = refused.or(again.err());
            }
        }
        ChunkOutcome {
            members: count,
            failures,
            refused,
        }
    }
}
