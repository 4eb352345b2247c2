//! Processes and laws at the edge of their parameters (case dp-10).
#![expect(clippy::float_cmp, reason = "exact values are compared in bits")]

use bifrons_shocks::{Ar1, Discretisation, Law, LogNormal, Normal, ShockError, Uniform};

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
fn dp_10_one_node() {
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
}

#[test]
fn dp_10_unit_roots() {
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
}

#[test]
fn dp_10_no_spread_and_no_nodes() {
    let process = ar1(0.9, 0.1).unwrap();
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
