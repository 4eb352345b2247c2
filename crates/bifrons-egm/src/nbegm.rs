//! The step for continuations with declared kinks and cliffs.

mod curves;
mod nodes;

pub use nodes::{SavingsBreak, SavingsNodes};

use bifrons_memory::Footprint;

use crate::candidate::CandidateBuffer;
use crate::egm::invert;
use crate::envelope::{
    Descending, EnvelopeMethod, EnvelopeReport, EnvelopeWorkspace, upper_envelope,
};
use crate::error::EgmError;
use crate::problem::{InversionReport, SavingsProblem};
use crate::row::Row;

/// Settings of [`nbegm_step`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NbEgmOptions {
    /// How candidates are compared.
    pub envelope: EnvelopeMethod,
    /// Largest ratio of consumption between two points of a curve with fixed savings (1.01). The
    /// error of such a curve is about `(ratio - 1)⁴ / 64` of the utility's curvature scale.
    pub curve_ratio: f64,
    /// Most points of one curve (512).
    pub curve_points: usize,
    /// Most cliffs of the continuation that are followed (256).
    pub cliff_target_limit: usize,
}

impl Default for NbEgmOptions {
    fn default() -> Self {
        Self {
            envelope: EnvelopeMethod::EXACT,
            curve_ratio: 1.01,
            curve_points: 512,
            cliff_target_limit: 256,
        }
    }
}

impl NbEgmOptions {
    /// Sets how candidates are compared.
    #[must_use]
    pub const fn with_envelope(mut self, envelope: EnvelopeMethod) -> Self {
        self.envelope = envelope;
        self
    }

    /// Sets the density of curves.
    #[must_use]
    pub const fn with_curves(mut self, ratio: f64, points: usize) -> Self {
        self.curve_ratio = ratio;
        self.curve_points = points;
        self
    }

    /// Sets how many cliffs are followed.
    #[must_use]
    pub const fn with_cliff_target_limit(mut self, limit: usize) -> Self {
        self.cliff_target_limit = limit;
        self
    }
}

/// What a step met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NbEgmReport {
    /// Nodes without candidate.
    pub inversion: InversionReport,
    /// The envelope.
    pub envelope: EnvelopeReport,
    /// Curves of savings that stay at a kink or next to a cliff.
    pub curves: usize,
}

/// Memory of steps, used again.
#[derive(Debug, Clone, Default)]
pub struct NbEgmWorkspace {
    candidates: CandidateBuffer,
    marks: Vec<f64>,
    envelope: EnvelopeWorkspace,
}

impl NbEgmWorkspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for steps with so many savings nodes, curves and runs.
    #[must_use]
    pub fn footprint(
        nodes: usize,
        curves: usize,
        options: &NbEgmOptions,
        runs: usize,
    ) -> Footprint {
        let count = curves
            .saturating_add(1)
            .saturating_mul(options.curve_points)
            .saturating_add(nodes);
        CandidateBuffer::footprint(count)
            .beside(EnvelopeWorkspace::footprint(count, runs))
            .beside(Footprint::of::<f64>(curves.saturating_mul(2)))
    }

    /// Makes room, so that steps of this size allocate nothing.
    pub fn reserve(&mut self, nodes: usize, curves: usize, options: &NbEgmOptions, runs: usize) {
        let count = (curves + 1) * options.curve_points + nodes;
        self.candidates.reset(count);
        self.envelope.reserve(count, runs);
        self.marks
            .reserve_exact((2 * curves).saturating_sub(self.marks.len()));
    }
}

/// Label of the constrained region; chains between cliffs and curves have labels above it.
pub(crate) const CORNER: u32 = 0;

/// One step in resources for a continuation with kinks and cliffs at declared savings.
///
/// ```text
/// W(m) = max over s ≥ s_0 of  u(m - s) + β EV(s)
/// ```
///
/// Candidates: the Euler chain of each stretch between two cliffs; for every cliff the curve of
/// savings that stay on its better side (bunching); for every concave kink the curve on which
/// savings stay at the kink while consumption moves from one side's to the other's; the
/// constrained region. Their envelope is the row. Below its first record the row carries the
/// constrained region exactly, as its corner.
///
/// Budgets with breakpoints enter the step of the period *before*: the continuation at savings
/// `s` is `W(M(l'(s)))`, and [`SavingsNodes`] has the breakpoints of `M` and `W` as seen from
/// there. [`publish_on_budget`](crate::publish_on_budget) gives the value of the liquid state.
/// If the continuation depends on the liquid state it does so by intervals: take one step per
/// interval.
///
/// # Errors
///
/// [`EgmError::Cliffs`] (E-NB-CLIFFS), [`EgmError::NoCandidate`], [`EgmError::Envelope`].
pub fn nbegm_step(
    problem: &SavingsProblem<'_>,
    breaks: &[SavingsBreak],
    options: &NbEgmOptions,
    workspace: &mut NbEgmWorkspace,
    out: &mut Row,
) -> Result<NbEgmReport, EgmError> {
    let cliffs = breaks.iter().filter(|at| at.is_cliff).count();
    if cliffs > options.cliff_target_limit {
        return Err(EgmError::Cliffs {
            count: cliffs,
            limit: options.cliff_target_limit,
        });
    }
    let inversion = invert(problem, out);
    let corner = problem.corner();
    if out.x.iter().all(|x| x.is_nan()) {
        out.clear();
        if corner.is_none() {
            return Err(problem.no_candidate(inversion));
        }
    }
    let candidates = &mut workspace.candidates;
    let builder = curves::Builder {
        problem,
        breaks,
        options,
        row: out,
    };
    let curves = builder.build(corner, candidates);
    let marks = &mut workspace.marks;
    collect_marks(breaks, out, marks);
    let (method, work) = (options.envelope, &mut workspace.envelope);
    let envelope = upper_envelope(method, candidates.view(), Descending::Drop, work, out)?;
    strip_corner(out);
    out.set_owner(0);
    keep_marks(&workspace.marks, out);
    out.corner = corner;
    Ok(NbEgmReport {
        inversion,
        envelope,
        curves,
    })
}

/// Resources at both sides of every breakpoint.
fn collect_marks(breaks: &[SavingsBreak], row: &Row, marks: &mut Vec<f64>) {
    marks.clear();
    marks.reserve_exact(2 * breaks.len());
    let sides = breaks.iter().flat_map(|at| [at.node - 1, at.node]);
    marks.extend(sides.map(|i| row.x.get(i).copied().unwrap_or(f64::NAN)));
    marks.retain(|m| !m.is_nan());
    marks.sort_unstable_by(f64::total_cmp);
    // Sides of a weak breakpoint differ in rounding only.
    marks.dedup_by(|next, kept| *next - *kept <= 1e-12 * kept.abs());
}

/// Keeps the marks that are records of the envelope.
fn keep_marks(marks: &[f64], out: &mut Row) {
    for &mark in marks {
        let at = out.x.partition_point(|&x| x < mark);
        if out.x.get(at).is_some_and(|&x| x <= mark) {
            out.marks.push(mark);
        }
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
    for channel in [
        &mut out.x,
        &mut out.value,
        &mut out.policy,
        &mut out.marginal,
    ] {
        channel.drain(..leading);
    }
    out.owner.drain(..leading);
}
