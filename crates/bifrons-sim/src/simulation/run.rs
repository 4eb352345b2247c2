//! What a single run returns.

use bifrons_hybrid::{HybridSystem, UnknownName};
use bifrons_ode::{
    Failure, Flow, MemberEnd, MemberSink, Method, Options, Phase, Progress, Restart, Statistics,
    Step,
};

use super::{Kept, Last, Phases, Simulation};
use crate::checkpoint::Checkpoint;
use crate::events::{EventRecord, Outcome};
use crate::recorder::spill::RowTaker;
use crate::recording::{Mark, Policy};
use crate::report::{MemberReport, Status};
use crate::sink::LaneSink;

/// Rows, last state and cost of a single run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    names: Vec<String>,
    times: Vec<f64>,
    columns: Vec<Vec<f64>>,
    last_state: Vec<f64>,
    report: MemberReport,
    rhs: u64,
    phases: Vec<Phase>,
    marks: Vec<Mark>,
    last_discrete: Vec<f64>,
    outcome: Outcome,
    events: Vec<EventRecord>,
    events_dropped: u64,
    spilled: u64,
    held: Vec<(String, f64)>,
}

impl Run {
    pub(super) fn new<S: HybridSystem>(
        simulation: &Simulation<'_, S>,
        kept: Kept,
        spilled: u64,
    ) -> Self {
        let before = usize::try_from(spilled).unwrap_or(usize::MAX);
        let Kept {
            mut columns,
            mut steps,
            report,
            last,
            ..
        } = kept;
        let rows = report.rows as usize;
        let mut times = match &simulation.policy {
            Policy::Times { times, .. } => {
                let rest = times.iter().skip(before).take(rows);
                rest.copied().collect()
            }
            Policy::Final => vec![report.last_time],
            Policy::Steps { .. } | Policy::Reduce { .. } => Vec::new(),
        };
        let mut marks = Vec::new();
        if let Some(steps) = steps.pop() {
            times = steps.times;
            marks = steps.marks;
            columns = steps.columns;
        }
        times.truncate(rows);
        for column in &mut columns {
            column.truncate(rows);
        }
        let names = simulation.policy.column_names(&simulation.signals.names);
        Self {
            names,
            times,
            columns,
            last_state: last.state,
            report,
            rhs: last.rhs,
            phases: phases(simulation, last.changed),
            marks,
            last_discrete: last.discrete,
            outcome: outcome(simulation.system, &report),
            events: last.log,
            events_dropped: last.dropped,
            spilled,
            held: held(simulation.system, &last.held_at),
        }
    }

    /// Hands the rows that are left to a sink; they stay where they are not taken.
    pub(super) fn hand_over(&mut self, taker: &mut dyn RowTaker) {
        let rows = self.report.rows as usize;
        if self.times.is_empty() && rows == 1 {
            // A reduction.
            self.times.push(self.report.last_time);
        }
        let columns: Vec<&[f64]> = self.columns.iter().map(|own| &own[..rows]).collect();
        if rows == 0 || !taker.take(&self.times, &self.marks, &columns) {
            return;
        }
        self.spilled += rows as u64;
        self.report.rows = 0;
        self.times.clear();
        self.marks.clear();
        self.columns.iter_mut().for_each(Vec::clear);
    }

    /// Rows that a sink has taken, see [`Simulation::run_to`].
    #[must_use]
    pub const fn spilled(&self) -> u64 {
        self.spilled
    }

    /// How the run ended.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What happened, in order, if [`log_events`](crate::SimulationBuilder::log_events) asked.
    #[must_use]
    pub fn events(&self) -> &[EventRecord] {
        &self.events
    }

    /// Events that had no room in the log.
    #[must_use]
    pub const fn events_dropped(&self) -> u64 {
        self.events_dropped
    }

    /// The guards whose policy was entered ([`Hold`](crate::Hold)), and when last.
    pub fn held(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.held.iter().map(|(guard, t)| (&**guard, *t))
    }

    /// Per row at steps or events: which side of an event it shows. Empty for other recordings.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The discrete states at the end.
    #[must_use]
    pub fn last_discrete(&self) -> &[f64] {
        &self.last_discrete
    }

    /// Names of the recorded columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Times of the rows; empty for reductions.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The rows of a column.
    ///
    /// # Errors
    ///
    /// [`UnknownName`] if nothing was recorded under this name.
    pub fn signal(&self, name: &str) -> Result<&[f64], UnknownName> {
        Ok(&self.columns[find(&self.names, name)?])
    }

    /// Time of the last accepted state.
    #[must_use]
    pub const fn last_time(&self) -> f64 {
        self.report.last_time
    }

    /// The last accepted state, in the order of the system's schema.
    #[must_use]
    pub fn last_state(&self) -> &[f64] {
        &self.last_state
    }

    /// Outcome and counts.
    #[must_use]
    pub const fn report(&self) -> &MemberReport {
        &self.report
    }

    /// From when on the run took steps of which method, see
    /// [`RunMethod`](crate::RunMethod).
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Evaluations of the right-hand side.
    #[must_use]
    pub const fn rhs_count(&self) -> u64 {
        self.rhs
    }
}

fn phases<S: HybridSystem>(simulation: &Simulation<'_, S>, changed: Option<f64>) -> Vec<Phase> {
    let first = Phase {
        t: simulation.span.0,
        method: simulation.method.first(),
    };
    let second = changed.map(|t| Phase {
        t,
        method: Method::Rodas5P,
    });
    core::iter::once(first).chain(second).collect()
}

/// Names of the guards whose policy was entered, and when.
fn held<S: HybridSystem>(system: &S, held_at: &[f64]) -> Vec<(String, f64)> {
    let guards = system.events().guards().iter().zip(held_at);
    let entered = guards.filter(|(_, t)| !t.is_nan());
    entered
        .map(|(guard, &t)| (guard.name.to_string(), t))
        .collect()
}

/// How a member ended, in words.
fn outcome<S: HybridSystem>(system: &S, report: &MemberReport) -> Outcome {
    let guard = || {
        let guards = system.events().guards();
        let guard = report.guard().and_then(|guard| guards.get(guard));
        guard.map_or_else(String::new, |guard| guard.name.to_string())
    };
    let t = report.last_time;
    match report.status {
        Status::Reached => Outcome::Reached,
        Status::Terminated => Outcome::Terminated { guard: guard(), t },
        Status::Chattering => Outcome::Chattering { guard: guard(), t },
        Status::Failed | Status::NotRun => Outcome::Incomplete,
    }
}

/// Position of a recorded column.
pub(crate) fn find(names: &[String], name: &str) -> Result<usize, UnknownName> {
    names
        .iter()
        .position(|known| known == name)
        .ok_or_else(|| UnknownName {
            what: "recorded signal",
            name: name.to_owned(),
            owner: "record".to_owned(),
            nearest: names.first().cloned(),
        })
}

/// Passes everything to the recorder, keeps the last state, and pauses where that is wanted.
pub(crate) struct Guarded<'l, 'f, 'e, 'p, 'c, 'o, S: HybridSystem> {
    pub(super) sink: LaneSink<'e, 'p, 'c, 'o, S, 1>,
    pub(super) last: &'l mut Last,
    /// Asked after each step.
    pause: Option<&'f mut dyn FnMut(f64, u64) -> bool>,
    pub(super) paused: bool,
    pub(super) progress: Progress,
    /// When the recorder wants to see a step next; given at once where a run goes on.
    pub(super) next: Option<f64>,
    pub(super) accepted: u64,
    pub(super) end: f64,
    pub(super) direction: f64,
    pub(super) phases: Phases,
    /// Whether the method changes where it meets stiffness.
    pub(super) may_change: bool,
    /// The method changes now.
    changing: bool,
    /// Cost of the present method, where a run is paused.
    spent: Statistics,
    /// Budget of all methods together.
    max_steps: u64,
    /// Evaluations that each start of a method is said to have taken beyond the slope.
    probes: u64,
}

/// Where a run was paused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paused {
    pub(super) progress: Progress,
    pub(super) next: f64,
    /// Index of the next row.
    pub(super) row: usize,
    pub(super) last_time: f64,
    pub(super) phases: Phases,
    pub(super) spent: Statistics,
}

impl<'l, 'f, 'e, 'p, 'c, 'o, S: HybridSystem> Guarded<'l, 'f, 'e, 'p, 'c, 'o, S> {
    pub(crate) fn new(
        sink: LaneSink<'e, 'p, 'c, 'o, S, 1>,
        last: &'l mut Last,
        pause: Option<&'f mut dyn FnMut(f64, u64) -> bool>,
        resumed: Option<&Checkpoint>,
        (start, end): (f64, f64),
        options: &Options,
    ) -> Self {
        let phases = resumed.map_or_else(Phases::default, |checkpoint| *checkpoint.phases);
        Self {
            sink,
            last,
            pause,
            paused: false,
            progress: Progress::default(),
            next: resumed.map(|checkpoint| checkpoint.next),
            accepted: phases.before.accepted
                + resumed.map_or(0, |checkpoint| checkpoint.progress.to_bits()[3]),
            end,
            direction: if end < start { -1.0 } else { 1.0 },
            phases,
            may_change: false,
            changing: false,
            spent: Statistics::default(),
            max_steps: options.max_steps,
            probes: u64::from(options.initial_step.is_none()),
        }
    }

    pub(super) fn place(&self) -> Paused {
        Paused {
            progress: self.progress,
            next: self.next.unwrap_or(f64::NEG_INFINITY),
            row: self.sink.recorder.next[0],
            last_time: self.sink.recorder.last_time[0],
            phases: self.phases,
            spent: self.spent,
        }
    }

    /// The other method goes on at `t` after one that has cost `spent`.
    pub(super) fn change(&mut self, t: f64, spent: Statistics) {
        self.phases.changed = Some(t);
        self.phases.before = spent;
        self.phases.before.rhs -= self.probes;
    }

    /// Where the other method goes on, if the run ended for it.
    pub(super) fn take_change(&mut self) -> Option<Progress> {
        core::mem::take(&mut self.changing).then(|| self.progress.for_another_method())
    }

    /// Every step must be shown where a pause may be wanted after it.
    fn show(&mut self, next: f64) -> f64 {
        self.next = Some(next);
        if self.pause.is_some() {
            f64::NEG_INFINITY
        } else {
            next
        }
    }

    fn is_due(&self, t: f64) -> bool {
        self.next.is_none_or(|next| {
            if next.is_infinite() {
                next < 0.0
            } else {
                t * self.direction >= next * self.direction
            }
        })
    }
}

impl<S: HybridSystem> MemberSink<1> for Guarded<'_, '_, '_, '_, '_, '_, S> {
    fn begin(&mut self, lane: usize, member: usize, t0: f64, state: &[f64]) -> f64 {
        let next = match self.next {
            Some(next) => next,
            None => self.sink.begin(lane, member, t0, state),
        };
        self.show(next)
    }

    fn limit(&mut self, lane: usize, member: usize, t: f64, t_end: f64) -> f64 {
        self.sink.limit(lane, member, t, t_end)
    }

    fn step(&mut self, step: &Step<'_, 1>) -> Flow {
        if self.pause.is_none() {
            let flow = self.sink.step(step);
            if let Flow::Until(next) | Flow::Restart(Restart { next, .. }) = flow {
                self.next = Some(next);
            }
            return flow;
        }
        let t = step.t_new();
        self.accepted += 1;
        let flow = if self.is_due(t) {
            self.sink.step(step)
        } else {
            Flow::Until(self.next.unwrap_or(f64::NEG_INFINITY))
        };
        match flow {
            Flow::Until(next) => {
                let next = self.show(next);
                let accepted = self.accepted;
                if t.to_bits() != self.end.to_bits()
                    && self.pause.as_mut().is_some_and(|pause| pause(t, accepted))
                {
                    self.paused = true;
                    return Flow::Stop;
                }
                Flow::Until(next)
            }
            Flow::Restart(restart) => {
                let next = self.show(restart.next);
                Flow::Restart(Restart { next, ..restart })
            }
            Flow::Stop => Flow::Stop,
        }
    }

    fn is_stiff(&mut self, _lane: usize, _member: usize) -> bool {
        self.changing = self.may_change;
        self.changing
    }

    fn restart(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.sink.restart(lane, member, state);
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        let states = self.last.state.len();
        self.last.state.copy_from_slice(&end.state[..states]);
        self.progress = end.progress;
        if self.changing {
            return self.change(end.t, end.statistics);
        }
        self.spent = end.statistics;
        if self.paused {
            return;
        }
        let mut statistics = self.phases.before;
        statistics += end.statistics;
        self.last.rhs = statistics.rhs;
        self.last.changed = self.phases.changed;
        let budget = self.max_steps;
        self.sink.end(&MemberEnd {
            state: end.state,
            failure: end.failure.map(|failure| match failure {
                Failure::StepBudget { t, .. } => Failure::StepBudget { t, budget },
                failure => failure,
            }),
            statistics,
            ..*end
        });
        let place = end.member - self.sink.recorder.destination.first;
        let reports = &mut self.sink.recorder.destination.reports;
        reports[place].turned_stiff = self.phases.changed.is_some();
    }
}
