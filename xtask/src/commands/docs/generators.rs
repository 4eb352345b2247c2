//! What the generated parts of documents say.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Table, Value};

use super::memory_table::Measured;
use super::work_precision::PART;
use crate::check::files::SourceFile;
use crate::check::links::{Document, SUMMARY};
use crate::commands::peers::models::Record;

/// What stands for the numbers before there are any.
const NO_BASELINE: &str = "No baseline has been accepted yet; `cargo xtask bench-memory --bless` \
                           measures and writes one.";

/// Everything that generated parts are made from.
#[derive(Debug)]
pub struct Generators {
    /// Path → title of the pages below `docs`.
    pages: BTreeMap<String, String>,
    crates: Vec<CrateLine>,
    measured: Option<Measured>,
    models: Option<Record>,
    /// The tables of work and precision, if a document has a part for them.
    pub(super) contest: Option<String>,
}

/// A library of the workspace, as its manifest introduces it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CrateLine {
    layer: i64,
    name: String,
    description: String,
}

impl Generators {
    /// Reads titles, manifests and baselines.
    ///
    /// # Errors
    ///
    /// When a baseline exists and cannot be read.
    pub fn load(root: &Path, files: &[SourceFile]) -> anyhow::Result<Self> {
        let mut pages = BTreeMap::new();
        let mut crates = Vec::new();
        for file in files {
            if let Some(text) = file.markdown()
                && file.path.starts_with("docs/")
            {
                let title = Document::parse(text).title;
                pages.insert(
                    file.path.clone(),
                    title.unwrap_or_else(|| file.name().to_owned()),
                );
            }
            if file.path.starts_with("crates/") {
                crates.extend(file.manifest().and_then(crate_line));
            }
        }
        crates.sort();
        Ok(Self {
            pages,
            crates,
            measured: Measured::load(root)?,
            models: Record::load(root)?,
            contest: None,
        })
    }

    /// The content of the part `name` in the document at `path`.
    ///
    /// # Errors
    ///
    /// When there is no part of this name, or no measured case for it, as a lowercase fragment.
    pub fn make(&self, name: &str, path: &str) -> Result<String, String> {
        let (kind, part) = name.split_once(':').unwrap_or((name, ""));
        match kind {
            "memory" | "memory-summary" => match &self.measured {
                None => Ok(NO_BASELINE.to_owned()),
                Some(measured) if kind == "memory" => measured.table(part),
                Some(measured) => Ok(measured.summary()),
            },
            "pages" => Ok(self.page_list("docs/", path)),
            "guides" => Ok(self.page_list("docs/guide/", path)),
            "decisions" => Ok(self.page_list("docs/design/", path)),
            "crates" => Ok(self.crate_table(path)),
            "models" => Ok(self.models.as_ref().map_or_else(
                || {
                    "`cargo xtask peers --models --require --write` has not been run yet."
                        .to_owned()
                },
                Record::markdown,
            )),
            PART => {
                let missing = || "the contestant has not been run".to_owned();
                self.contest.clone().ok_or_else(missing)
            }
            _ => Err(format!("there is no generated part `{name}`")),
        }
    }

    /// Links to the pages that lie directly in `folder`, the table of contents apart.
    fn page_list(&self, folder: &str, from: &str) -> String {
        let mut list = String::new();
        for (path, title) in &self.pages {
            let direct = path
                .strip_prefix(folder)
                .is_some_and(|rest| !rest.contains('/'));
            if direct && path != SUMMARY {
                list.push_str(&format!("- [{title}]({})\n", relative(from, path)));
            }
        }
        list
    }

    fn crate_table(&self, from: &str) -> String {
        let mut table = "| crate | layer | what it owns |\n|---|---|---|\n".to_owned();
        for line in &self.crates {
            let folder = relative(from, &format!("crates/{}", line.name));
            table.push_str(&format!(
                "| [{}]({folder}) | {} | {} |\n",
                line.name, line.layer, line.description
            ));
        }
        table
    }
}

fn crate_line(manifest: &str) -> Option<CrateLine> {
    let table: Table = manifest.parse().ok()?;
    let package = table.get("package")?;
    let text = |key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
    let layer = package.get("metadata")?.get("bifrons")?.get("layer")?;
    Some(CrateLine {
        layer: layer.as_integer()?,
        name: text("name")?,
        description: text("description").unwrap_or_default(),
    })
}

/// `to` as written in a link of the document `from`; both are relative to the root.
#[must_use]
pub(crate) fn relative(from: &str, to: &str) -> String {
    let mut from: Vec<&str> = from.split('/').collect();
    from.pop();
    let to: Vec<&str> = to.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    let path: Vec<&str> = up.chain(to[common..].iter().copied()).collect();
    path.join("/")
}
