//! Settings of a sweep.

use std::ops::ControlFlow;

use bifrons_hybrid::HybridSystem;
use bifrons_lanes::LANES;
use bifrons_memory::Budget;
use bifrons_ode::Options;
use bifrons_parallel::Threads;

use super::{Progress, Sweep};
use crate::error::BuildError;
use crate::events::{EventOptions, EventPlan};
use crate::method::RunMethod;
use crate::observer::Signals;
use crate::parameters::{Parameters, Starts};
use crate::recording::{Policy, Recording};
use crate::simulation::{check_span, resolve};

/// Settings of a [`Sweep`]; see [`Sweep::builder`].
pub struct SweepBuilder<'s, S> {
    system: &'s S,
    span: (f64, f64),
    backward: bool,
    values: Vec<(String, f64)>,
    columns: Vec<(String, Vec<f64>)>,
    starts: Vec<(String, f64)>,
    start_columns: Vec<(String, Vec<f64>)>,
    members: Option<usize>,
    recording: Recording,
    options: Options,
    method: RunMethod,
    tolerance: Option<(f64, Vec<f64>)>,
    threads: Threads,
    budget: Budget,
    chunk: Option<usize>,
    lanes: usize,
    progress: Option<Box<Progress<'s>>>,
    events: EventOptions,
}

impl<S: HybridSystem> core::fmt::Debug for SweepBuilder<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SweepBuilder")
            .field("system", &self.system.schema().name())
            .field("span", &self.span)
            .field(
                "columns",
                &self
                    .columns
                    .iter()
                    .map(|(name, _)| name)
                    .collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

impl<'s, S: HybridSystem> SweepBuilder<'s, S> {
    pub(super) fn new(system: &'s S) -> Self {
        Self {
            system,
            span: (0.0, 1.0),
            backward: false,
            values: Vec::new(),
            columns: Vec::new(),
            starts: Vec::new(),
            start_columns: Vec::new(),
            members: None,
            recording: Recording::final_values(),
            options: Options::default(),
            method: RunMethod::default(),
            tolerance: None,
            threads: Threads::one(),
            budget: Budget::default(),
            chunk: None,
            lanes: LANES,
            progress: None,
            events: EventOptions::default(),
        }
    }

    /// From `t0` to `t_end`, the same for all members.
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

    /// One value of a parameter for all members.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: f64) -> Self {
        self.values.push((name.into(), value));
        self
    }

    /// One value of a parameter (also of a start value, which is a parameter) per member.
    ///
    /// A value that is NaN or infinite fails its member only.
    #[must_use]
    pub fn column(mut self, name: impl Into<String>, values: Vec<f64>) -> Self {
        self.columns.push((name.into(), values));
        self
    }

    /// Where a continuous or discrete state starts in all members, in place of what the system
    /// says.
    #[must_use]
    pub fn initial(mut self, state: impl Into<String>, value: f64) -> Self {
        self.starts.push((state.into(), value));
        self
    }

    /// Where a continuous or discrete state starts, one value per member.
    ///
    /// A value that is NaN or infinite fails its member only.
    #[must_use]
    pub fn initial_column(mut self, state: impl Into<String>, values: Vec<f64>) -> Self {
        self.start_columns.push((state.into(), values));
        self
    }

    /// Number of members. Default: the length of the first column, or one without columns.
    #[must_use]
    pub fn members(mut self, members: usize) -> Self {
        self.members = Some(members);
        self
    }

    /// What is kept of each member.
    #[must_use]
    pub fn record(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Relative and absolute tolerance of each member. Default: 1e-6 and 1e-9.
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

    /// Threads that share the chunks. Default: one.
    #[must_use]
    pub fn threads(mut self, threads: Threads) -> Self {
        self.threads = threads;
        self
    }

    /// Bound on what the run allocates. Default: 80 % of what the machine or its control group
    /// has left when the plan is made.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Members of a chunk, the unit that a thread takes. Default: as the plan chooses.
    #[must_use]
    pub fn chunk(mut self, width: usize) -> Self {
        self.chunk = Some(width);
        self
    }

    /// Members that a thread advances together: 16 (default) or 1. The results are the same bits.
    #[must_use]
    pub fn lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes;
        self
    }

    /// Called after each chunk, from the thread that ran it, with the members done and all
    /// members; `Break` stops the sweep and keeps what was done.
    #[must_use]
    pub fn progress(
        mut self,
        progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync + 's,
    ) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The method of each member, or how it is chosen. Default: [`RunMethod::Automatic`].
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

    /// Checks everything.
    ///
    /// # Errors
    ///
    /// A [`BuildError`] that names the thing, the value and the fix.
    pub fn build(self) -> Result<Sweep<'s, S>, BuildError> {
        let schema = self.system.schema();
        let span = check_span(self.span, self.backward)?;
        let columns = self.columns.iter().chain(&self.start_columns);
        let first = columns.map(|(_, column)| column.len()).next();
        let members = self.members.or(first).unwrap_or(1);
        let starts = Starts::new(self.system, self.starts, self.start_columns, members)?;
        let parameters = Parameters::new(schema, &self.values, self.columns, members)?;
        let parameters = parameters.with_starts(starts);
        let options = resolve(self.options, self.tolerance, schema.state_count())?;
        self.method.check(schema.state_count())?;
        let signals = Signals::new(self.system, &self.recording)?;
        let policy = self.recording.resolve(span.0, span.1)?;
        policy.check_columns(&signals.names)?;
        if matches!(policy, Policy::Steps { capacity: None, .. }) {
            return Err(BuildError::Unbounded);
        }
        if policy.spills() {
            return Err(BuildError::SpillInSweep);
        }
        if self.chunk == Some(0) {
            return Err(BuildError::ZeroChunk);
        }
        if self.lanes != 1 && self.lanes != LANES {
            return Err(BuildError::Lanes { found: self.lanes });
        }
        let events = EventPlan::new(self.system, span, &self.events, None)?;
        Ok(Sweep {
            events,
            system: self.system,
            parameters,
            members,
            signals,
            policy,
            span,
            options,
            method: self.method,
            threads: self.threads,
            budget: self.budget,
            chunk: self.chunk,
            lanes: self.lanes,
            progress: self.progress,
        })
    }
}
