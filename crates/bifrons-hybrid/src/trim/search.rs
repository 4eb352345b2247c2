//! Least squares, one evaluation at a time.

use crate::newton::{back_substitute, factorise};

/// Evaluations that a search gets.
const MOST: u32 = 300;
/// A residual is zero when it is at most this part of the sum of the sizes of its terms.
const SMALL: f64 = 1e-10;
/// The first damping, as a part of the largest entry of the diagonal.
const FIRST_DAMPING: f64 = 1e-3;
/// The largest damping that is tried.
const LARGEST_DAMPING: f64 = 1e12;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Found,
    Failed,
    NotFinite,
}

/// The point with the least sum of squares so far, and the next one to look at.
///
/// Unknowns are measured in units of `1 + |v|`; Newton steps are taken as long as they halve the
/// norm, else damped ones.
#[derive(Debug)]
pub(super) struct Search {
    unknowns: usize,
    conditions: usize,
    best: Vec<f64>,
    trial: Vec<f64>,
    residuals: Vec<f64>,
    /// Conditions × unknowns, at the best point.
    jacobian: Vec<f64>,
    norm: f64,
    damping: f64,
    is_newton: bool,
    newton_works: bool,
    pub(super) evaluations: u32,
    pub(super) newton_steps: u32,
    pub(super) damped_steps: u32,
}

impl Search {
    pub(super) fn new(unknowns: usize, conditions: usize) -> Self {
        Self {
            unknowns,
            conditions,
            best: vec![0.0; unknowns],
            trial: vec![0.0; unknowns],
            residuals: vec![f64::NAN; conditions],
            jacobian: vec![0.0; conditions * unknowns],
            norm: f64::INFINITY,
            damping: FIRST_DAMPING,
            is_newton: false,
            newton_works: unknowns == conditions,
            evaluations: 0,
            newton_steps: 0,
            damped_steps: 0,
        }
    }

    pub(super) fn start(&mut self, guess: impl Iterator<Item = f64>) {
        for (own, guess) in self.trial.iter_mut().zip(guess) {
            *own = guess;
        }
    }

    pub(super) fn trial(&self) -> &[f64] {
        &self.trial
    }

    pub(super) fn best(&self) -> &[f64] {
        &self.best
    }

    pub(super) fn residuals(&self) -> &[f64] {
        &self.residuals
    }

    /// Takes the residuals and the entries of the Jacobian at the trial point.
    pub(super) fn observe(
        &mut self,
        residuals: &[f64],
        entries: impl Iterator<Item = ((usize, usize), f64)>,
    ) -> Option<Verdict> {
        self.evaluations += 1;
        let norm = residuals.iter().map(|r| r * r).sum::<f64>().sqrt();
        let first = self.norm.is_infinite();
        let mut matrix = vec![0.0; self.jacobian.len()];
        for ((row, column), value) in entries {
            matrix[row * self.unknowns + column] = value;
        }
        let finite = norm.is_finite() && matrix.iter().all(|value| value.is_finite());
        if first && !finite {
            return Some(Verdict::NotFinite);
        }
        if finite && (first || norm < self.norm) {
            self.accept(residuals, matrix, norm, first);
            if self.norm == 0.0 {
                return Some(Verdict::Found);
            }
        } else {
            // A point that is good and cannot be made better is the answer.
            if self.is_small() {
                return Some(Verdict::Found);
            }
            if self.is_newton {
                self.newton_works = false;
            } else {
                self.damping *= 10.0;
            }
        }
        if self.evaluations >= MOST || self.damping > LARGEST_DAMPING {
            return Some(self.verdict());
        }
        self.advance();
        if self.trial == self.best {
            return Some(self.verdict());
        }
        None
    }

    fn verdict(&self) -> Verdict {
        if self.is_small() {
            Verdict::Found
        } else {
            Verdict::Failed
        }
    }

    fn accept(&mut self, residuals: &[f64], matrix: Vec<f64>, norm: f64, first: bool) {
        if !first {
            if self.is_newton {
                self.newton_steps += 1;
            } else {
                self.damped_steps += 1;
                self.damping = (self.damping * 0.1).max(1e-15);
            }
            let square = self.unknowns == self.conditions;
            self.newton_works = square && (!self.is_newton || norm <= 0.5 * self.norm);
        }
        self.best.copy_from_slice(&self.trial);
        self.residuals.copy_from_slice(residuals);
        self.jacobian = matrix;
        self.norm = norm;
    }

    /// Every residual is small beside its terms.
    fn is_small(&self) -> bool {
        let rows = self.jacobian.chunks(self.unknowns.max(1));
        let sizes = rows.map(|row| {
            let terms = row.iter().zip(&self.best).map(|(j, v)| (j * v).abs());
            1.0 + terms.sum::<f64>()
        });
        let sizes = sizes.chain(std::iter::repeat(1.0));
        let mut pairs = self.residuals.iter().zip(sizes);
        pairs.all(|(residual, size)| residual.abs() <= SMALL * size)
    }

    fn advance(&mut self) {
        self.is_newton = self.newton_works && self.newton_step();
        if !self.is_newton {
            self.damped_step();
        }
    }

    fn newton_step(&mut self) -> bool {
        let mut factors = self.jacobian.clone();
        let mut pivots = vec![0; self.unknowns];
        if !factorise(&mut factors, &mut pivots) {
            return false;
        }
        let mut step: Vec<f64> = self.residuals.iter().map(|r| -r).collect();
        back_substitute(&factors, &pivots, &mut step);
        self.step_to(&step, |_| 1.0);
        self.trial.iter().all(|v| v.is_finite())
    }

    /// Solves `(JᵀJ + damping · max diagonal) d = -Jᵀ r` in scaled unknowns.
    fn damped_step(&mut self) {
        let n = self.unknowns;
        let scales: Vec<f64> = self.best.iter().map(|v| 1.0 + v.abs()).collect();
        let mut matrix = vec![0.0; n * n];
        let mut right = vec![0.0; n];
        for (row, residual) in self.jacobian.chunks(n.max(1)).zip(&self.residuals) {
            for i in 0..n {
                let own = row[i] * scales[i];
                right[i] -= own * residual;
                for k in 0..n {
                    matrix[i * n + k] += own * row[k] * scales[k];
                }
            }
        }
        let largest = (0..n).fold(0.0, |a: f64, i| a.max(matrix[i * n + i]));
        let shift = self.damping * if largest > 0.0 { largest } else { 1.0 };
        for i in 0..n {
            matrix[i * n + i] += shift;
        }
        let mut pivots = vec![0; n];
        if factorise(&mut matrix, &mut pivots) {
            back_substitute(&matrix, &pivots, &mut right);
            self.step_to(&right, |i| scales[i]);
        } else {
            self.trial.copy_from_slice(&self.best);
        }
    }

    fn step_to(&mut self, step: &[f64], scale: impl Fn(usize) -> f64) {
        for (i, (trial, d)) in self.trial.iter_mut().zip(step).enumerate() {
            *trial = self.best[i] + scale(i) * d;
        }
    }
}
