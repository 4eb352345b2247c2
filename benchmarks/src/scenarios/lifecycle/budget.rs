//! `nbegm/kinked-tax` and `nbegm/asset-test`: budgets that bend or jump.

use anyhow::Context as _;
use bifrons_lifecycle::SolveOptions;
use bifrons_parallel::Threads;

use super::{Distance, ROWS, check, solve};
use crate::case::{Case, Parameter};
use crate::models::Budget;
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Outcome, Scenario};

pub(in crate::scenarios) const KINKED_TAX: Piecewise = Piecewise {
    name: "nbegm/kinked-tax",
    budget: Budget::KinkedTax,
};
pub(in crate::scenarios) const ASSET_TEST: Piecewise = Piecewise {
    name: "nbegm/asset-test",
    budget: Budget::AssetTest,
};

/// A saver with a piecewise budget, by NB-EGM.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct Piecewise {
    name: &'static str,
    budget: Budget,
}

impl Scenario for Piecewise {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("points", 100..=1_000_000, 500, "savings nodes"),
            Parameter::choice("periods", &["20", "5"], "decision periods"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("points=500&periods=5"),
            CaseSpec::quick("points=4000&periods=20"),
            CaseSpec::full("points=20000&periods=20"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [1000, 2000, 4000, 8000], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let periods = case.choice("periods")?.parse().context("a number")?;
        let problem = self.budget.problem(periods, case.size("points")?)?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, ROWS)?;
        let mut distance = Distance::default();
        for known in self.budget.reference(periods)? {
            let found = solution.branch_at(0, "life", &[known.assets], 0);
            let (value, consumption) = found.context("a value")?;
            let value = (value - known.value).abs();
            distance.take(value, (consumption / known.consumption - 1.0).abs());
        }
        let allowed = Distance {
            value: 1e-4,
            policy: 1e-6,
        };
        distance.report(run, allowed, "a solution by segments")?;
        Ok(Outcome::new(check(&solution, "life").bits()))
    }
}
