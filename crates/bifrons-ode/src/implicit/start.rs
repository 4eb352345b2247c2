//! Slopes and first steps.

use super::matrices::Matrices;
use super::norm::{fixed, mean_square};
use crate::error::Failure;
use crate::initial_step;
use crate::problem::{Fault, Problem};
use crate::statistics::Statistics;

/// Where a start looks for its slope, and the arrays that it works on.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub(super) t: f64,
    pub(super) y: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) direction: f64,
    /// Largest step allowed, positive.
    pub(super) most: f64,
    /// Order of the method in the first step.
    pub(super) order: f64,
    /// Result: `y'(t)`.
    pub(super) slope: &'a mut [f64],
    pub(super) scratch: &'a mut [f64],
    pub(super) other: &'a mut [f64],
}

/// The name of what is not finite in `f(t, y)`.
fn not_finite(f: &[f64], t: f64) -> Option<Failure> {
    let component = f.iter().position(|v| !v.is_finite())?;
    let value = f[component];
    Some(Failure::InitialDerivative {
        component,
        value,
        t,
    })
}

fn fatal(fault: Fault, t: f64) -> Failure {
    let message = match fault {
        Fault::Fatal(message) => message,
        Fault::Recoverable => "the right-hand side does not exist at the start",
    };
    Failure::Fatal { t, message }
}

/// Evaluates the slope at the start, and the first step if none is given.
///
/// With the identity as mass matrix the slope is the right-hand side. Otherwise it is the increment
/// of a linearly implicit Euler step of a length far below the first step,
/// `(M − h J) y' = f(t + h, y)`, which exists for singular `M`, too, if the index is one.
///
/// The step is Hairer's estimate for the order of the method (Hairer, Nørsett, Wanner 1993,
/// section II.4), with at most one evaluation beyond the slope, and not beyond `most`.
pub(super) fn start<P: Problem>(
    problem: &mut P,
    matrices: &mut Matrices,
    ground: &mut Ground<'_>,
    given: Option<f64>,
    statistics: &mut Statistics,
) -> Result<f64, Failure> {
    let (t, y) = (ground.t, ground.y);
    statistics.rhs += 1;
    problem.rhs(t, y, ground.slope).map_err(|f| fatal(f, t))?;
    if let Some(failure) = not_finite(ground.slope, t) {
        return Err(failure);
    }
    let n = y.len();
    let state = fixed!(n, mean_square, (y, ground.weights));
    if !matrices.is_identity() {
        implicit_slope(problem, matrices, ground, statistics)?;
    }
    let speed = fixed!(n, mean_square, (ground.slope, ground.weights));
    if let Some(given) = given {
        return Ok(given.min(ground.most));
    }
    first_step(
        problem,
        matrices.is_identity(),
        ground,
        (state, speed),
        statistics,
    )
}

/// Hairer's estimate from the mean squares of the weighted state and of its slope.
fn first_step<P: Problem>(
    problem: &mut P,
    identity: bool,
    ground: &mut Ground<'_>,
    (state, speed): (f64, f64),
    statistics: &mut Statistics,
) -> Result<f64, Failure> {
    let (t, y) = (ground.t, ground.y);
    let n = y.len();
    let h0 = initial_step::euler_length(state, speed, ground.most);
    if !identity {
        // No cheap probe: the increment of one per cent of the state, first order, small enough.
        let h1 = if speed > 0.0 {
            (0.01 / speed.sqrt()).max(1e-3 * h0)
        } else {
            h0
        };
        return Ok(h0.min(h1).min(ground.most));
    }
    for i in 0..n {
        ground.scratch[i] = y[i] + ground.direction * h0 * ground.slope[i];
    }
    statistics.rhs += 1;
    let there = problem.rhs(t + ground.direction * h0, ground.scratch, ground.other);
    if let Err(Fault::Fatal(message)) = there {
        return Err(Failure::Fatal { t, message });
    }
    for i in 0..n {
        ground.other[i] -= ground.slope[i];
    }
    let change = match there {
        Ok(()) => fixed!(n, mean_square, (ground.other, ground.weights)),
        // A probe outside the domain: the small step of the slope alone is safe.
        Err(_) => f64::NAN,
    };
    Ok(initial_step::from_slopes(speed, change, h0, ground.order + 1.0).min(ground.most))
}

/// Replaces `f(t, y)` in the slope by the increment of a short linearly implicit Euler step.
fn implicit_slope<P: Problem>(
    problem: &mut P,
    matrices: &mut Matrices,
    ground: &mut Ground<'_>,
    statistics: &mut Statistics,
) -> Result<(), Failure> {
    let (t, y) = (ground.t, ground.y);
    matrices
        .evaluate(problem, t, y, ground.slope, statistics)
        .map_err(|f| fatal(f, t))?;
    let reach = if ground.most.is_finite() {
        ground.most
    } else {
        t.abs().max(1.0)
    };
    if exact_slope(problem, matrices, ground, reach, statistics)? {
        return Ok(());
    }
    let mut h = ground.direction * (1e-6 * reach).min(1e-6).max(1e-10 * t.abs());
    for _ in 0..3 {
        let factored = matrices.factor(h, statistics);
        if factored.is_ok() {
            statistics.rhs += 1;
            if problem.rhs(t + h, y, ground.scratch).is_ok() {
                statistics.linear_solves += 1;
                matrices.solve(ground.scratch);
                if ground.scratch.iter().all(|v| v.is_finite()) {
                    ground.slope.copy_from_slice(ground.scratch);
                    return Ok(());
                }
            }
        }
        h *= 1e-2;
    }
    // No slope: the predictor of the first step is the state itself.
    ground.slope.fill(0.0);
    Ok(())
}

/// Replaces `f(t, y)` in the slope by the solution of the differential equations and of the
/// derivatives of the algebraic ones; says whether that was possible.
fn exact_slope<P: Problem>(
    problem: &mut P,
    matrices: &mut Matrices,
    ground: &mut Ground<'_>,
    reach: f64,
    statistics: &mut Statistics,
) -> Result<bool, Failure> {
    let (t, y) = (ground.t, ground.y);
    let small = (f64::EPSILON.sqrt() * t.abs().max(reach.min(1.0))).min(0.5 * reach);
    let later = t + ground.direction * small;
    statistics.rhs += 1;
    match problem.rhs(later, y, ground.scratch) {
        Ok(()) => {}
        Err(Fault::Fatal(message)) => return Err(Failure::Fatal { t, message }),
        Err(Fault::Recoverable) => return Ok(false),
    }
    for (i, (scratch, slope)) in ground.scratch.iter_mut().zip(&*ground.slope).enumerate() {
        *scratch = if matrices.is_empty_row(i) {
            (*scratch - slope) / (later - t)
        } else {
            *slope
        };
    }
    let solved = matrices.solve_slope(ground.scratch, statistics);
    // A mass matrix that is singular without an empty row leaves pivots of round-off.
    let regular = solved.is_ok_and(|pivots| pivots.ratio() > 1e-13);
    let found = regular && ground.scratch.iter().all(|v| v.is_finite());
    if found {
        ground.slope.copy_from_slice(ground.scratch);
    }
    Ok(found)
}
