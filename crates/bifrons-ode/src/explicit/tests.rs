//! The tableaux as they are run, against the conditions of order of all rooted trees.

use super::tableau::{Kind, Tableau};
use super::{bs32, dop853, dopri5, rk4, tsit5};
use crate::dense::polynomial;

/// A rooted tree by its children, which are positions in the list of all trees.
struct Tree {
    order: usize,
    density: f64,
    children: Vec<usize>,
}

/// All rooted trees up to an order, by ascending order.
fn trees(most: usize) -> Vec<Tree> {
    let mut all = vec![Tree {
        order: 1,
        density: 1.0,
        children: Vec::new(),
    }];
    for order in 2..=most {
        let known = all.len();
        let mut found = Vec::new();
        forests(&all[..known], order - 1, known, &mut Vec::new(), &mut found);
        for children in found {
            let below: f64 = children.iter().map(|&k| all[k].density).product();
            all.push(Tree {
                order,
                density: order as f64 * below,
                children,
            });
        }
    }
    all
}

/// Multisets of trees with `nodes` nodes together, positions not ascending and below `bound`.
fn forests(
    all: &[Tree],
    nodes: usize,
    bound: usize,
    chosen: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) {
    if nodes == 0 {
        found.push(chosen.clone());
        return;
    }
    for k in 0..bound {
        if all[k].order <= nodes {
            chosen.push(k);
            forests(all, nodes - all[k].order, k + 1, chosen, found);
            chosen.pop();
        }
    }
}

/// `ψ_i(t)` of every tree and stage: the product over the children of `Σ_j a_ij ψ_j`.
fn stage_weights(a: &[Vec<f64>], trees: &[Tree]) -> Vec<Vec<f64>> {
    let mut weights: Vec<Vec<f64>> = Vec::new();
    for tree in trees {
        let row = a.iter().map(|row| {
            tree.children
                .iter()
                .map(|&child| dot(row, &weights[child]))
                .product()
        });
        let row = row.collect();
        weights.push(row);
    }
    weights
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Largest defects of the conditions up to an order, and the largest of the next order.
fn check<K: Kind>(name: &str, order: usize, lower: usize, dense: usize) {
    let tableau = Tableau::read::<K>();
    for (row, c) in tableau.a.iter().zip(&tableau.c) {
        let sum: f64 = row.iter().sum();
        assert!((sum - c).abs() < 1e-14, "{name}: row sum {sum} at {c}");
    }
    let trees = trees(order + 1);
    let counts = [1, 1, 2, 4, 9, 20, 48, 115, 286];
    for (k, count) in counts.iter().enumerate().take(order + 1) {
        let found = trees.iter().filter(|tree| tree.order == k + 1).count();
        assert_eq!(found, *count, "trees of order {}", k + 1);
    }
    let weights = stage_weights(&tableau.a, &trees);
    let mut next = 0.0_f64;
    let mut next_lower = 0.0_f64;
    let mut next_dense = 0.0_f64;
    for (tree, psi) in trees.iter().zip(&weights) {
        let defect = (dot(&tableau.b, psi) - 1.0 / tree.density).abs();
        if tree.order <= order {
            assert!(
                defect < 1e-13,
                "{name}: defect {defect:e} of order {}",
                tree.order
            );
        } else {
            next = next.max(defect);
        }
        let error = dot(&tableau.error, psi).abs();
        if tree.order <= lower {
            assert!(
                error < 1e-13,
                "{name}: estimate {error:e} of order {}",
                tree.order
            );
        } else if tree.order == lower + 1 {
            next_lower = next_lower.max(error);
        }
        for theta in [0.1, 0.3, 0.5, 0.8, 0.95] {
            let at: Vec<f64> = tableau.dense.iter().map(|r| polynomial(r, theta)).collect();
            let power = (0..tree.order).fold(1.0, |p, _| p * theta);
            let defect = (dot(&at, psi) - power / tree.density).abs();
            if tree.order <= dense {
                assert!(
                    defect < 1e-12,
                    "{name}: {defect:e} of order {} at {theta}",
                    tree.order
                );
            } else if tree.order == dense + 1 {
                next_dense = next_dense.max(defect);
            }
        }
    }
    assert!(next > 1e-9, "{name}: the order is higher than stated");
    assert!(
        next_dense > 1e-9,
        "{name}: the dense output is better than stated"
    );
    assert!(lower == usize::MAX || next_lower > 1e-9, "{name}: estimate");
}

#[test]
fn conditions_of_order_hold_and_the_next_ones_do_not() {
    check::<dopri5::Kind>("Dopri5", 5, 4, 4);
    check::<tsit5::Kind>("Tsit5", 5, 4, 4);
    check::<bs32::Kind>("Bs32", 3, 2, 3);
    check::<rk4::Kind>("Rk4", 4, usize::MAX, 3);
    // The estimate that is read off is that of order 5, to which the one of order 3 is compared.
    check::<dop853::Kind>("Dop853", 8, 5, 7);
}
