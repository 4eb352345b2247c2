//! Linear equations of all columns of a step.

use bifrons_algebra::Lu;

use crate::error::Failure;
use crate::implicit::matrices::Matrices;
use crate::implicit::norm::weigh;
use crate::problem::{Clipped, Derivatives as _};
use crate::statistics::Statistics;

/// Iterations with the factors of the step before the exact matrix is factored.
const LIMIT: u32 = 12;
/// Contraction above which that is done at once.
const SLOW: f64 = 0.5;
/// Share of the relative tolerance that an iteration may leave in a column.
const SHARE: f64 = 1e-3;
/// Iterations with exact factors; round-off is left after two.
const REFINEMENTS: u32 = 3;

/// `M − c J` with the Jacobian at one state, factored. Allocated when it is needed first.
#[derive(Debug, Default)]
pub(in crate::implicit) struct Direct {
    lu: Option<Lu<f64>>,
    /// As the model states it, and in the structure of the matrices.
    raw: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Direct {
    /// Evaluates and factors; false if the matrix is singular.
    fn load(
        &mut self,
        matrices: &Matrices,
        link: &mut Clipped<'_>,
        (t, y, c): (f64, &[f64], f64),
        statistics: &mut Statistics,
    ) -> bool {
        let (structure, mass, _) = matrices.parts();
        self.raw.resize(matrices.raw_count(), 0.0);
        self.jacobian.resize(mass.len(), 0.0);
        link.jacobian_values(t, y, &mut self.raw);
        matrices.spread(&self.raw, &mut self.jacobian);
        statistics.jacobians += 1;
        statistics.factorisations += 1;
        let lu = self.lu.get_or_insert_with(|| Lu::analyse(structure));
        let jacobian = &self.jacobian;
        lu.refactor_with(|k| mass[k] - c * jacobian[k]).is_ok()
    }
}

/// Equations `c (f_y (base + d) + f_q) = M (ψ + d)` for all columns.
pub(in crate::implicit) struct Linear<'a> {
    pub(in crate::implicit) c: f64,
    /// What corrections by the factors of the step are multiplied with.
    pub(in crate::implicit) scale: f64,
    /// Nothing if it is zero.
    pub(in crate::implicit) psi: Option<&'a [f64]>,
    pub(in crate::implicit) base: &'a [f64],
    /// First guess, then the solution.
    pub(in crate::implicit) d: &'a mut [f64],
    /// `base + d`.
    pub(in crate::implicit) value: &'a mut [f64],
    pub(in crate::implicit) slope: &'a mut [f64],
    pub(in crate::implicit) delta: &'a mut [f64],
    /// Weights of the state.
    pub(in crate::implicit) weights: &'a [f64],
    pub(in crate::implicit) relative: f64,
    pub(in crate::implicit) direct: &'a mut Direct,
}

/// Adds `factor · M x` to `y`, column by column.
pub(in crate::implicit) fn add_mass_columns(
    matrices: &Matrices,
    n: usize,
    factor: f64,
    x: &[f64],
    y: &mut [f64],
) {
    for (x, y) in x.chunks_exact(n.max(1)).zip(y.chunks_exact_mut(n.max(1))) {
        matrices.add_mass_times(factor, x, y);
    }
}

/// Largest ratio, over all columns, of the weighted norms of `a` and `b`; zero columns do not count.
pub(in crate::implicit) fn largest_ratio(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let n = weights.len().max(1);
    let norm = |v: &[f64]| {
        let squares = v.iter().zip(weights).map(|(v, w)| weigh(*v, *w).powi(2));
        squares.sum::<f64>()
    };
    let mut most = 0.0_f64;
    for (a, b) in a.chunks_exact(n).zip(b.chunks_exact(n)) {
        let (a, b) = (norm(a), norm(b));
        if !(a <= 0.0) {
            let ratio = (a / b.max(f64::MIN_POSITIVE)).sqrt();
            most = if ratio > most || ratio.is_nan() {
                ratio
            } else {
                most
            };
        }
    }
    most
}

/// What is left of the correction after which an iteration ends.
pub(in crate::implicit) fn tolerance(relative: f64) -> f64 {
    (SHARE * relative).clamp(1e-14, 1e-6)
}

/// Solves for `d`.
pub(in crate::implicit) fn solve_columns(
    matrices: &mut Matrices,
    link: &mut Clipped<'_>,
    (t, y): (f64, &[f64]),
    task: &mut Linear<'_>,
    statistics: &mut Statistics,
) -> Result<(), Failure> {
    let enough = tolerance(task.relative);
    let mut last = f64::INFINITY;
    for iteration in 0..LIMIT {
        let size = correct(matrices, link, (t, y), task, (false, statistics));
        if size <= enough {
            return Ok(());
        }
        if iteration > 0 {
            let rate = size / last;
            if rate < 1.0 && rate / (1.0 - rate) * size <= enough {
                return Ok(());
            }
            let left = f64::from(LIMIT - 1 - iteration);
            if !(rate <= SLOW && size * rate.powf(left) <= enough) {
                break;
            }
        }
        last = size;
    }
    let exact = (t, y, task.c);
    if !task.direct.load(matrices, link, exact, statistics) {
        let message = "the matrix of the sensitivities is singular";
        return Err(Failure::Fatal { t, message });
    }
    for _ in 0..REFINEMENTS {
        let size = correct(matrices, link, (t, y), task, (true, statistics));
        if size <= enough {
            break;
        }
    }
    Ok(())
}

/// One correction; returns its size against that of the columns.
fn correct(
    matrices: &mut Matrices,
    link: &mut Clipped<'_>,
    (t, y): (f64, &[f64]),
    task: &mut Linear<'_>,
    (exact, statistics): (bool, &mut Statistics),
) -> f64 {
    let n = y.len();
    for (value, (base, d)) in task.value.iter_mut().zip(task.base.iter().zip(&*task.d)) {
        *value = base + d;
    }
    link.columns(t, y, task.value, task.slope);
    statistics.tangents += 1;
    for (delta, slope) in task.delta.iter_mut().zip(&*task.slope) {
        *delta = task.c * slope;
    }
    if let Some(psi) = task.psi {
        add_mass_columns(matrices, n, -1.0, psi, task.delta);
    }
    add_mass_columns(matrices, n, -1.0, task.d, task.delta);
    let scale = if exact { 1.0 } else { task.scale };
    for column in task.delta.chunks_exact_mut(n.max(1)) {
        statistics.linear_solves += 1;
        match task.direct.lu.as_mut().filter(|_| exact) {
            Some(lu) => lu.solve(column),
            None => matrices.solve(column),
        }
        column.iter_mut().for_each(|v| *v *= scale);
    }
    for (d, delta) in task.d.iter_mut().zip(&*task.delta) {
        *d += delta;
    }
    largest_ratio(task.delta, task.value, task.weights)
}
