//! Designs against closed forms, residuals and slow siblings.
#![expect(clippy::float_cmp, reason = "rules of round numbers are exact")]

use bifrons_blocks::control::{
    ControlError, CriticalPoint, DeadTimeModel, care, dare, discrete_estimator, discrete_lqr,
    estimator, lqr, place, sample_tustin, sample_zoh,
};
use proptest::prelude::*;

fn close(found: f64, expected: f64, bound: f64, what: &str) {
    assert!(
        (found - expected).abs() <= bound,
        "{what}: {found} for {expected}"
    );
}

fn times(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let (rows, columns) = (a.len() / n, b.len() / n);
    (0..rows * columns)
        .map(|k| {
            let (i, j) = (k / columns, k % columns);
            (0..n).map(|l| a[i * n + l] * b[l * columns + j]).sum()
        })
        .collect()
}

fn transposed(a: &[f64], columns: usize) -> Vec<f64> {
    let rows = a.len() / columns;
    (0..a.len())
        .map(|k| a[k % rows * columns + k / rows])
        .collect()
}

#[test]
fn the_double_integrator_has_its_textbook_gain() {
    // Weights diag(q, 0) and r: X = [√2 q^(3/4) r^(1/4), √(q r); √(q r), √2 q^(1/4) r^(3/4)].
    for (q, r) in [(1.0_f64, 1.0_f64), (100.0, 0.01), (1e-4, 50.0)] {
        let design = lqr(
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, 1.0],
            &[q, 0.0, 0.0, 0.0],
            &[r],
            [2, 1],
        );
        let design = design.expect("controllable");
        let natural = (q / r).sqrt().sqrt();
        let bound = 1e-12 * natural.max(1.0).powi(2);
        close(design.gain[0], natural * natural, bound, "position");
        close(design.gain[1], 2.0_f64.sqrt() * natural, bound, "velocity");
    }
}

#[test]
fn scalar_equations_have_their_closed_solution() {
    for (a, b, q, r) in [
        (1.0, 1.0, 1.0, 1.0),
        (-3.0, 0.5, 2.0, 0.1),
        (0.0, 2.0, 1e-3, 4.0),
    ] {
        // 2 a x - x² b²/r + q = 0
        let g: f64 = b * b / r;
        let root: f64 = a * a + q * g;
        let x = (a + root.sqrt()) / g;
        let found = care(&[a], &[b], &[q], &[r], [1, 1]).expect("stabilisable");
        close(found[0], x, 1e-13 * x, "continuous");
        // x = a² x r / (r + b² x) + q, so g x² + (1 - a² - q g) x - q = 0.
        let half: f64 = 1.0 - a * a - q * g;
        let x = ((half * half + 4.0 * g * q).sqrt() - half) / (2.0 * g);
        let found = dare(&[a], &[b], &[q], &[r], [1, 1]).expect("stabilisable");
        close(found[0], x, 1e-13 * x, "discrete");
    }
}

#[test]
fn filters_are_the_dual_of_regulators() {
    let (a, c) = ([0.9, 0.3, -0.2, 0.7], [1.0, 0.5]);
    let (q, r) = ([0.2, 0.05, 0.05, 0.1], [0.3]);
    let at = transposed(&a, 2);
    let found = discrete_estimator(&a, &c, &q, &r, [2, 1]).expect("detectable");
    // Slow sibling: the recursion of the covariance, until it stands still.
    let mut p = q.to_vec();
    for _ in 0..500 {
        let cp = times(&c, &p, 2);
        let s = times(&cp, &c, 2)[0] + r[0];
        let rest: Vec<f64> = (0..4).map(|k| p[k] - cp[k / 2] * cp[k % 2] / s).collect();
        let moved = times(&times(&a, &rest, 2), &at, 2);
        p = moved.iter().zip(&q).map(|(a, b)| a + b).collect();
    }
    for k in 0..4 {
        close(found.covariance[k], p[k], 1e-13, "covariance");
    }
    let cp = times(&c, &p, 2);
    let s = times(&cp, &c, 2)[0] + r[0];
    close(found.gain[0], cp[0] / s, 1e-13, "gain");
    // Random walk in continuous time: P = √(q r), L = √(q / r).
    let walk = estimator(&[0.0], &[1.0], &[4.0], &[9.0], [1, 1]).expect("detectable");
    close(walk.covariance[0], 6.0, 1e-13, "variance of a random walk");
    close(walk.gain[0], 2.0 / 3.0, 1e-14, "gain of a random walk");
}

#[test]
fn what_cannot_be_stabilised_is_refused() {
    // The second state grows and no input reaches it.
    let (a, b) = ([0.5, 0.0, 0.0, 2.0], [1.0, 0.0]);
    let unit = [1.0, 0.0, 0.0, 1.0];
    let refused = |found: Result<Vec<f64>, ControlError>| {
        matches!(found, Err(ControlError::NotStabilisable { .. }))
    };
    assert!(refused(dare(&a, &b, &unit, &[1.0], [2, 1])), "discrete");
    assert!(refused(care(&a, &b, &unit, &[1.0], [2, 1])), "continuous");
    let found = dare(&a, &b, &unit, &[0.0], [2, 1]);
    assert!(
        matches!(found, Err(ControlError::Singular { matrix: "R", .. })),
        "{found:?}"
    );
    let found = dare(&a, &b, &unit, &[1.0], [3, 1]);
    let expected = ControlError::Shape {
        matrix: "A",
        rows: 3,
        columns: 3,
        found: 4,
    };
    assert_eq!(found, Err(expected));
    assert_eq!(dare(&[], &[], &[], &[], [0, 0]), Ok(vec![]), "no states");
}

#[test]
fn poles_are_placed_where_they_should_be() {
    // Chain of three integrators: the gain is the polynomial.
    let a = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let k = place(&a, &[0.0, 0.0, 1.0], &[(-1.0, 2.0), (-3.0, 0.0)]).expect("controllable");
    // (s² + 2 s + 5)(s + 3) = s³ + 5 s² + 11 s + 15
    for (found, expected) in k.iter().zip([15.0, 11.0, 5.0]) {
        close(*found, expected, 1e-13, "gain");
    }
    // Any 2 × 2 system: trace and determinant of A - B K are those of the polynomial.
    let (a, b) = ([1.2, -0.7, 0.4, 0.3], [0.5, 1.0]);
    let k = place(&a, &b, &[(-2.0, 0.0), (-5.0, 0.0)]).expect("controllable");
    let m: Vec<f64> = (0..4).map(|i| a[i] - b[i / 2] * k[i % 2]).collect();
    close(m[0] + m[3], -7.0, 1e-12, "trace");
    close(m[0] * m[3] - m[1] * m[2], 10.0, 1e-12, "determinant");
    let found = place(
        &[1.0, 0.0, 0.0, 2.0],
        &[1.0, 0.0],
        &[(-1.0, 0.0), (-2.0, 0.0)],
    );
    assert!(
        matches!(found, Err(ControlError::Singular { .. })),
        "not controllable: {found:?}"
    );
    let found = place(&a, &b, &[(-1.0, 0.0)]);
    assert!(
        matches!(
            found,
            Err(ControlError::Shape {
                matrix: "poles",
                ..
            })
        ),
        "{found:?}"
    );
}

#[test]
fn tustin_maps_the_frequency_axis() {
    // H(s) = 2 + 3/(s + 4) with h = 0.1; H_d(z) = H((2/h)(z - 1)/(z + 1)).
    let h = 0.1;
    let sampled = sample_tustin([&[-4.0], &[1.0], &[3.0], &[2.0]], [1, 1, 1], h).expect("regular");
    for z in [-0.9_f64, 0.3, 1.0, 5.0] {
        let s = 2.0 / h * (z - 1.0) / (z + 1.0);
        let found = sampled.d[0] + sampled.c[0] * sampled.b[0] / (z - sampled.a[0]);
        close(found, 2.0 + 3.0 / (s + 4.0), 1e-12, "transfer function");
    }
    let exact = sample_zoh([&[-4.0], &[1.0], &[3.0], &[2.0]], [1, 1, 1], h).expect("regular");
    close(exact.a[0], (-0.4_f64).exp(), 1e-15, "decay");
    close(exact.b[0], (1.0 - (-0.4_f64).exp()) / 4.0, 1e-16, "input");
    let found = sample_tustin([&[20.0], &[1.0], &[1.0], &[0.0]], [1, 1, 1], h);
    assert!(
        matches!(found, Err(ControlError::Singular { .. })),
        "pole at 2/h"
    );
}

#[test]
fn tuning_rules_have_their_published_numbers() {
    let model = DeadTimeModel::new(2.0, 10.0, 1.0).expect("valid");
    let [p, pi, pid] = model.ziegler_nichols();
    assert_eq!([p.kp, pi.kp, pid.kp], [5.0, 4.5, 6.0]);
    assert_eq!([pid.ti, pid.td], [2.0, 0.5]);
    close(pi.ti, 10.0 / 3.0, 1e-15, "integral time");
    let [_, pi, pid] = model.cohen_coon();
    close(pi.kp, 5.0 * (0.9 + 0.1 / 12.0), 1e-14, "Cohen-Coon PI");
    close(pi.ti, 30.3 / 11.0, 1e-14, "Cohen-Coon ti");
    close(pid.kp, 5.0 * (4.0 / 3.0 + 0.025), 1e-14, "Cohen-Coon PID");
    close(pid.ti, 32.6 / 13.8, 1e-14, "Cohen-Coon ti");
    close(pid.td, 4.0 / 11.2, 1e-14, "Cohen-Coon td");
    let simc = model.simc(1.0).expect("valid");
    assert_eq!([simc.kp, simc.ti, simc.td], [2.5, 8.0, 0.0]);
    let second = model.simc_second_order(2.0, 1.0).expect("valid");
    // Series 2.5, 8, 2 is the standard form 3.125, 10, 1.6.
    for (found, expected) in second.gains().iter().zip([3.125, 0.3125, 5.0]) {
        close(*found, expected, 1e-14, "SIMC with a second time constant");
    }
    let [pi, pid] = model.amigo();
    close(
        pi.kp,
        (0.15 + (0.35 - 10.0 / 121.0) * 10.0) / 2.0,
        1e-14,
        "AMIGO PI",
    );
    close(pi.ti, 0.35 + 1300.0 / 227.0, 1e-14, "AMIGO ti");
    close(pid.kp, 2.35, 1e-14, "AMIGO PID");
    close(pid.ti, 8.4 / 2.0, 1e-14, "AMIGO ti");
    close(pid.td, 5.0 / 10.3, 1e-14, "AMIGO td");
    let [p, pi, pid] = CriticalPoint::new(4.0, 2.4)
        .expect("valid")
        .ziegler_nichols();
    assert_eq!(
        [p.kp, pi.kp, pi.ti, pid.kp, pid.ti],
        [2.0, 1.8, 2.0, 2.4, 1.2]
    );
    let [pi, _] = CriticalPoint::new(3.2, 2.0).expect("valid").tyreus_luyben();
    assert_eq!([pi.kp, pi.ti], [1.0, 4.4]);
    let found = DeadTimeModel::new(0.0, 1.0, 1.0);
    assert!(
        matches!(
            found,
            Err(ControlError::Value {
                setting: "gain",
                ..
            })
        ),
        "{found:?}"
    );
    assert!(model.simc(-1.0).is_err(), "negative time constant");
}

/// The value iteration of the finite horizon, a slow sibling of doubling.
fn iterated(a: &[f64], b: &[f64], q: &[f64], n: usize) -> Vec<f64> {
    let mut x = q.to_vec();
    // ‖A‖ <= 0.945: what is left after 400 steps is below 0.945^800 < 1e-19.
    for _ in 0..400 {
        // One input, R = 1.
        let bx: Vec<f64> = times(&transposed(b, 1), &x, n);
        let s = 1.0 + bx.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gain = times(&bx, a, n);
        let moved = times(&times(&transposed(a, n), &x, n), a, n);
        x = (0..n * n)
            .map(|k| q[k] + moved[k] - gain[k / n] * gain[k % n] / s)
            .collect();
    }
    x
}

proptest! {
    #[test]
    fn doubling_agrees_with_value_iteration(
        a in prop::collection::vec(-0.45_f64..0.45, 9),
        b in prop::collection::vec(-1.0_f64..1.0, 3),
        root in prop::collection::vec(-1.0_f64..1.0, 9),
    ) {
        // Row sums of A stay below 1.35; Q = I + root rootᵀ: detectable, and mostly stabilisable.
        let mut q = times(&root, &transposed(&root, 3), 3);
        (0..3).for_each(|i| q[4 * i] += 1.0);
        let shrunk: Vec<f64> = a.iter().map(|v| v * 0.7).collect();
        let found = dare(&shrunk, &b, &q, &[1.0], [3, 1]).expect("stable");
        let slow = iterated(&shrunk, &b, &q, 3);
        // Both round some tens of times per step, and the map contracts: 1e-11 leaves a hundredfold.
        let size = slow.iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        for k in 0..9 {
            prop_assert!((found[k] - slow[k]).abs() <= 1e-11 * size, "{:?} {:?}", found, slow);
        }
    }

    #[test]
    fn continuous_solutions_satisfy_their_equation(
        a in prop::collection::vec(-2.0_f64..2.0, 9),
        root in prop::collection::vec(-1.0_f64..1.0, 9),
    ) {
        // B = I: controllable with any A. Q = I + root rootᵀ.
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut q = times(&root, &transposed(&root, 3), 3);
        (0..3).for_each(|i| q[4 * i] += 1.0);
        let design = lqr(&a, &unit, &q, &unit, [3, 3]).expect("controllable");
        let x = &design.cost;
        let xa = times(x, &a, 3);
        let square = times(x, x, 3);
        let size = 1.0 + square.iter().chain(&q).fold(0.0_f64, |most, v| most.max(v.abs()));
        for i in 0..3 {
            for j in 0..3 {
                let k = 3 * i + j;
                let residual = xa[k] + xa[3 * j + i] - square[k] + q[k];
                prop_assert!(residual.abs() <= 1e-9 * size, "{} of {}", residual, size);
                prop_assert!((x[k] - x[3 * j + i]).abs() <= 1e-14 * size, "symmetric");
            }
        }
        // A - X is stable: its symmetric part against X is -(Q + X²)/2, negative definite.
        prop_assert!(x[0] > 0.0 && x[0] * x[4] - x[1] * x[3] > 0.0, "positive definite");
    }

    #[test]
    fn discrete_regulators_do_not_cost_more_than_others(
        a in prop::collection::vec(-1.2_f64..1.2, 4),
        x0 in prop::array::uniform2(-1.0_f64..1.0),
        change in prop::array::uniform2(-0.2_f64..0.2),
    ) {
        let (b, unit) = ([0.3, 1.0], [1.0, 0.0, 0.0, 1.0]);
        let Ok(design) = discrete_lqr(&a, &b, &unit, &[1.0], [2, 1]) else {
            return Ok(());
        };
        let cost = |gain: [f64; 2]| {
            let (mut x, mut sum) = (x0, 0.0);
            for _ in 0..2000 {
                let u = -(gain[0] * x[0] + gain[1] * x[1]);
                sum += x[0] * x[0] + x[1] * x[1] + u * u;
                x = [a[0] * x[0] + a[1] * x[1] + b[0] * u, a[2] * x[0] + a[3] * x[1] + b[1] * u];
                if sum > 1e6 { break; }
            }
            sum
        };
        let best = [design.gain[0], design.gain[1]];
        let other = [best[0] + change[0], best[1] + change[1]];
        let found = cost(best);
        prop_assume!(found < 1e5);
        prop_assert!(found <= cost(other) * (1.0 + 1e-9), "{} {}", found, cost(other));
    }
}
