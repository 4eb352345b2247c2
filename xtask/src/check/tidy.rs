//! `check tidy`: the shape of files, manifests and the tree.

mod changelog;
mod layout;
mod manifests;
mod paths;
mod rust_rules;
mod text_rules;

use std::path::Path;

use crate::check::Findings;
use crate::check::files;
use crate::check::rules::Rules;

pub use changelog::{changed_public_items, judge as judge_changelog};

/// Checks the tree at `root`.
///
/// # Errors
///
/// When files cannot be read or `xtask/layers.toml` does not parse; a broken rule is a finding.
pub fn check(root: &Path, rules: &Rules) -> anyhow::Result<Findings> {
    let files = files::read_tree(root)?;
    let machine = paths::MachinePaths::of_this_machine(root);
    let mut findings = Findings::default();
    for file in &files {
        if let Some(text) = &file.text {
            text_rules::check(file, text, &machine, &mut findings);
        }
        if let Some(text) = file.rust() {
            rust_rules::check(file, text, rules, &mut findings);
        }
    }
    layout::check(&files, &mut findings);
    manifests::check(&files, &mut findings);
    changelog::check(root, &mut findings);
    findings.fact(format!("tidy: {} files", files.len()));
    Ok(findings)
}
