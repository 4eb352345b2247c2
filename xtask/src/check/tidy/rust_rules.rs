//! Rules for one Rust file.

use crate::check::Findings;
use crate::check::files::SourceFile;
use crate::check::rules::Rules;
use crate::check::rust_source::{Attribute, RustSource, words_in};

/// Lines beyond which a file is asked about.
const LINES_REVIEWED: usize = 600;
/// Lines beyond which a file is refused.
const LINES_ALLOWED: usize = 1000;
/// Lines of a function, signature and braces included.
const FUNCTION_LINES_ALLOWED: usize = 60;
/// Names that say nothing about what a module owns.
const EMPTY_NAMES: [&str; 6] = ["utils", "common", "helpers", "core", "misc", "manager"];

/// Checks one Rust file.
pub(super) fn check(file: &SourceFile, text: &str, rules: &Rules, findings: &mut Findings) {
    let source = RustSource::new(text);
    module_docs(file, text, findings);
    module_name(file, findings);
    if file.name() != "tables.rs" {
        file_size(file, text, findings);
        function_length(file, &source, findings);
    }
    for attribute in source.attributes() {
        lint_levels(file, &attribute, findings);
        test_marks(file, &attribute, findings);
    }
    unfinished_macros(file, &source, findings);
    doc_fences(file, text, findings);
    forbids_unsafe(file, &source, rules, findings);
}

fn module_docs(file: &SourceFile, text: &str, findings: &mut Findings) {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let documented = first.is_some_and(|line| line.starts_with("//!") || line.starts_with("/*!"));
    if !documented {
        findings.error(
            (&file.path, 1),
            "module-docs",
            "the file does not start with a module doc",
            "begin with a `//!` line that says what this file owns",
        );
    }
}

fn module_name(file: &SourceFile, findings: &mut Findings) {
    let in_sources = file.path.contains("/src/");
    let stem = file.name().trim_end_matches(".rs");
    if in_sources && stem == "mod" {
        findings.error(
            (&file.path, 0),
            "module-name",
            "`mod.rs` hides the name of the module",
            "move it to `<module>.rs` beside the folder",
        );
    }
    if in_sources && EMPTY_NAMES.contains(&stem) {
        findings.error(
            (&file.path, 0),
            "module-name",
            format!("`{stem}` does not say what the module owns"),
            "name it after the one thing it is about",
        );
    }
}

fn file_size(file: &SourceFile, text: &str, findings: &mut Findings) {
    let count = text.lines().count();
    let what = |limit| format!("{count} lines, more than {limit}");
    let fix = "split it by idea; coefficient tables go to `tables.rs`";
    if count > LINES_ALLOWED {
        findings.error((&file.path, 0), "file-size", what(LINES_ALLOWED), fix);
    } else if count > LINES_REVIEWED {
        findings.warning((&file.path, 0), "file-size", what(LINES_REVIEWED), fix);
    }
}

fn function_length(file: &SourceFile, source: &RustSource<'_>, findings: &mut Findings) {
    for function in source.functions() {
        if function.line_count > FUNCTION_LINES_ALLOWED {
            findings.error(
                (&file.path, function.line),
                "function-length",
                format!(
                    "`{}` has {} lines, more than {FUNCTION_LINES_ALLOWED}",
                    function.name, function.line_count
                ),
                "split it into steps with names",
            );
        }
    }
}

fn lint_levels(file: &SourceFile, attribute: &Attribute, findings: &mut Findings) {
    for word in ["allow", "expect"] {
        for at in words_in(attribute.content.as_bytes(), word) {
            let rest = attribute.content[at + word.len()..].trim_start();
            if rest.starts_with('(') && !gives_reason(rest) {
                findings.error(
                    (&file.path, attribute.line),
                    "bare-allow",
                    format!("`{word}` without a reason"),
                    "write `#[expect(lint, reason = \"…\")]` or remove the cause",
                );
            }
        }
    }
}

/// Whether the list that starts with this parenthesis has `reason = …` in it.
fn gives_reason(list: &str) -> bool {
    let end = list.find(')').unwrap_or(list.len());
    words_in(list.as_bytes(), "reason")
        .iter()
        .any(|&at| at < end && list[at + "reason".len()..].trim_start().starts_with('='))
}

fn test_marks(file: &SourceFile, attribute: &Attribute, findings: &mut Findings) {
    let first: String = attribute
        .content
        .trim_start()
        .chars()
        .take_while(|&c| c.is_alphanumeric() || c == '_')
        .collect();
    let fix = match first.as_str() {
        "ignore" => "make it fast enough to run, or remove it",
        "should_panic" => "match the returned error and its fields",
        _ => return,
    };
    findings.error(
        (&file.path, attribute.line),
        "test-mark",
        format!("a test is marked `{first}`"),
        fix,
    );
}

fn unfinished_macros(file: &SourceFile, source: &RustSource<'_>, findings: &mut Findings) {
    for name in [concat!("to", "do"), concat!("un", "implemented")] {
        for line in source.macro_calls(name) {
            findings.error(
                (&file.path, line),
                "unfinished",
                format!("`{name}!` is called"),
                "write the code, or return an error that says what is not supported",
            );
        }
    }
}

fn doc_fences(file: &SourceFile, text: &str, findings: &mut Findings) {
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let doc = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let Some(info) = doc.and_then(|doc| doc.trim_start().strip_prefix("```")) else {
            continue;
        };
        if info.split(',').any(|word| word.trim() == "ignore") {
            findings.error(
                (&file.path, index + 1),
                "doc-example",
                "an example in a doc comment is not compiled",
                "make it compile, use `no_run`, or mark it `text` if it is no Rust",
            );
        }
    }
}

fn forbids_unsafe(
    file: &SourceFile,
    source: &RustSource<'_>,
    rules: &Rules,
    findings: &mut Findings,
) {
    let Some(member) = member_of_root(&file.path) else {
        return;
    };
    if rules.unsafe_code.contains_key(member) || source.has_code("#![forbid(unsafe_code)]") {
        return;
    }
    findings.error(
        (&file.path, 1),
        "forbid-unsafe",
        "the crate does not forbid unsafe code",
        "add `#![forbid(unsafe_code)]` below the crate doc",
    );
}

/// The member that a path is a crate root of: `src/lib.rs`, `src/main.rs` or `src/bin/*.rs`.
fn member_of_root(path: &str) -> Option<&str> {
    let (directory, rest) = path.split_once("/src/")?;
    let is_root = match rest.strip_prefix("bin/") {
        Some(name) => !name.contains('/'),
        None => rest == "lib.rs" || rest == "main.rs",
    };
    let member = directory.rsplit('/').next().unwrap_or(directory);
    is_root.then_some(member)
}
