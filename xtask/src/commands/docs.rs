//! `cargo xtask docs`: pictures, generated parts of the documents, links, documentation of the
//! code.

mod generators;
mod memory_table;
mod pictures;
mod regions;
mod work_precision;

use std::fs;

use anyhow::Context as _;

use crate::check::{Findings, files};
use crate::commands::check::{self, Group};
use crate::report::{Exit, Report, answer};
use crate::workspace::Workspace;

pub use generators::Generators;
pub use pictures::{Corner, Figure, Series, Style, draw, parse, refresh as pictures};
pub use regions::{Outcome, Problem, rewrite};
pub use work_precision::{PEERS, TOLERANCES};

/// The arguments of cargo for the documentation of the code.
pub const RUSTDOC: [&str; 4] = ["doc", "--workspace", "--no-deps", "--all-features"];
/// What `RUSTDOCFLAGS` is set to meanwhile.
pub const RUSTDOC_FLAGS: &str = "-D warnings";

/// Arguments of `docs`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Open the documentation of the code in a browser.
    #[arg(long, conflicts_with = "skip_rustdoc")]
    pub open: bool,
    /// Write nothing; fail when a generated part of a document is stale.
    #[arg(long)]
    pub check: bool,
    /// Leave the documentation of the code out.
    #[arg(long)]
    pub skip_rustdoc: bool,
}

/// Draws the pictures, refreshes the generated parts of the documents, checks the links, then builds the
/// documentation of the code with warnings denied.
///
/// # Errors
///
/// When a document cannot be read or written, or a baseline does not parse.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let mut findings = pictures::refresh(args.check, workspace)?;
    findings.append(refresh(args.check, workspace)?);
    findings.append(check::findings_of(Group::Links, workspace)?);
    let mut report = check::print(findings);
    if !args.skip_rustdoc {
        report.add(rustdoc(args.open, workspace)?.exit());
    }
    Ok(report)
}

/// Documents the public items of all members, warnings denied.
///
/// # Errors
///
/// When cargo cannot be started.
pub fn rustdoc(open: bool, workspace: &Workspace) -> anyhow::Result<Report> {
    let mut command = workspace.cargo();
    command.env("RUSTDOCFLAGS", RUSTDOC_FLAGS).args(RUSTDOC);
    if open {
        command.arg("--open");
    }
    let status = command.status().context("cannot run `cargo doc`")?;
    let mut report = Report::ok();
    if !status.success() {
        report.add(Exit::Findings);
    }
    Ok(report)
}

/// Brings the generated parts of all documents up to date, or with `check` writes nothing and
/// says which are stale.
///
/// # Errors
///
/// When a document cannot be read or written, or a baseline does not parse.
pub fn refresh(check: bool, workspace: &Workspace) -> anyhow::Result<Findings> {
    let root = workspace.root();
    let files = files::read_tree(root)?;
    let mut generators = Generators::load(root, &files)?;
    let marker = format!("<!-- generated:{} -->", work_precision::PART);
    let wanted = |text: &str| text.lines().any(|line| line.trim() == marker);
    if files.iter().filter_map(|file| file.markdown()).any(wanted) {
        generators.contest = Some(work_precision::tables(
            root,
            &work_precision::ours(workspace)?,
        )?);
    }
    let mut findings = Findings::default();
    let (mut parts, mut stale) = (0, 0);
    for file in &files {
        let Some(text) = file.markdown() else {
            continue;
        };
        let outcome = rewrite(text, |name| generators.make(name, &file.path));
        parts += outcome.regions;
        stale += outcome.stale.len();
        if check {
            report_stale(&file.path, &outcome, &mut findings);
        } else if !outcome.stale.is_empty() {
            fs::write(root.join(&file.path), &outcome.text)
                .with_context(|| format!("cannot write {}", file.path))?;
            answer(format_args!("rewritten: {}", file.path));
        }
        for Problem { line, what } in outcome.problems {
            let fix = "correct the markers; docs/guide/xtask-check.md lists the names";
            findings.error((&file.path, line), "generated", what, fix);
        }
    }
    findings.fact(format!(
        "generated: {parts} parts of documents, {stale} stale"
    ));
    Ok(findings)
}

fn report_stale(path: &str, outcome: &Outcome, findings: &mut Findings) {
    for (line, name) in &outcome.stale {
        findings.error(
            (path, *line),
            "generated",
            format!("the generated part `{name}` is stale"),
            "run `cargo xtask docs` and commit the result",
        );
    }
}
