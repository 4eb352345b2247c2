//! Measured order of the method and of its dense output.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{Options, Save, Tolerance, closure, solve};

/// Errors at the end and in the middle of steps for `n` equal steps on `y' = y cos t`.
fn errors(n: u32) -> (f64, f64) {
    let step = 10.0 / f64::from(n);
    let mut options =
        Options::with_tolerance(Tolerance::new(0.0, 1e30).expect("accepts every step"));
    options.initial_step = Some(step);
    options.max_step = Some(step);
    let mut problem = closure(1, |t: f64, y, dy: &mut [f64]| dy[0] = y[0] * t.cos());
    let solution =
        solve(&mut problem, 0.0, &[1.0], 10.0, &Save::Dense, &options).expect("smooth problem");
    assert_eq!(solution.statistics.accepted, u64::from(n), "fixed steps");
    let exact = |t: f64| t.sin().exp();
    let dense = solution.dense.expect("asked for");
    let worst = (0..10 * n)
        .map(|i| (f64::from(i) + 0.37) * step / 10.0)
        .map(|t| (dense.evaluate(t).expect("inside")[0] - exact(t)).abs())
        .fold(0.0, f64::max);
    ((solution.last_state[0] - exact(10.0)).abs(), worst)
}

#[test]
fn order_five_at_steps_and_local_order_five_in_between() {
    // Finer steps meet round-off. A polynomial of degree 4 errs by O(h^5) within a step.
    let refinements: Vec<(f64, f64)> = [80, 160, 320, 640].map(errors).into();
    let slope =
        |pick: fn(&(f64, f64)) -> f64| (pick(&refinements[0]) / pick(&refinements[3])).log2() / 3.0;
    let (end, dense) = (slope(|e| e.0), slope(|e| e.1));
    assert!(
        (end - 5.0).abs() < 0.2,
        "order at steps {end}, errors {refinements:?}"
    );
    assert!(
        (dense - 5.0).abs() < 0.2,
        "order in between {dense}, errors {refinements:?}"
    );
}
