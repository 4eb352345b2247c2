//! Jacobian, time derivative and matrix of every lane.

use super::{Arrays, Coefficients, lu};
use crate::problem::LaneProblem;

/// `√ε`, a power of two.
const ROOT: f64 = 1.490_116_119_384_765_6e-8;

/// Increment of a component, see [`bifrons_algebra::differences::increment`], on all lanes.
#[inline(always)]
fn increments<const W: usize>(y: &[f64; W], scale: &[f64; W]) -> [f64; W] {
    let mut out = [0.0; W];
    for l in 0..W {
        let size = y[l].abs();
        let raw = ROOT * if size > scale[l] { size } else { scale[l] };
        let raw = if raw > f64::MIN_POSITIVE { raw } else { ROOT };
        out[l] = (y[l] + raw) - y[l];
    }
    out
}

/// Lanes whose values are all finite.
#[inline(always)]
fn finite<const W: usize>(values: &[[f64; W]]) -> [bool; W] {
    // Zero for finite values, not a number for all others.
    let mut sum = [0.0; W];
    for value in values {
        for l in 0..W {
            sum[l] += value[l] * 0.0;
        }
    }
    let mut out = [false; W];
    for l in 0..W {
        out[l] = sum[l] == 0.0;
    }
    out
}

impl<M: Coefficients, const W: usize> Arrays<'_, M, W> {
    /// Jacobian and time derivative of every lane whose own do not belong to its state.
    #[inline(always)]
    pub(super) fn linearise<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let mut exists = [true; W];
        // Where the state is the old one, the values are the old ones, too.
        if !problem.jacobian(t, &self.y[..n], &mut self.jacobian[..n * n]) {
            exists = self.differences(n, problem, t);
        }
        self.differentiate_by_time(n, problem, t, h);
        for l in 0..W {
            self.jacobians[l] += if self.current[l] { 0 } else { 1 };
            self.current[l] |= exists[l];
        }
    }

    /// Jacobian by differences; lanes on which it exists.
    #[inline(always)]
    fn differences<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
    ) -> [bool; W] {
        let mut exists = [true; W];
        self.stage[..n].copy_from_slice(&self.y[..n]);
        for j in 0..n {
            let y = self.y[j];
            let step = increments(&y, &self.least[j]);
            for l in 0..W {
                self.stage[j][l] = y[l] + step[l];
            }
            problem.rhs(t, &self.stage[..n], &mut self.there[..n]);
            let up = finite(&self.there[..n]);
            if !up.iter().all(|&up| up) {
                self.move_down(n, problem, (j, &step, t), &up);
                let down = finite(&self.there[..n]);
                for l in 0..W {
                    exists[l] &= down[l];
                }
            }
            for l in 0..W {
                let count = if up[l] { 1 } else { 2 };
                self.rhs[l] += if self.current[l] { 0 } else { count };
            }
            let mut over = [0.0; W];
            for l in 0..W {
                over[l] = 1.0 / (self.stage[j][l] - y[l]);
            }
            self.stage[j] = y;
            let (there, here) = (&self.there[..n], &self.slope[..n]);
            let column = &mut self.jacobian[j * n..(j + 1) * n];
            for i in 0..n {
                for l in 0..W {
                    column[i][l] = (there[i][l] - here[i][l]) * over[l];
                }
            }
        }
        exists
    }

    /// Moves component `j` down on lanes where the right-hand side does not exist above.
    #[inline(never)]
    fn move_down<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        (j, step, t): (usize, &[f64; W], &[f64; W]),
        up: &[bool; W],
    ) {
        for l in 0..W {
            if !up[l] {
                self.stage[j][l] = self.y[j][l] - step[l];
            }
        }
        problem.rhs(t, &self.stage[..n], &mut self.back[..n]);
        for (there, back) in self.there[..n].iter_mut().zip(&self.back[..n]) {
            for l in 0..W {
                there[l] = if up[l] { there[l] } else { back[l] };
            }
        }
    }

    /// `∂f/∂t` of lanes that need it: zero where a first difference is, else a central difference,
    /// and a forward one in the first step.
    #[inline(always)]
    fn differentiate_by_time<P: LaneProblem<W>>(
        &mut self,
        n: usize,
        problem: &mut P,
        t: &[f64; W],
        h: &[f64; W],
    ) {
        let mut shift = [0.0; W];
        let mut ahead = [0.0; W];
        for l in 0..W {
            let (size, least) = (h[l].abs(), 1e-9 * t[l].abs());
            let raw = 1e-5 * if size > least { size } else { least };
            shift[l] = ((t[l] + self.direction * raw) - t[l]).abs() * self.direction;
            ahead[l] = t[l] + shift[l];
        }
        problem.rhs(&ahead, &self.y[..n], &mut self.there[..n]);
        let exists = finite(&self.there[..n]);
        let mut same = [true; W];
        for (there, slope) in self.there[..n].iter().zip(&self.slope[..n]) {
            for l in 0..W {
                same[l] &= there[l] == slope[l];
            }
        }
        let mut central = [false; W];
        for l in 0..W {
            central[l] = !same[l] & !self.fresh[l] & !self.current[l];
            let count = if central[l] { 2 } else { 1 };
            self.rhs[l] += if self.current[l] { 0 } else { count };
        }
        let mut span = shift;
        if central.iter().any(|&central| central) {
            let mut behind = [0.0; W];
            let mut back = [0.0; W];
            for l in 0..W {
                back[l] = (t[l] - shift[l]) - t[l];
                behind[l] = t[l] + back[l];
            }
            problem.rhs(&behind, &self.y[..n], &mut self.back[..n]);
            let found = finite(&self.back[..n]);
            for l in 0..W {
                central[l] &= found[l];
                span[l] = if central[l] {
                    shift[l] - back[l]
                } else {
                    span[l]
                };
            }
        }
        for i in 0..n {
            for l in 0..W {
                let (before, slope) = (self.back[i][l], self.slope[i][l]);
                let before = if central[l] { before } else { slope };
                let value = (self.there[i][l] - before) / span[l];
                let value = if same[l] | !exists[l] { 0.0 } else { value };
                let old = self.by_time[i][l];
                self.by_time[i][l] = if self.current[l] { old } else { value };
            }
        }
    }

    /// Factors `1 − γ h J` on every lane.
    #[inline(always)]
    pub(super) fn factor(&mut self, n: usize, h: &[f64; W]) {
        let mut c = [0.0; W];
        for l in 0..W {
            c[l] = M::TABLEAU.gamma * h[l];
        }
        for j in 0..n {
            for i in 0..n {
                let mass = if i == j { 1.0 } else { 0.0 };
                let (k, mut value) = (j * n + i, [0.0; W]);
                for l in 0..W {
                    value[l] = mass - c[l] * self.jacobian[k][l];
                }
                self.factors[k] = value;
            }
        }
        self.failed = [false; W];
        self.exchanged = lu::factor(n, self.factors, self.rows, &mut self.failed);
    }
}
