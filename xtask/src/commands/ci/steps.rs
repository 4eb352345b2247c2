//! The steps of `ci`.
//!
//! They are ordered so that cheap judgements come first, and cut so that little is compiled
//! twice: clippy and the feature combinations share the metadata of foreign packages, unit and
//! doc tests share one build, and nothing sets `RUSTFLAGS`, which would rebuild everything.

use anyhow::Context as _;
use clap::ValueEnum;

use super::Outcome;
use crate::check::Findings;
use crate::commands::check::{self, Group};
use crate::commands::{docs, test};
use crate::report::{Exit, Report};
use crate::workspace::Workspace;

/// One gate. Closed: the names are the command line, the order is the order of running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Step {
    /// Formatting.
    Fmt,
    /// Shape of files, manifests and the tree.
    Tidy,
    /// Dependencies between crates and their budgets.
    Layers,
    /// Links, quoted paths and quoted commands.
    Links,
    /// Numbers and lists in the documents that are generated.
    Generated,
    /// Lints of rustc and clippy over everything, warnings denied.
    Clippy,
    /// Each feature alone, none and all.
    Features,
    /// Unit and integration tests.
    Tests,
    /// Pictures of the guides, drawn again.
    Pictures,
    /// Examples in doc comments.
    DocTests,
    /// Unit and integration tests in the release profile without debug assertions.
    ReleaseTests,
    /// Documentation of the public items, warnings denied.
    Rustdoc,
    /// Licences, sources and bans of foreign packages.
    Deny,
    /// Memory of the quick scenarios against the baseline.
    BenchMemory,
    /// Whether the time measurements run.
    BenchTime,
}

const CLIPPY: [&str; 7] = [
    "clippy",
    "--workspace",
    "--all-targets",
    "--all-features",
    "--",
    "-D",
    "warnings",
];
const DENY: [&str; 5] = ["deny", "check", "bans", "licenses", "sources"];

impl Step {
    /// All steps in their order.
    pub const ALL: [Self; 15] = [
        Self::Fmt,
        Self::Tidy,
        Self::Layers,
        Self::Links,
        Self::Generated,
        Self::Clippy,
        Self::Features,
        Self::Tests,
        Self::Pictures,
        Self::DocTests,
        Self::ReleaseTests,
        Self::Rustdoc,
        Self::Deny,
        Self::BenchMemory,
        Self::BenchTime,
    ];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The command that does the same alone.
    #[must_use]
    pub fn command(self) -> String {
        match self {
            Self::Fmt => "cargo fmt --all -- --check".to_owned(),
            Self::Tidy => "cargo xtask check tidy".to_owned(),
            Self::Layers => "cargo xtask check layers".to_owned(),
            Self::Links => "cargo xtask check links".to_owned(),
            Self::Generated | Self::Pictures => {
                "cargo xtask docs --check --skip-rustdoc".to_owned()
            }
            Self::Clippy => format!("cargo {}", CLIPPY.join(" ")),
            Self::Features => "cargo xtask check features".to_owned(),
            Self::Tests => "cargo xtask test --skip-doc --skip-release".to_owned(),
            Self::DocTests => "cargo xtask test --doc".to_owned(),
            Self::ReleaseTests => "cargo xtask test --release".to_owned(),
            Self::Rustdoc => format!(
                "RUSTDOCFLAGS='{}' cargo {}",
                docs::RUSTDOC_FLAGS,
                docs::RUSTDOC.join(" ")
            ),
            Self::Deny => format!("cargo {}", DENY.join(" ")),
            Self::BenchMemory => "cargo xtask bench-memory --check --tier quick".to_owned(),
            Self::BenchTime => "cargo xtask bench-time --smoke".to_owned(),
        }
    }

    /// Runs the step.
    ///
    /// # Errors
    ///
    /// When it could not do its work.
    pub fn run(self, workspace: &Workspace) -> anyhow::Result<Outcome> {
        let group = |group: Group| judged(check::findings_of(group, workspace));
        let tests = |args: test::Args| {
            let (report, counts) = test::run_counted(&args, workspace)?;
            Ok(outcome_of(report, counts.to_string()))
        };
        match self {
            Self::Fmt => cargo(workspace, &["fmt", "--all", "--", "--check"]),
            Self::Tidy => group(Group::Tidy),
            Self::Layers => group(Group::Layers),
            Self::Links => group(Group::Links),
            Self::Generated => judged(docs::refresh(true, workspace)),
            Self::Clippy => cargo(workspace, &CLIPPY),
            Self::Features => group(Group::Features),
            Self::Tests => tests(test::Args {
                skip_doc: true,
                skip_release: true,
                ..test::Args::default()
            }),
            Self::Pictures => judged(docs::pictures(true, workspace)),
            Self::DocTests => tests(test::Args {
                doc: true,
                ..test::Args::default()
            }),
            Self::ReleaseTests => tests(test::Args {
                release: true,
                ..test::Args::default()
            }),
            Self::Rustdoc => plain(docs::rustdoc(false, workspace)),
            Self::Deny => deny(workspace),
            Self::BenchMemory => plain(check::quick_memory(workspace)),
            Self::BenchTime => plain(check::command(&["bench-time", "--smoke"], workspace)),
        }
    }
}

fn outcome_of(report: Report, said: String) -> Outcome {
    match report.exit() {
        Exit::Ok => Outcome::Passed(said),
        exit if said.is_empty() => Outcome::Failed(exit, format!("exit code {}", exit.code())),
        exit => Outcome::Failed(exit, said),
    }
}

fn plain(report: anyhow::Result<Report>) -> anyhow::Result<Outcome> {
    report.map(|report| outcome_of(report, String::new()))
}

fn judged(findings: anyhow::Result<Findings>) -> anyhow::Result<Outcome> {
    let findings = findings?;
    let summary = findings.summary();
    Ok(outcome_of(check::print(findings), summary))
}

fn cargo(workspace: &Workspace, arguments: &[&str]) -> anyhow::Result<Outcome> {
    let status = workspace
        .cargo()
        .args(arguments)
        .status()
        .with_context(|| format!("cannot run cargo {}", arguments[0]))?;
    Ok(if status.success() {
        Outcome::Passed(String::new())
    } else {
        Outcome::Failed(Exit::Findings, format!("cargo {} failed", arguments[0]))
    })
}

/// Foreign packages are judged where cargo-deny is installed; elsewhere the step says so.
fn deny(workspace: &Workspace) -> anyhow::Result<Outcome> {
    if test::has_subcommand(workspace, "deny") {
        cargo(workspace, &DENY)
    } else {
        Ok(Outcome::Skipped("cargo-deny not installed".to_owned()))
    }
}
