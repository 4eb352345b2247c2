//! `horizon/oscillator`: a longer and longer run with a record of bounded size.

use bifrons_sim::{Overflow, Recording, Simulation};

use super::ASSEMBLED;
use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

const OMEGA: f64 = 2.0;
const ROWS: usize = 200;
const RELATIVE: f64 = 1e-8;
const ABSOLUTE: f64 = 1e-10;

/// An oscillator of frequency 2 over `[0, t]`: every step is offered to a record of 200 rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Horizon;

impl Scenario for Horizon {
    fn name(&self) -> &'static str {
        "horizon/oscillator"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::count(
            "t",
            1..=100_000_000,
            10,
            "end of the run in seconds",
        )]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        [10, 100, 1000, 10_000]
            .map(|t| CaseSpec::quick(format!("t={t}")))
            .into()
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new(
            "t",
            [10, 100, 1000, 10_000],
            "byte per second of simulated time",
        )]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let t_end = case.count("t")? as f64;
        run.config("states", 2)?;
        run.config("omega", OMEGA)?;
        run.config("rows", ROWS)?;
        run.config("precision", "f64")?;
        run.config("solver", "dopri5")?;
        run.config("rtol", format!("{RELATIVE:e}"))?;
        run.config("atol", format!("{ABSOLUTE:e}"))?;
        let system = bifrons_problems::oscillator(OMEGA)?;
        let simulation = Simulation::builder(&system)
            .span(0.0, t_end)
            .tolerance(RELATIVE, ABSOLUTE)
            .record(Recording::every_step().capacity(ROWS, Overflow::Thin))
            .build()?;
        let plan = simulation.footprint();
        run.plan(&plan);
        run.plan_resident(plan.total().peak() + ASSEMBLED);
        run.assembled()?;
        drop(run.first(|| simulation.run())?);
        let result = run.steady(|| simulation.run())?;
        let (x, v) = (result.signal("x")?, result.signal("v")?);
        let mut worst: f64 = 0.0;
        for ((x, v), t) in x.iter().zip(v).zip(result.times()) {
            let (sin, cos) = (OMEGA * t).sin_cos();
            worst = worst
                .max((x - cos).abs())
                .max((v + OMEGA * sin).abs() / OMEGA);
        }
        // The error of an undamped oscillator grows with the number of its periods.
        let definition = "largest absolute error of x or v/omega against cos and sin";
        run.accuracy_within("kept", worst, 1e-7 * t_end.max(1.0), definition)?;
        let check = Checksum::new().values(result.times()).values(x).values(v);
        Ok(Outcome::new(
            check.word(u64::from(result.report().accepted)).bits(),
        ))
    }
}
