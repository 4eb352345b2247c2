//! Newton's method: known roots, damping, the noise floor, reports.

use bifrons_algebra::{
    Contraction, FactorError, Newton, NewtonError, NewtonOptions, NewtonReport, Structure, Verdict,
};

fn solve_one(
    x: &mut f64,
    f: impl Fn(f64) -> f64,
    d: impl Fn(f64) -> f64,
    rtol: f64,
) -> Result<NewtonReport, NewtonError> {
    let mut newton = Newton::new(&Structure::dense(1));
    let weights = [1.0 / (1e-10 + rtol * x.abs())];
    let mut state = [*x];
    let found = newton.solve(
        &mut state,
        &weights,
        &NewtonOptions::default(),
        |x, r| {
            r[0] = f(x[0]);
            true
        },
        |x, _, j| {
            j[0] = d(x[0]);
            true
        },
    );
    *x = state[0];
    found
}

#[test]
fn finds_roots_from_far() {
    // z³ + z − 2 = (z − 1)(z² + z + 2) from 5.
    let mut z = 5.0;
    solve_one(&mut z, |z| z * z * z + z - 2.0, |z| 3.0 * z * z + 1.0, 1e-8).unwrap();
    assert!((z - 1.0).abs() < 1e-10);
    // Undamped, atan diverges from beyond 1.39.
    let mut z = 30.0;
    let report = solve_one(&mut z, f64::atan, |z| 1.0 / (1.0 + z * z), 1e-8).unwrap();
    assert!(z.abs() < 1e-10);
    assert!(report.evaluations > report.iterations);
    // The branch follows the guess.
    for guess in [0.9, -0.9] {
        let mut z = guess;
        solve_one(&mut z, |z| z * z * z - z, |z| 3.0 * z * z - 1.0, 1e-8).unwrap();
        assert!((z - guess.signum()).abs() < 1e-9);
    }
}

#[test]
fn stops_at_the_noise_floor() {
    // The residual is rounded: near the root it is ±1e-13 whatever x is.
    let rough = |z: f64| if z > 3.0 { 1e-13 } else { -1e-13 };
    let mut z = 3.0 + 1e-15;
    let report = solve_one(&mut z, rough, |_| 1.0, 1e-15).unwrap();
    assert!(report.iterations < 5 && z.is_finite());
    // A start that is the solution.
    let mut z = 1.0;
    let report = solve_one(&mut z, |z| z * z * z + z - 2.0, |z| 3.0 * z * z + 1.0, 1e-8).unwrap();
    assert_eq!((z.to_bits(), report.iterations), (1.0_f64.to_bits(), 1));
}

#[test]
fn says_why_it_failed() {
    let mut z = 0.0;
    let singular = solve_one(&mut z, |z| z * z + 1.0, |z| 2.0 * z, 1e-6);
    let source = FactorError::Singular { column: 0 };
    assert_eq!(
        singular,
        Err(NewtonError::Factor {
            iteration: 0,
            source
        })
    );
    let mut z = 0.3;
    let none = solve_one(&mut z, |z| z * z + 1.0, |z| 2.0 * z, 1e-6);
    assert!(
        matches!(
            none,
            Err(NewtonError::Stuck { equation: 0, .. }
                | NewtonError::Iterations { equation: 0, .. })
        ),
        "{none:?}"
    );
    assert!(z.is_finite());
    let mut z = -1.0;
    let guess = solve_one(&mut z, f64::ln, |z| 1.0 / z, 1e-6);
    assert_eq!(guess, Err(NewtonError::Guess { equation: 0 }));
}

#[test]
fn contraction_is_kept_and_floor_counts() {
    let mut c = Contraction::new(4);
    c.begin();
    assert_eq!(c.judge(1.0, 0.1, 0.0), Verdict::Continue);
    assert_eq!(c.judge(0.1, 0.05, 0.0), Verdict::Converged);
    assert!((c.rate() - 0.15).abs() < 1e-15);
    // One iteration is enough now: 0.15/0.85 · 0.2 < 0.05.
    c.begin();
    assert_eq!(c.judge(0.2, 0.05, 0.0), Verdict::Converged);
    // Corrections that are round-off converge at once, whatever their quotient.
    c.refactored();
    c.begin();
    assert_eq!(c.judge(1e-16, 1e-20, 1e-15), Verdict::Converged);
    c.begin();
    assert_eq!(c.judge(1.0, 1e-3, 0.0), Verdict::Continue);
    assert_eq!(c.judge(0.95, 1e-3, 0.0), Verdict::Diverged);
    c.begin();
    assert_eq!(c.judge(f64::NAN, 1.0, 0.0), Verdict::Diverged);
    c.refactored();
    c.begin();
    for _ in 0..3 {
        assert_eq!(c.judge(1.0, 1e-3, 0.0), Verdict::Continue);
        c = {
            let mut d = Contraction::new(4);
            d.begin();
            d
        };
    }
}

#[test]
fn an_expected_contraction_asks_for_another_iteration() {
    let mut c = Contraction::new(4);
    // Corrections 1, 1e-9: the contraction is known to be small, one iteration is enough.
    c.begin();
    assert_eq!(c.judge(1.0, 0.1, 0.0), Verdict::Continue);
    assert_eq!(c.judge(1e-9, 0.1, 0.0), Verdict::Converged);
    assert!((c.rate() - 0.15).abs() < 1e-15);
    c.begin();
    assert_eq!(c.judge(0.4, 0.1, 0.0), Verdict::Converged);
    c.expect_at_least(0.3);
    c.begin();
    assert_eq!(c.judge(0.4, 0.1, 0.0), Verdict::Continue);
    // It is a bound from below only.
    c.expect_at_least(0.01);
    assert!((c.rate() - 0.3).abs() < 1e-15);
}
