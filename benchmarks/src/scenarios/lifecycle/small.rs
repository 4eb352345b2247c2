//! `grid-search/retirement`, `lifecycle/precautionary` and `lifecycle/epstein-zin`.

use anyhow::Context as _;
use bifrons_lifecycle::{Retention, SolveOptions};
use bifrons_parallel::Threads;
use bifrons_problems::Retirement;

use super::{Distance, ROWS, SEARCH, check, solve};
use crate::case::{Case, Parameter};
use crate::models;
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Outcome, Scenario};

/// Decision periods of the reference of the retirement model.
const DECISIONS: usize = 8;
/// Savings nodes of dense solutions: few enough not to show in the memory of the sample.
const DENSE: usize = 800;

/// The retirement model with taste shocks by trying all consumption levels.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct GridSearchRetirement;

impl Scenario for GridSearchRetirement {
    fn name(&self) -> &'static str {
        "grid-search/retirement"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("wealth", 50..=100_000, 500, "nodes of wealth"),
            Parameter::count("consumption", 50..=100_000, 2000, "levels of consumption"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("wealth=100&consumption=400"),
            CaseSpec::full("wealth=500&consumption=2000"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("wealth", [100, 200, 400], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let (wealth, consumption) = (case.size("wealth")?, case.size("consumption")?);
        let problem = models::retirement(DECISIONS, wealth, Some(consumption), &[(1.0, 1.0)])?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, SEARCH)?;
        // Values from a dense solution, consumption from rows.
        let reference = Retirement::with_points(DECISIONS, 500)?.reference();
        let rows = models::retirement(DECISIONS, DENSE, None, &[(1.0, 1.0)])?;
        let rows = rows.solve_with(&SolveOptions::new().retention(Retention::First))?;
        let mut distance = Distance::default();
        for (m, value) in reference {
            let found = solution.value_at(0, "working", &[m]).context("a value")?;
            distance.take((found - value).abs(), 0.0);
        }
        for state in 0..wealth {
            let m = solution
                .coordinates(0, "working", state)
                .context("a state")?;
            let policy = solution.policy(0, "working", state);
            let exact = rows.policy_at(0, "working", &m);
            let (Some(policy), Some(exact)) = (policy, exact) else {
                continue;
            };
            // Beside a threshold the choices differ; the same choice is compared.
            if policy[0].to_bits() == exact[0].to_bits() && m[0] > 1.0 {
                distance.take(0.0, (policy[1] / exact[1] - 1.0).abs());
            }
        }
        let allowed = Distance {
            value: 1e-1,
            policy: 1.0,
        };
        distance.report(run, allowed, "a dense solution by rows")?;
        Ok(Outcome::new(check(&solution, "working").bits()))
    }
}

/// Precautionary savings by rows or by grid search.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct Precautionary;

impl Scenario for Precautionary {
    fn name(&self) -> &'static str {
        "lifecycle/precautionary"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("points", 50..=100_000, 500, "nodes of wealth or savings"),
            Parameter::choice("solver", &["rows", "grid"], "how the model is solved"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("points=500"),
            CaseSpec::quick("points=100&solver=grid"),
            CaseSpec::full("points=500&solver=grid"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [250, 500, 1000, 2000], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let points = case.size("points")?;
        let rows = case.choice("solver")? == "rows";
        let beside = if rows { ROWS } else { SEARCH };
        let problem = models::precautionary(points, rows)?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &problem, &options, beside)?;
        let dense = models::precautionary(DENSE, true)?;
        let dense = dense.solve_with(&SolveOptions::new().retention(Retention::First))?;
        let mut distance = Distance::default();
        // Nodes at which both have a policy, away from the upper end.
        for state in 0..models::INCOMES * points {
            let point = solution.coordinates(0, "life", state).context("a state")?;
            let value = solution.value_at(0, "life", &point).context("a value")?;
            let exact = dense.value_at(0, "life", &point).context("a value")?;
            let policy = solution.policy(0, "life", state).context("a policy")?;
            let best = dense.policy_at(0, "life", &point).context("a policy")?;
            distance.take((value - exact).abs(), (policy[0] / best[0] - 1.0).abs());
        }
        let allowed = if rows {
            Distance {
                value: 1e-4,
                policy: 1e-2,
            }
        } else {
            Distance {
                value: 1.0,
                policy: 1.0,
            }
        };
        distance.report(run, allowed, "a dense solution by rows")?;
        Ok(Outcome::new(check(&solution, "life").bits()))
    }
}

/// Recursive preferences with a closed form.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenarios) struct EpsteinZin;

impl Scenario for EpsteinZin {
    fn name(&self) -> &'static str {
        "lifecycle/epstein-zin"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("wealth", 2..=100_000, 100, "nodes of wealth"),
            Parameter::count("shares", 100..=100_000, 1000, "shares of consumption"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        vec![
            CaseSpec::quick("wealth=20&shares=500"),
            CaseSpec::full("wealth=100&shares=1000"),
        ]
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("wealth", [10, 20, 40], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let (wealth, shares) = (case.size("wealth")?, case.size("shares")?);
        let own = models::epstein_zin(wealth, shares)?;
        let options = SolveOptions::new().threads(Threads::new(case.size("threads")?)?);
        let solution = solve(run, &own.problem, &options, SEARCH)?;
        let mut distance = Distance::default();
        for state in 0..wealth {
            let m = solution.coordinates(0, "life", state).context("a state")?[0];
            let value = solution.value_at(0, "life", &[m]).context("a value")?;
            let policy = solution.policy(0, "life", state).context("a policy")?;
            let value = (value / (own.value * m) - 1.0).abs();
            distance.take(value, (policy[0] / own.share - 1.0).abs());
        }
        // A share is off by half a step of its grid.
        let step = 1.0 / (shares as f64 - 1.0);
        let allowed = Distance {
            value: 1e-2,
            policy: step / own.share,
        };
        distance.report(run, allowed, "the closed form, relative")?;
        Ok(Outcome::new(check(&solution, "life").bits()))
    }
}
