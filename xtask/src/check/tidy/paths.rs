//! Absolute paths of somebody's machine in the text of the project.

use std::env;
use std::path::Path;

/// First directories that every system has: naming them tells nothing about a machine.
const STANDARD: [&str; 15] = [
    "bin", "boot", "dev", "etc", "lib", "lib64", "opt", "proc", "run", "sbin", "srv", "sys", "tmp",
    "usr", "var",
];

/// Beginnings of paths that exist on one machine only.
#[derive(Clone, Debug)]
pub(super) struct MachinePaths {
    beginnings: Vec<String>,
}

impl MachinePaths {
    /// Home directories of the usual systems, and the first directory of the places that this
    /// work tree, the home directory and cargo's directories are in.
    pub(super) fn of_this_machine(root: &Path) -> Self {
        let mut beginnings = ["home", "Users", "root"]
            .map(|name| format!("/{name}/"))
            .to_vec();
        beginnings.push(["C:", "Users", ""].join("\\"));
        let places = ["HOME", "CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME"]
            .into_iter()
            .filter_map(env::var_os)
            .map(Into::into)
            .chain([root.to_owned()]);
        for place in places {
            beginnings.extend(first_directory(&place));
        }
        beginnings.sort();
        beginnings.dedup();
        Self { beginnings }
    }

    /// The first such path in a line.
    pub(super) fn find<'a>(&self, line: &'a str) -> Option<&'a str> {
        self.beginnings.iter().find_map(|beginning| {
            line.match_indices(beginning.as_str())
                .find(|&(at, _)| starts_path(line, at))
                .map(|(at, _)| path_from(&line[at..]))
        })
    }
}

/// `/name/` when the path is absolute and `name` is not one that every system has.
fn first_directory(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    let name = text.strip_prefix('/')?.split('/').next()?;
    (name.len() > 2 && !STANDARD.contains(&name)).then(|| format!("/{name}/"))
}

/// Whether the slash at `at` begins a path instead of standing inside one, or inside an address.
fn starts_path(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_.-~/*{}<>)]:$".contains(c))
}

fn path_from(text: &str) -> &str {
    let end = text
        .find(|c: char| c.is_whitespace() || "\"'`)>,;".contains(c))
        .unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths_but_not_addresses() {
        let machine = MachinePaths {
            beginnings: vec!["/nest/".to_owned(), "/builder/".to_owned()],
        };
        for (line, expected) in [
            ("see `/nest/ann/notes.md`", Some("/nest/ann/notes.md")),
            ("/builder/x y", Some("/builder/x")),
            ("prefix=/builder/x", Some("/builder/x")),
            ("https://example.org/nest/page", None),
            ("docs/builder/x", None),
            ("${ROOT}/builder/x", None),
            ("/usr/bin/env", None),
        ] {
            assert_eq!(machine.find(line), expected, "in {line:?}");
        }
    }

    #[test]
    fn standard_directories_tell_nothing() {
        for (path, expected) in [
            ("/tmp/clone", None),
            ("/usr/src/project", None),
            ("relative/path", None),
            ("/projects/here", Some("/projects/".to_owned())),
        ] {
            assert_eq!(first_directory(Path::new(path)), expected, "of {path}");
        }
    }
}
