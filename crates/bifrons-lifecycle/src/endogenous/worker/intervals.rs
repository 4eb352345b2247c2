//! Rows of one cell whose future switches along the liquid state: one for each interval.

use bifrons_egm::{Budget, RowReader, SavingsProblem};
use bifrons_lanes::LANES;

use super::{Rows, Worker, settled};
use crate::endogenous::bank::Entry;
use crate::endogenous::intervals::{Intervals, Slot};
use crate::endogenous::switching::inside;
use crate::endogenous::utility::CellUtility;
use crate::kernel::FaultKind;

impl Rows<'_> {
    /// First liquid states of the intervals in which nothing behind savings switches.
    pub(super) fn switches(&self, worker: &mut Worker) -> Vec<f64> {
        let inputs = self.inputs(worker);
        let switching = self.margin.switching.as_ref();
        let Some((switching, machine)) = switching.zip(worker.switching.as_mut()) else {
            return Vec::new();
        };
        switching.points(machine, &self.cell_of(&inputs))
    }

    /// One row for each interval of the liquid state; some continuations at a time.
    pub(super) fn solve_intervals(
        &self,
        worker: &mut Worker,
        utility: &CellUtility,
        (budget, points): (Budget, Vec<f64>),
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        let count = points.len() + 1;
        let solver = &self.kernel.plan.declaration.solver;
        let width = solver.intervals_at_a_time(count);
        let (low, high) = self.margin.range(self.kernel);
        let mut slots = core::mem::take(&mut worker.slots);
        if slots.len() < width {
            slots.reserve_exact(width - slots.len());
            slots.resize_with(width, Slot::default);
        }
        let mut entries = Vec::with_capacity(count);
        for first in (0..count).step_by(width) {
            let live = width.min(count - first);
            for (own, slot) in slots[..live].iter_mut().enumerate() {
                let at = first + own;
                let start = at.checked_sub(1).map_or(low, |before| points[before]);
                let stop = points.get(at).copied().unwrap_or(high);
                worker.now.slots[self.margin.state] = [inside(start, stop); LANES];
                self.average(worker)?;
                let discount = self.discount(worker);
                let expectation = &worker.expectation;
                slot.keep(expectation.value(), expectation.marginal(), discount);
                if let Some((_, own)) = &mut worker.kinked {
                    core::mem::swap(&mut own.nodes, &mut slot.nodes);
                }
            }
            for slot in &slots[..live] {
                let mut own = Entry {
                    feasible: true,
                    ..Entry::default()
                };
                self.step_slot(worker, slot, utility, budget.clone(), &mut own)?;
                entries.push(own);
            }
        }
        worker.slots = slots;
        entry.intervals = Some(Box::new(Intervals { points, entries }));
        Ok(())
    }

    /// The row of one interval.
    fn step_slot(
        &self,
        worker: &mut Worker,
        slot: &Slot,
        utility: &CellUtility,
        budget: Budget,
        entry: &mut Entry,
    ) -> Result<(), FaultKind> {
        let options = self.kernel.plan.declaration.solver.kinked();
        let Some(((_, kinked), options)) = worker.kinked.as_mut().zip(options) else {
            return Ok(());
        };
        let (savings, utility) = (slot.nodes.nodes(), utility.as_dyn());
        let problem =
            SavingsProblem::new(savings, &slot.value, &slot.marginal, utility, slot.discount);
        let reader = RowReader::new(self.settings.read);
        let budget = Some(budget);
        let result = problem
            .and_then(|own| kinked.step(&own, &slot.nodes, &options, (reader, budget), entry));
        settled(result, entry)
    }
}
