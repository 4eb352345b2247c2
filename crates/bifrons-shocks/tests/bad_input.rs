//! Bad laws are refused with the name and the value of the parameter.

use bifrons_shocks::{
    Component, Discretisation, LogNormal, MatrixError, Normal, NormalMixture, ShockError, Uniform,
};

#[test]
fn bad_laws_are_named() {
    for sd in [-1.0, f64::NAN, f64::INFINITY] {
        let error = Normal::new(0.0, sd).unwrap_err();
        assert!(
            matches!(
                error,
                ShockError::Spread {
                    name: "standard deviation",
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(LogNormal::mean_one(sd).is_err(), "{sd}");
    }
    let error = Normal::new(f64::INFINITY, 1.0).unwrap_err();
    assert_eq!(
        error,
        ShockError::NotFinite {
            name: "mean",
            value: f64::INFINITY
        },
        "mean"
    );
    for (start, stop) in [
        (1.0, 0.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (f64::MIN, f64::MAX),
    ] {
        assert!(
            matches!(Uniform::new(start, stop), Err(ShockError::Interval { .. })),
            "{start}"
        );
    }
    let normal = Normal::new(0.0, 1.0).unwrap();
    assert!(
        matches!(
            normal.cdf_midpoint(3, 0.0),
            Err(ShockError::Spread { name: "width", .. })
        ),
        "width"
    );
    assert!(
        matches!(
            normal.equal_probability(0),
            Err(ShockError::NodeCount { count: 0, .. })
        ),
        "count"
    );
    let huge = LogNormal::new(800.0, 1.0).unwrap();
    assert!(
        matches!(huge.gauss_hermite(3), Err(ShockError::Nodes { .. })),
        "overflow"
    );
}

#[test]
fn bad_mixtures_are_named() {
    let part = Component::new;
    let mixture = |parts: &[Component]| NormalMixture::new(parts).unwrap_err();
    assert_eq!(
        mixture(&[]),
        ShockError::MixtureWeights {
            sum: 0.0,
            tolerance: 1e-12
        },
        "empty"
    );
    let error = mixture(&[part(0.5, 0.0, 1.0), part(0.4, 0.0, 1.0)]);
    assert_eq!(
        error,
        ShockError::MixtureWeights {
            sum: 0.9,
            tolerance: 1e-12
        },
        "sum"
    );
    for weight in [0.0, -0.1, 1.5, f64::NAN] {
        let error = mixture(&[part(0.5, 0.0, 1.0), part(weight, 0.0, 1.0)]);
        assert!(
            matches!(error, ShockError::MixtureWeight { component: 1, .. }),
            "{error:?}"
        );
    }
    assert!(
        matches!(mixture(&[part(1.0, 0.0, 0.0)]), ShockError::Spread { .. }),
        "point mass"
    );
    assert!(
        matches!(
            mixture(&[part(1.0, f64::NAN, 1.0)]),
            ShockError::NotFinite { .. }
        ),
        "mean"
    );
}

#[test]
fn bad_discretisations_are_named() {
    let error = Discretisation::new(vec![0.0, 1.0], vec![1.0]).unwrap_err();
    assert!(
        matches!(
            error,
            ShockError::Matrix(MatrixError::Length {
                name: "weights",
                ..
            })
        ),
        "{error:?}"
    );
    let error = Discretisation::new(vec![1.0, 1.0], vec![0.5, 0.5]).unwrap_err();
    assert_eq!(
        error,
        ShockError::Nodes {
            index: 1,
            before: 1.0,
            value: 1.0
        },
        "equal nodes"
    );
}
