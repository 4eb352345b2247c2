//! Andrews' squeezing mechanism: seven rigid bodies, six constraints.

use std::sync::LazyLock;

use bifrons_ode::{Mass, MatrixMut};

use super::dual::{Dual, Number};
use super::{Facts, Kind, ReferenceProblem};

/// The mechanism as an ordinary differential equation of its 7 angles and 7 speeds: accelerations
/// solve a linear system at every evaluation.
#[derive(Debug, Clone, Copy, Default)]
pub struct Andrews;

/// The mechanism with index 3: angles, speeds, accelerations and 6 multipliers, 27 unknowns.
#[derive(Debug, Clone, Copy, Default)]
pub struct AndrewsMultipliers;

const ANGLES: usize = 7;
const STATE: usize = 2 * ANGLES;
const CONSTRAINTS: usize = 6;
const SYSTEM: usize = ANGLES + CONSTRAINTS;
const ALL: usize = STATE + SYSTEM;

const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498];
const I: [f64; 7] = [
    2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5,
];
const A: [f64; 2] = [-0.06934, -0.00227];
const B: [f64; 2] = [-0.03635, 0.03273];
const C: [f64; 2] = [0.014, 0.072];
const C0: f64 = 4530.0;
const L0: f64 = 0.07785;
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.01421;
const RR: f64 = 0.007;
const RA: f64 = 0.00092;
const SS: f64 = 0.035;
const SA: f64 = 0.01874;
const SB: f64 = 0.01043;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.02308;
const TB: f64 = 0.00916;
const U: f64 = 0.04;
const UA: f64 = 0.01228;
const UB: f64 = 0.00449;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.01421;
const MOMENT: f64 = 0.033;

/// Bars of the three loops: lengths, which angles they turn with, and the constant of the end.
/// A bar of length `l` at angle `a` adds `(l cos a, l sin a)`; a bar across adds
/// `(-l sin a, l cos a)`.
type Bar = (f64, &'static [usize], bool);
const LOOPS: [(&[Bar], [f64; 2]); 3] = [
    (
        &[(RR, &[0], false), (-D, &[0, 1], false), (SS, &[2], true)],
        B,
    ),
    (
        &[
            (RR, &[0], false),
            (-D, &[0, 1], false),
            (E, &[3, 4], true),
            (-ZT, &[4], false),
        ],
        A,
    ),
    (
        &[
            (RR, &[0], false),
            (-D, &[0, 1], false),
            (-ZF, &[5, 6], false),
            (U, &[6], true),
        ],
        A,
    ),
];

/// Place of the end of a bar, and how fast it turns with its angles: `(-y, x)` of the same.
fn bar<T: Number>(&(length, angles, across): &Bar, q: &[T]) -> [T; 2] {
    let angle = angles
        .iter()
        .map(|&k| q[k])
        .fold(T::constant(0.0), |sum, q| sum + q);
    let (x, y) = (angle.cos().scale(length), angle.sin().scale(length));
    if across { [-y, x] } else { [x, y] }
}

/// The constraints `g(q)`.
fn constraints<T: Number>(q: &[T]) -> [T; CONSTRAINTS] {
    let mut g = [T::constant(0.0); CONSTRAINTS];
    for (k, (bars, end)) in LOOPS.iter().enumerate() {
        let mut sum = end.map(|end| T::constant(-end));
        for one in *bars {
            let [x, y] = bar(one, q);
            sum = [sum[0] + x, sum[1] + y];
        }
        g[2 * k] = sum[0];
        g[2 * k + 1] = sum[1];
    }
    g
}

/// Their derivatives `G = ∂g/∂q`, and `g_qq(v, v)`.
fn slopes<T: Number>(q: &[T], v: &[T]) -> ([[T; ANGLES]; CONSTRAINTS], [T; CONSTRAINTS]) {
    let zero = T::constant(0.0);
    let mut jacobian = [[zero; ANGLES]; CONSTRAINTS];
    let mut curvature = [zero; CONSTRAINTS];
    for (k, (bars, _)) in LOOPS.iter().enumerate() {
        for one in *bars {
            let [x, y] = bar(one, q);
            let speed = one.1.iter().map(|&k| v[k]).fold(zero, |sum, v| sum + v);
            for &angle in one.1 {
                jacobian[2 * k][angle] = jacobian[2 * k][angle] - y;
                jacobian[2 * k + 1][angle] = jacobian[2 * k + 1][angle] + x;
            }
            curvature[2 * k] = curvature[2 * k] - x * speed * speed;
            curvature[2 * k + 1] = curvature[2 * k + 1] - y * speed * speed;
        }
    }
    (jacobian, curvature)
}

/// The mass matrix `M(q)`.
fn masses<T: Number>(q: &[T]) -> [[T; ANGLES]; ANGLES] {
    let c = T::constant;
    let (cos_th, sin_ph, sin_om) = (q[1].cos(), q[3].sin(), q[5].sin());
    let mut m = [[c(0.0); ANGLES]; ANGLES];
    m[0][0] = c(M[0] * RA * RA + M[1] * (RR * RR + DA * DA) + I[0] + I[1])
        - cos_th.scale(2.0 * M[1] * DA * RR);
    m[1][0] = c(M[1] * DA * DA + I[1]) - cos_th.scale(M[1] * DA * RR);
    m[1][1] = c(M[1] * DA * DA + I[1]);
    m[2][2] = c(M[2] * (SA * SA + SB * SB) + I[2]);
    let arm = E - EA;
    m[3][3] = c(M[3] * arm * arm + I[3]);
    m[4][3] = c(M[3] * arm * arm + I[3]) + sin_ph.scale(M[3] * ZT * arm);
    m[4][4] = c(M[3] * (ZT * ZT + arm * arm) + M[4] * (TA * TA + TB * TB) + I[3] + I[4])
        + sin_ph.scale(2.0 * M[3] * ZT * arm);
    let arm = ZF - FA;
    m[5][5] = c(M[5] * arm * arm + I[5]);
    m[6][5] = c(M[5] * arm * arm + I[5]) - sin_om.scale(M[5] * U * arm);
    m[6][6] = c(M[5] * (arm * arm + U * U) + M[6] * (UA * UA + UB * UB) + I[5] + I[6])
        - sin_om.scale(2.0 * M[5] * U * arm);
    for (row, column) in [(1, 0), (4, 3), (6, 5)] {
        m[column][row] = m[row][column];
    }
    m
}

/// Forces `f(q, v)`.
fn forces<T: Number>(q: &[T], v: &[T]) -> [T; ANGLES] {
    let c = T::constant;
    let (sin_ga, cos_ga) = (q[2].sin(), q[2].cos());
    let x = cos_ga.scale(SD) + sin_ga.scale(SC) + c(B[0] - C[0]);
    let y = sin_ga.scale(SD) - cos_ga.scale(SC) + c(B[1] - C[1]);
    let length = (x * x + y * y).sqrt();
    let pull = (length - c(L0)).scale(-C0) / length;
    let (fx, fy) = (pull * x, pull * y);
    let turn = |k: f64, sine: T, own: T, twice: T| (sine * own * (own + twice + twice)).scale(k);
    let m2 = M[1] * DA * RR;
    let m4 = M[3] * ZT * (E - EA);
    let m6 = M[5] * U * (ZF - FA);
    [
        c(MOMENT) - turn(m2, q[1].sin(), v[1], v[0]),
        (v[0] * v[0] * q[1].sin()).scale(m2),
        fx * (cos_ga.scale(SC) - sin_ga.scale(SD)) + fy * (cos_ga.scale(SD) + sin_ga.scale(SC)),
        (v[4] * v[4] * q[3].cos()).scale(m4),
        -turn(m4, q[3].cos(), v[3], v[4]),
        -(v[6] * v[6] * q[5].cos()).scale(m6),
        turn(m6, q[5].cos(), v[5], v[6]),
    ]
}

/// `M a + Gᵀ λ - f` and `G a + g_qq(v, v)`, both linear in `(a, λ)`: matrix and right-hand side.
fn linear_system<T: Number>(q: &[T], v: &[T]) -> ([[T; SYSTEM]; SYSTEM], [T; SYSTEM]) {
    let zero = T::constant(0.0);
    let (slopes, curvature) = slopes(q, v);
    let (masses, forces) = (masses(q), forces(q, v));
    let mut matrix = [[zero; SYSTEM]; SYSTEM];
    let mut right = [zero; SYSTEM];
    for i in 0..ANGLES {
        matrix[i][..ANGLES].copy_from_slice(&masses[i]);
        right[i] = forces[i];
        for k in 0..CONSTRAINTS {
            matrix[i][ANGLES + k] = slopes[k][i];
            matrix[ANGLES + k][i] = slopes[k][i];
        }
    }
    for (right, curvature) in right[ANGLES..].iter_mut().zip(curvature) {
        *right = -curvature;
    }
    (matrix, right)
}

/// Solves a system by elimination with row pivoting; the right-hand side becomes the solution.
fn eliminate<T: Number>(matrix: &mut [[T; SYSTEM]; SYSTEM], right: &mut [T; SYSTEM]) {
    for k in 0..SYSTEM {
        let mut pivot = k;
        for i in k + 1..SYSTEM {
            if matrix[i][k].value().abs() > matrix[pivot][k].value().abs() {
                pivot = i;
            }
        }
        matrix.swap(k, pivot);
        right.swap(k, pivot);
        let (upper, lower) = matrix.split_at_mut(k + 1);
        let row = &upper[k];
        let (solved, open) = right.split_at_mut(k + 1);
        for (other, right) in lower.iter_mut().zip(open) {
            if other[k].value().abs() > 0.0 {
                let factor = other[k] / row[k];
                for j in k + 1..SYSTEM {
                    other[j] = other[j] - factor * row[j];
                }
                *right = *right - factor * solved[k];
            }
        }
    }
    for k in (0..SYSTEM).rev() {
        let mut sum = right[k];
        for j in k + 1..SYSTEM {
            sum = sum - matrix[k][j] * right[j];
        }
        right[k] = sum / matrix[k][k];
    }
}

/// Accelerations and multipliers of a state.
fn accelerations<T: Number>(y: &[T]) -> [T; SYSTEM] {
    let (q, v) = y.split_at(ANGLES);
    let (mut matrix, mut right) = linear_system(q, v);
    eliminate(&mut matrix, &mut right);
    right
}

/// The equations of index 3 at all 27 unknowns.
fn residuals<T: Number>(y: &[T]) -> [T; ALL] {
    let mut dy = [T::constant(0.0); ALL];
    let (state, rest) = y.split_at(STATE);
    let (q, v) = state.split_at(ANGLES);
    dy[..ANGLES].copy_from_slice(v);
    dy[ANGLES..STATE].copy_from_slice(&rest[..ANGLES]);
    let (matrix, right) = linear_system(q, v);
    for i in 0..ANGLES {
        let terms = matrix[i].iter().zip(rest).map(|(&m, &x)| m * x);
        dy[STATE + i] = terms.fold(-right[i], |sum, term| sum + term);
    }
    dy[STATE + ANGLES..].copy_from_slice(&constraints(q));
    dy
}

/// Fills a Jacobian column by column with dual numbers.
fn fill<const N: usize, const R: usize>(
    y: &[f64],
    out: &mut MatrixMut<'_>,
    first: usize,
    equations: impl Fn(&[Dual]) -> [Dual; R],
) {
    let mut dual = [Dual::constant(0.0); N];
    for (dual, &y) in dual.iter_mut().zip(y) {
        *dual = Dual::constant(y);
    }
    for j in 0..N {
        dual[j].slope = 1.0;
        for (i, value) in equations(&dual).into_iter().enumerate().take(N - first) {
            out.set(first + i, j, value.slope);
        }
        dual[j].slope = 0.0;
    }
}

const STATEMENT: &str = "M(q) a = f(q, v) - G(q)ᵀ λ, 0 = g(q), G = ∂g/∂q";

impl ReferenceProblem for Andrews {
    const DIMENSION: usize = STATE;

    fn facts(&self) -> Facts {
        Facts {
            name: "andrews",
            statement: STATEMENT,
            source: "Andrews, Ormrod (1986); Schiehlen (1990) Multibody systems handbook",
            kind: Kind::NonStiff,
            scale: 1.0,
            end: "0.03",
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/andrews.txt")
    }

    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[..ANGLES].copy_from_slice(&y[ANGLES..STATE]);
        dy[ANGLES..STATE].copy_from_slice(&accelerations(&y[..STATE])[..ANGLES]);
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        for i in 0..ANGLES {
            out.set(i, ANGLES + i, 1.0);
        }
        fill::<STATE, SYSTEM>(y, out, ANGLES, accelerations);
    }

    fn known(&self) -> Vec<(f64, Vec<f64>)> {
        let mut known = super::Known::parse(self.data()).states;
        for (_, state) in &mut known {
            state.truncate(STATE);
        }
        known
    }
}

static MASS: LazyLock<Mass> = LazyLock::new(|| {
    let mut diagonal = vec![1.0; STATE];
    diagonal.resize(ALL, 0.0);
    Mass::Diagonal(diagonal)
});

impl ReferenceProblem for AndrewsMultipliers {
    const DIMENSION: usize = ALL;

    fn facts(&self) -> Facts {
        Facts {
            name: "andrews_index3",
            kind: Kind::Algebraic,
            ..Andrews.facts()
        }
    }

    fn data(&self) -> &'static str {
        Andrews.data()
    }

    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[..ALL].copy_from_slice(&residuals(&y[..ALL]));
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        fill::<ALL, ALL>(y, out, 0, residuals);
    }

    fn mass(&self) -> &Mass {
        &MASS
    }

    fn index(&self, component: usize) -> u8 {
        match component {
            0..ANGLES => 1,
            ANGLES..STATE => 2,
            _ => 3,
        }
    }

    fn initial(&self) -> Vec<f64> {
        let mut state = Andrews.initial();
        let rest = accelerations(&state);
        state.extend(rest);
        state
    }
}
