//! Edges of runs: directions, faults, budgets, huge spans, jumps.

use bifrons_ode::{
    Failure, Fault, Mass, MatrixMut, Method, Outcome, Problem, Save, SolveError, Structure,
    Tolerance, closure, solve,
};

use super::{METHODS, options};

#[test]
fn backwards_is_forwards() {
    for method in METHODS {
        let mut problem = closure(2, |t, y, f: &mut [f64]| {
            f[0] = -0.5 * y[0] + y[1] * t.cos();
            f[1] = -y[1] + (2.0 * t).sin();
        });
        let settings = options(method, 1e-8, 1e-10);
        let there = solve(&mut problem, 0.0, &[1.0, 2.0], 1.5, &Save::Final, &settings).unwrap();
        let y1 = there.last_state;
        let back = solve(&mut problem, 1.5, &y1, 0.0, &Save::Final, &settings).unwrap();
        assert_eq!(back.last_time, 0.0);
        for (y, wanted) in back.last_state.iter().zip([1.0, 2.0]) {
            assert!((y - wanted).abs() < 2e-6, "{method:?} {y}");
        }
    }
}

#[test]
fn no_span_no_step() {
    for method in METHODS {
        let mut problem = closure(1, |_t, y, f: &mut [f64]| f[0] = -y[0]);
        let settings = options(method, 1e-6, 1e-9);
        let found = solve(&mut problem, 2.0, &[3.0], 2.0, &Save::EveryStep, &settings).unwrap();
        assert_eq!(
            (found.outcome, found.statistics.accepted),
            (Outcome::Reached, 0)
        );
        assert_eq!(found.last_state, [3.0]);
    }
}

/// `y' = −√(1 − y)`-like domains: outside of them the right-hand side is not a number.
#[test]
fn derivatives_that_do_not_exist_make_steps_smaller() {
    for method in METHODS {
        // y = (1 − t/2)², a square root that ends at zero; t stops before.
        let mut problem = closure(1, |_t, y, f: &mut [f64]| f[0] = -y[0].sqrt());
        let settings = options(method, 1e-6, 1e-9);
        let found = solve(&mut problem, 0.0, &[1.0], 1.9, &Save::Final, &settings).unwrap();
        let wanted = (1.0 - 0.95_f64).powi(2);
        assert!(
            (found.last_state[0] - wanted).abs() < 1e-4,
            "{method:?} {:?}",
            found.last_state
        );
    }
}

struct Faulty {
    fatal: bool,
}

impl Problem for Faulty {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Fault> {
        dy[0] = -y[0];
        match (t > 1.0, self.fatal) {
            (false, _) => Ok(()),
            (true, true) => Err(Fault::Fatal("the table ends")),
            (true, false) => Err(Fault::Recoverable),
        }
    }
}

#[test]
fn faults_stop_or_shrink() {
    for method in METHODS {
        let settings = options(method, 1e-6, 1e-9);
        let mut fatal = Faulty { fatal: true };
        let found = solve(&mut fatal, 0.0, &[1.0], 2.0, &Save::Final, &settings);
        let Err(SolveError::Failed { failure, partial }) = found else {
            unreachable!("{method:?} goes on");
        };
        assert!(
            matches!(failure, Failure::Fatal { t, message: "the table ends" } if t <= 1.0),
            "{method:?} {failure:?}"
        );
        let exact = (-partial.last_time).exp();
        assert!((partial.last_state[0] - exact).abs() < 1e-4, "{method:?}");
        let mut wall = Faulty { fatal: false };
        let found = solve(&mut wall, 0.0, &[1.0], 2.0, &Save::Final, &settings);
        let Err(SolveError::Failed { failure, partial }) = found else {
            unreachable!("{method:?} passes the wall");
        };
        assert!(
            matches!(failure, Failure::StepUnderflow { t, .. } if (t - 1.0).abs() < 1e-6),
            "{method:?} {failure:?}"
        );
        assert!(partial.statistics.not_finite > 0, "{method:?}");
    }
}

#[test]
fn budgets_keep_what_was_computed() {
    for method in METHODS {
        let mut problem = closure(1, |t, y, f: &mut [f64]| f[0] = -y[0] + (30.0 * t).sin());
        let mut settings = options(method, 1e-8, 1e-10);
        settings.max_steps = 7;
        let save = Save::EveryStep;
        let found = solve(&mut problem, 0.0, &[1.0], 1e3, &save, &settings);
        let Err(SolveError::Failed { failure, partial }) = found else {
            unreachable!("{method:?} needs more steps");
        };
        assert!(
            matches!(failure, Failure::StepBudget { budget: 7, .. }),
            "{failure:?}"
        );
        assert!(partial.times.len() > 1 && partial.last_time < 1e3);
    }
}

#[test]
fn huge_spans_take_few_steps() {
    for method in METHODS {
        let mut problem = closure(1, |_t, y, f: &mut [f64]| f[0] = -1e6 * (y[0] - 1.0));
        let settings = options(method, 1e-4, 1e-8);
        let found = solve(&mut problem, 0.0, &[0.0], 1e11, &Save::Final, &settings).unwrap();
        assert!((found.last_state[0] - 1.0).abs() < 1e-6, "{method:?}");
        assert!(
            found.statistics.accepted < 400,
            "{method:?} {:?}",
            found.statistics
        );
    }
}

#[test]
fn unknown_jumps_are_passed() {
    for method in METHODS {
        let mut problem = closure(1, |t, y, f: &mut [f64]| {
            f[0] = if t < 1.0 { -y[0] } else { 50.0 - y[0] };
        });
        let settings = options(method, 1e-6, 1e-9);
        let found = solve(&mut problem, 0.0, &[1.0], 2.0, &Save::Final, &settings).unwrap();
        let at_one = (-1.0_f64).exp();
        let wanted = 50.0 + (at_one - 50.0) * at_one;
        let error = (found.last_state[0] - wanted).abs();
        assert!(error < 3e-3, "{method:?}: {error:e}");
    }
}

#[test]
fn zero_derivatives_and_zero_states_are_no_trouble() {
    for method in METHODS {
        let mut problem = closure(2, |_t, _y, f: &mut [f64]| f.fill(0.0));
        let settings = options(method, 1e-6, 1e-9);
        let found = solve(&mut problem, 0.0, &[0.0, 5.0], 1e9, &Save::Final, &settings).unwrap();
        assert_eq!(found.last_state, [0.0, 5.0], "{method:?}");
        assert!(
            found.statistics.accepted < 60,
            "{method:?} {:?}",
            found.statistics
        );
    }
}

/// A weight that is zero belongs to a component that never moves; otherwise the step fails.
#[test]
fn weights_may_vanish_where_nothing_moves() {
    for method in METHODS {
        let mut problem = closure(2, |_t, y, f: &mut [f64]| {
            f[0] = -y[0];
            f[1] = 0.0;
        });
        let mut settings = options(method, 1e-6, 0.0);
        settings.tolerance = Tolerance::new(1e-6, 0.0).unwrap();
        let found = solve(&mut problem, 0.0, &[1.0, 0.0], 1.0, &Save::Final, &settings).unwrap();
        assert!(
            (found.last_state[0] - (-1.0_f64).exp()).abs() < 1e-4,
            "{method:?}"
        );
        assert_eq!(found.last_state[1], 0.0, "{method:?}");
    }
}

#[test]
fn relative_tolerances_at_round_off_end() {
    for method in [Method::Bdf, Method::Radau, Method::Rodas5P, Method::Esdirk5] {
        let mut problem = closure(1, |_t, y, f: &mut [f64]| f[0] = -y[0]);
        let mut settings = options(method, 1e-13, 1e-14);
        settings.max_steps = 200_000;
        let found = solve(&mut problem, 0.0, &[1.0], 0.1, &Save::Final, &settings).unwrap();
        let error = (found.last_state[0] - (-0.1_f64).exp()).abs();
        assert!(error < 1e-11, "{method:?} {error:e}");
    }
}

/// The same problem with dense, banded and sparse matrices, given or by differences.
#[test]
fn structures_agree() {
    let n = 40;
    let rhs = |_t: f64, y: &[f64], f: &mut [f64]| {
        let n = y.len();
        for i in 0..n {
            let left = if i > 0 { y[i - 1] } else { 0.0 };
            let right = if i + 1 < n { y[i + 1] } else { 0.0 };
            f[i] = 100.0 * (left - 2.0 * y[i] + right) - y[i] * y[i] * y[i];
        }
    };
    let fill = |_t: f64, y: &[f64], out: &mut MatrixMut<'_>| {
        for i in 0..y.len() {
            out.set(i, i, -200.0 - 3.0 * y[i] * y[i]);
            if i > 0 {
                out.set(i, i - 1, 100.0);
                out.set(i - 1, i, 100.0);
            }
        }
    };
    let entries: Vec<_> = (0..n)
        .flat_map(|i: usize| [(i, i), (i, i.saturating_sub(1)), (i.saturating_sub(1), i)])
        .collect();
    let sparse = Structure::Sparse(bifrons_ode::Pattern::from_entries(n, &entries).unwrap());
    let band = Structure::Banded { lower: 1, upper: 1 };
    let y0: Vec<f64> = (0..n).map(|i| (0.3 * i as f64).sin()).collect();
    for method in METHODS {
        let settings = options(method, 1e-7, 1e-9);
        let save = Save::Final;
        let mut dense = closure(n, rhs);
        let wanted = solve(&mut dense, 0.0, &y0, 0.3, &save, &settings)
            .unwrap()
            .last_state;
        for structure in [Structure::Dense, band.clone(), sparse.clone()] {
            let mut given = closure(n, rhs).with_jacobian(structure.clone(), fill);
            let a = solve(&mut given, 0.0, &y0, 0.3, &save, &settings).unwrap();
            let mut differences = closure(n, rhs).with_structure(structure.clone());
            let b = solve(&mut differences, 0.0, &y0, 0.3, &save, &settings).unwrap();
            // A mass matrix of twos, and twice the right-hand side.
            let twice = |t: f64, y: &[f64], f: &mut [f64]| {
                rhs(t, y, f);
                f.iter_mut().for_each(|f| *f *= 2.0);
            };
            let mass = Mass::Diagonal(vec![2.0; n]);
            let mut scaled = closure(n, twice).with_structure(structure).with_mass(mass);
            let c = solve(&mut scaled, 0.0, &y0, 0.3, &save, &settings).unwrap();
            for found in [a, b, c] {
                for (y, w) in found.last_state.iter().zip(&wanted) {
                    assert!((y - w).abs() < 3e-6, "{method:?} {y} {w}");
                }
            }
        }
    }
}
