//! `check layers`: who may depend on whom, and how much each crate may bring.

mod budget;
mod edges;
mod lock;

use std::collections::BTreeMap;

use cargo_metadata::{Dependency, DependencyKind, Metadata, Package};

use crate::check::Findings;
use crate::check::manifest_text::line_of;
use crate::check::rules::Rules;
use crate::workspace::Workspace;

pub use budget::{TREE_TARGET, judge as judge_budget, unique_packages};
pub use edges::judge as judge_edges;
pub use lock::judge as judge_lock;

/// A package of the workspace, reduced to what the rules look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Package name.
    pub name: String,
    /// Manifest relative to the root, with `/` as separator.
    pub manifest: String,
    /// `[package.metadata.bifrons] layer`.
    pub layer: Option<u64>,
    /// Whether `cargo publish` may take it.
    pub published: bool,
    /// Declared dependencies of all kinds, optional ones as well.
    pub dependencies: Vec<Edge>,
    /// Features with what they enable.
    pub features: BTreeMap<String, Vec<String>>,
}

/// A declared dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Name of the package, not the alias.
    pub package: String,
    /// Which of the three tables it stands in.
    pub kind: EdgeKind,
    /// Line of the manifest, 0 if not known.
    pub line: usize,
}

/// The table a dependency is declared in. Closed: cargo has these three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// `[dependencies]`.
    Normal,
    /// `[dev-dependencies]`.
    Dev,
    /// `[build-dependencies]`.
    Build,
}

impl Member {
    /// Whether the package is one of the layered libraries in `crates/`.
    #[must_use]
    pub fn is_crate(&self) -> bool {
        self.manifest.starts_with("crates/")
    }
}

impl EdgeKind {
    fn table(self) -> &'static str {
        match self {
            Self::Normal => "dependencies",
            Self::Dev => "dev-dependencies",
            Self::Build => "build-dependencies",
        }
    }
}

/// The members of the workspace, ordered by name.
#[must_use]
pub fn members(metadata: &Metadata) -> Vec<Member> {
    let root = metadata.workspace_root.as_str();
    let mut members: Vec<Member> = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| {
            let path = package.manifest_path.as_str();
            let manifest = path.strip_prefix(root).unwrap_or(path).replace('\\', "/");
            Member {
                name: package.name.to_string(),
                manifest: manifest.trim_start_matches('/').to_owned(),
                layer: package.metadata["bifrons"]["layer"].as_u64(),
                published: package.publish.as_ref().is_none_or(|to| !to.is_empty()),
                dependencies: edges_of(package),
                features: package
                    .features
                    .iter()
                    .map(|(name, enables)| (name.clone(), enables.clone()))
                    .collect(),
            }
        })
        .collect();
    members.sort_by(|a, b| a.name.cmp(&b.name));
    members
}

fn edges_of(package: &Package) -> Vec<Edge> {
    // Without the text the findings are the same, only without lines.
    let text = std::fs::read_to_string(&package.manifest_path).unwrap_or_default();
    let edge = |dependency: &Dependency| {
        let kind = match dependency.kind {
            DependencyKind::Development => EdgeKind::Dev,
            DependencyKind::Build => EdgeKind::Build,
            _ => EdgeKind::Normal,
        };
        let key = dependency.rename.as_ref().unwrap_or(&dependency.name);
        Edge {
            package: dependency.name.clone(),
            kind,
            line: line_of(&text, kind.table(), key),
        }
    };
    package.dependencies.iter().map(edge).collect()
}

/// Checks layers, exclusive dependencies, budgets and the lock file of the workspace.
///
/// # Errors
///
/// When `cargo metadata` or `cargo tree` fails, which also covers cycles that cargo refuses.
pub fn check(workspace: &Workspace, rules: &Rules) -> anyhow::Result<Findings> {
    let members = members(&workspace.metadata(true)?);
    let mut findings = Findings::default();
    judge_edges(&members, rules, &mut findings);
    budget::check(workspace, &members, rules, &mut findings)?;
    lock::check(workspace.root(), rules, &mut findings)?;
    let crates = members.iter().filter(|member| member.is_crate()).count();
    findings.fact(format!("layers: {crates} crates"));
    Ok(findings)
}
