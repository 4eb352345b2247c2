//! Upper envelopes: the best of several candidates at every abscissa.

mod cubic;
mod emit;
mod fues;
mod line;
mod link;
mod ltm;
mod matrix;
mod mss;
mod rfc;
mod runs;
mod sweep;

use bifrons_memory::Footprint;

use crate::candidate::Candidates;
use crate::error::EnvelopeError;
use crate::row::Row;
use matrix::Matrix;
use runs::Run;
use sweep::{Active, Segment};

/// What connects two neighbouring candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Interpolant {
    /// The cubic that reads use ([`ValueRead::Hermite`](crate::ValueRead::Hermite)); straight
    /// where marginals are unknown. Compared in two-fold arithmetic.
    #[default]
    Hermite,
    /// The chord. Compared exactly.
    Chord,
}

/// Which candidates make the envelope, and how.
///
/// | method | result | cost |
/// |---|---|---|
/// | [`Exact`](Self::Exact) | the pointwise maximum, with both sides of every change of owner | `O(n log k + cells · k)` |
/// | [`Fues`](Self::Fues) | a scan by jumps of savings; wrong on coarse grids and shared abscissae | `O(n)` … `O(n²)` |
/// | [`Rfc`](Self::Rfc) | deletes what lies below a tangent; no crossings | `O(n · radius)` |
/// | [`Ltm`](Self::Ltm) | the maximum at the candidates' abscissae; no crossings | `O(n · k)` |
/// | [`Mss`](Self::Mss) | as `Ltm`, with pairwise crossings | `O(n · k)` |
///
/// The last four are there for comparison with published results; their failures are described
/// in the guide.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum EnvelopeMethod {
    /// The envelope of the links as stored, up to the last bit.
    Exact {
        /// What connects two candidates.
        interpolant: Interpolant,
    },
    /// Fast upper-envelope scan. Dobrescu and Shanker (2022), A fast upper envelope scan method
    /// for discrete-continuous dynamic programming.
    Fues {
        /// Change of savings per unit of resources from which on a jump is assumed; above 1 plus
        /// the steepest policy of one branch.
        jump_threshold: f64,
        /// How many candidates are looked at ahead; all of them for `None`.
        points_to_scan: Option<usize>,
    },
    /// Rooftop cut: a candidate below the tangent of another one with a different policy goes.
    Rfc {
        /// Change of policy per unit of resources from which on branches differ.
        jump_threshold: f64,
        /// Neighbours by position that are compared.
        search_radius: usize,
    },
    /// Largest value over all links at each candidate's abscissa. Druedahl and Jørgensen (2017),
    /// A general endogenous grid method for multi-dimensional models with non-convexities and
    /// constraints.
    Ltm,
    /// Local maxima with the crossing of the two owners of neighbouring abscissae.
    Mss,
}

impl EnvelopeMethod {
    /// The exact envelope of the cubics that reads use.
    pub const EXACT: Self = Self::Exact {
        interpolant: Interpolant::Hermite,
    };

    /// The exact envelope of chords.
    pub const EXACT_CHORDS: Self = Self::Exact {
        interpolant: Interpolant::Chord,
    };

    /// The scan with its documented parameters: threshold 2, all candidates.
    pub const FUES: Self = Self::Fues {
        jump_threshold: 2.0,
        points_to_scan: None,
    };

    /// The cut with its documented parameters: threshold 2, radius 10.
    pub const RFC: Self = Self::Rfc {
        jump_threshold: 2.0,
        search_radius: 10,
    };
}

impl Default for EnvelopeMethod {
    fn default() -> Self {
        Self::EXACT
    }
}

/// What to do with stretches in which `x` falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Descending {
    /// They are local minima of a folded Euler chain and never optimal: left out.
    #[default]
    Drop,
    /// They are reversed and compete.
    Keep,
}

/// What an envelope met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct EnvelopeReport {
    /// Monotone runs, isolated points included.
    pub runs: usize,
    /// Changes of owner.
    pub changes: usize,
    /// Stretches without any candidate between the first and the last record.
    pub gaps: usize,
    /// Dead candidates.
    pub dead: usize,
    /// W-FUES-THRESH: the threshold is not above 1 plus the steepest policy within a branch.
    pub low_threshold: bool,
    /// W-RFC-GAP: survivors are further apart than three times the local spacing.
    pub wide_gap: bool,
}

/// Memory of envelopes, used again.
#[derive(Debug, Clone, Default)]
pub struct EnvelopeWorkspace {
    runs: Vec<Run>,
    active: Vec<Active>,
    points: Vec<u32>,
    segments: Vec<Segment>,
    order: Vec<u32>,
    kept: Vec<fues::Kept>,
    matrix: Matrix,
}

impl EnvelopeWorkspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty workspace whose exact envelopes compare `links` links at a time with all
    /// abscissae; see [`set_segment_block_size`](Self::set_segment_block_size).
    #[must_use]
    pub fn with_segment_block_size(mut self, links: usize) -> Self {
        self.set_segment_block_size(links);
        self
    }

    /// Links that exact envelopes compare at a time with all abscissae; 0 sweeps over the
    /// abscissae from left to right instead. Changes no bit.
    ///
    /// The matrix looks up what covers an abscissa among all links and all runs, where the sweep
    /// moves pointers: it is there to check the sweep. Time: `O(n k log n)` for `n` candidates in
    /// `k` runs. Memory: [`matrix_footprint`](Self::matrix_footprint). The other methods do not
    /// use it.
    pub fn set_segment_block_size(&mut self, links: usize) {
        self.matrix.width = links;
    }

    /// Memory of exact envelopes beside [`footprint`](Self::footprint) with blocks of `links`
    /// links: for `n` abscissae, of which there are at most as many as candidates,
    ///
    /// ```text
    /// 24 n · min(links, n - 1) + 36 n + 4 runs        bytes; none for 0
    /// ```
    ///
    /// The last part is for candidates that two runs share.
    #[must_use]
    pub fn matrix_footprint(count: usize, runs: usize, links: usize) -> Footprint {
        Matrix::footprint(count, runs, links)
    }

    /// Memory for envelopes of `count` candidates with at most `runs` runs, exact method: with
    /// room made by [`reserve`](Self::reserve) it never grows.
    #[must_use]
    pub fn footprint(count: usize, runs: usize) -> Footprint {
        let segments = Self::segment_bound(count, runs);
        Footprint::of::<Run>(runs)
            .beside(Footprint::of::<Active>(runs))
            .beside(Footprint::of::<u32>(runs))
            .beside(Footprint::of::<Segment>(segments))
    }

    /// Every end of a run and some crossings between neighbouring runs.
    fn segment_bound(count: usize, runs: usize) -> usize {
        let bound = runs.saturating_mul(6).saturating_add(8);
        if runs > 1 {
            bound.min(count.saturating_mul(4).saturating_add(8))
        } else {
            8
        }
    }

    /// Makes room for envelopes of `count` candidates with `runs` runs, those of a matrix included.
    pub fn reserve(&mut self, count: usize, runs: usize) {
        let grow = |len: usize, wanted: usize| wanted.saturating_sub(len);
        self.runs.reserve_exact(grow(self.runs.len(), runs));
        self.active.reserve_exact(grow(self.active.len(), runs));
        self.points.reserve_exact(grow(self.points.len(), runs));
        let segments = Self::segment_bound(count, runs);
        self.segments
            .reserve_exact(grow(self.segments.len(), segments));
        if self.matrix.width > 0 {
            self.matrix.reserve(count, count.saturating_sub(1));
            self.order
                .reserve_exact(grow(self.order.len(), count.saturating_add(runs)));
        }
    }
}

/// Upper envelope of candidates, as a row whose owners are the labels.
///
/// Rules of the exact methods:
///
/// - The object is the maximum over the links between live neighbours of one label. No tolerance
///   is used: the handover from `A` to `B` is the smallest number at which `B` is not below `A`.
/// - Of equal values the one wins that extends to the right, then the larger slope, then the
///   run that is first in the order of `(x, value, policy)` at its first and at its last point.
///   The result does not depend on the order in which runs are supplied.
/// - An isolated candidate competes at its own abscissa only: it owns `[x, next number)`.
/// - Links of width zero carry no line; the first point is the limit from the left, the last
///   one the value.
/// - A stretch that no link covers is a gap ([`Row::GAP`]). Without live candidates the row is
///   empty.
///
/// `out` loses what it held, its corner included. Without allocation once workspace and row are
/// large enough.
///
/// # Errors
///
/// [`EnvelopeError`].
///
/// ```
/// use bifrons_egm::{Candidates, Descending, EnvelopeMethod, EnvelopeWorkspace, Row, upper_envelope};
///
/// let x = [0.0, 1.0, 0.0, 1.0];
/// let value = [1.0, 1.2, 0.8, 1.5];
/// let policy = [0.1, 0.2, 0.5, 0.6];
/// let candidates = Candidates::new(&x, &value, &policy).with_label(&[7, 7, 8, 8]);
/// let mut row = Row::new();
/// let method = EnvelopeMethod::EXACT_CHORDS;
/// let mut work = EnvelopeWorkspace::new();
/// upper_envelope(method, candidates, Descending::Drop, &mut work, &mut row)?;
/// let crossing = row.get(1).expect("four records");
/// assert!((crossing.x - 0.4).abs() < 1e-15 && (crossing.value - 1.08).abs() < 1e-15);
/// assert_eq!(row.records().map(|r| r.owner).collect::<Vec<_>>(), [7, 7, 8, 8]);
/// # Ok::<(), bifrons_egm::EnvelopeError>(())
/// ```
pub fn upper_envelope(
    method: EnvelopeMethod,
    candidates: Candidates<'_>,
    descending: Descending,
    workspace: &mut EnvelopeWorkspace,
    out: &mut Row,
) -> Result<EnvelopeReport, EnvelopeError> {
    check(&candidates)?;
    out.clear();
    let mut report = EnvelopeReport {
        dead: count_dead(&candidates),
        ..EnvelopeReport::default()
    };
    match method {
        EnvelopeMethod::Exact { interpolant } => {
            report.runs = runs::find(&candidates, descending, &mut workspace.runs);
            let chains = link::Chains {
                candidates,
                interpolant,
            };
            matrix::owners(&chains, workspace);
            emit::emit(&chains, workspace, out, &mut report);
        }
        EnvelopeMethod::Fues {
            jump_threshold,
            points_to_scan,
        } => {
            check_threshold(jump_threshold)?;
            let scan = fues::Scan {
                candidates,
                jump_threshold,
                points_to_scan: points_to_scan.unwrap_or(usize::MAX),
            };
            scan.run(workspace, out, &mut report);
        }
        EnvelopeMethod::Rfc {
            jump_threshold,
            search_radius,
        } => {
            check_threshold(jump_threshold)?;
            rfc::cut(
                &candidates,
                jump_threshold,
                search_radius,
                workspace,
                out,
                &mut report,
            );
        }
        EnvelopeMethod::Ltm => {
            report.runs = runs::find(&candidates, descending, &mut workspace.runs);
            ltm::maxima(&candidates, workspace, out);
        }
        EnvelopeMethod::Mss => {
            report.runs = runs::find(&candidates, descending, &mut workspace.runs);
            mss::maxima(&candidates, workspace, out, &mut report);
        }
    }
    Ok(report)
}

fn count_dead(candidates: &Candidates<'_>) -> usize {
    (0..candidates.x.len())
        .filter(|&i| !candidates.is_live(i))
        .count()
}

fn check_threshold(value: f64) -> Result<(), EnvelopeError> {
    if value > 0.0 {
        return Ok(());
    }
    let (name, required) = ("jump threshold", "positive");
    Err(EnvelopeError::Parameter {
        name,
        required,
        value,
    })
}

fn check(candidates: &Candidates<'_>) -> Result<(), EnvelopeError> {
    candidates.check()?;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (index, (&x, &value)) in candidates.x.iter().zip(candidates.value).enumerate() {
        if value == f64::INFINITY && !x.is_nan() {
            return Err(EnvelopeError::Infinite { index, x });
        }
        if x.is_finite() && value > f64::NEG_INFINITY {
            low = low.min(x);
            high = high.max(x);
        }
    }
    if low <= high && !(high - low).is_finite() {
        return Err(EnvelopeError::Range { low, high });
    }
    Ok(())
}
