//! Orders of convergence with steps of one size. Tolerances are so loose that they never matter;
//! the problems are linear where a method iterates, so that one iteration is exact.

use bifrons_ode::{Method, Problem, Save, Structure, closure, solve};

use super::options;

/// Error at t = 2 with `steps` steps, at the end and in the middle of steps.
fn errors(method: Method, steps: u32, linear: bool) -> (f64, f64) {
    let h = 2.0 / f64::from(steps);
    let exact = |t: f64| {
        if linear {
            (-t).exp() + t.sin()
        } else {
            (0.5 * t.sin()).exp()
        }
    };
    let mut problem = closure(1, move |t: f64, y, f: &mut [f64]| {
        f[0] = if linear {
            -(y[0] - t.sin()) + t.cos()
        } else {
            // Nonlinear with the solution exp(sin(t) / 2).
            0.5 * t.cos() * y[0] * y[0] * (-0.5 * t.sin()).exp()
        };
    })
    .with_jacobian(Structure::Dense, move |t: f64, y, out| {
        let slope = t.cos() * y[0] * (-0.5 * t.sin()).exp();
        out.set(0, 0, if linear { -1.0 } else { slope });
    });
    let mut settings = options(method, 1e6, 1e6);
    settings.initial_step = Some(h);
    settings.max_step = Some(h);
    let middles: Vec<f64> = (0..steps).map(|k| (f64::from(k) + 0.37) * h).collect();
    let save = Save::Times(middles.clone());
    let found = solve(&mut problem, 0.0, &[exact(0.0)], 2.0, &save, &settings).unwrap();
    assert_eq!(found.statistics.accepted, u64::from(steps), "{method:?}");
    let inside = |(t, y): (&f64, &f64)| (y - exact(*t)).abs();
    let middle = middles
        .iter()
        .zip(&found.states)
        .map(inside)
        .fold(0.0, f64::max);
    ((found.last_state[0] - exact(2.0)).abs(), middle)
}

/// Slope of the errors over three halvings.
fn slopes(method: Method, steps: u32, linear: bool) -> (f64, f64) {
    let (coarse, fine) = (
        errors(method, steps, linear),
        errors(method, 8 * steps, linear),
    );
    (
        (coarse.0 / fine.0).log2() / 3.0,
        (coarse.1 / fine.1).log2() / 3.0,
    )
}

#[test]
fn steps_and_interpolants_have_their_orders() {
    for (method, steps, linear, order, dense) in [
        (Method::Radau, 5, true, 5.0, 4.0),
        (Method::Rodas4, 60, false, 4.0, 4.0),
        (Method::Rodas4, 10, true, 4.0, 4.0),
        (Method::Rodas5P, 8, false, 5.0, 4.0),
        (Method::Rodas5P, 8, true, 5.0, 4.0),
        (Method::TrBdf2, 20, true, 2.0, 2.0),
        (Method::Esdirk4, 10, true, 4.0, 4.0),
        (Method::Esdirk5, 8, true, 5.0, 4.0),
    ] {
        let (end, middle) = slopes(method, steps, linear);
        assert!((end - order).abs() < 0.2, "{method:?} {linear}: {end:.2}");
        assert!(
            middle > dense - 0.3,
            "{method:?} {linear}: dense {middle:.2}"
        );
    }
}
