//! Systems of one to three equations.

use bifrons_ode::MatrixMut;

use super::{Facts, Kind, ReferenceProblem};

const fn non_stiff(name: &'static str, statement: &'static str, end: &'static str) -> Facts {
    Facts {
        name,
        statement,
        source: "",
        kind: Kind::NonStiff,
        scale: 1.0,
        end,
    }
}

/// Exponential decay `y' = -y`, `y(0) = 1`; solution `exp(-t)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decay;

impl ReferenceProblem for Decay {
    const DIMENSION: usize = 1;

    fn facts(&self) -> Facts {
        Facts {
            source: "closed form exp(-t)",
            ..non_stiff("exponential_decay", "y' = -y", "10")
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/exponential_decay.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = -y[0];
    }

    fn jacobian(&self, _t: f64, _y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 0, -1.0);
    }
}

/// Harmonic oscillator `x' = v`, `v' = -x` from (1, 0); solution `(cos t, -sin t)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Oscillator;

impl ReferenceProblem for Oscillator {
    const DIMENSION: usize = 2;

    fn facts(&self) -> Facts {
        Facts {
            source: "closed form cos t, -sin t",
            ..non_stiff("harmonic_oscillator", "x' = v, v' = -x", "100")
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/harmonic_oscillator.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = y[1];
        dy[1] = -y[0];
    }

    fn jacobian(&self, _t: f64, _y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 1, 1.0);
        out.set(1, 0, -1.0);
    }
}

/// Lotka's and Volterra's predators and prey, `x' = 1.5 x - x y`, `y' = x y - 3 y`, from (1, 1).
#[derive(Debug, Clone, Copy, Default)]
pub struct LotkaVolterra;

impl ReferenceProblem for LotkaVolterra {
    const DIMENSION: usize = 2;

    fn facts(&self) -> Facts {
        Facts {
            source: "Lotka (1925) Elements of physical biology; Volterra (1926)",
            ..non_stiff("lotka_volterra", "x' = 1.5 x - x y, y' = x y - 3 y", "10.0")
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/lotka_volterra.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let met = y[0] * y[1];
        dy[0] = 1.5 * y[0] - met;
        dy[1] = met - 3.0 * y[1];
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 0, 1.5 - y[1]);
        out.set(0, 1, -y[0]);
        out.set(1, 0, y[1]);
        out.set(1, 1, y[0] - 3.0);
    }
}

/// Lorenz's system with σ = 10, ρ = 28, β = 8/3 from (1, 0, 0); errors grow like `exp(0.9 t)`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lorenz;

impl ReferenceProblem for Lorenz {
    const DIMENSION: usize = 3;

    fn facts(&self) -> Facts {
        Facts {
            source: "Lorenz (1963) Deterministic nonperiodic flow",
            ..non_stiff(
                "lorenz",
                "x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z",
                "10.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/lorenz.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let (u, v, w) = (y[0], y[1], y[2]);
        dy[0] = 10.0 * (v - u);
        dy[1] = u * (28.0 - w) - v;
        dy[2] = u * v - 8.0 / 3.0 * w;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 0, -10.0);
        out.set(0, 1, 10.0);
        out.set(1, 0, 28.0 - y[2]);
        out.set(1, 1, -1.0);
        out.set(1, 2, -y[0]);
        out.set(2, 0, y[1]);
        out.set(2, 1, y[0]);
        out.set(2, 2, -8.0 / 3.0);
    }
}

/// The Brusselator of two substances, `x' = 1 + x² y - 4 x`, `y' = 3 x - x² y`, from (1.5, 3).
#[derive(Debug, Clone, Copy, Default)]
pub struct Brusselator;

impl ReferenceProblem for Brusselator {
    const DIMENSION: usize = 2;

    fn facts(&self) -> Facts {
        Facts {
            source: "Prigogine, Lefever (1968) Symmetry breaking instabilities",
            ..non_stiff(
                "brusselator",
                "x' = 1 + x² y - 4 x, y' = 3 x - x² y",
                "20.0",
            )
        }
    }

    fn data(&self) -> &'static str {
        include_str!("../../data/ode/brusselator.txt")
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        let made = y[0] * y[0] * y[1];
        dy[0] = 1.0 + made - 4.0 * y[0];
        dy[1] = 3.0 * y[0] - made;
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        let (mixed, square) = (2.0 * y[0] * y[1], y[0] * y[0]);
        out.set(0, 0, mixed - 4.0);
        out.set(0, 1, square);
        out.set(1, 0, 3.0 - mixed);
        out.set(1, 1, -square);
    }
}

/// Van der Pol's oscillator `x' = v`, `v' = μ (1 - x²) v - x` from (2, 0).
#[derive(Debug, Clone, Copy)]
pub struct VanDerPol {
    mu: f64,
}

impl VanDerPol {
    /// `μ = 1`: not stiff, known up to `t = 20`.
    #[must_use]
    pub const fn one() -> Self {
        Self { mu: 1.0 }
    }

    /// `μ = 1000`: stiff, known up to `t = 2000`.
    #[must_use]
    pub const fn thousand() -> Self {
        Self { mu: 1000.0 }
    }

    fn is_stiff(self) -> bool {
        self.mu > 1.0
    }
}

impl ReferenceProblem for VanDerPol {
    const DIMENSION: usize = 2;

    fn facts(&self) -> Facts {
        let one = Facts {
            source: "van der Pol (1926) On relaxation oscillations",
            ..non_stiff("vdp1", "x' = v, v' = (1 - x²) v - x", "20.0")
        };
        if !self.is_stiff() {
            return one;
        }
        Facts {
            name: "vdp1000",
            statement: "x' = v, v' = 1000 (1 - x²) v - x",
            kind: Kind::Stiff,
            scale: 1e-3,
            end: "2000.0",
            ..one
        }
    }

    fn data(&self) -> &'static str {
        if self.is_stiff() {
            include_str!("../../data/ode/vdp1000.txt")
        } else {
            include_str!("../../data/ode/vdp1.txt")
        }
    }

    #[inline(always)]
    fn derivative(&self, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = y[1];
        dy[1] = self.mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
    }

    fn jacobian(&self, _t: f64, y: &[f64], out: &mut MatrixMut<'_>) {
        out.set(0, 1, 1.0);
        out.set(1, 0, -2.0 * self.mu * y[0] * y[1] - 1.0);
        out.set(1, 1, self.mu * (1.0 - y[0] * y[0]));
    }
}
