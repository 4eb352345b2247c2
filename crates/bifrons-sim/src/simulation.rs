//! One run.

mod phases;
mod resumed;
mod run;
mod spilled;

use std::cell::RefCell;

use bifrons_hybrid::{HybridSystem, Schema};
use bifrons_lanes::Level;
use bifrons_memory::{Footprint, Part};
use bifrons_ode::{EnsembleWorkspace, Options, Rodas5P, Tolerance};

use crate::adapter::{LaneWorkspace, LoopNotes, dimension};
use crate::checkpoint::{Advance, Checkpoint, CheckpointError, Fingerprint, ResumeError, Taken};
use crate::error::{BuildError, RunError};
use crate::events::{EventLanes, EventOptions, EventPlan, EventRecord};
use crate::method::RunMethod;
use crate::observer::{Observer, Signals};
use crate::parameters::{Parameters, Starts};
use crate::recorder::folds::Folds;
use crate::recorder::spill::RowTaker;
use crate::recorder::steps::StepRows;
use crate::recorder::{Destination, Recorder};
use crate::recording::{Policy, Recording};
use crate::report::{MemberFailure, MemberReport};
use crate::sink::LaneSink;

pub(crate) use phases::{Alone, Phases};
pub use run::Run;
pub(crate) use run::{Guarded, find};

/// A single run of a system, ready to start. Running it twice gives the same bits.
#[derive(Debug)]
pub struct Simulation<'s, S: HybridSystem> {
    pub(crate) system: &'s S,
    pub(crate) parameters: Parameters,
    pub(crate) signals: Signals,
    pub(crate) policy: Policy,
    pub(crate) span: (f64, f64),
    pub(crate) options: Options,
    pub(crate) method: RunMethod,
    pub(crate) events: Option<EventPlan>,
}

/// Settings of a [`Simulation`]; see [`Simulation::builder`].
#[derive(Debug, Clone)]
pub struct SimulationBuilder<'s, S> {
    system: &'s S,
    span: (f64, f64),
    backward: bool,
    values: Vec<(String, f64)>,
    starts: Vec<(String, f64)>,
    recording: Recording,
    options: Options,
    method: RunMethod,
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
            starts: Vec::new(),
            recording: Recording::final_values(),
            options: Options::default(),
            method: RunMethod::default(),
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
        let folds = Folds::footprint(&self.policy, self.signals.count(), 1);
        let numbers = match self.policy {
            Policy::Steps { .. } => StepRows::footprint(self.signals.count(), rows),
            _ => Footprint::of::<f64>(rows * columns),
        };
        Part::beside(
            "simulation",
            [
                Part::new("record", numbers),
                Part::new("samples", folds),
                Part::new("times", Footprint::of::<f64>(self.policy.times().len())),
                LaneWorkspace::<S, 1>::footprint(self.system),
                Observer::footprint(self.system, &self.signals),
                Part::new("integrator", integrator::<1>(self.system, self.method)),
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
        self.needs_no_sink()?;
        let mut kept = Kept::new(self);
        self.integrate(&mut kept, None, None, None);
        self.finish(kept)
    }

    /// Runs and asks `pause` after each accepted step at which nothing happens, with its time and
    /// the steps so far, whether to stop for now.
    ///
    /// Asking changes nothing. The run can be resumed, also in another process.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    ///
    /// # Examples
    ///
    /// ```
    /// # use bifrons_expr::Expr;
    /// # use bifrons_hybrid::EquationSystem;
    /// use bifrons_sim::{Advance, Checkpoint, Simulation};
    ///
    /// # let x = Expr::symbol("x");
    /// # let system = EquationSystem::builder("decay").state("x", -&x, 1.0).output("x", x);
    /// # let system = system.build()?.compile()?;
    /// let simulation = Simulation::builder(&system).span(0.0, 5.0).build()?;
    /// let Advance::Paused(checkpoint) = simulation.run_until(|t, _| t > 2.0)? else {
    ///     panic!("ended")
    /// };
    /// let bytes = checkpoint.to_bytes();
    /// let again = simulation.resume(&Checkpoint::from_bytes(&bytes)?)?;
    /// assert_eq!(again, simulation.run()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_until(&self, mut pause: impl FnMut(f64, u64) -> bool) -> Result<Advance, RunError> {
        self.needs_no_sink()?;
        let mut kept = Kept::new(self);
        match self.integrate(&mut kept, None, Some(&mut pause), None) {
            Some(checkpoint) => Ok(Advance::Paused(checkpoint)),
            None => self.finish(kept).map(Advance::Ended),
        }
    }

    /// Goes on where a run of this simulation was paused; the result is that of the run in one
    /// piece, bit for bit, its statistics included.
    ///
    /// # Errors
    ///
    /// [`ResumeError::Checkpoint`] for a checkpoint of another run; otherwise as
    /// [`run`](Self::run).
    pub fn resume(&self, checkpoint: &Checkpoint) -> Result<Run, ResumeError> {
        match self.resume_until(checkpoint, |_, _| false)? {
            Advance::Ended(run) => Ok(run),
            // Nobody has asked for it.
            Advance::Paused(checkpoint) => self.resume(&checkpoint),
        }
    }

    /// As [`resume`](Self::resume), and may be paused again as by [`run_until`](Self::run_until).
    ///
    /// # Errors
    ///
    /// As [`resume`](Self::resume).
    pub fn resume_until(
        &self,
        checkpoint: &Checkpoint,
        mut pause: impl FnMut(f64, u64) -> bool,
    ) -> Result<Advance, ResumeError> {
        self.needs_no_sink()?;
        checkpoint.fingerprint.check(&self.fingerprint())?;
        let states = self.system.schema().state_count();
        let other = |what| CheckpointError::OtherRun { what };
        if checkpoint.state.len() != states {
            return Err(other("system").into());
        }
        let discrete = resumed::discrete(self, checkpoint).ok_or(other("recording"))?;
        let slopes = self.slopes(checkpoint.time(), &checkpoint.state, &discrete);
        if !same_bits(&slopes, &checkpoint.slopes) {
            return Err(other("equations").into());
        }
        let mut kept = Kept::new(self);
        match self.integrate(&mut kept, Some(checkpoint), Some(&mut pause), None) {
            Some(checkpoint) => Ok(Advance::Paused(checkpoint)),
            None => Ok(self.finish(kept).map(Advance::Ended)?),
        }
    }

    /// The run, or the error with what was recorded.
    fn finish(&self, mut kept: Kept) -> Result<Run, RunError> {
        let failure = kept.failures.pop();
        let run = Run::new(self, kept, 0);
        match failure {
            None => Ok(run),
            Some((_, failure)) => Err(RunError {
                failure,
                partial: Box::new(run),
            }),
        }
    }

    fn integrate(
        &self,
        kept: &mut Kept,
        resumed: Option<&Checkpoint>,
        pause: Option<&mut dyn FnMut(f64, u64) -> bool>,
        spill: Option<&mut dyn RowTaker>,
    ) -> Option<Checkpoint> {
        let level = self.options.level.unwrap_or_else(Level::detect);
        let lanes = |plan| RefCell::new(EventLanes::new(self.system, plan, level));
        let events = self.events.as_ref().map(lanes);
        let mut place = Place::new(self.signals.count());
        if let Some(checkpoint) = resumed {
            resumed::restore(self, checkpoint, kept, &mut place, events.as_ref());
        }
        let paused = self.drive(kept, &mut place, events.as_ref(), resumed, (pause, spill));
        if let Some(paused) = paused {
            (place.next, place.last_time) = (paused.row, paused.last_time);
            return Some(resumed::save(self, kept, &paused, &place, events.as_ref()));
        }
        if let Some(events) = &events {
            kept.last.take(&mut events.borrow_mut());
        }
        None
    }

    /// Integrates to the end or to a pause.
    fn drive(
        &self,
        kept: &mut Kept,
        place: &mut Place,
        events: Option<&RefCell<EventLanes<'_, S, 1>>>,
        resumed: Option<&Checkpoint>,
        (pause, spill): (Pause<'_>, Option<&mut dyn RowTaker>),
    ) -> Option<run::Paused> {
        let schema = self.system.schema();
        let level = self.options.level.unwrap_or_else(Level::detect);
        let mut workspace = LaneWorkspace::<S, 1>::new(self.system, level);
        let mut observer = Observer::new(self.system, &self.parameters, &self.signals, level);
        let loops = LoopNotes::of(self.system);
        let (t0, t_end) = self.span;
        let recorder = Recorder {
            observer: &mut observer,
            policy: &self.policy,
            parameters: &self.parameters,
            parameter_name: &|i| parameter_name(schema, i),
            direction: if t_end < t0 { -1.0 } else { 1.0 },
            next: [place.next],
            last_time: [place.last_time],
            last_value: &mut place.last_value,
            steps: &mut kept.steps,
            folds: &mut kept.folds,
            full: [None],
            spill: spill.map(|spill| spill as &mut dyn RowTaker),
            filled: 0,
            destination: Destination {
                first: 0,
                columns: kept.columns.iter_mut().map(Vec::as_mut_slice).collect(),
                times: &mut [],
                reports: core::slice::from_mut(&mut kept.report),
            },
            failures: &mut kept.failures,
        };
        let sink = LaneSink {
            recorder,
            events,
            loops: loops.as_ref(),
        };
        let (last, span, options) = (&mut kept.last, self.span, &self.options);
        let mut sink = Guarded::new(sink, last, pause, resumed, span, options);
        let mut alone = Alone {
            system: self.system,
            parameters: &self.parameters,
            workspace: &mut workspace,
            events,
            loops: loops.as_ref(),
            span,
            options,
            method: self.method,
        };
        let solved = alone.run(0, &mut sink, resumed);
        debug_assert!(
            solved.is_ok(),
            "options were checked by the builder: {solved:?}"
        );
        sink.paused.then(|| sink.place())
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&Taken {
            system: self.system,
            parameters: &self.parameters,
            span: &self.span,
            options: &self.options,
            method: self.method,
            recording: &(&self.policy, &self.signals),
            events: &self.events,
        })
    }

    /// Derivatives at a point, for the only member.
    fn slopes(&self, t: f64, state: &[f64], discrete: &[f64]) -> Vec<f64> {
        let mut workspace = self.system.workspace::<1>(Level::Baseline);
        let mut parameters = vec![0.0; self.parameters.count()];
        self.parameters.fill(0, &mut parameters);
        self.system
            .set_values(&mut workspace, 0, &parameters, discrete);
        let mut slopes = vec![0.0; state.len()];
        let (x, dx) = (state.as_chunks::<1>().0, slopes.as_chunks_mut::<1>().0);
        self.system.derivatives(&mut workspace, &[t], x, dx);
        slopes
    }
}

/// Asked after a step whether to stop for now.
type Pause<'p> = Option<&'p mut dyn FnMut(f64, u64) -> bool>;

/// Where the recorder stands.
#[derive(Debug)]
struct Place {
    next: usize,
    last_time: f64,
    last_value: Vec<[f64; 1]>,
}

impl Place {
    fn new(signals: usize) -> Self {
        Self {
            next: 0,
            last_time: 0.0,
            last_value: vec![[0.0]; signals],
        }
    }
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    bits(a) == bits(b)
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
    pub(crate) folds: Vec<Folds>,
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
        let (rows, steps) = match simulation.policy {
            Policy::Steps { capacity, .. } => {
                (0, vec![StepRows::new(simulation.signals.count(), capacity)])
            }
            _ => (simulation.policy.rows(), Vec::new()),
        };
        Self {
            columns: vec![vec![0.0; rows]; columns],
            steps,
            folds: Folds::lanes(&simulation.policy, simulation.signals.count(), 1),
            report: MemberReport::default(),
            last: Last::new(simulation.system),
            failures: Vec::new(),
        }
    }
}

/// The last state and the evaluations of a run.
#[derive(Debug)]
pub(crate) struct Last {
    pub(crate) state: Vec<f64>,
    pub(crate) rhs: u64,
    /// When the method changed.
    pub(crate) changed: Option<f64>,
    pub(crate) discrete: Vec<f64>,
    pub(crate) log: Vec<EventRecord>,
    pub(crate) dropped: u64,
    /// Per guard: when its policy was entered last, or NaN.
    pub(crate) held_at: Vec<f64>,
}

impl Last {
    pub(crate) fn new(system: &impl HybridSystem) -> Self {
        Self {
            state: vec![0.0; system.schema().state_count()],
            rhs: 0,
            changed: None,
            discrete: vec![0.0; system.events().discretes().len()],
            log: Vec::new(),
            dropped: 0,
            held_at: Vec::new(),
        }
    }

    /// Keeps what events leave behind.
    fn take<S: HybridSystem>(&mut self, events: &mut EventLanes<'_, S, 1>) {
        self.discrete.copy_from_slice(events.discrete(0));
        (self.log, self.dropped) = events.take_log(0);
        self.held_at = events.held_at(0).to_vec();
    }
}

/// Memory of the method on `W` lanes, on one lane also of the larger one that it may change to.
pub(crate) fn integrator<const W: usize>(
    system: &impl HybridSystem,
    method: RunMethod,
) -> Footprint {
    let n = dimension(system);
    let is_alone = W == 1 && method.may_change(n);
    if method == RunMethod::Rodas5P || is_alone {
        return EnsembleWorkspace::<W>::footprint_for_method::<Rodas5P>(n, 0);
    }
    EnsembleWorkspace::<W>::footprint(n)
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

    /// Where a continuous or discrete state starts, in place of what the system says.
    #[must_use]
    pub fn initial(mut self, state: impl Into<String>, value: f64) -> Self {
        self.starts.push((state.into(), value));
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

    /// The method, or how it is chosen. Default: [`RunMethod::Automatic`].
    #[must_use]
    pub fn method(mut self, method: RunMethod) -> Self {
        self.method = method;
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
        let starts = Starts::new(self.system, self.starts, Vec::new(), 1)?;
        if let Some((name, value)) = starts.bad(0) {
            let name = name.to_owned();
            return Err(BuildError::Start { name, value });
        }
        let parameters = Parameters::new(schema, &self.values, Vec::new(), 1)?;
        let parameters = parameters.with_starts(starts);
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
                range: schema.parameter_range(bad),
            });
        }
        let options = resolve(self.options, self.tolerance, schema.state_count())?;
        self.method.check(schema.state_count())?;
        let signals = Signals::new(self.system, &self.recording)?;
        let policy = self.recording.resolve(span.0, span.1)?;
        policy.check_columns(&signals.names)?;
        let events = EventPlan::new(self.system, span, &self.events, self.log)?;
        Ok(Simulation {
            system: self.system,
            parameters,
            signals,
            policy,
            span,
            options,
            method: self.method,
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
