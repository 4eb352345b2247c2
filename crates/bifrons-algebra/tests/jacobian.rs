//! Colourings and coloured differences.

use bifrons_algebra::differences::Differences;
use bifrons_algebra::{Colouring, Sparsity, Structure};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_of_a_group_share_no_row(n in 1_usize..60, places in prop::collection::vec((0_usize..60, 0_usize..60), 0..200)) {
        let places = places.into_iter().map(|(i, j)| (i % n, j % n));
        let structure = Structure::Sparse(Sparsity::from_places(n, places).unwrap());
        let colouring = Colouring::new(&structure);
        let mut seen = vec![false; n];
        for group in 0..colouring.group_count() {
            let mut rows = vec![false; n];
            for &column in colouring.columns(group) {
                let column = column as usize;
                prop_assert_eq!(colouring.group_of(column), group);
                prop_assert!(!core::mem::replace(&mut seen[column], true));
                let mut free = true;
                structure.for_column(column, |row, _| free &= !core::mem::replace(&mut rows[row], true));
                prop_assert!(free, "row twice in group {}", group);
            }
        }
        prop_assert!(seen.iter().all(|&s| s), "a column without group");
    }
}

#[test]
fn bands_need_their_width() {
    assert_eq!(
        Colouring::new(&Structure::banded(50, 2, 1)).group_count(),
        4
    );
    assert_eq!(Colouring::new(&Structure::dense(7)).group_count(), 7);
    assert_eq!(Colouring::new(&Structure::diagonal(7)).group_count(), 1);
    assert_eq!(Colouring::new(&Structure::dense(0)).group_count(), 0);
    // Five-point stencil on 12 × 12: the longest row has five entries.
    let m = 12;
    let mut places = Vec::new();
    for k in 0..m * m {
        places.push((k, k));
        if k % m > 0 {
            places.extend([(k, k - 1), (k - 1, k)]);
        }
        if k >= m {
            places.extend([(k, k - m), (k - m, k)]);
        }
    }
    let stencil = Structure::Sparse(Sparsity::from_places(m * m, places).unwrap());
    let groups = Colouring::new(&stencil).group_count();
    assert!((5..=8).contains(&groups), "{groups}");
}

/// A quadratic function on a band; its exact Jacobian is known.
#[test]
fn differences_match_the_exact_jacobian() {
    let n = 23;
    let structure = Structure::banded(n, 1, 1);
    let mut differences = Differences::new(&structure);
    let f = |y: &[f64], out: &mut [f64]| {
        for i in 0..n {
            let left = if i > 0 { y[i - 1] } else { 1.0 };
            let right = if i + 1 < n { y[i + 1] } else { 1.0 };
            out[i] = y[i] * y[i] - left * right;
        }
    };
    let y: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).sin()).collect();
    let mut here = vec![0.0; n];
    f(&y, &mut here);
    let mut values = vec![0.0; structure.value_count()];
    let mut evaluations = 0;
    let count = differences
        .fill(&y, &here, &vec![1.0; n], &mut values, |y, out| {
            evaluations += 1;
            f(y, out);
            Ok::<(), ()>(())
        })
        .unwrap();
    assert_eq!((count, evaluations), (3, 3));
    for column in 0..n {
        structure.for_column(column, |row, at| {
            let exact = if row == column {
                2.0 * y[row]
            } else if row == column + 1 {
                -if row + 1 < n { y[row + 1] } else { 1.0 }
            } else {
                -if row > 0 { y[row - 1] } else { 1.0 }
            };
            assert!((values[at] - exact).abs() < 2e-7, "{row} {column}");
        });
    }
}

#[test]
fn moves_down_where_the_function_ends() {
    let mut differences = Differences::new(&Structure::diagonal(1));
    let mut values = [0.0];
    let f = |y: &[f64], out: &mut [f64]| {
        out[0] = (1.0 - y[0]).sqrt();
        if y[0] > 1.0 { Err("outside") } else { Ok(()) }
    };
    let y = [1.0 - 1e-12];
    let mut here = [0.0];
    f(&y, &mut here).unwrap();
    let count = differences.fill(&y, &here, &[1.0], &mut values, f).unwrap();
    assert_eq!(count, 2);
    assert!(values[0] < -1.0 && values[0].is_finite());
    let never = |_: &[f64], _: &mut [f64]| Err("nowhere");
    let failed = differences.fill(&y, &here, &[1.0], &mut values, never);
    assert_eq!(failed, Err("nowhere"));
}
