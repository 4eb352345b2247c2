//! Generated parts of documents, and what a release looks at.

use std::collections::BTreeMap;

use xtask::check::Findings;
use xtask::check::layers::{Edge, EdgeKind, Member};
use xtask::commands::docs::rewrite;
use xtask::commands::release::{Candidate, judge, publishing_order};

/// Knows one part.
fn make(name: &str) -> Result<String, String> {
    match name {
        "list" => Ok("- one\n- two\n".to_owned()),
        _ => Err(format!("no part {name}")),
    }
}

#[test]
fn parts_between_markers_are_replaced() {
    let fresh = "a\n<!-- generated:list -->\n\n- one\n- two\n\n<!-- /generated -->\nb\n";
    for old in ["", "\n", "old\nlines\n", "\n- one\n- two\n"] {
        let text = format!("a\n<!-- generated:list -->\n{old}<!-- /generated -->\nb\n");
        let outcome = rewrite(&text, make);
        assert_eq!(outcome.text, fresh, "from {old:?}");
        assert_eq!(outcome.stale, [(2, "list".to_owned())], "from {old:?}");
    }
    let outcome = rewrite(fresh, make);
    assert_eq!(
        (outcome.text.as_str(), outcome.regions),
        (fresh, 1),
        "nothing to do"
    );
    assert!(outcome.stale.is_empty(), "it is fresh");
}

#[test]
fn markers_in_examples_are_text() {
    for text in [
        "no markers",
        "```\n<!-- generated:list -->\n<!-- /generated -->\n```\n",
        "inline `<!-- generated:list -->` text\n",
    ] {
        let outcome = rewrite(text, make);
        assert_eq!(
            (outcome.text.as_str(), outcome.regions),
            (text, 0),
            "in {text}"
        );
        assert!(outcome.problems.is_empty(), "in {text}");
    }
}

#[test]
fn wrong_markers_are_reported_and_left_alone() {
    for (text, line) in [
        ("<!-- generated:none -->\nkept\n<!-- /generated -->\n", 1),
        ("x\n<!-- generated:list -->\nkept\n", 2),
        (
            "<!-- generated:list -->\n<!-- generated:list -->\n\n- one\n- two\n\n<!-- /generated -->\n",
            1,
        ),
    ] {
        let outcome = rewrite(text, make);
        assert_eq!(outcome.text, text, "nothing is lost");
        let lines: Vec<usize> = outcome
            .problems
            .iter()
            .map(|problem| problem.line)
            .collect();
        assert_eq!(lines, [line], "in {text}");
    }
}

fn candidate(name: &str, version: &str, dependencies: &[(&str, EdgeKind)]) -> Candidate {
    Candidate {
        member: Member {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            layer: Some(0),
            published: name != "tool",
            dependencies: dependencies
                .iter()
                .map(|&(package, kind)| Edge {
                    package: package.to_owned(),
                    kind,
                    line: 7,
                })
                .collect(),
            features: BTreeMap::new(),
        },
        version: version.to_owned(),
        missing: Vec::new(),
    }
}

#[test]
fn crates_are_published_after_what_they_need() {
    let candidates = [
        candidate(
            "a",
            "1.0.0",
            &[("c", EdgeKind::Normal), ("b", EdgeKind::Build)],
        ),
        candidate(
            "b",
            "1.0.0",
            &[("c", EdgeKind::Normal), ("a", EdgeKind::Dev)],
        ),
        candidate("c", "1.0.0", &[("elsewhere", EdgeKind::Normal)]),
        candidate("tool", "1.0.0", &[("a", EdgeKind::Normal)]),
    ];
    assert_eq!(
        publishing_order(&candidates),
        ["c", "b", "a"],
        "tests do not count"
    );
}

#[test]
fn releases_need_one_version_a_section_and_published_parts() {
    let needs_tool = candidate("a", "1.0.0", &[("tool", EdgeKind::Normal)]);
    let cases = [
        (vec![candidate("a", "1.0.0", &[])], "## 1.0.0\n", vec![]),
        (
            vec![candidate("a", "1.0.0", &[])],
            "## [1.0.0] - 2026-01-31\n",
            vec![],
        ),
        (
            vec![candidate("a", "1.0.0", &[])],
            "## 1.0.01\n",
            vec!["changelog"],
        ),
        (vec![candidate("a", "1.0.0", &[])], "", vec!["changelog"]),
        (
            vec![candidate("a", "1.0.0", &[]), candidate("b", "1.1.0", &[])],
            "## 1.0.0\n## 1.1.0\n",
            vec!["version"],
        ),
        (
            vec![
                candidate("a", "1.0.0", &[]),
                candidate("tool", "0.0.0", &[]),
            ],
            "## 1.0.0\n",
            vec![],
        ),
        (
            vec![needs_tool, candidate("tool", "1.0.0", &[])],
            "## 1.0.0\n",
            vec!["unpublished"],
        ),
    ];
    for (candidates, changelog, expected) in cases {
        let mut findings = Findings::default();
        judge(&candidates, changelog, &mut findings);
        let rules: Vec<&str> = findings.list().iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, expected, "with changelog {changelog:?}");
    }
}
