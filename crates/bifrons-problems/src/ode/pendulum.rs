//! A pendulum in Cartesian coordinates, held by a constraint.

use std::sync::LazyLock;

use bifrons_ode::{Mass, MatrixMut};

use super::{Facts, Kind, ReferenceProblem};

const GRAVITY: f64 = 9.81;

/// Which form of the constraint is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendulumIndex {
    /// `0 = u² + v² - λ (x² + y²) - g y`.
    One,
    /// `0 = x u + y v`.
    Two,
    /// `0 = x² + y² - 1`.
    Three,
}

/// `x' = u`, `y' = v`, `u' = -λ x`, `v' = -λ y - g` from rest at (1, 0), with a constraint of
/// index 1, 2 or 3; state `(x, y, u, v, λ)`.
#[derive(Debug, Clone, Copy)]
pub struct Pendulum {
    index: PendulumIndex,
}

impl Pendulum {
    /// The pendulum with this form of the constraint.
    #[must_use]
    pub const fn new(index: PendulumIndex) -> Self {
        Self { index }
    }
}

static MASS: LazyLock<Mass> = LazyLock::new(|| Mass::Diagonal(vec![1.0, 1.0, 1.0, 1.0, 0.0]));

impl ReferenceProblem for Pendulum {
    const DIMENSION: usize = 5;

    fn facts(&self) -> Facts {
        let (name, statement) = match self.index {
            PendulumIndex::One => (
                "pendulum_index1",
                "x'' = -λ x, y'' = -λ y - g, 0 = u² + v² - λ (x² + y²) - g y",
            ),
            PendulumIndex::Two => (
                "pendulum_index2",
                "x'' = -λ x, y'' = -λ y - g, 0 = x u + y v",
            ),
            PendulumIndex::Three => (
                "pendulum_index3",
                "x'' = -λ x, y'' = -λ y - g, 0 = x² + y² - 1",
            ),
        };
        Facts {
            name,
            statement,
            source: "the angle's equation θ'' = -g sin θ",
            kind: Kind::Algebraic,
            scale: 1.0,
            end: "10.0",
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/pendulum.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (y, dy) = (&y[..5], &mut dy[..5]);
        let square = y[0] * y[0] + y[1] * y[1];
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = -y[4] * y[0];
        dy[3] = -y[4] * y[1] - GRAVITY;
        dy[4] = match self.index {
            PendulumIndex::One => y[2] * y[2] + y[3] * y[3] - y[4] * square - GRAVITY * y[1],
            PendulumIndex::Two => y[0] * y[2] + y[1] * y[3],
            PendulumIndex::Three => square - 1.0,
        };
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 2, 1.0);
        out.set(1, 3, 1.0);
        out.set(2, 0, -y[4]);
        out.set(2, 4, -y[0]);
        out.set(3, 1, -y[4]);
        out.set(3, 4, -y[1]);
        let last = match self.index {
            PendulumIndex::One => [
                -2.0 * y[4] * y[0],
                -2.0 * y[4] * y[1] - GRAVITY,
                2.0 * y[2],
                2.0 * y[3],
                -(y[0] * y[0] + y[1] * y[1]),
            ],
            PendulumIndex::Two => [y[2], y[3], y[0], y[1], 0.0],
            PendulumIndex::Three => [2.0 * y[0], 2.0 * y[1], 0.0, 0.0, 0.0],
        };
        for (j, value) in last.into_iter().enumerate() {
            out.set(4, j, value);
        }
    }

    fn mass(&self) -> &Mass {
        &MASS
    }

    fn index(&self, component: usize) -> u8 {
        match (self.index, component) {
            (PendulumIndex::Three, 4) => 3,
            (PendulumIndex::Three, 2 | 3) | (PendulumIndex::Two, 4) => 2,
            _ => 1,
        }
    }

    fn initial_slope(&self) -> Vec<f64> {
        // `λ' = -3 g v` on the circle: the tension is `ω² + g cos θ`.
        vec![0.0, 0.0, 0.0, -GRAVITY, 0.0]
    }
}
