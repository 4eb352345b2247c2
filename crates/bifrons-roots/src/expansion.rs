//! A bracket around a root near a guess, without a derivative.

use crate::{Bracket, NewtonOptions, Root, RootError, RootOptions, RootSearch, Sample};

/// Factor by which the interval widens.
const GROWTH: f64 = 2.0;

/// Finds a root near a guess: widens an interval until the sign changes, then refines with ITP.
///
/// Which root is found is deterministic but not promised where there are several.
///
/// # Errors
///
/// Those of [`BracketExpansion::new`], [`RootError::NotANumber`], [`RootError::NoSignChange`] if
/// both bounds were reached, [`RootError::EvaluationLimit`].
///
/// # Examples
///
/// ```
/// use bifrons_roots::{NewtonOptions, find_root_near};
///
/// let options = NewtonOptions::default().with_bounds(0.0, f64::INFINITY);
/// let root = find_root_near(|x| x.ln() - 3.0, 1.0, &options)?;
/// assert!((root.x - 3.0_f64.exp()).abs() < 1e-14);
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
pub fn find_root_near(
    mut f: impl FnMut(f64) -> f64,
    guess: f64,
    options: &NewtonOptions,
) -> Result<Root, RootError> {
    let mut expansion = BracketExpansion::new(guess, options)?;
    while let Some(x) = expansion.next_point() {
        if expansion.evaluations >= options.max_evaluations {
            let (low, high) = (expansion.low.x, expansion.high.x);
            let limit = options.max_evaluations;
            return Err(RootError::EvaluationLimit {
                limit,
                left: low,
                right: high,
            });
        }
        expansion.observe(f(x))?;
    }
    let spent = expansion.evaluations;
    let bracket = expansion.bracket()?;
    let settings = RootOptions::default().with_tolerance(options.tolerance);
    let mut root = RootSearch::new(bracket, &settings)
        .run(f, options.max_evaluations.saturating_sub(spent))
        .map_err(|error| match error {
            RootError::EvaluationLimit { left, right, .. } => RootError::EvaluationLimit {
                limit: options.max_evaluations,
                left,
                right,
            },
            other => other,
        })?;
    root.evaluations = root.evaluations.saturating_add(spent);
    Ok(root)
}

/// Widens an interval around a guess until the function changes sign in it.
///
/// The end with the smaller absolute value moves outwards by twice the width; on equal values
/// (also on infinite ones) the two ends take turns. Bounds are reached exactly and then stay.
///
/// ```
/// use bifrons_roots::{BracketExpansion, NewtonOptions};
///
/// let mut expansion = BracketExpansion::new(0.0, &NewtonOptions::default())?;
/// while let Some(x) = expansion.next_point() {
///     expansion.observe(x - 100.0)?;
/// }
/// let bracket = expansion.bracket()?;
/// assert!(bracket.left().x < 100.0 && 100.0 <= bracket.right().x);
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BracketExpansion {
    low: Sample,
    high: Sample,
    lower: f64,
    upper: f64,
    step: f64,
    up_was_last: bool,
    started: bool,
    next: Option<f64>,
    found: Option<Bracket>,
    evaluations: u32,
}

impl BracketExpansion {
    /// Expansion around `guess`; the first value asked for is that of the guess.
    ///
    /// Of the options it reads `step`, `lower` and `upper`.
    ///
    /// # Errors
    ///
    /// [`RootError::Step`] and [`RootError::Bounds`].
    pub fn new(guess: f64, options: &NewtonOptions) -> Result<Self, RootError> {
        options.check(guess)?;
        let unknown = Sample::new(guess, f64::NAN);
        let (lower, upper) = options.finite_bounds();
        Ok(Self {
            low: unknown,
            high: unknown,
            lower,
            upper,
            step: options.step,
            up_was_last: false,
            started: false,
            next: Some(guess),
            found: None,
            evaluations: 0,
        })
    }

    /// Point at which a value is wanted; `None` once a bracket was found or both bounds reached.
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
        if sample.is_zero() {
            self.found = Some(Bracket::point(sample));
        } else if !self.started {
            self.started = true;
            (self.low, self.high) = (sample, sample);
        } else if x > self.high.x {
            self.found = Bracket::new(self.high, sample).ok();
            self.high = sample;
        } else {
            self.found = Bracket::new(sample, self.low).ok();
            self.low = sample;
        }
        self.next = if self.found.is_some() {
            None
        } else {
            self.propose()
        };
        Ok(())
    }

    /// The bracket that was found.
    ///
    /// # Errors
    ///
    /// [`RootError::NoSignChange`] with the widest interval tried and the values at its ends if
    /// there is none (yet).
    pub fn bracket(&self) -> Result<Bracket, RootError> {
        self.found.ok_or(RootError::NoSignChange {
            left: self.low.x,
            left_value: self.low.value,
            right: self.high.x,
            right_value: self.high.value,
        })
    }

    /// Values taken so far.
    #[must_use]
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }

    fn propose(&mut self) -> Option<f64> {
        let can_fall = self.low.x > self.lower;
        let can_rise = self.high.x < self.upper;
        let up = match (can_fall, can_rise) {
            (false, false) => return None,
            (true, false) => false,
            (false, true) => true,
            (true, true) => {
                let (low, high) = (self.low.value.abs(), self.high.value.abs());
                high < low || (high <= low && !self.up_was_last)
            }
        };
        self.up_was_last = up;
        let stride = self.step.max(GROWTH * (self.high.x - self.low.x));
        Some(if up {
            (self.high.x + stride)
                .max(self.high.x.next_up())
                .min(self.upper)
        } else {
            (self.low.x - stride)
                .min(self.low.x.next_down())
                .max(self.lower)
        })
    }
}
