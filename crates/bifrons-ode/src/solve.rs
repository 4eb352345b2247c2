//! One run.

use crate::dense::DenseSolution;
use crate::dopri5::Step;
use crate::ensemble::{EnsembleWorkspace, Flow, MemberEnd, MemberSink, solve_members};
use crate::error::{Failure, InputError, SolveError};
use crate::options::{Options, Save};
use crate::problem::{Alone, Problem};
use crate::solution::{Outcome, Solution};
use crate::statistics::Statistics;

/// Integrates `problem` from `(t0, y0)` to `t_end`, keeping what `save` says.
///
/// `t_end < t0` integrates backwards with the same call; `t_end == t0` returns the initial state.
///
/// # Errors
///
/// [`SolveError::Input`] before the first evaluation; [`SolveError::Failed`] with the valid part
/// of the solution if the end cannot be reached.
pub fn solve<P: Problem>(
    problem: &mut P,
    t0: f64,
    y0: &[f64],
    t_end: f64,
    save: &Save,
    options: &Options,
) -> Result<Solution, SolveError> {
    let required = problem.dimension();
    if y0.len() != required {
        return Err(InputError::StateLength {
            found: y0.len(),
            required,
        }
        .into());
    }
    if let Some((component, &value)) = y0.iter().enumerate().find(|(_, v)| !v.is_finite()) {
        return Err(InputError::StateNotFinite { component, value }.into());
    }
    options.check(t0, t_end)?;
    save.check(t0, t_end)?;
    let mut workspace = EnsembleWorkspace::<1>::new(required);
    let mut recorder = Recorder::new(save, t0, y0);
    let mut alone = Alone::new(problem, y0);
    solve_members(
        &mut alone,
        0..1,
        t0,
        t_end,
        options,
        &mut workspace,
        &mut recorder,
    )?;
    match recorder.failure {
        None => Ok(recorder.solution),
        Some(failure) => {
            recorder.solution.outcome = Outcome::Incomplete;
            Err(SolveError::Failed {
                failure,
                partial: Box::new(recorder.solution),
            })
        }
    }
}

struct Recorder<'s> {
    save: &'s Save,
    /// Index of the next time of `Save::Times`.
    next: usize,
    scratch: Vec<f64>,
    solution: Solution,
    failure: Option<Failure>,
}

impl<'s> Recorder<'s> {
    fn new(save: &'s Save, t0: f64, y0: &[f64]) -> Self {
        let rows = if let Save::Times(times) = save {
            times.len()
        } else {
            0
        };
        Self {
            save,
            next: 0,
            scratch: vec![0.0; y0.len()],
            solution: Solution {
                outcome: Outcome::Reached,
                times: Vec::with_capacity(rows),
                states: Vec::with_capacity(rows * y0.len()),
                last_time: t0,
                last_state: y0.to_vec(),
                dense: matches!(save, Save::Dense).then(|| DenseSolution::new(t0, y0)),
                statistics: Statistics::default(),
            },
            failure: None,
        }
    }

    fn push_row(&mut self, t: f64) {
        self.solution.times.push(t);
        self.solution.states.extend_from_slice(&self.scratch);
    }

    fn wanted(&self) -> f64 {
        match self.save {
            Save::Final => f64::INFINITY,
            Save::EveryStep | Save::Dense => f64::NEG_INFINITY,
            Save::Times(times) => times.get(self.next).copied().unwrap_or(f64::INFINITY),
        }
    }
}

impl MemberSink<1> for Recorder<'_> {
    fn begin(&mut self, _lane: usize, _member: usize, t0: f64, state: &[f64]) -> f64 {
        self.scratch.copy_from_slice(state);
        match self.save {
            Save::EveryStep => self.push_row(t0),
            Save::Times(times) => {
                while times.get(self.next) == Some(&t0) {
                    self.push_row(t0);
                    self.next += 1;
                }
            }
            Save::Final | Save::Dense => {}
        }
        self.wanted()
    }

    fn step(&mut self, step: &Step<'_, 1>) -> Flow {
        match self.save {
            Save::EveryStep => {
                step.new_state(&mut self.scratch);
                self.push_row(step.t_new());
            }
            Save::Times(times) => {
                let direction = (step.t_new() - step.t_old()).signum();
                while let Some(&t) = times.get(self.next)
                    && (step.t_new() - t) * direction >= 0.0
                {
                    step.state_at(t, &mut self.scratch);
                    self.push_row(t);
                    self.next += 1;
                }
            }
            Save::Dense => {
                if let Some(dense) = &mut self.solution.dense {
                    dense.push(step);
                }
            }
            Save::Final => {}
        }
        Flow::Until(self.wanted())
    }

    fn end(&mut self, end: &MemberEnd<'_>) {
        self.solution.last_time = end.t;
        self.solution.last_state.copy_from_slice(end.state);
        self.solution.statistics = end.statistics;
        self.failure = end.failure;
    }
}
