//! `check links`: what the Markdown files point at exists, and the commands they quote work.

mod cargo_commands;
mod markdown;
mod shell;
mod summary;
mod targets;

use std::path::Path;

use crate::check::Findings;
use crate::check::files::{self, SourceFile};

pub use markdown::{Document, Quote, slug};
pub use shell::commands;
pub use summary::SUMMARY;

/// Tells whether the arguments of a `cargo xtask` command parse; the words start after `xtask`.
pub type ParseCommand<'a> = &'a dyn Fn(&[String]) -> Result<(), String>;

/// Checks all Markdown files of the tree at `root`.
///
/// # Errors
///
/// When files cannot be read; a broken link is a finding.
pub fn check(root: &Path, parse: ParseCommand<'_>) -> anyhow::Result<Findings> {
    let files = files::read_tree(root)?;
    let mut findings = Findings::default();
    let tree = targets::Tree::new(&files);
    let packages = cargo_commands::Packages::new(&files);
    let mut counts = Counts::default();
    for (file, text) in markdown_files(&files) {
        let document = Document::parse(text);
        counts.files += 1;
        counts.links += document.links.len();
        targets::check_links(file, &document, &tree, &mut findings);
        for quote in &document.quotes {
            counts.paths += targets::check_path(file, quote, &tree, &mut findings);
            counts.commands += cargo_commands::check(file, quote, &packages, parse, &mut findings);
        }
    }
    summary::check(&files, &mut findings);
    findings.fact(format!(
        "links: {} Markdown files, {} links, {} quoted paths, {} quoted cargo commands",
        counts.files, counts.links, counts.paths, counts.commands
    ));
    Ok(findings)
}

#[derive(Default)]
struct Counts {
    files: usize,
    links: usize,
    paths: usize,
    commands: usize,
}

fn markdown_files(files: &[SourceFile]) -> impl Iterator<Item = (&SourceFile, &str)> {
    files
        .iter()
        .filter_map(|file| Some((file, file.markdown()?)))
}
