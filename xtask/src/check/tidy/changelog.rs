//! Whether a change of public items left a line in the changelog.

use std::path::Path;
use std::process::Command;

use crate::check::Findings;

/// The changelog, relative to the root.
const CHANGELOG: &str = "docs/CHANGELOG.md";

/// Compares the work tree with the commit before the last one; silent where there is none.
pub(super) fn check(root: &Path, findings: &mut Findings) {
    let Some(diff) = git(root, &["diff", "--unified=0", "HEAD~", "--", "crates"]) else {
        return;
    };
    let Some(names) = git(root, &["diff", "--name-only", "HEAD~", "--", CHANGELOG]) else {
        return;
    };
    judge(&diff, !names.trim().is_empty(), findings);
}

/// Warns when the diff changes public items and the changelog was not touched.
pub fn judge(diff: &str, changelog_touched: bool, findings: &mut Findings) {
    let changed = changed_public_items(diff);
    let Some(first) = changed.first() else {
        return;
    };
    if !changelog_touched {
        findings.warning(
            (CHANGELOG, 0),
            "changelog",
            format!(
                "{} changed public lines since the previous commit, the first in {first}",
                changed.len()
            ),
            "add an entry that says who is affected",
        );
    }
}

/// Files of the changed lines in `src` that declare public items, one entry per line.
#[must_use]
pub fn changed_public_items(diff: &str) -> Vec<String> {
    let mut changed = Vec::new();
    let mut file = "";
    for line in diff.lines() {
        if let Some(path) = line
            .strip_prefix("+++ ")
            .or_else(|| line.strip_prefix("--- "))
        {
            let path = path.trim_start_matches("a/").trim_start_matches("b/");
            if path != "/dev/null" {
                file = path;
            }
            continue;
        }
        let Some(code) = line.strip_prefix(['+', '-']) else {
            continue;
        };
        let is_public = code.trim_start().starts_with("pub ");
        if is_public && file.contains("/src/") && file.ends_with(".rs") {
            changed.push(file.to_owned());
        }
    }
    changed
}

fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .current_dir(root)
        .args(arguments)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
