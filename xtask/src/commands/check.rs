//! `cargo xtask check`.

use std::collections::BTreeSet;
use std::fs;

use anyhow::Context as _;
use clap::{Parser as _, ValueEnum};

use crate::check::rules::Rules;
use crate::check::{Findings, features, layers, links, tidy};
use crate::cli::Cli;
use crate::report::{Exit, Report, answer, note};
use crate::workspace::Workspace;

/// A group of rules. Closed: the names are the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Group {
    /// Shape of files, manifests and the tree.
    Tidy,
    /// Who depends on whom, and how much each crate brings.
    Layers,
    /// Links, quoted paths and quoted commands of the documents.
    Links,
    /// Each feature alone, none and all compile.
    Features,
    /// Memory of the quick scenarios against the baseline.
    Memory,
    /// Everything.
    All,
}

/// Arguments of `check`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// What to check; everything when nothing is named.
    #[arg(value_enum)]
    pub groups: Vec<Group>,
    /// Write the findings as JSON to this file, `-` for standard output.
    #[arg(long, value_name = "PATH")]
    pub json: Option<String>,
}

/// Collects every finding of the chosen groups, prints all of them, then their number.
///
/// # Errors
///
/// When a group could not do its work (a file cannot be read, cargo fails); broken rules are
/// findings, not errors.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    let mut report = Report::ok();
    let mut findings = Findings::default();
    let groups = chosen(&args.groups);
    for &group in &groups {
        if group != Group::Memory {
            findings.append(findings_of(group, workspace)?);
        }
    }
    findings.sort();
    write(&findings, args.json.as_deref(), workspace)?;
    if !findings.passes() {
        report.add(Exit::Findings);
    }
    if groups.contains(&Group::Memory) {
        report.add(quick_memory(workspace)?.exit());
    }
    Ok(report)
}

fn chosen(groups: &[Group]) -> BTreeSet<Group> {
    if groups.is_empty() || groups.contains(&Group::All) {
        [
            Group::Tidy,
            Group::Layers,
            Group::Links,
            Group::Features,
            Group::Memory,
        ]
        .into()
    } else {
        groups.iter().copied().collect()
    }
}

/// The findings of one group; memory has none of its own.
///
/// # Errors
///
/// When the group could not do its work.
pub fn findings_of(group: Group, workspace: &Workspace) -> anyhow::Result<Findings> {
    let root = workspace.root();
    match group {
        Group::Tidy => tidy::check(root, &Rules::load(root)?),
        Group::Layers => layers::check(workspace, &Rules::load(root)?),
        Group::Links => links::check(root, &parses),
        Group::Features => features::check(workspace),
        Group::Memory | Group::All => Ok(Findings::default()),
    }
}

/// Whether the words after `cargo xtask` are a command of this tool.
///
/// # Errors
///
/// The first line of what the command line says against it.
pub fn parses(words: &[String]) -> Result<(), String> {
    let all = ["cargo xtask".to_owned()].into_iter();
    match Cli::try_parse_from(all.chain(words.iter().cloned())) {
        Ok(_) => Ok(()),
        Err(error) if !error.use_stderr() => Ok(()), // help and version are answers
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Err(first.trim_start_matches("error: ").to_owned())
        }
    }
}

/// Prints findings and facts as text, and as JSON where asked.
fn write(findings: &Findings, json: Option<&str>, workspace: &Workspace) -> anyhow::Result<()> {
    let to_stdout = json == Some("-");
    let text = lines(findings);
    if to_stdout {
        answer(format_args!("{:#}", findings.to_json()));
        text.iter().for_each(note);
        return Ok(());
    }
    text.iter().for_each(answer);
    if let Some(path) = json {
        let path = workspace.root().join(path);
        fs::write(&path, format!("{:#}\n", findings.to_json()))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Prints facts, findings and the closing line; the report has the exit code that they ask for.
#[must_use]
pub fn print(mut findings: Findings) -> Report {
    findings.sort();
    lines(&findings).iter().for_each(answer);
    let mut report = Report::ok();
    if !findings.passes() {
        report.add(Exit::Findings);
    }
    report
}

/// Facts, findings and the closing line.
#[must_use]
pub fn lines(findings: &Findings) -> Vec<String> {
    let facts = findings.facts().iter().cloned();
    let list = findings.list().iter().map(ToString::to_string);
    facts.chain(list).chain([findings.summary()]).collect()
}

/// The memory gate of every day: the quick scenarios against the baseline.
///
/// # Errors
///
/// As `bench-memory`.
pub fn quick_memory(workspace: &Workspace) -> anyhow::Result<Report> {
    command(&["bench-memory", "--check", "--tier", "quick"], workspace)
}

/// Runs a command of this tool as if its words had been typed.
///
/// # Errors
///
/// When the words are no command, or as that command.
pub fn command(words: &[&str], workspace: &Workspace) -> anyhow::Result<Report> {
    let all = ["cargo xtask"].iter().chain(words);
    Cli::try_parse_from(all)
        .with_context(|| format!("`cargo xtask {}` is no command", words.join(" ")))?
        .command
        .run(workspace)
}
