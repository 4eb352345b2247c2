//! Options are read and written, and validated when read.
#![cfg(feature = "serde")]

use bifrons_roots::{MinimumOptions, NewtonOptions, RootOptions, Tolerance};

#[test]
fn options_survive_a_round_trip() {
    let options = RootOptions::default().with_tolerance(Tolerance::new(1e-3, 1e-9).unwrap());
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(
        serde_json::from_str::<RootOptions>(&text).unwrap(),
        options,
        "{text}"
    );
    let minimum: MinimumOptions = serde_json::from_str(r#"{"method":"GoldenSection"}"#).unwrap();
    assert_eq!(
        minimum.tolerance,
        MinimumOptions::default().tolerance,
        "defaults fill the rest"
    );
}

#[test]
fn bad_text_is_refused() {
    let negative = r#"{"tolerance":{"absolute":-1.0}}"#;
    let error = serde_json::from_str::<RootOptions>(negative)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("absolute tolerance must be finite"),
        "{error}"
    );
    assert!(
        serde_json::from_str::<NewtonOptions>(r#"{"stepp":1}"#).is_err(),
        "unknown field"
    );
}
