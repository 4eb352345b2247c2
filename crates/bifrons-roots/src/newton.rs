//! Newton's method that cannot leave its bracket.

use crate::search::least_step;
use crate::tolerance::strictly_inside;
use crate::{Bracket, NewtonOptions, Root, RootError, Sample};

/// Longest step of the hunting phase in widths of the interval known so far.
const GROWTH: f64 = 4.0;

/// Finds a root near a guess from values and slopes.
///
/// `f` returns the value and the derivative. Without a bracket the search hunts: Newton steps
/// whose length is bounded by four times the distance covered so far, outwards from the end with
/// the smaller value, between the bounds. As soon as the sign has changed, Newton steps are taken
/// only inside the bracket and only while they halve every second time; otherwise it is bisected.
/// The last step goes past the root, so that the result is a bracket like that of
/// [`find_root`](crate::find_root). A slope that is zero, infinite or NaN costs speed, not safety.
///
/// # Errors
///
/// [`RootError::Step`] and [`RootError::Bounds`] for unusable options, [`RootError::NotANumber`]
/// for a NaN *value*, [`RootError::NoSignChange`] if both bounds were reached,
/// [`RootError::EvaluationLimit`].
///
/// # Examples
///
/// Consumption at which the marginal utility `c⁻²` is one half:
///
/// ```
/// use bifrons_roots::{NewtonOptions, newton};
///
/// let options = NewtonOptions::default().with_bounds(0.0, f64::INFINITY);
/// let root = newton(|c| (c.powi(-2) - 0.5, -2.0 * c.powi(-3)), 1.0, &options)?;
/// assert!((root.x - 2.0_f64.sqrt()).abs() < 1e-15);
/// assert!(root.evaluations <= 8);
/// # Ok::<(), bifrons_roots::RootError>(())
/// ```
pub fn newton(
    mut f: impl FnMut(f64) -> (f64, f64),
    guess: f64,
    options: &NewtonOptions,
) -> Result<Root, RootError> {
    let mut search = NewtonSearch::new(guess, options)?;
    while let Some(x) = search.next_point() {
        if search.evaluations >= options.max_evaluations {
            let limit = options.max_evaluations;
            let (left, right) = (search.low.sample.x, search.high.sample.x);
            return Err(RootError::EvaluationLimit { limit, left, right });
        }
        let (value, slope) = f(x);
        search.observe(value, slope)?;
    }
    search.root()
}

/// A point, the value and the slope there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tangent {
    sample: Sample,
    slope: f64,
}

impl Tangent {
    /// Newton's step from here; NaN or infinite if the slope is unusable.
    fn step(&self) -> f64 {
        -self.sample.value / self.slope
    }
}

/// A search with slopes that asks for points and is told values; see [`newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonSearch {
    options: NewtonOptions,
    /// Ends of the interval: same sign while hunting, a bracket afterwards.
    low: Tangent,
    high: Tangent,
    /// Where the last value was taken.
    latest: Tangent,
    /// Last step and the one before it.
    step: f64,
    step_before: f64,
    /// Factor of the least useful step: doubles while steps in a row are too short.
    lengthen: f64,
    started: bool,
    found: Option<Bracket>,
    next: Option<f64>,
    evaluations: u32,
}

impl NewtonSearch {
    /// Search from `guess`, which is the first point asked for.
    ///
    /// # Errors
    ///
    /// [`RootError::Step`] and [`RootError::Bounds`].
    pub fn new(guess: f64, options: &NewtonOptions) -> Result<Self, RootError> {
        options.check(guess)?;
        let mut options = *options;
        (options.lower, options.upper) = options.finite_bounds();
        let unknown = Tangent {
            sample: Sample::new(guess, f64::NAN),
            slope: f64::NAN,
        };
        Ok(Self {
            options,
            low: unknown,
            high: unknown,
            latest: unknown,
            step: f64::INFINITY,
            step_before: f64::INFINITY,
            lengthen: 1.0,
            started: false,
            found: None,
            next: Some(guess),
            evaluations: 0,
        })
    }

    /// Point at which value and slope are wanted; `None` at the end.
    #[must_use]
    pub fn next_point(&self) -> Option<f64> {
        self.next
    }

    /// Takes value and slope at [`next_point`](Self::next_point).
    ///
    /// # Errors
    ///
    /// [`RootError::NotANumber`] for a NaN value, with unchanged state; [`RootError::Ended`] if
    /// no point was asked for.
    pub fn observe(&mut self, value: f64, slope: f64) -> Result<(), RootError> {
        let x = self.next.ok_or(RootError::Ended)?;
        let sample = Sample::new(x, value).checked()?;
        self.evaluations = self.evaluations.saturating_add(1);
        self.latest = Tangent { sample, slope };
        if sample.is_zero() {
            self.found = Some(Bracket::point(sample));
            self.next = None;
        } else if self.found.is_some() {
            self.narrow();
        } else {
            self.widen();
        }
        Ok(())
    }

    /// The root once the search has ended.
    ///
    /// # Errors
    ///
    /// [`RootError::NoSignChange`] with the widest interval tried if there is no bracket (yet).
    pub fn root(&self) -> Result<Root, RootError> {
        match self.found {
            Some(bracket) => Ok(Root::new(bracket, self.evaluations)),
            None => Err(RootError::NoSignChange {
                left: self.low.sample.x,
                left_value: self.low.sample.value,
                right: self.high.sample.x,
                right_value: self.high.sample.value,
            }),
        }
    }

    /// Values taken so far.
    #[must_use]
    pub fn evaluations(&self) -> u32 {
        self.evaluations
    }

    /// Hunting: the latest point extends the interval.
    fn widen(&mut self) {
        let latest = self.latest;
        if !self.started {
            self.started = true;
            (self.low, self.high) = (latest, latest);
        } else if latest.sample.x > self.high.sample.x {
            self.found = Bracket::new(self.high.sample, latest.sample).ok();
            let inner = self.high;
            self.high = latest;
            if self.found.is_some() {
                self.low = inner;
            }
        } else {
            self.found = Bracket::new(latest.sample, self.low.sample).ok();
            let inner = self.low;
            self.low = latest;
            if self.found.is_some() {
                self.high = inner;
            }
        }
        if self.found.is_some() {
            (self.step, self.step_before) = (f64::INFINITY, f64::INFINITY);
            self.lengthen = 1.0;
            self.refine();
        } else {
            self.next = self.hunt();
        }
    }

    /// Refining: the latest point replaces one end of the bracket.
    fn narrow(&mut self) {
        if let Some(bracket) = &mut self.found {
            bracket.shrink(self.latest.sample);
            if self.latest.sample == bracket.right() {
                self.high = self.latest;
            } else {
                self.low = self.latest;
            }
        }
        self.refine();
    }

    fn hunt(&mut self) -> Option<f64> {
        let NewtonOptions {
            lower,
            upper,
            step: first,
            tolerance,
            ..
        } = self.options;
        let (low, high) = (self.low.sample, self.high.sample);
        let width = high.x - low.x;
        let up = match (low.x > lower, high.x < upper) {
            (false, false) => return None,
            (true, false) => false,
            (false, true) => true,
            (true, true) if width > 0.0 => high.value.abs() < low.value.abs(),
            (true, true) => self.latest.step() >= 0.0,
        };
        let from = if up { self.high } else { self.low };
        let mut least = least_step(tolerance.width(low.x, high.x), from.sample.x);
        let newton = if up { from.step() } else { -from.step() };
        let longest = (GROWTH * width).max(first).max(least);
        let stride = if newton.is_finite() && newton >= 0.0 {
            if newton < least {
                // Next to the root, if there is one: go past it, further each time.
                least *= self.lengthen;
                self.lengthen *= 2.0;
            }
            newton.max(least).min(longest)
        } else {
            longest
        };
        Some(if up {
            (from.sample.x + stride)
                .max(from.sample.x.next_up())
                .min(upper)
        } else {
            (from.sample.x - stride)
                .min(from.sample.x.next_down())
                .max(lower)
        })
    }

    fn refine(&mut self) {
        self.next = None;
        let Some(bracket) = self.found else { return };
        let (left, right) = (bracket.left(), bracket.right());
        let accepted = self.options.tolerance.width(left.x, right.x);
        if right.is_zero() || bracket.width() <= accepted {
            return;
        }
        let from = if bracket.best() == self.high.sample {
            self.high
        } else {
            self.low
        };
        let half = left.x.midpoint(right.x);
        let inwards = half - from.sample.x;
        let least = least_step(accepted, from.sample.x);
        let newton = from.step();
        let usable = newton.is_finite()
            && newton * inwards >= 0.0
            && newton.abs() < bracket.width()
            && newton.abs() < 0.5 * self.step_before;
        self.step_before = self.step;
        let step = if !usable || least >= inwards.abs() {
            self.lengthen = 1.0;
            inwards
        } else if newton.abs() < least {
            let longer = least * self.lengthen;
            self.lengthen *= 2.0;
            if longer < inwards.abs() {
                longer.copysign(inwards)
            } else {
                inwards
            }
        } else {
            self.lengthen = 1.0;
            newton
        };
        self.step = step.abs();
        self.next = strictly_inside(from.sample.x + step, left.x, right.x);
    }
}
