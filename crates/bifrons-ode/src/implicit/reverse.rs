//! Adjoints of steps: from derivatives by what a step gives to those by what it takes.
//!
//! Every step solves equations `G(old, new, p) = 0`. With `λ` the derivatives by `new`, the
//! solution of `G_newᵀ μ = λ` gives those by `old`, `−G_oldᵀ μ`, and by the parameters, `−G_pᵀ μ`:
//! one transposed solve per stage, however many parameters there are.

use bifrons_algebra::{Lu, Structure};

use super::carried::Carry;
use super::matrices::Matrices;
use crate::problem::{Clipped, Derivatives as _};

/// A method whose accepted steps can be reversed.
pub(crate) trait Reverse: Carry + Clone {
    /// What a step must leave behind.
    type Record;
    /// Derivatives by everything that the method takes into its next step.
    type Adjoint;

    /// The last accepted step.
    fn record(&self) -> Self::Record;

    /// Derivatives that are zero.
    fn zero(&self) -> Self::Adjoint;

    /// Adds derivatives `lambda` by the state at `t` within the step, then takes them through it.
    ///
    /// Without `lambda` the derivatives are those by what the step left behind.
    fn pull(
        &self,
        adjoint: &mut Self::Adjoint,
        record: &Self::Record,
        lambda: Option<(f64, &[f64])>,
        link: &mut Pull<'_, '_>,
    );

    /// Writes the derivatives by the state from which the method started; it stands there.
    fn lift(&self, adjoint: &Self::Adjoint, link: &mut Pull<'_, '_>, lambda: &mut [f64]);
}

/// Derivatives of the right-hand side by all components and parameters, and the gradient by the
/// parameters that grows on the way back.
pub(crate) struct Pull<'a, 'c> {
    pub(crate) link: &'a mut Clipped<'c>,
    /// Unit directions of all components, zeros for the parameters.
    pub(crate) units: &'a [f64],
    /// Derivatives by components, then by parameters, `n` numbers each.
    pub(crate) block: &'a mut [f64],
    pub(crate) gradient: &'a mut [f64],
}

impl Pull<'_, '_> {
    /// Derivatives of `f(t, y)`.
    pub(super) fn load(&mut self, t: f64, y: &[f64]) {
        self.link.columns(t, y, self.units, self.block);
    }

    /// Derivatives of `J u + f_t time`.
    pub(super) fn load_second(&mut self, t: f64, y: &[f64], along: (f64, &[f64])) {
        self.link.second(t, y, self.units, along, self.block);
    }

    /// Derivatives of the slope `y'`.
    pub(super) fn load_slopes(&mut self, t: f64, y: &[f64]) {
        self.link.slopes(t, y, self.units, self.block);
    }

    /// Derivatives of the consistent state by the one that was given.
    pub(crate) fn load_consistent(&mut self, t: f64, y: &[f64]) {
        self.block.copy_from_slice(self.units);
        self.link.settle(t, y, self.block);
    }

    /// The Jacobian that was loaded, by columns.
    pub(super) fn jacobian(&self, n: usize) -> &[f64] {
        &self.block[..n * n]
    }

    /// Adds `factor` times the transpose of what was loaded, times `w`, to `out` and to the
    /// gradient.
    pub(crate) fn add(&mut self, factor: f64, w: &[f64], out: &mut [f64]) {
        let n = w.len().max(1);
        let (states, parameters) = self.block.split_at(w.len() * w.len());
        let columns = states.chunks_exact(n).zip(out);
        let gradient = parameters.chunks_exact(n).zip(&mut *self.gradient);
        for (column, out) in columns.chain(gradient) {
            let sum: f64 = column.iter().zip(w).map(|(a, b)| a * b).sum();
            *out += factor * sum;
        }
    }
}

/// Replaces `x` by the solution of `(M − c J)ᵀ x = b`, with the Jacobian that was loaded.
pub(super) fn solve_transposed(
    matrices: &Matrices,
    c: f64,
    link: &Pull<'_, '_>,
    lu: &mut Option<Lu<f64>>,
    x: &mut [f64],
) {
    let (structure, mass, _) = matrices.parts();
    let lu = lu.get_or_insert_with(|| Lu::analyse(structure));
    let (n, jacobian) = (x.len(), link.jacobian(x.len()));
    let factored = if matches!(structure, Structure::Dense { .. }) {
        // Both are dense by columns.
        lu.refactor_with(|k| mass[k] - c * jacobian[k])
    } else {
        let mut values = mass.to_vec();
        for column in 0..n {
            structure.for_column(column, |row, at| {
                values[at] -= c * jacobian[column * n + row];
            });
        }
        lu.refactor(&values)
    };
    match factored {
        Ok(_) => lu.solve_transposed(x),
        // The step was solved, so this is a matrix at the border of what can be; nothing is known.
        Err(_) => x.fill(f64::NAN),
    }
}

/// Adds `factor · Mᵀ x` to `y`.
pub(super) fn add_mass_transposed(matrices: &Matrices, factor: f64, x: &[f64], y: &mut [f64]) {
    let (structure, mass, _) = matrices.parts();
    structure.transpose_multiply_add(mass, factor, x, y);
}

/// Adds `factor x` to `y`.
pub(super) fn add(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}
