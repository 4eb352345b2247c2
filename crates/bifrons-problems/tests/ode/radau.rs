//! Radau IIA of order 5, slow and obvious: the whole system of three stages, one dense matrix.

use bifrons_ode::{Mass, MatrixMut};
use bifrons_problems::ode::ReferenceProblem;

const STAGES: usize = 3;

/// Places and weights (Hairer, Wanner 1996, table IV.5.6).
fn tableau() -> ([f64; STAGES], [[f64; STAGES]; STAGES]) {
    let r = 6.0_f64.sqrt();
    let c = [(4.0 - r) / 10.0, (4.0 + r) / 10.0, 1.0];
    let a = [
        [
            (88.0 - 7.0 * r) / 360.0,
            (296.0 - 169.0 * r) / 1800.0,
            (-2.0 + 3.0 * r) / 225.0,
        ],
        [
            (296.0 + 169.0 * r) / 1800.0,
            (88.0 + 7.0 * r) / 360.0,
            (-2.0 - 3.0 * r) / 225.0,
        ],
        [(16.0 - r) / 36.0, (16.0 + r) / 36.0, 1.0 / 9.0],
    ];
    (c, a)
}

/// Integrates to `end` with steps that are compared with two half steps.
pub(crate) fn integrate<M: ReferenceProblem>(model: &M, end: f64, tolerance: f64) -> Vec<f64> {
    let mass = mass(model);
    let (mut t, mut y, mut h) = (0.0, model.initial(), 1e-6 * end.min(1.0));
    let mut attempts = 0;
    while t < end {
        attempts += 1;
        assert!(attempts < 20_000, "{} stalls at {t}", model.facts().name);
        let last = t + 1.000_1 * h >= end;
        let step = if last { end - t } else { h };
        let whole = advance(model, &mass, t, &y, step);
        let first = advance(model, &mass, t, &y, 0.5 * step);
        let halves = first.and_then(|y| advance(model, &mass, t + 0.5 * step, &y, 0.5 * step));
        let error = match (&whole, &halves) {
            (Some(whole), Some(halves)) => norm(model, whole, halves) / tolerance,
            _ => f64::INFINITY,
        };
        if error <= 1.0 {
            t = if last { end } else { t + step };
            y = halves.expect("compared");
        }
        let factor = 0.8 * error.max(1e-10).powf(-1.0 / 6.0);
        h = step * factor.clamp(0.25, 4.0);
    }
    y
}

/// Largest difference of a component that the index lets the error estimate see.
fn norm<M: ReferenceProblem>(model: &M, a: &[f64], b: &[f64]) -> f64 {
    let scale = model.facts().scale;
    let seen = (0..a.len()).filter(|&i| model.index(i) == 1);
    seen.map(|i| (a[i] - b[i]).abs() / (scale + b[i].abs()))
        .fold(0.0, f64::max)
}

/// The mass matrix by rows.
fn mass<M: ReferenceProblem>(model: &M) -> Vec<f64> {
    let n = model.dimension();
    let entry = |i: usize, j: usize| match model.mass() {
        Mass::Identity => f64::from(u8::from(i == j)),
        Mass::Diagonal(values) if i == j => values[i],
        Mass::Diagonal(_) => 0.0,
        Mass::Matrix(structure, values) => structure.position(n, i, j).map_or(0.0, |at| values[at]),
    };
    (0..n * n).map(|k| entry(k / n, k % n)).collect()
}

/// One step: `M Z_i = h Σ_j a_ij f(t + c_j h, y + Z_j)` by Newton's method, the new state or
/// nothing.
fn advance<M: ReferenceProblem>(
    model: &M,
    mass: &[f64],
    t: f64,
    y: &[f64],
    h: f64,
) -> Option<Vec<f64>> {
    let n = y.len();
    let (c, a) = tableau();
    let mut values = vec![0.0; model.structure().value_count(n)];
    let mut out = MatrixMut::new(n, model.structure(), &mut values).expect("matching size");
    model.jacobian(t, y, &mut out);
    let entry = |r, s| {
        model
            .structure()
            .position(n, r, s)
            .map_or(0.0, |at| values[at])
    };
    let slopes: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
    let mut matrix = vec![0.0; 9 * n * n];
    for (i, row) in a.iter().enumerate() {
        for (j, a) in row.iter().enumerate() {
            for r in 0..n {
                let to = &mut matrix[(i * n + r) * 3 * n + j * n..][..n];
                for (s, to) in to.iter_mut().enumerate() {
                    let own = if i == j { mass[r * n + s] } else { 0.0 };
                    *to = own - h * a * slopes[r * n + s];
                }
            }
        }
    }
    let pivots = factor(&mut matrix, 3 * n)?;
    let mut z = vec![0.0; 3 * n];
    let mut before = f64::INFINITY;
    for _ in 0..30 {
        let mut residual = residual(model, mass, (t, y, h), (&c, &a), &z);
        solve(&matrix, &pivots, &mut residual);
        for (z, delta) in z.iter_mut().zip(&residual) {
            *z -= delta;
        }
        let scale = |i: usize| 1e-6 * model.facts().scale + y[i % n].abs() + z[i].abs();
        let size = (0..3 * n)
            .map(|i| residual[i].abs() / scale(i))
            .fold(0.0, f64::max);
        if !size.is_finite() || (size > 1e3 * before) {
            return None;
        }
        // Converged, or at the level of rounding where it no longer falls.
        if size < 1e-14 || (size < 1e-8 && size >= 0.5 * before) {
            return Some((0..n).map(|i| y[i] + z[2 * n + i]).collect());
        }
        before = size;
    }
    None
}

fn residual<M: ReferenceProblem>(
    model: &M,
    mass: &[f64],
    (t, y, h): (f64, &[f64], f64),
    (c, a): (&[f64; STAGES], &[[f64; STAGES]; STAGES]),
    z: &[f64],
) -> Vec<f64> {
    let n = y.len();
    let mut residual = vec![0.0; 3 * n];
    for i in 0..STAGES {
        for r in 0..n {
            residual[i * n + r] = (0..n).map(|s| mass[r * n + s] * z[i * n + s]).sum();
        }
    }
    let mut slope = vec![0.0; n];
    for j in 0..STAGES {
        let stage: Vec<f64> = (0..n).map(|s| y[s] + z[j * n + s]).collect();
        model.derivative(t + c[j] * h, &stage, &mut slope);
        for i in 0..STAGES {
            for r in 0..n {
                residual[i * n + r] -= h * a[i][j] * slope[r];
            }
        }
    }
    residual
}

/// Elimination with row pivoting in a matrix by rows, whose rows are scaled by their largest
/// entries.
fn factor(matrix: &mut [f64], n: usize) -> Option<Vec<(usize, f64)>> {
    let mut pivots = Vec::with_capacity(n);
    let scales: Vec<f64> = matrix
        .chunks_exact(n)
        .map(|row| row.iter().fold(0.0_f64, |a, x| a.max(x.abs())))
        .collect();
    for (row, scale) in matrix.chunks_exact_mut(n).zip(&scales) {
        row.iter_mut().for_each(|x| *x /= scale);
    }
    for k in 0..n {
        let size = |i: usize| matrix[i * n + k].abs();
        let pivot = (k..n).fold(k, |best, i| if size(i) > size(best) { i } else { best });
        if !(size(pivot) > 0.0) {
            return None;
        }
        for j in 0..n {
            matrix.swap(k * n + j, pivot * n + j);
        }
        pivots.push((pivot, scales[k]));
        let (upper, lower) = matrix.split_at_mut((k + 1) * n);
        let row = &upper[k * n..];
        for other in lower.chunks_exact_mut(n) {
            if other[k].abs() > 0.0 {
                let l = other[k] / row[k];
                other[k] = l;
                for (x, r) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                    *x -= l * r;
                }
            }
        }
    }
    Some(pivots)
}

fn solve(matrix: &[f64], pivots: &[(usize, f64)], b: &mut [f64]) {
    let n = b.len();
    for (x, (_, scale)) in b.iter_mut().zip(pivots) {
        *x /= scale;
    }
    for k in 0..n {
        b.swap(k, pivots[k].0);
    }
    for i in 0..n {
        for k in 0..i {
            b[i] -= matrix[i * n + k] * b[k];
        }
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            b[i] -= matrix[i * n + k] * b[k];
        }
        b[i] /= matrix[i * n + i];
    }
}
