//! Models with structured Jacobians: exact entries, solutions, sensitivities and adjoints.
#![expect(clippy::unwrap_used, reason = "a failed test helper is a failed test")]

use std::cell::Cell;
use std::f64::consts::PI;

use bifrons_ode::{
    Failure, Fault, InputError, Mass, MatrixMut, Method, Model, Modelled, Options, Pattern,
    Problem, Save, Scalar, SolveError, Structure, Tolerance, adjoint, forward_sensitivities, solve,
};
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

/// `f_i = Σ c_ij y_j³` over given places.
#[derive(Clone)]
struct Cubes {
    n: usize,
    terms: Vec<(usize, usize, f64)>,
    structure: Structure,
    calls: Cell<u64>,
}

impl Model for Cubes {
    fn dimension(&self) -> usize {
        self.n
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        self.calls.set(self.calls.get() + 1);
        dy.fill(S::constant(0.0));
        for &(i, j, c) in &self.terms {
            dy[i] = dy[i] + p[0] * S::constant(c) * (y[j] * y[j] * y[j]);
        }
    }
    fn structure(&self) -> Structure {
        self.structure.clone()
    }
}

/// The Jacobian by rows.
fn jacobian(model: Cubes, y: &[f64]) -> Result<Vec<f64>, Fault> {
    let (n, structure) = (model.n, model.structure.clone());
    let mut values = vec![0.0; structure.value_count(n)];
    let mut problem = Modelled::new(model, &[2.0]);
    let mut view = MatrixMut::new(n, &structure, &mut values).unwrap();
    problem.jacobian(0.0, y, &mut view)?;
    let entry = |k: usize| {
        structure
            .position(n, k / n, k % n)
            .map_or(0.0, |at| values[at])
    };
    Ok((0..n * n).map(entry).collect())
}

fn cubes(n: usize, places: &[(usize, usize)]) -> Cubes {
    let term = |(k, &(i, j)): (usize, &(usize, usize))| (i % n, j % n, 0.5 + k as f64);
    Cubes {
        n,
        terms: places.iter().enumerate().map(term).collect(),
        structure: Structure::Dense,
        calls: Cell::new(0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Columns that share a direction do not disturb each other: the entries are those of the
    /// dense Jacobian, and those are `6 c y²` to the rounding of four products and their sum.
    #[test]
    fn coloured_entries_are_those_of_the_dense_jacobian(
        n in 1_usize..14,
        places in prop::collection::vec((0_usize..14, 0_usize..14), 0..40),
        y in prop::collection::vec(-2.0_f64..2.0, 14),
    ) {
        let mut model = cubes(n, &places);
        let y = &y[..n];
        let dense = jacobian(model.clone(), y).unwrap();
        let mut wanted = vec![0.0; n * n];
        for &(i, j, c) in &model.terms {
            wanted[i * n + j] += 6.0 * c * y[j] * y[j];
        }
        // At most 40 terms of one sign, each with a few roundings.
        for (found, wanted) in dense.iter().zip(&wanted) {
            prop_assert!((found - wanted).abs() <= 60.0 * f64::EPSILON * wanted.abs());
        }
        let pattern = Modelled::new(model.clone(), &[2.0]).observed_pattern(0.0, y).unwrap();
        let entries: Vec<_> = model.terms.iter().map(|&(i, j, _)| (i, j)).collect();
        prop_assert_eq!(&pattern, &Pattern::from_entries(n, &entries).unwrap());
        let lower = entries.iter().map(|&(i, j)| i.saturating_sub(j)).max().unwrap_or(0);
        let upper = entries.iter().map(|&(i, j)| j.saturating_sub(i)).max().unwrap_or(0);
        for structure in [Structure::Sparse(pattern), Structure::Banded { lower, upper }] {
            model.structure = structure;
            prop_assert_eq!(&jacobian(model.clone(), y).unwrap(), &dense);
        }
    }
}

#[test]
fn evaluations_are_a_quarter_of_the_groups() {
    let n = 40;
    let places: Vec<_> = (0..n)
        .flat_map(|i: usize| [(i, i), (i, (i + 1).min(n - 1)), (i, i.saturating_sub(1))])
        .collect();
    for (structure, calls) in [
        (Structure::Dense, 10),
        (Structure::Banded { lower: 1, upper: 1 }, 1),
        (Structure::Banded { lower: 3, upper: 2 }, 2),
        (
            Structure::Sparse(Pattern::from_entries(n, &places).unwrap()),
            1,
        ),
    ] {
        let mut model = cubes(n, &places);
        model.structure = structure.clone();
        let mut values = vec![0.0; structure.value_count(n)];
        let mut problem = Modelled::new(model, &[1.0]);
        let mut view = MatrixMut::new(n, &structure, &mut values).unwrap();
        problem.jacobian(0.0, &vec![0.5; n], &mut view).unwrap();
        assert_eq!(problem.model().calls.get(), calls, "{structure:?}");
    }
}

#[test]
fn a_missing_entry_is_an_error() {
    let mut model = cubes(6, &[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (0, 5)]);
    let diagonal: Vec<_> = (0..6).map(|i| (i, i)).collect();
    model.structure = Structure::Sparse(Pattern::from_entries(6, &diagonal[..5]).unwrap());
    let found = jacobian(model.clone(), &[1.0; 6]);
    assert!(
        matches!(found, Err(Fault::Fatal(_))),
        "an empty column: {found:?}"
    );
    model.structure = Structure::Sparse(
        Pattern::from_entries(6, &[(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]).unwrap(),
    );
    let found = jacobian(model.clone(), &[1.0; 6]);
    assert!(matches!(found, Err(Fault::Fatal(_))), "{found:?}");
    for method in METHODS {
        let mut problem = Modelled::new(model.clone(), &[-1.0]);
        let how = options(method, 1e-6);
        let found = solve(&mut problem, 0.0, &[1.0; 6], 1.0, &Save::Final, &how);
        let Err(SolveError::Failed { failure, .. }) = found else {
            panic!("{method:?}: {found:?}");
        };
        let Failure::Fatal { message, .. } = failure else {
            panic!("{method:?}: {failure:?}");
        };
        assert!(message.contains("Model::structure"), "{message}");
    }
    model.structure = Structure::Sparse(Pattern::from_entries(4, &[(0, 0)]).unwrap());
    let mut problem = Modelled::new(model, &[-1.0]);
    let how = options(Method::Bdf, 1e-6);
    let found = solve(&mut problem, 0.0, &[1.0; 6], 1.0, &Save::Final, &how);
    let wanted = InputError::Matrix {
        what: "columns of a pattern",
        found: 4,
        required: 6,
    };
    assert_eq!(found, Err(wanted.into()));
}

const N: usize = 20;

/// Diffusion and loss along a rod with cold ends, `y_i' = k (n + 1)² δ²y_i − r y_i`; with
/// `algebraic` a last component follows the one beside it, `0 = y_n − k y_(n−1)`.
#[derive(Clone)]
struct Rod {
    structure: Structure,
    algebraic: bool,
}

impl Model for Rod {
    fn dimension(&self) -> usize {
        N + usize::from(self.algebraic)
    }
    fn rhs<S: Scalar>(&self, _t: S, y: &[S], p: &[S], dy: &mut [S]) {
        let zero = S::constant(0.0);
        let scale = p[0] * S::constant(((N + 1) * (N + 1)) as f64);
        for i in 0..N {
            let left = if i > 0 { y[i - 1] } else { zero };
            let right = if i + 1 < N { y[i + 1] } else { zero };
            dy[i] = scale * (left + right - y[i] - y[i]) - p[1] * y[i];
        }
        if self.algebraic {
            dy[N] = y[N] - p[0] * y[N - 1];
        }
    }
    fn mass(&self) -> Mass {
        if !self.algebraic {
            return Mass::Identity;
        }
        let mut diagonal = vec![1.0; N + 1];
        diagonal[N] = 0.0;
        Mass::Diagonal(diagonal)
    }
    fn structure(&self) -> Structure {
        self.structure.clone()
    }
}

fn structures(n: usize) -> [Structure; 3] {
    let near = |i: usize| [(i, i), (i, (i + 1).min(n - 1)), (i, i.saturating_sub(1))];
    let entries: Vec<_> = (0..n).flat_map(near).collect();
    [
        Structure::Dense,
        Structure::Banded { lower: 1, upper: 1 },
        Structure::Sparse(Pattern::from_entries(n, &entries).unwrap()),
    ]
}

const K: f64 = 0.3;
const R: f64 = 0.5;
const T: f64 = 0.4;

/// Slowest mode of the rod at its start, and the rate at which conductivity damps it.
fn mode() -> (Vec<f64>, f64) {
    let m = (N + 1) as f64;
    let y0 = (0..N).map(|i| (PI * (i + 1) as f64 / m).sin()).collect();
    (y0, 4.0 * m * m * (0.5 * PI / m).sin().powi(2))
}

fn options(method: Method, relative: f64) -> Options {
    let mut options = Options::with_tolerance(Tolerance::new(relative, relative).unwrap());
    options.method = method;
    options
}

fn close(found: &[f64], wanted: &[f64], bound: f64, what: &str) {
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!((f - w).abs() <= bound, "{what}, component {i}: {f} and {w}");
    }
}

#[test]
fn states_and_sensitivities_meet_the_closed_form() {
    let (y0, rate) = mode();
    let decay = (-(K * rate + R) * T).exp();
    let wanted: Vec<f64> = y0.iter().map(|y| y * decay).collect();
    let by_k: Vec<f64> = wanted.iter().map(|y| -rate * T * y).collect();
    let by_r: Vec<f64> = wanted.iter().map(|y| -T * y).collect();
    for method in METHODS {
        let how = options(method, 1e-7);
        for structure in structures(N) {
            let what = format!("{method:?} {structure:?}");
            let algebraic = false;
            let model = Rod {
                structure,
                algebraic,
            };
            let mut problem = Modelled::new(model.clone(), &[K, R]);
            let plain = solve(&mut problem, 0.0, &y0, T, &Save::Final, &how).unwrap();
            let start = (0.0, y0.as_slice(), [].as_slice());
            let found =
                forward_sensitivities(model, &[K, R], start, T, &Save::Final, &how).unwrap();
            assert_eq!(found.state(), plain.last_state, "{what}: the same steps");
            // States and columns are of size one; a hundred tolerances for a stiff run.
            close(found.state(), &wanted, 1e-5, &what);
            close(found.column(0), &by_k, 1e-4, &what);
            close(found.column(1), &by_r, 1e-5, &what);
        }
    }
}

/// The gradient of `Σ (1 + i/7) y_i(T)` by the adjoint is that by forward sensitivities.
#[test]
fn adjoints_agree_with_forward_sensitivities() {
    let (y0, _) = mode();
    let weight = |i: usize| 1.0 + i as f64 / 7.0;
    for method in METHODS {
        let how = options(method, 1e-6);
        for structure in structures(N) {
            let what = format!("{method:?} {structure:?}");
            let algebraic = false;
            let model = Rod {
                structure,
                algebraic,
            };
            let start = (0.0, y0.as_slice(), [].as_slice());
            let forward =
                forward_sensitivities(model.clone(), &[K, R], start, T, &Save::Final, &how)
                    .unwrap();
            let back = adjoint(model, &[K, R], (0.0, &y0, T), &how, 7, |_t, _y, slope| {
                for (i, slope) in slope.iter_mut().enumerate() {
                    *slope += weight(i);
                }
            })
            .unwrap();
            for d in 0..2 {
                let sum = |column: &[f64]| -> f64 {
                    column.iter().enumerate().map(|(i, s)| weight(i) * s).sum()
                };
                let wanted = sum(forward.column(d));
                // The columns of each step are solved to 1e-3 of the tolerance.
                let found = back.parameters[d];
                assert!(
                    (found - wanted).abs() <= 1e-6 * (1.0 + wanted.abs()),
                    "{what}: {found} {wanted}"
                );
            }
        }
    }
}

/// An algebraic component, too: `y_n = k y_(n−1)`, so `∂y_n/∂k = y_(n−1) + k ∂y_(n−1)/∂k`.
#[test]
fn algebraic_components_follow_in_every_structure() {
    let (mut y0, rate) = mode();
    y0.push(K * y0[N - 1]);
    let decay = (-(K * rate + R) * T).exp();
    for method in METHODS {
        let how = options(method, 1e-7);
        for structure in structures(N + 1) {
            let what = format!("{method:?} {structure:?}");
            let algebraic = true;
            let model = Rod {
                structure,
                algebraic,
            };
            let start = (0.0, y0.as_slice(), [].as_slice());
            let found =
                forward_sensitivities(model, &[K, R], start, T, &Save::Final, &how).unwrap();
            let beside = y0[N - 1] * decay;
            close(&found.state()[N..], &[K * beside], 1e-5, &what);
            let wanted = beside - K * rate * T * beside;
            close(&found.column(0)[N..], &[wanted], 1e-4, &what);
        }
    }
}
