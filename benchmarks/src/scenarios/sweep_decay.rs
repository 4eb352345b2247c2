//! `sweep/decay`: a diagram of an integrator and a gain, swept over the gain.

use anyhow::Context as _;
use bifrons_parallel::Threads;
use bifrons_sim::{Recording, Reduction, Sweep, SweepResult, uniform_times};

use super::ASSEMBLED;
use crate::case::{Case, Parameter};
use crate::run::Run;
use crate::scenario::{Axis, CaseSpec, Checksum, Outcome, Scenario};

const T_END: f64 = 5.0;
const ROWS: usize = 200;
const RELATIVE: f64 = 1e-6;
const ABSOLUTE: f64 = 1e-8;
/// Error above which the sample is wrong: the tolerance, added up over the run.
const ALLOWED: f64 = 2e-6;

/// Members with gains from -0.5 to -2.5 over `[0, 5]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepDecay;

impl Scenario for SweepDecay {
    fn name(&self) -> &'static str {
        "sweep/decay"
    }

    fn version(&self) -> u32 {
        1
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::count("members", 0..=100_000_000, 1000, "members of the sweep"),
            Parameter::choice(
                "record",
                &["all", "final", "mean"],
                "what is kept of a member",
            ),
            Parameter::threads(),
        ]
    }

    fn cases(&self) -> Vec<CaseSpec> {
        let mut cases: Vec<CaseSpec> = [1, 10, 100, 1000, 10_000]
            .map(|members| CaseSpec::quick(format!("members={members}")))
            .into();
        cases.push(CaseSpec::full("members=100000"));
        for record in ["final", "mean"] {
            cases.push(CaseSpec::quick(format!("members=1000&record={record}")));
            cases.push(CaseSpec::quick(format!("members=100000&record={record}")));
        }
        cases.push(CaseSpec::quick("members=100000&record=final&threads=2"));
        cases
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::new("members", [1, 10, 100, 1000, 10_000], "member")]
    }

    fn run(&self, case: &Case, run: &mut Run<'_>) -> anyhow::Result<Outcome> {
        let members = case.size("members")?;
        let record = case.choice("record")?;
        let times = uniform_times(0.0, T_END, ROWS);
        let recording = match record {
            "all" => Recording::times(times),
            "final" => Recording::final_values(),
            _ => Recording::reduce(times, &[Reduction::Mean]),
        };
        let gains = uniform_times(-0.5, -2.5, members);
        run.config("states", 1)?;
        run.config("rows", ROWS)?;
        run.config("t_end", T_END)?;
        run.config("precision", "f64")?;
        run.config("solver", "dopri5")?;
        run.config("lanes", bifrons_lanes::LANES)?;
        run.config("rtol", format!("{RELATIVE:e}"))?;
        run.config("atol", format!("{ABSOLUTE:e}"))?;
        run.fact("level", bifrons_lanes::Level::detect().name())?;
        let system = bifrons_problems::decay()?;
        let sweep = Sweep::builder(&system)
            .span(0.0, T_END)
            .column("gain.k", gains.clone())
            .tolerance(RELATIVE, ABSOLUTE)
            .threads(Threads::new(case.size("threads")?)?)
            .record(recording)
            .build()?;
        let plan = sweep.plan()?;
        run.plan(plan.tree());
        // Beside the run itself: the two columns of gains, and the pages of the model.
        let columns = 2 * size_of_val(gains.as_slice()) as u64;
        run.plan_resident(plan.resident_peak(columns + ASSEMBLED));
        drop(plan);
        run.assembled()?;
        drop(run.first(|| sweep.run())?);
        let result = run.steady(|| sweep.run())?;
        let failed = result.failures().len();
        anyhow::ensure!(failed == 0, "{failed} members failed");
        let error = worst_error(&result, &gains, record)?;
        let definition = "largest absolute error of a kept number against exp(k t) or its mean";
        run.accuracy_within("kept", error, ALLOWED, definition)?;
        Ok(Outcome::new(checksum(&result).bits()))
    }
}

fn worst_error(result: &SweepResult, gains: &[f64], record: &str) -> anyhow::Result<f64> {
    let column = result.names().next().context("no column")?.to_owned();
    let mut worst: f64 = 0.0;
    for (member, gain) in gains.iter().enumerate() {
        let rows = result.rows(&column, member)?;
        if record == "mean" {
            // Geometric sum over the grid, h = T/(n-1): (1 - e^(k h n)) / (n (1 - e^(k h))).
            let (n, h) = (ROWS as f64, T_END / (ROWS as f64 - 1.0));
            let mean = (gain * h * n).exp_m1() / (n * (gain * h).exp_m1());
            worst = worst.max((rows[0] - mean).abs());
            continue;
        }
        for (x, t) in rows.iter().zip(result.times(member)) {
            worst = worst.max((x - (gain * t).exp()).abs());
        }
    }
    Ok(worst)
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
