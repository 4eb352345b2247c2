//! `cargo xtask bench-time`.
//!
//! Times are reported always and compared only with a baseline of the same machine. Phase
//! `environment` compiles everything from nothing and takes minutes; it runs only when asked for.

use super::bench::{Bench, Common, Request};
use crate::baseline::compare::Kind;
use crate::measure::catalogue::Tier;
use crate::measure::session::Counts;
use crate::report::Report;
use crate::workspace::Workspace;

mod environment;

/// What is timed.
///
/// Deliberately closed: these are the three times that users ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Phase {
    /// Nothing compiled to a runnable binary.
    Environment,
    /// Process start to the first result.
    First,
    /// Repetitions within a warm process.
    Warm,
    /// All three.
    All,
}

/// Arguments of `bench-time`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// What both measuring commands take.
    #[command(flatten)]
    pub common: Common,

    /// What to time; without it `first` and `warm`.
    #[arg(long)]
    pub phase: Option<Phase>,

    /// Repetitions that are not timed.
    #[arg(long, value_name = "W", default_value_t = 2)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    pub warmup: u64,

    /// Repetitions that are timed in each process.
    #[arg(long, value_name = "K", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub repeat: u64,

    /// Run every quick case once without timing seriously: shows that all of them work.
    #[arg(long, conflicts_with_all = ["check", "bless", "phase"])]
    pub smoke: bool,

    /// Package to build in phase `environment`; may be repeated [default: a selection].
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
}

const FIRST: [&str; 3] = ["ready", "assembled", "first"];
const WARM: [&str; 3] = ["warm", "warm_min", "warm_p90"];

/// Runs the command.
///
/// # Errors
///
/// What [`Bench`] cannot do.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    if matches!(args.phase, Some(Phase::Environment | Phase::All)) {
        let mut report = environment::run(args, workspace)?;
        if args.phase == Some(Phase::All) && !args.common.list {
            report.add(processes(args, workspace)?.exit());
        }
        return Ok(report);
    }
    processes(args, workspace)
}

/// Phases `first` and `warm`.
fn processes(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let (warmup, repeat) = if args.smoke {
        (0, 1)
    } else {
        (args.warmup, args.repeat)
    };
    let mut common = args.common.clone();
    if args.smoke && common.tier.is_none() {
        common.tier = Some(Tier::Quick);
    }
    let bench = Bench::new(&common, workspace, warmup, repeat)?;
    let cases = bench.cases()?;
    if common.list {
        bench.list(&cases);
        return Ok(Report::ok());
    }
    let plain = if args.smoke { 1 } else { common.sample_count() };
    let tried: Vec<&'static str> = match args.phase {
        Some(Phase::First) => FIRST.into(),
        Some(Phase::Warm) => WARM.into(),
        _ => FIRST.into_iter().chain(WARM).collect(),
    };
    let request = Request {
        command: "bench-time",
        kinds: &[Kind::Time],
        tried: &tried,
        counts: Counts {
            plain,
            heap: 0,
            instructions: 0,
        },
        plans: false,
        compared: !args.smoke,
    };
    let loaded = bench.load(request.kinds)?;
    let measurements = bench.measure(&cases, request.counts)?;
    bench.conclude(&request, &measurements, &loaded)
}
