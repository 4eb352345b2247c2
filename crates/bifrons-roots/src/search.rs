//! Refinement of a bracket to a root.

mod brent;
mod itp;

use crate::tolerance::{spacing, strictly_inside};
use crate::{Bracket, ExactZero, RootError, RootMethod, RootOptions, Sample, Tolerance};
use brent::Brent;
use itp::Itp;

/// A root with the bracket that proves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// End of the bracket with the smaller absolute value.
    pub x: f64,
    /// Value of the function at `x`.
    pub value: f64,
    /// Change of sign, no wider than the tolerance unless `value` is exactly zero.
    pub bracket: Bracket,
    /// Evaluations of the function, those at the ends included where the search made them.
    pub evaluations: u32,
}

impl Root {
    pub(crate) fn new(bracket: Bracket, evaluations: u32) -> Self {
        let best = bracket.best();
        Self {
            x: best.x,
            value: best.value,
            bracket,
            evaluations,
        }
    }
}

/// Finds a root between `left` and `right`, at which the function must differ in sign.
///
/// A jump through zero is a root, too: the bracket of the jump is returned. `right < left` is
/// allowed, see [`Bracket`]. Infinite values are signs like others.
///
/// # Errors
///
/// [`RootError::Interval`], [`RootError::NotANumber`], [`RootError::NoSignChange`] and
/// [`RootError::EvaluationLimit`].
///
/// # Examples
///
/// ```
/// use bifrons_roots::{RootError, RootOptions, find_root};
///
/// let options = RootOptions::default();
/// let fall = find_root(|t| 10.0 - 4.905 * t * t, 0.0, 3.0, &options)?;
/// assert!((fall.x - (10.0_f64 / 4.905).sqrt()).abs() < 1e-12);
///
/// let error = find_root(|x| x * x + 1.0, -1.0, 2.0, &options).unwrap_err();
/// assert!(matches!(error, RootError::NoSignChange { right_value: 5.0, .. }));
/// # Ok::<(), RootError>(())
/// ```
pub fn find_root(
    mut f: impl FnMut(f64) -> f64,
    left: f64,
    right: f64,
    options: &RootOptions,
) -> Result<Root, RootError> {
    if !(left.is_finite() && right.is_finite()) {
        return Err(RootError::Interval { left, right });
    }
    let ends = (Sample::new(left, f(left)), Sample::new(right, f(right)));
    let bracket = Bracket::new(ends.0, ends.1)?;
    let mut search = RootSearch::new(bracket, options);
    search.evaluations = 2;
    search.run(f, options.max_evaluations)
}

/// A bracketed search that asks for points and is told values.
///
/// ```
/// use bifrons_roots::{Bracket, RootOptions, RootSearch, Sample};
///
/// let f = |x: f64| x.exp() - 2.0;
/// let bracket = Bracket::new(Sample::new(0.0, f(0.0)), Sample::new(1.0, f(1.0)))?;
/// let mut search = RootSearch::new(bracket, &RootOptions::default());
/// while let Some(x) = search.next_point() {
///     search.observe(f(x))?;
/// }
/// assert!((search.bracket().right().x - 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootSearch {
    bracket: Bracket,
    tolerance: Tolerance,
    exact_zero: ExactZero,
    rule: Rule,
    next: Option<f64>,
    evaluations: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    Itp(Itp),
    Brent(Brent),
}

impl RootSearch {
    /// Search inside a bracket; `options.max_evaluations` is left to whoever drives the search.
    #[must_use]
    pub fn new(bracket: Bracket, options: &RootOptions) -> Self {
        let tolerance = options.tolerance;
        let rule = match options.method {
            RootMethod::Itp => Rule::Itp(Itp::new(&bracket, tolerance)),
            RootMethod::Brent => Rule::Brent(Brent::new(&bracket)),
        };
        let exact_zero = options.exact_zero;
        let mut search = Self {
            bracket,
            tolerance,
            exact_zero,
            rule,
            next: None,
            evaluations: 0,
        };
        search.propose();
        search
    }

    /// Point at which a value is wanted; `None` once the bracket is as small as asked for.
    #[must_use]
    pub fn next_point(&self) -> Option<f64> {
        self.next
    }

    /// Takes the value at [`next_point`](Self::next_point).
    ///
    /// # Errors
    ///
    /// [`RootError::NotANumber`] for NaN: the state is unchanged and the same point is asked for
    /// again. [`RootError::Ended`] if no point was asked for.
    pub fn observe(&mut self, value: f64) -> Result<(), RootError> {
        let x = self.next.ok_or(RootError::Ended)?;
        let sample = Sample::new(x, value).checked()?;
        self.evaluations = self.evaluations.saturating_add(1);
        let is_right = self.bracket.is_past(value);
        let dropped = self.bracket.shrink(sample);
        match &mut self.rule {
            Rule::Itp(itp) => itp.take(dropped, is_right),
            Rule::Brent(brent) => brent.take(sample),
        }
        self.propose();
        Ok(())
    }

    /// Current bracket; valid at any time.
    #[must_use]
    pub fn bracket(&self) -> Bracket {
        self.bracket
    }

    /// The root, once the search has ended.
    #[must_use]
    pub fn root(&self) -> Option<Root> {
        self.next
            .is_none()
            .then(|| Root::new(self.bracket, self.evaluations))
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
    ) -> Result<Root, RootError> {
        while let Some(x) = self.next {
            if self.evaluations >= max_evaluations {
                let (left, right) = (self.bracket.left().x, self.bracket.right().x);
                return Err(RootError::EvaluationLimit {
                    limit: max_evaluations,
                    left,
                    right,
                });
            }
            self.observe(f(x))?;
        }
        Ok(Root::new(self.bracket, self.evaluations))
    }

    fn propose(&mut self) {
        self.next = None;
        let (left, right) = (self.bracket.left(), self.bracket.right());
        let zero_ends = self.exact_zero == ExactZero::Finish && right.is_zero();
        let accepted = self.tolerance.width(left.x, right.x);
        if left.is_zero() || zero_ends || self.bracket.width() <= accepted {
            return;
        }
        let point = match &mut self.rule {
            Rule::Itp(itp) => itp.point(&self.bracket, accepted),
            Rule::Brent(brent) => brent.point(accepted),
        };
        self.next = strictly_inside(point, left.x, right.x);
    }
}

/// Smallest useful displacement next to `x`: half the accepted width, at least one spacing.
pub(crate) fn least_step(accepted: f64, x: f64) -> f64 {
    (0.5 * accepted).max(spacing(x))
}
