//! Edges between members, and to packages that only some members may name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Edge, EdgeKind, Member};
use crate::check::Findings;
use crate::check::rules::{RULES_PATH, Rules};

/// The member that checks the others and must build when they do not.
const TOOL: &str = "xtask";

/// Judges the declared dependencies of all members.
pub fn judge(members: &[Member], rules: &Rules, findings: &mut Findings) {
    let by_name: BTreeMap<&str, &Member> = members
        .iter()
        .map(|member| (member.name.as_str(), member))
        .collect();
    for member in members {
        if member.is_crate() && member.layer.is_none() {
            findings.error(
                (&member.manifest, 0),
                "layer",
                format!("`{}` names no layer", member.name),
                "add `[package.metadata.bifrons]` with `layer = n`",
            );
        }
        for edge in &member.dependencies {
            match by_name.get(edge.package.as_str()) {
                Some(other) => inner_edge(member, other, edge, findings),
                None => outer_edge(member, edge, rules, findings),
            }
        }
    }
    publishing_order(members, &by_name, findings);
    known_owners(&by_name, rules, findings);
}

fn inner_edge(member: &Member, other: &Member, edge: &Edge, findings: &mut Findings) {
    let at = (member.manifest.as_str(), edge.line);
    if member.name == TOOL {
        findings.error(
            at,
            "layer",
            format!("`{TOOL}` depends on `{}`", other.name),
            "remove the edge: the tool must build when the libraries do not",
        );
        return;
    }
    // Tests may look at anything; members outside `crates/` are not libraries.
    if edge.kind == EdgeKind::Dev || !member.is_crate() {
        return;
    }
    let (Some(upper), Some(lower)) = (member.layer, other.layer) else {
        if other.layer.is_none() && !other.is_crate() {
            findings.error(
                at,
                "layer",
                format!(
                    "`{}` depends on `{}`, which is no library",
                    member.name, other.name
                ),
                "move what is shared into a crate of a lower layer",
            );
        }
        return;
    };
    if lower >= upper {
        findings.error(
            at,
            "layer",
            format!(
                "`{}` (layer {upper}) depends on `{}` (layer {lower})",
                member.name, other.name
            ),
            "depend on strictly lower layers only: move the shared part down or invert the call",
        );
    }
}

fn outer_edge(member: &Member, edge: &Edge, rules: &Rules, findings: &mut Findings) {
    if edge.kind == EdgeKind::Dev {
        return;
    }
    let at = (member.manifest.as_str(), edge.line);
    let Some(owners) = rules.owners_of(&edge.package) else {
        return;
    };
    if !owners.contains(&member.name) {
        findings.error(
            at,
            "exclusive",
            format!("`{}` depends on `{}`", member.name, edge.package),
            format!("go through its only users: {}", owners.join(", ")),
        );
    }
}

/// Warns of published crates whose tests need a crate that needs them: cargo builds such a
/// circle, but the registry wants every versioned dependency first.
fn publishing_order(
    members: &[Member],
    by_name: &BTreeMap<&str, &Member>,
    findings: &mut Findings,
) {
    for member in members.iter().filter(|member| member.published) {
        for edge in &member.dependencies {
            let Some(other) = by_name.get(edge.package.as_str()) else {
                continue;
            };
            if edge.kind == EdgeKind::Dev && reaches(other, &member.name, by_name) {
                findings.warning(
                    (&member.manifest, edge.line),
                    "publishing-order",
                    format!(
                        "tests of `{}` use `{}`, which depends on it",
                        member.name, other.name
                    ),
                    "move the test to the upper crate before publishing",
                );
            }
        }
    }
}

/// Whether `goal` is reached over normal and build edges.
fn reaches(from: &Member, goal: &str, by_name: &BTreeMap<&str, &Member>) -> bool {
    let mut open = vec![from];
    let mut seen = BTreeSet::new();
    while let Some(member) = open.pop() {
        if member.name == goal {
            return true;
        }
        if seen.insert(member.name.as_str()) {
            let next = member
                .dependencies
                .iter()
                .filter(|edge| edge.kind != EdgeKind::Dev)
                .filter_map(|edge| by_name.get(edge.package.as_str()));
            open.extend(next);
        }
    }
    false
}

/// A rule about a member that is gone protects nothing.
fn known_owners(by_name: &BTreeMap<&str, &Member>, rules: &Rules, findings: &mut Findings) {
    let owners = rules.exclusive.values().flatten();
    let named = owners
        .chain(rules.budget.keys())
        .chain(rules.unsafe_code.keys())
        .chain(rules.no_release_tests.keys());
    let unknown: BTreeSet<&String> = named
        .filter(|name| !by_name.contains_key(name.as_str()))
        .collect();
    for name in unknown {
        findings.warning(
            (RULES_PATH, 0),
            "unknown-member",
            format!("`{name}` is no member of the workspace"),
            "remove it from the rules or correct the name",
        );
    }
}
