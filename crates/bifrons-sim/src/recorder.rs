//! Receives the steps of members and writes their rows.

pub(crate) mod folds;
pub(crate) mod spill;
pub(crate) mod steps;

use bifrons_hybrid::HybridSystem;
use bifrons_ode::{Failure, Flow, MemberEnd, Step};

use crate::events::Ending;
use crate::observer::{BLOCK, Observer};
use crate::parameters::Parameters;
use crate::recording::{Mark, Policy, Reduction};
use crate::report::{MemberFailure, MemberReport, Status};
use crate::times::due;
use folds::{Folds, quantile};
use spill::RowTaker;
use steps::{Offered, StepRows};

/// Where the rows of a chunk of members go.
pub(crate) struct Destination<'c> {
    /// First member of the chunk.
    pub(crate) first: usize,
    /// One slice per column, member by member, `Policy::rows` numbers each.
    pub(crate) columns: Vec<&'c mut [f64]>,
    /// Times of rows at steps, like a column; empty for the other policies.
    pub(crate) times: &'c mut [f64],
    pub(crate) reports: &'c mut [MemberReport],
}

/// Records the members of a chunk on `W` lanes.
pub(crate) struct Recorder<'c, 'o, S: HybridSystem, const W: usize> {
    pub(crate) observer: &'c mut Observer<'o, S>,
    pub(crate) policy: &'c Policy,
    pub(crate) parameters: &'c Parameters,
    pub(crate) parameter_name: &'c dyn Fn(usize) -> String,
    /// Direction of the run.
    pub(crate) direction: f64,
    /// Index of the next time of each lane.
    pub(crate) next: [usize; W],
    /// Time of the last sample of each lane, for integrals.
    pub(crate) last_time: [f64; W],
    /// Last sample of each signal and lane, for integrals.
    pub(crate) last_value: &'c mut [[f64; W]],
    /// Rows at steps of each lane; empty for the other policies.
    pub(crate) steps: &'c mut [StepRows],
    /// What reductions carry along, of each lane; empty where they need nothing.
    pub(crate) folds: &'c mut [Folds],
    /// The first row that did not fit, of each lane.
    pub(crate) full: [Option<f64>; W],
    /// Takes full blocks, in runs of one member.
    pub(crate) spill: Option<&'c mut dyn RowTaker>,
    /// Rows of the block at given times, in runs of one member.
    pub(crate) filled: usize,
    pub(crate) destination: Destination<'c>,
    pub(crate) failures: &'c mut Vec<(usize, MemberFailure)>,
}

impl<S: HybridSystem, const W: usize> Recorder<'_, '_, S, W> {
    /// A member starts; returns when to show a step first.
    pub(crate) fn begin(
        &mut self,
        lane: usize,
        member: usize,
        t0: f64,
        state: &[f64],
        discrete: &[f64],
    ) -> f64 {
        self.next[lane] = 0;
        self.full[lane] = None;
        if let Some(steps) = self.steps.get_mut(lane) {
            steps.clear();
        }
        if state.iter().any(|x| !x.is_finite()) {
            // The driver ends this member at once.
            return f64::INFINITY;
        }
        match self.policy {
            Policy::Final => f64::INFINITY,
            Policy::Steps { events_only, .. } => {
                if *events_only {
                    return f64::INFINITY;
                }
                self.observer.fill_at(member, t0, state, discrete);
                self.offer(lane, t0, Mark::Step);
                f64::NEG_INFINITY
            }
            Policy::Times { times, .. } | Policy::Reduce { times, .. } => {
                let end = due(times, 0, t0, self.direction);
                if end > 0 {
                    self.observer.fill_at(member, t0, state, discrete);
                    for index in 0..end {
                        self.take(lane, member, index, &[t0]);
                    }
                }
                self.next[lane] = end;
                times.get(end).copied().unwrap_or(f64::INFINITY)
            }
        }
    }

    /// A step without events.
    pub(crate) fn step(&mut self, step: &Step<'_, W>, discrete: &[f64]) -> Flow {
        let (lane, t_new) = (step.lane(), step.t_new());
        match self.policy {
            Policy::Final => Flow::Until(f64::INFINITY),
            Policy::Steps { events_only, .. } => {
                if *events_only {
                    return Flow::Until(f64::INFINITY);
                }
                self.observer.fill(step, &[t_new], discrete);
                match self.offer(lane, t_new, Mark::Step) {
                    Offered::Ok => Flow::Until(f64::NEG_INFINITY),
                    Offered::Full => Flow::Stop,
                }
            }
            Policy::Times { times, .. } | Policy::Reduce { times, .. } => {
                let end = due(times, self.next[lane], t_new, self.direction);
                self.take_within(step, times, end, discrete);
                if self.has_failed() {
                    return Flow::Stop;
                }
                Flow::Until(times.get(end).copied().unwrap_or(f64::INFINITY))
            }
        }
    }

    /// The part of a step before an event at `t`, and the values just before it.
    pub(crate) fn before_event(&mut self, step: &Step<'_, W>, t: f64, discrete: &[f64]) {
        match self.policy {
            Policy::Final => {}
            Policy::Steps { .. } => {
                self.observer.fill(step, &[t], discrete);
                self.offer(step.lane(), t, Mark::Before);
            }
            Policy::Times { times, .. } | Policy::Reduce { times, .. } => {
                let mut end = due(times, self.next[step.lane()], t, self.direction);
                while end > self.next[step.lane()] && times[end - 1].to_bits() == t.to_bits() {
                    end -= 1;
                }
                self.take_within(step, times, end, discrete);
            }
        }
    }

    /// The values just after an event at `t`; whether the recording goes on.
    pub(crate) fn after_event(
        &mut self,
        (lane, member): (usize, usize),
        t: f64,
        state: &[f64],
        discrete: &[f64],
    ) -> Flow {
        match self.policy {
            Policy::Final => Flow::Until(f64::INFINITY),
            Policy::Steps { events_only, .. } => {
                self.observer.fill_at(member, t, state, discrete);
                match (self.offer(lane, t, Mark::After), events_only) {
                    (Offered::Full, _) => Flow::Stop,
                    (Offered::Ok, true) => Flow::Until(f64::INFINITY),
                    (Offered::Ok, false) => Flow::Until(f64::NEG_INFINITY),
                }
            }
            Policy::Times { times, .. } | Policy::Reduce { times, .. } => {
                let start = self.next[lane];
                let end = due(times, start, t, self.direction);
                if start < end {
                    self.observer.fill_at(member, t, state, discrete);
                }
                for index in start..end {
                    self.take(lane, member, index, &[t]);
                }
                self.next[lane] = end;
                if self.has_failed() {
                    return Flow::Stop;
                }
                Flow::Until(times.get(end).copied().unwrap_or(f64::INFINITY))
            }
        }
    }

    /// Rows up to index `end` from the dense output of a step.
    fn take_within(&mut self, step: &Step<'_, W>, times: &[f64], end: usize, discrete: &[f64]) {
        let lane = step.lane();
        let mut start = self.next[lane];
        while start < end {
            let stop = end.min(start + BLOCK);
            let block = &times[start..stop];
            self.observer.fill(step, block, discrete);
            self.take(lane, step.member(), start, block);
            start = stop;
        }
        self.next[lane] = end;
    }

    /// A member ended, by its events if `ending` says so.
    pub(crate) fn end(
        &mut self,
        end: &MemberEnd<'_>,
        discrete: &[f64],
        ending: Option<&Ending>,
        events: u64,
    ) {
        let (lane, member) = (end.lane, end.member);
        let (rows, dropped) = match self.policy {
            Policy::Final => (usize::from(self.take_final(end, discrete)), 0),
            Policy::Times { block: Some(_), .. } => (self.filled, 0),
            Policy::Times { times, due, .. } => (self.next[lane], (due - times.len()) as u64),
            Policy::Reduce { reductions, .. } => {
                let samples = self.next[lane];
                self.finish_reductions(reductions, (lane, member), samples);
                (usize::from(samples > 0), 0)
            }
            Policy::Steps { .. } => {
                let dropped = self.steps[lane].finish();
                (self.store_steps(lane, member), dropped)
            }
        };
        let failure = match ending {
            Some(Ending::Failed(failure)) => Some(failure.clone()),
            _ => self.failure(end),
        };
        let mut report = MemberReport::new(end, rows, dropped);
        report.events = u32::try_from(events).unwrap_or(u32::MAX);
        match ending {
            Some(&Ending::Terminated { guard }) => report.end_by(Status::Terminated, guard),
            Some(&Ending::Chattering { guard }) => report.end_by(Status::Chattering, guard),
            _ => {}
        }
        if let Some(failure) = failure {
            report.status = Status::Failed;
            self.failures.push((member, failure));
        }
        self.destination.reports[member - self.destination.first] = report;
    }

    fn failure(&self, end: &MemberEnd<'_>) -> Option<MemberFailure> {
        if self.has_failed() {
            return Some(MemberFailure::Sink { t: end.t });
        }
        if let Some(t) = self.full[end.lane] {
            return Some(MemberFailure::TooManyRows {
                rows: self.policy.rows(),
                t,
            });
        }
        let failure = end.failure?;
        if matches!(failure, Failure::InitialState { .. }) {
            if let Some((name, value)) = self.parameters.starts().bad(end.member) {
                let name = name.to_owned();
                return Some(MemberFailure::Start { name, value });
            }
            let mut parameters = vec![0.0; self.parameters.count()];
            if let Some(bad) = self.parameters.fill(end.member, &mut parameters) {
                let name = (self.parameter_name)(bad);
                return Some(MemberFailure::Parameter {
                    name,
                    value: parameters[bad],
                    range: self.parameters.range(bad),
                });
            }
        }
        Some(failure.into())
    }

    fn offer(&mut self, lane: usize, t: f64, mark: Mark) -> Offered {
        if let Some(spill) = &mut self.spill
            && self.steps[lane].must_spill()
            && !self.steps[lane].spill_to(&mut **spill)
        {
            return Offered::Full;
        }
        let observer = &*self.observer;
        let offered = self.steps[lane].offer(t, mark, |signal| observer.values(signal, 1)[0]);
        if offered == Offered::Full {
            self.full[lane] = Some(t);
        }
        offered
    }

    /// Takes the block of the observer as the rows from `index` on.
    fn take(&mut self, lane: usize, member: usize, index: usize, times: &[f64]) {
        let at = member - self.destination.first;
        match self.policy {
            Policy::Reduce { reductions, .. } => {
                self.reduce(reductions, (lane, at), index, times);
            }
            Policy::Times {
                times: grid,
                block: Some(block),
                ..
            } => self.take_block(index, times.len(), grid, *block),
            policy => {
                let offset = at * policy.rows() + index;
                let rows = times.len();
                for (signal, column) in self.destination.columns.iter_mut().enumerate() {
                    let values = self.observer.values(signal, rows);
                    column[offset..offset + rows].copy_from_slice(values);
                }
            }
        }
    }

    /// Takes the block of the observer as the rows from `index` on, and hands over full blocks.
    fn take_block(&mut self, index: usize, rows: usize, grid: &[f64], block: usize) {
        let mut done = 0;
        while done < rows {
            if self.filled == block && !self.hand_over(&grid[..index + done]) {
                return;
            }
            let count = (rows - done).min(block - self.filled);
            let place = self.filled..self.filled + count;
            for (signal, column) in self.destination.columns.iter_mut().enumerate() {
                let values = &self.observer.values(signal, rows)[done..done + count];
                column[place.clone()].copy_from_slice(values);
            }
            self.filled += count;
            done += count;
        }
    }

    /// Hands over the block, whose times are the last ones of `before`.
    fn hand_over(&mut self, before: &[f64]) -> bool {
        let filled = self.filled;
        let Some(spill) = &mut self.spill else {
            return false;
        };
        let columns = self.destination.columns.iter();
        let columns: Vec<&[f64]> = columns.map(|column| &column[..filled]).collect();
        let taken = spill.take(&before[before.len() - filled..], &[], &columns);
        if taken {
            self.filled = 0;
        }
        taken
    }

    fn has_failed(&self) -> bool {
        self.spill.as_ref().is_some_and(|spill| spill.has_failed())
    }

    fn take_final(&mut self, end: &MemberEnd<'_>, discrete: &[f64]) -> bool {
        if matches!(end.failure, Some(Failure::InitialState { .. })) {
            return false;
        }
        self.observer
            .fill_at(end.member, end.t, end.state, discrete);
        let at = end.member - self.destination.first;
        for (signal, column) in self.destination.columns.iter_mut().enumerate() {
            column[at] = self.observer.values(signal, 1)[0];
        }
        true
    }

    /// Folds a block, the samples from `index` on, into the numbers of a member, which are the
    /// columns themselves or what is carried along.
    fn reduce(
        &mut self,
        reductions: &[Reduction],
        (lane, at): (usize, usize),
        index: usize,
        times: &[f64],
    ) {
        let signals = self.observer.signals.count();
        for signal in 0..signals {
            let values = self.observer.values(signal, times.len());
            let last = (self.last_time[lane], self.last_value[signal][lane]);
            let last = (index > 0).then_some(last);
            for (k, reduction) in reductions.iter().enumerate() {
                let number = &mut self.destination.columns[signal * reductions.len() + k][at];
                let start = match reduction {
                    _ if index > 0 => *number,
                    Reduction::Min => f64::INFINITY,
                    Reduction::Max => f64::NEG_INFINITY,
                    _ => 0.0,
                };
                *number = fold(reduction, start, values, times, last);
            }
            if let Some(folds) = self.folds.get_mut(lane) {
                folds.keep(signal, index, values);
                let states = folds.states(signal);
                step_customs(reductions, states, index == 0, times.iter().zip(values));
            }
            self.last_value[signal][lane] = values[values.len() - 1];
        }
        self.last_time[lane] = times[times.len() - 1];
    }

    fn finish_reductions(
        &mut self,
        reductions: &[Reduction],
        (lane, member): (usize, usize),
        samples: usize,
    ) {
        let at = member - self.destination.first;
        let columns = self.destination.columns.chunks_mut(reductions.len());
        for (signal, columns) in columns.enumerate() {
            if samples == 0 {
                columns.iter_mut().for_each(|column| column[at] = f64::NAN);
                continue;
            }
            if let Some(folds) = self.folds.get_mut(lane) {
                finish_folds(reductions, folds, (signal, samples), |k, number| {
                    columns[k][at] = number;
                });
            }
            for (reduction, column) in reductions.iter().zip(columns) {
                if *reduction == Reduction::Mean {
                    column[at] /= samples as f64;
                }
            }
        }
    }

    /// Copies the rows of a lane to its member's place, if there is one.
    fn store_steps(&mut self, lane: usize, member: usize) -> usize {
        let steps = &self.steps[lane];
        let rows = steps.times.len();
        if self.destination.times.is_empty() {
            return rows;
        }
        let offset = (member - self.destination.first) * self.policy.rows();
        self.destination.times[offset..offset + rows].copy_from_slice(&steps.times);
        for (column, values) in self.destination.columns.iter_mut().zip(&steps.columns) {
            column[offset..offset + rows].copy_from_slice(values);
        }
        rows
    }
}

/// Takes samples into the states of the custom reductions of one signal.
fn step_customs<'v>(
    reductions: &[Reduction],
    mut states: &mut [f64],
    fresh: bool,
    samples: impl Iterator<Item = (&'v f64, &'v f64)> + Clone,
) {
    for reduction in reductions {
        let Reduction::Custom(custom) = reduction else {
            continue;
        };
        let (own, rest) = states.split_at_mut(custom.initial().len());
        states = rest;
        if fresh {
            own.copy_from_slice(custom.initial());
        }
        for (&t, &value) in samples.clone() {
            custom.step(own, t, value);
        }
    }
}

/// The quantiles and custom reductions of one signal, each given to `put` with its position.
fn finish_folds(
    reductions: &[Reduction],
    folds: &mut Folds,
    (signal, samples): (usize, usize),
    mut put: impl FnMut(usize, f64),
) {
    let mut start = 0;
    for (k, reduction) in reductions.iter().enumerate() {
        match reduction {
            // Samples that are sorted already are sorted in one pass.
            Reduction::Quantile(q) => put(k, quantile(folds.sort(signal, samples), *q)),
            Reduction::Custom(custom) => {
                let end = start + custom.initial().len();
                put(k, custom.finish(&folds.states(signal)[start..end]));
                start = end;
            }
            _ => {}
        }
    }
}

fn fold(
    reduction: &Reduction,
    start: f64,
    values: &[f64],
    times: &[f64],
    last: Option<(f64, f64)>,
) -> f64 {
    match reduction {
        Reduction::Min => values.iter().fold(start, |a, &b| if b < a { b } else { a }),
        Reduction::Max => values.iter().fold(start, |a, &b| if b > a { b } else { a }),
        Reduction::Mean => values.iter().fold(start, |a, &b| a + b),
        Reduction::Integral => {
            let mut sum = start;
            let mut before = last;
            for (&t, &value) in times.iter().zip(values) {
                if let Some((t_before, value_before)) = before {
                    sum += 0.5 * (t - t_before) * (value + value_before);
                }
                before = Some((t, value));
            }
            sum
        }
        // Found at the end, from what is carried along.
        Reduction::Quantile(_) | Reduction::Custom(_) => start,
    }
}
