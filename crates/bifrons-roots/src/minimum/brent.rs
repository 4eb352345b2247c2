//! Brent's golden section with parabolic steps.

use crate::minimum::GOLDEN;
use crate::tolerance::spacing;
use crate::{Sample, Tolerance};

/// Interval, the three lowest points and the last two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parabolic {
    low: f64,
    high: f64,
    /// Lowest, second lowest, and the previous second lowest point.
    lowest: Option<Sample>,
    second: Sample,
    third: Sample,
    step: f64,
    step_before: f64,
}

impl Parabolic {
    pub(super) fn new(low: f64, high: f64) -> Self {
        let unknown = Sample::new(f64::NAN, f64::NAN);
        let (lowest, step, step_before) = (None, 0.0, 0.0);
        Self {
            low,
            high,
            lowest,
            second: unknown,
            third: unknown,
            step,
            step_before,
        }
    }

    pub(super) fn interval(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Takes the value at the point that was proposed.
    pub(super) fn take(&mut self, sample: Sample) {
        let Some(lowest) = self.lowest else {
            self.lowest = Some(sample);
            (self.second, self.third) = (sample, sample);
            return;
        };
        // Ties keep the lower part of the interval.
        let wins =
            sample.value < lowest.value || (sample.value <= lowest.value && sample.x < lowest.x);
        let (inner, outer) = if wins {
            (sample, lowest)
        } else {
            (lowest, sample)
        };
        if outer.x < inner.x {
            self.low = outer.x;
        } else {
            self.high = outer.x;
        }
        if wins {
            (self.third, self.second, self.lowest) = (self.second, lowest, Some(sample));
        } else if sample.value <= self.second.value || same(self.second, lowest) {
            (self.third, self.second) = (self.second, sample);
        } else if sample.value <= self.third.value
            || same(self.third, lowest)
            || same(self.third, self.second)
        {
            self.third = sample;
        }
    }

    /// Next point; `None` if the interval is small enough.
    pub(super) fn point(&mut self, tolerance: Tolerance) -> Option<f64> {
        let Some(lowest) = self.lowest else {
            return Some(self.low + GOLDEN * (self.high - self.low));
        };
        let x = lowest.x;
        let half = 0.5 * (self.high - self.low);
        let middle = self.low.midpoint(self.high);
        let least = (0.5 * tolerance.width(x, x)).max(spacing(x));
        if (x - middle).abs() <= 2.0 * least - half {
            return None;
        }
        let room = if x < middle {
            self.high - x
        } else {
            self.low - x
        };
        let parabola = self.parabola(lowest);
        let usable = self.step_before.abs() > least
            && parabola.abs() < (0.5 * self.step_before).abs()
            && x + parabola > self.low
            && x + parabola < self.high;
        if usable {
            self.step_before = self.step;
            self.step = parabola;
            let point = x + parabola;
            if point - self.low < 2.0 * least || self.high - point < 2.0 * least {
                self.step = least.copysign(middle - x);
            }
        } else {
            self.step_before = room;
            self.step = GOLDEN * room;
        }
        let step = if self.step.abs() >= least {
            self.step
        } else {
            least.copysign(self.step)
        };
        let point = x + step;
        (self.low < point && point < self.high).then_some(point)
    }

    /// Step to the vertex of the parabola through the three lowest points; NaN if there is none.
    fn parabola(&self, lowest: Sample) -> f64 {
        let (v, w) = (self.third, self.second);
        let r = (lowest.x - w.x) * (lowest.value - v.value);
        let q = (lowest.x - v.x) * (lowest.value - w.value);
        let p = (lowest.x - v.x) * q - (lowest.x - w.x) * r;
        -p / (2.0 * (q - r))
    }
}

/// Whether two samples are copies of each other.
fn same(a: Sample, b: Sample) -> bool {
    a.x.to_bits() == b.x.to_bits()
}
