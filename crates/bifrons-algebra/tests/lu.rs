//! Factorisations against a naive elimination, and the edge matrices.
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "helpers of tests; exact solutions are exact"
)]

use bifrons_algebra::{Complex, FactorError, Lu, Sparsity, Structure, Union};
use proptest::prelude::*;

/// Gauss elimination with full rows and partial pivoting on a dense copy.
fn naive(structure: &Structure, values: &[Complex], b: &[Complex]) -> Vec<Complex> {
    let n = structure.dimension();
    let mut a = vec![vec![Complex::default(); n + 1]; n];
    for column in 0..n {
        structure.for_column(column, |row, at| a[row][column] = values[at]);
        a[column][n] = b[column];
    }
    let size = |z: Complex| z.re.hypot(z.im);
    for k in 0..n {
        let p = (k..n)
            .max_by(|&i, &j| size(a[i][k]).total_cmp(&size(a[j][k])))
            .unwrap();
        a.swap(k, p);
        for i in k + 1..n {
            let f = a[i][k] / a[k][k];
            for j in k..=n {
                let s = f * a[k][j];
                a[i][j] -= s;
            }
        }
    }
    let mut x = vec![Complex::default(); n];
    for k in (0..n).rev() {
        let mut s = a[k][n];
        for j in k + 1..n {
            s -= a[k][j] * x[j];
        }
        x[k] = s / a[k][k];
    }
    x
}

fn transposed(structure: &Structure, values: &[Complex]) -> (Structure, Vec<Complex>) {
    let n = structure.dimension();
    let dense = Structure::dense(n);
    let mut out = vec![Complex::default(); n * n];
    for column in 0..n {
        structure.for_column(column, |row, at| out[row * n + column] = values[at]);
    }
    (dense, out)
}

/// Pseudo-random numbers in (-1, 1), a function of seed and index.
fn noise(seed: u64, k: usize) -> f64 {
    let mut z = seed.wrapping_add((k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn structure(kind: u8, n: usize, seed: u64) -> Structure {
    match kind {
        0 => Structure::dense(n),
        1 => Structure::diagonal(n),
        2 => Structure::banded(n, (seed % 4) as usize, (seed / 4 % 4) as usize),
        _ => {
            let mut places: Vec<_> = (0..n).map(|i| (i, i)).collect();
            let at = |k: usize| ((noise(seed, k) + 1.0) * 0.4999 * n as f64) as usize;
            places.extend((0..3 * n).map(|k| (at(2 * k), at(2 * k + 1))));
            if kind == 4 {
                // No full diagonal: a cyclic shift and the same random places.
                places = places.into_iter().map(|(i, j)| ((i + 1) % n, j)).collect();
            }
            Structure::Sparse(Sparsity::from_places(n, places).unwrap())
        }
    }
}

fn close(found: &[Complex], wanted: &[Complex], tolerance: f64) -> Result<(), TestCaseError> {
    let scale = wanted
        .iter()
        .fold(1e-300_f64, |m, z| m.max(z.re.abs()).max(z.im.abs()));
    for (a, b) in found.iter().zip(wanted) {
        let d = (a.re - b.re).abs().max((a.im - b.im).abs());
        prop_assert!(d <= tolerance * scale, "{a:?} is not {b:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Refactor twice (the second time with kept pivots), solve both ways, real and complex.
    #[test]
    fn solves_like_naive_elimination(kind in 0_u8..5, n in 1_usize..90, seed in any::<u64>()) {
        let structure = structure(kind, n, seed);
        let mut complex = Lu::<Complex>::analyse(&structure);
        let mut real = Lu::<f64>::analyse(&structure);
        for round in 0..2_u64 {
            let count = structure.value_count();
            let at = |k: usize| noise(seed ^ round, k + 7);
            let mut values: Vec<f64> = (0..count).map(at).collect();
            // Heavier main (or shifted) diagonal: well conditioned.
            for j in 0..n {
                let i = if kind == 4 { (j + 1) % n } else { j };
                values[structure.position(i, j).unwrap()] += 4.0 * (n as f64).sqrt();
            }
            let twisted: Vec<Complex> =
                values.iter().enumerate().map(|(k, &v)| Complex::new(v, at(k + 9))).collect();
            let plain: Vec<Complex> = values.iter().map(|&v| v.into()).collect();
            let b: Vec<Complex> = (0..n).map(|k| Complex::new(at(k), at(k + 3))).collect();
            complex.refactor(&twisted).unwrap();
            let mut x = b.clone();
            complex.solve(&mut x);
            close(&x, &naive(&structure, &twisted, &b), 1e-12)?;
            let mut x = b.clone();
            complex.solve_transposed(&mut x);
            let (t, tv) = transposed(&structure, &twisted);
            close(&x, &naive(&t, &tv, &b), 1e-12)?;
            real.refactor(&values).unwrap();
            let b: Vec<Complex> = b.iter().map(|z| z.re.into()).collect();
            let mut x: Vec<f64> = b.iter().map(|z| z.re).collect();
            real.solve(&mut x);
            let x: Vec<Complex> = x.into_iter().map(Complex::from).collect();
            close(&x, &naive(&structure, &plain, &b), 1e-12)?;
            let mut x: Vec<f64> = b.iter().map(|z| z.re).collect();
            real.solve_transposed(&mut x);
            let x: Vec<Complex> = x.into_iter().map(Complex::from).collect();
            let (t, tv) = transposed(&structure, &plain);
            close(&x, &naive(&t, &tv, &b), 1e-12)?;
        }
    }

    /// After other matrices, a failed one included, a forgetful factorisation has the bits of a
    /// new one.
    #[test]
    fn forgotten_pivots_leave_no_trace(kind in 0_u8..5, n in 1_usize..40, seed in any::<u64>()) {
        let structure = structure(kind, n, seed);
        let count = structure.value_count();
        // Without a heavy diagonal: pivots differ from matrix to matrix.
        let values = |round: u64| -> Vec<f64> {
            (0..count).map(|k| noise(seed ^ round, k + 7)).collect()
        };
        let mut used = Lu::<f64>::analyse(&structure);
        for history in 1..3 {
            let _may_be_singular = used.refactor(&values(history));
        }
        prop_assert!(used.refactor(&vec![f64::NAN; count]).is_err());
        let _may_be_singular = used.refactor(&values(4));
        used.forget_pivots();
        let mut new = Lu::<f64>::analyse(&structure);
        let factored = new.refactor(&values(0));
        prop_assert_eq!(used.refactor(&values(0)), factored);
        let (mut a, mut b): (Vec<f64>, Vec<f64>) =
            (0..n).map(|k| (noise(seed, k), noise(seed, k))).unzip();
        if factored.is_ok() {
            used.solve(&mut a);
            new.solve(&mut b);
            let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&a), bits(&b));
            used.solve_transposed(&mut a);
            new.solve_transposed(&mut b);
            prop_assert_eq!(bits(&a), bits(&b));
            prop_assert_eq!(used.fill(), new.fill());
        }
    }

    /// `c M − J` built in the union is the matrix built entry by entry.
    #[test]
    fn unions_hold_both_matrices(a in 0_u8..5, b in 0_u8..5, n in 2_usize..30, seed in any::<u64>()) {
        let (first, second) = (structure(a, n, seed), structure(b, n, seed ^ 99));
        let union = Union::new(&first, &second).unwrap();
        let values = |s: &Structure, shift| -> Vec<f64> {
            (0..s.value_count()).map(|k| noise(seed, k + shift)).collect()
        };
        let (m, j) = (values(&first, 1), values(&second, 2));
        let count = union.structure().value_count();
        let (mut mu, mut ju) = (vec![9.0; count], vec![9.0; count]);
        union.spread_first(&m, &mut mu);
        union.spread_second(&j, &mut ju);
        for row in 0..n {
            for column in 0..n {
                let of = |s: &Structure, v: &[f64]| s.position(row, column).map_or(0.0, |k| v[k]);
                prop_assert_eq!(of(&first, &m).to_bits(), of(union.structure(), &mu).to_bits());
                prop_assert_eq!(of(&second, &j).to_bits(), of(union.structure(), &ju).to_bits());
            }
            prop_assert!(union.structure().position(row, row).is_some());
        }
    }
}

fn all_structures(n: usize) -> [Structure; 3] {
    let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    [
        Structure::dense(n),
        Structure::banded(n, n, n),
        Structure::Sparse(Sparsity::from_places(n, places).unwrap()),
    ]
}

/// The values of a matrix given by rows, in the order of a structure.
fn by_rows(structure: &Structure, rows: &[f64]) -> Vec<f64> {
    let n = structure.dimension();
    let mut values = vec![0.0; structure.value_count()];
    for column in 0..n {
        structure.for_column(column, |row, at| values[at] = rows[row * n + column]);
    }
    values
}

#[test]
fn names_the_dependent_column() {
    let rows = [
        1.0,
        1.0,
        1.0,
        -0.116_025,
        -0.116_025,
        -0.062_634_1,
        -0.75,
        -0.75,
        -0.619_973,
    ];
    for structure in all_structures(3) {
        let mut lu = Lu::<f64>::analyse(&structure);
        let found = lu.refactor(&by_rows(&structure, &rows));
        assert!(
            matches!(found, Err(FactorError::Singular { column: 0 | 1 })),
            "{found:?}"
        );
    }
    for structure in all_structures(2) {
        let mut lu = Lu::<f64>::analyse(&structure);
        let found = lu.refactor(&vec![0.0; structure.value_count()]);
        assert!(
            matches!(found, Err(FactorError::Singular { .. })),
            "{found:?}"
        );
    }
}

#[test]
fn solves_badly_scaled_and_permuted() {
    let steep = [1e16, -1e15, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for structure in all_structures(3) {
        let mut lu = Lu::<f64>::analyse(&structure);
        let values = by_rows(&structure, &steep);
        lu.refactor(&values).unwrap();
        let mut x = [0.0; 3];
        lu.solve(&mut x);
        assert_eq!(x, [0.0; 3]);
        let mut x = [1.0; 3];
        lu.solve(&mut x);
        for (x, wanted) in x.into_iter().zip([0.100_000_000_000_000_1, 1.0, 1.0]) {
            assert!((x - wanted).abs() <= 1e-12 * wanted, "{x}");
        }
    }
    for structure in all_structures(2) {
        let mut lu = Lu::<f64>::analyse(&structure);
        lu.refactor(&by_rows(&structure, &[0.0, 1.0, 1.0, 0.0]))
            .unwrap();
        let mut x = [2.0, 3.0];
        lu.solve(&mut x);
        assert_eq!(x, [3.0, 2.0]);
        assert_eq!(lu.determinant().to_bits(), (-1.0_f64).to_bits());
        lu.refactor(&by_rows(&structure, &[1e-200, 0.0, 0.0, 1e-200]))
            .unwrap();
        let mut x = [1e-200; 2];
        lu.solve(&mut x);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 1.0).abs() < 1e-14,
            "{x:?}"
        );
    }
}

#[test]
fn accepts_empty_and_refuses_not_finite() {
    for structure in all_structures(0) {
        let mut lu = Lu::<f64>::analyse(&structure);
        lu.refactor(&[]).unwrap();
        lu.solve(&mut []);
    }
    for n in [2, 5, 20, 80] {
        for structure in all_structures(n) {
            for bad in [f64::NAN, f64::INFINITY] {
                let mut rows = vec![0.0; n * n];
                for i in 0..n {
                    rows[i * n + i] = 2.0;
                }
                rows[n - 1] = bad;
                let mut lu = Lu::<f64>::analyse(&structure);
                let found = lu.refactor(&by_rows(&structure, &rows));
                assert!(
                    matches!(found, Err(FactorError::NotFinite { .. })),
                    "{found:?} {n}"
                );
            }
        }
    }
    let mut lu = Lu::<f64>::analyse(&Structure::dense(2));
    let wanted = FactorError::ValueCount {
        found: 3,
        required: 4,
    };
    assert_eq!(lu.refactor(&[1.0; 3]), Err(wanted));
}

#[test]
fn warns_of_the_hilbert_matrix() {
    let n = 12;
    let rows: Vec<f64> = (0..n * n)
        .map(|k| 1.0 / ((k / n + k % n) as f64 + 1.0))
        .collect();
    let b: Vec<f64> = rows.chunks_exact(n).map(|row| row.iter().sum()).collect();
    for structure in all_structures(n) {
        let values = by_rows(&structure, &rows);
        let mut lu = Lu::<f64>::analyse(&structure);
        let pivots = lu.refactor(&values).unwrap();
        assert!(pivots.is_near_singular() && pivots.column > 8, "{pivots:?}");
        // The true reciprocal condition is 2.6e-17 (1-norm).
        let condition = lu.reciprocal_condition(&structure, &values);
        assert!(condition > 1e-19 && condition < 3e-16, "{condition:e}");
        let mut x = b.clone();
        lu.solve(&mut x);
        let mut residual: Vec<f64> = b.iter().map(|v| -v).collect();
        structure.multiply_add(&values, 1.0, &x, &mut residual);
        assert!(residual.iter().all(|r| r.abs() < 1e-12), "{residual:?}");
    }
}

#[test]
fn estimates_the_condition_of_a_known_matrix() {
    // Tridiagonal (-1, 2, -1) of dimension n: ‖A‖ = 4, ‖A⁻¹‖ = (n + 1)²/8 for odd n.
    let n = 21;
    let structure = Structure::banded(n, 1, 1);
    let mut values = vec![0.0; structure.value_count()];
    for column in 0..n {
        structure.for_column(column, |row, at| {
            values[at] = if row == column { 2.0 } else { -1.0 }
        });
    }
    let mut lu = Lu::<f64>::analyse(&structure);
    lu.refactor(&values).unwrap();
    let wanted = 8.0 / (4.0 * 22.0 * 22.0);
    let found = lu.reciprocal_condition(&structure, &values);
    assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
    // det = n + 1.
    assert!((lu.determinant() - 22.0).abs() < 1e-12);
}

#[test]
fn chooses_new_pivots_when_kept_ones_vanish() {
    let places = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (2, 0), (0, 2)];
    let structure = Structure::Sparse(Sparsity::from_places(3, places).unwrap());
    let mut lu = Lu::<f64>::analyse(&structure);
    for diagonal in [5.0, 1e-9, 0.0, 3.0] {
        let rows = [diagonal, 1.0, 0.5, 1.0, diagonal, 0.0, 2.0, 0.0, 1.0];
        let values = by_rows(&structure, &rows);
        lu.refactor(&values).unwrap();
        let wanted = [1.0, -2.0, 3.0];
        let mut x = vec![0.0; 3];
        structure.multiply_add(&values, 1.0, &wanted, &mut x);
        lu.solve(&mut x);
        for (x, w) in x.iter().zip(wanted) {
            assert!((x - w).abs() < 1e-12, "{x} {w} at {diagonal}");
        }
    }
}

/// Why pivots have to be forgotten: kept ones change the last bits of a solution.
#[test]
fn kept_pivots_differ_from_new_ones() {
    let structure =
        Structure::Sparse(Sparsity::from_places(2, [(0, 0), (1, 0), (0, 1), (1, 1)]).unwrap());
    let values = by_rows(&structure, &[0.005, 1.0, 1.0, 0.3]);
    let solution = |lu: &mut Lu<f64>| {
        lu.refactor(&values).unwrap();
        let mut x = [0.1, 0.7];
        lu.solve(&mut x);
        x.map(f64::to_bits)
    };
    let mut used = Lu::<f64>::analyse(&structure);
    used.refactor(&by_rows(&structure, &[3.0, 1.0, 1.0, 0.3]))
        .unwrap();
    let kept = solution(&mut used);
    let new = solution(&mut Lu::analyse(&structure));
    assert_ne!(kept, new);
    used.forget_pivots();
    assert_eq!(solution(&mut used), new);
}
