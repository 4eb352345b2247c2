//! `sweep/quadruped`, `sweep/cart-pole`, `sweep/bouncing-ball`: members of larger models.

use bifrons_hybrid::TapeSystem;
use bifrons_parallel::Threads;
use bifrons_problems::DiagramFailure;
use bifrons_sim::{Recording, Simulation, Sweep, SweepResult, uniform_times};

use super::ASSEMBLED;
use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

const RELATIVE: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-8;
/// Members that are compared.
const COMPARED: usize = 8;

/// A model that is swept over one parameter, final values kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    name: &'static str,
    model: fn() -> Result<TapeSystem, DiagramFailure>,
    t_end: f64,
    column: &'static str,
    range: (f64, f64),
    output: &'static str,
    /// Value at the end by a closed form; without one, the same member at 1e-12.
    exact: Option<fn(f64) -> f64>,
    allowed: f64,
}

pub(super) const QUADRUPED: Swept = Swept {
    name: "sweep/quadruped",
    model: bifrons_problems::quadruped,
    t_end: 5.0,
    column: "q0",
    range: (0.5, 1.5),
    output: "q1",
    exact: None,
    allowed: 1e-4,
};

pub(super) const CART_POLE: Swept = Swept {
    name: "sweep/cart-pole",
    model: bifrons_problems::cart_pole,
    t_end: 10.0,
    column: "th0",
    range: (0.05, 0.5),
    output: "th",
    exact: None,
    allowed: 1e-3,
};

pub(super) const BOUNCING_BALL: Swept = Swept {
    name: "sweep/bouncing-ball",
    model: bifrons_problems::bouncing_ball,
    t_end: 3.0,
    column: "y0",
    range: (5.0, 10.0),
    output: "y",
    exact: Some(height),
    allowed: 1e-9,
};

/// Height at t = 3 of a ball that fell from `y0` with restitution 1/2.
fn height(y0: f64) -> f64 {
    let g = 9.8;
    let (mut start, mut speed) = ((2.0 * y0 / g).sqrt(), 0.5 * (2.0 * y0 * g).sqrt());
    while start + 2.0 * speed / g < 3.0 {
        start += 2.0 * speed / g;
        speed *= 0.5;
    }
    let t = 3.0 - start;
    speed * t - 0.5 * g * t * t
}

impl Scenario for Swept {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("members", 0..=10_000_000, 1000, "members of the sweep"),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        ["members=100", "members=1000", "members=1000&threads=2"]
            .map(CaseSpec::quick)
            .into()
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("members", [100, 1000, 10_000], "member")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let members = case.size("members")?;
        run.config("t_end", self.t_end)?;
        run.config("precision", "f64")?;
        run.config("solver", "dopri5")?;
        run.config("lanes", bifrons_lanes::LANES)?;
        run.config("rtol", format!("{RELATIVE:e}"))?;
        run.config("atol", format!("{ABSOLUTE:e}"))?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        let values = uniform_times(self.range.0, self.range.1, members);
        let system = (self.model)()?;
        let sweep = Sweep::builder(&system)
            .span(0.0, self.t_end)
            .column(self.column, values.clone())
            .tolerance(RELATIVE, ABSOLUTE)
            .threads(Threads::new(case.size("threads")?)?)
            .record(Recording::final_values())
            .build()?;
        let plan = sweep.plan()?;
        run.plan(plan.tree());
        let columns = 2 * size_of_val(values.as_slice()) as u64;
        run.plan_resident(plan.resident_peak(columns + ASSEMBLED));
        drop(plan);
        run.assembled()?;
        drop(run.first(|| sweep.run())?);
        let result = run.steady(|| sweep.run())?;
        let failed = result.failures().len();
        anyhow::ensure!(failed == 0, "{failed} members failed");
        let error = self.worst_error(&system, &result, &values)?;
        let definition = "largest absolute error at the end, of eight members, against the closed \
                          form or the same run at 1e-12";
        run.accuracy_within("end", error, self.allowed, definition)?;
        Ok(Outcome::new(checksum(&result).bits()))
    }
}

impl Swept {
    fn worst_error(
        &self,
        system: &TapeSystem,
        result: &SweepResult,
        values: &[f64],
    ) -> anyhow::Result<f64> {
        let mut worst: f64 = 0.0;
        let stride = values.len().div_ceil(COMPARED).max(1);
        for (member, value) in values.iter().enumerate().step_by(stride) {
            let exact = match self.exact {
                Some(exact) => exact(*value),
                None => {
                    let precise = Simulation::builder(system)
                        .span(0.0, self.t_end)
                        .parameter(self.column, *value)
                        .tolerance(1e-12, 1e-14)
                        .build()?
                        .run()?;
                    precise.signal(self.output)?[0]
                }
            };
            worst = worst.max((result.rows(self.output, member)?[0] - exact).abs());
        }
        Ok(worst)
    }
}

fn checksum(result: &SweepResult) -> Checksum {
    let mut check = Checksum::new();
    for name in result.names() {
        if let Ok((column, _)) = result.column(name) {
            check = check.values(column);
        }
    }
    for report in result.reports() {
        check = check.word(u64::from(report.accepted) << 32 | u64::from(report.rejected));
    }
    check
}
