//! One thread's share of a sweep.

use std::cell::RefCell;
use std::ops::Range;

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, InputError, Rodas5P, solve_members, solve_members_with};

use super::Sweep;
use super::single::{Leaving, Rest, Single};
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
        let direction = if sweep.span.1 < sweep.span.0 {
            -1.0
        } else {
            1.0
        };
        let mut failures = Vec::new();
        let recorder = Recorder {
            observer: &mut self.observer,
            policy: &sweep.policy,
            parameters: &sweep.parameters,
            parameter_name: &|i| parameter_name(schema, i),
            direction,
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
        let solved = solve(sweep, &mut self.ensemble, &mut problem, members, &mut sink);
        let recorder = sink.into_recorder();
        let mut rest = (recorder.observer, recorder.destination, recorder.failures);
        let refused = match solved {
            Ok(()) => run_left(sweep, &mut self.single, &mut self.left, &mut rest),
            Err(error) => Some(error),
        };
        ChunkOutcome {
            members: count,
            failures,
            refused,
        }
    }
}

/// The members of a chunk by the method of the sweep.
fn solve<S: HybridSystem, const W: usize>(
    sweep: &Sweep<'_, S>,
    work: &mut EnsembleWorkspace<W>,
    problem: &mut Members<'_, '_, S, W>,
    members: Range<usize>,
    sink: &mut Leaving<'_, '_, '_, '_, '_, S, W>,
) -> Result<(), InputError> {
    let (span, options) = (sweep.span, &sweep.options);
    if sweep.method == RunMethod::Rodas5P {
        return solve_members_with::<Rodas5P, W, _, _>(problem, members, span, options, work, sink);
    }
    solve_members(problem, members, span.0, span.1, options, work, sink)
}

/// Runs the members that have left their lanes.
fn run_left<'a, S: HybridSystem>(
    sweep: &'a Sweep<'a, S>,
    single: &mut Option<Single<'a, S>>,
    left: &mut [usize],
    rest: &mut Rest<'_, '_, S>,
) -> Option<InputError> {
    if left.is_empty() {
        return None;
    }
    left.sort_unstable();
    let single = single.get_or_insert_with(|| Single::new(sweep));
    let mut refused = None;
    for &member in &*left {
        refused = refused.or(single.run(sweep, member, rest).err());
    }
    refused
}
