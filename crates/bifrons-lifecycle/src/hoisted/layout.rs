//! Where the tables of a hoisted grid search are, and in which order states are visited.

use bifrons_grids::Grid;
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;

use super::{Hoisted, Input};
use crate::model::{PeriodPlan, RegimePlan};
use crate::program::Lane;

/// Blocks of states that are cut at least, where the grids allow it.
const FEWEST_BLOCKS: usize = 16;

/// Places of all tables in one period.
///
/// The last action is a row: a table that reads it has `blocks` times sixteen lanes for each
/// combination of the other actions that it reads, any other table one number in all lanes.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Nodes of the last action.
    pub(crate) row: usize,
    /// Sixteens that cover a row.
    pub(crate) blocks: usize,
    /// Combinations of all actions but the last within one branch.
    pub(crate) outer_of_branch: usize,
    /// First lane of each action; states have one lane each before them.
    pub(crate) actions: Vec<usize>,
    pub(crate) future: Place,
    pub(crate) tables: Vec<Place>,
    pub(crate) utility: Place,
    /// For each combination of outer actions, where the future and the feasibility are.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// Lanes in all.
    pub(crate) len: usize,
    /// States from the slowest to the fastest: those that the future depends on come first.
    pub(crate) order: Vec<usize>,
    /// States of one block.
    pub(crate) block_size: usize,
}

/// The lanes of one table.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pub(crate) first: usize,
    /// Combinations of outer actions that it reads.
    pub(crate) outer: usize,
    /// Sixteens of each of them.
    pub(crate) blocks: usize,
    /// For each combination and input, the first lane.
    pub(crate) inputs: Vec<u32>,
    /// Whether an input goes on with the row.
    pub(crate) steps: Vec<u32>,
}

impl Place {
    /// Lanes of the table.
    pub(crate) fn len(&self) -> usize {
        self.outer * self.blocks
    }
}

/// Counts of states and actions.
struct Counts {
    states: usize,
    /// Of all actions but the last.
    outer: Vec<usize>,
    row: usize,
}

impl Counts {
    fn row_bit(&self) -> u64 {
        1 << (self.states + self.outer.len())
    }

    fn combinations(&self, reads: u64) -> usize {
        let read = |action: &usize| reads >> (self.states + action) & 1 == 1;
        let actions = (0..self.outer.len()).filter(read);
        actions.map(|action| self.outer[action]).product()
    }

    fn blocks(&self, reads: u64) -> usize {
        if reads & self.row_bit() == 0 {
            1
        } else {
            self.row.div_ceil(LANES)
        }
    }

    /// Number among the combinations of `to` of a combination of `from`.
    fn project(&self, from: u64, mut combination: usize, to: u64) -> usize {
        let (mut number, mut stride) = (0, 1);
        for (action, &count) in self.outer.iter().enumerate().rev() {
            let bit = 1 << (self.states + action);
            let index = if from & bit == 0 {
                0
            } else {
                let index = combination % count;
                combination /= count;
                index
            };
            if to & bit != 0 {
                number += index * stride;
                stride *= count;
            }
        }
        number
    }
}

impl Layout {
    /// The layout of a regime in a period; `None` where hoisting saves less than half, lanes that
    /// are left empty taken into account.
    pub(crate) fn new(plan: &RegimePlan, period: &PeriodPlan) -> Option<Self> {
        let hoisted = plan.stages[period.stage].hoisted.as_ref()?;
        let states = period.space.reader.space().shape();
        let (last, outer) = period.choices.axes.split_last()?;
        let counts = Counts {
            states: states.len(),
            outer: outer.iter().map(Grid::len).collect(),
            row: last.len(),
        };
        let actions = counts.outer.iter().chain([&counts.row]);
        let all = states.iter().chain(actions).enumerate();
        let saved: usize = all
            .filter(|(at, _)| hoisted.future >> at & 1 == 0)
            .map(|(_, &count)| count)
            .product();
        let lanes = counts.row.div_ceil(LANES) * LANES;
        (saved.saturating_mul(counts.row) >= 2 * lanes)
            .then(|| Self::arranged(hoisted, period, &counts))
    }

    fn arranged(hoisted: &Hoisted, period: &PeriodPlan, counts: &Counts) -> Self {
        let shape = period.space.reader.space().shape();
        let mut len = counts.states;
        let mut actions = Vec::with_capacity(counts.outer.len() + 1);
        for count in counts
            .outer
            .iter()
            .copied()
            .chain([counts.row.div_ceil(LANES)])
        {
            actions.push(len);
            len += count;
        }
        let future = Place {
            first: len,
            outer: counts.combinations(hoisted.future),
            blocks: counts.blocks(hoisted.future),
            ..Place::default()
        };
        len += future.len();
        let mut tables: Vec<Place> = Vec::with_capacity(hoisted.tables.len());
        for table in &hoisted.tables {
            let mut place = Source {
                hoisted,
                counts,
                actions: &actions,
                before: &tables,
            }
            .place(table.reads, &table.inputs);
            place.first = len;
            len += place.len();
            tables.push(place);
        }
        let utility = Source {
            hoisted,
            counts,
            actions: &actions,
            before: &tables,
        }
        .place(u64::MAX, &hoisted.utility.inputs);
        Self {
            row: counts.row,
            blocks: counts.row.div_ceil(LANES),
            outer_of_branch: (period.choices.inner / counts.row).max(1),
            actions,
            pairs: pairs(hoisted, counts, &future, tables.last()),
            len,
            order: order(hoisted, counts, shape),
            block_size: block_size(hoisted, shape),
            future,
            tables,
            utility,
        }
    }

    /// Bytes of the layout itself.
    pub(crate) fn footprint(&self) -> Footprint {
        let places = self.tables.iter().chain([&self.utility]);
        places
            .map(|place| Footprint::of::<u32>(place.inputs.len() + place.steps.len()))
            .fold(Footprint::of::<Place>(self.tables.len()), Footprint::beside)
            .beside(Footprint::of::<[u32; 2]>(self.pairs.len()))
            .beside(Footprint::of::<usize>(
                self.actions.len() + self.order.len(),
            ))
    }

    /// Bytes of the lanes of one worker.
    pub(crate) fn lanes(&self) -> Footprint {
        Footprint::of::<Lane>(self.len + self.blocks)
    }
}

/// Where future and feasibility are for each combination of outer actions.
fn pairs(
    hoisted: &Hoisted,
    counts: &Counts,
    future: &Place,
    feasible: Option<&Place>,
) -> Vec<[u32; 2]> {
    let outer: usize = counts.outer.iter().product();
    let first = feasible.map_or(0, |place| place.first);
    let reads = hoisted.tables.last().map_or(0, |table| table.reads);
    let all = (0..outer).map(|combination| {
        let at = |reads: u64, first: usize| {
            let number = counts.project(u64::MAX, combination, reads);
            lane(first + number * counts.blocks(reads))
        };
        [at(hoisted.future, future.first), at(reads, first)]
    });
    all.collect()
}

fn lane(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// What formulas can read.
struct Source<'a> {
    hoisted: &'a Hoisted,
    counts: &'a Counts,
    actions: &'a [usize],
    before: &'a [Place],
}

impl Source<'_> {
    /// A place without its first lane.
    fn place(&self, reads: u64, read: &[Input]) -> Place {
        let counts = self.counts;
        let outer = counts.combinations(reads);
        let mut inputs = Vec::with_capacity(outer * read.len());
        for combination in 0..outer {
            for input in read {
                let (first, own) = self.of(*input);
                let number = counts.project(reads, combination, own);
                inputs.push(lane(first + number * counts.blocks(own)));
            }
        }
        let step = |input: &Input| u32::from(self.of(*input).1 & reads & counts.row_bit() != 0);
        Place {
            first: 0,
            outer,
            blocks: counts.blocks(reads),
            inputs,
            steps: read.iter().map(step).collect(),
        }
    }

    /// First lane of an input and the bits that it reads.
    fn of(&self, input: Input) -> (usize, u64) {
        match input {
            Input::State(state) => (state, 1 << state),
            Input::Action(action) => (self.actions[action], 1 << (self.counts.states + action)),
            Input::Table(table) => (self.before[table].first, self.hoisted.tables[table].reads),
        }
    }
}

/// States that the future depends on in their order, then the others, those on which the most work
/// depends first.
fn order(hoisted: &Hoisted, counts: &Counts, shape: &[usize]) -> Vec<usize> {
    let work = |state: usize| -> usize {
        let tables = hoisted.tables.iter();
        tables
            .filter(|table| table.reads >> state & 1 == 1)
            .map(|table| {
                counts.combinations(table.reads) * counts.blocks(table.reads) * table.cost()
            })
            .sum()
    };
    let mut order: Vec<usize> = (0..shape.len()).collect();
    let free = |state: usize| hoisted.future >> state & 1 == 0;
    order.sort_by_key(|&state| {
        (
            free(state),
            if free(state) {
                usize::MAX - work(state)
            } else {
                0
            },
        )
    });
    order
}

/// States from the first one on that the future does not depend on, unless these are too many for
/// several threads.
fn block_size(hoisted: &Hoisted, shape: &[usize]) -> usize {
    let free = (0..shape.len()).find(|state| hoisted.future >> state & 1 == 0);
    let mut cut = free.unwrap_or(shape.len());
    let blocks = |cut: usize| shape[..cut].iter().product::<usize>();
    while cut < shape.len() && blocks(cut) < FEWEST_BLOCKS {
        cut += 1;
    }
    shape[cut..].iter().product::<usize>().max(1)
}
