//! Which feature combinations `check features` compiles.

use std::collections::BTreeMap;

use xtask::check::features::plan;
use xtask::check::layers::Member;

/// Features with what they enable.
type Features<'a> = &'a [(&'a str, &'a [&'a str])];

fn member(manifest: &str, features: Features<'_>) -> Member {
    let features: BTreeMap<String, Vec<String>> = features
        .iter()
        .map(|(name, enables)| {
            let enables = enables.iter().map(|&e| e.to_owned()).collect();
            ((*name).to_owned(), enables)
        })
        .collect();
    Member {
        name: "bifrons-x".to_owned(),
        manifest: manifest.to_owned(),
        layer: Some(1),
        published: true,
        dependencies: Vec::new(),
        features,
    }
}

#[test]
fn none_each_and_all_but_no_set_twice() {
    let cases: &[(Features<'_>, &[&str])] = &[
        (&[], &[""]),
        (&[("a", &[])], &["", "a"]),
        (&[("a", &[]), ("b", &["dep:b"])], &["", "a", "b", "a,b"]),
        // The default set is switched off; what it holds is tried by name.
        (&[("default", &["a"]), ("a", &[])], &["", "a"]),
        // `b` switches `a` on, so `b` alone is all.
        (&[("a", &[]), ("b", &["a"])], &["", "a", "b"]),
    ];
    for (features, expected) in cases {
        let found: Vec<String> = plan(&[member("crates/bifrons-x/Cargo.toml", features)])
            .iter()
            .map(|combination| combination.features.join(","))
            .collect();
        assert_eq!(found, *expected, "for {features:?}");
    }
}

#[test]
fn tools_are_left_out() {
    assert!(
        plan(&[member("xtask/Cargo.toml", &[("a", &[])])]).is_empty(),
        "no library"
    );
}

#[test]
fn arguments_switch_the_default_set_off() {
    let plan = plan(&[member(
        "crates/bifrons-x/Cargo.toml",
        &[("a", &[]), ("b", &[])],
    )]);
    assert_eq!(
        plan[3].arguments().join(" "),
        "check --quiet --package bifrons-x --no-default-features --features a,b",
        "all features of the crate"
    );
}
