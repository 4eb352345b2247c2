//! What each problem says about itself.

use std::collections::BTreeSet;

use bifrons_ode::{Mass, MatrixMut, Problem as _};
use bifrons_problems::ode::{Kind, ReferenceProblem, Visit, visit_all};

struct Data(BTreeSet<&'static str>);

impl Visit for Data {
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M) {
        let facts = model.facts();
        let name = facts.name;
        let n = model.dimension();
        assert!(self.0.insert(name), "{name} twice");
        assert!(N == 0 || N == n, "{name}: dimension");
        assert!(M::DIMENSION == 0 || M::DIMENSION == n, "{name}: dimension");
        assert!(
            !facts.statement.is_empty() && !facts.source.is_empty(),
            "{name}"
        );
        assert_eq!(model.initial().len(), n, "{name}: initial state");
        assert_eq!(model.initial_slope().len(), n, "{name}: initial slope");
        let known = model.known();
        assert!(
            known.windows(2).all(|pair| pair[0].0 < pair[1].0),
            "{name}: times"
        );
        for (t, state) in &known {
            assert_eq!(state.len(), n, "{name} at {t}");
            assert!(
                t.is_finite() && state.iter().all(|y| y.is_finite()),
                "{name} at {t}"
            );
        }
        let (end, state) = model.end();
        assert!(end > 0.0 && state.len() == n, "{name}: end {end}");
        assert!(
            model.error(&state, &state) <= 0.0,
            "{name}: a state is itself"
        );
        let moved: Vec<f64> = state
            .iter()
            .map(|y| y + 3e-5 * (facts.scale + y.abs()))
            .collect();
        let error = model.error(&moved, &state);
        assert!((error - 3e-5).abs() < 1e-9, "{name}: error {error}");
        let singular = !matches!(model.mass(), Mass::Identity);
        assert_eq!(
            facts.kind == Kind::Algebraic,
            singular,
            "{name}: kind and mass"
        );
        let stated = model.problem();
        assert_eq!(stated.dimension(), n, "{name}");
        assert!(
            stated.has_jacobian() && !stated.without_jacobian().has_jacobian(),
            "{name}"
        );
    }
}

#[test]
fn data_have_the_right_sizes() {
    let mut data = Data(BTreeSet::new());
    visit_all(&mut data);
    assert_eq!(data.0.len(), 31, "{:?}", data.0);
}

struct Jacobians;

impl Visit for Jacobians {
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M) {
        let mut at = vec![(0.0, model.initial())];
        at.extend(model.known().into_iter().take(2));
        for (t, y) in at {
            // Away from zeros, where square roots have no derivative, and from symmetries.
            let wave = |i: usize| f64::from(u32::try_from(i % 7).expect("small")) - 3.0;
            let scale = model.facts().scale;
            let y: Vec<f64> = (0..y.len())
                .map(|i| y[i] + 1e-3 * (0.01 * scale + y[i].abs()) * (1.5 + wave(i)))
                .collect();
            compare(model, t, &y);
        }
    }
}

/// The Jacobian as a dense matrix by columns.
fn dense<M: ReferenceProblem>(model: &M, t: f64, y: &[f64]) -> Vec<f64> {
    let n = model.dimension();
    let structure = model.structure();
    let mut values = vec![0.0; structure.value_count(n)];
    let mut out = MatrixMut::new(n, structure, &mut values).expect("matching size");
    model.jacobian(t, y, &mut out);
    let entry = |k: usize| {
        structure
            .position(n, k % n, k / n)
            .map_or(0.0, |at| values[at])
    };
    (0..n * n).map(entry).collect()
}

/// Central differences of four points, error `O(h⁴)`, on the columns of the Jacobian.
fn compare<M: ReferenceProblem>(model: &M, t: f64, y: &[f64]) {
    let name = model.facts().name;
    let n = model.dimension();
    let columns = if n > 60 {
        vec![0, 1, 2, n / 2, n - 2, n - 1]
    } else {
        (0..n).collect()
    };
    let jacobian = dense(model, t, y);
    let at = |j: usize, h: f64| {
        let mut moved = y.to_vec();
        moved[j] += h;
        let mut dy = vec![0.0; n];
        model.derivative(t, &moved, &mut dy);
        dy
    };
    for j in columns {
        let step = match name {
            "e5" => 1e-2 * y[j].abs().max(1e-14),
            "transistor_amplifier" | "ring_modulator" | "arenstorf" => 1e-5,
            _ => 1e-3 * (model.facts().scale.min(1e-3) + y[j].abs()),
        };
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| at(j, k * step));
        let mut column = 0.0_f64;
        let mut size = 0.0_f64;
        for i in 0..n {
            column = column.max(jacobian[j * n + i].abs());
            size = size.max(c[i].abs());
        }
        for i in 0..n {
            let found = jacobian[j * n + i];
            let expected = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * step);
            let allowed = 1e-6 * column + 1e-9 * found.abs() + 1e-14 * size / step;
            assert!(
                (found - expected).abs() <= allowed,
                "{name} ({i}, {j}) at {t}: {found:e}, by differences {expected:e}"
            );
        }
    }
}

#[test]
fn jacobians_are_those_of_differences() {
    visit_all(&mut Jacobians);
}
