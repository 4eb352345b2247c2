//! The normal law and the Gauss rules against long arithmetic.
#![expect(
    clippy::float_cmp,
    reason = "symmetry and exact values are compared in bits"
)]
#![expect(clippy::unwrap_used, reason = "the reference files are ours")]

use bifrons_shocks::{
    Component, Discretisation, Law, LogNormal, Normal, NormalMixture, ShockError, Uniform,
    gauss_hermite, gauss_legendre, normal_between, normal_cdf, normal_upper,
};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("reference/normal_and_gauss.json")).unwrap()
}

fn floats(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| f64::from_bits(x.as_u64().unwrap()))
        .collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(floats).collect()
}

fn relative(found: f64, exact: f64) -> f64 {
    if found == exact {
        0.0
    } else {
        ((found - exact) / exact).abs()
    }
}

#[test]
fn cdf_and_masses_keep_digits_in_the_tails() {
    let reference = reference();
    let mut worst = [0.0_f64; 2];
    for row in rows(&reference["cdf"]) {
        let [z, exact] = row[..] else {
            panic!("pairs are stored")
        };
        let error = relative(normal_cdf(z), exact) / (1.0 + z * z);
        assert!(error < 4e-16, "cdf of {z}: {error:e}");
        assert_eq!(normal_upper(-z), normal_cdf(z), "mirror of {z}");
        worst[0] = worst[0].max(error);
    }
    for row in rows(&reference["between"]) {
        let [a, b, exact] = row[..] else {
            panic!("triples are stored")
        };
        let found = normal_between(a, b);
        let nearer = if a > 0.0 {
            normal_upper(a)
        } else {
            normal_cdf(b.min(0.0))
        };
        let error = (found - exact).abs() / nearer / (1.0 + a.abs().min(b.abs()).powi(2));
        assert!(
            error < 4e-16,
            "mass of ({a}, {b}): {found:e}, not {exact:e}"
        );
        assert_eq!(normal_between(-b, -a), found, "mirror of ({a}, {b})");
        worst[1] = worst[1].max(error);
    }
    println!(
        "worst, relative to 1 + z²: cdf {:e}, masses {:e}",
        worst[0], worst[1]
    );
    assert_eq!(normal_between(1.0, 1.0), 0.0, "empty");
    assert_eq!(normal_between(2.0, 1.0), 0.0, "reversed");
    assert!(normal_between(f64::NAN, 1.0).is_nan(), "NaN");
    assert!(normal_between(-1.0, f64::NAN).is_nan(), "NaN");
    assert_eq!(normal_between(f64::NEG_INFINITY, f64::INFINITY), 1.0, "all");
}

type Rule = fn(usize) -> Result<Discretisation, ShockError>;

#[test]
fn gauss_rules_agree_with_long_arithmetic() {
    let reference = reference();
    // Stored weights belong to the normal density and to the density ½. The logarithm of a
    // Gauss-Hermite weight changes by z dz, that of a Gauss-Legendre weight by dx/(1 - x²), so
    // the rounding of the node alone costs that many units.
    type Scale = fn(f64) -> f64;
    let rules: [(&str, Rule, Scale); 2] = [
        ("hermite", gauss_hermite, |z| 1.0 + z * z),
        ("legendre", gauss_legendre, |x| 1.0 + 1.0 / (1.0 - x * x)),
    ];
    for (name, rule, scale) in rules {
        for (count, table) in reference[name].as_object().unwrap() {
            let n: usize = count.parse().unwrap();
            let rule = rule(n).unwrap();
            let upper = n - table.as_array().unwrap().len();
            let mut worst = [0.0_f64; 3];
            for (i, row) in (upper..).zip(rows(table)) {
                if row[0].abs() < 1e-30 {
                    assert_eq!(rule.nodes()[i], 0.0, "middle node");
                } else {
                    worst[0] = worst[0].max(relative(rule.nodes()[i], row[0]));
                }
                let error = relative(rule.weights()[i], row[1]);
                worst[1] = worst[1].max(error);
                worst[2] = worst[2].max(error / scale(row[0]));
            }
            println!(
                "{name} {n}: nodes {:e}, weights {:e}, scaled {:e}",
                worst[0], worst[1], worst[2]
            );
            assert!(worst[0] < 5e-16, "{name} {n}: nodes off by {:e}", worst[0]);
            assert!(
                worst[2] < 2e-15,
                "{name} {n}: weights off by {:e}",
                worst[2]
            );
        }
    }
}

#[test]
fn moments_are_exact_to_the_degree() {
    for n in [1_usize, 2, 3, 4, 5, 7, 8, 12, 16, 25] {
        let hermite = gauss_hermite(n).unwrap();
        let legendre = gauss_legendre(n).unwrap();
        let mut normal_moment = 1.0;
        for degree in 0..2 * n {
            let power = i32::try_from(degree).unwrap();
            if degree % 2 == 1 {
                assert!(
                    hermite.expectation(|x| x.powi(power)).abs()
                        < 1e-15 * normal_moment * degree as f64,
                    "odd, {n}, {degree}"
                );
                assert!(
                    legendre.expectation(|x| x.powi(power)).abs() < 1e-16,
                    "odd, {n}, {degree}"
                );
                normal_moment *= degree as f64;
                continue;
            }
            let found = hermite.expectation(|x| x.powi(power));
            assert!(
                relative(found, normal_moment) < 1e-13,
                "normal, {n} nodes, degree {degree}"
            );
            let found = legendre.expectation(|x| x.powi(power));
            let exact = 1.0 / (degree as f64 + 1.0);
            assert!(
                relative(found, exact) < 1e-14,
                "uniform, {n} nodes, degree {degree}"
            );
        }
        // One degree further is wrong: the test would see a rule of a higher degree.
        let power = i32::try_from(2 * n).unwrap();
        let found = hermite.expectation(|x| x.powi(power));
        assert!(
            relative(found, normal_moment) > 1e-9,
            "degree {} cannot be exact",
            2 * n
        );
    }
}

#[test]
fn rules_are_symmetric_to_the_bit_and_sum_to_one() {
    for n in (1..40).chain([64, 101, 370, 700, 1024]) {
        for rule in [gauss_hermite(n).unwrap(), gauss_legendre(n).unwrap()] {
            let sum: f64 = rule.weights().iter().sum();
            assert!((sum - 1.0).abs() < 1e-13, "{n}: {sum}");
            for i in 0..n {
                assert_eq!(rule.nodes()[i], -rule.nodes()[n - 1 - i], "node {i} of {n}");
                assert_eq!(
                    rule.weights()[i],
                    rule.weights()[n - 1 - i],
                    "weight {i} of {n}"
                );
            }
            assert!(
                n % 2 == 0 || rule.nodes()[n / 2].to_bits() == 0,
                "middle of {n} is +0"
            );
        }
    }
    for n in [0, 1025] {
        let error = gauss_hermite(n).unwrap_err();
        assert_eq!(
            error,
            ShockError::NodeCount {
                count: n,
                most: 1024
            },
            "count"
        );
        assert_eq!(gauss_legendre(n).unwrap_err(), error, "count");
    }
}

#[test]
fn equal_probability_nodes_are_conditional_means() {
    for (n, exact) in reference()["equal_probability"].as_object().unwrap() {
        let n: usize = n.parse().unwrap();
        let shock = Normal::new(0.0, 1.0).unwrap().equal_probability(n).unwrap();
        for (found, exact) in shock.nodes().iter().zip(floats(exact)) {
            assert!(
                (found - exact).abs() < 1e-15 * n as f64,
                "{n}: {found}, not {exact}"
            );
        }
        assert!(shock.mean().abs() < 1e-16, "mean {}", shock.mean());
        let ln = LogNormal::new(0.3, 0.8).unwrap();
        let shock = ln.equal_probability(n).unwrap();
        assert!(
            relative(shock.mean(), ln.mean()) < 1e-15 * n as f64,
            "log-normal mean, {n}"
        );
        assert!(
            shock.variance() < ln.standard_deviation().powi(2),
            "spread is inside the cells"
        );
    }
    let uniform = Uniform::new(1.0, 3.0)
        .unwrap()
        .equal_probability(4)
        .unwrap();
    assert_eq!(
        uniform.nodes(),
        [1.25, 1.75, 2.25, 2.75],
        "middles of cells"
    );
}

#[test]
fn mixtures_know_their_quantiles() {
    let reference = reference();
    let parts: Vec<Component> = rows(&reference["mixture"]["components"])
        .iter()
        .map(|row| Component::new(row[0], row[1], row[2]))
        .collect();
    let law = NormalMixture::new(&parts).unwrap();
    for row in rows(&reference["mixture"]["quantiles"]) {
        let found = law.quantile(row[0]);
        assert!(
            (found - row[1]).abs() < 4e-16 * row[1].abs().max(0.2),
            "{row:?}: {found}"
        );
    }
    assert_eq!(law.quantile(0.0), f64::NEG_INFINITY, "no mass below");
    assert_eq!(law.quantile(1.0), f64::INFINITY, "all mass below");
    assert!(
        law.quantile(-0.1).is_nan() && law.quantile(f64::NAN).is_nan(),
        "outside"
    );
    let shock = law.equal_probability(9).unwrap();
    assert!(
        (shock.mean() - law.mean()).abs() < 1e-15,
        "mean of cells: {}",
        shock.mean()
    );
    // One component is the normal law.
    let one = NormalMixture::new(&[Component::new(1.0, 0.5, 2.0)]).unwrap();
    let normal = Normal::new(0.5, 2.0).unwrap();
    for p in [1e-10, 0.2, 0.5, 0.7, 0.999] {
        assert!((one.quantile(p) - normal.quantile(p)).abs() < 1e-14, "{p}");
    }
    assert_eq!(
        one.cdf_midpoint(5, 2.0).unwrap(),
        normal.cdf_midpoint(5, 2.0).unwrap(),
        "same"
    );
}
