//! Generated parts of documents, and what a release looks at.

mod fixture;

use std::collections::BTreeMap;

use fixture::Tree;
use xtask::baseline::schema::{Baseline, Case, Entry, Schema, Settings, Source};
use xtask::baseline::store::to_text;
use xtask::check::Findings;
use xtask::check::files::SourceFile;
use xtask::check::layers::{Edge, EdgeKind, Member};
use xtask::commands::docs::{Generators, rewrite};
use xtask::commands::release::{Candidate, judge, publishing_order};
use xtask::measure::machine::{Machine, Tool};

/// Name, unit and value.
type Metric<'a> = (&'a str, &'a str, u64);

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

/// A baseline of one machine with these cases and metrics.
fn baseline(cases: &[(&str, &[Metric<'_>])]) -> String {
    let mut machine = Machine::detect();
    machine.id = "0a1b".to_owned();
    machine.cpu = "Processor 7".to_owned();
    machine.cores = 2;
    let mut tool = Tool::detect("bench");
    tool.rustc = "rustc 1.95.0".to_owned();
    let entries = |metrics: &[Metric<'_>]| {
        let entry = |&(name, unit, value): &Metric<'_>| {
            Some((name.to_owned(), Entry::of(unit, &[value], None)?))
        };
        metrics.iter().filter_map(entry).collect()
    };
    let case = |&(name, metrics): &(&str, &[Metric<'_>])| {
        let case = Case {
            scenario_version: 1,
            check: "7".to_owned(),
            configuration: BTreeMap::new(),
            facts: BTreeMap::new(),
            metrics: entries(metrics),
        };
        (name.to_owned(), case)
    };
    to_text(&Baseline {
        schema: Schema::current(),
        tool,
        source: Source::default(),
        machine,
        settings: Settings::default(),
        cases: cases.iter().map(case).collect(),
    })
}

#[test]
fn measured_memory_becomes_a_table() {
    let memory = baseline(&[
        ("noop", &[("rss_peak", "byte", 2_097_152)]),
        (
            "sweep/decay?members=10",
            &[
                ("heap_peak", "byte", 8192),
                ("heap_peak_run", "byte", 1000),
                ("planned_heap", "byte", 1045),
                ("rss_peak", "byte", 4_194_304),
            ],
        ),
    ]);
    let time = baseline(&[(
        "sweep/decay?members=10",
        &[("first", "nanosecond", 3_200_000)],
    )]);
    let tree = Tree::new([
        ("benchmarks/baselines/memory.json", memory.as_str()),
        ("benchmarks/baselines/time/0a1b.json", time.as_str()),
    ]);
    let generators = Generators::load(tree.root(), &[]).expect("the baselines parse");
    let text = generators
        .make("memory", "README.md")
        .expect("there are cases");
    let expected = "\
| case | heap, peak | resident, peak | planned / measured | first result |
|---|---:|---:|---:|---:|
| `noop` | – | 2.0 MiB | – | – |
| `sweep/decay?members=10` | 8.0 KiB | 4.0 MiB | 1.05 | 3.2 ms |

Measured on Processor 7 with 2 cores, rustc 1.95.0, profile `bench`.";
    assert_eq!(text, expected, "the numbers of both files, for people");
    let part = generators
        .make("memory:sweep/", "README.md")
        .expect("one case");
    assert_eq!(
        part.lines().count(),
        5,
        "the other case is left out:\n{part}"
    );
    for name in ["memory:dae/", "speed", ""] {
        assert!(
            generators.make(name, "README.md").is_err(),
            "nothing is called {name:?}"
        );
    }
    tree.write("benchmarks/baselines/memory.json", "{");
    assert!(
        Generators::load(tree.root(), &[]).is_err(),
        "a broken file is no missing one"
    );
}

#[test]
fn lists_link_from_where_they_stand() {
    let file = |path: &str, text: &str| SourceFile {
        path: path.to_owned(),
        text: Some(text.to_owned()),
    };
    let manifest = "[package]\nname = \"bifrons-a\"\ndescription = \"Owns a\"\n\
                    [package.metadata.bifrons]\nlayer = 3\n";
    let files = [
        file("README.md", "# Bifrons\n"),
        file("crates/bifrons-a/Cargo.toml", manifest),
        file("docs/SUMMARY.md", "# Contents\n"),
        file("docs/WORDS.md", "text\n# Words\n"),
        file("docs/guide/a.md", "# Use of `a`\n"),
    ];
    let tree = Tree::new([]);
    let generators = Generators::load(tree.root(), &files).expect("no baseline is no error");
    for (name, from, expected) in [
        ("pages", "docs/SUMMARY.md", "- [Words](WORDS.md)\n"),
        ("guides", "docs/SUMMARY.md", "- [Use of a](guide/a.md)\n"),
        (
            "guides",
            "crates/bifrons-a/README.md",
            "- [Use of a](../../docs/guide/a.md)\n",
        ),
        ("decisions", "README.md", ""),
        (
            "crates",
            "docs/SUMMARY.md",
            "| crate | layer | what it owns |\n|---|---|---|\n\
             | [bifrons-a](../crates/bifrons-a) | 3 | Owns a |\n",
        ),
    ] {
        assert_eq!(
            generators.make(name, from).as_deref(),
            Ok(expected),
            "{name} in {from}"
        );
    }
    let why = generators
        .make("memory", "README.md")
        .expect_err("no baseline");
    assert!(why.contains("no memory baseline"), "it says so: {why}");
}
