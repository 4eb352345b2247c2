//! Golden section.

use crate::minimum::GOLDEN;
use crate::{Sample, Tolerance};

/// Interval and up to two inner points in ascending order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Golden {
    low: f64,
    high: f64,
    first: Option<Sample>,
    second: Option<Sample>,
}

impl Golden {
    pub(super) fn new(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            first: None,
            second: None,
        }
    }

    pub(super) fn interval(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Takes the value at the point that was proposed, then drops the part beyond the worse of
    /// the two inner points.
    pub(super) fn take(&mut self, sample: Sample) {
        match (self.first, self.second) {
            (None, Some(_)) => self.first = Some(sample),
            (Some(first), None) if sample.x < first.x => {
                (self.first, self.second) = (Some(sample), Some(first));
            }
            (None, None) => self.first = Some(sample),
            _ => self.second = Some(sample),
        }
        if let (Some(first), Some(second)) = (self.first, self.second) {
            if first.value <= second.value {
                self.high = second.x;
                (self.first, self.second) = (None, Some(first));
            } else {
                self.low = first.x;
                (self.first, self.second) = (Some(second), None);
            }
        }
    }

    /// Next inner point; `None` if the interval is small enough or cannot hold another point.
    pub(super) fn point(&self, tolerance: Tolerance) -> Option<f64> {
        let width = self.high - self.low;
        let known = self.first.or(self.second);
        if known.is_some() && width <= tolerance.width(self.low, self.high) {
            return None;
        }
        let below = self.low + GOLDEN * width;
        let above = self.high - GOLDEN * width;
        let (point, floor, ceiling) = match (self.first, self.second) {
            (Some(first), _) => (above, first.x, self.high),
            (_, Some(second)) => (below, self.low, second.x),
            (None, None) => return Some(self.low.max(below)),
        };
        (floor < point && point < ceiling).then_some(point)
    }
}
