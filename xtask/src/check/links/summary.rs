//! Whether `docs/SUMMARY.md` leads to every page.

use std::collections::BTreeSet;

use super::markdown::Document;
use crate::check::Findings;
use crate::check::files::SourceFile;

/// The table of contents, relative to the root.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// Checks that every page below `docs` is linked from the table of contents.
pub(super) fn check(files: &[SourceFile], findings: &mut Findings) {
    let Some(text) = files
        .iter()
        .find(|file| file.path == SUMMARY)
        .and_then(SourceFile::markdown)
    else {
        findings.error(
            (SUMMARY, 0),
            "summary",
            "there is no table of contents",
            "create it and run `cargo xtask docs`",
        );
        return;
    };
    let linked: BTreeSet<String> = Document::parse(text)
        .links
        .into_iter()
        .map(|(_, target)| format!("docs/{}", target.trim_start_matches("./")))
        .collect();
    for file in files {
        let page = file.path.starts_with("docs/") && file.extension() == "md";
        if page && file.path != SUMMARY && !linked.contains(&file.path) {
            findings.error(
                (&file.path, 0),
                "summary",
                format!("the page is not in {SUMMARY}"),
                "run `cargo xtask docs`, which lists guides and decisions, or add a line",
            );
        }
    }
}
