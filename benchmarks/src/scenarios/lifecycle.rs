//! Life-cycle models solved by backward induction: grid search, rows, piecewise budgets,
//! durables, recursive preferences.

mod budget;
mod durable;
mod mahler_yum;
mod small;

use bifrons_lifecycle::{Problem, Solution, SolveOptions};

pub(super) use budget::{ASSET_TEST, KINKED_TAX};
pub(super) use durable::{Durable, DurableKinked};
pub(super) use mahler_yum::MahlerYum;
pub(super) use small::{EpsteinZin, GridSearchRetirement, Precautionary};

use super::ASSEMBLED;
use crate::run::Run;
use crate::scenario::Checksum;

/// Largest distances of a solution from a reference.
#[derive(Clone, Copy, Debug, Default)]
struct Distance {
    value: f64,
    policy: f64,
}

impl Distance {
    fn take(&mut self, value: f64, policy: f64) {
        self.value = self.value.max(value);
        self.policy = self.policy.max(policy);
    }

    /// States the distances; larger ones than allowed fail the sample.
    fn report(self, run: &mut Run<'_>, allowed: Self, reference: &str) -> anyhow::Result<()> {
        let value = format!("largest distance of a value at the first age from {reference}");
        run.accuracy_within("value", self.value, allowed.value, &value)?;
        let policy = format!("largest relative distance of consumption there from {reference}");
        run.accuracy_within("policy", self.policy, allowed.policy, &policy)
    }
}

/// What a scenario says of its memory beside the plan of its solve.
#[derive(Clone, Copy, Debug)]
struct Beside {
    /// Pages that the process touches on the way.
    pages: u64,
    /// Share of the plan that may be left over, in percent.
    spare: u64,
}

/// Search on grids.
const SEARCH: Beside = Beside {
    pages: ASSEMBLED,
    spare: 0,
};

/// Solvers with rows: the code of envelopes and reads, and pieces of freed rows, add between 0.7 and
/// 1.1 MiB.
const ROWS: Beside = Beside {
    pages: ASSEMBLED + (832 << 10),
    spare: 0,
};

/// Rows of which a cliff leaves out a sixth to a third of the records.
const CLIFFS: Beside = Beside { spare: 20, ..ROWS };

/// Plans and solves a problem as often as asked for.
fn solve(
    run: &mut Run<'_>,
    problem: &Problem,
    options: &SolveOptions,
    beside: Beside,
) -> anyhow::Result<Solution> {
    run.config("precision", "f64")?;
    run.config("ages", problem.model().ages().count())?;
    run.fact("level", bifrons_lanes::Level::detect().name())?;
    let plan = problem.plan(options)?;
    run.plan(plan.tree());
    let spare = plan.peak() / 100 * beside.spare;
    if spare > 0 {
        run.plan_spare(spare);
    }
    // What is left over is never touched: half of it, as the share is the largest.
    run.plan_resident(plan.peak() - spare / 2 + beside.pages);
    drop(plan);
    run.assembled()?;
    drop(run.first(|| problem.solve_with(options))?);
    run.steady(|| problem.solve_with(options))
}

/// A checksum of the values of a regime at the first age.
fn check(solution: &Solution, regime: &str) -> Checksum {
    Checksum::new().values(solution.values(0, regime).unwrap_or_default())
}
