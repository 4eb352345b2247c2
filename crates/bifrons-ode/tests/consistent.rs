//! Consistent initial states, by themselves and in runs of every implicit method.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{Crossing, Mass, Method, Options, Problem, Response, RootRule, Save, Solution};
use bifrons_ode::{Failure, InitialError, Initialisation, SolveError};
use bifrons_ode::{Structure, Tolerance, closure, make_consistent, solve};
use proptest::prelude::*;

const METHODS: [Method; 7] = [
    Method::Bdf,
    Method::Radau,
    Method::Rodas4,
    Method::Rodas5P,
    Method::TrBdf2,
    Method::Esdirk4,
    Method::Esdirk5,
];

fn tolerance(rtol: f64, atol: f64) -> Tolerance {
    Tolerance::new(rtol, atol).expect("valid")
}

fn options(method: Method, rtol: f64, atol: f64) -> Options {
    let mut options = Options::with_tolerance(tolerance(rtol, atol));
    options.method = method;
    options
}

fn semi_explicit() -> Mass {
    Mass::Diagonal(vec![1.0, 0.0])
}

#[test]
fn a_violated_equation_is_named_with_its_residual() {
    // x₁' = 1 − x₁, x₂' = v, 0 = x₁ − x₂ at (0, 0.5): the second case of two values for one state.
    let mut problem = closure(3, |_t, y, f: &mut [f64]| {
        f[0] = 1.0 - y[0];
        f[1] = y[2];
        f[2] = y[0] - y[1];
    })
    .with_mass(Mass::Diagonal(vec![1.0, 1.0, 0.0]));
    let mut y = [0.0, 0.5, 0.0];
    let tolerance = Tolerance::default();
    let found = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Check, &tolerance);
    let Err(InitialError::Failed(Failure::Inconsistent {
        equation, residual, ..
    })) = found
    else {
        panic!("{found:?}");
    };
    assert_eq!(equation, 2);
    assert!((residual + 0.5).abs() < 1e-15);
    let mut y = [0.5, 0.5, 0.0];
    let found = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Check, &tolerance);
    let report = found.expect("consistent");
    assert!(report.moved.is_empty());
    assert_eq!(report.algebraic, [false, false, true]);
    // v appears in no algebraic equation: index two.
    let found = make_consistent(
        &mut problem,
        0.0,
        &mut y,
        Initialisation::Algebraic,
        &tolerance,
    );
    let Err(InitialError::Failed(error)) = found else {
        panic!("{found:?}");
    };
    assert_eq!(
        error,
        Failure::Undetermined {
            component: 2,
            t: 0.0
        }
    );
}

#[test]
fn the_hidden_equation_of_an_index_two_system_is_checked_like_any_other() {
    // The same system with 0 = v − (1 − x₁), given v = x₂' = 0 at x₁ = 0.
    let mut problem = closure(2, |_t, y, f: &mut [f64]| {
        f[0] = 1.0 - y[0];
        f[1] = y[1] - (1.0 - y[0]);
    })
    .with_mass(semi_explicit());
    let mut y = [0.0, 0.0];
    let tolerance = Tolerance::default();
    let found = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Check, &tolerance);
    let Err(InitialError::Failed(Failure::Inconsistent { residual, .. })) = found else {
        panic!("{found:?}");
    };
    assert!((residual.abs() - 1.0).abs() < 1e-15);
    let mut y = [1.0, 0.0];
    let found = make_consistent(&mut problem, 0.0, &mut y, Initialisation::Check, &tolerance);
    assert!(found.is_ok());
}

#[test]
fn slopes_of_algebraic_variables() {
    // y' = z², 0 = y z − cos t at (1, 1), t = 0: y' = 1, z' = −1.
    let mut problem = closure(2, |t: f64, y, f: &mut [f64]| {
        f[0] = y[1] * y[1];
        f[1] = y[0] * y[1] - (t + 0.25).cos() / 0.25_f64.cos();
    })
    .with_mass(semi_explicit());
    let mut y = [1.0, 0.8];
    let mode = Initialisation::AlgebraicAndDerivatives;
    let report = make_consistent(&mut problem, 0.0, &mut y, mode, &Tolerance::default());
    let report = report.expect("index one");
    assert!((y[1] - 1.0).abs() < 1e-12, "{y:?}");
    assert_eq!(report.moved.len(), 1);
    assert!((report.before[1] + 0.2).abs() < 1e-15 && report.after[1].abs() < 1e-12);
    let slopes = report.derivatives.expect("asked for");
    let wanted = [1.0, -1.0 - 0.25_f64.tan()];
    for (found, wanted) in slopes.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-6, "{slopes:?}");
    }
}

#[test]
fn a_system_without_solution_says_so() {
    let mut problem = closure(2, |_t, y, f: &mut [f64]| {
        f[0] = y[0];
        f[1] = y[1] * y[1] + 1.0;
    })
    .with_mass(semi_explicit());
    let mut y = [1.0, 3.0];
    let tolerance = Tolerance::default();
    let found = make_consistent(
        &mut problem,
        0.0,
        &mut y,
        Initialisation::Algebraic,
        &tolerance,
    );
    let Err(InitialError::Failed(Failure::NoConsistentState {
        equation, residual, ..
    })) = found
    else {
        panic!("{found:?}");
    };
    assert!(equation == 1 && residual >= 1.0);
}

#[test]
fn singular_matrices_without_an_empty_row() {
    // Two capacitors to a common node: M y is kept, the sums of currents vanish.
    let c = 1e-6;
    let mut mass = vec![0.0; 9];
    for (i, j, v) in [
        (0, 0, -c),
        (0, 1, c),
        (1, 0, c),
        (1, 1, -c),
        (2, 2, -2.0 * c),
    ] {
        mass[j * 3 + i] = v;
    }
    let f = |_t: f64, y: &[f64], f: &mut [f64]| {
        f[0] = (y[0] - 0.1) / 1000.0;
        f[1] = y[1] / 9000.0 + 1e-6 * ((y[1] / 0.1).exp() - 1.0);
        f[2] = y[2] / 500.0;
    };
    let mut problem = closure(3, f).with_mass(Mass::Matrix(Structure::Dense, mass));
    let mut y = [0.3, 0.1, 1.0];
    let mode = Initialisation::AlgebraicAndDerivatives;
    let report = make_consistent(&mut problem, 0.0, &mut y, mode, &tolerance(1e-9, 1e-12));
    let report = report.expect("index one");
    assert_eq!(report.algebraic.iter().filter(|&&a| a).count(), 1);
    assert!((y[1] - y[0] + 0.2).abs() < 1e-15, "{y:?}");
    let mut out = [0.0; 3];
    f(0.0, &y, &mut out);
    assert!((out[0] + out[1]).abs() < 1e-16, "{out:?}");
    let slopes = report.derivatives.expect("asked for");
    assert!((c * (slopes[1] - slopes[0]) - out[0]).abs() < 1e-12 * out[0].abs().max(1e-6));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Linear constraints `B x + C z = b` have one solution, whatever the guess.
    #[test]
    fn linear_constraints(
        b in prop::collection::vec(-1.0_f64..1.0, 6),
        c in prop::collection::vec(-1.0_f64..1.0, 4),
        x in prop::collection::vec(-2.0_f64..2.0, 3),
        guess in prop::collection::vec(-9.0_f64..9.0, 2),
    ) {
        let c = [c[0] + 2.5, c[1], c[2], c[3] - 2.5];
        let mut problem = closure(5, |_t, y: &[f64], f: &mut [f64]| {
            f[..3].fill(0.0);
            for i in 0..2 {
                let known: f64 = (0..3).map(|j| b[3 * i + j] * y[j]).sum();
                f[3 + i] = known + c[2 * i] * y[3] + c[2 * i + 1] * y[4];
            }
        })
        .with_mass(Mass::Diagonal(vec![1.0, 2.0, 3.0, 0.0, 0.0]));
        let mut y = [x[0], x[1], x[2], guess[0], guess[1]];
        let mode = Initialisation::Algebraic;
        make_consistent(&mut problem, 0.0, &mut y, mode, &Tolerance::default()).expect("linear");
        let right = [0, 1].map(|i| -(0..3).map(|j| b[3 * i + j] * x[j]).sum::<f64>());
        let determinant = c[0] * c[3] - c[1] * c[2];
        let wanted = [
            (right[0] * c[3] - c[1] * right[1]) / determinant,
            (c[0] * right[1] - c[2] * right[0]) / determinant,
        ];
        prop_assert_eq!(&y[..3], &x[..]);
        prop_assert!((y[3] - wanted[0]).abs() < 1e-9 && (y[4] - wanted[1]).abs() < 1e-9);
    }
}

#[test]
fn runs_refuse_or_repair_an_inconsistent_start() {
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = -(y[0] - y[1]);
            f[1] = y[1].powi(3) + y[1] - 2.0;
        })
        .with_mass(semi_explicit());
        let mut options = options(method, 1e-8, 1e-10);
        let run = |problem: &mut _, options: &Options| {
            solve(problem, 0.0, &[1.0, 5.0], 1.0, &Save::EveryStep, options)
        };
        let Err(SolveError::Failed { failure, .. }) = run(&mut problem, &options) else {
            panic!("{method:?}: an inconsistent start was taken");
        };
        assert!(
            matches!(failure, Failure::Inconsistent { equation: 1, .. }),
            "{failure}"
        );
        options.initialisation = Initialisation::Algebraic;
        let solution = run(&mut problem, &options).expect("repaired");
        assert!(
            (solution.state(0)[1] - 1.0).abs() < 1e-10,
            "{method:?}: recorded start"
        );
    }
}

/// The start is the solution: corrections are round-off from the first step on.
#[test]
fn equilibria_take_few_growing_steps() {
    for method in METHODS {
        for (x0, scale) in [(1.0, 1.0), (1.0 + 1e-15, 1.0), (1.0, 1e8)] {
            let mut problem = closure(2, move |_t, y: &[f64], f: &mut [f64]| {
                let z = y[1] / scale;
                f[0] = -(y[0] - y[1]);
                f[1] = z.powi(3) + z - 2.0;
            })
            .with_mass(semi_explicit());
            let options = options(method, 1e-8, 1e-10 * scale);
            let y0 = [x0 * scale, scale];
            let solution = solve(&mut problem, 0.0, &y0, 1e6, &Save::Final, &options);
            let solution = solution.unwrap_or_else(|e| panic!("{method:?} {x0} {scale}: {e:?}"));
            let s = solution.statistics;
            assert!(s.accepted + s.rejected <= 200, "{method:?}: {s:?}");
            for y in &solution.last_state {
                assert!((y / scale - 1.0).abs() < 1e-9, "{method:?}: {y}");
            }
        }
    }
}

/// `z³ = z`: the branch is that of the guess, also of the one that a handler leaves.
#[test]
fn branches_follow_the_guess() {
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = -y[0] + y[1];
            f[1] = y[1].powi(3) - y[1];
        })
        .with_mass(semi_explicit())
        .with_events(|_, y| {
            y[1] = -0.9;
            Response::Reset
        });
        let mut options = options(method, 1e-8, 1e-10);
        options.initialisation = Initialisation::Algebraic;
        options.stops = vec![1.0];
        let solution = solve(&mut problem, 0.0, &[1.0, 0.9], 2.0, &Save::Final, &options);
        let solution = solution.expect("solvable");
        let event = solution.events.last().expect("one stop");
        assert!((event.before[1] - 1.0).abs() < 1e-9 && (event.after[1] + 1.0).abs() < 1e-9);
        assert!((solution.last_state[1] + 1.0).abs() < 1e-9, "{method:?}");
    }
}

fn parabola(speed: f64) -> impl Problem {
    closure(2, move |_t, y, f: &mut [f64]| {
        f[0] = speed;
        f[1] = y[1] - y[0] * y[0];
    })
    .with_mass(semi_explicit())
}

/// Time and algebraic state of every event of a guard on `z`.
fn guarded(
    problem: impl Problem,
    method: Method,
    crossing: Crossing,
    level: f64,
    start: (f64, f64),
    end: f64,
) -> Vec<(f64, f64)> {
    let mut problem = problem
        .with_roots(1, move |_t, y, g| g[0] = y[1] - level)
        .with_rule(RootRule::new(crossing));
    let options = options(method, 1e-9, 1e-9);
    let y0 = [start.0, start.1];
    let solution = solve(&mut problem, 0.0, &y0, end, &Save::Final, &options);
    let events = solution.expect("smooth").events;
    events.iter().map(|e| (e.t, e.after[1])).collect()
}

#[test]
fn guards_on_algebraic_variables_fire_in_their_direction() {
    let loop_equation = || {
        closure(2, |_t, y: &[f64], f: &mut [f64]| {
            f[0] = 1.0;
            f[1] = y[1] + y[1].exp() - 1.0 - y[0];
        })
        .with_mass(semi_explicit())
    };
    for method in METHODS {
        for crossing in [Crossing::Either, Crossing::Rising, Crossing::Falling] {
            let a = guarded(parabola(1.0), method, crossing, 0.25, (0.0, 0.0), 1.0);
            let b = guarded(parabola(-1.0), method, crossing, 0.25, (1.0, 1.0), 1.0);
            let c = guarded(loop_equation(), method, crossing, 0.5, (0.0, 0.0), 2.0);
            let rising = usize::from(crossing != Crossing::Falling);
            let falling = usize::from(crossing != Crossing::Rising);
            assert_eq!(
                (a.len(), b.len(), c.len()),
                (rising, falling, rising),
                "{method:?}"
            );
            let wanted = [(0.5, 0.25), (0.5, 0.25), (1.148_721_270_700_128_2, 0.5)];
            for (found, wanted) in [a, b, c].iter().zip(wanted) {
                for event in found {
                    assert!((event.0 - wanted.0).abs() < 1e-7, "{method:?}: {event:?}");
                    assert!((event.1 - wanted.1).abs() < 1e-7, "{method:?}: {event:?}");
                }
            }
        }
    }
}

#[test]
fn algebraic_variables_follow_a_reset_before_anything_is_recorded() {
    for method in METHODS {
        let mut first = true;
        let mut problem = parabola(1.0)
            .with_roots(1, |_t, y, g| g[0] = y[1] - 0.25)
            .with_events(move |_, y| {
                if core::mem::take(&mut first) {
                    y[0] = 0.0;
                }
                Response::Continue
            });
        let options = options(method, 1e-9, 1e-9);
        let solution: Solution = solve(
            &mut problem,
            0.0,
            &[0.0, 0.0],
            1.0 + 1e-9,
            &Save::EveryStep,
            &options,
        )
        .expect("smooth");
        let found: Vec<_> = solution
            .events
            .iter()
            .map(|e| (e.t, e.after.to_vec()))
            .collect();
        assert_eq!(found.len(), 2, "{method:?}: {found:?}");
        assert!((found[0].0 - 0.5).abs() < 1e-7 && (found[1].0 - 1.0).abs() < 1e-6);
        assert!(
            found[0].1[1].abs() < 1e-9,
            "{method:?}: z after the reset is {}",
            found[0].1[1]
        );
        for row in 0..solution.times.len() {
            let y = solution.state(row);
            assert!(
                (y[1] - y[0] * y[0]).abs() < 1e-7,
                "{method:?}: row {row} is {y:?}"
            );
        }
    }
}
