//! The best action of each of many states, by trying all.

use core::ops::Range;

use bifrons_grids::Grid;
use bifrons_lanes::LANES;
use bifrons_memory::Footprint;

use crate::kernel::{self, FaultKind, Kernel, Worker};
use crate::model::{PeriodPlan, RegimePlan};
use crate::solution::NONE;

/// A worker with a running reduction over the actions of one state.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) worker: Worker,
    /// Coordinates of the state whose actions are next.
    point: Vec<f64>,
    action: Vec<f64>,
    best: Vec<Best>,
}

/// The best action so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Best {
    pub(crate) value: f64,
    /// Number of the combination of actions.
    pub(crate) flat: u32,
}

/// No feasible action.
pub(crate) const NOTHING: Best = Best {
    value: f64::NEG_INFINITY,
    flat: NONE,
};

/// What was found for one state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found<'a> {
    /// One entry, or with taste shocks one for each combination of discrete actions.
    pub(crate) best: &'a [Best],
    /// Scale of the taste shocks.
    pub(crate) scale: Option<f64>,
}

impl Found<'_> {
    /// The best over all branches; ties go to the first, a NaN stays.
    pub(crate) fn overall(&self) -> Best {
        let better = |best: Best, other: Best| {
            let above = other.value > best.value || best.flat == NONE;
            if above || (other.value.is_nan() && !best.value.is_nan()) {
                other
            } else {
                best
            }
        };
        self.best.iter().copied().reduce(better).unwrap_or(NOTHING)
    }
}

impl Search {
    pub(crate) fn new(kernel: &Kernel<'_>) -> Self {
        Self {
            worker: kernel.worker(),
            point: vec![0.0; kernel.plan.states.len()],
            action: vec![0.0; kernel.plan.actions.len()],
            best: vec![NOTHING; reductions(kernel.plan, kernel.period)],
        }
    }

    /// Searches the states of a range. `source` gives their coordinates, `done` takes what was
    /// found, both in ascending order. An error has the number of the pair that it is about.
    pub(crate) fn run(
        &mut self,
        kernel: &Kernel<'_>,
        cells: Range<usize>,
        source: impl Fn(usize, &mut [f64]),
        mut done: impl FnMut(usize, Found<'_>),
    ) -> Result<(), (usize, FaultKind)> {
        let count = kernel.period.choices.count();
        let last = cells.end * count;
        let mut from = cells.start * count;
        self.best.fill(NOTHING);
        while from < last {
            let width = LANES.min(last - from);
            self.load(kernel, from, width, &source);
            if kernel.evaluate(&mut self.worker, 0..width).is_err() {
                let found = kernel.first_fault(&mut self.worker, 0..width);
                if let Some(found) = found {
                    return Err((from + found.lane, found.kind));
                }
            }
            for lane in 0..width {
                let flat = (from + lane) % count;
                self.fold(kernel, flat, lane);
                if flat + 1 == count {
                    let outputs = kernel.stage.now.outputs(&self.worker.now);
                    let taste = kernel.stage.layout.taste;
                    let found = Found {
                        best: &self.best,
                        scale: taste.map(|place| outputs[place][lane]),
                    };
                    done((from + lane) / count, found);
                    self.best.fill(NOTHING);
                }
            }
            from += width;
        }
        Ok(())
    }

    /// States and actions of consecutive pairs, the last one repeated in lanes without a pair.
    fn load(
        &mut self,
        kernel: &Kernel<'_>,
        from: usize,
        width: usize,
        source: impl Fn(usize, &mut [f64]),
    ) {
        let count = kernel.period.choices.count();
        let states = kernel.plan.states.len();
        for lane in 0..LANES {
            let pair = from + lane.min(width - 1);
            let flat = pair % count;
            if lane == 0 || (flat == 0 && lane < width) {
                source(pair / count, &mut self.point);
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

    /// Takes the pair of a lane into account.
    fn fold(&mut self, kernel: &Kernel<'_>, flat: usize, lane: usize) {
        if !self.worker.feasible[lane] {
            return;
        }
        let single = self.best.len() == 1;
        let place = if single {
            0
        } else {
            flat / kernel.period.choices.inner
        };
        let (best, q) = (&mut self.best[place], self.worker.q[lane]);
        // A NaN stays: it is the value of the state.
        let better = q.is_nan() || q > best.value || best.flat == NONE;
        if better && !best.value.is_nan() {
            #[expect(clippy::cast_possible_truncation, reason = "checked when built")]
            let flat = flat as u32;
            *best = Best { value: q, flat };
        }
    }
}

/// Running reductions of one state.
pub(crate) fn reductions(plan: &RegimePlan, period: &PeriodPlan) -> usize {
    if plan.declaration.taste_shocks.is_some() {
        period.choices.branches
    } else {
        1
    }
}

/// Bytes of a [`Search`].
pub(crate) fn footprint(plan: &RegimePlan, period: &PeriodPlan) -> Footprint {
    let stage = &plan.stages[period.stage];
    kernel::footprint(plan, period, stage)
        .beside(Footprint::of::<f64>(plan.states.len() + plan.actions.len()))
        .beside(Footprint::of::<Best>(reductions(plan, period)))
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
