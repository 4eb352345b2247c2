//! One run.

mod run;

use std::cell::RefCell;

use bifrons_hybrid::{HybridSystem, Schema};
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, Options, Tolerance, solve_members};

use crate::adapter::{LaneWorkspace, Members, dimension};
use crate::error::{BuildError, RunError};
use crate::events::{EventLanes, EventOptions, EventPlan, EventRecord};
use crate::observer::{Observer, Signals};
use crate::parameters::Parameters;
use crate::recorder::steps::StepRows;
use crate::recorder::{Destination, Recorder};
use crate::recording::{Policy, Recording};
use crate::report::{MemberFailure, MemberReport};
use crate::sink::LaneSink;

pub use run::Run;
pub(crate) use run::find;

/// A single run of a system, ready to start. Running it twice gives the same bits.
#[derive(Debug)]
pub struct Simulation<'s, S: HybridSystem> {
    pub(crate) system: &'s S,
    pub(crate) parameters: Parameters,
    pub(crate) signals: Signals,
    pub(crate) policy: Policy,
    pub(crate) span: (f64, f64),
    pub(crate) options: Options,
    pub(crate) events: Option<EventPlan>,
}

/// Settings of a [`Simulation`]; see [`Simulation::builder`].
#[derive(Debug, Clone)]
pub struct SimulationBuilder<'s, S> {
    system: &'s S,
    span: (f64, f64),
    backward: bool,
    values: Vec<(String, f64)>,
    recording: Recording,
    options: Options,
    tolerance: Option<(f64, Vec<f64>)>,
    events: EventOptions,
    log: Option<usize>,
}

impl<'s, S: HybridSystem> Simulation<'s, S> {
    /// A run of `system` over the span from 0 to 1 that keeps the final values; change what you
    /// need, then [`build`](SimulationBuilder::build).
    pub fn builder(system: &'s S) -> SimulationBuilder<'s, S> {
        SimulationBuilder {
            system,
            span: (0.0, 1.0),
            backward: false,
            values: Vec::new(),
            recording: Recording::final_values(),
            options: Options::default(),
            tolerance: None,
            events: EventOptions::default(),
            log: None,
        }
    }

    /// What a run allocates, part by part. A record of every step without a capacity grows with
    /// the steps and is not in it.
    #[must_use]
    pub fn footprint(&self) -> Part {
        let columns = self.policy.column_names(&self.signals.names).len();
        let rows = self.policy.rows();
        let numbers = match self.policy {
            Policy::Steps { .. } => StepRows::footprint(self.signals.count(), rows),
            _ => Footprint::of::<f64>(rows * columns),
        };
        Part::beside(
            "simulation",
            [
                Part::new("record", numbers),
                Part::new("times", Footprint::of::<f64>(self.policy.times().len())),
                LaneWorkspace::<S, 1>::footprint(self.system),
                Observer::footprint(self.system, &self.signals),
                Part::new("integrator", integrator::<1>(self.system)),
                events_footprint::<S, 1>(self.system, self.events.as_ref()),
            ],
        )
    }

    /// Runs.
    ///
    /// # Errors
    ///
    /// [`RunError`] with everything that was recorded, if the end is not reached.
    pub fn run(&self) -> Result<Run, RunError> {
        let mut kept = Kept::new(self);
        self.integrate(&mut kept);
        let failure = kept.failures.pop();
        let run = Run::new(self, kept);
        match failure {
            None => Ok(run),
            Some((_, failure)) => Err(RunError {
                failure,
                partial: Box::new(run),
            }),
        }
    }

    fn integrate(&self, kept: &mut Kept) {
        let schema = self.system.schema();
        let level = self.options.level.unwrap_or_else(Level::detect);
        let mut workspace = LaneWorkspace::<S, 1>::new(self.system, level);
        let mut observer = Observer::new(self.system, &self.parameters, &self.signals, level);
        let mut ensemble = EnsembleWorkspace::<1>::new(dimension(self.system));
        let lanes = |plan| RefCell::new(EventLanes::new(self.system, plan, level));
        let events = self.events.as_ref().map(lanes);
        let direction = if self.span.1 < self.span.0 { -1.0 } else { 1.0 };
        let recorder = Recorder {
            observer: &mut observer,
            policy: &self.policy,
            parameters: &self.parameters,
            parameter_name: &|i| parameter_name(schema, i),
            direction,
            next: [0],
            last_time: [0.0],
            last_value: &mut vec![[0.0]; self.signals.count()],
            steps: &mut kept.steps,
            full: [None],
            destination: Destination {
                first: 0,
                columns: kept.columns.iter_mut().map(Vec::as_mut_slice).collect(),
                times: &mut [],
                reports: core::slice::from_mut(&mut kept.report),
            },
            failures: &mut kept.failures,
        };
        let mut sink = run::KeepLastState {
            sink: LaneSink {
                recorder,
                events: events.as_ref(),
            },
            last: &mut kept.last,
        };
        let mut members = Members {
            system: self.system,
            parameters: &self.parameters,
            workspace: &mut workspace,
            t0: self.span.0,
            events: events.as_ref(),
        };
        let solved = solve_members(
            &mut members,
            0..1,
            self.span.0,
            self.span.1,
            &self.options,
            &mut ensemble,
            &mut sink,
        );
        debug_assert!(
            solved.is_ok(),
            "options were checked by the builder: {solved:?}"
        );
        if let Some(events) = &events {
            kept.last.take(&mut events.borrow_mut());
        }
    }
}

/// Name of a parameter, for messages.
pub(crate) fn parameter_name(schema: &Schema, index: usize) -> String {
    let mut names = schema.parameter_names();
    names.nth(index).unwrap_or_default().to_owned()
}

/// What a run leaves behind.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) steps: Vec<StepRows>,
    pub(crate) report: MemberReport,
    pub(crate) last: Last,
    failures: Vec<(usize, MemberFailure)>,
}

impl Kept {
    fn new<S: HybridSystem>(simulation: &Simulation<'_, S>) -> Self {
        let columns = simulation
            .policy
            .column_names(&simulation.signals.names)
            .len();
        let states = simulation.system.schema().state_count();
        let (rows, steps) = match simulation.policy {
            Policy::Steps { capacity, .. } => {
                (0, vec![StepRows::new(simulation.signals.count(), capacity)])
            }
            _ => (simulation.policy.rows(), Vec::new()),
        };
        Self {
            columns: vec![vec![0.0; rows]; columns],
            steps,
            report: MemberReport::default(),
            last: Last {
                state: vec![0.0; states],
                rhs: 0,
                discrete: vec![0.0; simulation.system.events().discretes().len()],
                log: Vec::new(),
                dropped: 0,
            },
            failures: Vec::new(),
        }
    }
}

/// The last state and the evaluations of a run.
#[derive(Debug)]
pub(crate) struct Last {
    pub(crate) state: Vec<f64>,
    pub(crate) rhs: u64,
    pub(crate) discrete: Vec<f64>,
    pub(crate) log: Vec<EventRecord>,
    pub(crate) dropped: u64,
}

impl Last {
    /// Keeps what events leave behind.
    fn take<S: HybridSystem>(&mut self, events: &mut EventLanes<'_, S, 1>) {
        self.discrete.copy_from_slice(events.discrete(0));
        (self.log, self.dropped) = events.take_log(0);
    }
}

pub(crate) fn integrator<const W: usize>(system: &impl HybridSystem) -> Footprint {
    EnsembleWorkspace::<W>::footprint(dimension(system))
}

/// Memory of the events of `W` lanes.
pub(crate) fn events_footprint<S: HybridSystem, const W: usize>(
    system: &S,
    plan: Option<&EventPlan>,
) -> Part {
    match plan {
        Some(plan) => EventLanes::<S, W>::footprint(system, plan),
        None => Part::new("events", Footprint::ZERO),
    }
}

impl<'s, S: HybridSystem> SimulationBuilder<'s, S> {
    /// From `t0` to `t_end`; equal times give the initial sample only.
    #[must_use]
    pub fn span(mut self, t0: f64, t_end: f64) -> Self {
        self.span = (t0, t_end);
        self.backward = false;
        self
    }

    /// From `t0` back to an earlier `t_end`.
    #[must_use]
    pub fn backward_span(mut self, t0: f64, t_end: f64) -> Self {
        self.span = (t0, t_end);
        self.backward = true;
        self
    }

    /// The value of a parameter; the others have their defaults.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: f64) -> Self {
        self.values.push((name.into(), value));
        self
    }

    /// What is kept.
    #[must_use]
    pub fn record(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Relative and absolute tolerance, see [`Tolerance`]. Default: 1e-6 and 1e-9.
    #[must_use]
    pub fn tolerance(mut self, relative: f64, absolute: f64) -> Self {
        self.tolerance = Some((relative, vec![absolute]));
        self
    }

    /// Relative tolerance and one absolute tolerance per state.
    #[must_use]
    pub fn tolerances(mut self, relative: f64, absolute: &[f64]) -> Self {
        self.tolerance = Some((relative, absolute.to_vec()));
        self
    }

    /// Settings of the solver beside the tolerances.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// How events are found, and how many of them are too many.
    #[must_use]
    pub fn events(mut self, events: EventOptions) -> Self {
        self.events = events;
        self
    }

    /// Logs the first `capacity` firings of guards and instants of clocks, see [`Run::events`].
    /// Default: none.
    #[must_use]
    pub fn log_events(mut self, capacity: usize) -> Self {
        self.log = Some(capacity);
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    ///
    /// A [`BuildError`] that names the thing, the value and the fix.
    pub fn build(self) -> Result<Simulation<'s, S>, BuildError> {
        let schema = self.system.schema();
        let span = check_span(self.span, self.backward)?;
        let parameters = Parameters::new(schema, &self.values, Vec::new(), 1)?;
        let mut values = vec![0.0; parameters.count()];
        if let Some(bad) = parameters.fill(0, &mut values) {
            let name = schema
                .parameter_names()
                .nth(bad)
                .unwrap_or_default()
                .to_owned();
            return Err(BuildError::Parameter {
                name,
                value: values[bad],
            });
        }
        let options = resolve(self.options, self.tolerance, schema.state_count())?;
        let signals = Signals::new(self.system, self.recording.signals.as_deref())?;
        let policy = self.recording.resolve(span.0, span.1)?;
        let events = EventPlan::new(self.system, span, &self.events, self.log)?;
        Ok(Simulation {
            system: self.system,
            parameters,
            signals,
            policy,
            span,
            options,
            events,
        })
    }
}

/// Finite, and not backwards by accident.
pub(crate) fn check_span(span: (f64, f64), backward: bool) -> Result<(f64, f64), BuildError> {
    let (start, end) = span;
    for (which, value) in [("start", start), ("end", end)] {
        if !value.is_finite() {
            return Err(BuildError::SpanNotFinite { which, value });
        }
    }
    if end < start && !backward {
        return Err(BuildError::SpanReversed { start, end });
    }
    Ok(span)
}

/// Options with the tolerance put in, checked against the number of states.
pub(crate) fn resolve(
    mut options: Options,
    tolerance: Option<(f64, Vec<f64>)>,
    states: usize,
) -> Result<Options, BuildError> {
    if let Some((relative, absolute)) = tolerance {
        options.tolerance = Tolerance::per_component(relative, &absolute)?;
    }
    options.check_for(states)?;
    Ok(options)
}
