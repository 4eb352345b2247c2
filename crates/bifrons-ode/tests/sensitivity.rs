//! Sensitivities and adjoints against closed forms, differences and each other.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

#[path = "sensitivity/models.rs"]
mod models;

use bifrons_ode::{
    Dual, Method, Model, Modelled, Options, Outcome, Problem, Save, Scalar, Solution,
};
use bifrons_ode::{Tolerance, adjoint, forward_sensitivities, solve};
use models::{Ball, Decay, Lorenz, Switch, Threshold};

const METHODS: [Method; 4] = [Method::Dopri5, Method::Tsit5, Method::Bs32, Method::Dop853];

fn options(method: Method, relative: f64) -> Options {
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

fn end<M: Model>(model: M, p: &[f64], t0: f64, y0: &[f64], t_end: f64, o: &Options) -> Solution {
    let mut problem = Modelled::new(model, p);
    solve(&mut problem, t0, y0, t_end, &Save::Final, o).expect("smooth")
}

#[test]
fn duals_carry_the_derivative_of_every_function() {
    type F = (fn(f64) -> f64, fn(Dual<1>) -> Dual<1>);
    let functions: [F; 12] = [
        (|x| x.sqrt(), |x| x.sqrt()),
        (|x| Scalar::exp(x), |x| x.exp()),
        (|x| Scalar::ln(x), |x| x.ln()),
        (|x| Scalar::sin(x), |x| x.sin()),
        (|x| Scalar::cos(x), |x| x.cos()),
        (|x| Scalar::tanh(x), |x| x.tanh()),
        (|x| Scalar::powi(x, -3), |x| x.powi(-3)),
        (|x| Scalar::powf(x, 1.7), |x| x.powf(1.7)),
        (|x| -(x - 2.0).abs(), |x| -(x - 2.0).abs()),
        (|x| x * x / (x + 1.0) - x, |x| x * x / (x + 1.0) - x),
        (|x| (x * 3.0 - 1.0) / 2.0, |x| (x * 3.0 - 1.0) / 2.0),
        (|x| Scalar::powi(x, 0) + x, |x| x.powi(0) + x),
    ];
    for (k, (plain, dual)) in functions.into_iter().enumerate() {
        for x in [0.3, 0.9, 1.8] {
            let found = dual(Dual::new(x, [1.0]));
            let h = 1e-5;
            let difference = (plain(x + h) - plain(x - h)) / (2.0 * h);
            near(found.value, plain(x), 1e-15, &format!("value {k}"));
            near(
                found.tangent[0],
                difference,
                1e-8,
                &format!("slope {k} at {x}"),
            );
        }
    }
}

#[test]
fn a_model_gives_its_exact_jacobian() {
    let mut problem = Modelled::new(Lorenz, &[10.0, 28.0, 8.0 / 3.0]);
    let structure = problem.structure().clone();
    let mut values = [0.0; 9];
    let y = [1.5, -2.0, 20.0];
    let mut out = bifrons_ode::MatrixMut::new(3, &structure, &mut values).expect("nine");
    problem.jacobian(0.0, &y, &mut out).expect("smooth");
    // By columns.
    let exact = [
        -10.0,
        28.0 - y[2],
        y[1],
        10.0,
        -1.0,
        y[0],
        0.0,
        -y[0],
        -8.0 / 3.0,
    ];
    for (found, exact) in values.into_iter().zip(exact) {
        near(found, exact, 1e-15, "entry");
    }
}

#[test]
fn decay_has_its_closed_form() {
    let (k, y0, t): (f64, f64, f64) = (0.7, 2.0, 3.0);
    let y = y0 * (-k * t).exp();
    for method in METHODS {
        let settings = options(method, 1e-9);
        let at = [y0];
        let start = (0.0, at.as_slice(), &[1.0][..]);
        let found =
            forward_sensitivities(Decay, &[k], start, t, &Save::Final, &settings).expect("smooth");
        near(found.state()[0], y, 1e-7, method.name());
        near(found.column(0)[0], y / y0, 1e-7, method.name());
        near(found.column(1)[0], -t * y, 1e-7, method.name());
        let plain = end(Decay, &[k], 0.0, &[y0], t, &settings);
        let (a, b) = (found.solution.statistics, plain.statistics);
        assert_eq!(
            (a.accepted, a.rejected),
            (b.accepted, b.rejected),
            "steps of {method:?}"
        );
        let back = adjoint(
            Decay,
            &[k],
            (0.0, &[y0], t),
            &settings,
            4,
            |_t, y, slope| {
                slope[0] += 2.0 * y[0];
            },
        )
        .expect("smooth");
        near(back.initial[0], 2.0 * y * y / y0, 1e-7, method.name());
        near(back.parameters[0], -2.0 * t * y * y, 1e-7, method.name());
    }
}

/// The adjoint of the steps is the transpose of the tangent of the steps, to round-off.
#[test]
fn adjoint_and_forward_agree_to_round_off() {
    let p = [10.0, 28.0, 8.0 / 3.0];
    let y0 = [1.0, 0.0, 0.0];
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for method in METHODS.into_iter().chain([Method::Rk4 { step: 0.01 }]) {
        for (t0, t_end) in [(0.0, 1.5), (0.2, 0.0)] {
            let settings = options(method, 1e-6);
            let start = (t0, y0.as_slice(), unit.as_slice());
            let forward = forward_sensitivities(Lorenz, &p, start, t_end, &Save::Final, &settings)
                .expect("smooth");
            let weights = [0.3, -1.0, 0.5];
            let mut gradients = Vec::new();
            for every in [1, 7, 1000] {
                let run = (t0, y0.as_slice(), t_end);
                let back = adjoint(Lorenz, &p, run, &settings, every, |_t, _y, slope| {
                    for (slope, weight) in slope.iter_mut().zip(weights) {
                        *slope += weight;
                    }
                })
                .expect("smooth");
                for d in 0..6 {
                    let exact: f64 = forward
                        .column(d)
                        .iter()
                        .zip(weights)
                        .map(|(s, w)| s * w)
                        .sum();
                    let found = if d < 3 {
                        back.initial[d]
                    } else {
                        back.parameters[d - 3]
                    };
                    near(
                        found,
                        exact,
                        1e-9,
                        &format!("{method:?}, every {every}, direction {d}"),
                    );
                }
                gradients.push((back.initial, back.parameters));
            }
            for (a, b) in gradients[0].0.iter().zip(&gradients[2].0) {
                near(*a, *b, 1e-11, "whatever is kept");
            }
        }
    }
}

#[test]
fn lorenz_agrees_with_differences() {
    let (p, y0, t) = ([10.0, 28.0, 8.0 / 3.0], [1.0, 0.0, 0.0], 2.0);
    for method in METHODS {
        let relative = if method == Method::Bs32 { 1e-7 } else { 1e-9 };
        let start = (0.0, y0.as_slice(), [].as_slice());
        let found = forward_sensitivities(
            Lorenz,
            &p,
            start,
            t,
            &Save::Final,
            &options(method, relative),
        )
        .expect("smooth");
        for d in 0..3 {
            let h = 1e-5 * p[d];
            let shifted = |sign: f64| {
                let mut q = p;
                q[d] += sign * h;
                end(Lorenz, &q, 0.0, &y0, t, &options(Method::Dop853, 1e-13)).last_state
            };
            let (above, below) = (shifted(1.0), shifted(-1.0));
            for i in 0..3 {
                let difference = (above[i] - below[i]) / (2.0 * h);
                near(
                    found.column(d)[i],
                    difference,
                    1e-4,
                    &format!("{method:?} {d} {i}"),
                );
            }
        }
    }
}

/// Height, speed, and what follows them by gravity, restitution and start height after bounces.
fn ball_closed_form(p: &[f64], h: f64, t: f64) -> [f64; 2] {
    let (g, e) = (p[0], p[1]);
    let mut start = (2.0 * h / g).sqrt();
    let mut speed = e * g * start;
    while start + 2.0 * speed / g < t {
        start += 2.0 * speed / g;
        speed *= e;
    }
    let s = t - start;
    [speed * s - 0.5 * g * s * s, speed - g * s]
}

#[test]
fn sensitivities_pass_through_impacts() {
    let (p, h) = ([9.81, 0.8], 1.0);
    for method in METHODS {
        for t in [0.7, 1.5, 2.2] {
            let settings = options(method, 1e-10);
            let at = [h, 0.0];
            let start = (0.0, at.as_slice(), &[1.0, 0.0][..]);
            let found = forward_sensitivities(Ball, &p, start, t, &Save::Final, &settings)
                .expect("bounces");
            let step = 1e-6;
            for d in 0..3 {
                let at = |sign: f64| {
                    let (mut q, mut height) = (p, h);
                    match d {
                        0 => height += sign * step,
                        d => q[d - 1] += sign * step,
                    }
                    ball_closed_form(&q, height, t)
                };
                let (above, below) = (at(1.0), at(-1.0));
                for i in 0..2 {
                    let exact = (above[i] - below[i]) / (2.0 * step);
                    near(
                        found.column(d)[i],
                        exact,
                        1e-6,
                        &format!("{method:?} {t} {d} {i}"),
                    );
                }
            }
            // The first impact comes at the root of 2 h / g.
            let first = (2.0 * h / p[0]).sqrt();
            near(
                found.instants[0][0],
                0.5 * first / h,
                1e-8,
                "instant by height",
            );
            near(
                found.instants[0][1],
                -0.5 * first / p[0],
                1e-8,
                "instant by gravity",
            );
            near(found.instants[0][2], 0.0, 1e-12, "instant by restitution");

            let run = (0.0, at.as_slice(), t);
            let back = adjoint(Ball, &p, run, &settings, 5, |_t, _y, slope| {
                slope[0] += 1.0;
                slope[1] += 0.5;
            })
            .expect("bounces");
            let all = [back.initial[0], back.parameters[0], back.parameters[1]];
            for (d, gradient) in all.into_iter().enumerate() {
                let column = found.column(d);
                let forward = column[0] + 0.5 * column[1];
                near(
                    gradient,
                    forward,
                    1e-7,
                    &format!("adjoint {method:?} {t} {d}"),
                );
            }
        }
    }
}

#[test]
fn sensitivities_pass_through_a_kink() {
    // y' = -a y until y = b, then y' = -c y: y = b exp(-c (t - t*)), t* = log(y0 / b) / a.
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
        let settings = options(method, 1e-10);
        let at = [y0];
        let start = (0.0, at.as_slice(), &[1.0][..]);
        let model = Switch { after: false };
        let found = forward_sensitivities(model.clone(), &p, start, t, &Save::Final, &settings)
            .expect("switches");
        let back = adjoint(model, &p, (0.0, &[y0], t), &settings, 3, |_t, _y, slope| {
            slope[0] += 1.0
        })
        .expect("switches");
        near(found.state()[0], y, 1e-8, method.name());
        for (d, exact) in exact.into_iter().enumerate() {
            near(
                found.column(d)[0],
                exact,
                1e-7,
                &format!("{method:?} forward {d}"),
            );
            let gradient = if d == 0 {
                back.initial[0]
            } else {
                back.parameters[d - 1]
            };
            near(gradient, exact, 1e-7, &format!("{method:?} adjoint {d}"));
        }
    }
}

/// Observations at stops add up; an observation at a terminal event moves with its instant.
#[test]
fn observations_at_stops_and_at_a_terminal_event() {
    let (k, y0): (f64, f64) = (0.7, 2.0);
    for method in METHODS {
        let mut settings = options(method, 1e-10);
        settings.stops = vec![0.5, 2.0, 1.25];
        let back = adjoint(
            Decay,
            &[k],
            (0.0, &[y0], 3.0),
            &settings,
            2,
            |t, y, slope| {
                slope[0] += t * y[0];
            },
        )
        .expect("smooth");
        let times = [0.5, 1.25, 2.0, 3.0];
        let by_rate: f64 = times
            .iter()
            .map(|t| -t * t * y0 * y0 * (-2.0 * k * t).exp())
            .sum();
        let by_start: f64 = times.iter().map(|t| t * y0 * (-2.0 * k * t).exp()).sum();
        near(back.parameters[0], by_rate, 1e-8, method.name());
        near(back.initial[0], by_start, 1e-8, method.name());

        // y1' = -a y1, y2' = 1, ends where y1 = b: y2 is the instant log(y0 / b) / a.
        let p = [0.7, 0.5];
        let settings = options(method, 1e-10);
        let at = [y0, 0.0];
        let run = (0.0, at.as_slice(), 10.0);
        let back = adjoint(Threshold, &p, run, &settings, 3, |_t, _y, slope| {
            slope[1] += 1.0
        })
        .expect("ends");
        assert_eq!(back.solution.outcome, Outcome::Terminated, "{method:?}");
        let instant = (y0 / p[1]).ln() / p[0];
        near(back.solution.last_time, instant, 1e-9, method.name());
        near(back.initial[0], 1.0 / (p[0] * y0), 1e-8, method.name());
        near(back.parameters[0], -instant / p[0], 1e-8, method.name());
        near(
            back.parameters[1],
            -1.0 / (p[0] * p[1]),
            1e-8,
            method.name(),
        );
    }
}
