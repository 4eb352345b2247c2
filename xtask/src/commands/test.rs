//! `cargo xtask test`: the whole suite, and one closing line that says how many tests ran.

mod bare;
mod counts;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Context as _;

use crate::check::layers;
use crate::check::rules::Rules;
use crate::report::{Exit, Failure, Report, answer};
use crate::streamed;
use crate::workspace::Workspace;

pub use bare::{BareTest, Reader, bare_tests};
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
    let selected = selected(part, args, workspace)?;
    let mut counts = Counts::default();
    if selected.packages.is_empty() {
        answer(format_args!(
            "{}: nothing to run for these packages",
            part.name()
        ));
        return Ok((counts, true));
    }
    let nextest = part != Part::Doc && !args.no_nextest && has_subcommand(workspace, "nextest");
    let bare = if part == Part::Doc {
        &[]
    } else {
        selected.bare.as_slice()
    };
    let mut passed = true;
    for words in commands(part, nextest, &selected) {
        let harness = words[0] == "test";
        let mut reader = Reader::new(if harness { bare } else { &[] });
        let mut closing = Counts::default();
        let mut command = workspace.cargo();
        command.args(words);
        let status = streamed::run(&mut command, |line| {
            reader.read(line);
            if harness {
                closing.add(&Counts::of_result(line).unwrap_or_default());
            } else if let Some(summary) = Counts::of_summary(line) {
                closing = summary; // the last one counts, others are output of tests
            }
        })
        .with_context(|| format!("cannot run the {}", part.name()))?;
        counts.add(&closing);
        counts.add(&reader.counts(status.success()));
        passed &= status.success();
    }
    Ok((counts, passed))
}

/// What a part runs over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// Names of the packages.
    pub packages: Vec<String>,
    /// Their tests without the standard harness.
    pub bare: Vec<BareTest>,
}

/// The arguments of cargo for one part, one list for each command.
#[must_use]
pub fn commands(part: Part, nextest: bool, selected: &Selected) -> Vec<Vec<String>> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut tail = words("--all-features");
    for package in &selected.packages {
        tail.extend(["--package".to_owned(), package.clone()]);
    }
    let profile = |flag: &str| match part {
        Part::Release => words(&format!("{flag} testrelease")),
        Part::Suite | Part::Doc => Vec::new(),
    };
    let plain = |targets: Vec<String>| {
        let start = words("test --no-fail-fast");
        [start, targets, profile("--profile"), tail.clone()].concat()
    };
    if part == Part::Doc {
        return vec![plain(words("--doc"))];
    }
    if !nextest {
        // `--tests` leaves the doc tests to their own part.
        return vec![plain(words("--tests"))];
    }
    let start = words("nextest run --no-fail-fast --no-tests pass");
    let mut listed = [start, profile("--cargo-profile"), tail.clone()].concat();
    let mut names: Vec<&str> = selected.bare.iter().map(|t| t.target.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return vec![listed];
    }
    // By name and not by package: the second command runs the same names of all packages, with
    // the features united as before, so that every test runs once and nothing is built twice.
    let binaries: Vec<String> = names.iter().map(|n| format!("binary(={n})")).collect();
    listed.extend([
        "--filterset".to_owned(),
        format!("not ({})", binaries.join(" or ")),
    ]);
    let targets = names.iter().flat_map(|n| ["--test", n]).map(str::to_owned);
    vec![listed, plain(targets.collect())]
}

/// The packages that a part runs over. All are named one by one: cargo then unites their
/// features exactly as with `--workspace`, and the parts can differ in what they leave out.
fn selected(part: Part, args: &Args, workspace: &Workspace) -> anyhow::Result<Selected> {
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
    let mut selected = Selected::default();
    for member in &members {
        let asked = args.packages.is_empty() || args.packages.contains(&member.name);
        if asked && wanted(&member.name, member.is_crate()) {
            let manifest = fs::read_to_string(workspace.root().join(&member.manifest))
                .with_context(|| format!("cannot read {}", member.manifest))?;
            selected.bare.extend(bare_tests(&member.name, &manifest));
            selected.packages.push(member.name.clone());
        }
    }
    Ok(selected)
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
