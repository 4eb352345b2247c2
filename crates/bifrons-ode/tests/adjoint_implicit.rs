//! Adjoints of implicit methods against forward sensitivities and closed forms.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

#[path = "sensitivity/implicit_models.rs"]
mod implicit_models;
#[path = "sensitivity/models.rs"]
mod models;

use bifrons_ode::{Gradient, Initialisation, Method, Model, Options, Outcome, Save, Scalar};
use bifrons_ode::{Tolerance, adjoint, forward_sensitivities};
use implicit_models::{Floating, Forced, Oscillator, Pendulum, Robertson, Square};
use models::{Ball, Decay, Lorenz, Switch, Threshold};

const METHODS: [Method; 7] = [
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
];

fn options(method: Method, relative: f64) -> Options {
    let tolerance = Tolerance::new(relative, relative).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options.initialisation = Initialisation::Algebraic;
    options
}

fn near(found: f64, wanted: f64, bound: f64, what: &str) {
    assert!(
        (found - wanted).abs() <= bound,
        "{what}: found {found}, wanted {wanted}"
    );
}

/// Weights of the observation at the end.
fn weight(i: usize) -> f64 {
    [0.3, -1.0, 0.5, 0.7, -0.2][i]
}

fn gradient<M: Model + Clone>(
    model: M,
    p: &[f64],
    (y0, t): (&[f64], f64),
    o: &Options,
    every: usize,
) -> Gradient {
    adjoint(model, p, (0.0, y0, t), o, every, |_t, _y, slope| {
        for (i, slope) in slope.iter_mut().enumerate() {
            *slope += weight(i);
        }
    })
    .expect("smooth")
}

/// Gradient by adjoint and by forward sensitivities, every direction scaled by `scale`.
///
/// Both are derivatives of the same steps. Forward columns are iterated to `1e-3 rtol`, and the
/// bound allows for ten of these per step, which later steps may amplify: it falls with `rtol`,
/// while a mistake in one of the two would not.
fn compare<M: Model + Clone>(
    model: &M,
    p: &[f64],
    (y0, t): (&[f64], f64),
    scale: impl Fn(usize) -> f64,
) {
    for relative in [1e-4, 1e-6] {
        compare_at(relative, model, p, (y0, t), &scale);
    }
}

fn compare_at<M: Model + Clone>(
    relative: f64,
    model: &M,
    p: &[f64],
    (y0, t): (&[f64], f64),
    scale: impl Fn(usize) -> f64,
) {
    let n = y0.len();
    let mut unit = vec![0.0; n * n];
    (0..n).for_each(|i| unit[i * n + i] = 1.0);
    for method in METHODS {
        let mut o = options(method, relative);
        o.tolerance = Tolerance::new(relative, 1e-6 * relative).expect("valid");
        let start = (0.0, y0, unit.as_slice());
        let forward =
            forward_sensitivities(model.clone(), p, start, t, &Save::Final, &o).expect("smooth");
        let mut first: Option<Gradient> = None;
        for every in [1, 7, 1000] {
            let back = gradient(model.clone(), p, (y0, t), &o, every);
            let both = back.initial.iter().chain(&back.parameters);
            let steps = back.solution.statistics.accepted as f64;
            for (d, &found) in both.enumerate() {
                let column = forward.column(d);
                let terms = column.iter().enumerate().map(|(i, s)| weight(i) * s);
                let size: f64 = column
                    .iter()
                    .enumerate()
                    .map(|(i, s)| (weight(i) * s).abs())
                    .sum();
                let wanted: f64 = terms.sum();
                let bound = 1e-2 * relative * steps * (size * scale(d) + 1.0);
                let what = format!("{method:?}, every {every}, direction {d}");
                near(found * scale(d), wanted * scale(d), bound, &what);
            }
            let same = first.get_or_insert_with(|| back.clone());
            let again = back.initial.iter().chain(&back.parameters);
            for (a, b) in again.zip(same.initial.iter().chain(&same.parameters)) {
                assert_eq!(a.to_bits(), b.to_bits(), "{method:?}: whatever is kept");
            }
        }
    }
}

#[test]
fn adjoint_is_the_transpose_of_forward() {
    compare(&Oscillator, &[2.0], (&[1.0, 0.0], 3.0), |_| 1.0);
    compare(
        &Lorenz,
        &[10.0, 28.0, 8.0 / 3.0],
        (&[1.0, 0.0, 0.0], 1.0),
        |_| 1.0,
    );
    compare(&Forced, &[1e3, 1.5], (&[1.0], 2.0), |d| [1.0, 1e3, 1.0][d]);
}

#[test]
fn adjoint_is_the_transpose_of_forward_for_stiff_and_algebraic_systems() {
    let p = [0.04, 3e7, 1e4];
    let scale = |d: usize| [1.0, 1e-5, 1.0, 0.04, 3e7, 1e4][d];
    for conserved in [false, true] {
        compare(
            &Robertson { conserved },
            &p,
            (&[1.0, 0.0, 0.0], 40.0),
            scale,
        );
    }
    compare(
        &Square { watched: false },
        &[0.8, 0.0, 0.0],
        (&[1.5, 2.25], 2.0),
        |_| 1.0,
    );
    compare(&Floating, &[0.8], (&[0.8, 0.3], 1.5), |_| 1.0);
    let y0 = [1.0, 0.0, 0.0, 0.0, 0.0];
    compare(&Pendulum { index: 1 }, &[9.81], (&y0, 1.0), |_| 1.0);
}

#[test]
fn adjoint_is_the_transpose_of_forward_across_events() {
    compare(&Ball, &[9.81, 0.8], (&[1.0, 0.0], 2.2), |_| 1.0);
    compare(
        &Switch { after: false },
        &[0.5, 0.4, 2.0],
        (&[1.0], 3.0),
        |_| 1.0,
    );
    compare(
        &Square { watched: true },
        &[1.0, 0.3, 1.5],
        (&[1.0, 1.0], 1.3),
        |_| 1.0,
    );
}

#[test]
fn gradients_have_their_closed_forms() {
    let (k, y0): (f64, f64) = (0.7, 2.0);
    for method in METHODS {
        let slack = if method == Method::TrBdf2 { 1e3 } else { 30.0 };
        let bound = 1e-7 * slack;
        let mut o = options(method, 1e-8);
        o.stops = vec![0.5, 2.0, 1.25];
        let run = (0.0, &[y0][..], 3.0);
        let back =
            adjoint(Decay, &[k], run, &o, 5, |t, y, slope| slope[0] += t * y[0]).expect("smooth");
        let times = [0.5, 1.25, 2.0, 3.0];
        let square = |t: f64| t * y0 * (-2.0 * k * t).exp();
        let by_rate: f64 = times.iter().map(|t| -t * y0 * square(*t)).sum();
        let by_start: f64 = times.iter().map(|t| square(*t)).sum();
        near(back.parameters[0], by_rate, bound, method.name());
        near(back.initial[0], by_start, bound, method.name());

        // The end is where y₁ = b: y₂ is the instant log(y0 / b) / a.
        let p = [0.7, 0.5];
        let o = options(method, 1e-8);
        let at = [y0, 0.0];
        let back = adjoint(Threshold, &p, (0.0, &at, 10.0), &o, 3, |_t, _y, slope| {
            slope[1] += 1.0;
        })
        .expect("ends");
        assert_eq!(back.solution.outcome, Outcome::Terminated, "{method:?}");
        let instant = (y0 / p[1]).ln() / p[0];
        near(back.initial[0], 1.0 / (p[0] * y0), bound, method.name());
        near(back.parameters[0], -instant / p[0], bound, method.name());
        near(
            back.parameters[1],
            -1.0 / (p[0] * p[1]),
            bound,
            method.name(),
        );
    }
}

/// `y' = -k y`, `q' = y²`: an integral as one more component.
#[derive(Clone)]
struct Energy;

impl Model for Energy {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        dy[0] = -(p[0] * y[0]);
        dy[1] = y[0] * y[0];
    }
}

#[test]
fn an_integral_is_one_more_component() {
    let (k, y0, t): (f64, f64, f64) = (0.7, 2.0, 3.0);
    // q = y0² (1 - e^(-2kt)) / 2k.
    let e = (-2.0 * k * t).exp();
    let by_start = y0 * (1.0 - e) / k;
    let by_rate = y0 * y0 * (2.0 * k * t * e - (1.0 - e)) / (2.0 * k * k);
    for method in METHODS {
        let slack = if method == Method::TrBdf2 { 1e3 } else { 30.0 };
        let o = options(method, 1e-8);
        let run = (0.0, &[y0, 0.0][..], t);
        let back =
            adjoint(Energy, &[k], run, &o, 10, |_t, _y, slope| slope[1] += 1.0).expect("smooth");
        near(back.initial[0], by_start, 1e-7 * slack, method.name());
        near(back.parameters[0], by_rate, 1e-7 * slack, method.name());
    }
}

#[test]
fn a_backward_run_has_its_gradient() {
    for method in METHODS {
        let slack = if method == Method::TrBdf2 { 1e3 } else { 30.0 };
        let o = options(method, 1e-8);
        let back = adjoint(Decay, &[0.5], (2.0, &[1.0], 0.0), &o, 4, |_t, _y, slope| {
            slope[0] += 1.0;
        })
        .expect("smooth");
        let e = 1.0_f64.exp();
        near(back.initial[0], e, 3e-7 * slack, method.name());
        near(back.parameters[0], 2.0 * e, 3e-7 * slack, method.name());
    }
}
