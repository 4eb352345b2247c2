//! The tableaux as they are run, against the conditions of order of all rooted trees.

use super::stages::Stages;
use super::{bs32, dop853, dopri5, rk4, tsit5};
use crate::dense::polynomial;
use crate::ensemble::EnsembleWorkspace;
use crate::problem::LaneProblem;

/// Answers its `j`-th call by the `j`-th unit vector, and notes where it was called.
struct Impulses {
    times: Vec<f64>,
    arguments: Vec<Vec<f64>>,
}

impl LaneProblem<1> for Impulses {
    fn dimension(&self) -> usize {
        SLOTS
    }
    fn load(&mut self, _lane: usize, _member: usize, _state: &mut [f64]) {}
    fn rhs(&mut self, t: &[f64; 1], y: &[[f64; 1]], dy: &mut [[f64; 1]]) {
        dy.fill([0.0]);
        // The first stage is slot 0, it is not called for.
        dy[self.times.len() + 1] = [1.0];
        self.times.push(t[0]);
        self.arguments.push(y.as_flattened().to_vec());
    }
    fn rhs_one(&mut self, _lane: usize, _t: f64, _y: &[f64], _dy: &mut [f64]) {}
}

const SLOTS: usize = 20;

/// Coefficients of a method, read off from one step with `y = 0`, `h = 1`.
struct Tableau {
    a: Vec<Vec<f64>>,
    c: Vec<f64>,
    b: Vec<f64>,
    error: Vec<f64>,
    /// Per slot: coefficients of the interpolant.
    dense: Vec<Vec<f64>>,
}

/// A method by its type.
trait Method {
    type Arrays<'w>: Stages<'w, 1>;
}

macro_rules! methods {
    ($($name:ident = $module:ident)*) => {
        $(
            enum $name {}
            impl Method for $name {
                type Arrays<'w> = $module::Arrays<'w, 1>;
            }
        )*
    };
}

methods! { Dopri5 = dopri5 Tsit5 = tsit5 Bs32 = bs32 Rk4 = rk4 Dop853 = dop853 }

fn tableau<M: Method>() -> Tableau {
    let mut workspace = EnsembleWorkspace::<1>::with_arrays(SLOTS, 16);
    let (mut stages, ..) = workspace.split::<M::Arrays<'_>>();
    stages.start_mut().1[0] = [1.0];
    let mut problem = Impulses {
        times: Vec::new(),
        arguments: Vec::new(),
    };
    stages.attempt(SLOTS, &mut problem, &[0.0], &[1.0], &[1.0]);
    let b = stages.end().0.as_flattened().to_vec();
    let error = (0..SLOTS).map(|i| stages.local_error(i, 0, 1.0)).collect();
    stages.prepare(SLOTS, &mut problem, &[0.0], &[1.0]);
    let dense = (0..SLOTS)
        .map(|i| {
            let mut row = vec![0.0; M::Arrays::<'_>::COEFFICIENTS];
            stages.coefficients(i, 0, 1.0, &mut row);
            row
        })
        .collect();
    let mut a = vec![vec![0.0; SLOTS]];
    a.extend(problem.arguments);
    let mut c = vec![0.0];
    c.extend(problem.times);
    Tableau {
        a,
        c,
        b,
        error,
        dense,
    }
}

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
fn check<M: Method>(name: &str, order: usize, lower: usize, dense: usize) {
    let tableau = tableau::<M>();
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
    check::<Dopri5>("Dopri5", 5, 4, 4);
    check::<Tsit5>("Tsit5", 5, 4, 4);
    check::<Bs32>("Bs32", 3, 2, 3);
    check::<Rk4>("Rk4", 4, usize::MAX, 3);
    // The estimate that is read off is that of order 5, to which the one of order 3 is compared.
    check::<Dop853>("Dop853", 8, 5, 7);
}
