//! NaN and infinity from right-hand sides, root functions and inputs.

use bifrons_ode::{
    Failure, InputError, Method, Options, Problem, Save, SolveError, closure, solve,
};

use crate::{ADAPTIVE, options, partial};

/// ode-08 A: the derivative becomes infinite; the accepted part is right.
#[test]
fn a_singular_derivative_ends_with_the_accepted_part() {
    for method in ADAPTIVE {
        let mut calls = 0_u32;
        let mut root = closure(1, |t: f64, _y: &[f64], dy: &mut [f64]| {
            calls += 1;
            dy[0] = -1.0 / (2.0 * (1.0 - t).sqrt());
        });
        let settings = options(method, 1e-6, 1e-9);
        let run = solve(&mut root, 0.0, &[1.0], 2.0, &Save::EveryStep, &settings);
        let (failure, solution) = partial(run.expect_err("ends at one"));
        assert!(
            matches!(failure, Failure::StepUnderflow { .. }),
            "{method:?}: {failure:?}"
        );
        assert!(
            (0.9..=1.0).contains(&solution.last_time),
            "{}",
            solution.last_time
        );
        assert!(solution.statistics.not_finite > 0 || solution.statistics.rejected > 0);
        for (row, &t) in solution.times.iter().enumerate() {
            let y = solution.state(row)[0];
            assert!(y.is_finite(), "{method:?} at {t}");
            if t < 0.99 {
                assert!(
                    (y - (1.0 - t).sqrt()).abs() < 1e-4,
                    "{method:?} at {t}: {y}"
                );
            }
        }
        assert!(calls < 100_000, "{calls} evaluations");
    }
}

/// ode-08 B: a root function that stops being a number ends the run at the last good time.
#[test]
fn a_root_function_that_is_no_number_is_named() {
    for method in ADAPTIVE {
        let mut calls = 0_u32;
        let mut problem =
            closure(1, |_t, _y: &[f64], dy: &mut [f64]| dy[0] = 1.0).with_roots(2, |t, _y, g| {
                calls += 1;
                g[0] = 1.0;
                g[1] = if t <= 0.3 { 1.0 } else { f64::NAN };
            });
        let settings = options(method, 1e-6, 1e-9);
        let run = solve(&mut problem, 0.0, &[0.0], 1.0, &Save::EveryStep, &settings);
        let (failure, solution) = partial(run.expect_err("not a number"));
        let Failure::RootNotANumber { root: 1, t } = failure else {
            panic!("{failure:?}")
        };
        assert!(t > 0.3 && t < 0.3 + 1e-12, "{t}");
        assert!(solution.last_time <= 0.3 && solution.last_time > 0.3 - 1e-12);
        assert!((solution.last_state[0] - 0.3).abs() < 1e-12, "valid state");
        assert_eq!(solution.times.last(), Some(&solution.last_time), "last row");
        assert!(calls < 10_000, "{calls} evaluations");
    }
}

/// ode-08 B at the very start.
#[test]
fn a_root_function_that_is_no_number_at_the_start() {
    let mut problem = closure(1, |_t, _y: &[f64], dy: &mut [f64]| dy[0] = 1.0)
        .with_roots(1, |_t, _y, g| g[0] = f64::NAN);
    let run = solve(
        &mut problem,
        0.0,
        &[0.0],
        1.0,
        &Save::EveryStep,
        &Options::default(),
    );
    let (failure, solution) = partial(run.expect_err("not a number"));
    assert_eq!(failure, Failure::RootNotANumber { root: 0, t: 0.0 });
    assert_eq!(solution.times, [0.0], "the start is valid");
}

/// A handler that leaves NaN is named, the state before it is kept.
#[test]
fn a_handler_that_leaves_no_number_is_named() {
    let mut problem = closure(1, |_t, _y: &[f64], dy: &mut [f64]| dy[0] = 1.0)
        .with_roots(1, |_t, y, g| g[0] = y[0] - 0.5)
        .with_events(|_event, y| {
            y[0] = f64::NAN;
            bifrons_ode::Response::Reset
        });
    let run = solve(
        &mut problem,
        0.0,
        &[0.0],
        1.0,
        &Save::EveryStep,
        &Options::default(),
    );
    let (failure, solution) = partial(run.expect_err("not a number"));
    assert!(
        matches!(failure, Failure::EventState { component: 0, .. }),
        "{failure:?}"
    );
    assert!(
        (solution.last_state[0] - 0.5).abs() < 1e-12,
        "state at the event"
    );
    assert!(solution.states.iter().all(|y| y.is_finite()), "rows");
}

/// ode-08 C, D, E and ode-12 C to F for every method: nothing is evaluated.
#[test]
fn bad_inputs_are_refused_before_any_evaluation() {
    for method in ADAPTIVE {
        let mut calls = 0_u32;
        let mut problem = closure(1, |_t, y: &[f64], dy: &mut [f64]| {
            calls += 1;
            dy[0] = y[0];
        })
        .with_roots(1, |_t, y, g| g[0] = y[0]);
        let settings = options(method, 1e-6, 1e-9);
        for y0 in [f64::NAN, f64::INFINITY] {
            let run = solve(&mut problem, 0.0, &[y0], 1.0, &Save::Final, &settings);
            assert!(matches!(
                run,
                Err(SolveError::Input(InputError::StateNotFinite {
                    component: 0,
                    ..
                }))
            ));
        }
        let run = solve(&mut problem, 0.0, &[1.0], f64::NAN, &Save::Final, &settings);
        assert!(matches!(
            run,
            Err(SolveError::Input(InputError::SpanNotFinite {
                which: "end",
                ..
            }))
        ));
        let mut two = settings.clone();
        two.tolerance = bifrons_ode::Tolerance::per_component(1e-6, &[1e-9; 2]).expect("two");
        let run = solve(&mut problem, 0.0, &[1.0], 1.0, &Save::Final, &two);
        assert!(matches!(
            run,
            Err(SolveError::Input(InputError::ToleranceCount {
                found: 2,
                required: 1
            }))
        ));
        drop(problem);
        assert_eq!(calls, 0, "{method:?}");
    }
}

/// ode-12 A, B: components that are zero with zero weight, and systems at rest.
#[test]
fn zero_weights_with_zero_errors_are_harmless() {
    let tolerance =
        bifrons_ode::Tolerance::per_component(1e-8, &[1e-10, 1e-20, 0.0]).expect("valid");
    for method in ADAPTIVE {
        let mut settings = Options::with_tolerance(tolerance.clone());
        settings.method = method;
        let mut problem = closure(3, |_t, y: &[f64], dy: &mut [f64]| {
            dy[0] = -y[0];
            dy[1] = -2.0 * y[1];
            dy[2] = 0.0;
        });
        let run = solve(
            &mut problem,
            0.0,
            &[1.0, 1e-10, 0.0],
            5.0,
            &Save::Final,
            &settings,
        );
        let y = run.expect("decay").last_state;
        // Order 3 takes so many steps that their errors add up to more.
        let bound = if method == Method::Bs32 { 1e-5 } else { 1e-6 };
        assert!(
            (y[0] / 0.006_737_946_999_085_467 - 1.0).abs() < bound,
            "{method:?} {}",
            y[0]
        );
        assert!(
            (y[1] / 4.539_992_976_248_485e-15 - 1.0).abs() < bound,
            "{method:?} {}",
            y[1]
        );
        assert!(y[2].abs() <= 0.0, "{method:?}");
        let mut rest = closure(3, |_t, _y: &[f64], dy: &mut [f64]| dy.fill(0.0));
        let loose = options(method, 1e-3, 1e-6);
        let run = solve(&mut rest, 0.0, &[1.0; 3], 5.0, &Save::Final, &loose).expect("rest");
        assert!(
            run.statistics.accepted <= 20,
            "{method:?} {}",
            run.statistics.accepted
        );
        assert!(
            run.last_state.iter().all(|y| (y - 1.0).abs() <= 0.0),
            "{method:?}"
        );
    }
}
