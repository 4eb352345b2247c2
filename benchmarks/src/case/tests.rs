//! Canonical names, typed values, and errors that list what is allowed.

#![expect(
    clippy::float_cmp,
    reason = "parsed values are compared with the same literal"
)]

use super::*;

fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::count("members", 1..=1_000_000, 1000, "members of the sweep"),
        Parameter::threads(),
        Parameter::choice("record", &["all", "last", "none"], "rows that are kept"),
        Parameter::real("rtol", 1e-12..=1e-1, 1e-6, "relative tolerance"),
    ]
}

fn case(query: &str) -> anyhow::Result<Case> {
    Case::new("sweep/decay", &parameters(), query)
}

#[test]
fn canonical_name_states_everything_in_declared_order() {
    let full = "sweep/decay?members=10&threads=2&record=last&rtol=1e-7";
    for query in [
        "members=10&threads=2&record=last&rtol=1e-7",
        "rtol=0.0000001&record=last&threads=02&members=10",
        "&threads=2&&members=10&rtol=1.0e-7&record=last",
    ] {
        assert_eq!(case(query).expect(query).name(), full, "{query}");
    }
    let bare = case("").expect("everything has a default");
    assert_eq!(
        bare.name(),
        "sweep/decay?members=1000&threads=1&record=all&rtol=1e-6",
        "defaults"
    );
    assert_eq!(
        Case::new("noop", &[], "").expect("no parameters").name(),
        "noop",
        "no query"
    );
}

#[test]
fn values_are_typed() {
    let case = case("members=7&record=none&rtol=1e-3").expect("valid");
    assert_eq!(case.count("members").expect("count"), 7, "members");
    assert_eq!(case.size("members").expect("size"), 7, "members");
    assert_eq!(case.choice("record").expect("choice"), "none", "record");
    assert_eq!(case.real("rtol").expect("real"), 1e-3, "rtol");
    assert!(case.real("members").is_err(), "a count is no real number");
    assert!(case.count("record").is_err(), "a choice is no count");
    let error = case.choice("size").expect_err("not declared").to_string();
    assert!(error.contains("`size`"), "{error}");
}

#[test]
fn errors_name_what_is_allowed() {
    for (query, expected) in [
        (
            "member=3",
            &[
                "`member`",
                "members (a whole number from 1 to 1000000)",
                "record",
            ][..],
        ),
        (
            "members=0",
            &["`members`", "`0`", "a whole number from 1 to 1000000"],
        ),
        ("members=1e3", &["`members`", "`1e3`"]),
        ("members=-1", &["`-1`"]),
        ("record=some", &["`some`", "one of all, last, none"]),
        ("rtol=NaN", &["`NaN`", "from 1e-12 to 1e-1"]),
        ("rtol=1", &["`rtol`"]),
        ("members", &["`members`", "key=value"]),
        ("members=1&members=1", &["`members`", "twice"]),
    ] {
        let error = case(query).expect_err(query).to_string();
        for part in expected {
            assert!(error.contains(part), "{query}: `{error}` lacks `{part}`");
        }
    }
    let error = Case::new("noop", &[], "members=1")
        .expect_err("noop has none")
        .to_string();
    assert!(error.contains("takes no parameters"), "{error}");
}
