//! Grid search with tables of what pairs of states and actions have in common.
//!
//! States are visited so that those which share a future follow each other; the future is then
//! computed once for each combination of the actions that it reads, and utility per pair from
//! tables. The operations on a pair are those of the plain search in the same order, so no bit
//! differs. What the plain search would stop at (wrong probabilities, a state outside of its grid)
//! is NaN in the tables; states that meet a NaN are left to the plain search.

use core::ops::Range;

use bifrons_grids::Grid;
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;

use crate::hoisted::{Hoisted, Layout, Memory, Place};
use crate::kernel::{Kernel, Worker};
use crate::model::{PeriodPlan, RegimePlan};
use crate::program::Lane;
use crate::search::{Best, Found, NOTHING, reductions};
use crate::solution::NONE;

/// No pair yet.
const NOWHERE: usize = usize::MAX;

/// Tables and running reductions of one thread.
pub(super) struct HoistedSearch {
    /// States, actions, the future, then all tables.
    lanes: Vec<Lane>,
    /// Utility along one row.
    utility: Vec<Lane>,
    memories: Vec<Memory>,
    utility_memory: Memory,
    /// Whether a lane of the feasibility is feasible.
    feasible: Vec<bool>,
    /// Numbers of the states of a block in the order of the visits.
    keys: Vec<usize>,
    indices: Vec<usize>,
    point: Vec<f64>,
    best: Vec<Best>,
    lane_best: LaneBest,
    scale: f64,
}

/// The best pair of each lane.
struct LaneBest {
    value: Lane,
    /// Number of the sixteen pairs.
    at: [usize; LANES],
}

impl LaneBest {
    const NOTHING: Self = Self {
        value: [f64::NEG_INFINITY; LANES],
        at: [NOWHERE; LANES],
    };
}

/// What all states of a period share.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) kernel: &'a Kernel<'a>,
    pub(super) hoisted: &'a Hoisted,
    pub(super) layout: &'a Layout,
}

/// Bytes of a [`HoistedSearch`] for blocks of so many states.
pub(super) fn footprint(
    plan: &RegimePlan,
    period: &PeriodPlan,
    layout: &Layout,
    block_size: usize,
) -> Footprint {
    let Some(hoisted) = &plan.stages[period.stage].hoisted else {
        return Footprint::ZERO;
    };
    let memories = hoisted.tables.iter().chain([&hoisted.utility]);
    memories
        .map(crate::hoisted::Table::footprint)
        .fold(layout.lanes(), Footprint::beside)
        .beside(Footprint::of::<Memory>(hoisted.tables.len()))
        .beside(Footprint::of::<bool>(
            layout.tables.last().map_or(0, Place::len),
        ))
        .beside(Footprint::of::<usize>(block_size + plan.states.len()))
        .beside(Footprint::of::<f64>(plan.states.len()))
        .beside(Footprint::of::<Best>(reductions(plan, period)))
}

impl HoistedSearch {
    pub(super) fn new(task: Task<'_>, block_size: usize) -> Self {
        let Task {
            kernel,
            hoisted,
            layout,
        } = task;
        let tables = hoisted.tables.iter();
        let mut search = Self {
            lanes: vec![[0.0; LANES]; layout.len],
            utility: vec![[0.0; LANES]; layout.blocks],
            memories: tables
                .map(|table| table.memory(&kernel.parameters))
                .collect(),
            utility_memory: hoisted.utility.memory(&kernel.parameters),
            feasible: vec![false; layout.tables.last().map_or(0, Place::len)],
            keys: Vec::with_capacity(block_size),
            indices: vec![0; kernel.plan.states.len()],
            point: vec![0.0; kernel.plan.states.len()],
            best: vec![NOTHING; reductions(kernel.plan, kernel.period)],
            lane_best: LaneBest::NOTHING,
            scale: 0.0,
        };
        search.load_actions(task);
        search
    }

    /// Nodes of the actions, the last node of a row repeated in lanes behind it.
    fn load_actions(&mut self, task: Task<'_>) {
        let axes = &task.kernel.period.choices.axes;
        for (place, (&first, axis)) in task.layout.actions.iter().zip(axes).enumerate() {
            let nodes = axis.nodes();
            if place + 1 == axes.len() {
                let row = &mut self.lanes[first..first + task.layout.blocks];
                for (index, slot) in row.as_flattened_mut().iter_mut().enumerate() {
                    *slot = nodes[index.min(nodes.len() - 1)];
                }
            } else {
                for (lane, &node) in self.lanes[first..].iter_mut().zip(nodes) {
                    *lane = [node; LANES];
                }
            }
        }
    }

    /// Searches the states of a range in the order of the layout. `done` takes what was found, or
    /// nothing for a state that the plain search has to work on.
    pub(super) fn run(
        &mut self,
        task: Task<'_>,
        worker: &mut Worker,
        cells: Range<usize>,
        mut done: impl FnMut(usize, Option<Found<'_>>),
    ) {
        let space = task.kernel.period.space.reader.space();
        let (shape, strides) = (space.shape(), space.strides());
        let order = &task.layout.order;
        let mut keys = core::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(cells.map(|cell| {
            let index = |state: usize| cell / strides[state] % shape[state];
            order
                .iter()
                .fold(0, |key, &state| key * shape[state] + index(state))
        }));
        keys.sort_unstable();
        let mut changed = u64::MAX;
        for &key in &keys {
            let mut rest = key;
            for &state in order.iter().rev() {
                let index = rest % shape[state];
                rest /= shape[state];
                if self.indices[state] != index || changed == u64::MAX {
                    changed |= 1 << state;
                    self.indices[state] = index;
                    let coordinate = space.axes()[state].nodes()[index];
                    self.point[state] = coordinate;
                    self.lanes[state] = [task.kernel.plan.states[state].value(coordinate); LANES];
                }
            }
            let indices = self.indices.iter().zip(strides);
            let cell = indices.map(|(index, stride)| index * stride).sum();
            if changed & task.hoisted.future != 0 {
                self.fill_future(task, worker);
            }
            self.fill_tables(task, changed);
            let found = self.search(task);
            let scale = task.kernel.stage.layout.taste.map(|_| self.scale);
            done(
                cell,
                found.then_some(Found {
                    best: &self.best,
                    scale,
                }),
            );
            changed = 0;
        }
        self.keys = keys;
    }

    /// The discounted future for all actions that it reads; NaN where the plain search would stop.
    fn fill_future(&mut self, task: Task<'_>, worker: &mut Worker) {
        let Task {
            kernel,
            hoisted,
            layout,
        } = task;
        let (states, axes) = (kernel.plan.states.len(), &kernel.period.choices.axes);
        for (lane, &coordinate) in worker.states.iter_mut().zip(&self.point) {
            *lane = [coordinate; LANES];
        }
        kernel.load_states(worker);
        let read = |action: usize| hoisted.future >> (states + action) & 1 == 1;
        for combination in 0..layout.future.outer {
            let mut rest = combination;
            for action in (0..axes.len() - 1).rev() {
                let nodes = axes[action].nodes();
                let index = if read(action) { rest % nodes.len() } else { 0 };
                rest /= if read(action) { nodes.len() } else { 1 };
                worker.now.slots[states + action] = [nodes[index]; LANES];
            }
            for block in 0..layout.future.blocks {
                let last = axes.len() - 1;
                let row = layout.actions[last] + block;
                worker.now.slots[states + last] = if read(last) {
                    self.lanes[row]
                } else {
                    [axes[last].nodes()[0]; LANES]
                };
                let at = layout.future.first + combination * layout.future.blocks + block;
                self.lanes[at] = match kernel.future(worker, 0..LANES) {
                    Ok(future) => future,
                    Err(_) => one_by_one(kernel, worker),
                };
            }
        }
        if let Some(taste) = kernel.stage.layout.taste {
            self.scale = kernel.stage.now.outputs(&worker.now)[taste][LANES - 1];
        }
    }

    /// Tables of what has changed.
    fn fill_tables(&mut self, task: Task<'_>, changed: u64) {
        let Task {
            kernel,
            hoisted,
            layout,
        } = task;
        let tables = hoisted.tables.iter().zip(&layout.tables);
        for (index, ((table, place), memory)) in tables.zip(&mut self.memories).enumerate() {
            if table.reads & changed == 0 && changed != u64::MAX {
                continue;
            }
            let count = table.inputs.len();
            let (before, own) = self.lanes.split_at_mut(place.first);
            let own = own[..place.len()].chunks_exact_mut(place.blocks);
            for (combination, row) in own.enumerate() {
                let inputs = &place.inputs[combination * count..][..count];
                for (block, lane) in row.iter_mut().enumerate() {
                    let at = at(inputs, &place.steps, block);
                    table.evaluate(kernel.level, memory, before, at, lane);
                }
            }
            if index + 1 == hoisted.tables.len() {
                let all = &self.lanes[place.first..][..place.len()];
                for (any, lane) in self.feasible.iter_mut().zip(all) {
                    *any = lane.iter().any(|&holds| holds > 0.0);
                }
            }
        }
    }

    /// The best pairs of one state; `false` if a value is NaN.
    fn search(&mut self, task: Task<'_>) -> bool {
        let Task {
            kernel,
            hoisted,
            layout,
        } = task;
        let Some(feasible) = layout.tables.last() else {
            return false;
        };
        self.best.fill(NOTHING);
        self.lane_best = LaneBest::NOTHING;
        let count = hoisted.utility.inputs.len();
        let inside = |place: &Place, row: usize, first: u32| {
            let first = first as usize;
            first..first + if place.blocks == 1 { 1 } else { row }
        };
        for (combination, &[future, holds]) in layout.pairs.iter().enumerate() {
            let holds = inside(feasible, layout.blocks, holds);
            let any = &self.feasible[holds.start - feasible.first..holds.end - feasible.first];
            if any.contains(&true) {
                let inputs = &layout.utility.inputs[combination * count..][..count];
                for (block, lane) in self.utility.iter_mut().enumerate() {
                    if any[block.min(any.len() - 1)] {
                        let at = at(inputs, &layout.utility.steps, block);
                        let memory = &mut self.utility_memory;
                        let before = &self.lanes;
                        hoisted
                            .utility
                            .evaluate(kernel.level, memory, before, at, lane);
                    }
                }
                let met = kernel.level.dispatch(Row {
                    utility: &self.utility,
                    future: &self.lanes[inside(&layout.future, layout.blocks, future)],
                    feasible: &self.lanes[holds],
                    any,
                    first: combination * layout.blocks,
                    best: &mut self.lane_best,
                });
                if met {
                    return false;
                }
            }
            if self.best.len() > 1 && (combination + 1) % layout.outer_of_branch == 0 {
                self.best[combination / layout.outer_of_branch] = self.lane_best.first(layout);
                self.lane_best = LaneBest::NOTHING;
            }
        }
        if let [only] = &mut *self.best {
            *only = self.lane_best.first(layout);
        }
        true
    }
}

/// Where the inputs of a block of a row are.
fn at<'a>(inputs: &'a [u32], steps: &'a [u32], block: usize) -> impl Iterator<Item = usize> + 'a {
    let pairs = inputs.iter().zip(steps);
    pairs.map(move |(&first, &step)| first as usize + step as usize * block)
}

/// The future of each lane alone, NaN where it cannot be had.
#[cold]
fn one_by_one(kernel: &Kernel<'_>, worker: &mut Worker) -> Lane {
    core::array::from_fn(|lane| {
        let alone = kernel.future(worker, lane..lane + 1);
        alone.map_or(f64::NAN, |future| future[lane])
    })
}

impl LaneBest {
    /// The best lane, of equal ones the first pair.
    fn first(&self, layout: &Layout) -> Best {
        let mut best = NOTHING;
        for (lane, (&value, &at)) in self.value.iter().zip(&self.at).enumerate() {
            if at == NOWHERE {
                continue;
            }
            let (combination, block) = (at / layout.blocks, at % layout.blocks);
            let node = (block * LANES + lane).min(layout.row - 1);
            #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
            let flat = (combination * layout.row + node) as u32;
            if best.flat == NONE || value > best.value || (value >= best.value && flat < best.flat)
            {
                best = Best { value, flat };
            }
        }
        best
    }
}

/// The reduction along one row.
struct Row<'a> {
    utility: &'a [Lane],
    future: &'a [Lane],
    feasible: &'a [Lane],
    any: &'a [bool],
    first: usize,
    best: &'a mut LaneBest,
}

impl bifrons_lanes::Kernel for Row<'_> {
    /// Whether the value of a feasible pair is NaN.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let LaneBest { value, at } = self.best;
        let mut met = false;
        for (block, utility) in self.utility.iter().enumerate() {
            let feasible = block.min(self.feasible.len() - 1);
            if !self.any[feasible] {
                continue;
            }
            let holds = &self.feasible[feasible];
            let future = &self.future[block.min(self.future.len() - 1)];
            let number = self.first + block;
            for lane in 0..LANES {
                let q = utility[lane] + future[lane];
                let holds = holds[lane] > 0.0;
                let better = holds & ((q > value[lane]) | (at[lane] == NOWHERE));
                met |= holds & q.is_nan();
                value[lane] = if better { q } else { value[lane] };
                at[lane] = if better { number } else { at[lane] };
            }
        }
        met
    }
}
