//! Markov chains: degenerate processes (case dp-10), rows (case dp-09), long runs.
#![expect(
    clippy::float_cmp,
    reason = "symmetry and exact values are compared in bits"
)]

use bifrons_shocks::{
    Ar1, Component, Conditioned, Discretisation, Law, LogNormal, MarkovChain, MatrixError, Normal,
    NormalMixture, ShockError, TransitionMatrix, Uniform,
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
fn dp_10_tauchen_and_rouwenhorst_with_three_nodes() {
    let tauchen = ar1(0.9, 0.1).unwrap().tauchen(3, 3.0).unwrap();
    let reach = 0.688_247_201_611_685_3;
    assert!(
        close(tauchen.nodes(), &[-reach, 0.0, reach], 1e-15),
        "A grid: {tauchen:?}"
    );
    let exact = [
        0.997_047_304_233_703_4,
        0.002_952_695_766_296_624_2,
        2.831_864_936_040_53e-22,
        0.000_289_531_608_609_638_7,
        0.999_420_936_782_780_8,
        0.000_289_531_608_609_638_7,
        2.831_864_936_040_53e-22,
        0.002_952_695_766_296_624_2,
        0.997_047_304_233_703_4,
    ];
    assert!(
        close(tauchen.matrix().probabilities(), &exact, 1e-15),
        "A: {tauchen:?}"
    );

    let chain = ar1(0.9, 0.1).unwrap().rouwenhorst(3).unwrap();
    let reach = 0.324_442_842_261_525_1;
    assert!(
        close(chain.nodes(), &[-reach, 0.0, reach], 1e-15),
        "B grid: {chain:?}"
    );
    let exact = [
        0.9025, 0.095, 0.0025, 0.0475, 0.905, 0.0475, 0.0025, 0.095, 0.9025,
    ];
    assert!(
        close(chain.matrix().probabilities(), &exact, 1e-15),
        "B: {chain:?}"
    );

    // H: a negative persistence is a process like any other.
    let chain = ar1(-0.5, 0.1).unwrap().rouwenhorst(3).unwrap();
    assert_eq!(chain.row(0)[0], 0.0625, "H");
}

#[test]
fn dp_10_degenerate_parameters() {
    // C: one node is the stationary mean, with certainty.
    let process = ar1(0.9, 0.1).unwrap().with_intercept(0.05).unwrap();
    for chain in [
        process.tauchen(1, 3.0),
        process.rouwenhorst(1),
        process.tauchen_gauss_hermite(1),
    ] {
        let chain = chain.unwrap();
        assert_eq!(
            chain.nodes(),
            [process.stationary_mean().unwrap()],
            "C grid"
        );
        assert_eq!(chain.matrix().probabilities(), [1.0], "C");
    }
    // D: a unit root has no stationary variance; nodes of one's own are possible.
    for persistence in [1.0, -1.0] {
        let walk = ar1(persistence, 0.1).unwrap();
        let expected = ShockError::NoStationaryVariance { persistence };
        assert_eq!(walk.tauchen(3, 3.0).unwrap_err(), expected, "D Tauchen");
        assert_eq!(walk.rouwenhorst(3).unwrap_err(), expected, "D Rouwenhorst");
        assert_eq!(
            walk.rouwenhorst(1).unwrap_err(),
            expected,
            "D with one node"
        );
        assert_eq!(
            walk.tauchen_gauss_hermite(3).unwrap_err(),
            expected,
            "D Gauss-Hermite"
        );
        assert_eq!(walk.stationary_sd().unwrap_err(), expected, "D spread");
        let kernel = walk.kernel(&[-1.0, 0.0, 1.0], &[-1.0, 0.0, 1.0]).unwrap();
        assert!(
            (kernel.row(1)[1] - 1.0).abs() < 1e-6,
            "D on given nodes: {kernel:?}"
        );
    }
    for value in [1.0 + 1e-15, -2.0, f64::NAN, f64::INFINITY] {
        let error = ar1(value, 0.1).unwrap_err();
        assert!(
            matches!(error, ShockError::Persistence { value: v } if v.to_bits() == value.to_bits()),
            "{error:?}"
        );
    }
    // E: no spread, several nodes: refused where the process is made.
    for sd in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        assert!(
            matches!(ar1(0.9, sd).unwrap_err(), ShockError::Spread { .. }),
            "E: {sd}"
        );
    }
    // G: no nodes.
    for result in [
        process.tauchen(0, 3.0),
        process.rouwenhorst(0),
        process.tauchen_gauss_hermite(0),
    ] {
        assert!(
            matches!(result.unwrap_err(), ShockError::NodeCount { count: 0, .. }),
            "G"
        );
    }
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = process.tauchen(3, width).unwrap_err();
        assert!(
            matches!(error, ShockError::Spread { name: "width", .. }),
            "{error:?}"
        );
    }
    let error = ar1(0.5, 1e-20)
        .unwrap()
        .with_intercept(1.0)
        .unwrap()
        .tauchen(3, 2.0)
        .unwrap_err();
    assert!(
        matches!(error, ShockError::Nodes { index: 1, .. }),
        "coinciding nodes: {error:?}"
    );
    let error = ar1(0.5, 0.1).unwrap().with_intercept(f64::NAN).unwrap_err();
    assert!(
        matches!(
            error,
            ShockError::NotFinite {
                name: "intercept",
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn dp_10_many_nodes_and_strong_persistence() {
    let chain = ar1(0.99, 0.1).unwrap().rouwenhorst(21).unwrap();
    let p = |i: usize, j: usize| chain.row(i)[j];
    assert!(
        (p(0, 0) / 0.904_610_480_274_617_7 - 1.0).abs() < 1e-12,
        "F first: {}",
        p(0, 0)
    );
    assert!(
        (p(20, 0) / 9.536_743_164_062_5e-47 - 1.0).abs() < 1e-9,
        "F corner: {:e}",
        p(20, 0)
    );
    for i in 0..21 {
        let sum: f64 = chain.row(i).iter().sum();
        assert!((sum - 1.0).abs() < 1e-13, "F row {i}: {sum}");
        for j in 0..21 {
            assert_eq!(p(i, j), p(20 - i, 20 - j), "F mirror of ({i}, {j})");
        }
    }
}

#[test]
fn dp_10_log_normal_with_hardly_any_spread() {
    for sigma in [1e-8, 1e-3, 0.5, 3.0] {
        let shock = LogNormal::mean_one(sigma)
            .unwrap()
            .equal_probability(7)
            .unwrap();
        assert_eq!(shock.node_count(), 7, "I: {sigma}");
        assert!(
            (shock.mean() - 1.0).abs() < 1e-14,
            "I: {sigma}: mean {}",
            shock.mean()
        );
    }
    // A law without spread has one node.
    let law = LogNormal::mean_one(0.0).unwrap();
    for shock in [
        law.equal_probability(7),
        law.gauss_hermite(7),
        law.cdf_midpoint(7, 3.0),
    ] {
        let shock = shock.unwrap();
        assert_eq!(
            (shock.nodes(), shock.weights()),
            (&[1.0][..], &[1.0][..]),
            "I constant"
        );
    }
    let constant = Normal::new(2.0, 0.0).unwrap();
    assert_eq!(
        constant.gauss_hermite(5).unwrap(),
        Discretisation::constant(2.0).unwrap(),
        "normal"
    );
    assert!(
        constant.cdf(2.0) == 1.0 && constant.cdf(1.9) == 0.0,
        "steps at the constant"
    );
    let point = Uniform::new(3.0, 3.0).unwrap();
    assert_eq!(point.equal_spacing(4).unwrap().nodes(), [3.0], "uniform");
    assert!(
        point.cdf(3.0) == 1.0 && point.upper(3.0) == 0.0,
        "steps at the constant"
    );
}

#[test]
fn dp_09_rows() {
    let table = |rows: &[&[f64]]| TransitionMatrix::from_rows(rows);
    // A: the row and its sum are named.
    let error = table(&[&[0.1, 0.9, 0.0], &[0.45, 0.9, 0.45], &[0.475, 0.475, 0.05]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { row: 1, sum, .. } if (sum - 1.8).abs() < 1e-12),
        "A: {error:?}"
    );
    assert!(
        error.to_string().starts_with("row 1 must sum to 1 within"),
        "A: {error}"
    );
    // B, H: mass is missing.
    let error = table(&[&[0.3, 0.7 - 1e-9, 0.0]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { row: 0, .. }),
        "B: {error:?}"
    );
    let error = table(&[&[0.5, 0.4]]).unwrap_err();
    assert!(
        matches!(error, MatrixError::RowSum { sum: 0.9, .. }),
        "H: {error:?}"
    );
    // C, E: zeros and rounding are fine.
    assert!(table(&[&[0.0, 1.0]]).is_ok(), "C");
    let kept = table(&[&[0.5, 0.5 + 2e-16]]).unwrap();
    assert_eq!(kept.row(0), [0.5, 0.5 + 2e-16], "E: used as given");
    // F, G: negative and NaN, also negative zero (which is zero).
    let error = table(&[&[1.0, 0.0], &[-1e-17, 1.0]]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Probability {
            row: 1,
            column: 0,
            value: -1e-17
        },
        "F"
    );
    let error = table(&[&[1.0, f64::NAN]]).unwrap_err();
    assert!(
        matches!(
            error,
            MatrixError::Probability {
                row: 0,
                column: 1,
                ..
            }
        ),
        "G: {error:?}"
    );
    assert!(table(&[&[-0.0, 1.0]]).is_ok(), "minus zero is zero");
    // I: shapes.
    let error = table(&[&[0.2, 0.3, 0.25, 0.25], &[0.5, 0.25, 0.25]]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::RowLength {
            row: 1,
            found: 3,
            required: 4
        },
        "I"
    );
    let error = TransitionMatrix::new(2, 2, vec![1.0; 3]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Shape {
            rows: 2,
            columns: 2,
            found: 3
        },
        "shape"
    );
    assert_eq!(
        table(&[]).unwrap_err(),
        MatrixError::Empty {
            rows: 0,
            columns: 0
        },
        "empty"
    );
}

#[test]
fn sampling_from_rows_never_meets_an_impossible_state() {
    // Inverse-cdf sampling of validated rows, at the extreme uniform numbers.
    let (bottom, top) = (
        bifrons_random::uniform(0),
        bifrons_random::uniform(u64::MAX),
    );
    let chain = ar1(0.97, 0.05).unwrap().tauchen(9, 3.0).unwrap();
    for row in chain.matrix().rows() {
        let law = bifrons_random::Categorical::new(row).unwrap();
        for u in [bottom, 0.3, 0.5, top] {
            assert!(row[law.pick(u)] > 0.0, "{row:?} at {u}");
        }
    }
}

#[test]
fn long_runs_of_reducible_chains() {
    let table = |rows: &[&[f64]]| TransitionMatrix::from_rows(rows).unwrap();
    // Transient states have no mass.
    let ends = table(&[&[0.5, 0.5, 0.0], &[0.0, 0.2, 0.8], &[0.0, 0.6, 0.4]]);
    assert!(
        close(
            &ends.stationary().unwrap(),
            &[0.0, 3.0 / 7.0, 4.0 / 7.0],
            1e-15
        ),
        "transient"
    );
    let absorbing = table(&[&[0.9, 0.1], &[0.0, 1.0]]);
    assert_eq!(absorbing.stationary().unwrap(), [0.0, 1.0], "death");
    // A period is no obstacle.
    let swap = table(&[&[0.0, 1.0], &[1.0, 0.0]]);
    assert_eq!(swap.stationary().unwrap(), [0.5, 0.5], "periodic");
    // Two sets that are never left.
    let error = table(&[&[1.0, 0.0], &[0.0, 1.0]]).stationary().unwrap_err();
    assert_eq!(
        error,
        MatrixError::SeveralClasses {
            first: 0,
            second: 1
        },
        "identity"
    );
    let fork = table(&[&[0.2, 0.4, 0.4], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
    assert!(
        matches!(fork.stationary(), Err(MatrixError::SeveralClasses { .. })),
        "fork"
    );
    // A kernel whose moves underflow to zero is the identity.
    let frozen = ar1(0.999_999, 1e-6).unwrap().tauchen(3, 3.0).unwrap();
    assert!(
        matches!(frozen.stationary(), Err(MatrixError::SeveralClasses { .. })),
        "{frozen:?}"
    );
    // Rare moves that are not zero keep their ratio.
    let rare = table(&[&[1.0, 1e-200], &[3e-200, 1.0]]);
    assert!(
        close(&rare.stationary().unwrap(), &[0.75, 0.25], 1e-15),
        "rare"
    );
    let rarer = table(&[&[1.0, 5e-324], &[1e-323, 1.0]])
        .stationary()
        .unwrap_err();
    assert_eq!(rarer, MatrixError::Underflow { state: 1 }, "subnormal");
    let wide = TransitionMatrix::new(1, 2, vec![0.5, 0.5]).unwrap();
    assert_eq!(
        wide.stationary().unwrap_err(),
        MatrixError::NotSquare {
            rows: 1,
            columns: 2
        },
        "wide"
    );
}

#[test]
fn products_steps_and_expectations() {
    let a = TransitionMatrix::from_rows(&[[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]).unwrap();
    let b = TransitionMatrix::from_rows(&[[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).unwrap();
    let both = a.then(&b).unwrap();
    assert_eq!(both.probabilities(), [0.75, 0.25, 0.125, 0.875], "product");
    let mut out = [f64::NAN; 2];
    a.expect_into(&[1.0, 3.0, 5.0], &mut out).unwrap();
    assert_eq!(out, [2.0, 4.5], "expectations");
    a.expect_into(&[f64::NEG_INFINITY, 3.0, 5.0], &mut out)
        .unwrap();
    assert_eq!(
        out,
        [f64::NEG_INFINITY, 4.5],
        "an impossible infinity does no harm"
    );
    let mut next = [f64::NAN; 3];
    a.step_into(&[0.5, 0.5], &mut next).unwrap();
    assert_eq!(next, [0.25, 0.375, 0.375], "distribution");
    let error = a.then(&a).unwrap_err();
    assert!(
        matches!(
            error,
            MatrixError::Length {
                found: 2,
                required: 3,
                ..
            }
        ),
        "{error:?}"
    );
    let error = a.step_into(&[1.0], &mut next).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Length {
            name: "distribution",
            found: 1,
            required: 2
        },
        "short"
    );
    let error = a.expect_into(&[1.0; 3], &mut [0.0; 3]).unwrap_err();
    assert_eq!(
        error,
        MatrixError::Length {
            name: "out",
            found: 3,
            required: 2
        },
        "out"
    );
    assert_eq!(
        TransitionMatrix::footprint(100, 50).persistent_bytes(),
        40_000,
        "footprint"
    );
    assert_eq!(
        MarkovChain::footprint(10).persistent_bytes(),
        880,
        "footprint"
    );
    assert_eq!(
        Discretisation::footprint(10).persistent_bytes(),
        160,
        "footprint"
    );
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
