//! Inputs on which solvers went wrong, for every method; `docs/ODE-PITFALLS.md` lists them all.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed test helper is a failed test"
)]
#![expect(clippy::float_cmp, reason = "steps and outputs are exact by contract")]

use bifrons_ode::{Failure, InputError, Mass, Method, Options, Problem, Save, Solution};
use bifrons_ode::{SolveError, Structure, Tolerance, closure, solve};

const ADAPTIVE: [Method; 11] = [
    Method::Dopri5,
    Method::Tsit5,
    Method::Bs32,
    Method::Dop853,
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
];

fn options(method: Method, relative: f64, absolute: f64) -> Options {
    let tolerance = Tolerance::new(relative, absolute).expect("valid");
    let mut options = Options::with_tolerance(tolerance);
    options.method = method;
    options
}

fn run(problem: &mut impl Problem, y0: &[f64], t_end: f64, o: &Options) -> Solution {
    let found = solve(problem, 0.0, y0, t_end, &Save::EveryStep, o);
    found.unwrap_or_else(|e| panic!("{:?}: {e:?}", o.method))
}

/// What is left is taken in one step if it is hardly more than one, in two equal ones below two.
#[test]
fn no_sliver_is_left_before_the_end() {
    for method in ADAPTIVE {
        let mut o = options(method, 1e-6, 1e-6);
        (o.initial_step, o.max_step) = (Some(1.0), Some(1.0));
        let mut still = closure(1, |_t, _y, dy| dy[0] = 0.0);
        let halves = run(&mut still, &[1.0], 1.5, &o).times;
        assert_eq!(halves, [0.0, 0.75, 1.5], "{method:?}");
        o.max_step = None;
        let mut still = closure(1, |_t, _y, dy| dy[0] = 0.0);
        let one = run(&mut still, &[1.0], 1.000_05, &o).times;
        assert_eq!(one, [0.0, 1.000_05], "{method:?}");
    }
}

/// A component that changes and has no tolerance is named, not a step that vanishes.
#[test]
fn a_component_without_tolerance_is_named() {
    let mut named = 0;
    for method in [
        Method::Bdf,
        Method::Radau,
        Method::Rodas4,
        Method::Rodas5P,
        Method::TrBdf2,
        Method::Esdirk4,
        Method::Esdirk5,
    ] {
        let mut o = options(method, 1e-6, 1e-9);
        o.tolerance = Tolerance::per_component(0.0, &[1e-9, 1e-9]).expect("valid");
        let mut ramp = closure(2, |t, y, dy| {
            dy[0] = -y[0];
            dy[1] = (5.0 * t).cos() - y[1];
        });
        let fine = solve(&mut ramp, 1.0, &[1.0, 0.0], 2.0, &Save::Final, &o);
        assert!(fine.is_ok(), "{method:?}: absolute tolerances alone");
        o.tolerance = Tolerance::per_component(1e-6, &[1e-9, 0.0]).expect("valid");
        match solve(&mut ramp, 1.0, &[1.0, 0.0], 2.0, &Save::Final, &o) {
            Err(SolveError::Failed { failure, .. }) => {
                let wanted = Failure::ZeroWeight {
                    component: 1,
                    t: 1.0,
                };
                assert_eq!(failure, wanted, "{method:?}");
                named += 1;
            }
            // A method that weighs with the end of the step, too, gets away from zero.
            other => assert!(other.is_ok(), "{method:?}: {other:?}"),
        }
    }
    assert!(
        named >= 4,
        "methods that iterate are weighed at zero: {named}"
    );
}

#[test]
fn a_relative_tolerance_below_round_off_is_raised() {
    let tolerance = Tolerance::new(1e-30, 1e-3).expect("valid");
    assert_eq!(tolerance.relative(), 10.0 * f64::EPSILON);
    for method in ADAPTIVE {
        let o = options(method, 1e-30, 1e-4);
        let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
        let end = run(&mut decay, &[1.0], 1.0, &o).last_state[0];
        assert!((end - (-1.0_f64).exp()).abs() < 1e-3, "{method:?}: {end}");
    }
}

/// A regular mass matrix is solved with, a singular one is refused by explicit methods.
#[test]
fn explicit_methods_solve_with_a_regular_mass_matrix() {
    let explicit = [Method::Dopri5, Method::Tsit5, Method::Bs32, Method::Dop853];
    let fixed = Method::Rk4 { step: 0.01 };
    let masses = [
        (
            Mass::Diagonal(vec![2.0, -4.0]),
            Mass::Diagonal(vec![2.0, 0.0]),
        ),
        (
            // By columns: [[2, 1], [1, 1]], and a matrix of rank one.
            Mass::Matrix(Structure::Dense, vec![2.0, 1.0, 1.0, 1.0]),
            Mass::Matrix(Structure::Dense, vec![1.0, 2.0, 2.0, 4.0]),
        ),
    ];
    for (k, (regular, singular)) in masses.into_iter().enumerate() {
        // M y' = M (−y₁, y₁): the solution is e^(−t), 1 − e^(−t) whatever the matrix.
        let matrix = regular.clone();
        let slope = move |_t: f64, y: &[f64], f: &mut [f64]| {
            let (a, b) = (-y[0], y[0]);
            (f[0], f[1]) = match &matrix {
                Mass::Diagonal(d) => (d[0] * a, d[1] * b),
                _ => (2.0 * a + b, a + b),
            };
        };
        for method in explicit.into_iter().chain([fixed]) {
            let o = options(method, 1e-8, 1e-8);
            let mut problem = closure(2, slope.clone()).with_mass(regular.clone());
            let end = run(&mut problem, &[1.0, 0.0], 1.0, &o).last_state;
            let e = (-1.0_f64).exp();
            assert!((end[0] - e).abs() < 1e-6, "{method:?} {k}: {end:?}");
            assert!((end[1] - (1.0 - e)).abs() < 1e-6, "{method:?} {k}: {end:?}");
            let mut problem = closure(2, slope.clone()).with_mass(singular.clone());
            let found = solve(&mut problem, 0.0, &[1.0, 0.0], 1.0, &Save::Final, &o);
            let refused = SolveError::Input(InputError::SingularMass);
            assert_eq!(found.err(), Some(refused), "{method:?} {k}");
        }
    }
}

/// Outputs: duplicates are kept, nothing is sorted, nothing lies outside.
#[test]
fn requested_times_are_kept_as_they_are() {
    for method in ADAPTIVE {
        let o = options(method, 1e-6, 1e-9);
        let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
        let mut times = |times: &[f64]| {
            let save = Save::Times(times.to_vec());
            solve(&mut decay, 0.0, &[1.0], 1.0, &save, &o)
        };
        let twice = times(&[0.0, 0.5, 0.5, 1.0]).expect("sorted");
        assert_eq!(twice.times, [0.0, 0.5, 0.5, 1.0], "{method:?}");
        assert_eq!(twice.state(1), twice.state(2), "{method:?}");
        for (list, index) in [(vec![0.5, 0.4], 1), (vec![0.5, 1.5], 1), (vec![-0.1], 0)] {
            let Err(SolveError::Input(InputError::OutputTime { index: found, .. })) = times(&list)
            else {
                panic!("{method:?}: {list:?} is taken")
            };
            assert_eq!(found, index, "{method:?}");
        }
    }
}

/// Outputs closer than a step do not change the steps.
#[test]
fn dense_outputs_shorten_no_step() {
    for method in ADAPTIVE {
        let o = options(method, 1e-6, 1e-9);
        let mut decay = closure(1, |_t, y, dy| dy[0] = -y[0]);
        let times = (0..=1000).map(|i| f64::from(i) * 1e-3).collect();
        let many = solve(&mut decay, 0.0, &[1.0], 1.0, &Save::Times(times), &o).expect("smooth");
        let none = solve(&mut decay, 0.0, &[1.0], 1.0, &Save::Final, &o).expect("smooth");
        let (a, b) = (many.statistics.accepted, none.statistics.accepted);
        assert_eq!((a, &many.last_state), (b, &none.last_state), "{method:?}");
    }
}

/// A jump that nobody has declared costs rejections, not the solution.
#[test]
fn an_undeclared_jump_is_passed() {
    for method in ADAPTIVE {
        let o = options(method, 1e-6, 1e-9);
        let mut jump = closure(1, |t, _y, dy| {
            dy[0] = if t < 1.0 / 3.0 { 1.0 } else { -2.0 }
        });
        let end = run(&mut jump, &[0.0], 1.0, &o).last_state[0];
        assert!((end + 1.0).abs() < 1e-3, "{method:?}: {end}");
    }
}

/// A state at rest: steps grow to the span, estimates of rates are not 0/0.
#[test]
fn a_state_at_rest_takes_few_steps_to_the_end_of_a_huge_span() {
    for method in ADAPTIVE {
        let mut o = options(method, 1e-6, 1e-9);
        o.initial_step = Some(1e-6);
        let mut rest = closure(2, |_t, y, dy| {
            dy[0] = -(y[0] - 1.0);
            dy[1] = 0.0;
        });
        let solution = if method.is_implicit() {
            run(&mut rest, &[1.0, 0.0], 1e11, &o)
        } else {
            let mut still = closure(2, |_t, _y, dy| dy.fill(0.0));
            run(&mut still, &[1.0, 0.0], 1e11, &o)
        };
        assert_eq!(solution.last_time, 1e11, "{method:?}");
        assert_eq!(solution.last_state, [1.0, 0.0], "{method:?}");
        let steps = solution.statistics.accepted;
        assert!(steps <= 40, "{method:?}: {steps} steps");
    }
}

/// Signs of stiffness are counted by explicit methods, and are no error.
#[test]
fn stiffness_is_reported_and_no_error() {
    for method in [Method::Dopri5, Method::Tsit5] {
        let mut o = options(method, 1e-4, 1e-4);
        // A stop puts the default method on the driver that counts.
        o.stops = vec![5.0];
        let mut stiff = closure(1, |t, y, dy| dy[0] = -2000.0 * (y[0] - t.cos()));
        let solution = run(&mut stiff, &[1.0], 5.0, &o);
        assert!(solution.statistics.stiff_suspected > 0, "{method:?}");
        let mut easy = closure(1, |t, y, dy| dy[0] = -(y[0] - t.cos()));
        let solution = run(&mut easy, &[1.0], 5.0, &o);
        assert_eq!(solution.statistics.stiff_suspected, 0, "{method:?}");
    }
}

/// A handler that changes a parameter makes implicit methods forget Jacobian and factors.
#[test]
fn a_parameter_changed_by_a_handler_is_seen() {
    for method in ADAPTIVE.into_iter().filter(|m| m.is_implicit()) {
        let rate = core::cell::Cell::new(1.0);
        let mut o = options(method, 1e-7, 1e-9);
        o.stops = vec![1.0];
        let mut decay = closure(1, |_t, y, dy| dy[0] = -rate.get() * y[0]).with_events(|_e, _y| {
            rate.set(50.0);
            bifrons_ode::Response::Kink
        });
        let end = run(&mut decay, &[1.0], 1.2, &o).last_state[0];
        let wanted = (-11.0_f64).exp();
        assert!((end - wanted).abs() < 1e-6, "{method:?}: {end} {wanted}");
    }
}

/// Tolerances that the digits of the state cannot meet are named before the first step, and on the
/// way as soon as the state has grown beyond them; what was computed until then is kept.
#[test]
fn tolerances_below_round_off_are_named() {
    for method in ADAPTIVE.into_iter().chain([Method::Auto]) {
        let o = options(method, 0.0, 1e-12);
        let mut still = closure(2, |_t, _y, dy| dy.fill(0.0));
        let found = solve(&mut still, 0.0, &[1.0, 1e6], 1.0, &Save::EveryStep, &o);
        let Err(SolveError::Failed { failure, partial }) = found else {
            panic!("{method:?}: {found:?}");
        };
        let Failure::ToleranceTooSmall {
            t,
            component,
            factor,
        } = failure
        else {
            panic!("{method:?}: {failure:?}");
        };
        let wanted = f64::EPSILON * 1e18 * 0.5_f64.sqrt();
        assert_eq!((t, component), (0.0, 1), "{method:?}");
        assert!(
            (factor / wanted - 1.0).abs() < 1e-11,
            "{method:?}: {factor}"
        );
        assert_eq!(partial.times, [0.0], "{method:?}");
        // The factor is what it says.
        let o = options(method, 0.0, 1.001e-12 * factor);
        assert_eq!(run(&mut still, &[1.0, 1e6], 1.0, &o).last_time, 1.0);

        // y = 1 + 1e6 t has round-off above 1e-9 from t = 4.5 on.
        let mut o = options(method, 0.0, 1e-9);
        o.max_step = Some(0.1);
        let mut ramp = closure(1, |_t, _y, dy| dy[0] = 1e6);
        let found = solve(&mut ramp, 0.0, &[1.0], 100.0, &Save::EveryStep, &o);
        let Err(SolveError::Failed { failure, partial }) = found else {
            panic!("{method:?}: no failure");
        };
        let Failure::ToleranceTooSmall {
            t,
            component: 0,
            factor,
        } = failure
        else {
            panic!("{method:?}: {failure:?}");
        };
        assert!(factor > 1.0 && t < 4.7, "{method:?}: {factor} at {t}");
        assert_eq!(partial.last_time, t, "{method:?}");
        assert!(partial.times.len() > 10, "{method:?}: {t}");
        let wanted = 1.0 + 1e6 * t;
        assert!(
            (partial.last_state[0] - wanted).abs() <= 1e-12 * wanted,
            "{method:?}"
        );
    }
    // Fixed steps ask for nothing.
    let o = options(Method::Rk4 { step: 0.5 }, 0.0, 1e-30);
    let mut still = closure(1, |_t, _y, dy| dy[0] = 0.0);
    assert_eq!(run(&mut still, &[1.0], 1.0, &o).last_time, 1.0);
}
