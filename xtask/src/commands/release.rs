//! `cargo xtask release --dry-run`: what would be published, and what is still missing for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use cargo_metadata::Metadata;

use crate::check::layers::{self, EdgeKind, Member};
use crate::check::{Findings, links::Document};
use crate::commands::{check, test};
use crate::report::{Failure, Report};
use crate::workspace::Workspace;

/// The changelog, relative to the root.
const CHANGELOG: &str = "docs/CHANGELOG.md";

/// Arguments of `release`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Look only. Required: publishing is a decision that no command takes.
    #[arg(long)]
    pub dry_run: bool,
    /// Also compile every package from its archive.
    #[arg(long)]
    pub verify: bool,
}

/// A package as its manifest presents it to the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Edges, layer and whether it is published at all.
    pub member: Member,
    /// Its version.
    pub version: String,
    /// Fields of the manifest that a registry shows and that are empty.
    pub missing: Vec<&'static str>,
}

/// Judges versions, changelog and manifests, then packs every published crate.
///
/// # Errors
///
/// Without `--dry-run`, and when cargo cannot be run.
pub fn run(args: &Args, workspace: &Workspace) -> anyhow::Result<Report> {
    if !args.dry_run {
        let why = "nothing is published from here; add --dry-run to see what would be";
        return Err(Failure::usage(why).into());
    }
    let candidates = candidates(&workspace.metadata(true)?);
    let changelog = fs::read_to_string(workspace.root().join(CHANGELOG)).unwrap_or_default();
    let mut findings = Findings::default();
    judge(&candidates, &changelog, &mut findings);
    findings.fact(format!(
        "order: {}",
        publishing_order(&candidates).join(", ")
    ));
    if !test::has_subcommand(workspace, "semver-checks") {
        findings.fact("skipped: cargo-semver-checks not installed");
    }
    pack(args, &candidates, workspace, &mut findings)?;
    Ok(check::print(findings))
}

fn candidates(metadata: &Metadata) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for member in layers::members(metadata) {
        let Some(package) = metadata.packages.iter().find(|p| p.name == member.name) else {
            continue;
        };
        let fields = [
            ("description", package.description.is_none()),
            ("license", package.license.is_none()),
            ("readme", package.readme.is_none()),
        ];
        candidates.push(Candidate {
            member,
            version: package.version.to_string(),
            missing: fields
                .into_iter()
                .filter_map(|(name, missing)| missing.then_some(name))
                .collect(),
        });
    }
    candidates
}

/// Judges what stands in manifests and changelog.
pub fn judge(candidates: &[Candidate], changelog: &str, findings: &mut Findings) {
    let published: Vec<&Candidate> = candidates.iter().filter(|c| c.member.published).collect();
    let versions: BTreeSet<&str> = published.iter().map(|c| c.version.as_str()).collect();
    if versions.len() > 1 {
        let list: Vec<&str> = versions.iter().copied().collect();
        findings.error(
            ("Cargo.toml", 0),
            "version",
            format!(
                "published crates have different versions: {}",
                list.join(", ")
            ),
            "inherit the version of the workspace everywhere",
        );
    }
    let sections = Document::parse(changelog).anchors;
    for version in versions {
        // A heading `[0.1.0] - 2026-01-31` becomes the anchor `010---2026-01-31`.
        let start = version.replace('.', "");
        let named = |anchor: &String| *anchor == start || anchor.starts_with(&format!("{start}-"));
        if !sections.iter().any(named) {
            findings.error(
                (CHANGELOG, 0),
                "changelog",
                format!("there is no section for version {version}"),
                "give the entries a heading with the version and the day",
            );
        }
    }
    for candidate in published {
        judge_manifest(candidate, candidates, findings);
    }
}

fn judge_manifest(candidate: &Candidate, all: &[Candidate], findings: &mut Findings) {
    let member = &candidate.member;
    for field in &candidate.missing {
        findings.error(
            (&member.manifest, 0),
            "manifest",
            format!("`{}` is published without {field}", member.name),
            format!("set `package.{field}`"),
        );
    }
    for edge in &member.dependencies {
        let unpublished = all
            .iter()
            .any(|other| other.member.name == edge.package && !other.member.published);
        if unpublished && edge.kind != EdgeKind::Dev {
            findings.error(
                (&member.manifest, edge.line),
                "unpublished",
                format!(
                    "`{}` depends on `{}`, which is not published",
                    member.name, edge.package
                ),
                "publish both or neither",
            );
        }
    }
}

/// Published crates, each after those that it depends on.
#[must_use]
pub fn publishing_order(candidates: &[Candidate]) -> Vec<String> {
    let mut waiting: BTreeMap<&str, &Member> = candidates
        .iter()
        .filter(|candidate| candidate.member.published)
        .map(|candidate| (candidate.member.name.as_str(), &candidate.member))
        .collect();
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let ready: Vec<&str> = waiting
            .values()
            .filter(|member| {
                let mut normal = member
                    .dependencies
                    .iter()
                    .filter(|e| e.kind != EdgeKind::Dev);
                !normal.any(|edge| waiting.contains_key(edge.package.as_str()))
            })
            .map(|member| member.name.as_str())
            .collect();
        if ready.is_empty() {
            break; // a circle, which cargo has refused before
        }
        for name in ready {
            waiting.remove(name);
            order.push(name.to_owned());
        }
    }
    order
}

/// Packs all published crates together: cargo then lets them find each other without a registry.
fn pack(
    args: &Args,
    candidates: &[Candidate],
    workspace: &Workspace,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let mut command = workspace.cargo();
    command.args(["package", "--allow-dirty", "--offline"]);
    if !args.verify {
        command.arg("--no-verify");
    }
    let published = candidates.iter().filter(|c| c.member.published);
    let names: Vec<&str> = published.map(|c| c.member.name.as_str()).collect();
    for name in &names {
        command.args(["--package", name]);
    }
    if names.is_empty() {
        findings.fact("packed: no crate is published");
        return Ok(());
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let packed = text.lines().filter(|line| line.contains("Packaged "));
    let packed = packed.count();
    if output.status.success() {
        findings.fact(format!("packed: {packed} of {} crates", names.len()));
    } else {
        let why = text.lines().find(|line| line.starts_with("error"));
        findings.error(
            ("Cargo.toml", 0),
            "package",
            format!("packing failed: {}", why.unwrap_or("no error line")),
            format!(
                "reproduce: cargo package --allow-dirty --package {}",
                names.join(" --package ")
            ),
        );
    }
    Ok(())
}
