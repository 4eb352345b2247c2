//! The program itself in small workspaces: output, exit codes, files written.
#![expect(
    clippy::expect_used,
    reason = "a program that cannot be started is no test"
)]

mod fixture;

use std::fs;
use std::process::{Command, Output};

use fixture::Tree;

const MANIFEST: &str = "[package]\nname = \"bifrons-a\"\nversion = \"0.1.0\"\n\
    edition = \"2024\"\ndescription = \"Owns a\"\nlicense = \"MIT\"\nreadme = \"README.md\"\n\
    [package.metadata.bifrons]\nlayer = 0\n";

/// A workspace with one library that has a passing test, one that fails with debug assertions,
/// and a doc test.
fn workspace() -> Tree {
    Tree::new([
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n\
             [profile.testrelease]\ninherits = \"release\"\n",
        ),
        ("crates/bifrons-a/Cargo.toml", MANIFEST),
        ("crates/bifrons-a/README.md", "# bifrons-a\n"),
        (
            "crates/bifrons-a/src/lib.rs",
            "//! A.\n//!\n//! ```\n//! assert!(bifrons_a::one() == 1);\n//! ```\n\
             /// One.\npub fn one() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n\
             #[test]\nfn passes() {}\n\
             #[test]\nfn fails_in_debug() { assert!(!cfg!(debug_assertions)); }\n}\n",
        ),
        ("xtask/layers.toml", "[budget]\nbifrons-a = { plain = 1 }\n"),
        (
            "docs/CHANGELOG.md",
            "# Changes\n\n## [0.1.0] - 2026-01-31\n",
        ),
        (
            "docs/SUMMARY.md",
            "# Contents\n<!-- generated:pages -->\n<!-- /generated -->\n",
        ),
    ])
}

fn xtask(tree: &Tree, words: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(words.split_whitespace())
        .current_dir(tree.root())
        // Where the tool takes its workspace from.
        .env("CARGO_MANIFEST_DIR", tree.root().join("xtask"))
        .env("CARGO_TARGET_DIR", tree.root().join("target"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("the program was built")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn findings_are_printed_counted_and_exit_with_one() {
    let tree = workspace();
    let output = xtask(&tree, "check layers links");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "one finding:\n{text}");
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(
        last,
        [
            "1 finding, 0 warnings",
            "docs/CHANGELOG.md: summary: the page is not in docs/SUMMARY.md; run `cargo xtask \
             docs`, which lists guides and decisions, or add a line",
        ],
        "the finding, then the count"
    );
    assert!(
        text.contains("budget: bifrons-a              1 of   1 packages"),
        "the numbers are printed:\n{text}"
    );
    let output = xtask(&tree, "check layers");
    assert_eq!(
        output.status.code(),
        Some(0),
        "nothing wrong: {}",
        stdout(&output)
    );
}

#[test]
fn findings_as_json_leave_standard_output_to_it() {
    let tree = workspace();
    let output = xtask(&tree, "check links --json -");
    let json: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("nothing but JSON on standard output");
    assert_eq!(json["errors"], 1, "in {json}");
    assert_eq!(json["findings"][0]["rule"], "summary", "in {json}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("1 finding, 0 warnings"),
        "the text goes to the other: {errors}"
    );
}

#[test]
fn documents_are_refreshed_and_checked() {
    let tree = workspace();
    let stale = xtask(&tree, "docs --check --skip-rustdoc");
    assert_eq!(stale.status.code(), Some(1), "stale: {}", stdout(&stale));
    let fresh = xtask(&tree, "docs --skip-rustdoc");
    assert_eq!(
        fresh.status.code(),
        Some(0),
        "links hold now: {}",
        stdout(&fresh)
    );
    let text = fs::read_to_string(tree.root().join("docs/SUMMARY.md")).expect("it is there");
    let expected = "# Contents\n<!-- generated:pages -->\n\n- [Changes](CHANGELOG.md)\n\n\
                    <!-- /generated -->\n";
    assert_eq!(text, expected, "the page is listed with its title");
    let again = xtask(&tree, "docs --check --skip-rustdoc");
    assert_eq!(again.status.code(), Some(0), "fresh: {}", stdout(&again));
}

#[test]
fn features_are_compiled_each() {
    let tree = workspace();
    tree.write(
        "crates/bifrons-a/Cargo.toml",
        &format!("{MANIFEST}[features]\nbroken = []\n"),
    );
    tree.write(
        "crates/bifrons-a/src/lib.rs",
        "//! A.\n#[cfg(feature = \"broken\")]\nuse none::Nothing;\n",
    );
    let output = xtask(&tree, "check features");
    let text = stdout(&output);
    assert_eq!(
        output.status.code(),
        Some(1),
        "one does not compile:\n{text}"
    );
    assert!(
        text.contains("`bifrons-a` with features [broken] does not compile: error[E0432]"),
        "it is named:\n{text}"
    );
    assert!(
        text.contains("features: 2 combinations compiled"),
        "none and one:\n{text}"
    );
}

#[test]
fn tests_are_run_in_all_parts_and_counted() {
    let tree = workspace();
    tree.write(
        "crates/bifrons-a/Cargo.toml",
        &format!("{MANIFEST}[[test]]\nname = \"bare\"\nharness = false\n"),
    );
    tree.write("crates/bifrons-a/tests/bare.rs", "fn main() {}\n");
    let output = xtask(&tree, "test --no-nextest");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "one test fails:\n{text}");
    assert!(
        text.contains(
            "tests: FAILED. 6 passed, 1 failed, 0 skipped \
             (suite 2, doc tests 1, release profile 3); finished in "
        ),
        "the closing line sums the parts:\n{text}"
    );
    assert!(
        text.contains("test result: ok. 2 passed"),
        "cargo's own lines are there:\n{text}"
    );
    tree.write(
        "crates/bifrons-a/tests/bare.rs",
        "fn main() { assert!(!cfg!(debug_assertions)); }\n",
    );
    let output = xtask(&tree, "test --skip-doc");
    let text = stdout(&output);
    assert!(
        text.contains("4 passed, 2 failed, 0 skipped (suite 1, release profile 3)"),
        "the runner that is installed comes to the same:\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = xtask(&tree, "test -p bifrons-b");
    assert_eq!(
        output.status.code(),
        Some(2),
        "an unknown package is a usage error"
    );
}

#[test]
fn release_looks_only() {
    let tree = workspace();
    let output = xtask(&tree, "release");
    assert_eq!(output.status.code(), Some(2), "publishing is not offered");
    let output = xtask(&tree, "release --dry-run");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "all is there:\n{text}");
    assert!(
        text.contains("order: bifrons-a\n"),
        "the order is printed:\n{text}"
    );
    assert!(
        text.contains("packed: 1 of 1 crates"),
        "it can be packed:\n{text}"
    );
    tree.write("docs/CHANGELOG.md", "# Changes\n\n## [0.0.9]\n");
    tree.write(
        "crates/bifrons-a/Cargo.toml",
        &MANIFEST.replace("license", "# license"),
    );
    let output = xtask(&tree, "release --dry-run");
    let text = stdout(&output);
    assert_eq!(
        output.status.code(),
        Some(1),
        "two things are missing:\n{text}"
    );
    for part in [
        "no section for version 0.1.0",
        "`bifrons-a` is published without license",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}

#[test]
fn ci_runs_one_step_and_reports_it() {
    let tree = workspace();
    let output = xtask(&tree, "ci --only links");
    let text = stdout(&output);
    assert_eq!(
        output.status.code(),
        Some(1),
        "the links are wrong:\n{text}"
    );
    assert!(
        text.contains("FAILED links: 1 finding, 0 warnings\n  reproduce: cargo xtask check links"),
        "the failure is repeated at the end:\n{text}"
    );
    assert!(
        text.contains("ci: 0 ok, 1 failed, 0 skipped in "),
        "the closing line:\n{text}"
    );
    let output = xtask(&tree, "ci --list");
    assert_eq!(stdout(&output).lines().count(), 15, "all steps are listed");
}
