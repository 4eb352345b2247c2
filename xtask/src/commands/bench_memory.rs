//! `cargo xtask bench-memory`.
//!
//! Without flags all listed cases are measured with three samples each; scenarios are written so
//! that this takes less than 90 seconds on two cores.

use super::bench::{Bench, Common, Request};
use crate::baseline::compare::Kind;
use crate::measure::callgrind;
use crate::measure::catalogue::Tier;
use crate::measure::metric::METRICS;
use crate::measure::session::Counts;
use crate::report::Report;
use crate::workspace::Workspace;

pub mod explain;
mod limit;
pub mod scaling;

/// Repetitions before the steady phase is counted.
const WARMUP: u64 = 1;
/// Repetitions in which the steady phase is counted.
const REPEAT: u64 = 2;

/// Arguments of `bench-memory`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// What both measuring commands take.
    #[command(flatten)]
    pub common: Common,

    /// Count instructions with valgrind; `--tier full` does so by itself.
    #[arg(long)]
    pub instructions: bool,

    /// Run each selected case in a control group with this hard limit, for example `64MiB`.
    #[arg(long, value_name = "BYTES", conflicts_with_all = ["check", "bless", "explain", "scaling"])]
    pub limit: Option<String>,

    /// Show the plan of this case beside what its scopes allocate, largest first.
    #[arg(long, value_name = "CASE")]
    pub explain: Option<String>,

    /// Measure this case along the axes of its scenario and fit what one more costs.
    #[arg(long, value_name = "CASE", conflicts_with = "explain")]
    pub scaling: Option<String>,
}

/// Runs the command.
///
/// # Errors
///
/// What [`Bench`] cannot do.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let limit = args.limit.as_deref().map(limit::parse_bytes).transpose()?;
    let mut bench = Bench::new(&args.common, workspace, WARMUP, REPEAT)?;
    if let Some(case) = &args.scaling {
        return scaling::run(&bench, case);
    }
    let mut report = Report::ok();
    // The explanation alone, unless cases are selected as well.
    let selected = !args.common.case.is_empty() || args.common.filter.is_some();
    if selected || args.explain.is_none() {
        let cases = bench.cases()?;
        if args.common.list {
            bench.list(&cases);
            return Ok(report);
        }
        report.add(match limit {
            Some(bytes) => limit::run(&mut bench, &cases, bytes)?.exit(),
            None => measure(args, &mut bench, &cases)?.exit(),
        });
    }
    if let Some(case) = &args.explain {
        report.add(explain::run(&bench, case)?.exit());
    }
    Ok(report)
}

fn measure(
    args: &Args,
    bench: &mut Bench<'_>,
    cases: &[crate::measure::protocol::CaseLine],
) -> anyhow::Result<Report> {
    let full = args.common.tier == Some(Tier::Full);
    let mut counts = Counts {
        plain: args.common.sample_count(),
        heap: 2,
        instructions: 0,
    };
    if args.instructions || full {
        match callgrind::find() {
            Some(valgrind) => {
                bench.setup.valgrind = Some(valgrind);
                counts.instructions = if full { 2 } else { 1 };
            }
            None => bench.skip("instructions: valgrind is not on the search path")?,
        }
    }
    let kinds: &[Kind] = match counts.instructions {
        0 => &[Kind::Memory],
        _ => &[Kind::Memory, Kind::Instructions],
    };
    let of_kinds = METRICS
        .iter()
        .filter(|metric| kinds.contains(&Kind::of(metric)));
    let tried: Vec<&'static str> = of_kinds.map(|metric| metric.name).collect();
    let request = Request {
        command: "bench-memory",
        kinds,
        tried: &tried,
        counts,
        plans: true,
        compared: true,
    };
    let loaded = bench.load(kinds)?;
    let measurements = bench.measure(cases, counts)?;
    bench.conclude(&request, &measurements, &loaded)
}
