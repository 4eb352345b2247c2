//! Footprints and parts survive JSON.

use bifrons_memory::{Bytes, Footprint, Part};

#[test]
fn a_tree_reads_back() {
    let tree = Part::then(
        "run",
        [
            Part::new("a", Footprint::of::<f64>(3)).times(4),
            Part::new("b", Footprint::scratch(9)),
        ],
    );
    let text = serde_json::to_string(&tree).unwrap();
    assert!(text.contains(r#""composition":"then""#), "{text}");
    let back: Part = serde_json::from_str(&text).unwrap();
    assert_eq!(back, tree, "{text}");
}

#[test]
fn bytes_are_plain_numbers_and_unknown_fields_are_refused() {
    assert_eq!(
        serde_json::to_string(&Bytes::new(5)).unwrap(),
        "5",
        "transparent"
    );
    let wrong = r#"{"persistent":1,"scratch":2,"heap":3}"#;
    assert!(
        serde_json::from_str::<Footprint>(wrong).is_err(),
        "unknown field"
    );
}
