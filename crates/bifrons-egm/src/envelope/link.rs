//! Links of runs, straight or cubic, behind one face.

use std::cmp::Ordering;

use super::Interpolant;
use super::cubic::Cubic;
use super::line::Line;
use super::runs::Run;
use crate::arithmetic::Twofold;
use crate::candidate::Candidates;
use crate::row::Record;

/// The candidates and what connects them.
pub(super) struct Chains<'a> {
    pub(super) candidates: Candidates<'a>,
    pub(super) interpolant: Interpolant,
}

/// A link, or a single point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Link {
    Line(Line),
    Cubic(Cubic),
}

/// What a matrix keeps of a link at an abscissa: of a cubic its value in two parts and its slope,
/// of a chord its smallest and its largest value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bracket([f64; 3]);

impl Bracket {
    /// The order of two cubics as [`Link::compare_at`] and then [`Link::compare_slope`] tell it.
    pub(super) fn compare_cubic(self, other: Self) -> Ordering {
        let value = |Self([high, low, _]): Self| Twofold { high, low };
        let slopes = self.0[2].partial_cmp(&other.0[2]);
        value(self)
            .compare(value(other))
            .then(slopes.unwrap_or(Ordering::Equal))
    }

    /// The order of two chords that have no value in common.
    pub(super) fn compare_bounds(self, other: Self) -> Option<Ordering> {
        if self.0[0] > other.0[1] {
            return Some(Ordering::Greater);
        }
        (self.0[1] < other.0[0]).then_some(Ordering::Less)
    }
}

impl Link {
    pub(super) fn bracket(&self, x: f64) -> Bracket {
        match self {
            Self::Line(line) => Bracket([line.v0.min(line.v1), line.v0.max(line.v1), 0.0]),
            Self::Cubic(cubic) => {
                let value = cubic.twofold_at(x);
                Bracket([value.high, value.low, cubic.slope_at(x)])
            }
        }
    }

    pub(super) fn compare_at(&self, other: &Self, x: f64) -> Ordering {
        match (self, other) {
            (Self::Line(a), Self::Line(b)) => a.compare_at(b, x),
            (Self::Cubic(a), Self::Cubic(b)) => a.compare_at(b, x),
            _ => Ordering::Equal,
        }
    }

    pub(super) fn compare_slope(&self, other: &Self, x: f64) -> Ordering {
        match (self, other) {
            (Self::Line(a), Self::Line(b)) => a.compare_slope(b),
            (Self::Cubic(a), Self::Cubic(b)) => a
                .slope_at(x)
                .partial_cmp(&b.slope_at(x))
                .unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        }
    }

    /// First number in `(p, q]` from which `rival` is above.
    pub(super) fn takeover(&self, rival: &Self, p: f64, q: f64) -> Option<f64> {
        match (self, rival) {
            (Self::Line(a), Self::Line(b)) => {
                (b.compare_at(a, q) == Ordering::Greater).then(|| a.handover(b, p, q))
            }
            (Self::Cubic(a), Self::Cubic(b)) => a.takeover(b, p, q),
            _ => None,
        }
    }

    fn value_at(&self, x: f64) -> f64 {
        match self {
            Self::Line(line) => line.value_at(x),
            Self::Cubic(cubic) => cubic.value_at(x),
        }
    }
}

impl Chains<'_> {
    pub(super) fn x(&self, run: &Run, k: usize) -> f64 {
        self.candidates.x[run.at(k)] + 0.0
    }

    /// The link from point `k` to point `k + 1` of a run.
    pub(super) fn link(&self, run: &Run, k: usize) -> Link {
        let (i, j) = (run.at(k), run.at(k + 1));
        let (x0, x1) = (self.x(run, k), self.x(run, k + 1));
        let (v0, v1) = (self.candidates.value[i], self.candidates.value[j]);
        match self.interpolant {
            Interpolant::Chord => Link::Line(Line { x0, x1, v0, v1 }),
            Interpolant::Hermite => {
                let slopes = [self.candidates.slope(i), self.candidates.slope(j)];
                Link::Cubic(Cubic::new([x0, x1], [v0, v1], slopes))
            }
        }
    }

    /// A constant with the value of point `k`.
    pub(super) fn point(&self, run: &Run, k: usize) -> Link {
        let line = Line::point(self.candidates.value[run.at(k)]);
        match self.interpolant {
            Interpolant::Chord => Link::Line(line),
            Interpolant::Hermite => Link::Cubic(Cubic::new(
                [line.x0, line.x1],
                [line.v0, line.v1],
                [0.0, 0.0],
            )),
        }
    }

    /// Point `k` of a run as a record.
    pub(super) fn record(&self, run: &Run, k: usize) -> Record {
        let i = run.at(k);
        Record {
            x: self.candidates.x[i] + 0.0,
            value: self.candidates.value[i],
            policy: self.candidates.policy[i],
            marginal: self.marginal(run, k),
            owner: self.candidates.label(i),
        }
    }

    /// The marginal of a point; if unknown the slope of a link next to it.
    fn marginal(&self, run: &Run, k: usize) -> f64 {
        let slope = self.candidates.slope(run.at(k));
        if !self.candidates.marginal.is_empty() || run.len() == 1 {
            return if slope.is_nan() { 0.0 } else { slope };
        }
        let k = k.min(run.len() - 2);
        let (i, j) = (run.at(k), run.at(k + 1));
        (self.candidates.value[j] - self.candidates.value[i])
            / (self.x(run, k + 1) - self.x(run, k))
    }

    /// The run at `x`, which lies on the link from point `k` or at the end of the run.
    pub(super) fn record_at(&self, run: &Run, k: usize, x: f64) -> Record {
        let first = self.record(run, k);
        if x <= first.x || k + 1 >= run.len() {
            return Record { x, ..first };
        }
        let second = self.record(run, k + 1);
        if x >= second.x {
            return Record { x, ..second };
        }
        let link = self.link(run, k);
        let policy = Line {
            x0: first.x,
            x1: second.x,
            v0: first.policy,
            v1: second.policy,
        };
        let marginal = match link {
            Link::Cubic(cubic) => cubic.slope_at(x),
            Link::Line(line) if self.candidates.marginal.is_empty() => {
                (line.v1 - line.v0) / (line.x1 - line.x0)
            }
            Link::Line(_) => {
                let (v0, v1) = (first.marginal, second.marginal);
                Line { v0, v1, ..policy }.value_at(x)
            }
        };
        let known = first.policy.is_finite() && second.policy.is_finite();
        Record {
            x,
            value: link.value_at(x),
            policy: if known { policy.value_at(x) } else { f64::NAN },
            marginal,
            owner: first.owner,
        }
    }
}
