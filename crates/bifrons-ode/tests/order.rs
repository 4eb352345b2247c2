//! Measured orders of the methods and of their dense outputs.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{Method, Options, Save, Tolerance, closure, solve};

const RATE: f64 = 2.0;
const SPAN: f64 = 4.0;

/// Errors at the end and in the middle of steps for `n` equal steps on `y₁' = r y₁ cos t` beside a
/// circle whose radius and angle follow from `y₁`, so that every tree of the order conditions
/// counts.
fn errors(method: Method, n: u32) -> (f64, f64) {
    let step = SPAN / f64::from(n);
    let mut options =
        Options::with_tolerance(Tolerance::new(0.0, 1e30).expect("accepts every step"));
    options.initial_step = Some(step);
    options.max_step = Some(step);
    options.method = match method {
        Method::Rk4 { .. } => Method::Rk4 { step },
        other => other,
    };
    let mut problem = closure(3, |t: f64, y: &[f64], dy: &mut [f64]| {
        dy[0] = RATE * y[0] * t.cos();
        // A rotation by the angle log y₁ = r sin t.
        dy[1] = -y[2] * dy[0] / y[0];
        dy[2] = y[1] * dy[0] / y[0];
    });
    let solution = solve(
        &mut problem,
        0.0,
        &[1.0, 1.0, 0.0],
        SPAN,
        &Save::Dense,
        &options,
    )
    .expect("smooth problem");
    assert_eq!(solution.statistics.accepted, u64::from(n), "fixed steps");
    let distance = |t: f64, y: &[f64]| {
        let angle = RATE * t.sin();
        let exact = [angle.exp(), angle.cos(), angle.sin()];
        (0..3).map(|i| (y[i] - exact[i]).abs()).fold(0.0, f64::max)
    };
    let dense = solution.dense.expect("asked for");
    let worst = (0..10 * n)
        .map(|i| (f64::from(i) + 0.37) * step / 10.0)
        .map(|t| distance(t, &dense.evaluate(t).expect("inside")))
        .fold(0.0, f64::max);
    (distance(SPAN, &solution.last_state), worst)
}

/// Slope of the least-squares line through `(log n, -log error)`.
fn slope(points: &[(u32, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|&(n, error)| (f64::from(n).ln(), -error.ln()))
        .collect();
    let count = logs.len() as f64;
    let (mx, my) = (
        logs.iter().map(|p| p.0).sum::<f64>() / count,
        logs.iter().map(|p| p.1).sum::<f64>() / count,
    );
    let covariance: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let variance: f64 = logs.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum();
    covariance / variance
}

#[test]
fn orders_at_steps_and_in_between() {
    // An interpolant of degree d errs by O(h^(d + 1)) within a step, and by the method's own error.
    let rk4 = Method::Rk4 { step: 1.0 };
    let cases: [(Method, [u32; 5], f64, f64); 5] = [
        (rk4, [80, 160, 320, 640, 1280], 4.0, 4.0),
        (Method::Bs32, [80, 160, 320, 640, 1280], 3.0, 3.0),
        (Method::Dopri5, [80, 120, 160, 240, 320], 5.0, 5.0),
        (Method::Tsit5, [80, 120, 160, 240, 320], 5.0, 5.0),
        (Method::Dop853, [32, 40, 50, 64, 80], 8.0, 8.0),
    ];
    for (method, counts, at_steps, between) in cases {
        let found: Vec<_> = counts.iter().map(|&n| (n, errors(method, n))).collect();
        let ends: Vec<_> = found.iter().map(|&(n, e)| (n, e.0)).collect();
        let dense: Vec<_> = found.iter().map(|&(n, e)| (n, e.1)).collect();
        let (end, inside) = (slope(&ends), slope(&dense));
        assert!(
            (end - at_steps).abs() < 0.2,
            "{method:?}: order {end} at steps, {ends:?}"
        );
        assert!(
            (inside - between).abs() < 0.2,
            "{method:?}: order {inside} in between, {dense:?}"
        );
    }
}
