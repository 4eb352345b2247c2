//! Consumption by maximising in a subject's own state, sixteen amounts at a time.

use bifrons_lanes::LANES;

use crate::endogenous::Choice;
use crate::kernel::{FaultKind, Kernel, Worker};

/// Blocks of the first, even search over the range.
const BLOCKS: usize = 8;
/// Rounds in which the range shrinks around the best amount, each by `2 / 17`.
const ROUNDS: usize = 9;
/// Rounds in which the largest feasible amount is enclosed, each by `1 / 17`.
const EDGE_ROUNDS: usize = 15;
/// Doublings until no amount is feasible any more: from the smallest number to the largest.
const DOUBLINGS: usize = 2176;

/// Searches for the best amount of the last action.
pub(super) struct Searcher {
    worker: Worker,
    action: Vec<f64>,
}

impl Searcher {
    pub(super) fn new(kernel: &Kernel<'_>) -> Self {
        Self {
            worker: kernel.worker(),
            action: vec![0.0; kernel.plan.actions.len()],
        }
    }

    /// The best amount of a branch in a state; `None` if none is feasible.
    ///
    /// Feasible amounts are those up to a largest one. All local maxima that are wider than a
    /// hundredth of the range are found.
    pub(super) fn best(
        &mut self,
        kernel: &Kernel<'_>,
        branch: usize,
        state: &[f64],
    ) -> Result<Option<Choice>, FaultKind> {
        for (place, &value) in state.iter().enumerate() {
            self.worker.states[place] = [value; LANES];
        }
        kernel.load_states(&mut self.worker);
        let choices = &kernel.period.choices;
        choices.values_into(branch * choices.inner, &mut self.action);
        let states = kernel.plan.states.len();
        for (place, &value) in self.action.iter().enumerate() {
            self.worker.now.slots[states + place] = [value; LANES];
        }
        let Some(most) = self.largest(kernel, state) else {
            return Ok(None);
        };
        let mut best = (0.0, f64::NEG_INFINITY);
        let count = (BLOCKS * LANES) as f64;
        for block in 0..BLOCKS {
            let share = |lane: usize| (block * LANES + lane + 1) as f64 / count;
            // The largest amount is there to the bit.
            self.visit(kernel, |lane| most * share(lane), &mut best)?;
        }
        let mut width = most / count;
        for _ in 0..ROUNDS {
            let centre = best.0;
            let step = 2.0 * width / (LANES + 1) as f64;
            let amount = |lane: usize| centre - width + step * (lane + 1) as f64;
            self.visit(kernel, |lane| amount(lane).clamp(0.0, most), &mut best)?;
            width = step;
        }
        let (policy, value) = best;
        Ok(
            (value > f64::NEG_INFINITY || value.is_nan()).then_some(Choice {
                branch,
                value,
                policy,
            }),
        )
    }

    /// Values of sixteen amounts; the best so far stays on ties, a NaN stays.
    fn visit(
        &mut self,
        kernel: &Kernel<'_>,
        amount: impl Fn(usize) -> f64,
        best: &mut (f64, f64),
    ) -> Result<(), FaultKind> {
        let amounts = core::array::from_fn(amount);
        if let Some(slot) = self.amounts(kernel) {
            *slot = amounts;
        }
        let evaluated = kernel.evaluate(&mut self.worker, 0..LANES);
        evaluated.map_err(|fault| fault.kind)?;
        for (lane, &amount) in amounts.iter().enumerate() {
            let value = self.worker.q[lane];
            let better = value > best.1 || value.is_nan();
            if self.worker.feasible[lane] && better && !best.1.is_nan() {
                *best = (amount, value);
            }
        }
        Ok(())
    }

    /// The slot of the last action.
    fn amounts(&mut self, kernel: &Kernel<'_>) -> Option<&mut [f64; LANES]> {
        let last = kernel.plan.states.len() + kernel.plan.actions.len();
        self.worker.now.slots.get_mut(last.checked_sub(1)?)
    }

    /// The largest feasible amount, to the last bits.
    fn largest(&mut self, kernel: &Kernel<'_>, state: &[f64]) -> Option<f64> {
        let liquid = state.last().map_or(1.0, |own| own.abs());
        let scale = liquid.max(f64::MIN_POSITIVE);
        // Powers of two around the liquid state, small ones first.
        let mut edge = (0.0, f64::INFINITY);
        for block in 0..DOUBLINGS / LANES {
            let power = |lane: usize| {
                let at = i32::try_from(block * LANES + lane).unwrap_or(0) - 40;
                // In two factors, as one would be infinite before the product is.
                scale * 2.0_f64.powi(at / 2) * 2.0_f64.powi(at - at / 2)
            };
            self.enclose(kernel, power, &mut edge);
            if edge.1 < f64::INFINITY {
                break;
            }
        }
        let (mut low, high) = edge;
        if high == f64::INFINITY {
            return (low > 0.0).then_some(low);
        }
        for _ in 0..EDGE_ROUNDS {
            let (from, to) = edge;
            let step = (to - from) / (LANES + 1) as f64;
            self.enclose(kernel, |lane| from + step * (lane + 1) as f64, &mut edge);
        }
        low = low.max(edge.0);
        (low > 0.0).then_some(low)
    }

    /// Moves the last feasible and the first infeasible amount together.
    fn enclose(
        &mut self,
        kernel: &Kernel<'_>,
        amount: impl Fn(usize) -> f64,
        edge: &mut (f64, f64),
    ) {
        let amounts = core::array::from_fn(amount);
        if let Some(slot) = self.amounts(kernel) {
            *slot = amounts;
        }
        kernel.stage.now.run(kernel.level, &mut self.worker.now);
        let outputs = kernel.stage.now.outputs(&self.worker.now);
        let feasible = outputs[kernel.stage.layout.feasible];
        for (lane, &amount) in amounts.iter().enumerate() {
            if feasible[lane] > 0.0 {
                edge.0 = edge.0.max(amount);
            } else {
                edge.1 = edge.1.min(amount);
                break;
            }
        }
    }
}
