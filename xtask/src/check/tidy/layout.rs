//! What stands where: the top level, and the papers of each crate.

use std::collections::BTreeSet;

use crate::check::Findings;
use crate::check::files::SourceFile;

/// The visible entries of the top level: these, all of these, and no others.
const TOP_LEVEL: [&str; 8] = [
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "benchmarks",
    "crates",
    "deny.toml",
    "docs",
    "xtask",
];

/// Checks the tree.
pub(super) fn check(files: &[SourceFile], findings: &mut Findings) {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    top_level(&paths, findings);
    for name in crate_names(&paths) {
        crate_papers(name, &paths, findings);
    }
}

fn top_level(paths: &BTreeSet<&str>, findings: &mut Findings) {
    let present: BTreeSet<&str> = paths
        .iter()
        .map(|path| path.split('/').next().unwrap_or(path))
        .collect();
    for &entry in &present {
        if !entry.starts_with('.') && !TOP_LEVEL.contains(&entry) {
            findings.error(
                (entry, 0),
                "top-level",
                format!("`{entry}` is not one of the entries of the top level"),
                format!("move it below one of {}", TOP_LEVEL.join(", ")),
            );
        }
    }
    for entry in TOP_LEVEL {
        if !present.contains(entry) {
            findings.error(
                (entry, 0),
                "top-level",
                format!("`{entry}` is missing"),
                "add it: readers expect the same entries at all times",
            );
        }
    }
}

/// Names of the folders in `crates/` that hold a manifest.
fn crate_names<'a>(paths: &BTreeSet<&'a str>) -> Vec<&'a str> {
    paths
        .iter()
        .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .filter(|name| !name.contains('/'))
        .collect()
}

fn crate_papers(name: &str, paths: &BTreeSet<&str>, findings: &mut Findings) {
    let readme = format!("crates/{name}/README.md");
    if !paths.contains(readme.as_str()) {
        findings.error(
            (&readme, 0),
            "crate-papers",
            format!("`{name}` has no README.md"),
            "say what it is, when not to use it, and show ten lines of use",
        );
    }
    let guide = format!("docs/guide/{name}.md");
    if !paths.contains(guide.as_str()) {
        findings.error(
            (&guide, 0),
            "crate-papers",
            format!("`{name}` has no guide"),
            "write how to use it, the choices, the accuracy and the limits",
        );
    }
}
