//! Manifests: one place for versions, lints and the fields that all members share.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::check::Findings;
use crate::check::files::SourceFile;
use crate::check::manifest_text::line_of;

/// Fields of `[package]` that the workspace sets for all.
const INHERITED: [&str; 5] = ["version", "edition", "rust-version", "license", "authors"];
/// Tables with dependencies.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Checks all manifests of the workspace.
pub(super) fn check(files: &[SourceFile], findings: &mut Findings) {
    let mut used = BTreeSet::new();
    let mut root = None;
    for file in files {
        let Some(text) = file.manifest() else {
            continue;
        };
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                let what = error.message().to_owned();
                findings.error((&file.path, 0), "manifest", what, "make it valid TOML");
                continue;
            }
        };
        let manifest = Manifest { file, text, table };
        if file.path == "Cargo.toml" {
            root = Some(manifest);
        } else if !manifest.table.contains_key("workspace") {
            // Others with a `[workspace]` of their own (fuzz targets) live by other rules.
            manifest.package_fields(findings);
            manifest.dependencies(&mut used, findings);
        }
    }
    if let Some(root) = root {
        root.workspace_dependencies(&used, findings);
    }
}

struct Manifest<'a> {
    file: &'a SourceFile,
    text: &'a str,
    table: Table,
}

impl Manifest<'_> {
    fn package_fields(&self, findings: &mut Findings) {
        let package = self.table.get("package").and_then(Value::as_table);
        for field in INHERITED {
            if !package.is_some_and(|package| inherits(package.get(field))) {
                findings.error(
                    (&self.file.path, self.line_of("package", field)),
                    "manifest",
                    format!("`package.{field}` is not inherited"),
                    format!("write `{field}.workspace = true`"),
                );
            }
        }
        if !inherits(self.table.get("lints")) {
            findings.error(
                (&self.file.path, self.line_of("lints", "workspace")),
                "manifest",
                "the lints of the workspace are not inherited",
                "add `[lints]` with `workspace = true`",
            );
        }
    }

    fn dependencies(&self, used: &mut BTreeSet<String>, findings: &mut Findings) {
        let targets = self.table.get("target").and_then(Value::as_table);
        let sections = targets
            .into_iter()
            .flat_map(|targets| targets.values())
            .filter_map(Value::as_table)
            .chain([&self.table]);
        for section in sections {
            for kind in DEPENDENCY_TABLES {
                let Some(list) = section.get(kind).and_then(Value::as_table) else {
                    continue;
                };
                for (name, value) in list {
                    used.insert(name.clone());
                    if !inherits(Some(value)) {
                        findings.error(
                            (&self.file.path, self.line_of(kind, name)),
                            "manifest",
                            format!("dependency `{name}` is declared here"),
                            format!(
                                "declare it in [workspace.dependencies] and write \
                                 `{name}.workspace = true`"
                            ),
                        );
                    }
                }
            }
        }
    }

    fn workspace_dependencies(&self, used: &BTreeSet<String>, findings: &mut Findings) {
        let section = "workspace.dependencies";
        let list = self
            .table
            .get("workspace")
            .and_then(|workspace| workspace.get("dependencies"))
            .and_then(Value::as_table);
        let mut names = BTreeMap::new();
        for (key, value) in list.into_iter().flatten() {
            let at = (self.file.path.as_str(), self.line_of(section, key));
            let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
            if let Some(other) = names.insert(package.to_owned(), key) {
                findings.error(
                    at,
                    "manifest",
                    format!("`{package}` is declared twice, as `{other}` and as `{key}`"),
                    "keep one entry and one version",
                );
            }
            let ours = value.get("path").is_some();
            if !ours && value.get("default-features").and_then(Value::as_bool) != Some(false) {
                findings.error(
                    at,
                    "manifest",
                    format!("`{key}` brings its default features"),
                    "write `default-features = false` and name the features that are used",
                );
            }
            if !ours && !used.contains(key) {
                findings.warning(
                    at,
                    "manifest",
                    format!("no member depends on `{key}`"),
                    "remove the entry",
                );
            }
        }
    }

    fn line_of(&self, section: &str, key: &str) -> usize {
        line_of(self.text, section, key)
    }
}

fn inherits(value: Option<&Value>) -> bool {
    value
        .and_then(|value| value.get("workspace"))
        .and_then(Value::as_bool)
        == Some(true)
}
