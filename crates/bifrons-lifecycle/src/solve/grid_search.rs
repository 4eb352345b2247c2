//! All combinations of actions on their grids.

use bifrons_memory::Footprint;

use super::{GridTask, Solved};
use crate::error::Fault;
use crate::kernel::FaultKind;
use crate::model::{PeriodPlan, RegimePlan};
use crate::options::Retention;
use crate::preference::log_sum;
use crate::search::{Found, Search};
use crate::solution::NONE;

/// Pairs of a state and an action that are worth a visit to the shared queue.
const PAIRS_PER_BLOCK: usize = 4096;

/// States that are worked on at a time: the fewest of what the regime's grids, the options and
/// the amount of work ask for. The cut changes no bit.
fn block_of_cells(plan: &RegimePlan, period: &PeriodPlan, cell_block_size: usize) -> usize {
    let cells = period.space.len();
    let shape = period.space.reader.space().shape();
    let mut block = PAIRS_PER_BLOCK.div_ceil(period.choices.count().max(1));
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

/// Bytes of the bookkeeping of blocks.
pub(crate) fn blocks_footprint(
    plan: &RegimePlan,
    period: &PeriodPlan,
    cell_block_size: usize,
) -> Footprint {
    let size = block_of_cells(plan, period, cell_block_size);
    let blocks = period.space.len().div_ceil(size);
    Footprint::of::<Outcome>(blocks).beside(Footprint::of::<Task<'_>>(blocks))
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
}

pub(super) fn solve(task: &GridTask<'_>) -> Result<Solved, Fault> {
    let kernel = task.kernel;
    let space = &kernel.period.space;
    let (cells, count) = (space.len(), kernel.period.choices.count());
    let size = block_of_cells(kernel.plan, kernel.period, task.options.cell_block_size);
    let keep = task.options.retention == Retention::Policies;
    let mut values = vec![0.0; cells];
    let mut policy = vec![NONE; if keep { cells } else { 0 }];
    let mut outcomes = vec![Outcome::default(); cells.div_ceil(size)];
    let mut policies = policy.chunks_mut(size);
    let blocks: Vec<Task<'_>> = values
        .chunks_mut(size)
        .zip(&mut outcomes)
        .map(|(values, outcome)| (values, policies.next(), outcome))
        .collect();
    let done = task.options.threads.try_for_each_with(
        blocks,
        || Aggregator {
            search: Search::new(kernel),
            branches: vec![0.0; kernel.period.choices.branches],
        },
        |Aggregator { search, branches }, index, (values, mut policy, outcome)| {
            let first = index * size;
            search.run(
                kernel,
                first..first + values.len(),
                |cell, point| space.point_into(cell, point),
                |cell, found| {
                    let (value, flat) = Aggregator::finish(branches, &found);
                    values[cell - first] = value;
                    if let Some(policy) = &mut policy {
                        policy[cell - first] = flat;
                    }
                    outcome.infeasible += usize::from(flat == NONE);
                    if value.is_nan() && outcome.nan.is_none() {
                        outcome.nan = Some(cell * count + flat as usize);
                    }
                },
            )
        },
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
