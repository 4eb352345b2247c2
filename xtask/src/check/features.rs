//! `check features`: every crate compiles without features, with each one alone, and with all.

use std::collections::BTreeSet;

use anyhow::Context as _;

use crate::check::Findings;
use crate::check::layers::{self, Member};
use crate::report::note;
use crate::workspace::Workspace;

/// One set of features of one package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Package name.
    pub package: String,
    /// Manifest relative to the root.
    pub manifest: String,
    /// The features that are asked for; the default set is always off.
    pub features: Vec<String>,
}

impl Combination {
    /// The arguments for cargo.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = ["check", "--quiet", "--package", &self.package]
            .map(str::to_owned)
            .to_vec();
        arguments.push("--no-default-features".to_owned());
        if !self.features.is_empty() {
            arguments.push("--features".to_owned());
            arguments.push(self.features.join(","));
        }
        arguments
    }
}

/// The combinations to compile: for each crate none, each alone and all, each distinct set once.
#[must_use]
pub fn plan(members: &[Member]) -> Vec<Combination> {
    let mut plan = Vec::new();
    for member in members.iter().filter(|member| member.is_crate()) {
        let names: Vec<&String> = member
            .features
            .keys()
            .filter(|name| *name != "default")
            .collect();
        let mut wanted: Vec<Vec<String>> = vec![Vec::new()];
        wanted.extend(names.iter().map(|name| vec![(*name).clone()]));
        wanted.push(names.iter().map(|name| (*name).clone()).collect());
        let mut seen = BTreeSet::new();
        for features in wanted {
            if seen.insert(closure(member, &features)) {
                plan.push(Combination {
                    package: member.name.clone(),
                    manifest: member.manifest.clone(),
                    features,
                });
            }
        }
    }
    plan
}

/// All features that a request switches on within the crate.
fn closure(member: &Member, asked: &[String]) -> BTreeSet<String> {
    let mut on = BTreeSet::new();
    let mut open: Vec<&String> = asked.iter().collect();
    while let Some(name) = open.pop() {
        if let Some((name, enables)) = member.features.get_key_value(name)
            && on.insert(name.clone())
        {
            open.extend(enables);
        }
    }
    on
}

/// Compiles all combinations. Libraries and binaries only: the dev-dependencies of tests would
/// switch on features that users do not get.
///
/// # Errors
///
/// When cargo cannot be started; a combination that does not compile is a finding.
pub fn check(workspace: &Workspace) -> anyhow::Result<Findings> {
    let members = layers::members(&workspace.metadata(true)?);
    let plan = plan(&members);
    let mut findings = Findings::default();
    for (index, combination) in plan.iter().enumerate() {
        let arguments = combination.arguments();
        note(format_args!(
            "[{:>2}/{}] cargo {}",
            index + 1,
            plan.len(),
            arguments.join(" ")
        ));
        let output = workspace
            .cargo()
            .args(&arguments)
            .output()
            .context("cannot run `cargo check`")?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            note(text.trim_end());
            let first = text.lines().find(|line| line.starts_with("error"));
            findings.error(
                (&combination.manifest, 0),
                "features",
                format!(
                    "`{}` with features [{}] does not compile: {}",
                    combination.package,
                    combination.features.join(", "),
                    first.unwrap_or("see above")
                ),
                format!("reproduce: cargo {}", arguments.join(" ")),
            );
        }
    }
    findings.fact(format!(
        "features: {} combinations compiled, nothing skipped",
        plan.len()
    ));
    Ok(findings)
}
