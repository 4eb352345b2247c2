//! All combinations of actions on their grids.

mod hoisted;

use bifrons_memory::Footprint;

use self::hoisted::HoistedSearch;
use super::{GridTask, Solved};
use crate::error::Fault;
use crate::hoisted::Layout;
use crate::kernel::FaultKind;
use crate::model::{PeriodPlan, RegimePlan};
use crate::options::{Retention, SolveOptions};
use crate::preference::log_sum;
use crate::search::{self, Found, Search};
use crate::solution::NONE;

/// Pairs of a state and an action that are worth a visit to the shared queue.
const PAIRS_PER_BLOCK: usize = 4096;

/// States that are worked on at a time: the fewest of what the regime's grids, the options and
/// the amount of work ask for. The cut changes no bit.
fn block_of_cells(
    plan: &RegimePlan,
    period: &PeriodPlan,
    layout: Option<&Layout>,
    cell_block_size: usize,
) -> usize {
    let cells = period.space.len();
    let shape = period.space.reader.space().shape();
    let mut block = PAIRS_PER_BLOCK.div_ceil(period.choices.count().max(1));
    // States that share tables are worked on together.
    block = block.max(layout.map_or(0, |layout| layout.block_size));
    for (state, &count) in plan.states.iter().zip(shape) {
        if state.batch_size > 0 {
            block = block.min(cells / count * state.batch_size.min(count));
        }
    }
    if cell_block_size > 0 {
        block = block.min(cell_block_size);
    }
    block.clamp(1, cells.max(1))
}

/// The layout of tables, if pairs are worth to be taken apart.
fn layout(plan: &RegimePlan, period: &PeriodPlan, options: &SolveOptions) -> Option<Layout> {
    Layout::new(plan, period).filter(|_| options.hoist)
}

/// Bytes of the search of one regime in one period by so many threads.
pub(crate) fn footprint(
    plan: &RegimePlan,
    period: &PeriodPlan,
    options: &SolveOptions,
) -> Footprint {
    let layout = layout(plan, period, options);
    let size = block_of_cells(plan, period, layout.as_ref(), options.cell_block_size);
    let blocks = period.space.len().div_ceil(size);
    let tables = layout.as_ref().map_or(Footprint::ZERO, |layout| {
        hoisted::footprint(plan, period, layout, size)
    });
    search::footprint(plan, period)
        .beside(Footprint::of::<f64>(period.choices.branches))
        .beside(tables)
        .times(options.threads.count() as u64)
        .beside(Footprint::of::<Outcome>(blocks))
        .beside(Footprint::of::<Task<'_>>(blocks))
        .beside(layout.map_or(Footprint::ZERO, |layout| layout.footprint()))
}

/// Where the results of a block go.
type Task<'a> = (&'a mut [f64], Option<&'a mut [u32]>, &'a mut Outcome);

/// What happened in a block.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    infeasible: usize,
    /// First pair whose value is NaN.
    nan: Option<usize>,
}

/// A worker and what it needs to aggregate branches.
struct Aggregator {
    search: Search,
    hoisted: Option<HoistedSearch>,
    branches: Vec<f64>,
}

impl Aggregator {
    /// Value and best action of a state.
    fn finish(branches: &mut [f64], found: &Found<'_>) -> (f64, u32) {
        let best = found.overall();
        let value = found.scale.map_or(best.value, |scale| {
            for (value, best) in branches.iter_mut().zip(found.best) {
                *value = best.value;
            }
            log_sum(scale, branches)
        });
        (value, best.flat)
    }

    /// Searches a block that begins with the state `first`.
    fn run(
        &mut self,
        task: &GridTask<'_>,
        tables: Option<hoisted::Task<'_>>,
        first: usize,
        (values, policy, outcome): &mut Task<'_>,
    ) -> Result<(), (usize, FaultKind)> {
        let Self {
            search,
            hoisted,
            branches,
        } = self;
        let kernel = task.kernel;
        let (space, count) = (&kernel.period.space, kernel.period.choices.count());
        let mut put = |values: &mut [f64], cell: usize, found: &Found<'_>| {
            let (value, flat) = Self::finish(branches, found);
            values[cell - first] = value;
            if let Some(policy) = policy {
                policy[cell - first] = flat;
            }
            outcome.infeasible += usize::from(flat == NONE);
            if value.is_nan() {
                let pair = cell * count + flat as usize;
                outcome.nan = Some(outcome.nan.map_or(pair, |first| first.min(pair)));
            }
        };
        let point = |cell: usize, point: &mut [f64]| space.point_into(cell, point);
        let cells = first..first + values.len();
        let (Some(hoisted), Some(tables)) = (hoisted, tables) else {
            return search.run(kernel, cells, point, |cell, found| {
                put(values, cell, &found);
            });
        };
        let mut left = 0;
        hoisted.run(tables, &mut search.worker, cells.clone(), |cell, found| {
            if let Some(found) = found {
                put(values, cell, &found);
            } else {
                values[cell - first] = f64::NAN;
                left += 1;
            }
        });
        for cell in cells.filter(|_| left > 0) {
            if values[cell - first].is_nan() {
                search.run(kernel, cell..cell + 1, point, |cell, found| {
                    put(values, cell, &found);
                })?;
            }
        }
        Ok(())
    }
}

pub(super) fn solve(task: &GridTask<'_>) -> Result<Solved, Fault> {
    let kernel = task.kernel;
    let cells = kernel.period.space.len();
    let layout = layout(kernel.plan, kernel.period, task.options);
    let tables = layout.as_ref().and_then(|layout| {
        Some(hoisted::Task {
            kernel,
            hoisted: kernel.stage.hoisted.as_ref()?,
            layout,
        })
    });
    let options = task.options;
    let size = block_of_cells(
        kernel.plan,
        kernel.period,
        layout.as_ref(),
        options.cell_block_size,
    );
    let keep = options.retention == Retention::Policies;
    let mut values = vec![0.0; cells];
    let mut policy = vec![NONE; if keep { cells } else { 0 }];
    let mut outcomes = vec![Outcome::default(); cells.div_ceil(size)];
    let mut policies = policy.chunks_mut(size);
    let blocks: Vec<Task<'_>> = values
        .chunks_mut(size)
        .zip(&mut outcomes)
        .map(|(values, outcome)| (values, policies.next(), outcome))
        .collect();
    let done = options.threads.try_for_each_with(
        blocks,
        || Aggregator {
            search: Search::new(kernel),
            hoisted: tables.map(|tables| HoistedSearch::new(tables, size)),
            branches: vec![0.0; kernel.period.choices.branches],
        },
        |worker, index, mut block| worker.run(task, tables, index * size, &mut block),
    );
    if let Err((_, (pair, kind))) = done {
        return Err(fault(task, pair, kind));
    }
    let nan = outcomes.iter().find_map(|outcome| outcome.nan);
    Ok(Solved {
        values,
        policy: keep.then_some(policy),
        bank: None,
        infeasible: outcomes.iter().map(|outcome| outcome.infeasible).sum(),
        nan: nan.map(|pair| fault(task, pair, FaultKind::NotANumber)),
    })
}

/// A fault of a pair with the names and values of its state and action.
fn fault(task: &GridTask<'_>, pair: usize, kind: FaultKind) -> Fault {
    let kernel = task.kernel;
    let count = kernel.period.choices.count();
    let mut state = vec![0.0; kernel.plan.states.len()];
    kernel.period.space.point_into(pair / count, &mut state);
    let point = task.problem.point(kernel, &state, pair % count);
    task.problem.fault(task.period, task.regime, kind, point)
}
