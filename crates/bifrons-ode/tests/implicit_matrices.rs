//! The same problem with every kind of mass matrix and Jacobian gives the same solution.
#![expect(clippy::expect_used, reason = "a failed test helper is a failed test")]

use bifrons_ode::{Mass, MatrixMut, Method, Options, Pattern, Problem, Save, Structure, Tolerance};
use bifrons_ode::{closure, solve};
use proptest::prelude::*;

const METHODS: [Method; 3] = [Method::TrBdf2, Method::Esdirk4, Method::Esdirk5];
const N: usize = 6;

/// `y' = g(t, y)`: coupled to neighbours only, stiff.
fn g(t: f64, y: &[f64], dy: &mut [f64]) {
    for i in 0..N {
        let left = if i > 0 { y[i - 1] } else { t.cos() };
        let right = if i + 1 < N { y[i + 1] } else { 0.0 };
        dy[i] = 200.0 * (left - 2.0 * y[i] + right) - y[i] * y[i] * y[i];
    }
}

fn jacobian_of_g(_t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
    for i in 0..N {
        out.set(i, i, -400.0 - 3.0 * y[i] * y[i]);
        if i > 0 {
            out.set(i, i - 1, 200.0);
            out.set(i - 1, i, 200.0);
        }
    }
}

fn options(method: Method, rtol: f64) -> Options {
    let mut options = Options::with_tolerance(Tolerance::new(rtol, rtol).expect("valid"));
    options.method = method;
    options
}

fn end<P: Problem>(mut problem: P, options: &Options) -> Vec<f64> {
    let solution = solve(&mut problem, 0.0, &[0.5; N], 1.0, &Save::Final, options);
    solution.expect("solvable").last_state
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

fn band() -> Pattern {
    let near = |i: usize, j: usize| i.abs_diff(j) <= 1;
    let all = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
    let entries: Vec<(usize, usize)> = all.filter(|&(i, j)| near(i, j)).collect();
    Pattern::from_entries(N, &entries).expect("inside")
}

fn structures() -> [Structure; 3] {
    [
        Structure::Dense,
        Structure::Banded { lower: 1, upper: 1 },
        Structure::Sparse(band()),
    ]
}

#[test]
fn jacobians_of_every_structure_and_differences_agree() {
    for method in METHODS {
        let options = options(method, 1e-6);
        let wanted = end(
            closure(N, g).with_jacobian(Structure::Dense, jacobian_of_g),
            &options,
        );
        for structure in structures() {
            let given = closure(N, g).with_jacobian(structure.clone(), jacobian_of_g);
            let difference = distance(&end(given, &options), &wanted);
            assert!(
                difference < 1e-12,
                "{method:?} {structure:?}: {difference:e}"
            );
            let estimated = closure(N, g).with_structure(structure.clone());
            let difference = distance(&end(estimated, &options), &wanted);
            assert!(
                difference < 1e-7,
                "{method:?} {structure:?}: {difference:e}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// `M y' = M g` with a dominant tridiagonal `M` of every structure.
    #[test]
    fn mass_matrices_of_every_structure_agree_with_none(
        off in prop::collection::vec(-0.4_f64..0.4, 2 * N),
        diagonal in prop::collection::vec(1.0_f64..3.0, N),
        which in 0_usize..3,
    ) {
        let entry = |i: usize, j: usize| match (i == j, i.abs_diff(j)) {
            (true, _) => diagonal[i],
            (_, 1) => off[2 * i.min(j) + usize::from(i > j)],
            _ => 0.0,
        };
        let options = options(METHODS[which], 1e-7);
        let wanted = end(closure(N, g), &options);
        for structure in structures() {
            let mut values = vec![0.0; structure.value_count(N)];
            for i in 0..N {
                for j in 0..N {
                    if let Some(at) = structure.position(N, i, j) {
                        values[at] = entry(i, j);
                    }
                }
            }
            let problem = closure(N, |t: f64, y: &[f64], f: &mut [f64]| {
                let mut slope = [0.0; N];
                g(t, y, &mut slope);
                for (i, f) in f.iter_mut().enumerate() {
                    *f = (0..N).map(|j| entry(i, j) * slope[j]).sum();
                }
            });
            let found = end(problem.with_mass(Mass::Matrix(structure, values)), &options);
            let difference = distance(&found, &wanted);
            prop_assert!(difference < 2e-6, "{:?}: {difference:e}", METHODS[which]);
        }
    }
}

/// Backwards and forwards again.
#[test]
fn backward_integration() {
    for method in METHODS {
        let mut problem = closure(2, |t: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = y[1];
            dy[1] = -y[0] + 0.1 * t.sin();
        });
        let options = options(method, 1e-8);
        let there = solve(&mut problem, 0.0, &[1.0, 0.0], 2.0, &Save::Final, &options);
        let there = there.expect("smooth").last_state;
        let back = solve(&mut problem, 2.0, &there, 0.0, &Save::Final, &options);
        let back = back.expect("smooth").last_state;
        assert!(distance(&back, &[1.0, 0.0]) < 2e-5, "{method:?}: {back:?}");
    }
}
