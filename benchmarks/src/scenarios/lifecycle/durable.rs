//! `negm/durable` and `nnbegm/durable-kinked`: a durable that is kept or replaced.

use anyhow::Context as _;
use bifrons_lifecycle::{Solution, SolveOptions};
use bifrons_parallel::Threads;

use super::{CLIFFS, Distance, ROWS, check, solve};
use crate::case::{Case, Parameter};
use crate::models::{self, Owned, Taste};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Outcome, Scenario};

/// The durable of nine sizes over five periods.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct Durable;

impl Scenario for Durable {
    fn name(&self) -> &'static str {
        "negm/durable"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("points", 150..=1_000_000, 300, "savings nodes"),
            Parameter::choice("utility", &["cobb-douglas", "separable"], "what is enjoyed"),
            Parameter::choice("incomes", &["3", "1"], "income nodes"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("points=300&incomes=1"),
            CaseSpec::quick("points=300"),
            CaseSpec::quick("points=300&utility=separable"),
            CaseSpec::full("points=2000"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [150, 300, 600, 1200], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let taste = match case.choice("utility")? {
            "separable" => Taste::Separable,
            _ => Taste::CobbDouglas,
        };
        let incomes = case.choice("incomes")?.parse().context("a number")?;
        run.config("durables", models::DURABLES.len())?;
        let problem = models::durable(case.size("points")?, taste, incomes)?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, ROWS)?;
        let known = models::durable_reference(taste, incomes)?;
        compare(&solution, &known)?.report(run, ALLOWED, "plans on the tree of incomes")?;
        Ok(Outcome::new(check(&solution, "owner").bits()))
    }
}

/// The durable beside a tax with two rates and a transfer that a cliff ends.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct DurableKinked;

impl Scenario for DurableKinked {
    fn name(&self) -> &'static str {
        "nnbegm/durable-kinked"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("points", 150..=1_000_000, 300, "savings nodes"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![CaseSpec::quick("points=300"), CaseSpec::full("points=2000")]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [150, 300, 600, 1200], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        run.config("durables", models::HOUSES.len())?;
        let problem = models::durable_kinked(case.size("points")?)?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, CLIFFS)?;
        let known = models::durable_kinked_reference()?;
        compare(&solution, &known)?.report(run, ALLOWED, "the best of all plans")?;
        Ok(Outcome::new(check(&solution, "owner").bits()))
    }
}

/// Errors above which a sample is wrong, with 150 savings nodes.
const ALLOWED: Distance = Distance {
    value: 1e-4,
    policy: 1e-2,
};

/// Distances of values and choices at the first age; another durable is a distance of the policy.
fn compare(solution: &Solution, known: &[Owned]) -> anyhow::Result<Distance> {
    let mut distance = Distance::default();
    for known in known {
        let state = [known.stock, known.cash];
        let value = solution.value_at(0, "owner", &state).context("a value")?;
        let action = solution.policy_at(0, "owner", &state).context("a policy")?;
        let [next, consumption] = action[..] else {
            anyhow::bail!("a policy of {} actions", action.len());
        };
        let chosen = (next - known.next).abs();
        let spent = (consumption / known.consumption - 1.0).abs();
        distance.take((value - known.value).abs(), spent.max(chosen));
    }
    Ok(distance)
}
