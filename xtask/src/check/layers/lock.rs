//! Packages that the lock file holds in several versions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use serde::Deserialize;

use crate::check::Findings;
use crate::check::rules::{RULES_PATH, Rules};

/// The lock file, relative to the root.
const LOCK: &str = "Cargo.lock";

#[derive(Deserialize)]
struct LockFile {
    #[serde(default)]
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
}

/// Judges the lock file of the tree at `root`; a missing one is reported by `check tidy`.
pub(super) fn check(root: &Path, rules: &Rules, findings: &mut Findings) -> anyhow::Result<()> {
    match std::fs::read_to_string(root.join(LOCK)) {
        Ok(text) => judge(&text, rules, findings),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).context("cannot read Cargo.lock"),
    }
}

/// Judges the text of a lock file.
///
/// # Errors
///
/// When the text is no lock file.
pub fn judge(text: &str, rules: &Rules, findings: &mut Findings) -> anyhow::Result<()> {
    let lock: LockFile = toml::from_str(text).context("cannot parse Cargo.lock")?;
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &lock.package {
        versions
            .entry(&package.name)
            .or_default()
            .insert(&package.version);
    }
    versions.retain(|_, found| found.len() > 1);
    for (name, found) in &versions {
        if !rules.duplicates.contains_key(*name) {
            let list: Vec<&str> = found.iter().copied().collect();
            let line = 1 + text
                .lines()
                .position(|line| line == format!("name = \"{name}\""))
                .unwrap_or_default();
            findings.error(
                (LOCK, line),
                "duplicate-version",
                format!("`{name}` is locked in versions {}", list.join(", ")),
                format!(
                    "see `cargo tree -i {name}@{}`, agree on one version, or name who brings it \
                     below [duplicates] in {RULES_PATH}",
                    list[0]
                ),
            );
        }
    }
    for name in rules.duplicates.keys() {
        if !versions.contains_key(name.as_str()) {
            findings.warning(
                (RULES_PATH, 0),
                "duplicate-version",
                format!("`{name}` is tolerated in several versions, but there is at most one"),
                "remove it from [duplicates]",
            );
        }
    }
    Ok(())
}
