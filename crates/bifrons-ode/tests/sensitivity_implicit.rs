//! Sensitivities of implicit methods against closed forms and differences.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

#[path = "sensitivity/implicit_models.rs"]
mod implicit_models;
#[path = "sensitivity/models.rs"]
mod models;

use bifrons_ode::{Method, Model, Modelled, Options, Save, Sensitivities, Solution, Tolerance};
use bifrons_ode::{forward_sensitivities, solve};
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
    // The method of order two needs many steps.
    let relative = if method == Method::TrBdf2 {
        relative.max(1e-7)
    } else {
        relative
    };
    let tolerance = Tolerance::new(relative, relative).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

fn near(found: f64, wanted: f64, relative: f64, what: &str) {
    let scale = 1.0 + wanted.abs();
    assert!(
        (found - wanted).abs() <= relative * scale,
        "{what}: found {found}, wanted {wanted}"
    );
}

/// How much further than others the method of order two and the formulas are off.
fn slack(method: Method) -> f64 {
    match method {
        Method::TrBdf2 => 300.0,
        Method::Bdf => 30.0,
        _ => 1.0,
    }
}

fn forward<M: Model + Clone>(
    model: M,
    p: &[f64],
    start: (&[f64], &[f64]),
    t: f64,
    options: &Options,
) -> Sensitivities {
    let start = (0.0, start.0, start.1);
    forward_sensitivities(model, p, start, t, &Save::Final, options).expect("smooth")
}

fn end<M: Model>(model: M, p: &[f64], y0: &[f64], t: f64, options: &Options) -> Solution {
    let mut problem = Modelled::new(model, p);
    solve(&mut problem, 0.0, y0, t, &Save::Final, options).expect("smooth")
}

/// The columns change no step and no bit of the state.
fn same_steps<M: Model + Clone>(model: M, p: &[f64], y0: &[f64], t: f64, o: &Options) {
    let (n, directions) = (y0.len(), vec![1.0; y0.len()]);
    let found = forward(model.clone(), p, (y0, &directions), t, o);
    let plain = end(model, p, y0, t, o);
    let (a, b) = (found.solution.statistics, plain.statistics);
    assert_eq!(
        (
            a.accepted,
            a.rejected,
            a.events,
            a.factorisations.max(b.factorisations)
        ),
        (b.accepted, b.rejected, b.events, a.factorisations),
        "{:?}",
        o.method
    );
    for (a, b) in found.solution.last_state[..n].iter().zip(&plain.last_state) {
        assert_eq!(a.to_bits(), b.to_bits(), "{:?}", o.method);
    }
}

#[test]
fn columns_change_no_bit_of_the_state() {
    for method in METHODS {
        let o = options(method, 1e-6);
        same_steps(
            Robertson { conserved: false },
            &[0.04, 3e7, 1e4],
            &[1.0, 0.0, 0.0],
            40.0,
            &o,
        );
        same_steps(
            Robertson { conserved: true },
            &[0.04, 3e7, 1e4],
            &[1.0, 0.0, 0.0],
            40.0,
            &o,
        );
        same_steps(Ball, &[9.81, 0.8], &[1.0, 0.0], 2.2, &o);
        same_steps(Switch { after: false }, &[0.5, 0.4, 2.0], &[1.0], 3.0, &o);
        same_steps(Lorenz, &[10.0, 28.0, 8.0 / 3.0], &[1.0, 0.0, 0.0], 2.0, &o);
        same_steps(
            Square { watched: true },
            &[1.0, 0.3, 1.5],
            &[1.0, 1.0],
            3.0,
            &o,
        );
        same_steps(Threshold, &[0.7, 0.5], &[2.0, 0.0], 10.0, &o);
    }
}

#[test]
fn decay_and_oscillator_have_their_closed_forms() {
    let (k, y0, t): (f64, f64, f64) = (0.7, 2.0, 3.0);
    let y = y0 * (-k * t).exp();
    let w: f64 = 2.0;
    for method in METHODS {
        let o = options(method, 1e-9);
        let bound = 1e-7 * slack(method);
        let found = forward(Decay, &[k], (&[y0], &[1.0]), t, &o);
        near(found.state()[0], y, bound, method.name());
        near(found.column(0)[0], y / y0, bound, method.name());
        near(found.column(1)[0], -t * y, bound, method.name());

        let found = forward(
            Oscillator,
            &[w],
            (&[1.0, 0.0], &[1.0, 0.0, 0.0, 1.0]),
            t,
            &o,
        );
        let (sin, cos) = (w * t).sin_cos();
        let exact = [
            [cos, -w * sin],
            [sin / w, cos],
            [-t * sin, -sin - w * t * cos],
        ];
        for (d, exact) in exact.iter().enumerate() {
            for i in 0..2 {
                let what = format!("{method:?} oscillator {d} {i}");
                near(found.column(d)[i], exact[i], 10.0 * bound, &what);
            }
        }
    }
}

/// `y' = -l (y - cos w t)` has the solution `(l² cos wt + l w sin wt) / (l² + w²) + c e^(-lt)`.
#[test]
fn a_stiff_equation_that_depends_on_time_has_its_closed_form() {
    let (l, w, t): (f64, f64, f64) = (1e3, 1.5, 2.0);
    let value = |l: f64, w: f64| {
        let (sin, cos) = (w * t).sin_cos();
        (l * l * cos + l * w * sin) / (l * l + w * w)
    };
    let h = 1e-5;
    let by_rate = (value(l * (1.0 + h), w) - value(l * (1.0 - h), w)) / (2.0 * h);
    let by_frequency = (value(l, w + h) - value(l, w - h)) / (2.0 * h);
    for method in METHODS {
        let o = options(method, 1e-8);
        let found = forward(Forced, &[l, w], (&[1.0], &[1.0]), t, &o);
        let bound = 1e-6 * slack(method);
        near(found.column(0)[0], 0.0, bound, method.name());
        near(l * found.column(1)[0], by_rate, bound, method.name());
        near(found.column(2)[0], by_frequency, bound, method.name());
    }
}

/// Columns scaled by their parameters, against central differences of tight runs.
fn compare_with_differences<M: Model + Clone>(
    model: &M,
    (p, y0, t): (&[f64], &[f64], f64),
    scale: &[f64],
    relative: f64,
) {
    let tight = Tolerance::new(1e-12, 1e-15).expect("valid");
    let mut fine = Options::with_tolerance(tight);
    fine.method = Method::Radau;
    fine.initialisation = bifrons_ode::Initialisation::Algebraic;
    let mut differences = Vec::new();
    for d in 0..p.len() {
        let h = 1e-4;
        let at = |sign: f64| {
            let mut q = p.to_vec();
            q[d] *= 1.0 + sign * h;
            end(model.clone(), &q, y0, t, &fine).last_state
        };
        let (above, below) = (at(1.0), at(-1.0));
        differences.extend(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * h)));
    }
    for method in METHODS {
        let absolute: Vec<f64> = scale.iter().map(|s| s * relative).collect();
        let tolerance = Tolerance::per_component(relative, &absolute).expect("valid");
        let mut o = Options::with_tolerance(tolerance);
        o.method = method;
        o.initialisation = bifrons_ode::Initialisation::Algebraic;
        let found = forward(model.clone(), p, (y0, &[]), t, &o);
        for (d, &value) in p.iter().enumerate() {
            for (i, scale) in scale.iter().enumerate() {
                let wanted = differences[d * y0.len() + i] / scale;
                let what = format!("{method:?} {d} {i}");
                let bound = 300.0 * relative.powf(0.9) * slack(method).sqrt();
                near(value * found.column(d)[i] / scale, wanted, bound, &what);
            }
        }
    }
}

#[test]
fn robertson_agrees_with_differences() {
    let p = [0.04, 3e7, 1e4];
    for conserved in [false, true] {
        let model = Robertson { conserved };
        let case = (p.as_slice(), [1.0, 0.0, 0.0].as_slice(), 40.0);
        compare_with_differences(&model, case, &[1.0, 1e-5, 1.0], 1e-6);
    }
}

#[test]
fn pendulum_agrees_with_differences() {
    let model = Pendulum { index: 1 };
    let case = ([9.81].as_slice(), [1.0, 0.0, 0.0, 0.0, 0.0].as_slice(), 1.0);
    compare_with_differences(&model, case, &[1.0, 1.0, 5.0, 5.0, 30.0], 1e-6);
}

#[test]
fn a_pendulum_of_index_three_has_the_sensitivity_of_index_one() {
    let y0 = [1.0, 0.0, 0.0, 0.0, 0.0];
    let mut o = options(Method::Radau, 1e-8);
    let exact = forward(Pendulum { index: 1 }, &[9.81], (&y0, &[]), 1.0, &o);
    o.tolerance = Tolerance::new(1e-7, 1e-7).expect("valid");
    let found = forward(Pendulum { index: 3 }, &[9.81], (&y0, &[]), 1.0, &o);
    for i in 0..4 {
        near(
            found.column(0)[i],
            exact.column(0)[i],
            1e-4,
            &format!("{i}"),
        );
    }
}

#[test]
fn directions_are_made_consistent_at_the_start() {
    // The second number of the direction belongs to an algebraic component.
    let (k, y0, t) = (0.8, 1.5, 2.0);
    let shrink: f64 = 1.0 + k * y0 * t;
    let exact = [1.0 / (shrink * shrink), -y0 * y0 * t / (shrink * shrink)];
    let y = y0 / shrink;
    for method in METHODS {
        let o = options(method, 1e-9);
        let bound = 1e-7 * slack(method);
        let model = Square { watched: false };
        let save = Save::Times(vec![0.0, t]);
        let at = [y0, y0 * y0];
        let start = (0.0, at.as_slice(), [1.0, 7.0].as_slice());
        let p = [k, 0.0, 0.0];
        let found = forward_sensitivities(model, &p, start, t, &save, &o).expect("smooth");
        near(found.solution.state(0)[3], 2.0 * y0, 1e-14, "start");
        for (d, exact) in exact.into_iter().enumerate() {
            let what = format!("{method:?} {d}");
            near(found.column(d)[0], exact, bound, &what);
            near(found.column(d)[1], 2.0 * y * exact, 2.0 * bound, &what);
        }
    }
}

#[test]
fn a_mass_matrix_without_an_empty_row_has_its_closed_form() {
    let (k, u0, t): (f64, f64, f64) = (0.8, 0.5, 1.5);
    // u = y₁ − y₂ at the start is kept, y₂ = 1 − k y₁.
    let value = |k: f64| (u0 + 1.0) / (1.0 + k) * (-k * t / (1.0 + k)).exp();
    let h = 1e-6;
    let exact = (value(k + h) - value(k - h)) / (2.0 * h);
    let y1 = (u0 + 1.0) / (1.0 + k);
    for method in METHODS {
        let o = options(method, 1e-9);
        let found = forward(Floating, &[k], (&[y1, 1.0 - k * y1], &[]), t, &o);
        let bound = 1e-7 * slack(method);
        near(found.state()[0], value(k), bound, method.name());
        near(found.column(0)[0], exact, bound, method.name());
        let other = -value(k) - k * exact;
        near(found.column(0)[1], other, bound, method.name());
    }
}

/// `y = y₀ / (1 + k y₀ t)` until `y² = c`, then from `r √c`.
fn square_after(y0: f64, p: &[f64], t: f64) -> (f64, f64) {
    let (k, c, r) = (p[0], p[1], p[2]);
    let instant = (1.0 / c.sqrt() - 1.0 / y0) / k;
    let start = r * c.sqrt();
    (instant, start / (1.0 + k * start * (t - instant)))
}

#[test]
fn algebraic_systems_pass_events_that_look_at_algebraic_components() {
    let (p, y0, t) = ([1.0, 0.3, 1.5], 1.0, 1.3);
    let (instant, y) = square_after(y0, &p, t);
    assert!(instant < t, "one event");
    for method in METHODS {
        let o = options(method, 1e-10);
        let bound = 1e-7 * slack(method);
        let model = Square { watched: true };
        let found = forward(model, &p, (&[y0, y0 * y0], &[1.0, 2.0]), t, &o);
        assert_eq!(found.solution.events.len(), 1, "{method:?}");
        near(found.state()[0], y, bound, method.name());
        for d in 0..4 {
            let h = 1e-6;
            let at = |sign: f64| {
                let (mut q, mut start) = (p, y0);
                match d {
                    0 => start += sign * h,
                    d => q[d - 1] += sign * h,
                }
                square_after(start, &q, t)
            };
            let (above, below) = (at(1.0), at(-1.0));
            let exact = (above.1 - below.1) / (2.0 * h);
            let moved = (above.0 - below.0) / (2.0 * h);
            let what = format!("{method:?} {d}");
            near(found.column(d)[0], exact, bound, &what);
            near(found.column(d)[1], 2.0 * y * exact, 2.0 * bound, &what);
            near(found.instants[0][d], moved, bound, &what);
        }
    }
}

#[test]
fn impacts_move_with_the_parameters() {
    let (p, h, t): ([f64; 2], f64, f64) = ([9.81, 0.8], 1.0, 0.7);
    let first = (2.0 * h / p[0]).sqrt();
    let value = |g: f64, e: f64, h: f64| {
        let start = (2.0 * h / g).sqrt();
        let s = t - start;
        e * g * start * s - 0.5 * g * s * s
    };
    let d = 1e-6;
    let exact = [
        (value(p[0], p[1], h + d) - value(p[0], p[1], h - d)) / (2.0 * d),
        (value(p[0] + d, p[1], h) - value(p[0] - d, p[1], h)) / (2.0 * d),
        (value(p[0], p[1] + d, h) - value(p[0], p[1] - d, h)) / (2.0 * d),
    ];
    let moved = [0.5 * first / h, -0.5 * first / p[0], 0.0];
    for method in METHODS {
        let o = options(method, 1e-10);
        let found = forward(Ball, &p, (&[h, 0.0], &[1.0, 0.0]), t, &o);
        let bound = 1e-6 * slack(method);
        for d in 0..3 {
            let what = format!("{method:?} {d}");
            near(found.column(d)[0], exact[d], bound, &what);
            near(found.instants[0][d], moved[d], bound, &what);
        }
    }
}

#[test]
fn a_switch_and_a_stop_are_passed() {
    let (p, y0, t): ([f64; 3], f64, f64) = ([0.5, 0.4, 2.0], 1.0, 3.0);
    let instant = (y0 / p[1]).ln() / p[0];
    let y = p[1] * (-p[2] * (t - instant)).exp();
    let exact = [
        y * p[2] / (p[0] * y0),
        -y * p[2] * instant / p[0],
        y / p[1] - y * p[2] / (p[0] * p[1]),
        -y * (t - instant),
    ];
    for method in METHODS {
        let o = options(method, 1e-10);
        let model = Switch { after: false };
        let found = forward(model, &p, (&[y0], &[1.0]), t, &o);
        let bound = 1e-7 * slack(method);
        near(found.state()[0], y, bound, method.name());
        for (d, exact) in exact.into_iter().enumerate() {
            near(found.column(d)[0], exact, bound, &format!("{method:?} {d}"));
        }
        let mut o = options(method, 1e-10);
        o.stops = vec![0.25, 1.0];
        let found = forward(Decay, &[0.7], (&[2.0], &[1.0]), 3.0, &o);
        assert_eq!(found.solution.events.len(), 2, "{method:?}");
        let e = (-2.1_f64).exp();
        near(found.column(0)[0], e, bound, method.name());
        near(found.column(1)[0], -6.0 * e, bound, method.name());
    }
}

/// Columns between steps are those of the interpolant.
#[test]
fn columns_between_steps_have_the_order_of_the_dense_output() {
    let k: f64 = 0.7;
    let times: Vec<f64> = (0..40).map(|i| f64::from(i) * 0.075).collect();
    for method in METHODS {
        let o = options(method, 1e-9);
        let start = (0.0, &[2.0][..], &[1.0][..]);
        let save = Save::Times(times.clone());
        let found = forward_sensitivities(Decay, &[k], start, 3.0, &save, &o).expect("smooth");
        let dense =
            forward_sensitivities(Decay, &[k], start, 3.0, &Save::Dense, &o).expect("smooth");
        let dense = dense.solution.dense.expect("asked for");
        for (row, &t) in times.iter().enumerate() {
            let e = (-k * t).exp();
            let bound = 1e-6 * slack(method);
            let state = found.solution.state(row);
            near(state[1], e, bound, &format!("{method:?} {t}"));
            near(state[2], -2.0 * t * e, bound, &format!("{method:?} {t}"));
            let other = dense.evaluate(t).expect("inside");
            for (a, b) in state.iter().zip(&other) {
                near(*a, *b, 1e-12, &format!("{method:?} dense {t}"));
            }
        }
    }
}

#[test]
fn backward_runs_and_runs_without_columns() {
    for method in METHODS {
        let o = options(method, 1e-8);
        let start = (2.0, &[1.0][..], &[1.0][..]);
        let found =
            forward_sensitivities(Decay, &[0.5], start, 0.0, &Save::Final, &o).expect("smooth");
        let e = 1.0_f64.exp();
        let bound = 1e-6 * slack(method);
        near(found.column(0)[0], e, bound, method.name());
        near(found.column(1)[0], 2.0 * e, bound, method.name());
        let none = (0.0, &[1.0, 0.0, 0.0][..], &[][..]);
        let lorenz = forward_sensitivities(Still, &[], none, 1.0, &Save::Dense, &o);
        assert_eq!(lorenz.expect("smooth").state().len(), 3, "{method:?}");
    }
}

/// `y' = -y` in three components, without parameters.
#[derive(Clone)]
struct Still;

impl Model for Still {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs<S: bifrons_ode::Scalar>(&self, _t: S, y: &[S], _p: &[S], dy: &mut [S]) {
        for (dy, y) in dy.iter_mut().zip(y) {
            *dy = -*y;
        }
    }
}
