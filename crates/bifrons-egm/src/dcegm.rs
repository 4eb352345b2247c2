//! The step of one discrete choice: Euler inversion, folds, envelope, constrained region.

use bifrons_memory::Footprint;

use crate::candidate::CandidateBuffer;
use crate::egm::invert;
use crate::envelope::{
    Descending, EnvelopeMethod, EnvelopeReport, EnvelopeWorkspace, upper_envelope,
};
use crate::error::EgmError;
use crate::problem::{InversionReport, SavingsProblem};
use crate::row::{Corner, Row};

/// Settings of [`dcegm_step`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DcEgmOptions {
    /// How folds are resolved.
    pub envelope: EnvelopeMethod,
    /// Points of the constrained region where it competes with other candidates (20).
    pub constrained_points: usize,
}

impl Default for DcEgmOptions {
    fn default() -> Self {
        Self {
            envelope: EnvelopeMethod::EXACT,
            constrained_points: 20,
        }
    }
}

impl DcEgmOptions {
    /// Sets how folds are resolved.
    #[must_use]
    pub const fn with_envelope(mut self, envelope: EnvelopeMethod) -> Self {
        self.envelope = envelope;
        self
    }

    /// Sets the number of points of the constrained region.
    #[must_use]
    pub const fn with_constrained_points(mut self, count: usize) -> Self {
        self.constrained_points = count;
        self
    }
}

/// What a step met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StepReport {
    /// Nodes without candidate.
    pub inversion: InversionReport,
    /// The envelope, if one was needed.
    pub envelope: Option<EnvelopeReport>,
}

/// Memory of steps, used again.
#[derive(Debug, Clone, Default)]
pub struct StepWorkspace {
    candidates: CandidateBuffer,
    envelope: EnvelopeWorkspace,
}

impl StepWorkspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for steps with so many savings nodes, constrained points and runs of a chain.
    #[must_use]
    pub fn footprint(nodes: usize, constrained_points: usize, runs: usize) -> Footprint {
        let count = nodes.saturating_add(constrained_points).saturating_add(1);
        CandidateBuffer::footprint(count)
            .beside(EnvelopeWorkspace::footprint(count, runs.saturating_add(1)))
    }

    /// Makes room, so that steps allocate nothing as long as chains have at most `runs` runs.
    pub fn reserve(&mut self, nodes: usize, constrained_points: usize, runs: usize) {
        let count = nodes + constrained_points + 1;
        self.candidates.reset(count);
        self.envelope.reserve(count, runs + 1);
    }
}

/// Label of the constrained region inside of a step.
const CORNER: u32 = 1;

/// One step of the discrete-continuous endogenous grid method for one choice.
///
/// The Euler equation is inverted as in [`egm_step`](crate::egm_step). If resources ascend
/// strictly, the candidates are the row; otherwise the upper envelope is taken, in which the
/// constrained region `s = s_0` competes wherever another candidate lies below `m_0`. Below its
/// first record the row carries the constrained region exactly, as its corner.
///
/// Owners of the row are 0, where the constrained region reappears above another candidate 1;
/// use [`Row::set_owner`] to name the choice.
///
/// Cost: as [`egm_step`](crate::egm_step) without folds, else the envelope. Without allocation
/// once workspace and row are large enough.
///
/// # Errors
///
/// [`EgmError::NoCandidate`], [`EgmError::Envelope`].
///
/// # References
///
/// Iskhakov, Jørgensen, Rust and Schjerning (2017), The endogenous grid method for
/// discrete-continuous dynamic choice models with (or without) taste shocks.
pub fn dcegm_step(
    problem: &SavingsProblem<'_>,
    options: &DcEgmOptions,
    workspace: &mut StepWorkspace,
    out: &mut Row,
) -> Result<StepReport, EgmError> {
    let inversion = invert(problem, out);
    let ascends = |pair: &[f64]| pair[0] < pair[1];
    let dead = out.x.iter().take_while(|x| x.is_nan()).count();
    if dead > 0 && problem.corner().is_none() && out.x[dead..].windows(2).all(ascends) {
        // Savings that lead nowhere, and nothing that competes with the rest.
        out.remove_leading(dead);
    }
    let live = out.x.iter().filter(|x| !x.is_nan()).count();
    let mut envelope = None;
    if live == 0 {
        out.clear();
        if problem.corner().is_none() {
            return Err(problem.no_candidate(inversion));
        }
    } else if live < out.len() || !out.x.windows(2).fold(true, |ok, pair| ok & ascends(pair)) {
        envelope = Some(refine(problem, options, workspace, out)?);
    }
    out.corner = problem.corner();
    Ok(StepReport {
        inversion,
        envelope,
    })
}

/// Replaces a folded chain by its upper envelope.
fn refine(
    problem: &SavingsProblem<'_>,
    options: &DcEgmOptions,
    workspace: &mut StepWorkspace,
    out: &mut Row,
) -> Result<EnvelopeReport, EgmError> {
    let candidates = &mut workspace.candidates;
    candidates.reset(out.x.len() + options.constrained_points + 1);
    if let Some(corner) = problem.corner() {
        if matches!(options.envelope, EnvelopeMethod::Exact { .. }) {
            push_rivalling_corner(problem, corner, options, out, candidates);
        } else {
            push_sampled_corner(problem, corner, options, out, candidates);
        }
    }
    for i in 0..out.x.len() {
        candidates.push(out.x[i], out.value[i], out.policy[i], out.marginal[i], 0);
    }
    let (method, envelope) = (options.envelope, &mut workspace.envelope);
    let report = upper_envelope(method, candidates.view(), Descending::Drop, envelope, out)?;
    strip_corner(out);
    Ok(report)
}

/// The constrained region as a run of its own, where it meets other candidates.
fn push_rivalling_corner(
    problem: &SavingsProblem<'_>,
    corner: Corner,
    options: &DcEgmOptions,
    row: &Row,
    candidates: &mut CandidateBuffer,
) {
    let live = || row.x.iter().filter(|x| !x.is_nan());
    let (low, high) = live().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
        (low.min(x), high.max(x))
    });
    // If the chain starts upwards from the limit, the region ends at its first node.
    let joins = row.x.first().is_some_and(|x| !x.is_nan())
        && row.x.get(1).is_some_and(|&next| next > row.x[0]);
    let dead = row.x.iter().any(|x| x.is_nan());
    let end = if joins && !dead { row.x[0] } else { high };
    if !(low < end) {
        return;
    }
    let count = options.constrained_points.max(2);
    let (first, last) = (low - corner.savings, end - corner.savings);
    let ratio = (last / first).ln() / (count - 1) as f64;
    for i in 0..count {
        if i + 1 == count && joins && !dead {
            candidates.push(
                row.x[0],
                row.value[0],
                row.policy[0],
                row.marginal[0],
                CORNER,
            );
            continue;
        }
        let c = if i + 1 == count {
            last
        } else {
            first * (ratio * i as f64).exp()
        };
        let marginal = problem.utility.marginal(c);
        let value = problem.utility.value_at(c, marginal) + corner.continuation;
        candidates.push(corner.savings + c, value, c, marginal, CORNER);
    }
}

/// The constrained region in front of the chain, as the approximate methods expect it.
fn push_sampled_corner(
    problem: &SavingsProblem<'_>,
    corner: Corner,
    options: &DcEgmOptions,
    row: &Row,
    candidates: &mut CandidateBuffer,
) {
    let Some(&first) = row.x.iter().find(|x| !x.is_nan()) else {
        return;
    };
    let span = first - corner.savings;
    if !(span > 0.0) {
        return;
    }
    let count = options.constrained_points.max(1) as f64;
    for i in 0..options.constrained_points {
        // From span / 10000 to just below the span.
        let c = span * (1e-4_f64.ln() * (1.0 - i as f64 / count)).exp();
        let marginal = problem.utility.marginal(c);
        let value = problem.utility.value_at(c, marginal) + corner.continuation;
        candidates.push(corner.savings + c, value, c, marginal, 0);
    }
}

/// Removes leading records of the constrained region: the corner of the row says it exactly.
fn strip_corner(out: &mut Row) {
    let leading = out
        .owner
        .iter()
        .take_while(|&&owner| owner == CORNER)
        .count();
    if leading == 0 || leading == out.len() {
        return;
    }
    out.remove_leading(leading);
}
