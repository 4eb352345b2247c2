//! Laws, processes and matrices are stored and validated when read.
#![cfg(feature = "serde")]

use bifrons_shocks::{Ar1, Component, LogNormal, Normal, NormalMixture, TransitionMatrix, Uniform};
use serde::{Serialize, de::DeserializeOwned};

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> bool {
    let text = serde_json::to_string(value);
    text.is_ok_and(|text| serde_json::from_str::<T>(&text).is_ok_and(|back| back == *value))
}

#[test]
fn values_survive_a_round_trip() {
    let fat = NormalMixture::new(&[
        Component::new(0.75, 0.0, 0.5),
        Component::new(0.25, 0.5, 1.0),
    ]);
    let fat = fat.unwrap();
    assert!(round_trip(&Normal::new(1.0, 0.5).unwrap()), "normal");
    assert!(round_trip(&LogNormal::new(1.0, 0.5).unwrap()), "log-normal");
    assert!(round_trip(&Uniform::new(1.0, 2.5).unwrap()), "uniform");
    assert!(round_trip(&fat), "mixture");
    assert!(round_trip(&Ar1::gaussian(0.5, 0.25).unwrap()), "process");
    assert!(
        round_trip(&Ar1::new(0.5, fat).unwrap().with_intercept(0.5).unwrap()),
        "mixed process"
    );
    assert!(
        round_trip(&TransitionMatrix::from_rows(&[[0.5, 0.5], [0.25, 0.75]]).unwrap()),
        "matrix"
    );
}

#[test]
fn bad_text_is_refused() {
    let error = |text| {
        serde_json::from_str::<TransitionMatrix>(text)
            .unwrap_err()
            .to_string()
    };
    assert!(error("[[0.5,0.4]]").contains("row 0 must sum to 1"), "sum");
    assert!(
        error("[[0.5,0.5],[1.0]]").contains("row 1 has 1 probabilities"),
        "shape"
    );
    let text = r#"{"persistence":1.5,"innovation":{"mean":0.0,"standard_deviation":0.1}}"#;
    let error = serde_json::from_str::<Ar1>(text).unwrap_err().to_string();
    assert!(
        error.contains("persistence must be in [-1, 1], got 1.5"),
        "{error}"
    );
    assert!(
        serde_json::from_str::<Normal>(r#"{"mean":0.0}"#).is_err(),
        "missing field"
    );
}
