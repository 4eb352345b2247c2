//! Lorenz on lanes, written by hand: what a model assembled at run time is compared with.

use bifrons_ode::{LaneProblem, Problem};

use crate::reference::lorenz_closure;

/// Lorenz's system with σ = 10, β = 8/3 and one ρ per member, from the state (1, 0, 0).
#[derive(Debug, Clone)]
pub struct LorenzLanes<'p, const W: usize> {
    rho: &'p [f64],
    lanes: [f64; W],
}

impl<'p, const W: usize> LorenzLanes<'p, W> {
    /// Members with these values of ρ.
    #[must_use]
    pub const fn new(rho: &'p [f64]) -> Self {
        Self {
            rho,
            lanes: [0.0; W],
        }
    }

    /// The same problem for one member as a plain closure.
    pub fn alone(rho: f64) -> impl Problem {
        lorenz_closure(rho)
    }
}

impl<const W: usize> LaneProblem<W> for LorenzLanes<'_, W> {
    const DIMENSION: usize = 3;

    #[inline(always)]
    fn dimension(&self) -> usize {
        3
    }

    fn load(&mut self, lane: usize, member: usize, state: &mut [f64]) {
        self.lanes[lane] = self.rho[member];
        state.copy_from_slice(&[1.0, 0.0, 0.0]);
    }

    #[inline(always)]
    fn rhs(&mut self, _t: &[f64; W], y: &[[f64; W]], dy: &mut [[f64; W]]) {
        let mut d = [[0.0; W]; 3];
        for l in 0..W {
            d[0][l] = 10.0 * (y[1][l] - y[0][l]);
            d[1][l] = y[0][l] * (self.lanes[l] - y[2][l]) - y[1][l];
            d[2][l] = y[0][l] * y[1][l] - 8.0 / 3.0 * y[2][l];
        }
        dy[..3].copy_from_slice(&d);
    }

    fn rhs_one(&mut self, lane: usize, _t: f64, y: &[f64], dy: &mut [f64]) {
        dy[0] = 10.0 * (y[1] - y[0]);
        dy[1] = y[0] * (self.lanes[lane] - y[2]) - y[1];
        dy[2] = y[0] * y[1] - 8.0 / 3.0 * y[2];
    }
}
