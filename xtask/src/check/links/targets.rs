//! Links and quoted paths against the files of the tree.

use std::collections::{BTreeMap, BTreeSet};

use super::markdown::{Document, Quote};
use crate::check::Findings;
use crate::check::files::SourceFile;

/// First parts of paths that are written relative to the root.
const FROM_ROOT: [&str; 8] = [
    "crates",
    "xtask",
    "benchmarks",
    "docs",
    ".ci",
    ".cargo",
    ".config",
    "deny.toml",
];
/// First parts of paths that are written relative to a crate.
const FROM_CRATE: [&str; 4] = ["src", "tests", "examples", "benches"];

/// Words that stand for many names.
const PLACEHOLDERS: [&str; 4] = ["NNNN", "NAME", "MACHINE", "CRATE"];

/// Files, folders and headings that can be pointed at.
pub(super) struct Tree {
    paths: BTreeSet<String>,
    anchors: BTreeMap<String, Vec<String>>,
}

impl Tree {
    pub(super) fn new(files: &[SourceFile]) -> Self {
        let mut paths = BTreeSet::new();
        let mut anchors = BTreeMap::new();
        for file in files {
            let mut path = file.path.as_str();
            paths.insert(path.to_owned());
            while let Some((folder, _)) = path.rsplit_once('/') {
                paths.insert(folder.to_owned());
                path = folder;
            }
            if let Some(text) = file.markdown() {
                anchors.insert(file.path.clone(), Document::parse(text).anchors);
            }
        }
        paths.insert(String::new());
        Self { paths, anchors }
    }

    fn has(&self, path: &str) -> bool {
        self.paths.contains(path)
    }
}

/// Checks the link targets of one document.
pub(super) fn check_links(
    file: &SourceFile,
    document: &Document,
    tree: &Tree,
    findings: &mut Findings,
) {
    for (line, target) in &document.links {
        let at = (file.path.as_str(), *line);
        if is_address(target) {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let resolved = if path.is_empty() {
            Some(file.path.clone())
        } else {
            resolve(folder_of(&file.path), path)
        };
        let Some(resolved) = resolved.filter(|path| tree.has(path)) else {
            findings.error(
                at,
                "link",
                format!("`{target}` points to nothing"),
                "correct the path; it is relative to this file",
            );
            continue;
        };
        if anchor.is_empty() {
            continue;
        }
        let known = tree.anchors.get(&resolved);
        if known.is_some_and(|known| !known.iter().any(|name| name == anchor)) {
            findings.error(
                at,
                "link",
                format!("`{resolved}` has no heading `#{anchor}`"),
                "use the heading in lower case with hyphens",
            );
        }
    }
}

/// Checks a code span that looks like a path of this tree; returns how many paths it was.
pub(super) fn check_path(
    file: &SourceFile,
    quote: &Quote,
    tree: &Tree,
    findings: &mut Findings,
) -> usize {
    if quote.is_shell_block || !looks_like_path(&quote.text) {
        return 0;
    }
    // `src/lib.rs:12` points at a line.
    let text = quote.text.split(':').next().unwrap_or_default();
    let text = text.trim_end_matches('/');
    let mut bases = vec![String::new(), folder_of(&file.path).to_owned()];
    bases.extend(crate_of(&file.path));
    let found = bases
        .iter()
        .filter_map(|base| resolve(base, text))
        .any(|path| tree.has(&path));
    if !found {
        findings.error(
            (&file.path, quote.line),
            "quoted-path",
            format!("`{text}` does not exist"),
            "correct the path, or describe the place in words if it is only planned",
        );
    }
    1
}

fn is_address(target: &str) -> bool {
    let scheme = target.split(':').next().unwrap_or_default();
    target.contains(':')
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '+')
}

/// Whether a span is a path without placeholders that starts at the root or in a crate.
fn looks_like_path(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    let Some((first, rest)) = text.split_once('/') else {
        return false;
    };
    if !text.chars().all(plain) || rest.is_empty() {
        return false;
    }
    // A placeholder in capitals stands for many names: `docs/design/NNNN-title.md`.
    if PLACEHOLDERS.iter().any(|word| rest.contains(word)) {
        return false;
    }
    let in_crate = FROM_CRATE.contains(&first) && rest.contains('.');
    FROM_ROOT.contains(&first) || in_crate
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of the crate that a document is about: the one it lies in, or the one that a guide
/// is named after.
fn crate_of(path: &str) -> Option<String> {
    if let Some(name) = path.strip_prefix("docs/guide/") {
        let name = name.strip_suffix(".md")?;
        let tool = name == "xtask" || name.starts_with("xtask-");
        return Some(match (tool, name) {
            (true, _) => "xtask".to_owned(),
            (false, "benchmarks") => "benchmarks".to_owned(),
            (false, _) => format!("crates/{name}"),
        });
    }
    let mut parts = path.split('/');
    match (parts.next()?, parts.next()?) {
        ("crates", name) => Some(format!("crates/{name}")),
        (first @ ("xtask" | "benchmarks"), _) => Some(first.to_owned()),
        _ => None,
    }
}

/// `path` as seen from `folder`; `None` when it leaves the tree or is absolute.
fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
