//! `cargo xtask ci`: every gate of the project, in the order that fails fastest.

mod steps;
mod table;

use std::time::{Duration, Instant};

use crate::report::{Exit, Report, answer, note};
use crate::workspace::Workspace;

pub use steps::Step;
pub use table::lines;

/// Arguments of `ci`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Begin with this step.
    #[arg(long, value_enum, value_name = "STEP")]
    pub from: Option<Step>,
    /// Run this step only; may be repeated.
    #[arg(long, value_enum, value_name = "STEP", conflicts_with = "from")]
    pub only: Vec<Step>,
    /// Stop at the first failure.
    #[arg(long)]
    pub fail_fast: bool,
    /// Print the steps with the commands that run them alone, and do nothing.
    #[arg(long)]
    pub list: bool,
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It found nothing, and this is what it did.
    Passed(String),
    /// It found something: the exit code that it asks for, and what.
    Failed(Exit, String),
    /// It could not run here, and why that is acceptable.
    Skipped(String),
}

/// A step that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Which.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub duration: Duration,
}

/// Runs the chosen steps, collects all failures, and prints them at the end with the commands
/// that reproduce them.
///
/// # Errors
///
/// When the arguments select no step; everything that goes wrong in a step is its outcome.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let chosen = chosen(args);
    if args.list {
        for step in chosen {
            answer(format_args!("{:<14} {}", step.name(), step.command()));
        }
        return Ok(Report::ok());
    }
    let rows = run_all(&chosen, args.fail_fast, |step| step.run(workspace));
    lines(&rows, chosen.len()).iter().for_each(answer);
    let mut report = Report::ok();
    for row in &rows {
        if let Outcome::Failed(exit, _) = row.outcome {
            report.add(exit);
        }
    }
    Ok(report)
}

/// The steps that the arguments select, in their fixed order.
#[must_use]
pub fn chosen(args: &Args) -> Vec<Step> {
    let after = |step: &Step| args.from.is_none_or(|from| *step >= from);
    let named = |step: &Step| args.only.is_empty() || args.only.contains(step);
    let all = Step::ALL.into_iter();
    all.filter(after).filter(named).collect()
}

/// Runs steps one after the other; with `fail_fast` the first failure is the last row.
pub fn run_all(
    steps: &[Step],
    fail_fast: bool,
    mut run: impl FnMut(Step) -> anyhow::Result<Outcome>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, &step) in steps.iter().enumerate() {
        note(format_args!(
            "\n=== [{}/{}] {}: {}",
            index + 1,
            steps.len(),
            step.name(),
            step.command()
        ));
        let start = Instant::now();
        let outcome = run(step).unwrap_or_else(|error| {
            note(format_args!("error: {error:#}"));
            Outcome::Failed(Exit::of(&error), format!("{error:#}"))
        });
        let failed = matches!(outcome, Outcome::Failed(..));
        rows.push(Row {
            step,
            outcome,
            duration: start.elapsed(),
        });
        if failed && fail_fast {
            break;
        }
    }
    rows
}
