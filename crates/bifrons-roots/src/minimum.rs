//! Minima between two points.

mod brent;
mod golden;

use crate::{Ends, MinimumMethod, MinimumOptions, RootError, Sample, Tolerance};
use brent::Parabolic;
use golden::Golden;

/// Share by which golden section moves: `(3 - √5)/2`.
const GOLDEN: f64 = 0.381_966_011_250_105_15;

/// A minimum with the interval that it was confined to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// Point with the lowest value that was seen; the lowest such point after ties.
    pub x: f64,
    /// Value there.
    pub value: f64,
    /// Lower end of the last interval.
    pub left: f64,
    /// Upper end of the last interval.
    pub right: f64,
    /// Evaluations of the function.
    pub evaluations: u32,
}

/// Finds a minimum between `left` and `right` (in either order).
///
/// For a function that falls, then rises, it is *the* minimum; otherwise it is a local one.
/// `+∞` marks infeasible points and is a value like others; on equal values the search keeps the
/// lower part of the interval. A maximum is the minimum of the negated function.
///
/// # Errors
///
/// [`RootError::Interval`] unless both ends are finite and different with a finite distance,
/// [`RootError::NotANumber`], [`RootError::EvaluationLimit`].
///
/// # Accuracy
///
/// Values near a smooth minimum are flat: `x` is determined to about `√ε |x|` only, whatever the
/// tolerance. Below that golden section still meets its tolerance, but follows rounding errors.
///
/// # Examples
///
/// ```
/// use bifrons_roots::{Ends, MinimumOptions, minimise};
///
/// let minimum = minimise(|x| (x - 1.0) * (x - 1.0), -3.0, 4.0, &MinimumOptions::default())?;
/// assert!((minimum.x - 1.0).abs() < 1e-7);
///
/// // A corner: the end itself is returned when ends count.
/// let corner = minimise(|x| x, 2.0, 4.0, &MinimumOptions::default().with_ends(Ends::Closed))?;
/// assert_eq!((corner.x, corner.value), (2.0, 2.0));
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
pub fn minimise(
    f: impl FnMut(f64) -> f64,
    left: f64,
    right: f64,
    options: &MinimumOptions,
) -> Result<Minimum, RootError> {
    MinimumSearch::new(left, right, options)?.run(f, options.max_evaluations)
}

/// A minimum search that asks for points and is told values; see [`minimise`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimumSearch {
    low: f64,
    high: f64,
    tolerance: Tolerance,
    /// Ends that still have to be evaluated.
    ends_left: u8,
    rule: Rule,
    lowest: Option<Sample>,
    next: Option<f64>,
    evaluations: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Golden(Golden),
    Parabolic(Parabolic),
}

impl MinimumSearch {
    /// Search between two points.
    ///
    /// # Errors
    ///
    /// [`RootError::Interval`].
    pub fn new(left: f64, right: f64, options: &MinimumOptions) -> Result<Self, RootError> {
        let distance = (right - left).abs();
        if !(distance > 0.0 && distance.is_finite()) {
            return Err(RootError::Interval { left, right });
        }
        let (low, high) = (left.min(right), left.max(right));
        let rule = match options.method {
            MinimumMethod::GoldenSection => Rule::Golden(Golden::new(low, high)),
            MinimumMethod::Brent => Rule::Parabolic(Parabolic::new(low, high)),
        };
        let ends_left = if options.ends == Ends::Closed { 2 } else { 0 };
        let tolerance = options.tolerance;
        let (lowest, next, evaluations) = (None, None, 0);
        let mut search = Self {
            low,
            high,
            tolerance,
            ends_left,
            rule,
            lowest,
            next,
            evaluations,
        };
        search.propose();
        Ok(search)
    }

    /// Point at which a value is wanted; `None` at the end.
    #[must_use]
    pub fn next_point(&self) -> Option<f64> {
        self.next
    }

    /// Takes the value at [`next_point`](Self::next_point).
    ///
    /// # Errors
    ///
    /// [`RootError::NotANumber`] for NaN, with unchanged state; [`RootError::Ended`] if no point
    /// was asked for.
    pub fn observe(&mut self, value: f64) -> Result<(), RootError> {
        let x = self.next.ok_or(RootError::Ended)?;
        let sample = Sample::new(x, value).checked()?;
        self.evaluations = self.evaluations.saturating_add(1);
        let improves = self
            .lowest
            .is_none_or(|lowest| value < lowest.value || (value <= lowest.value && x < lowest.x));
        if improves {
            self.lowest = Some(sample);
        }
        if self.ends_left > 0 {
            self.ends_left -= 1;
        } else {
            match &mut self.rule {
                Rule::Golden(golden) => golden.take(sample),
                Rule::Parabolic(parabolic) => parabolic.take(sample),
            }
        }
        self.propose();
        Ok(())
    }

    /// The minimum, once the search has ended.
    #[must_use]
    pub fn minimum(&self) -> Option<Minimum> {
        let lowest = self.lowest.filter(|_| self.next.is_none())?;
        let (left, right) = self.interval();
        let evaluations = self.evaluations;
        Some(Minimum {
            x: lowest.x,
            value: lowest.value,
            left,
            right,
            evaluations,
        })
    }

    /// Interval that the search is confined to, lower end first.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        match &self.rule {
            Rule::Golden(golden) => golden.interval(),
            Rule::Parabolic(parabolic) => parabolic.interval(),
        }
    }

    /// Values taken so far.
    #[must_use]
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }

    /// Runs to the end, or until `max_evaluations` values in all have been taken.
    ///
    /// After an error the search is as it was before the failing evaluation and may be run again.
    ///
    /// # Errors
    ///
    /// [`RootError::NotANumber`] and [`RootError::EvaluationLimit`].
    pub fn run(
        &mut self,
        mut f: impl FnMut(f64) -> f64,
        max_evaluations: u32,
    ) -> Result<Minimum, RootError> {
        let (left, right) = self.interval();
        let mut limit = RootError::EvaluationLimit {
            limit: max_evaluations,
            left,
            right,
        };
        while let Some(x) = self.next {
            if self.evaluations >= max_evaluations {
                let (left, right) = self.interval();
                limit = RootError::EvaluationLimit {
                    limit: max_evaluations,
                    left,
                    right,
                };
                return Err(limit);
            }
            self.observe(f(x))?;
        }
        self.minimum().ok_or(limit)
    }

    fn propose(&mut self) {
        self.next = match self.ends_left {
            2 => Some(self.low),
            1 => Some(self.high),
            _ => match &mut self.rule {
                Rule::Golden(golden) => golden.point(self.tolerance),
                Rule::Parabolic(parabolic) => parabolic.point(self.tolerance),
            },
        };
    }
}
