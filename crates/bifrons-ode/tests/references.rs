//! Reference problems at three tolerances, against values of 25 digits in `tests/data`.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test helper is a failed test"
)]

#[path = "references/events.rs"]
mod events;
#[path = "references/problems.rs"]
mod problems;

use bifrons_ode::{Method, Options, Save, Tolerance, solve};
use problems::Reference;

/// Root mean square of `(y - y_ref) / (1 + |y_ref|)`.
fn error(y: &[f64], exact: &[f64]) -> f64 {
    let sum: f64 = y
        .iter()
        .zip(exact)
        .map(|(y, e)| (y - e) / (1.0 + e.abs()))
        .map(|r| r * r)
        .sum();
    (sum / exact.len() as f64).sqrt()
}

fn run(reference: &Reference, method: Method, relative: f64, y0: &[f64], t: f64) -> Vec<f64> {
    let tolerance = Tolerance::new(relative, relative).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    let mut problem = reference.problem();
    let solution = solve(&mut problem, 0.0, y0, t, &Save::Final, &options);
    solution.expect("smooth").last_state
}

/// How much a change of one component at a quarter of the way has grown at `t`, at least one:
/// what a problem does to the errors of every step, whatever the method.
fn growth(reference: &Reference, t: f64, exact: &[f64]) -> f64 {
    const SIZE: f64 = 1e-7;
    let mut most = 1.0_f64;
    let count = reference.initial.len();
    for quarter in 0..4 {
        let from = t * f64::from(quarter) / 4.0;
        let state = run(reference, Method::Dop853, 1e-12, &reference.initial, from);
        for i in (0..count).step_by(1 + count / 7) {
            let mut start = state.clone();
            // In the norm of the error, a change of one component is this much.
            start[i] += SIZE * (count as f64).sqrt() * (1.0 + start[i].abs());
            let there = run(reference, Method::Dop853, 1e-12, &start, t - from);
            most = most.max(error(&there, exact) / SIZE);
        }
    }
    most
}

/// The error is at most 30 times the tolerance, times the growth of errors that lies in the
/// problem. Order 3 takes ten times more steps, whose errors add up.
#[test]
fn errors_follow_the_tolerance_on_every_reference_problem() {
    let methods = [Method::Dopri5, Method::Tsit5, Method::Dop853, Method::Bs32];
    for name in problems::ALL {
        let reference = Reference::read(name);
        for (t, exact) in &reference.points {
            let growth = growth(&reference, *t, exact);
            for method in methods {
                let order_three = method == Method::Bs32;
                for relative in [1e-4, 1e-7, 1e-10] {
                    if order_three && relative < 1e-8 {
                        continue;
                    }
                    let factor = if order_three { 300.0 } else { 30.0 };
                    let y = run(&reference, method, relative, &reference.initial, *t);
                    let found = error(&y, exact);
                    assert!(
                        found <= factor * relative * growth,
                        "{name} at {t}, {}, {relative:e}: error {found:e}, growth {growth}",
                        method.name()
                    );
                }
            }
        }
    }
}

/// Where errors do not grow, the bound holds without any allowance.
#[test]
fn well_conditioned_problems_need_no_allowance() {
    let points = [
        ("exponential_decay", 2),
        ("harmonic_oscillator", 2),
        ("lotka_volterra", 2),
        ("brusselator", 2),
        ("vdp1", 2),
        ("kepler_e09", 0),
        ("threebody_figure8", 0),
        ("lorenz", 1),
        ("arenstorf", 0),
        ("pleiades", 0),
    ];
    for (name, point) in points {
        let reference = Reference::read(name);
        let (t, exact) = &reference.points[point];
        for method in [Method::Dopri5, Method::Tsit5, Method::Dop853] {
            for relative in [1e-4, 1e-7, 1e-10] {
                let y = run(&reference, method, relative, &reference.initial, *t);
                let found = error(&y, exact);
                assert!(
                    found <= 30.0 * relative,
                    "{name} at {t}, {}, {relative:e}: error {found:e}",
                    method.name()
                );
            }
        }
    }
}
