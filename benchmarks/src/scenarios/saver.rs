//! `egm/deterministic` and `egm/buffer-stock`: one choice, concave problems.

use anyhow::Context as _;
use bifrons_memory::Part;
use bifrons_problems::Saver;

use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

/// A saver with a number of savings nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct EgmSaver {
    pub(super) name: &'static str,
    pub(super) saver: fn(usize) -> Saver,
    /// Relative error of consumption above which the sample is wrong, with 48 nodes.
    pub(super) allowed: f64,
}

impl Scenario for EgmSaver {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::count(
            "points",
            48..=1_000_000,
            500,
            "savings nodes",
        )]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        [48, 500, 2000]
            .map(|points| CaseSpec::quick(format!("points={points}")))
            .into()
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("points", [250, 500, 1000, 2000, 4000], "node")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let saver = (self.saver)(case.size("points")?);
        run.config("precision", "f64")?;
        run.config("decisions", saver.decisions)?;
        run.config("atoms", saver.atoms.len())?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        run.plan(&Part::new("workspace", saver.footprint()));
        run.plan_resident(saver.footprint().peak() + super::KERNEL);
        run.assembled()?;
        let mut workspace = saver.workspace();
        run.first(|| saver.solve_into(&mut workspace))?;
        run.steady(|| saver.solve_into(&mut workspace))?;
        let error = saver.error(&workspace)?;
        let definition = "largest relative distance of consumption in the first period from the \
                          reference, between the nodes";
        run.accuracy_within("consumption", error, self.allowed, definition)?;
        let view = workspace.rows().first().context("no period")?.view();
        let check = Checksum::new()
            .values(view.x)
            .values(view.value)
            .values(view.policy);
        Ok(Outcome::new(check.bits()))
    }
}
