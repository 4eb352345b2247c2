//! `check layers` over miniature metadata, each of which breaks one rule.

mod fixture;

use std::collections::BTreeMap;

use fixture::Tree;
use xtask::check::layers::{
    Edge, EdgeKind, Member, judge_budget, judge_edges, judge_lock, members, unique_packages,
};
use xtask::check::rules::{Budget, Rules};
use xtask::check::{Findings, Severity};
use xtask::workspace::Workspace;

const RULES: &str = r#"
[exclusive]
rayon = ["bifrons-parallel"]
"arrow-*" = ["bifrons-export"]

[budget]
bifrons-grids = { plain = 4 }
bifrons-export = { plain = 4, full = 9 }

[duplicates]
syn = "the derive macros of two generations"
"#;

#[expect(clippy::expect_used, reason = "rules that do not parse are no test")]
fn rules() -> Rules {
    Rules::parse(RULES).expect("the rules parse")
}

/// A crate in `crates/` with normal dependencies.
fn library(name: &str, layer: u64, dependencies: &[&str]) -> Member {
    Member {
        name: name.to_owned(),
        manifest: format!("crates/{name}/Cargo.toml"),
        layer: Some(layer),
        published: true,
        dependencies: dependencies
            .iter()
            .map(|d| edge(d, EdgeKind::Normal))
            .collect(),
        features: BTreeMap::new(),
    }
}

fn edge(package: &str, kind: EdgeKind) -> Edge {
    Edge {
        package: package.to_owned(),
        kind,
        line: 0,
    }
}

/// A member outside `crates/`.
fn tool(name: &str, dependencies: &[&str]) -> Member {
    Member {
        manifest: format!("{name}/Cargo.toml"),
        layer: None,
        published: false,
        ..library(name, 0, dependencies)
    }
}

/// The errors of the judgement over a workspace that has the owners of the rules in it, too.
fn errors(mut members: Vec<Member>) -> Vec<String> {
    for (name, layer) in [
        ("bifrons-parallel", 1),
        ("bifrons-export", 2),
        ("bifrons-grids", 1),
    ] {
        if !members.iter().any(|m| m.name == name) {
            members.push(library(name, layer, &[]));
        }
    }
    let mut findings = Findings::default();
    judge_edges(&members, &rules(), &mut findings);
    findings
        .list()
        .iter()
        .map(|f| format!("{} {}: {}", f.path, f.rule, f.what))
        .collect()
}

#[test]
fn edges_that_the_layers_allow() {
    let mut roots = library("bifrons-roots", 1, &["bifrons-memory"]);
    roots
        .dependencies
        .push(edge("bifrons-problems", EdgeKind::Dev));
    roots.dependencies.push(edge("rayon", EdgeKind::Dev));
    let members = vec![
        roots,
        library("bifrons-memory", 0, &["thiserror"]),
        library("bifrons-parallel", 1, &["rayon", "bifrons-memory"]),
        library("bifrons-export", 2, &["arrow-array", "arrow-ipc"]),
        library("bifrons-problems", 5, &["bifrons-memory"]),
        tool("benchmarks", &["bifrons-problems", "bifrons-memory"]),
        tool("xtask", &["clap"]),
    ];
    assert_eq!(errors(members), [""; 0], "all of this is allowed");
}

#[test]
fn each_forbidden_edge_is_named() {
    let build_edge = Member {
        dependencies: vec![edge("rayon", EdgeKind::Build)],
        ..library("bifrons-ode", 3, &[])
    };
    let without_layer = Member {
        layer: None,
        ..library("bifrons-ode", 3, &[])
    };
    let tool_edge = Member {
        dependencies: vec![edge("bifrons-grids", EdgeKind::Dev)],
        ..tool("xtask", &[])
    };
    let cases = [
        (
            vec![library("bifrons-ode", 1, &["bifrons-grids"])],
            "crates/bifrons-ode/Cargo.toml layer: \
             `bifrons-ode` (layer 1) depends on `bifrons-grids` (layer 1)",
        ),
        (
            vec![library("bifrons-ode", 0, &["bifrons-export"])],
            "crates/bifrons-ode/Cargo.toml layer: \
             `bifrons-ode` (layer 0) depends on `bifrons-export` (layer 2)",
        ),
        (
            vec![without_layer],
            "crates/bifrons-ode/Cargo.toml layer: `bifrons-ode` names no layer",
        ),
        (
            vec![
                library("bifrons-ode", 3, &["benchmarks"]),
                tool("benchmarks", &[]),
            ],
            "crates/bifrons-ode/Cargo.toml layer: \
             `bifrons-ode` depends on `benchmarks`, which is no library",
        ),
        (
            vec![tool_edge],
            "xtask/Cargo.toml layer: `xtask` depends on `bifrons-grids`",
        ),
        (
            vec![library("bifrons-ode", 3, &["rayon"])],
            "crates/bifrons-ode/Cargo.toml exclusive: `bifrons-ode` depends on `rayon`",
        ),
        (
            vec![build_edge],
            "crates/bifrons-ode/Cargo.toml exclusive: `bifrons-ode` depends on `rayon`",
        ),
        (
            vec![tool("benchmarks", &["arrow-schema"])],
            "benchmarks/Cargo.toml exclusive: `benchmarks` depends on `arrow-schema`",
        ),
    ];
    for (members, expected) in cases {
        assert_eq!(errors(members), [expected], "exactly one rule is broken");
    }
}

#[test]
fn circles_through_tests_and_stale_rules_are_warnings() {
    let lower = Member {
        dependencies: vec![edge("bifrons-ode", EdgeKind::Dev)],
        ..library("bifrons-grids", 1, &[])
    };
    let members = [lower, library("bifrons-ode", 3, &["bifrons-grids"])];
    let mut findings = Findings::default();
    judge_edges(&members, &rules(), &mut findings);
    findings.sort();
    let found: Vec<_> = findings
        .list()
        .iter()
        .map(|f| (f.rule, f.severity))
        .collect();
    assert_eq!(
        found,
        [
            ("publishing-order", Severity::Warning),
            ("unknown-member", Severity::Warning),
            ("unknown-member", Severity::Warning),
        ],
        "the circle, and two owners that are not in this workspace"
    );
}

#[test]
fn packages_are_counted_by_name_and_version() {
    let tree = "bifrons-grids v0.1.0 (crates/bifrons-grids)\nlibm v0.2.16\nsyn v2.0.1\n\
                syn v3.0.1\nlibm v0.2.16\n\nserde_derive v1.0.0 (proc-macro) (*)\n";
    assert_eq!(
        unique_packages(tree),
        5,
        "repetitions and empty lines do not count"
    );
}

#[test]
fn budgets_are_stated_and_kept() {
    let cases = [
        ("bifrons-grids", 4, 4, 0),
        ("bifrons-grids", 5, 5, 2),
        ("bifrons-export", 4, 9, 0),
        ("bifrons-export", 4, 10, 1),
        ("bifrons-export", 5, 9, 1),
        ("bifrons-ode", 1, 1, 1),
    ];
    for (name, plain, full, expected) in cases {
        let mut findings = Findings::default();
        judge_budget(&library(name, 1, &[]), plain, full, &rules(), &mut findings);
        let errors = findings.count(Severity::Error);
        assert_eq!(errors, expected, "{name} with {plain} and {full} packages");
        let stated = usize::from(name != "bifrons-ode");
        assert_eq!(
            findings.facts().len(),
            stated,
            "{name}: the number is printed"
        );
    }
}

#[test]
fn lock_file_holds_one_version_unless_tolerated() {
    let lock = |entries: &[(&str, &str)]| {
        entries
            .iter()
            .map(|(name, version)| {
                format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n")
            })
            .collect::<String>()
    };
    let tolerated = [("syn", "2.0.1"), ("syn", "3.0.1")];
    let cases = [
        (lock(&tolerated), vec![]),
        (
            lock(&[
                tolerated[0],
                tolerated[1],
                ("libm", "0.1.0"),
                ("libm", "0.2.0"),
            ]),
            vec![(8, Severity::Error)],
        ),
        (lock(&[("libm", "0.1.0")]), vec![(0, Severity::Warning)]),
    ];
    for (text, expected) in cases {
        let mut findings = Findings::default();
        judge_lock(&text, &rules(), &mut findings).expect("the lock file parses");
        let found: Vec<_> = findings
            .list()
            .iter()
            .map(|f| (f.line, f.severity))
            .collect();
        assert_eq!(found, expected, "in {text}");
    }
    let error = judge_lock("[[package]]\n", &rules(), &mut Findings::default());
    assert!(error.is_err(), "a package without a name is no lock file");
}

#[test]
fn rules_know_their_patterns_and_refuse_unknown_keys() {
    let rules = rules();
    let owner = |package| rules.owners_of(package).map(<[String]>::concat);
    assert_eq!(
        owner("rayon").as_deref(),
        Some("bifrons-parallel"),
        "exact name"
    );
    assert_eq!(owner("rayon-core"), None, "no pattern");
    assert_eq!(
        owner("arrow-ipc").as_deref(),
        Some("bifrons-export"),
        "pattern"
    );
    assert_eq!(
        rules.budget["bifrons-export"],
        Budget {
            plain: 4,
            full: Some(9)
        },
        "both numbers"
    );
    let error = Rules::parse("[layer]\n").expect_err("a misspelt table");
    assert!(
        format!("{error:#}").contains("layer"),
        "the message names it: {error:#}"
    );
}

#[test]
fn metadata_of_a_real_workspace_becomes_members() {
    let tree = Tree::new([
        (
            "Cargo.toml",
            "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\", \"xtask\"]\n",
        ),
        (
            "crates/bifrons-a/Cargo.toml",
            "[package]\nname = \"bifrons-a\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
             [package.metadata.bifrons]\nlayer = 3\n\
             [features]\ndefault = [\"x\"]\nx = []\n\
             [dev-dependencies]\nrenamed = { package = \"xtask\", path = \"../../xtask\" }\n",
        ),
        ("crates/bifrons-a/src/lib.rs", ""),
        (
            "xtask/Cargo.toml",
            "[package]\nname = \"xtask\"\nedition = \"2024\"\npublish = false\n",
        ),
        ("xtask/src/lib.rs", ""),
    ]);
    let workspace = Workspace::at(tree.root(), tree.root().join("target")).expect("a workspace");
    let found = members(&workspace.metadata(true).expect("cargo reads it"));
    let features = [("default", vec!["x".to_owned()]), ("x", vec![])];
    let expected = [
        Member {
            dependencies: vec![Edge {
                line: 11,
                ..edge("xtask", EdgeKind::Dev)
            }],
            features: features.map(|(name, on)| (name.to_owned(), on)).into(),
            ..library("bifrons-a", 3, &[])
        },
        tool("xtask", &[]),
    ];
    assert_eq!(found, expected, "names, paths, layers, edges and features");
}
