//! The step for continuations with declared kinks and cliffs.

mod cliffs;
mod curves;
mod nodes;

pub use cliffs::SavingsCliff;
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
    /// Most marks of the row that is made (64): the strongest bends of the policy remain.
    pub mark_limit: usize,
    /// Links that are compared at a time with all abscissae of the envelope; 0 sweeps (0). Bounds
    /// a buffer and changes no bit; see [`EnvelopeWorkspace::set_segment_block_size`].
    pub envelope_segment_block_size: usize,
}

impl Default for NbEgmOptions {
    fn default() -> Self {
        Self {
            envelope: EnvelopeMethod::EXACT,
            curve_ratio: 1.01,
            curve_points: 512,
            cliff_target_limit: 256,
            mark_limit: 64,
            envelope_segment_block_size: 0,
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

    /// Sets how many marks a row may have.
    #[must_use]
    pub const fn with_mark_limit(mut self, limit: usize) -> Self {
        self.mark_limit = limit;
        self
    }

    /// Sets how many links are compared at a time; 0 sweeps.
    #[must_use]
    pub const fn with_envelope_segment_block_size(mut self, links: usize) -> Self {
        self.envelope_segment_block_size = links;
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
    marks: Vec<(f64, f64)>,
    envelope: EnvelopeWorkspace,
}

impl NbEgmWorkspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory for steps with so many savings nodes, curves, points of all curves and runs.
    ///
    /// A curve at a cliff, and the constrained region, have
    /// [`curve_points`](NbEgmOptions::curve_points) at most; a curve at a kink has two and one more
    /// for every [`curve_ratio`](NbEgmOptions::curve_ratio) by which consumption differs on its
    /// sides.
    #[must_use]
    pub fn footprint(
        nodes: usize,
        (curves, points): (usize, usize),
        options: &NbEgmOptions,
        runs: usize,
    ) -> Footprint {
        let count = points.saturating_add(nodes);
        CandidateBuffer::footprint(count)
            .beside(EnvelopeWorkspace::footprint(count, runs))
            .beside(EnvelopeWorkspace::matrix_footprint(
                count,
                runs,
                options.envelope_segment_block_size,
            ))
            .beside(Footprint::of::<(f64, f64)>(curves.saturating_mul(2)))
    }

    /// Makes room, so that steps of this size allocate nothing.
    pub fn reserve(
        &mut self,
        nodes: usize,
        (curves, points): (usize, usize),
        options: &NbEgmOptions,
        runs: usize,
    ) {
        let count = points + nodes;
        self.candidates.reset(count);
        let links = options.envelope_segment_block_size;
        self.envelope.set_segment_block_size(links);
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
/// interval, and enter their rows by [`SavingsNodes::add_child_within`] in the period before.
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
    work.set_segment_block_size(options.envelope_segment_block_size);
    let envelope = upper_envelope(method, candidates.view(), Descending::Drop, work, out)?;
    strip_corner(out);
    out.set_owner(0);
    keep_marks(&mut workspace.marks, options.mark_limit, out);
    out.corner = corner;
    Ok(NbEgmReport {
        inversion,
        envelope,
        curves,
    })
}

/// Resources at both sides of every breakpoint.
fn collect_marks(breaks: &[SavingsBreak], row: &Row, marks: &mut Vec<(f64, f64)>) {
    marks.clear();
    marks.reserve_exact(2 * breaks.len());
    let sides = breaks.iter().flat_map(|at| [at.node - 1, at.node]);
    marks.extend(sides.filter_map(|i| Some((*row.x.get(i)?, 0.0))));
    marks.retain(|(m, _)| !m.is_nan());
    marks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Sides of a weak breakpoint differ in rounding only.
    marks.dedup_by(|next, kept| next.0 - kept.0 <= curves::SAME * kept.0.abs());
}

/// Keeps the marks that are records of the envelope, of too many the strongest bends.
fn keep_marks(marks: &mut Vec<(f64, f64)>, limit: usize, out: &mut Row) {
    marks.retain_mut(|(mark, bend)| {
        let slack = curves::SAME * mark.abs();
        let at = out.x.partition_point(|&x| x < *mark - slack);
        *bend = bend_at(out, at);
        let found = out.x.get(at).copied().filter(|&x| x <= *mark + slack);
        *mark = found.unwrap_or(*mark);
        found.is_some() && *bend > LEAST_BEND
    });
    if marks.len() > limit {
        marks.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.total_cmp(&b.0)));
        marks.truncate(limit);
        marks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    }
    out.marks.extend(marks.iter().map(|(mark, _)| *mark));
}

/// Bends of the policy below this change of its slope are curvature.
const LEAST_BEND: f64 = 1e-9;

/// Change of the slope of the policy at a record, over brackets of some width.
fn bend_at(row: &Row, at: usize) -> f64 {
    let Some(&x) = row.x.get(at) else { return 0.0 };
    let least = 1e-9 * x.abs();
    let slope = |i: usize, j: usize| (row.policy[j] - row.policy[i]) / (row.x[j] - row.x[i]);
    let left = (0..at).rev().find(|&i| x - row.x[i] > least);
    let right = (at + 1..row.x.len()).find(|&i| row.x[i] - x > least);
    match (left, right) {
        (Some(i), Some(j)) => (slope(at, j) - slope(i, at)).abs(),
        // Below the first record everything is consumed.
        (None, Some(j)) => (slope(at, j) - 1.0).abs(),
        _ => 0.0,
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
