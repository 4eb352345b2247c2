//! States that satisfy the algebraic equations.

use bifrons_algebra::{Newton, NewtonError, NewtonOptions, Structure};

use super::matrices::Matrices;
use super::norm::{fixed, weights};
use crate::error::Failure;
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;

/// What a run of a system with singular mass matrix does with its initial state.
///
/// States after events are always made consistent, unless nothing is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Initialisation {
    /// The state must satisfy the algebraic equations within the tolerances; the failure names
    /// the worst equation.
    #[default]
    Check,
    /// Algebraic components are solved for; what the mass matrix says about the others is kept.
    Algebraic,
    /// As [`Initialisation::Algebraic`]; [`make_consistent`](crate::make_consistent) gives the slopes
    /// of all components back, too. In a run, methods compute them in any case.
    AlgebraicAndDerivatives,
    /// The state is taken as it is.
    Unchecked,
}

/// Solver for consistent states: rows of the mass matrix that are zero are equations
/// `f_i(t, y) = 0`, all other rows keep `M y`.
///
/// A singular mass matrix without a zero row, such as that of a circuit with floating capacitors,
/// has its algebraic equations in linear combinations of rows. There, the state is the solution of
/// `M (y − y0) = c f(t, y)` for a `c` that is small against the mass matrix: an implicit Euler step
/// of practically no length.
#[derive(Debug)]
pub(super) struct Consistent {
    pub(super) newton: Newton,
    /// Rows that are algebraic equations.
    pub(super) algebraic: Vec<bool>,
    /// Whether algebraic equations are hidden in combinations of rows.
    pub(super) hidden: bool,
    pub(super) start: Vec<f64>,
    pub(super) trial: Vec<f64>,
    pub(super) scratch: Vec<f64>,
}

/// What a stepper gives to make a state consistent.
pub(super) struct Task<'a> {
    pub(super) relative: f64,
    pub(super) absolute: &'a [f64],
    pub(super) weights: &'a mut [f64],
    pub(super) mode: Initialisation,
    /// Whether some component has an index above one: then nothing is done.
    pub(super) high: bool,
    pub(super) first: bool,
}

impl Task<'_> {
    /// Checks or changes `y` at `t`.
    pub(super) fn run<P: Problem>(
        &mut self,
        problem: &mut P,
        matrices: &mut Matrices,
        t: f64,
        y: &mut [f64],
        statistics: &mut Statistics,
    ) -> Result<(), Failure> {
        if self.mode == Initialisation::Unchecked || self.high || !matrices.is_singular() {
            return Ok(());
        }
        let n = y.len();
        let out = (self.absolute, &mut *self.weights);
        fixed!(n, weights, (y, self.relative, out.0, out.1));
        let worst = matrices.worst_equation(problem, t, y, statistics);
        let change = matrices.make_consistent(problem, t, y, self.weights, statistics)?;
        if self.first && self.mode == Initialisation::Check {
            matrices.take_back(y);
        }
        if change > 1.0 && self.first && self.mode == Initialisation::Check {
            let (equation, residual) = worst;
            return Err(Failure::Inconsistent {
                t,
                equation,
                residual,
            });
        }
        Ok(())
    }
}

/// Share of the tolerance to which algebraic equations are solved.
const SHARE: f64 = 1e-3;

impl Consistent {
    pub(super) fn new(structure: &Structure, algebraic: Vec<bool>, hidden: bool) -> Self {
        let n = structure.dimension();
        Self {
            newton: Newton::new(structure),
            algebraic,
            hidden,
            start: vec![0.0; n],
            trial: vec![0.0; n],
            scratch: vec![0.0; n],
        }
    }
}

/// Settings of the search.
pub(super) fn options() -> NewtonOptions {
    let mut options = NewtonOptions::default();
    options.tolerance = SHARE;
    options
}

/// The failure of a run for a search that failed.
pub(super) fn failure(error: NewtonError, t: f64) -> Failure {
    match error {
        NewtonError::Factor { source, .. } => {
            let (bifrons_algebra::FactorError::Singular { column }
            | bifrons_algebra::FactorError::NotFinite { column }) = source
            else {
                return Failure::NoConsistentState {
                    t,
                    equation: 0,
                    residual: f64::NAN,
                };
            };
            Failure::Undetermined {
                t,
                component: column,
            }
        }
        NewtonError::Stuck {
            equation, residual, ..
        }
        | NewtonError::Iterations {
            equation, residual, ..
        } => Failure::NoConsistentState {
            t,
            equation,
            residual,
        },
        NewtonError::Guess { equation } => Failure::NoConsistentState {
            t,
            equation,
            residual: f64::NAN,
        },
        _ => Failure::NoConsistentState {
            t,
            equation: 0,
            residual: f64::NAN,
        },
    }
}

/// Remembers a fault that stops the run, inside closures that only say whether a value exists.
pub(super) fn evaluate<P: Problem>(
    problem: &mut P,
    t: f64,
    y: &[f64],
    out: &mut [f64],
    fatal: &mut Option<&'static str>,
) -> bool {
    match problem.rhs(t, y, out) {
        Ok(()) => true,
        Err(Fault::Fatal(message)) => {
            *fatal = Some(message);
            false
        }
        Err(_) => false,
    }
}
