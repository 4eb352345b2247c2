//! The command line: one enum whose doc comments are the manual.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::commands::{bench_memory, bench_time, check, ci, docs, peers, release, test};
use crate::measure::cold;
use crate::report::{Exit, Report, note};
use crate::workspace::Workspace;

/// The project's own commands: measure, check, document.
///
/// Exit codes: 0 ok, 1 findings or regression, 2 usage, 3 invalid measurement,
/// 4 baseline problem, 5 required tool or permission absent.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one module each.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure peak memory, heap bytes and instructions of the scenarios, one fresh process each.
    BenchMemory(Box<bench_memory::Args>),
    /// Measure the time of a cold build, of the first result and of warm repetitions.
    BenchTime(Box<bench_time::Args>),
    /// Check the rules that no compiler knows; prints every finding, exits with 1 if there are any.
    Check(check::Args),
    /// Run every gate of the project, collect all failures, say how to reproduce each.
    Ci(ci::Args),
    /// Refresh the generated parts of the documents, check links, document the code.
    Docs(docs::Args),
    /// Compare our solvers with those of other packages: time at equal error, in one run.
    Peers(peers::Args),
    /// Look at what would be published; publishes nothing.
    Release(release::Args),
    /// Run the whole suite: unit, integration and doc tests, and the release profile.
    Test(test::Args),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// What the command could not do; a [`crate::report::Failure`] inside fixes the exit code.
    pub fn run(self, workspace: &Workspace) -> anyhow::Result<Report> {
        match self {
            Self::BenchMemory(args) => bench_memory::run(&args, workspace),
            Self::BenchTime(args) => bench_time::run(&args, workspace),
            Self::Check(args) => check::run(&args, workspace),
            Self::Ci(args) => ci::run(&args, workspace),
            Self::Docs(args) => docs::run(&args, workspace),
            Self::Peers(args) => peers::run(&args, workspace),
            Self::Release(args) => release::run(&args, workspace),
            Self::Test(args) => test::run(&args, workspace),
        }
    }
}

/// Parses the arguments of the process, runs the command and reports its exit code.
#[must_use]
pub fn main() -> ExitCode {
    // Below a measured build this program stands in for the compiler.
    if let Some(log) = std::env::var_os(cold::WRAPPER_LOG) {
        return cold::wrapper(log.as_ref());
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers, not errors; they go to stdout and exit with 0.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Ok
            };
            // A closed stream is no reason to change the exit code.
            drop(error.print());
            return exit.into();
        }
    };
    let outcome = Workspace::locate().and_then(|workspace| cli.command.run(&workspace));
    match outcome {
        Ok(report) => report.exit().into(),
        Err(error) => {
            note(format_args!("error: {error:#}"));
            Exit::of(&error).into()
        }
    }
}
