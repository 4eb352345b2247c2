//! `lifecycle/mahler-yum`: health, effort and wealth, up to 1.6 million states and 6000 actions.

use anyhow::Context as _;
use bifrons_lifecycle::{Retention, SolveOptions};
use bifrons_parallel::Threads;

use super::{SEARCH, check, solve};
use crate::case::{Case, Parameter};
use crate::models::{self, Sizes};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Outcome, Scenario};

/// Values of the period that is worked on and of the next one are kept, nothing else.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct MahlerYum;

impl Scenario for MahlerYum {
    fn name(&self) -> &'static str {
        "lifecycle/mahler-yum"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("periods", 2..=38, 38, "periods, the last one of the dead"),
            Parameter::count("wealth", 2..=50, 50, "nodes of wealth and savings"),
            Parameter::count("effort", 2..=40, 40, "levels of effort"),
            Parameter::choice("types", &["4", "2", "0"], "permanent types that vary"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("periods=4&wealth=8&effort=4&types=0"),
            CaseSpec::full("periods=4&wealth=20&effort=10&types=2"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("wealth", [4, 8, 16], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let types = case.choice("types")?.parse().context("a number of types")?;
        let sizes = Sizes {
            periods: case.size("periods")?,
            wealth: case.size("wealth")?,
            effort: case.size("effort")?,
            types,
            ..Sizes::PUBLISHED
        };
        run.config("states", sizes.states())?;
        run.config("actions", sizes.actions())?;
        let problem = models::mahler_yum(sizes)?;
        let options = SolveOptions::new()
            .retention(Retention::First)
            .threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, SEARCH)?;
        let values = solution.values(0, "alive").context("values are kept")?;
        anyhow::ensure!(values.len() == sizes.states(), "another number of states");
        anyhow::ensure!(values.iter().all(|v| v.is_finite()), "a value is missing");
        Ok(Outcome::new(check(&solution, "alive").bits()))
    }
}
