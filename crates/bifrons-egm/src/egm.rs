//! The endogenous grid method for concave problems.

use crate::error::EgmError;
use crate::problem::{InversionReport, Inverted, SavingsProblem};
use crate::row::Row;

/// One step of the endogenous grid method: a row from the continuation at savings nodes.
///
/// ```text
/// c_j = (u')⁻¹(β EM_j),   m_j = s_j + c_j,   v_j = u(c_j) + β EV_j
/// ```
///
/// Below `m_0` consumption is `m - s_0` exactly: the row carries this as its corner, if the
/// value at the limit is finite. Nodes without candidate at both ends of the grid are left out;
/// with a flat continuation everywhere the row is the corner alone.
///
/// Cost per node: one inverse marginal utility, for CRRA no other power. Without allocation once
/// the row is large enough.
///
/// # Errors
///
/// [`EgmError::NonConcave`] if resources do not ascend strictly: the problem needs a step with an
/// envelope; [`EgmError::NoCandidate`].
///
/// # References
///
/// Carroll (2006), The method of endogenous gridpoints for solving dynamic stochastic
/// optimization problems.
///
/// # Examples
///
/// ```
/// use bifrons_egm::{Crra, ReadOptions, Row, RowReader, SavingsProblem, egm_step};
///
/// // Log utility, the rest is consumed tomorrow: c = m / (1 + β).
/// let (savings, beta, u) = ([1.0, 2.0, 4.0_f64], 0.95, Crra::log());
/// let value = savings.map(f64::ln);
/// let marginal = savings.map(f64::recip);
/// let mut row = Row::new();
/// egm_step(&SavingsProblem::new(&savings, &value, &marginal, &u, beta)?, &mut row)?;
/// let mut reader = RowReader::new(ReadOptions::default());
/// reader.prepare(row.view())?;
/// assert!((reader.read(&u, 5.0)?.policy - 5.0 / 1.95).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn egm_step(problem: &SavingsProblem<'_>, out: &mut Row) -> Result<InversionReport, EgmError> {
    let report = invert(problem, out);
    if report.dead + report.saturated > 0 {
        keep_live(out);
    }
    let falls = |pair: &[f64]| !(pair[0] < pair[1]);
    if let Some(i) = out.x.windows(2).position(falls) {
        let resources = out.x[i + 1];
        let from = resources - out.policy[i + 1];
        // The node nearest to the savings of the record, which were rounded once.
        let above = problem.savings.partition_point(|&s| s < from);
        let nearest = |a: &usize, b: &usize| {
            let distance = |k: usize| (problem.savings[k] - from).abs();
            distance(*a).total_cmp(&distance(*b))
        };
        let last = problem.len() - 1;
        let near = [above.saturating_sub(1), above.min(last)];
        let index = near.into_iter().min_by(nearest).unwrap_or(last);
        let savings = problem.savings[index];
        out.clear();
        return Err(EgmError::NonConcave {
            index,
            savings,
            resources,
        });
    }
    out.corner = problem.corner();
    if out.is_empty() && out.corner.is_none() {
        return Err(problem.no_candidate(report));
    }
    Ok(report)
}

/// Writes all nodes into the row, dead ones as NaN.
pub(crate) fn invert(problem: &SavingsProblem<'_>, out: &mut Row) -> InversionReport {
    let n = problem.len();
    out.clear();
    out.reserve(n);
    for channel in [
        &mut out.x,
        &mut out.value,
        &mut out.policy,
        &mut out.marginal,
    ] {
        channel.resize(n, 0.0);
    }
    out.owner.resize(n, 0);
    problem.invert_into(&mut Inverted {
        x: &mut out.x,
        value: &mut out.value,
        policy: &mut out.policy,
        marginal: &mut out.marginal,
    })
}

/// Removes dead nodes.
fn keep_live(out: &mut Row) {
    let mut kept = 0;
    for i in 0..out.x.len() {
        if !out.x[i].is_nan() {
            for channel in [
                &mut out.x,
                &mut out.value,
                &mut out.policy,
                &mut out.marginal,
            ] {
                channel[kept] = channel[i];
            }
            kept += 1;
        }
    }
    for channel in [
        &mut out.x,
        &mut out.value,
        &mut out.policy,
        &mut out.marginal,
    ] {
        channel.truncate(kept);
    }
    out.owner.truncate(kept);
}
