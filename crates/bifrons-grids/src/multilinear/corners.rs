//! The corners of a cell with their weights, for `W` points side by side.

use super::MOST_AXES;

/// Cells of `W` points: where they start in the table, and the weights on the axes that span them.
#[derive(Debug)]
pub(super) struct Corners<const W: usize> {
    base: [usize; W],
    /// Axes along which the cells have two ends.
    spans: [Span<W>; MOST_AXES],
    count: usize,
}

#[derive(Debug, Clone, Copy)]
struct Span<const W: usize> {
    axis: usize,
    stride: usize,
    /// Weight of the upper end.
    weight: [f64; W],
    /// Width of the cell; infinite where the read does not depend on the query, NaN for NaN.
    width: [f64; W],
}

impl<const W: usize> Corners<W> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        let span = Span {
            axis: 0,
            stride: 0,
            weight: [0.0; W],
            width: [1.0; W],
        };
        Self {
            base: [0; W],
            spans: [span; MOST_AXES],
            count: 0,
        }
    }

    /// An axis on which the points sit at nodes.
    #[inline(always)]
    pub(super) fn fix(&mut self, _axis: usize, offsets: [usize; W]) {
        for (base, offset) in self.base.iter_mut().zip(offsets) {
            *base += offset;
        }
    }

    /// An axis on which the points sit in cells.
    #[inline(always)]
    pub(super) fn span(
        &mut self,
        axis: usize,
        stride: usize,
        offsets: [usize; W],
        weight: [f64; W],
        width: [f64; W],
    ) {
        self.fix(axis, offsets);
        self.spans[self.count] = Span {
            axis,
            stride,
            weight,
            width,
        };
        self.count += 1;
    }

    /// The furthest entry of a table that is read.
    pub(super) fn furthest(&self) -> usize {
        let spans = self.spans[..self.count].iter().map(|span| span.stride);
        self.base.iter().copied().max().unwrap_or(0) + spans.sum::<usize>()
    }

    /// Weighted sum over the corners, the last axis fastest.
    #[inline(always)]
    pub(super) fn value(&self, table: &[f64]) -> [f64; W] {
        // The neutral element of addition: x + (-0) = x for every x, -0 included.
        let mut sum = [-0.0; W];
        for mask in 0..1_usize << self.count {
            let (offset, weight) = self.corner(mask, usize::MAX);
            for lane in 0..W {
                let entry = table[self.base[lane] + offset];
                sum[lane] += term(weight[lane], entry);
            }
        }
        sum
    }

    /// Derivative along an axis of the space: weighted differences across the cell.
    #[inline(always)]
    pub(super) fn derivative(&self, table: &[f64], axis: usize) -> [f64; W] {
        let spans = &self.spans[..self.count];
        let Some(own) = spans.iter().position(|span| span.axis == axis) else {
            return [0.0; W];
        };
        let (stride, mut sum, mut infinite) = (spans[own].stride, [0.0; W], [false; W]);
        let own_bit = 1_usize << (self.count - 1 - own);
        for mask in (0..1_usize << self.count).filter(|mask| mask & own_bit == 0) {
            let (offset, weight) = self.corner(mask, own);
            for lane in 0..W {
                let low = table[self.base[lane] + offset];
                let high = table[self.base[lane] + offset + stride];
                let used = weight[lane] != 0.0;
                let flat = low.is_infinite() || high.is_infinite();
                infinite[lane] |= used && flat;
                let difference = match (low.is_nan() || high.is_nan(), flat) {
                    (true, _) => f64::NAN,
                    (false, true) => 0.0,
                    (false, false) => high - low,
                };
                sum[lane] += if used { weight[lane] * difference } else { 0.0 };
            }
        }
        for lane in 0..W {
            let width = spans[own].width[lane];
            let level = width.is_infinite() || (infinite[lane] && !sum[lane].is_nan());
            sum[lane] = if level { 0.0 } else { sum[lane] / width };
        }
        sum
    }

    /// Offset and weight of a corner; the weight on axis `without` counts as 1.
    #[inline(always)]
    fn corner(&self, mask: usize, without: usize) -> (usize, [f64; W]) {
        let (mut offset, mut weight) = (0, [1.0; W]);
        for (i, span) in self.spans[..self.count].iter().enumerate() {
            let upper = mask >> (self.count - 1 - i) & 1 == 1;
            offset += if upper { span.stride } else { 0 };
            if i == without {
                continue;
            }
            for (weight, w) in weight.iter_mut().zip(span.weight) {
                *weight *= if upper { w } else { 1.0 - w };
            }
        }
        (offset, weight)
    }
}

/// A corner's part of the value.
#[inline(always)]
fn term(weight: f64, entry: f64) -> f64 {
    let product = if entry.is_infinite() && !weight.is_nan() {
        entry
    } else {
        weight * entry
    };
    if weight == 0.0 { -0.0 } else { product }
}

/// The code that a number stands for, if it is a whole number below `count`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole numbers in 0..count convert exactly"
)]
pub(super) fn whole(x: f64, count: usize) -> Option<usize> {
    (x >= 0.0 && x < count as f64 && x.fract() <= 0.0).then_some(x as usize)
}

/// The cell of a finite coordinate on an axis of `count ≥ 2` nodes.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "negative numbers saturate at 0, large ones are cut to the last cell"
)]
pub(super) fn cell_of(coordinate: f64, count: usize) -> usize {
    (coordinate as usize).min(count - 2)
}
