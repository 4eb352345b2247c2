//! Writes what `Save` asks for. Never changes the steps that are taken.
#![expect(clippy::float_cmp, reason = "requested times are met bit for bit")]

use crate::dense::Interpolant;
use crate::ensemble::{Flow, MemberEnd, MemberSink};
use crate::error::{Failure, SolveError};
use crate::options::Save;
use crate::pool::Pool;
use crate::solution::{Outcome, Solution};
use crate::step::Step;

/// Rows, dense solution and end of one run.
#[derive(Debug)]
pub(crate) struct Recorder<'s> {
    save: &'s Save,
    /// Index of the next time of `Save::Times`.
    next: usize,
    direction: f64,
    scratch: Vec<f64>,
    /// Of `Save::EveryStep`: states are kept in every so many rows.
    every: usize,
    /// Rows whose state is kept; only where not all are.
    pub(crate) marks: Vec<usize>,
    force: bool,
    is_thin: bool,
    pub(crate) solution: Solution,
    pub(crate) failure: Option<Failure>,
}

impl<'s> Recorder<'s> {
    pub(crate) fn new(save: &'s Save, span: (f64, f64), y0: &[f64], coefficients: usize) -> Self {
        let dense = matches!(save, Save::Dense).then_some(coefficients);
        // Only rows are assembled there.
        let has_rows = !matches!(save, Save::Final | Save::Dense);
        let scratch = vec![0.0; if has_rows { y0.len() } else { 0 }];
        Self::of(save, span, Solution::at(span.0, y0, dense), scratch)
    }

    /// As [`Recorder::new`], in the memory of the pool.
    pub(crate) fn again(
        save: &'s Save,
        span: (f64, f64),
        y0: &[f64],
        coefficients: usize,
        pool: &mut Pool,
    ) -> Self {
        let dense = matches!(save, Save::Dense).then_some(coefficients);
        let solution = pool.solution(span.0, y0, dense);
        Self::of(save, span, solution, pool.zeros(y0.len()))
    }

    fn of(save: &'s Save, span: (f64, f64), mut solution: Solution, scratch: Vec<f64>) -> Self {
        if let Save::Times(times) = save {
            solution.times.reserve_exact(times.len());
            let width = solution.last_state.len();
            solution.states.reserve_exact(times.len() * width);
        }
        Self {
            save,
            next: 0,
            direction: if span.1 < span.0 { -1.0 } else { 1.0 },
            scratch,
            every: 1,
            marks: Vec::new(),
            force: false,
            is_thin: false,
            solution,
            failure: None,
        }
    }

    /// Times of all steps; states in every so many of them, at events and stops.
    pub(crate) fn with_checkpoints(span: (f64, f64), y0: &[f64], every: usize) -> Self {
        let mut recorder = Self::new(&Save::EveryStep, span, y0, 0);
        recorder.every = every.max(1);
        recorder.is_thin = true;
        recorder
    }

    /// The next row keeps its state.
    pub(crate) const fn keep_next(&mut self) {
        self.force = true;
    }

    /// The result of the run.
    pub(crate) fn finish(self) -> Result<Solution, SolveError> {
        self.end(Box::new)
    }

    /// The result of the run; what else it took goes to the pool.
    pub(crate) fn finish_in(mut self, pool: &mut Pool) -> Result<Solution, SolveError> {
        pool.give([core::mem::take(&mut self.scratch)]);
        self.end(|solution| pool.boxed(solution))
    }

    fn end(
        mut self,
        boxed: impl FnOnce(Solution) -> Box<Solution>,
    ) -> Result<Solution, SolveError> {
        match self.failure {
            None => Ok(self.solution),
            Some(failure) => {
                self.solution.outcome = Outcome::Incomplete;
                Err(SolveError::Failed {
                    failure,
                    partial: boxed(self.solution),
                })
            }
        }
    }

    fn push_row(&mut self, t: f64) {
        let row = self.solution.times.len();
        self.solution.times.push(t);
        if self.is_thin {
            if !self.force && !row.is_multiple_of(self.every) {
                return;
            }
            self.marks.push(row);
        }
        self.force = false;
        self.solution.states.extend_from_slice(&self.scratch);
    }

    /// When a step must be shown next, as [`Flow::Until`] says it.
    pub(crate) fn wanted(&self) -> f64 {
        match self.save {
            Save::Final => f64::INFINITY,
            Save::EveryStep | Save::Dense => f64::NEG_INFINITY,
            Save::Times(times) => times.get(self.next).copied().unwrap_or(f64::INFINITY),
        }
    }

    /// Whether a step that ends at `t` writes anything.
    pub(crate) fn is_due(&self, t: f64) -> bool {
        match self.save {
            Save::Final => false,
            Save::EveryStep | Save::Dense => true,
            Save::Times(times) => times
                .get(self.next)
                .is_some_and(|next| (t - next) * self.direction >= 0.0),
        }
    }

    /// Whether [`Recorder::advance`] will look inside the step.
    pub(crate) fn reads_inside(&self, t: f64) -> bool {
        !matches!(self.save, Save::EveryStep) && self.is_due(t)
    }

    pub(crate) fn start(&mut self, t0: f64, state: &[f64]) {
        match self.save {
            Save::EveryStep => {
                self.scratch.copy_from_slice(state);
                self.push_row(t0);
            }
            Save::Times(times) => {
                self.scratch.copy_from_slice(state);
                while times.get(self.next) == Some(&t0) {
                    self.push_row(t0);
                    self.next += 1;
                }
            }
            Save::Final | Save::Dense => {}
        }
    }

    /// A step is valid to `end`, where the state is `state`.
    pub(crate) fn advance(&mut self, step: &impl Interpolant, end: f64, state: &[f64]) {
        match self.save {
            Save::EveryStep => {
                self.scratch.copy_from_slice(state);
                self.push_row(end);
            }
            Save::Times(times) => {
                while let Some(&t) = times.get(self.next)
                    && (end - t) * self.direction >= 0.0
                {
                    if t == end {
                        self.scratch.copy_from_slice(state);
                    } else {
                        step.state_within(t, &mut self.scratch);
                    }
                    self.push_row(t);
                    self.next += 1;
                }
            }
            Save::Dense => {
                if let Some(dense) = &mut self.solution.dense {
                    dense.push(step, end, state);
                }
            }
            Save::Final => {}
        }
    }

    /// The state at `t` has become another one.
    pub(crate) fn jump(&mut self, t: f64, state: &[f64]) {
        if matches!(self.save, Save::EveryStep) {
            self.force = true;
            self.scratch.copy_from_slice(state);
            self.push_row(t);
        }
    }
}

impl Interpolant for Step<'_, 1> {
    fn t_old(&self) -> f64 {
        self.t_old
    }
    fn length(&self) -> f64 {
        self.h
    }
    fn write_coefficients(&self, i: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.coefficients(i));
    }
    fn state_within(&self, t: f64, state: &mut [f64]) {
        self.state_at(t, state);
    }
}

impl MemberSink<1> for Recorder<'_> {
    fn begin(&mut self, _lane: usize, _member: usize, t0: f64, state: &[f64]) -> f64 {
        self.start(t0, state);
        self.wanted()
    }

    fn step(&mut self, step: &Step<'_, 1>) -> Flow {
        step.new_state(&mut self.solution.last_state);
        let state = core::mem::take(&mut self.solution.last_state);
        self.advance(step, step.t_new(), &state);
        self.solution.last_state = state;
        Flow::Until(self.wanted())
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        self.solution.last_time = end.t;
        self.solution.last_state.copy_from_slice(end.state);
        self.solution.statistics = end.statistics;
        self.failure = end.failure;
    }
}
