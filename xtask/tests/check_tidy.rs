//! `check tidy` over small trees, each of which breaks one rule.

mod fixture;

use std::fs;
use std::process::Command;

use fixture::Tree;
use xtask::check::rules::Rules;
use xtask::check::{Findings, Severity, tidy};

const ROOT_MANIFEST: &str = r#"[workspace]
members = ["crates/*"]

[workspace.dependencies]
libm = { version = "0.2", default-features = false }
"#;

const CRATE_MANIFEST: &str = r#"[package]
name = "bifrons-lanes"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
authors.workspace = true

[dependencies]
libm.workspace = true

[lints]
workspace = true
"#;

const LIB: &str = "//! A crate.\n#![forbid(unsafe_code)]\n";

/// A tree without findings.
fn clean_tree() -> Tree {
    Tree::new([
        ("Cargo.toml", ROOT_MANIFEST),
        ("Cargo.lock", "version = 4\n"),
        ("README.md", "# Bifrons\n"),
        ("deny.toml", "[graph]\n"),
        ("benchmarks/notes.md", "# Notes\n"),
        ("xtask/layers.toml", "[budget]\n"),
        ("docs/guide/bifrons-lanes.md", "# Lanes\n"),
        ("crates/bifrons-lanes/Cargo.toml", CRATE_MANIFEST),
        ("crates/bifrons-lanes/README.md", "# bifrons-lanes\n"),
        ("crates/bifrons-lanes/src/lib.rs", LIB),
    ])
}

#[expect(clippy::expect_used, reason = "a tree that cannot be read is no test")]
fn check(tree: &Tree) -> Findings {
    tidy::check(tree.root(), &Rules::default()).expect("the tree can be read")
}

/// `path:line rule` of everything that was found.
fn places(findings: &Findings) -> Vec<String> {
    let mut places: Vec<String> = findings
        .list()
        .iter()
        .map(|f| format!("{}:{} {}", f.path, f.line, f.rule))
        .collect();
    places.sort();
    places
}

#[test]
fn a_clean_tree_has_no_findings() {
    let findings = check(&clean_tree());
    assert_eq!(places(&findings), [""; 0], "nothing is wrong with it");
    assert_eq!(findings.facts(), ["tidy: 10 files"], "all files were read");
}

const LIB_PATH: &str = "crates/bifrons-lanes/src/lib.rs";
const GUIDE_PATH: &str = "docs/guide/bifrons-lanes.md";
/// The mark of unfinished work, put together so that this file does not contain it.
const MARK: &str = concat!("TO", "DO");

/// Checks the clean tree with one file replaced against the expected `line rule` entries.
fn assert_found(path: &str, text: &str, expected: &[&str]) {
    let tree = clean_tree();
    tree.write(path, text);
    let expected: Vec<String> = expected.iter().map(|e| format!("{path}:{e}")).collect();
    assert_eq!(places(&check(&tree)), expected, "with {path}:\n{text}");
}

#[test]
fn crate_roots_start_with_docs_and_forbid_unsafe_code() {
    for (text, expected) in [
        ("#![forbid(unsafe_code)]\n//! Late.\n", "1 module-docs"),
        ("//! A crate.\n", "1 forbid-unsafe"),
        (
            "//! A crate.\n// #![forbid(unsafe_code)]\n",
            "1 forbid-unsafe",
        ),
    ] {
        assert_found(LIB_PATH, text, &[expected]);
    }
}

#[test]
fn white_space_is_found_at_its_line() {
    for (rest, expected) in [
        ("fn f() {} \n", "3 white-space"),
        ("\r\n", "3 white-space"),
        ("fn f() {}", "3 white-space"),
        ("\n\n", "4 white-space"),
    ] {
        assert_found(LIB_PATH, &format!("{LIB}{rest}"), &[expected]);
    }
    assert_found("docs/licences/MIT.txt", "the words of others \n", &[]);
}

#[test]
fn attributes_and_doc_examples_are_judged() {
    let cases: [(&str, &[&str]); 8] = [
        ("#[allow(dead_code)]\nfn f() {}\n", &["3 bare-allow"]),
        (
            "#[cfg_attr(test, expect(dead_code))]\nfn f() {}\n",
            &["3 bare-allow"],
        ),
        ("#[expect(dead_code, reason = \"shown\")]\nfn f() {}\n", &[]),
        ("const A: &str = \"#[allow(x)]\";\n", &[]),
        ("#[test]\n#[ignore]\nfn f() {}\n", &["4 test-mark"]),
        (
            "#[test]\n#[should_panic(expected = \"x\")]\nfn f() {}\n",
            &["4 test-mark"],
        ),
        (
            "/// ```rust,ignore\n/// ```\nfn f() {}\n",
            &["3 doc-example"],
        ),
        ("/// ```no_run\n/// ```\nfn f() {}\n", &[]),
    ];
    for (rest, expected) in cases {
        assert_found(LIB_PATH, &format!("{LIB}{rest}"), expected);
    }
}

#[test]
fn unfinished_work_is_found() {
    let call = MARK.to_lowercase();
    let cases: [(&str, String, &[&str]); 4] = [
        (
            LIB_PATH,
            format!("{LIB}// {MARK} later\n"),
            &["3 unfinished"],
        ),
        (LIB_PATH, format!("{LIB}// {MARK}S are a word\n"), &[]),
        (
            LIB_PATH,
            format!("{LIB}fn f() {{\n    {call}!()\n}}\n"),
            &["4 unfinished"],
        ),
        ("docs/data.csv", format!("{MARK}\n1\n"), &[]),
    ];
    for (path, text, expected) in cases {
        assert_found(path, &text, expected);
    }
}

#[test]
fn undecided_merges_are_found() {
    for mark in ["<", ">"] {
        let line = format!("{} branch\n", mark.repeat(7));
        assert_found(GUIDE_PATH, &format!("# Lanes\n{line}"), &["2 conflict"]);
        assert_found(GUIDE_PATH, &format!("# Lanes\n {line}"), &[]);
    }
}

#[test]
fn functions_and_files_have_a_longest_length() {
    let comments = |count| format!("{LIB}{}", "//\n".repeat(count));
    let tables = "crates/bifrons-lanes/src/tables.rs";
    let cases: [(&str, String, &[&str]); 6] = [
        (LIB_PATH, format!("{LIB}{}", function(60)), &[]),
        (
            LIB_PATH,
            format!("{LIB}{}", function(61)),
            &["3 function-length"],
        ),
        (LIB_PATH, comments(598), &[]),
        (LIB_PATH, comments(599), &["0 file-size"]),
        (LIB_PATH, comments(999), &["0 file-size"]),
        (tables, format!("//! Tables.\n{}", function(1200)), &[]),
    ];
    for (path, text, expected) in cases {
        assert_found(path, &text, expected);
    }
}

#[test]
fn names_of_modules_say_something() {
    for path in [
        "crates/bifrons-lanes/src/a/mod.rs",
        "crates/bifrons-lanes/src/utils.rs",
    ] {
        assert_found(path, "//! A module.\n", &["0 module-name"]);
    }
}

#[test]
fn paths_of_a_machine_are_found() {
    let home = ["", "home", "ann", "notes"].join("/");
    assert_found(
        GUIDE_PATH,
        &format!("# Lanes\n\nSee {home}.\n"),
        &["3 machine-path"],
    );
    assert_found(GUIDE_PATH, "# Lanes\nSee `/proc/self/stat`.\n", &[]);
}

/// A function of so many lines.
fn function(line_count: usize) -> String {
    format!("fn f() {{\n{}}}\n", "    ();\n".repeat(line_count - 2))
}

#[test]
fn long_files_are_asked_about_and_very_long_ones_refused() {
    for (lines, severity) in [(601, Severity::Warning), (1001, Severity::Error)] {
        let tree = clean_tree();
        let text = format!("{LIB}{}", "//\n".repeat(lines - 2));
        tree.write("crates/bifrons-lanes/src/lib.rs", &text);
        let findings = check(&tree);
        assert_eq!(findings.list()[0].severity, severity, "{lines} lines");
        assert_eq!(
            findings.passes(),
            severity == Severity::Warning,
            "{lines} lines"
        );
    }
}

#[test]
fn unsafe_code_is_left_to_members_with_a_reason() {
    let tree = clean_tree();
    tree.write("crates/bifrons-lanes/src/lib.rs", "//! A crate.\n");
    let rules =
        Rules::parse("[unsafe_code]\nbifrons-lanes = \"an allocator\"\n").expect("the rules parse");
    let findings = tidy::check(tree.root(), &rules).expect("the tree can be read");
    assert_eq!(places(&findings), [""; 0], "the member has a reason");
}

#[test]
fn top_level_holds_the_fixed_entries_only() {
    let tree = clean_tree();
    tree.write("scripts/run.sh", "true\n");
    tree.write(".editorconfig", "root = true\n");
    fs::remove_file(tree.root().join("deny.toml")).expect("it was there");
    assert_eq!(
        places(&check(&tree)),
        ["deny.toml:0 top-level", "scripts:0 top-level"],
        "one entry too many, one missing; dot-files are free"
    );
}

#[test]
fn each_crate_has_its_papers() {
    let tree = clean_tree();
    for path in [
        "crates/bifrons-lanes/README.md",
        "docs/guide/bifrons-lanes.md",
    ] {
        fs::remove_file(tree.root().join(path)).expect("it was there");
    }
    tree.write("docs/CHANGELOG.md", "# Changes\n");
    assert_eq!(
        places(&check(&tree)),
        [
            "crates/bifrons-lanes/README.md:0 crate-papers",
            "docs/guide/bifrons-lanes.md:0 crate-papers"
        ],
        "both are missing"
    );
}

#[test]
fn manifests_inherit_from_the_workspace() {
    let path = "crates/bifrons-lanes/Cargo.toml";
    let cases = [
        (
            "\nversion.workspace = true",
            "\nversion = \"1.0.0\"",
            "3 manifest",
        ),
        ("authors.workspace = true\n", "", "1 manifest"),
        ("\n[lints]\nworkspace = true\n", "", "0 manifest"),
        ("libm.workspace = true", "libm = \"0.2\"", "10 manifest"),
        (
            "libm.workspace = true",
            "libm.workspace = true\n\n[target.'cfg(unix)'.dev-dependencies]\nx = \"1\"",
            "13 manifest",
        ),
        (
            "libm.workspace = true",
            "libm.workspace = true\n[dependencies.x]\nversion = \"1\"",
            "11 manifest",
        ),
    ];
    for (old, new, expected) in cases {
        let tree = clean_tree();
        assert!(
            CRATE_MANIFEST.contains(old),
            "the case changes something: {old}"
        );
        tree.write(path, &CRATE_MANIFEST.replace(old, new));
        assert_eq!(
            places(&check(&tree)),
            [format!("{path}:{expected}")],
            "with {new:?} instead of {old:?}"
        );
    }
}

#[test]
fn workspace_dependencies_are_lean_single_and_used() {
    let cases = [
        ("anyhow = \"1\"", vec!["6 manifest", "6 manifest"]),
        (
            "m = { package = \"libm\", version = \"0.1\", default-features = false }",
            vec!["6 manifest", "6 manifest"],
        ),
        (
            "bifrons-grids = { path = \"crates/bifrons-grids\", version = \"0.1.0\" }",
            vec![],
        ),
    ];
    for (line, expected) in cases {
        let tree = clean_tree();
        tree.write("Cargo.toml", &format!("{ROOT_MANIFEST}{line}\n"));
        let findings = check(&tree);
        let expected: Vec<String> = expected.iter().map(|e| format!("Cargo.toml:{e}")).collect();
        assert_eq!(places(&findings), expected, "with {line}");
        let unused = findings.count(Severity::Warning);
        assert_eq!(unused, expected.len() / 2, "nobody uses it: {line}");
    }
}

#[test]
fn changed_public_lines_ask_for_a_changelog_entry() {
    let diff = "--- a/crates/x/src/lib.rs\n+++ b/crates/x/src/lib.rs\n@@ -1 +1,3 @@\n\
                -pub fn old() {}\n+    pub fn new() {}\n+pub(crate) fn inner() {}\n\
                --- a/crates/x/tests/t.rs\n+++ b/crates/x/tests/t.rs\n+pub fn helper() {}\n";
    assert_eq!(
        tidy::changed_public_items(diff),
        ["crates/x/src/lib.rs"; 2],
        "tests and crate-visible items do not count"
    );
    for (diff, touched, expected) in [(diff, false, 1), (diff, true, 0), ("", false, 0)] {
        let mut findings = Findings::default();
        tidy::judge_changelog(diff, touched, &mut findings);
        assert_eq!(
            findings.count(Severity::Warning),
            expected,
            "touched: {touched}"
        );
        assert!(findings.passes(), "it is a warning only");
    }
}

#[test]
fn ignored_files_are_not_looked_at_in_a_work_tree() {
    let tree = clean_tree();
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .current_dir(tree.root())
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .output()
            .expect("git runs")
            .status;
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    tree.write(".gitignore", "/scratch\n");
    tree.write("scratch/x.rs", "no docs");
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "one"]);
    let new = format!("{LIB}pub fn f() {{}}\n");
    tree.write("crates/bifrons-lanes/src/lib.rs", &new);
    git(&["commit", "--quiet", "--all", "--message", "two"]);
    tree.write("docs/new.md", "untracked \n");
    assert_eq!(
        places(&check(&tree)),
        ["docs/CHANGELOG.md:0 changelog", "docs/new.md:1 white-space"],
        "new files count before they are added, ignored ones never"
    );
}
