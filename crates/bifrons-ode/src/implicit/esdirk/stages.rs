//! The nonlinear equations of the stages, and the error.
#![expect(clippy::float_cmp, reason = "nodes of one end at the end of the step")]

use bifrons_algebra::Verdict;

use super::Esdirk;
use crate::implicit::norm::{fixed, mean_square};
use crate::problem::{Fault, Problem};

/// Share of the error tolerance that the iteration of a stage may leave.
const SHARE: f64 = 0.003;

/// How the stages of a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Solved {
    Yes,
    No,
    NotFinite,
}

impl Esdirk {
    /// Solves all stages of a step `h`; the new state is in `new`.
    pub(super) fn solve_stages<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t_new: f64,
    ) -> Result<Solved, &'static str> {
        let (n, tableau) = (self.n, self.tableau);
        self.iterations = 0;
        for i in 0..n {
            self.z[i] = self.slope[i] * h;
        }
        for i in 1..tableau.stages {
            self.base.copy_from_slice(&self.y);
            let (before, rest) = self.z.split_at_mut(i * n);
            for (&factor, row) in tableau.a[i].iter().zip(before.chunks_exact(n)) {
                for (base, z) in self.base.iter_mut().zip(row) {
                    *base += factor * z;
                }
            }
            // The stage nearest in time is the first guess.
            let node = tableau.nodes[i];
            let distance = |j: &usize| (tableau.nodes[*j] - node).abs();
            let near = (0..i)
                .min_by(|a, b| distance(a).total_cmp(&distance(b)))
                .unwrap_or(0);
            rest[..n].copy_from_slice(&before[near * n..(near + 1) * n]);
            let t = if node == 1.0 {
                t_new
            } else {
                self.t + node * h
            };
            let solved = self.solve_stage(problem, h, t, i)?;
            if solved != Solved::Yes {
                return Ok(solved);
            }
        }
        self.new.copy_from_slice(&self.stage);
        Ok(Solved::Yes)
    }

    fn solve_stage<P: Problem>(
        &mut self,
        problem: &mut P,
        h: f64,
        t: f64,
        i: usize,
    ) -> Result<Solved, &'static str> {
        let (n, gamma) = (self.n, self.tableau.gamma);
        self.contraction.begin();
        loop {
            let z = &mut self.z[i * n..(i + 1) * n];
            for k in 0..n {
                self.stage[k] = self.base[k] + gamma * z[k];
            }
            self.statistics.rhs += 1;
            match problem.rhs(t, &self.stage, &mut self.delta) {
                Ok(()) => {}
                Err(Fault::Fatal(message)) => return Err(message),
                Err(_) => return Ok(Solved::NotFinite),
            }
            for delta in &mut self.delta {
                *delta *= h;
            }
            self.matrices.add_mass_times(-1.0, z, &mut self.delta);
            self.matrices.solve(&mut self.delta);
            self.statistics.linear_solves += 1;
            self.statistics.newton_iterations += 1;
            for k in 0..n {
                z[k] += self.delta[k];
                self.stage[k] = self.base[k] + gamma * z[k];
            }
            let size = gamma * fixed!(n, mean_square, (&self.delta, &self.weights)).sqrt();
            let verdict = self.contraction.judge(size, SHARE, self.floor);
            self.iterations = self.iterations.max(self.contraction.iterations());
            match verdict {
                Verdict::Converged => return Ok(Solved::Yes),
                Verdict::Continue => {}
                Verdict::Diverged if size.is_finite() => return Ok(Solved::No),
                Verdict::Diverged => return Ok(Solved::NotFinite),
            }
        }
    }

    /// Mean square of the weighted, filtered error, which is left in `delta`.
    pub(super) fn error(&mut self) -> f64 {
        let (n, tableau) = (self.n, self.tableau);
        let last = tableau.stages - 1;
        self.scratch.fill(0.0);
        for (j, row) in self.z.chunks_exact(n).enumerate() {
            let weight = if j == last {
                tableau.gamma
            } else {
                tableau.a[last][j]
            };
            let factor = weight - tableau.other[j];
            for (e, z) in self.scratch.iter_mut().zip(row) {
                *e += factor * z;
            }
        }
        self.delta.fill(0.0);
        self.matrices
            .add_mass_times(1.0, &self.scratch, &mut self.delta);
        self.matrices.solve(&mut self.delta);
        self.statistics.linear_solves += 1;
        for &i in &self.algebraic {
            self.delta[i] = self.scratch[i];
        }
        for i in 0..n {
            let size = self.y[i].abs().max(self.new[i].abs());
            self.weights[i] = 1.0 / (self.floors[i] + self.relative * size);
        }
        fixed!(n, mean_square, (&self.delta, &self.weights))
    }
}
