//! The files that the rules apply to: what is, or would be, under version control.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

/// One file of the tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceFile {
    /// Path relative to the root, with `/` as separator.
    pub path: String,
    /// Contents, if they are text: no NUL byte and valid UTF-8.
    pub text: Option<String>,
}

impl SourceFile {
    /// The file name without directories.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The extension, empty when there is none. A leading dot starts no extension.
    #[must_use]
    pub fn extension(&self) -> &str {
        match self.name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// The text, if the file is Rust source.
    #[must_use]
    pub fn rust(&self) -> Option<&str> {
        (self.extension() == "rs")
            .then_some(self.text.as_deref())
            .flatten()
    }

    /// The text, if the file is Markdown.
    #[must_use]
    pub fn markdown(&self) -> Option<&str> {
        (self.extension() == "md")
            .then_some(self.text.as_deref())
            .flatten()
    }

    /// The text, if the file is a manifest of cargo.
    #[must_use]
    pub fn manifest(&self) -> Option<&str> {
        (self.name() == "Cargo.toml")
            .then_some(self.text.as_deref())
            .flatten()
    }
}

/// Reads all files of the tree, ordered by path.
///
/// In a git work tree these are the tracked files and the new ones that no ignore rule covers.
/// Elsewhere (an unpacked archive) all files except `target` and hidden directories other than
/// those that the project keeps (`.cargo`, `.ci`, `.config`).
///
/// # Errors
///
/// When a directory or a file cannot be read.
pub fn read_tree(root: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let mut paths = match listed_by_git(root) {
        Some(paths) => paths,
        None => {
            let mut paths = Vec::new();
            walk(root, Path::new(""), &mut paths)?;
            paths
        }
    };
    paths.sort();
    paths.dedup();
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let full = root.join(&path);
        // A tracked file may be deleted in the work tree, or be a submodule's directory.
        if !full.is_file() {
            continue;
        }
        let bytes = fs::read(&full).with_context(|| format!("cannot read {path}"))?;
        let text = if bytes.contains(&0) {
            None
        } else {
            String::from_utf8(bytes).ok()
        };
        files.push(SourceFile { path, text });
    }
    Ok(files)
}

fn listed_by_git(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    Some(
        text.split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

fn walk(root: &Path, below: &Path, paths: &mut Vec<String>) -> anyhow::Result<()> {
    let directory = root.join(below);
    let entries =
        fs::read_dir(&directory).with_context(|| format!("cannot list {}", below.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let path: PathBuf = below.join(&name);
        let kind = entry.file_type()?;
        let name = name.to_string_lossy();
        if kind.is_dir() {
            let kept = [".cargo", ".ci", ".config"].contains(&name.as_ref());
            if name == "target" || (name.starts_with('.') && !kept) {
                continue;
            }
            walk(root, &path, paths)?;
        } else if kind.is_file() {
            paths.push(slashed(&path));
        }
    }
    Ok(())
}

/// A relative path with `/` between its parts on every system.
fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}
