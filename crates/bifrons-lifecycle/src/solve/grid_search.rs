//! All combinations of actions on their grids.

use bifrons_grids::Grid;
use bifrons_lanes::LANES;

use super::{GridTask, Solved};
use crate::error::Fault;
use crate::kernel::{FaultKind, Kernel, Worker};
use crate::options::Retention;
use crate::preference::log_sum;
use crate::program::Lane;
use crate::solution::NONE;

/// Pairs of a state and an action that are worth a visit to the shared queue.
const PAIRS_PER_BLOCK: usize = 4096;

/// States that are worked on at a time: the fewest of what the regime's grids, the options and
/// the amount of work ask for. The cut changes no bit.
fn block_of_cells(kernel: &Kernel<'_>, cell_block_size: usize) -> usize {
    let cells = kernel.period.space.len();
    let shape = kernel.period.space.reader.space().shape();
    let mut block = PAIRS_PER_BLOCK.div_ceil(kernel.period.choices.count().max(1));
    for (state, &count) in kernel.plan.states.iter().zip(shape) {
        if state.batch_size > 0 {
            block = block.min(cells / count * state.batch_size.min(count));
        }
    }
    if cell_block_size > 0 {
        block = block.min(cell_block_size);
    }
    block.clamp(1, cells.max(1))
}

/// Where results of some states go.
struct Block<'a> {
    first: usize,
    values: &'a mut [f64],
    policy: &'a mut [u32],
    outcome: &'a mut Outcome,
}

/// What happened in a block.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    infeasible: usize,
    /// First pair whose value is NaN.
    nan: Option<usize>,
}

/// A worker with a running reduction over the actions of one state.
struct Search {
    worker: Worker,
    /// Coordinates of the state whose actions are next.
    point: Vec<f64>,
    action: Vec<f64>,
    best: Vec<Best>,
    branch_values: Vec<f64>,
}

/// The best action so far.
#[derive(Debug, Clone, Copy)]
struct Best {
    value: f64,
    flat: u32,
}

const NOTHING: Best = Best {
    value: f64::NEG_INFINITY,
    flat: NONE,
};

pub(super) fn solve(task: &GridTask<'_>) -> Result<Solved, Fault> {
    let kernel = task.kernel;
    let cells = kernel.period.space.len();
    let size = block_of_cells(kernel, task.options.cell_block_size);
    let mut values = vec![0.0; cells];
    let mut policy = vec![NONE; cells];
    let mut outcomes = vec![Outcome::default(); cells.div_ceil(size)];
    let blocks = values
        .chunks_mut(size)
        .zip(policy.chunks_mut(size))
        .zip(&mut outcomes);
    let done = task.options.threads.try_for_each_with(
        blocks,
        || Search::new(kernel),
        |search, index, ((values, policy), outcome)| {
            search.run(
                kernel,
                Block {
                    first: index * size,
                    values,
                    policy,
                    outcome,
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
        policy: (task.options.retention == Retention::Policies).then_some(policy),
        infeasible: outcomes.iter().map(|outcome| outcome.infeasible).sum(),
        nan: nan.map(|pair| fault(task, pair, FaultKind::NotANumber)),
    })
}

/// A fault of a pair with the names and values of its state and action.
fn fault(task: &GridTask<'_>, pair: usize, kind: FaultKind) -> Fault {
    let kernel = task.kernel;
    let count = kernel.period.choices.count();
    let mut point = vec![0.0; kernel.plan.states.len()];
    kernel.period.space.point_into(pair / count, &mut point);
    for (value, state) in point.iter_mut().zip(&kernel.plan.states) {
        *value = state.value(*value);
    }
    let mut action = vec![0.0; kernel.plan.actions.len()];
    kernel.period.choices.values_into(pair % count, &mut action);
    point.extend(action);
    task.problem.fault(task.period, task.regime, kind, point)
}

impl Search {
    fn new(kernel: &Kernel<'_>) -> Self {
        let branches = kernel.period.choices.branches;
        Self {
            worker: kernel.worker(),
            point: vec![0.0; kernel.plan.states.len()],
            action: vec![0.0; kernel.plan.actions.len()],
            best: vec![
                NOTHING;
                if kernel.stage.layout.taste.is_some() {
                    branches
                } else {
                    1
                }
            ],
            branch_values: vec![0.0; branches],
        }
    }

    /// Solves the states of a block; an error has the pair that it is about.
    fn run(&mut self, kernel: &Kernel<'_>, mut block: Block<'_>) -> Result<(), (usize, FaultKind)> {
        let count = kernel.period.choices.count();
        let (first, last) = (
            block.first * count,
            (block.first + block.values.len()) * count,
        );
        let mut from = first;
        while from < last {
            let width = LANES.min(last - from);
            self.load(kernel, from, width);
            if kernel.evaluate(&mut self.worker, 0..width).is_err() {
                let found = kernel.first_fault(&mut self.worker, 0..width);
                if let Some(found) = found {
                    return Err((from + found.lane, found.kind));
                }
            }
            for lane in 0..width {
                self.fold(kernel, from + lane, lane, block.outcome);
                if (from + lane + 1).is_multiple_of(count) {
                    self.finish(kernel, (from + lane) / count, lane, &mut block);
                }
            }
            from += width;
        }
        Ok(())
    }

    /// States and actions of consecutive pairs, the last one repeated in lanes without a pair.
    fn load(&mut self, kernel: &Kernel<'_>, from: usize, width: usize) {
        let count = kernel.period.choices.count();
        let states = kernel.plan.states.len();
        for lane in 0..LANES {
            let pair = from + lane.min(width - 1);
            let flat = pair % count;
            if lane == 0 || (flat == 0 && lane < width) {
                kernel
                    .period
                    .space
                    .point_into(pair / count, &mut self.point);
            }
            for (place, &value) in self.point.iter().enumerate() {
                self.worker.states[place][lane] = value;
            }
            if lane == 0 {
                kernel.period.choices.values_into(flat, &mut self.action);
            } else if lane < width {
                advance(kernel, flat, &mut self.action);
            }
            for (place, &value) in self.action.iter().enumerate() {
                self.worker.now.slots[states + place][lane] = value;
            }
        }
        kernel.load_states(&mut self.worker);
    }

    /// Takes a pair into account.
    fn fold(&mut self, kernel: &Kernel<'_>, pair: usize, lane: usize, outcome: &mut Outcome) {
        if !self.worker.feasible[lane] {
            return;
        }
        let choices = &kernel.period.choices;
        let flat = pair % choices.count();
        let place = if self.best.len() == 1 {
            0
        } else {
            flat / choices.inner
        };
        let (best, q) = (&mut self.best[place], self.worker.q[lane]);
        if q.is_nan() && outcome.nan.is_none() {
            outcome.nan = Some(pair);
        }
        // A NaN stays: it is the value of the state.
        let better = q.is_nan() || q > best.value || best.flat == NONE;
        if better && !best.value.is_nan() {
            #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
            let flat = flat as u32;
            *best = Best { value: q, flat };
        }
    }

    /// Writes a state whose actions are all done.
    fn finish(&mut self, kernel: &Kernel<'_>, cell: usize, lane: usize, block: &mut Block<'_>) {
        let best = self
            .best
            .iter()
            .copied()
            .reduce(|best, other| {
                let better = other.value > best.value || best.flat == NONE;
                if better || (other.value.is_nan() && !best.value.is_nan()) {
                    other
                } else {
                    best
                }
            })
            .unwrap_or(NOTHING);
        let value = match kernel.stage.layout.taste {
            Some(place) => {
                let scale: &Lane = &kernel.stage.now.outputs(&self.worker.now)[place];
                for (value, best) in self.branch_values.iter_mut().zip(&self.best) {
                    *value = best.value;
                }
                log_sum(scale[lane], &self.branch_values)
            }
            None => best.value,
        };
        let at = cell - block.first;
        block.values[at] = value;
        block.policy[at] = best.flat;
        block.outcome.infeasible += usize::from(best.flat == NONE);
        self.best.fill(NOTHING);
    }
}

/// The next combination of actions, given its number.
fn advance(kernel: &Kernel<'_>, flat: usize, action: &mut [f64]) {
    let mut rest = flat;
    for (value, axis) in action.iter_mut().zip(&kernel.period.choices.axes).rev() {
        let count = axis.len();
        let index = rest % count;
        *value = axis.nodes()[index];
        if index != 0 {
            return;
        }
        rest /= count;
    }
}
