//! Rules by which regular nodes are spaced: where a node lies, and about where a number lies.

use bifrons_lanes::{Kernel, LANES, Level, math};

use super::cell_coordinate;
use crate::error::LengthError;
use crate::locate;

/// Spacing of regular nodes from `low` to `high`.
pub(super) trait Scale: Copy + core::fmt::Debug {
    /// The rule for `count ≥ 2` nodes; `low < high`.
    fn new(low: f64, high: f64, count: usize) -> Self;

    /// Node `k` before the ends are forced; `k` may lie outside the range.
    fn node(&self, k: f64) -> f64;

    /// Approximate fractional index of a number in the range.
    fn guess(&self, x: f64) -> f64;

    /// Coordinate of a number outside the range.
    fn outside(&self, nodes: &[f64], rank: usize, x: f64) -> f64;
}

/// Appends the nodes; both ends are exact.
pub(super) fn extend<S: Scale>(nodes: &mut Vec<f64>, low: f64, high: f64, count: usize) {
    if count < 2 {
        nodes.push(low);
        return;
    }
    let scale = S::new(low, high, count);
    nodes.push(low);
    nodes.extend((1..count - 1).map(|k| scale.node(k as f64)));
    nodes.push(high);
}

/// Rank of `x` among nodes that follow the rule.
#[inline]
pub(super) fn rank<S: Scale>(scale: &S, nodes: &[f64], x: f64) -> usize {
    let guess = scale.guess(locate::clamp(x, nodes[0], nodes[nodes.len() - 1]));
    locate::settle(nodes, index_of(guess, nodes.len() - 1) as usize + 1, x)
}

/// Coordinate of `x` among nodes that follow the rule.
#[inline]
pub(super) fn coordinate<S: Scale>(scale: &S, nodes: &[f64], rank: usize, x: f64) -> f64 {
    if nodes.len() < 2 || (x >= nodes[0] && x <= nodes[nodes.len() - 1]) || x.is_nan() {
        cell_coordinate(nodes, rank, x)
    } else {
        scale.outside(nodes, rank, x)
    }
}

/// Ranks of many queries.
pub(super) fn ranks_into<S: Scale>(
    scale: S,
    nodes: &[f64],
    queries: &[f64],
    ranks: &mut [u32],
) -> Result<(), LengthError> {
    LengthError::check("ranks", ranks.len(), queries.len())?;
    Level::detect().dispatch(Ranks {
        scale,
        nodes,
        queries,
        ranks,
    });
    Ok(())
}

/// Coordinates of many queries; `coordinate` makes one of a rank and a query.
pub(super) fn coordinates_into<S: Scale>(
    scale: S,
    nodes: &[f64],
    queries: &[f64],
    coordinates: &mut [f64],
    coordinate: impl Fn(usize, f64) -> f64,
) -> Result<(), LengthError> {
    LengthError::check("coordinates", coordinates.len(), queries.len())?;
    let level = Level::detect();
    let ranks_into = |queries: &[f64], ranks: &mut [u32]| {
        level.dispatch(Ranks {
            scale,
            nodes,
            queries,
            ranks,
        });
    };
    locate::coordinates_by_ranks(queries, coordinates, ranks_into, coordinate);
    Ok(())
}

/// Guesses in lanes, then at most a step or two per query.
struct Ranks<'a, S> {
    scale: S,
    nodes: &'a [f64],
    queries: &'a [f64],
    ranks: &'a mut [u32],
}

impl<S: Scale> Kernel for Ranks<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            scale,
            nodes,
            queries,
            ranks,
        } = self;
        let last = nodes.len() - 1;
        for (xs, ranks) in queries.chunks(LANES).zip(ranks.chunks_mut(LANES)) {
            let mut lanes = [0.0; LANES];
            lanes[..xs.len()].copy_from_slice(xs);
            let mut guesses = [0_u32; LANES];
            for (guess, x) in guesses.iter_mut().zip(lanes) {
                *guess = index_of(scale.guess(locate::clamp(x, nodes[0], nodes[last])), last);
            }
            for ((rank, guess), &x) in ranks.iter_mut().zip(guesses).zip(xs) {
                *rank = locate::narrow(locate::settle(nodes, guess as usize + 1, x));
            }
        }
    }
}

/// Whole part, at least 0 and at most `last`; NaN gives 0.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is clamped to 0..=last, which fits"
)]
fn index_of(guess: f64, last: usize) -> u32 {
    let last = last as f64;
    let guess = if guess > 0.0 { guess } else { 0.0 };
    (if guess < last { guess } else { last }) as u32
}

/// Equal steps: `low + k (high - low)/(n - 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    low: f64,
    range: f64,
    cells: f64,
    per_unit: f64,
}

impl Scale for Steps {
    fn new(low: f64, high: f64, count: usize) -> Self {
        let (range, cells) = (high - low, (count - 1) as f64);
        Self {
            low,
            range,
            cells,
            per_unit: cells / range,
        }
    }

    /// The product comes first, so that whole-numbered steps give whole-numbered nodes.
    fn node(&self, k: f64) -> f64 {
        let product = self.range * k;
        self.low
            + if product.is_finite() {
                product / self.cells
            } else {
                self.range * (k / self.cells)
            }
    }

    #[inline(always)]
    fn guess(&self, x: f64) -> f64 {
        (x - self.low) * self.per_unit
    }

    fn outside(&self, nodes: &[f64], rank: usize, x: f64) -> f64 {
        cell_coordinate(nodes, rank, x)
    }
}

/// Equal ratios: `low (high / low)^(k/(n - 1))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ratios {
    low: f64,
    high: f64,
    cells: f64,
    log2_low: f64,
    per_log2: f64,
}

impl Ratios {
    /// Node `k` of the geometric continuation; the ends are exact.
    fn continued(&self, k: f64) -> f64 {
        let from_end = k - self.cells;
        if from_end.abs() < 0.5 {
            self.high
        } else if k.abs() < 0.5 {
            self.low
        } else {
            self.node(k)
        }
    }
}

impl Scale for Ratios {
    fn new(low: f64, high: f64, count: usize) -> Self {
        let cells = (count - 1) as f64;
        let log2_low = math::ln(low) * core::f64::consts::LOG2_E;
        let log2_high = math::ln(high) * core::f64::consts::LOG2_E;
        Self {
            low,
            high,
            cells,
            log2_low,
            per_log2: cells / (log2_high - log2_low),
        }
    }

    fn node(&self, k: f64) -> f64 {
        let (share, ratio) = (k / self.cells, self.high / self.low);
        if ratio.is_finite() {
            self.low * math::pow(ratio, share)
        } else {
            math::pow(self.low, 1.0 - share) * math::pow(self.high, share)
        }
    }

    #[inline(always)]
    fn guess(&self, x: f64) -> f64 {
        (math::log2_fast(x) - self.log2_low) * self.per_log2
    }

    /// Cells of equal ratio continue without end; inside each the coordinate is linear in `x`.
    fn outside(&self, _nodes: &[f64], _rank: usize, x: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if x == f64::INFINITY {
            return x;
        }
        let log2 = math::ln(x) * core::f64::consts::LOG2_E;
        let mut k = ((log2 - self.log2_low) * self.per_log2).floor();
        // Rounding puts the guess at most one cell off.
        if self.continued(k) > x {
            k -= 1.0;
        } else if self.continued(k + 1.0) <= x {
            k += 1.0;
        }
        let (left, right) = (self.continued(k), self.continued(k + 1.0));
        let weight = (x - left) / (right - left);
        k + if weight > 0.0 { weight.min(1.0) } else { 0.0 }
    }
}
