//! Chains on given nodes, per category, and of independent shocks.
#![expect(clippy::float_cmp, reason = "exact values are compared in bits")]

use bifrons_shocks::{
    Ar1, Conditioned, Discretisation, MarkovChain, MatrixError, Normal, NormalMixture, ShockError,
};

fn ar1(persistence: f64, sd: f64) -> Result<Ar1, ShockError> {
    Ar1::gaussian(persistence, sd)
}

fn close(found: &[f64], exact: &[f64], tolerance: f64) -> bool {
    found.len() == exact.len()
        && found
            .iter()
            .zip(exact)
            .all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn kernels_between_different_grids() {
    let process = ar1(0.9, 0.2).unwrap().with_intercept(0.1).unwrap();
    let kernel = process.kernel(&[0.0, 1.0, 2.0], &[-1.0, 0.5]).unwrap();
    assert_eq!((kernel.row_count(), kernel.column_count()), (3, 2), "shape");
    let exact = bifrons_shocks::normal_cdf((-0.25 - 0.1) / 0.2);
    assert!(
        (kernel.row(0)[0] - exact).abs() < 1e-16,
        "mass below the midpoint"
    );
    // The chain is the kernel on its own nodes.
    let chain = process.tauchen(7, 3.0).unwrap();
    let same = process.kernel(chain.nodes(), chain.nodes()).unwrap();
    assert!(
        close(chain.matrix().probabilities(), same.probabilities(), 1e-14),
        "the same law"
    );
    assert!(
        matches!(
            process.kernel(&[1.0, 0.0], &[0.0]),
            Err(ShockError::Nodes { index: 1, .. })
        ),
        "order"
    );
    assert!(
        matches!(process.kernel(&[0.0], &[]), Err(ShockError::Matrix(_))),
        "empty"
    );
    assert_eq!(
        process.next(2.0, -0.3),
        0.1 + 0.9 * 2.0 - 0.3,
        "law of motion"
    );
}

#[test]
fn categories_carry_their_parameters_and_errors() {
    let by = |persistence: [f64; 3]| {
        Conditioned::by_category(3, |k| ar1(persistence[k], 0.1)?.rouwenhorst(4))
    };
    let chains = by([0.5, 0.9, -0.2]).unwrap();
    assert_eq!(
        (chains.category_count(), chains.node_count()),
        (3, 4),
        "shape"
    );
    assert!(
        chains.get(1).unwrap().row(0)[0] > chains.get(0).unwrap().row(0)[0],
        "parameters"
    );
    assert!(
        chains.get(3).is_none() && !chains.has_common_nodes(),
        "edges"
    );
    let error = by([0.5, 1.0, 0.2]).unwrap_err();
    let source = Box::new(ShockError::NoStationaryVariance { persistence: 1.0 });
    assert_eq!(
        error,
        ShockError::Category {
            category: 1,
            source
        },
        "named"
    );
    assert!(
        std::error::Error::source(&error).is_some(),
        "the cause is kept"
    );
    let error = Conditioned::by_category(2, |k| ar1(0.5, 0.1)?.rouwenhorst(3 + k)).unwrap_err();
    assert_eq!(
        error,
        ShockError::CategoryNodes {
            category: 1,
            found: 4,
            required: 3
        },
        "shape"
    );
    let none = Conditioned::<MarkovChain>::new(Vec::new()).unwrap_err();
    assert_eq!(
        none,
        ShockError::CategoryNodes {
            category: 0,
            found: 0,
            required: 0
        },
        "none"
    );
}

#[test]
fn categories_may_have_common_nodes() {
    // Common nodes with one kernel per category.
    let nodes = [-0.5, 0.0, 0.5];
    let common = Conditioned::by_category(2, |k| {
        let process = ar1(0.8, [0.1, 0.3][k])?;
        MarkovChain::new(nodes.to_vec(), process.kernel(&nodes, &nodes)?)
    });
    assert!(common.unwrap().has_common_nodes(), "common nodes");
    let independent = Conditioned::by_category(2, |k| Normal::new(k as f64, 1.0)?.gauss_hermite(3));
    assert_eq!(
        independent.unwrap().iter().count(),
        2,
        "independent shocks, too"
    );
}

#[test]
fn independent_shocks_as_chains() {
    let shock = Normal::new(1.0, 0.5).unwrap().gauss_hermite(4).unwrap();
    let chain = MarkovChain::independent(&shock).unwrap();
    let moments = chain.stationary_moments().unwrap();
    assert!((moments.mean - 1.0).abs() < 1e-15, "{moments:?}");
    assert!(
        (moments.standard_deviation - 0.5).abs() < 1e-15,
        "{moments:?}"
    );
    assert!(moments.autocorrelation.abs() < 1e-15, "{moments:?}");
    let exponential = chain.map(f64::exp).unwrap();
    assert_eq!(exponential.matrix(), chain.matrix(), "the same transitions");
    assert!(chain.map(|x| -x).is_err(), "a falling map is refused");
    let error = MarkovChain::new(vec![0.0], chain.matrix().clone()).unwrap_err();
    assert!(
        matches!(
            error,
            ShockError::Matrix(MatrixError::Length { name: "nodes", .. })
        ),
        "{error:?}"
    );
}

#[test]
fn values_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Conditioned<MarkovChain>>();
    shared::<Ar1<NormalMixture>>();
    shared::<Discretisation>();
    shared::<ShockError>();
}
