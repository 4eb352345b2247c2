//! Partial differential equations on lines and squares of points.

use core::f64::consts::PI;

use bifrons_ode::{MatrixMut, Pattern, Structure};

use super::{Facts, Kind, ReferenceProblem};

/// The Brusselator with diffusion on `N` points; unknowns `u1, v1, u2, v2, …`, banded Jacobian.
#[derive(Debug, Clone)]
pub struct Brusselator1d {
    points: usize,
    structure: Structure,
}

/// Values of the two substances at the boundary.
const OUTSIDE: [f64; 2] = [1.0, 3.0];

impl Brusselator1d {
    /// Sizes with known values.
    pub const SIZES: [usize; 4] = [50, 100, 200, 500];

    /// The problem on `points` inner points, rounded down to one of [`Brusselator1d::SIZES`], at
    /// least 50: for these the values are known.
    #[must_use]
    pub fn new(points: usize) -> Self {
        let fitting = Self::SIZES.into_iter().rev().find(|&size| size <= points);
        Self {
            points: fitting.unwrap_or(50),
            structure: Structure::Banded { lower: 2, upper: 2 },
        }
    }

    /// `α (N + 1)²` with `α = 1/50`.
    #[inline(always)]
    fn diffusion(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
        let intervals = (self.points + 1) as f64;
        0.02 * intervals * intervals
    }
}

impl ReferenceProblem for Brusselator1d {
    fn facts(&self) -> Facts {
        Facts {
            name: match self.points {
                500 => "brusselator1d_500",
                200 => "brusselator1d_200",
                100 => "brusselator1d_100",
                _ => "brusselator1d_50",
            },
            statement: "u' = 1 + u² v - 4 u + α u_xx, v' = 3 u - u² v + α v_xx, α = 1/50",
            source: "Hairer, Wanner (1996) Solving ordinary differential equations II",
            kind: Kind::Lines,
            scale: 1.0,
            end: "10.0",
        }
    }

    fn data(&self) -> &'static str {
        match self.points {
            500 => include_str!("../../data/ode/brusselator1d_500.txt"),
            200 => include_str!("../../data/ode/brusselator1d_200.txt"),
            100 => include_str!("../../data/ode/brusselator1d_100.txt"),
            _ => include_str!("../../data/ode/brusselator1d_50.txt"),
        }
    }

    fn dimension(&self) -> usize {
        2 * self.points
    }

    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let n = self.points;
        let c = self.diffusion();
        let (y, dy) = (&y[..2 * n], &mut dy[..2 * n]);
        let mut left = OUTSIDE;
        for i in 0..n {
            let (u, v) = (y[2 * i], y[2 * i + 1]);
            let right = match y.get(2 * i + 2..2 * i + 4) {
                Some(next) => [next[0], next[1]],
                None => OUTSIDE,
            };
            let made = u * u * v;
            dy[2 * i] = 1.0 + made - 4.0 * u + c * (left[0] - 2.0 * u + right[0]);
            dy[2 * i + 1] = 3.0 * u - made + c * (left[1] - 2.0 * v + right[1]);
            left = [u, v];
        }
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let n = 2 * self.points;
        let c = self.diffusion();
        for i in 0..self.points {
            let (k, u, v) = (2 * i, y[2 * i], y[2 * i + 1]);
            let (mixed, square) = (2.0 * u * v, u * u);
            out.set(k, k, mixed - 4.0 - 2.0 * c);
            out.set(k, k + 1, square);
            out.set(k + 1, k, 3.0 - mixed);
            out.set(k + 1, k + 1, -square - 2.0 * c);
        }
        for k in 2..n {
            out.set(k, k - 2, c);
            out.set(k - 2, k, c);
        }
    }

    fn initial(&self) -> Vec<f64> {
        let mut state = Vec::with_capacity(2 * self.points);
        for i in 1..=self.points {
            state.push(1.0 + (2.0 * PI * place(i, self.points)).sin());
            state.push(3.0);
        }
        state
    }
}

/// Place of point `i` of `n`, counted from one, between zero and one.
fn place(i: usize, n: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
    let place = i as f64 / (n + 1) as f64;
    place
}

/// `4 (N + 1)² sin²(k π / (2 (N + 1)))`: how fast the mode `sin(k π x)` fades on `N` points.
fn fading(k: f64, n: usize) -> f64 {
    let sine = (0.5 * k * PI * place(1, n)).sin();
    4.0 * sine * sine / (place(1, n) * place(1, n))
}

/// Diffusion on 100 points of a line; tridiagonal Jacobian, closed form.
#[derive(Debug, Clone, Copy, Default)]
pub struct Heat1d;

const LINE: usize = 100;
static TRIDIAGONAL: Structure = Structure::Banded { lower: 1, upper: 1 };
/// Time at which the closed forms are used.
const HEAT_END: f64 = 0.1;

impl Heat1d {
    /// The closed form at time `t`.
    #[must_use]
    pub fn exact(t: f64) -> Vec<f64> {
        let first = (-fading(1.0, LINE) * t).exp();
        let third = 0.5 * (-fading(3.0, LINE) * t).exp();
        let at = |i| {
            let x = PI * place(i, LINE);
            first * x.sin() + third * (3.0 * x).sin()
        };
        (1..=LINE).map(at).collect()
    }
}

impl ReferenceProblem for Heat1d {
    const DIMENSION: usize = LINE;

    fn facts(&self) -> Facts {
        Facts {
            name: "heat1d",
            statement: "u' = u_xx, zero at both ends, on 100 inner points",
            source: "closed form of the discrete equation",
            kind: Kind::Lines,
            scale: 1e-3,
            end: "0.1",
        }
    }

    fn data(&self) -> &'static str {
        ""
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let c = 1.0 / (place(1, LINE) * place(1, LINE));
        let (y, dy) = (&y[..LINE], &mut dy[..LINE]);
        let mut left = 0.0;
        for i in 0..LINE {
            let right = y.get(i + 1).copied().unwrap_or(0.0);
            dy[i] = c * (left - 2.0 * y[i] + right);
            left = y[i];
        }
    }

    fn structure(&self) -> &Structure {
        &TRIDIAGONAL
    }

    fn jacobian(&self, _t: f64, _y: &[f64], out: &mut MatrixMut<'_>) {
        let c = 1.0 / (place(1, LINE) * place(1, LINE));
        for i in 0..LINE {
            out.set(i, i, -2.0 * c);
            if i > 0 {
                out.set(i, i - 1, c);
                out.set(i - 1, i, c);
            }
        }
    }

    fn initial(&self) -> Vec<f64> {
        Self::exact(0.0)
    }

    fn known(&self) -> Vec<(f64, Vec<f64>)> {
        vec![(HEAT_END, Self::exact(HEAT_END))]
    }
}

/// Diffusion on 32 × 32 points of a square, point `(i, j)` at `32 j + i`; sparse Jacobian, closed
/// form.
#[derive(Debug, Clone)]
pub struct Heat2d {
    structure: Structure,
}

const SIDE: usize = 32;

/// Neighbours of a point.
fn neighbours(k: usize) -> impl Iterator<Item = usize> {
    let (i, j) = (k % SIDE, k / SIDE);
    [
        (j > 0).then(|| k - SIDE),
        (i > 0).then(|| k - 1),
        (i + 1 < SIDE).then_some(k + 1),
        (j + 1 < SIDE).then_some(k + SIDE),
    ]
    .into_iter()
    .flatten()
}

impl Heat2d {
    /// The problem with its pattern.
    #[must_use]
    pub fn new() -> Self {
        let mut entries = Vec::new();
        for k in 0..SIDE * SIDE {
            entries.push((k, k));
            entries.extend(neighbours(k).map(|other| (k, other)));
        }
        let pattern = Pattern::from_entries(SIDE * SIDE, &entries);
        Self {
            // Every index is below the dimension.
            structure: pattern.map_or(Structure::Dense, Structure::Sparse),
        }
    }

    /// The closed form at time `t`.
    #[must_use]
    pub fn exact(t: f64) -> Vec<f64> {
        let fade = |k| fading(k, SIDE);
        let first = (-2.0 * fade(1.0) * t).exp();
        let mixed = 0.5 * (-(fade(3.0) + fade(2.0)) * t).exp();
        let mut state = Vec::with_capacity(SIDE * SIDE);
        for j in 1..=SIDE {
            for i in 1..=SIDE {
                let (x, y) = (PI * place(i, SIDE), PI * place(j, SIDE));
                state.push(first * x.sin() * y.sin() + mixed * (3.0 * x).sin() * (2.0 * y).sin());
            }
        }
        state
    }
}

impl Default for Heat2d {
    fn default() -> Self {
        Self::new()
    }
}

impl ReferenceProblem for Heat2d {
    fn facts(&self) -> Facts {
        Facts {
            name: "heat2d",
            statement: "u' = u_xx + u_yy, zero at the border, on 32 × 32 inner points",
            ..Heat1d.facts()
        }
    }

    fn data(&self) -> &'static str {
        ""
    }

    fn dimension(&self) -> usize {
        SIDE * SIDE
    }

    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let c = 1.0 / (place(1, SIDE) * place(1, SIDE));
        let (y, dy) = (&y[..SIDE * SIDE], &mut dy[..SIDE * SIDE]);
        let empty = [0.0; SIDE];
        for j in 0..SIDE {
            let row = |j: usize| y.get(j * SIDE..(j + 1) * SIDE).unwrap_or(&empty);
            let (below, own, above) = (row(j.wrapping_sub(1).min(SIDE)), row(j), row(j + 1));
            let out = &mut dy[j * SIDE..(j + 1) * SIDE];
            for i in 0..SIDE {
                let left = if i > 0 { own[i - 1] } else { 0.0 };
                let right = if i + 1 < SIDE { own[i + 1] } else { 0.0 };
                out[i] = c * (below[i] + left - 4.0 * own[i] + right + above[i]);
            }
        }
    }

    fn structure(&self) -> &Structure {
        &self.structure
    }

    fn jacobian(&self, _t: f64, _y: &[f64], out: &mut MatrixMut<'_>) {
        let c = 1.0 / (place(1, SIDE) * place(1, SIDE));
        for k in 0..SIDE * SIDE {
            out.set(k, k, -4.0 * c);
            for other in neighbours(k) {
                out.set(k, other, c);
            }
        }
    }

    fn initial(&self) -> Vec<f64> {
        Self::exact(0.0)
    }

    fn known(&self) -> Vec<(f64, Vec<f64>)> {
        vec![(HEAT_END, Self::exact(HEAT_END))]
    }
}
