//! `cargo xtask peers`: our solvers and those of other packages on the reference problems, in one
//! run on one machine; with `--models` our scenarios and those of other packages.

mod contestants;
mod curve;
pub mod models;
mod ranking;
mod results;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;

use crate::commands::docs;
use crate::measure::child::{self, Job};
use crate::render::progress::Progress;
use crate::report::{Exit, Failure, Report, answer, note};
use crate::workspace::Workspace;

pub use contestants::{Absent, Contestant, gather};
pub use curve::{Curve, Point};
pub use ranking::{Ranking, Standing, rank};
pub use results::{Entry, Outcome, Results};

/// A contestant that takes longer for one problem and round is killed.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Arguments of `peers`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Run the problems whose name contains this; may be repeated.
    #[arg(long, value_name = "SUBSTR")]
    pub filter: Vec<String>,

    /// Rounds: in each, every contestant runs every problem once; medians are compared.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub samples: u16,

    /// A method that needs more seconds for one run is not run at smaller tolerances.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.3)]
    pub patience: f64,

    /// Write every result and ratio to this file as lines of JSON, to standard output for `-`.
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,

    /// Compare whole models instead: sweeps beside Jaxonomy, life-cycle models beside dcegm and HARK.
    #[arg(long)]
    pub models: bool,

    /// The Python that runs the scripts of the peers of models.
    #[arg(long, value_name = "PATH", default_value = "python3")]
    pub python: PathBuf,

    /// Write what documents are made from; needs all peers and all problems. Errors and counts of
    /// solvers, without times, to benchmarks/peers/counts.json; with --models times, memory and
    /// errors to benchmarks/peers/models.json.
    #[arg(long, requires = "require", conflicts_with_all = ["filter", "list"])]
    pub write: bool,

    /// List problems and methods, and which peers are absent; run nothing.
    #[arg(long)]
    pub list: bool,

    /// Exit with 5 if a peer is absent.
    #[arg(long)]
    pub require: bool,

    /// No progress, no notes; the tables only.
    #[arg(long)]
    pub quiet: bool,
}

/// Builds all contestants, runs them alternately and prints how the times compare at equal error.
///
/// Exit codes: 0 done; 2 no problem is selected; 3 ours does not build, or a contestant breaks the
/// protocol; 5 a peer is absent and `--require` is given.
///
/// # Errors
///
/// As above.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    if args.models {
        return models::run(args, workspace);
    }
    let (contestants, absent) = gather(workspace, args.quiet)?;
    let mut report = Report::ok();
    for peer in &absent {
        note(format_args!("absent: {}: {}", peer.name, peer.remedy));
        if args.require {
            report.add(Exit::Absent);
        }
    }
    let problems = problems(args, workspace, &contestants)?;
    if args.list {
        return Ok(report);
    }
    let results = measure(args, workspace, &contestants, &problems)?;
    for breach in results.breaches() {
        note(format_args!("invalid: {breach}"));
        report.add(Exit::Invalid);
    }
    let ranking = rank(&results);
    let to_stdout = args
        .json
        .as_ref()
        .is_some_and(|path| path.as_os_str() == "-");
    for line in ranking.table() {
        if to_stdout {
            note(line);
        } else {
            answer(line);
        }
    }
    if args.write && absent.is_empty() {
        let path = workspace.root().join(docs::PEERS);
        fs::write(&path, results.peer_counts(&docs::TOLERANCES))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &args.json {
        let text = results.to_json() + &ranking.to_json();
        if to_stdout {
            answer(text.trim_end());
        } else {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(report)
}

fn job(contestant: &Contestant, workspace: &Workspace) -> Job {
    Job::new(&contestant.program, workspace.root(), TIMEOUT).with(&contestant.arguments)
}

/// The selected problems in the order in which ours names them.
fn problems(
    args: &Args,
    workspace: &Workspace,
    contestants: &[Contestant],
) -> anyhow::Result<Vec<String>> {
    let mut problems: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for contestant in contestants {
        let listed = child::run(&job(contestant, workspace).with(["--list"]))?;
        if !listed.ending.is_success() {
            let text = format!(
                "{} cannot list its problems: {}",
                contestant.name, listed.ending
            );
            return Err(Failure::new(Exit::Invalid, text).into());
        }
        for line in listed.lines {
            let (problem, method) = line.text.split_once(' ').unwrap_or((&line.text, ""));
            let chosen = args.filter.is_empty()
                || args
                    .filter
                    .iter()
                    .any(|part| problem.contains(part.as_str()));
            if !chosen {
                continue;
            }
            if args.list {
                answer(format_args!("{problem} {} {method}", contestant.name));
            }
            // Problems that only peers have are not compared.
            if contestant.ours && seen.insert(problem.to_owned()) {
                problems.push(problem.to_owned());
            }
        }
    }
    if problems.is_empty() {
        return Err(Failure::usage("no problem is selected; `--list` names all").into());
    }
    Ok(problems)
}

/// Rounds over problems over contestants: what disturbs the machine hits all alike.
fn measure(
    args: &Args,
    workspace: &Workspace,
    contestants: &[Contestant],
    problems: &[String],
) -> anyhow::Result<Results> {
    let mut results = Results::default();
    let total = usize::from(args.samples) * problems.len() * contestants.len();
    let progress = Progress::new(total, args.quiet);
    for round in 0..args.samples {
        for problem in problems {
            for contestant in contestants {
                progress.step(format!("{problem} {} round {}", contestant.name, round + 1));
                let patience = args.patience.to_string();
                let options = [
                    "--samples",
                    "1",
                    "--patience",
                    &patience,
                    "--problem",
                    problem,
                ];
                let finished = child::run(&job(contestant, workspace).with(options))?;
                if !finished.ending.is_success() {
                    results.breach(format!(
                        "{problem} {}: {}",
                        contestant.name, finished.ending
                    ));
                }
                for line in &finished.lines {
                    results.add(&line.text);
                }
            }
        }
    }
    progress.finish();
    Ok(results)
}
