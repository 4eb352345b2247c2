//! Names of draws are stored and read.
#![cfg(feature = "serde")]

use bifrons_random::{Address, Draws, Stream};

#[test]
fn names_survive_a_round_trip() {
    let draws = Draws::new(u64::MAX, Stream::named("income"));
    let text = serde_json::to_string(&draws).unwrap();
    assert_eq!(
        serde_json::from_str::<Draws>(&text).unwrap(),
        draws,
        "{text}"
    );
    let at = Address::new(1 << 60, 3).component(2);
    let text = serde_json::to_string(&at).unwrap();
    assert_eq!(
        text, r#"{"element":1152921504606846976,"step":3,"component":2}"#,
        "text form"
    );
    assert_eq!(
        serde_json::from_str::<Address>(&text).unwrap(),
        at,
        "{text}"
    );
    assert!(
        serde_json::from_str::<Draws>(r#"{"seed":1}"#).is_err(),
        "a stream is required"
    );
}
