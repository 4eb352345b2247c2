//! What a solve will use, before it runs.

use bifrons_memory::{Bytes, Footprint, Part};

use crate::averaged;
use crate::endogenous;
use crate::error::SolveError;
use crate::model::{PeriodPlan, RegimePlan};
use crate::options::{Retention, SolveOptions};
use crate::problem::Problem;
use crate::solution::{Slot, Statistics};
use crate::solve::search_footprint;

/// Bytes allowed for lists that are as long as a model has regimes or a regime has edges.
const SHORT_LISTS: u64 = 1 << 10;

/// The predicted peak of a solve, part by part.
///
/// ```text
/// peak = kept + max over periods of ( values and policies of the period + threads × worker )
/// ```
///
/// The bytes are those of the heap that the solve allocates on top of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolvePlan {
    tree: Part,
    allowed: u64,
}

impl SolvePlan {
    /// Bytes of the heap at the peak.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.tree.total().peak()
    }

    /// Bytes that the budget allowed, `u64::MAX` for no bound.
    #[must_use]
    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// The parts of the prediction.
    #[must_use]
    pub fn tree(&self) -> &Part {
        &self.tree
    }
}

impl core::fmt::Display for SolvePlan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(f, "{}", Bytes::new(self.peak()))?;
        write!(f, "{}", self.tree)
    }
}

pub(crate) fn plan(problem: &Problem, options: &SolveOptions) -> Result<SolvePlan, SolveError> {
    let tree = tree(problem, options);
    let allowed = options.budget.resolve()?;
    let needed = tree.total();
    if needed.fits(allowed) {
        Ok(SolvePlan { tree, allowed })
    } else {
        Err(SolveError::Budget {
            needed: needed.peak(),
            allowed,
            binding: tree.largest().0,
        })
    }
}

fn tree(problem: &Problem, options: &SolveOptions) -> Part {
    let model = &problem.model.inner;
    let ages = model.ages.values();
    let slots = Footprint::of::<Slot>(model.regimes.len())
        .times(ages.len() as u64)
        .beside(Footprint::of::<Vec<Slot>>(ages.len()));
    let mut kept = Footprint::ZERO;
    let mut periods = Vec::new();
    let mut after = Footprint::ZERO;
    let mut banks_after = Footprint::ZERO;
    for period in (0..ages.len()).rev() {
        let [here, mut work, banks] = period_footprints(problem, options, period);
        // Rows of this period and of the one after exist at the same time.
        match options.retention {
            Retention::Policies => kept = kept.beside(banks),
            _ => work = work.beside(banks.beside(banks_after).into_scratch()),
        }
        banks_after = banks;
        if options.retention == Retention::First {
            // Values of the period after are there while this one is solved.
            let part = Part::new(format!("age {}", ages[period]), work)
                .with_own(work.beside(here.beside(after).into_scratch()));
            periods.push(part);
            after = here;
        } else {
            kept = kept.beside(here);
            periods.push(Part::new(format!("age {}", ages[period]), work));
        }
    }
    Part::beside(
        "solve",
        [
            Part::new("values and policies", kept),
            Part::new("bookkeeping", slots.beside(report(problem))),
            Part::then("periods", periods),
        ],
    )
}

/// Bytes of the report, whose list doubles, and of lists as long as a model has regimes.
fn report(problem: &Problem) -> Footprint {
    let model = &problem.model.inner;
    let solved = |plan: &RegimePlan| plan.periods.iter().flatten().count();
    let entries: usize = model.regimes.iter().map(solved).sum();
    let names = |plan: &RegimePlan| plan.name().len() * solved(plan);
    Footprint::of::<Statistics>(entries.next_power_of_two().max(4) * 3 / 2)
        .beside(Footprint::of::<u8>(model.regimes.iter().map(names).sum()))
        .beside(Footprint::of::<f64>(2 * problem.parameters.len() + 2))
        .beside(Footprint::persistent(SHORT_LISTS))
}

/// Bytes of one period: values and policies, work, rows.
fn period_footprints(problem: &Problem, options: &SolveOptions, period: usize) -> [Footprint; 3] {
    let threads = options.threads.count() as u64;
    let later = (problem.model.inner.ages.values().len() - 1 - period).saturating_sub(1);
    let [mut here, mut work, mut banks] = [Footprint::ZERO; 3];
    for plan in &problem.model.inner.regimes {
        let Some(own) = &plan.periods[period] else {
            continue;
        };
        here = here.beside(values(plan, own, options));
        let rows = endogenous::footprint(&problem.model.inner.regimes, plan, own, later);
        work = work.either(match rows {
            Some((_, worker)) => worker.times(threads).into_scratch(),
            None => {
                let after = |target: usize| {
                    let target: &RegimePlan = &problem.model.inner.regimes[target];
                    target.periods.get(period + 1)?.as_ref()
                };
                let stage = &plan.stages[own.stage];
                let averages = averaged::footprint(plan, own, stage, after);
                search_footprint(plan, own, options)
                    .beside(averages)
                    .into_scratch()
            }
        });
        if let Some((bank, _)) = rows {
            banks = banks.beside(bank);
        }
    }
    [here, work, banks]
}

/// Bytes that one regime in one period leaves behind.
fn values(plan: &RegimePlan, own: &PeriodPlan, options: &SolveOptions) -> Footprint {
    let values = Footprint::of::<f64>(own.space.len());
    let policy = Footprint::of::<u32>(own.space.len());
    let searched = plan.stages[own.stage].margin.is_none();
    if searched && options.retention == Retention::Policies {
        values.beside(policy)
    } else {
        values
    }
}
