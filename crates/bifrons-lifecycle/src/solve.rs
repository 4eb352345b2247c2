//! Backward induction.

mod grid_search;

pub(crate) use grid_search::footprint as search_footprint;

use crate::averaged;
use crate::endogenous::{self, Bank, Cache};
use crate::error::{Fault, SolveError};
use crate::kernel::{FaultKind, Kernel};
use crate::options::{Retention, SolveOptions, Validation};
use crate::problem::Problem;
use crate::solution::{Report, Slot, Solution, Statistics};

/// One regime in one period, solved.
#[derive(Debug)]
struct Solved {
    values: Vec<f64>,
    policy: Option<Vec<u32>>,
    bank: Option<Bank>,
    infeasible: usize,
    /// First value that is NaN.
    nan: Option<Fault>,
}

pub(crate) fn solve(problem: &Problem, options: &SolveOptions) -> Result<Solution, SolveError> {
    crate::plan::plan(problem, options)?;
    let model = &problem.model.inner;
    let mut solution = Solution {
        problem: problem.clone(),
        slots: (0..model.ages.count())
            .map(|_| vec![Slot::default(); model.regimes.len()])
            .collect(),
        report: Report::default(),
    };
    let mut caches: Vec<Cache> = model.regimes.iter().map(|_| None).collect();
    for period in (0..model.ages.count()).rev() {
        for regime in 0..model.regimes.len() {
            if model.regimes[regime].periods[period].is_none() {
                continue;
            }
            match solve_one(&solution, options, (period, regime), &mut caches[regime]) {
                Ok(solved) => {
                    record(&mut solution, period, regime, &solved);
                    solution.slots[period][regime] = Slot {
                        values: Some(solved.values),
                        policy: solved.policy,
                        bank: solved.bank,
                    };
                    let failed = options.validation == Validation::Debug;
                    if let Some(fault) = solved.nan.filter(|_| failed) {
                        return Err(broken(fault, solution));
                    }
                }
                Err(fault) => return Err(broken(fault, solution)),
            }
        }
        if let Some(after) = solution.slots.get_mut(period + 1) {
            for slot in after {
                match options.retention {
                    Retention::First => *slot = Slot::default(),
                    Retention::Values => slot.bank = None,
                    Retention::Policies => {}
                }
            }
        }
    }
    Ok(solution)
}

fn broken(fault: Fault, partial: Solution) -> SolveError {
    SolveError::Fault {
        fault: Box::new(fault),
        partial: Box::new(partial),
    }
}

fn solve_one(
    solution: &Solution,
    options: &SolveOptions,
    (period, regime): (usize, usize),
    cache: &mut Cache,
) -> Result<Solved, Fault> {
    let problem = &solution.problem;
    let checked = options.validation != Validation::Off;
    let after = |target: usize| solution.slots.get(period + 1)?[target].values.as_deref();
    let Some(mut kernel) = problem.kernel(period, regime, checked, after) else {
        // Every live edge leads to a regime that was solved in the period after.
        return Ok(Solved {
            values: Vec::new(),
            policy: None,
            bank: None,
            infeasible: 0,
            nan: None,
        });
    };
    if let Some(solved) = endogenous::solve(solution, &kernel, period, &options.threads, cache) {
        return by_rows(problem, &kernel, (period, regime), solved);
    }
    let averages = averaged::average(problem, &kernel);
    averaged::read(&mut kernel, &averages);
    grid_search::solve(&GridTask {
        problem,
        kernel: &kernel,
        options,
        period,
        regime,
    })
}

/// Takes over what was solved by rows.
fn by_rows(
    problem: &Problem,
    kernel: &Kernel<'_>,
    (period, regime): (usize, usize),
    solved: Result<endogenous::Solved, endogenous::Trouble>,
) -> Result<Solved, Fault> {
    let choices = &kernel.period.choices;
    let cells = kernel.period.space.len();
    let shape = kernel.period.space.reader.space().shape();
    let liquid = shape.last().copied().unwrap_or(1);
    let named = |cell: usize, branch: usize, kind: FaultKind| {
        let mut state = vec![0.0; kernel.plan.states.len()];
        kernel
            .period
            .space
            .point_into(cell.min(cells - 1), &mut state);
        let point = problem.point(kernel, &state, branch * choices.inner);
        problem.fault(period, regime, kind, point)
    };
    match solved {
        Ok(endogenous::Solved { values, bank }) => {
            let nan = values.iter().position(|value| value.is_nan());
            Ok(Solved {
                infeasible: values
                    .iter()
                    .filter(|value| **value == f64::NEG_INFINITY)
                    .count(),
                nan: nan.map(|cell| named(cell, 0, FaultKind::NotANumber)),
                policy: None,
                bank: Some(bank),
                values,
            })
        }
        Err(trouble) => Err(named(trouble.cell * liquid, trouble.branch, trouble.kind)),
    }
}

/// What a solver of one regime in one period works with.
#[derive(Debug, Clone, Copy)]
struct GridTask<'a> {
    problem: &'a Problem,
    kernel: &'a Kernel<'a>,
    options: &'a SolveOptions,
    period: usize,
    regime: usize,
}

fn record(solution: &mut Solution, period: usize, regime: usize, solved: &Solved) {
    let mut nan = 0;
    let mut range: Option<(f64, f64)> = None;
    for &value in &solved.values {
        if value.is_nan() {
            nan += 1;
        } else if value.is_finite() {
            let (low, high) = range.unwrap_or((value, value));
            range = Some((low.min(value), high.max(value)));
        }
    }
    let plan = &solution.problem.model.inner.regimes[regime];
    solution.report.statistics.push(Statistics {
        period,
        regime: plan.name().to_owned(),
        states: solved.values.len(),
        infeasible: solved.infeasible,
        nan,
        range,
    });
    if solution.report.first_failure.is_none() {
        solution.report.first_failure = solved.nan.clone();
    }
}
