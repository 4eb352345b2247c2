//! The outer choice: keep or adjust, over a finite grid or an adaptive mesh.

mod adaptive;
mod cost;
mod fold;
mod interpolant;
mod mesh;
mod peak;

pub use adaptive::{AdaptiveOptions, AdaptiveSolution, OuterBest, OuterProblem, search_adaptive};
pub use cost::{Adjustment, UniformFixedCost};
pub use fold::{OuterCandidate, OuterFold, OuterQueries};
pub use peak::{OuterPeak, refine_peak};

use std::ops::Range;

/// Consecutive ranges that cover `0..count`, each at most `width` wide; one range for width 0.
///
/// This is what every batch width of the project means: how many items are in flight.
///
/// ```
/// let ranges: Vec<_> = bifrons_egm::batches(5, 2).collect();
/// assert_eq!(ranges, [0..2, 2..4, 4..5]);
/// assert_eq!(bifrons_egm::batches(5, 0).count(), 1);
/// ```
pub fn batches(count: usize, width: usize) -> impl Iterator<Item = Range<usize>> {
    let width = if width == 0 { count.max(1) } else { width };
    (0..count)
        .step_by(width)
        .map(move |from| from..(from + width).min(count))
}
