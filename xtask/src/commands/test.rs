//! `cargo xtask test`: the whole suite, and one closing line that says how many tests ran.

mod counts;

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;

use crate::check::layers;
use crate::check::rules::Rules;
use crate::report::{Exit, Failure, Report, answer};
use crate::streamed;
use crate::workspace::Workspace;

pub use counts::Counts;

/// Arguments of `test`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Args {
    /// Only this package; may be repeated.
    #[arg(short, long = "package", value_name = "NAME")]
    pub packages: Vec<String>,
    /// Only the run in the profile `testrelease`: release without debug assertions.
    #[arg(long, conflicts_with_all = ["skip_release", "doc"])]
    pub release: bool,
    /// Only the examples in doc comments.
    #[arg(long, conflicts_with_all = ["skip_doc", "skip_release"])]
    pub doc: bool,
    /// Leave out the run in the profile `testrelease`.
    #[arg(long)]
    pub skip_release: bool,
    /// Leave out the examples in doc comments.
    #[arg(long)]
    pub skip_doc: bool,
    /// Use `cargo test` even when cargo-nextest is installed.
    #[arg(long)]
    pub no_nextest: bool,
}

/// A part of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Unit and integration tests with debug assertions.
    Suite,
    /// Examples in doc comments.
    Doc,
    /// Unit and integration tests as users run the code: optimised, without debug assertions.
    Release,
}

impl Part {
    /// What the closing line calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Suite => "suite",
            Self::Doc => "doc tests",
            Self::Release => "release profile",
        }
    }
}

/// Runs the chosen parts, all of them also when an earlier one fails.
///
/// # Errors
///
/// When cargo cannot be started or a package is not known; failing tests are findings.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    run_counted(args, workspace).map(|(report, _)| report)
}

/// As [`run`], with the number of tests.
///
/// # Errors
///
/// As [`run`].
pub fn run_counted(args: &Args, workspace: &Workspace) -> anyhow::Result<(Report, Counts)> {
    let start = Instant::now();
    let mut report = Report::ok();
    let mut total = Counts::default();
    let mut parts = Vec::new();
    for part in chosen(args) {
        let (counts, passed) = run_part(part, args, workspace)?;
        if !passed {
            report.add(Exit::Findings);
        }
        parts.push(format!("{} {}", part.name(), counts.passed));
        total.add(&counts);
    }
    let verdict = match report.exit() {
        Exit::Ok => "ok",
        _ => "FAILED",
    };
    answer(format_args!(
        "tests: {verdict}. {total} ({}); finished in {:.1} s",
        parts.join(", "),
        start.elapsed().as_secs_f64()
    ));
    Ok((report, total))
}

/// The parts that the arguments ask for.
#[must_use]
pub fn chosen(args: &Args) -> Vec<Part> {
    if args.release {
        return vec![Part::Release];
    }
    if args.doc {
        return vec![Part::Doc];
    }
    let all = [Part::Suite, Part::Doc, Part::Release];
    let wanted = |part: &Part| match part {
        Part::Suite => true,
        Part::Doc => !args.skip_doc,
        Part::Release => !args.skip_release,
    };
    all.into_iter().filter(wanted).collect()
}

/// Runs one part; the answer says how many tests ran and whether cargo was content.
fn run_part(part: Part, args: &Args, workspace: &Workspace) -> anyhow::Result<(Counts, bool)> {
    let packages = packages_of(part, args, workspace)?;
    let mut counts = Counts::default();
    if packages.is_empty() {
        answer(format_args!(
            "{}: nothing to run for these packages",
            part.name()
        ));
        return Ok((counts, true));
    }
    let nextest = part != Part::Doc && !args.no_nextest && has_nextest(workspace);
    let mut command = workspace.cargo();
    command.args(arguments(part, nextest, &packages));
    let status = streamed::run(&mut command, |line| counts.read(line))
        .with_context(|| format!("cannot run the {}", part.name()))?;
    Ok((counts, status.success()))
}

/// The arguments of cargo for one part.
#[must_use]
pub fn arguments(part: Part, nextest: bool, packages: &[String]) -> Vec<String> {
    let mut words: Vec<&str> = match (part, nextest) {
        (Part::Doc, _) => vec!["test", "--doc", "--no-fail-fast"],
        (_, true) => vec!["nextest", "run", "--no-fail-fast", "--no-tests", "pass"],
        // `--tests` leaves the doc tests to their own part.
        (_, false) => vec!["test", "--tests", "--no-fail-fast"],
    };
    if part == Part::Release {
        let profile = if nextest {
            "--cargo-profile"
        } else {
            "--profile"
        };
        words.extend([profile, "testrelease"]);
    }
    words.push("--all-features");
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    for package in packages {
        words.extend(["--package".to_owned(), package.clone()]);
    }
    words
}

/// The packages that a part runs over. All are named one by one: cargo then unites their
/// features exactly as with `--workspace`, and the parts can differ in what they leave out.
fn packages_of(part: Part, args: &Args, workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let metadata = workspace.metadata(true)?;
    let members = layers::members(&metadata);
    for name in &args.packages {
        if !members.iter().any(|member| member.name == *name) {
            let known: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
            return Err(Failure::usage(format!(
                "no package `{name}` in the workspace; known are {}",
                known.join(", ")
            ))
            .into());
        }
    }
    let rules = match part {
        Part::Release => Rules::load(workspace.root())?,
        Part::Suite | Part::Doc => Rules::default(),
    };
    let has_library = |name: &str| {
        let package = metadata
            .packages
            .iter()
            .find(|package| package.name == name);
        package.is_some_and(|package| package.targets.iter().any(|target| target.is_lib()))
    };
    let wanted = |name: &str, is_crate: bool| match part {
        Part::Suite => true,
        Part::Doc => has_library(name),
        Part::Release => is_crate && !rules.no_release_tests.contains_key(name),
    };
    Ok(members
        .iter()
        .filter(|member| args.packages.is_empty() || args.packages.contains(&member.name))
        .filter(|member| wanted(&member.name, member.is_crate()))
        .map(|member| member.name.clone())
        .collect())
}

fn has_nextest(workspace: &Workspace) -> bool {
    has_subcommand(workspace, "nextest")
}

/// Whether `cargo NAME` can be run here.
#[must_use]
pub fn has_subcommand(workspace: &Workspace, name: &str) -> bool {
    let mut command: Command = workspace.cargo();
    command
        .args([name, "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
