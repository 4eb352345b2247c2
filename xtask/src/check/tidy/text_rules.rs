//! Rules for every text file.

use super::paths::MachinePaths;
use crate::check::Findings;
use crate::check::files::SourceFile;

/// Marks of unfinished work, put together here so that this file does not contain them.
const MARKS: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("HA", "CK"),
];

/// How the lines around an undecided merge begin, put together for the same reason.
const CONFLICTS: [&str; 2] = [concat!("<<<<", "<<< "), concat!(">>>>", ">>> ")];

/// Checks one text file.
pub(super) fn check(
    file: &SourceFile,
    text: &str,
    machine: &MachinePaths,
    findings: &mut Findings,
) {
    if is_foreign(file) {
        return;
    }
    white_space(file, text, findings);
    let is_data = ["json", "csv", "svg"].contains(&file.extension());
    for (index, line) in text.lines().enumerate() {
        let at = (file.path.as_str(), index + 1);
        if !is_data && let Some(mark) = MARKS.iter().find(|mark| has_word(line, mark)) {
            findings.error(
                at,
                "unfinished",
                format!("`{mark}` marks unfinished work"),
                "finish it, or describe the limit in the docs",
            );
        }
        if CONFLICTS.iter().any(|mark| line.starts_with(mark)) {
            findings.error(
                at,
                "conflict",
                "a merge left its marks here",
                "decide between the two sides",
            );
        }
        if let Some(path) = machine.find(line) {
            findings.error(
                at,
                "machine-path",
                format!("`{path}` exists on one machine only"),
                "write it relative to the root, or make it a parameter",
            );
        }
    }
}

/// Texts that other tools or other authors write: lock file, licences, recorded snapshots.
fn is_foreign(file: &SourceFile) -> bool {
    ["lock", "snap"].contains(&file.extension()) || file.path.starts_with("docs/licences/")
}

fn white_space(file: &SourceFile, text: &str, findings: &mut Findings) {
    let rule = "white-space";
    let trailing = "remove what stands after the last visible character";
    for (index, line) in text.split('\n').enumerate() {
        let at = (file.path.as_str(), index + 1);
        if line.ends_with('\r') {
            findings.error(
                at,
                rule,
                "the line ends with CR LF",
                "save with LF line ends",
            );
            return; // one finding for the file, not one for each line
        }
        if line.ends_with([' ', '\t']) {
            findings.error(at, rule, "white space at the end of the line", trailing);
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        let last = text.lines().count();
        findings.error(
            (&file.path, last),
            rule,
            "the last line does not end",
            "end the file with a line feed",
        );
    }
    if text.ends_with("\n\n") {
        let last = text.lines().count();
        findings.error(
            (&file.path, last),
            rule,
            "empty lines at the end of the file",
            "end the file with one line feed",
        );
    }
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    })
}
