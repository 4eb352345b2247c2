//! Random networks against independent solutions.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and show their errors"
)]

mod support;

use bifrons_dae::library::electrical::{CurrentSource, Ground, Resistor};
use bifrons_dae::library::planar::{Pivot, PointMass, RigidRod};
use bifrons_dae::library::translational::{Fixed, Mass, Spring};
use bifrons_dae::{NetworkBuilder, Pin};
use bifrons_ode::Tolerance;
use proptest::prelude::*;

/// Solution of a dense system by elimination with partial pivoting.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()));
        let pivot = pivot.expect("rows");
        a.swap(k, pivot);
        b.swap(k, pivot);
        let (top, rest) = a.split_at_mut(k + 1);
        let head = &top[k];
        for (row, i) in rest.iter_mut().zip(k + 1..n) {
            let factor = row[k] / head[k];
            for (value, other) in row.iter_mut().zip(head) {
                *value -= factor * other;
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

/// 24, or what `PROPTEST_CASES` says.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// A connected net of resistors between `n` nodes and ground, fed by currents, against nodal
    /// analysis. Both solve well-conditioned systems: with resistances of 0.1 to 10 and at most 32
    /// of them the condition of the conductances is below 1e4, so 1e-9 leaves room for round-off.
    #[test]
    fn resistors_agree_with_nodal_analysis(
        tree in prop::collection::vec((any::<prop::sample::Index>(), 0.1..10.0_f64), 1..8),
        extra in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0.1..10.0_f64), 0..16),
        feeds in prop::collection::vec((any::<prop::sample::Index>(), -1.0..1.0_f64), 1..5),
    ) {
        let n = tree.len();
        // Node 0 is ground.
        let mut edges: Vec<(usize, usize, f64)> = Vec::new();
        for (k, (to, r)) in tree.iter().enumerate() {
            edges.push((k + 1, to.index(k + 1), *r));
        }
        for (a, b, r) in &extra {
            edges.push((a.index(n + 1), b.index(n + 1), *r));
        }
        let mut net = NetworkBuilder::new("resistors");
        let mut nodes: Vec<Vec<Pin>> = vec![Vec::new(); n + 1];
        let mut matrix = vec![vec![0.0; n]; n];
        let mut right = vec![0.0; n];
        for (k, &(a, b, r)) in edges.iter().enumerate() {
            let part = net.add(format!("r{k}"), Resistor::new(r)).unwrap();
            nodes[a].push(part.pin("p"));
            nodes[b].push(part.pin("n"));
            if a == b {
                continue;
            }
            for (i, j) in [(a, b), (b, a)] {
                if i > 0 {
                    matrix[i - 1][i - 1] += 1.0 / r;
                    if j > 0 {
                        matrix[i - 1][j - 1] -= 1.0 / r;
                    }
                }
            }
        }
        let ground = net.add("ground", Ground::new()).unwrap();
        nodes[0].push(ground.pin("p"));
        for (k, (node, i)) in feeds.iter().enumerate() {
            let node = 1 + node.index(n);
            let part = net.add(format!("i{k}"), CurrentSource::new(*i)).unwrap();
            // From ground through the source into the node.
            nodes[0].push(part.pin("p"));
            nodes[node].push(part.pin("n"));
            right[node - 1] += i;
        }
        for pins in nodes {
            net.join(pins).unwrap();
        }
        let model = net.build().flatten().unwrap().reduce().unwrap();
        let names: Vec<String> = (0..n).map(|k| format!("r{k}.p.v")).collect();
        let run = model.simulation().span(0.0, 0.0).record(names).run().unwrap();
        let expected = solve(matrix, right);
        for (found, expected) in run.last.iter().zip(&expected) {
            prop_assert!((found - expected).abs() <= 1e-9 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }

    /// A chain of unequal masses and springs against the solution of its equations by powers of the
    /// matrix. Frequencies are below sqrt(4 · 10 / 0.5) < 9, the series of cos(√A t) for t = 1 has
    /// fallen below 1e-18 after 30 terms; the tolerance of the run is 1e-10.
    #[test]
    fn chains_agree_with_the_series_of_their_matrix(
        links in prop::collection::vec((0.5..2.0_f64, 1.0..10.0_f64, -1.0..1.0_f64), 1..6),
    ) {
        let n = links.len();
        let mut net = NetworkBuilder::new("chain");
        let wall = net.add("wall", Fixed::new(0.0)).unwrap();
        let mut last = wall.pin("a");
        for (k, (m, c, x)) in links.iter().enumerate() {
            let spring = net.add(format!("spring{k}"), Spring::new(*c, 0.0)).unwrap();
            let mass = Mass::new(*m).position(*x).speed(0.0);
            let mass = net.add(format!("mass{k}"), mass).unwrap();
            net.connect(last, spring.pin("a")).unwrap();
            net.connect(spring.pin("b"), mass.pin("a")).unwrap();
            last = mass.pin("a");
        }
        let model = net.build().flatten().unwrap().reduce().unwrap();
        let names: Vec<String> = (0..n).map(|k| format!("mass{k}.s")).collect();
        let run = model.simulation().record(names).tolerance(support::tight()).run().unwrap();
        // x(1) = Σ (-A)^k x0 / (2k)!.
        let apply = |x: &[f64]| -> Vec<f64> {
            let place = |k: usize| if k == 0 { 0.0 } else { x[k - 1] };
            let pull = |k: usize| links[k].1 * (place(k + 1) - place(k));
            (0..n).map(|k| {
                let right = if k + 1 < n { pull(k + 1) } else { 0.0 };
                (right - pull(k)) / links[k].0
            }).collect()
        };
        let mut term: Vec<f64> = links.iter().map(|l| l.2).collect();
        let mut sum = term.clone();
        for k in 1..40 {
            let scale = f64::from(2 * k * (2 * k - 1));
            term = apply(&term).iter().map(|v| v / scale).collect();
            sum.iter_mut().zip(&term).for_each(|(s, t)| *s += t);
        }
        for (found, expected) in run.last.iter().zip(&sum) {
            prop_assert!((found - expected).abs() < 2e-8, "{found} {expected}");
        }
    }

    /// Chains of rigid rods with masses (index 3) keep their energy and their lengths.
    #[test]
    fn linkages_keep_their_energy(
        rods in prop::collection::vec((0.5..2.0_f64, 0.5..2.0_f64, 0.1..1.2_f64), 1..4),
    ) {
        let g = 9.81;
        let mut net = NetworkBuilder::new("linkage");
        let pivot = net.add("pivot", Pivot::new(0.0, 0.0)).unwrap();
        let mut last = pivot.pin("a");
        let (mut x, mut y) = (0.0, 0.0);
        let mut names = Vec::new();
        for (k, (m, length, angle)) in rods.iter().enumerate() {
            x += length * angle.sin();
            y -= length * angle.cos();
            let rod = net.add(format!("rod{k}"), RigidRod::new(*length)).unwrap();
            let mass = PointMass::new(*m, g).x(x).y(y).vx(0.0).vy(0.0);
            let mass = net.add(format!("m{k}"), mass).unwrap();
            net.connect(last, rod.pin("a")).unwrap();
            net.connect(rod.pin("b"), mass.pin("a")).unwrap();
            last = mass.pin("a");
            names.extend(["x", "y", "vx", "vy"].map(|v| format!("m{k}.{v}")));
        }
        let model = net.build().flatten().unwrap().reduce().unwrap();
        prop_assert_eq!(model.structural_index(), 3);
        prop_assert_eq!(model.freedom(), 2 * rods.len());
        let times = support::grid(0.0, 0.5, 6);
        let run = model.simulation().span(0.0, 0.5).times(times).record(names)
            .tolerance(Tolerance::new(1e-9, 1e-11).unwrap()).run().unwrap();
        let energy = |row: &[f64]| -> f64 {
            let bodies = rods.iter().zip(row.chunks_exact(4));
            bodies.map(|((m, ..), b)| m * (0.5 * (b[2] * b[2] + b[3] * b[3]) + g * b[1])).sum()
        };
        // What could be turned into motion bounds the scale.
        let scale: f64 = rods.iter().map(|(m, ..)| m * g * 6.0).sum();
        let rows: Vec<&[f64]> = run.rows.chunks_exact(4 * rods.len()).collect();
        for row in &rows {
            let error = (energy(row) - energy(rows[0])).abs() / scale;
            prop_assert!(error < 1e-6, "energy {error:e}");
            let mut from = (0.0, 0.0);
            for ((_, length, _), b) in rods.iter().zip(row.chunks_exact(4)) {
                let found = (b[0] - from.0).hypot(b[1] - from.1);
                prop_assert!((found - length).abs() < 1e-9, "length {found} {length}");
                from = (b[0], b[1]);
            }
        }
    }
}
