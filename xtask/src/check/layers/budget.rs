//! How many packages each shipped crate brings.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail};

use super::Member;
use crate::check::Findings;
use crate::check::rules::{RULES_PATH, Rules};
use crate::workspace::Workspace;

/// The target that the numbers are counted for, so that they are the same on every machine.
pub const TREE_TARGET: &str = "x86_64-unknown-linux-gnu";

/// Counts and judges all crates.
pub(super) fn check(
    workspace: &Workspace,
    members: &[Member],
    rules: &Rules,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    for member in members.iter().filter(|member| member.is_crate()) {
        let plain = count(workspace, &member.name, false)?;
        let full = if member.features.is_empty() {
            plain
        } else {
            count(workspace, &member.name, true)?
        };
        judge(member, plain, full, rules, findings);
    }
    Ok(())
}

fn count(workspace: &Workspace, package: &str, all_features: bool) -> anyhow::Result<usize> {
    let mut command = workspace.cargo();
    // Not `cargo metadata`: it unites the features of the whole workspace and overstates.
    command
        .args(["tree", "--package", package, "--edges", "normal,build"])
        .args(["--prefix", "none", "--target", TREE_TARGET]);
    if all_features {
        command.arg("--all-features");
    }
    let output = command.output().context("cannot run `cargo tree`")?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        bail!("`cargo tree --package {package}` failed: {why}");
    }
    Ok(unique_packages(&String::from_utf8_lossy(&output.stdout)))
}

/// Different packages (name and version) in the output of `cargo tree --prefix none`.
#[must_use]
pub fn unique_packages(tree: &str) -> usize {
    let packages: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?))
        })
        .filter(|(_, version)| version.starts_with('v'))
        .collect();
    packages.len()
}

/// Compares the counts of one crate with its budget, and states them as facts.
pub fn judge(member: &Member, plain: usize, full: usize, rules: &Rules, findings: &mut Findings) {
    let name = &member.name;
    let Some(budget) = rules.budget.get(name) else {
        findings.error(
            (RULES_PATH, 0),
            "budget",
            format!("`{name}` has no budget; it brings {plain} packages, {full} with all features"),
            format!("add `{name} = {{ plain = {plain} }}` below [budget]"),
        );
        return;
    };
    let allowed = budget.full.unwrap_or(budget.plain);
    findings.fact(format!(
        "budget: {name:<20} {plain:>3} of {:>3} packages, {full:>3} of {allowed:>3} with all features",
        budget.plain
    ));
    for (found, limit, when) in [
        (plain, budget.plain, "with its default features"),
        (full, allowed, "with all features"),
    ] {
        if found > limit {
            findings.error(
                (&member.manifest, 0),
                "budget",
                format!("`{name}` brings {found} packages {when}, more than {limit}"),
                format!(
                    "see `cargo tree -p {name} -e normal,build`, drop a dependency or raise the \
                     number in {RULES_PATH} with a design note"
                ),
            );
        }
    }
}
