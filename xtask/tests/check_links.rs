//! `check links` over small documents, each with one thing that points to nothing.

mod fixture;

use std::fs;

use fixture::Tree;
use xtask::check::links::{self, Document, commands, slug};
use xtask::commands::check::parses;

/// A tree with a crate that has an example, a guide, and a table of contents.
fn tree(page: &str) -> Tree {
    Tree::new([
        (
            "crates/bifrons-lanes/Cargo.toml",
            "[package]\nname = \"bifrons-lanes\"\n",
        ),
        ("crates/bifrons-lanes/src/lib.rs", ""),
        ("crates/bifrons-lanes/examples/dot.rs", ""),
        (
            "docs/SUMMARY.md",
            "# Summary\n\n- [Lanes](guide/bifrons-lanes.md)\n",
        ),
        ("docs/guide/bifrons-lanes.md", page),
        ("README.md", "# Bifrons\n\n## Getting started\n"),
    ])
}

/// `line rule` of all findings in the page.
#[expect(clippy::expect_used, reason = "a tree that cannot be read is no test")]
fn found(page: &str) -> Vec<String> {
    let tree = tree(page);
    let mut findings = links::check(tree.root(), &parses).expect("the tree can be read");
    findings.sort();
    findings
        .list()
        .iter()
        .map(|f| {
            assert_eq!(
                f.path, "docs/guide/bifrons-lanes.md",
                "only this page is wrong"
            );
            format!("{} {}", f.line, f.rule)
        })
        .collect()
}

#[test]
fn what_exists_is_accepted() {
    for page in [
        "[r](../../README.md) and [h](../../README.md#getting-started)",
        "# Own heading\n\n[h](#own-heading)",
        "## Twice\n## Twice\n[h](#twice-1)",
        "[web](https://example.org/missing.md) [mail](mailto:a@example.org)",
        "![p](../../README.md \"title\") [a](<../../README.md>)",
        "[ref]: ../SUMMARY.md",
        "`[no](link.md)`",
        "```text\n[no](link.md)\n`docs/none.md`\n```",
        "`crates/bifrons-lanes/src/lib.rs` and `src/lib.rs:3` and `examples/dot.rs`",
        "`docs/guide/` and `crates/*/src` and `docs/<name>.md` and `docs/design/NNNN-title.md`",
        "`sweep/decay` and `a/b.c` and `std::fs`",
        "`cargo xtask check tidy` and `cargo xtask` and `cargo xtask COMMAND --help`",
        "`cargo xtask check [tidy|layers]` and `cargo xtask --help`",
        "`cargo run -p bifrons-lanes --example dot -- --example none`",
        "`cargo tree -p serde` and `cargo test -p <crate>`",
        "```sh\n# cargo xtask nothing\nFAST=1 cargo xtask check \\\n  links > out.txt\n```",
        "```rust\n// cargo xtask nothing\n```",
    ] {
        let expected: [&str; 0] = [];
        let page = page.replace("-p <crate>", "-p bifrons-lanes");
        assert_eq!(found(&page), expected, "in:\n{page}");
    }
}

#[test]
fn what_does_not_exist_is_found_at_its_line() {
    let cases: &[(&str, &[&str])] = &[
        ("\n[r](../../READYOU.md)", &["2 link"]),
        ("[r](../../../README.md)", &["1 link"]),
        ("[r](/README.md)", &["1 link"]),
        ("[r](../../README.md#finished)", &["1 link"]),
        ("[r](#nothing)", &["1 link"]),
        ("[ref]: ../none.md", &["1 link"]),
        ("`` `a` `` [r](none.md) `b`", &["1 link"]),
        ("```text\n```\n[r](none.md)", &["3 link"]),
        ("see `crates/bifrons-lanes/src/none.rs`", &["1 quoted-path"]),
        (
            "see `docs/none.md`, `tests/none.rs`",
            &["1 quoted-path", "1 quoted-path"],
        ),
        ("`cargo xtask none`", &["1 quoted-command"]),
        ("`cargo xtask check --none`", &["1 quoted-command"]),
        ("`cargo xtask check tidiness`", &["1 quoted-command"]),
        ("```sh\ntrue\ncargo xtask none\n```", &["3 quoted-command"]),
        (
            "```sh\ntrue && cargo xtask none | cat\n```",
            &["2 quoted-command"],
        ),
        (
            "> ```sh\n> $ cargo xtask none\n> ```\n[r](none.md)",
            &["2 quoted-command", "4 link"],
        ),
        ("`cargo test -p bifrons-none`", &["1 quoted-command"]),
        (
            "`cargo run -p bifrons-lanes --example none`",
            &["1 quoted-command"],
        ),
    ];
    for (page, expected) in cases {
        assert_eq!(found(page), *expected, "in:\n{page}");
    }
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let tree = tree("# Lanes\n");
    tree.write("docs/design/0001-x.md", "# X\n");
    let findings = links::check(tree.root(), &parses).expect("the tree can be read");
    let paths: Vec<_> = findings
        .list()
        .iter()
        .map(|f| (f.path.as_str(), f.rule))
        .collect();
    assert_eq!(
        paths,
        [("docs/design/0001-x.md", "summary")],
        "the new page is missing there"
    );
    fs::remove_file(tree.root().join("docs/SUMMARY.md")).expect("it was there");
    let findings = links::check(tree.root(), &parses).expect("the tree can be read");
    assert_eq!(
        findings.list().len(),
        1,
        "one finding for the missing table, not one per page"
    );
}

#[test]
fn shell_text_splits_into_commands() {
    let cases: &[(&str, &[&[&str]])] = &[
        ("a b", &[&["a", "b"]]),
        ("$ a 'b c' \"d e\"f", &[&["a", "b c", "d ef"]]),
        ("a \\\n  b", &[&["a", "b"]]),
        (
            "a; b && c || d | e &",
            &[&["a"], &["b"], &["c"], &["d"], &["e"]],
        ),
        ("X=1 Y='2 3' a k=v", &[&["a", "k=v"]]),
        ("a > file b 2>&1", &[&["a", "b", "2"]]),
        ("# comment\na # b\n\n", &[&["a"]]),
        (
            "a 'sweep/decay?members=10&threads=1'",
            &[&["a", "sweep/decay?members=10&threads=1"]],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(commands(text), *expected, "in {text}");
    }
}

#[test]
fn headings_become_anchors_and_a_title() {
    for (heading, expected) in [
        ("Getting started", "getting-started"),
        ("`check tidy`: the rules", "check-tidy-the-rules"),
        ("A & B", "a--b"),
        ("snake_case", "snake_case"),
    ] {
        assert_eq!(slug(heading), expected, "of {heading}");
    }
    let document = Document::parse("#hash\n# The `title` #\n## B\n## B\n<a id=\"c\"></a>\n");
    assert_eq!(
        document.title.as_deref(),
        Some("The title"),
        "without marks"
    );
    assert_eq!(
        document.anchors,
        ["the-title", "b", "b-1", "c"],
        "repeated ones are numbered"
    );
}
