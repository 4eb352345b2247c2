//! Certainty equivalents and the scale of recursive utility, against known means and plain sums.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_egm::{CesScale, EgmError, PowerCertainty, Utility};
use proptest::prelude::*;

/// Certainty equivalent and its derivative on the plain scale: `ψ` so large that `θ` is 1.
fn certain(gamma: f64, terms: &[(f64, f64, f64)]) -> (f64, f64) {
    let mut own = PowerCertainty::new();
    own.reset(1, gamma);
    for &(weight, value, slope) in terms {
        own.add(weight, &[value], &[slope]).expect("a weight");
    }
    let scale = CesScale::new(f64::MAX).expect("positive");
    let (mut value, mut marginal) = ([0.0], [0.0]);
    own.finish_into(&scale, &mut value, &mut marginal)
        .expect("one node");
    (value[0], marginal[0])
}

#[test]
fn certainty_equivalents_have_their_known_values() {
    let terms = [(0.2, 1.0, 0.0), (0.5, 2.0, 0.0), (0.3, 4.0, 0.0)];
    for (power, mean) in [
        (1.0, 2.4),
        (0.0, 2.143_546_925_072_586_3),
        (-1.0, 1.904_761_904_761_904_8),
        (-9.0, 1.195_165_402_037_886_3),
        (-49.0, 1.033_391_045_432_878),
        (-500.0, 1.003_224_061_968_681),
    ] {
        // Every order passes through other anchors.
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]] {
            for shift in [1.0, 2.0_f64.powi(-600), 2.0_f64.powi(600)] {
                let own = order.map(|i| (terms[i].0, terms[i].1 * shift, 0.0));
                let (found, _) = certain(1.0 - power, &own);
                // The logarithm of the anchor, up to 416, is rounded.
                let bound = 1e-15 * (1.0 + shift.ln().abs());
                assert!(
                    (found / (mean * shift) - 1.0).abs() <= bound,
                    "{power} {order:?}: {found} {mean}"
                );
            }
        }
    }
}

#[test]
fn zeros_and_impossible_values() {
    let both = |gamma: f64| certain(gamma, &[(0.5, 0.0, 0.0), (0.5, 2.0, 1.0)]);
    assert!(both(3.0).0.abs() < 1e-300 && both(1.0).0.abs() < 1e-300);
    assert!((both(0.5).0 - 0.5).abs() < 1e-15 && (both(0.5).1 - 0.25).abs() < 1e-15);
    let zeros = [(0.5, 0.0, 0.0), (0.5, 0.0, 0.0)];
    assert!(certain(0.5, &zeros).0.abs() < 1e-300 && certain(4.0, &zeros).0.abs() < 1e-300);
    assert!(
        certain(2.0, &[(0.5, -1.0, 0.0), (0.5, 1.0, 0.0)])
            .0
            .is_nan()
    );
    let never = certain(2.0, &[(0.0, f64::NAN, f64::NAN), (1.0, 3.0, 1.0)]);
    assert!((never.0 - 3.0).abs() < 1e-15 && (never.1 - 1.0).abs() < 1e-15);
    let mut own = PowerCertainty::new();
    own.reset(1, 2.0);
    let wrong = own.add(-0.5, &[1.0], &[1.0]);
    assert!(matches!(wrong, Err(EgmError::Parameter { value, .. }) if value < 0.0));
    let wrong = CesScale::new(0.0);
    assert!(matches!(wrong, Err(EgmError::Parameter { value, .. }) if value == 0.0));
    let scale = CesScale::new(2.0).expect("positive");
    for (discount, flow) in [
        (1.0, (1.0, 1.0)),
        (0.9, (0.0, 1.0)),
        (0.9, (1.0, -1.0)),
        (0.9, (1.0, 2.0)),
    ] {
        let wrong = scale.utility(discount, flow);
        assert!(matches!(wrong, Err(EgmError::Parameter { .. })), "{flow:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn they_are_the_plain_sums(
        gamma in prop_oneof![0.1..0.95, 1.05..12.0_f64],
        terms in prop::collection::vec((0.01..1.0_f64, 1e-3..1e3_f64, 0.1..10.0_f64), 1..8),
    ) {
        let total: f64 = terms.iter().map(|own| own.0).sum();
        let terms: Vec<_> = terms.iter().map(|&(w, v, m)| (w / total, v, m)).collect();
        let (value, marginal) = certain(gamma, &terms);
        let power = 1.0 - gamma;
        let sum: f64 = terms.iter().map(|(w, v, _)| w * v.powf(power)).sum();
        let plain = sum.powf(1.0 / power);
        let slopes: f64 = terms.iter().map(|(w, v, m)| w * v.powf(-gamma) * m).sum();
        // Exponents are at most (1 + γ) · 14 with errors of a few units each; weights, sums and
        // powers add as many roundings as there are terms, all divided by 1 - γ in the mean.
        let units = 8.0 * 14.0 * (1.0 + gamma) + 4.0 * (terms.len() as f64 + 8.0);
        let bound = f64::EPSILON * units * (1.0 + (1.0 + gamma) / power.abs());
        prop_assert!((value / plain - 1.0).abs() <= bound, "{value} {plain}");
        let slope = plain.powf(gamma) * slopes;
        prop_assert!((marginal / slope - 1.0).abs() <= bound, "{marginal} {slope}");
    }

    #[test]
    fn the_scale_goes_there_and_back(
        psi in prop_oneof![0.1..0.9, 0.9..1.1, 1.1..8.0_f64],
        value in 1e-3..1e3_f64,
        discount in 0.1..0.99_f64,
        flow in (0.2..4.0_f64, 0.2..1.0_f64),
    ) {
        let scale = CesScale::new(psi).expect("positive");
        let theta = 1.0 - 1.0 / psi;
        // θ ln V is at most 9 · 7 with a relative error of two units; on the way back errors are
        // divided by θ, which is not below 0.1 where the scale has no constant.
        let bound = f64::EPSILON * 8.0 * (8.0 + 63.0 / theta.abs().max(0.1));
        let back = scale.value(scale.transform(value));
        prop_assert!((back / value - 1.0).abs() <= bound, "{back} {value}");
        // The utility is (1 - β) times the scale at the flow.
        let own = scale.utility(discount, flow).expect("a flow");
        let q = flow.0 * value.powf(flow.1);
        let expected = (1.0 - discount) * scale.transform(q);
        let level = expected.abs() + 1.0;
        prop_assert!((own.value(value) - expected).abs() <= 1e3 * f64::EPSILON * level);
        let slope = (1.0 - discount) * scale.slope(q) * q * flow.1 / value;
        prop_assert!((own.marginal(value) / slope - 1.0).abs() <= 1e3 * f64::EPSILON);
    }
}
