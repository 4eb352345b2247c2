//! `dcegm/retirement`: the retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017).

use anyhow::Context as _;
use bifrons_memory::Part;
use bifrons_problems::Retirement;

use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

/// Decision periods of the reference.
const REFERENCE: usize = 8;
/// Error above which the sample is wrong, with 200 savings nodes or more.
const ALLOWED: f64 = 1e-5;

/// Savings nodes, income nodes and decision periods.
#[derive(Clone, Copy, Debug)]
pub(super) struct DcEgmRetirement;

impl Scenario for DcEgmRetirement {
    fn name(&self) -> &'static str {
        "dcegm/retirement"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("points", 200..=1_000_000, 500, "savings nodes"),
            Parameter::choice("shocks", &["1", "5"], "income nodes"),
            Parameter::count("periods", 1..=200, 8, "decision periods"),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        [
            "points=500&shocks=1",
            "points=500&shocks=5",
            "points=2000&shocks=1",
            "points=2000&shocks=5",
            "points=500&shocks=5&periods=20",
            "points=500&shocks=5&periods=45",
        ]
        .map(CaseSpec::quick)
        .into()
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [250, 500, 1000, 2000, 4000], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let points = case.size("points")?;
        let periods = case.size("periods")?;
        let mut model = Retirement::with_points(periods, points)?;
        if case.choice("shocks")? == "5" {
            model = model.with_income_shocks();
        }
        run.config("precision", "f64")?;
        run.config("envelope", "exact")?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        run.plan(&Part::new("workspace", model.footprint()));
        run.plan_resident(model.footprint().peak() + super::KERNEL);
        run.assembled()?;
        let mut workspace = model.workspace();
        run.first(|| model.solve_into(&mut workspace))?;
        run.steady(|| model.solve_into(&mut workspace))?;
        if periods == REFERENCE {
            let error = model.error(&workspace)?;
            let definition = "largest distance of a worker's value in the first period from a \
                              dense solution, at 15 wealth levels";
            run.accuracy_within("value", error, ALLOWED, definition)?;
        }
        let mut check = Checksum::new();
        let first = workspace.rows().first().context("no period")?;
        for row in first {
            let view = row.view();
            check = check.values(view.x).values(view.value).values(view.policy);
        }
        Ok(Outcome::new(check.bits()))
    }
}
